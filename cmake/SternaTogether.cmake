# Most of the time of compiling a small file goes into the headers and templates that it shares with
# its neighbors. So the files of a folder are compiled together, some at a time. Three kinds stay
# alone: those with options of their own, such as kernels; those that end with a row of a table (a
# method, an observer, a thermostat, a reader), whose functions have the same names in all of them;
# and the tables of rows, in whose place a program may link another one, with a row more.
#
# All others need names in anonymous namespaces that are unique in their folder. Builds with
# sanitizers and the preset `dev` compile each file alone, and see whether it includes what it needs.
set(_sterna_together ON)
if(STERNA_SANITIZE)
  set(_sterna_together OFF)
endif()
option(STERNA_TOGETHER "Compile the files of a folder together" ${_sterna_together})
set(STERNA_TOGETHER_FILES 24 CACHE STRING "As many files at a time, with STERNA_TOGETHER")
mark_as_advanced(STERNA_TOGETHER_FILES)

# sterna_compile_together(TARGET SOURCE...): absolute paths, whose options are set already.
function(sterna_compile_together target)
  if(NOT STERNA_TOGETHER)
    return()
  endif()
  set(folder "")
  foreach(source ${ARGN})
    file(STRINGS ${source} row REGEX "^const [A-Za-z]+Row " LIMIT_COUNT 1)
    file(STRINGS ${source} table REGEX "^#include \".*(_list\\.inc|/list\\.hpp)\"" LIMIT_COUNT 1)
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    get_source_file_property(definitions ${source} COMPILE_DEFINITIONS)
    if(row OR table OR options OR definitions)
      continue()
    endif()
    get_filename_component(its_folder ${source} DIRECTORY)
    if(NOT its_folder STREQUAL folder)
      set(folder ${its_folder})
      set(number 0)
    endif()
    math(EXPR group "${number} / ${STERNA_TOGETHER_FILES}")
    math(EXPR number "${number} + 1")
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR}/src ${folder})
    string(MAKE_C_IDENTIFIER "${name}_${group}" name)
    set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${name})
  endforeach()
  # With relative paths a compiler cache finds in one clone what another has compiled.
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP
                                             UNITY_BUILD_RELOCATABLE ON)
  # GCC takes an included file for a header, in which a class must not have members of types that
  # are another file's own.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()
