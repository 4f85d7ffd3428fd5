# Linked by our code and tests, never by third parties.
add_library(sndr_warnings INTERFACE)
target_compile_options(sndr_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wold-style-cast
  # g++ 12 warns about "literal" + std::string at -O3 where nothing overlaps (GCC bug 105651)
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<BOOL:${SNDR_WERROR}>:-Werror>)
