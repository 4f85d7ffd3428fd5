# The tuning pack and the boot files travel in the binary: `sndr_packc` checks them and writes one archive, which a
# generated source takes in whole. An invalid pack fails the build.
#
# sndr_packc is linked to the libraries by hand, because whatever else links sndr_pack takes the archive with it.
add_executable(sndr_packc ${CMAKE_CURRENT_SOURCE_DIR}/pack/packc/main.cc)
target_include_directories(sndr_packc PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(sndr_packc PRIVATE $<TARGET_FILE:sndr_pack> sndr_yaml sndr_json sndr_base sndr_warnings)
add_dependencies(sndr_packc sndr_pack)
set_target_properties(sndr_packc PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/host)

file(GLOB_RECURSE pack_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/pack/* ${CMAKE_SOURCE_DIR}/python/*)
list(FILTER pack_files EXCLUDE REGEX "/(\\.|__pycache__/)")
set(pack_list ${CMAKE_BINARY_DIR}/generated/pack.list)  # changes when a file goes away
file(CONFIGURE OUTPUT ${pack_list} CONTENT "@pack_files@" @ONLY)
set(pack_archive ${CMAKE_BINARY_DIR}/generated/pack.archive)
add_custom_command(
  OUTPUT ${pack_archive}
  COMMAND sndr_packc ${CMAKE_SOURCE_DIR} ${pack_archive}
  DEPENDS sndr_packc ${pack_list} ${pack_files}
  COMMENT "Checking the pack"
  VERBATIM)

set(pack_source ${CMAKE_BINARY_DIR}/generated/pack_archive.cc)
file(CONFIGURE OUTPUT ${pack_source} CONTENT [[
asm(R"(
.pushsection .rodata
.balign 16
.global sndr_archive_begin
.global sndr_archive_end
sndr_archive_begin:
.incbin "@pack_archive@"
sndr_archive_end:
.byte 0
.popsection
)");
]] @ONLY)
set_source_files_properties(${pack_source} PROPERTIES OBJECT_DEPENDS ${pack_archive})
add_library(sndr_pack_archive STATIC ${pack_source})
target_link_libraries(sndr_pack INTERFACE sndr_pack_archive)
