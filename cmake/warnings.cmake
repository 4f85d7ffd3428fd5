# Linked by our code and tests, never by third parties.
add_library(sndr_warnings INTERFACE)
target_compile_options(sndr_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wold-style-cast
  $<$<BOOL:${SNDR_WERROR}>:-Werror>)
