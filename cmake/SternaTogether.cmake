# Most of the time of compiling a small file goes into the headers and templates that it shares with
# its neighbors. So the files of a part of a library (src/md/input with its folders, all of src/comm)
# are compiled together, some at a time, with the headers of libraries compiled before. Two kinds
# stay alone: those with options of their own, such as kernels, and tables in whose place a program
# may link another one, with a row more (docs/howto/add-*.md).
#
# All others need names in anonymous namespaces that are unique in their part. Builds with
# sanitizers and the preset `dev` compile each file alone, and see whether it includes what it needs.
set(_sterna_together ON)
if(STERNA_SANITIZE)
  set(_sterna_together OFF)
endif()
option(STERNA_TOGETHER "Compile the files of a part of a library together" ${_sterna_together})
set(_sterna_replaceable_tables comm/neighbor/table comm/sparse/table forces/pair/pair_potential_table
    forces/bonded/bonded_table
    observe/observer_table start/readers/reader_table integrate/thermostats/thermostat_table
    integrate/integrators/integrator_table simulation/force_term_table
    trajectories/trajectory_table)
set(STERNA_TOGETHER_FILES 64 CACHE STRING "At most as many files at a time, with STERNA_TOGETHER")
mark_as_advanced(STERNA_TOGETHER_FILES)

# sterna_compile_together(TARGET SOURCE...): absolute paths, whose options are set already.
function(sterna_compile_together target)
  if(NOT STERNA_TOGETHER)
    return()
  endif()
  set(names)
  foreach(source ${ARGN})
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    get_source_file_property(definitions ${source} COMPILE_DEFINITIONS)
    if(options OR definitions)
      set_property(SOURCE ${source} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
      continue()
    endif()
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR}/src ${source})
    string(REGEX REPLACE "(^md/|\\.cpp$)" "" path ${name})
    if(path IN_LIST _sterna_replaceable_tables)
      continue()
    endif()
    # What owners know of the input stands above it in the layers, with what moves particles.
    string(REGEX REPLACE "^md/forces/[a-z]+/input/" "md/integrate/" name ${name})
    string(REGEX MATCH "^(app|comm|[a-z]+/[a-z]+)" name ${name})
    # Small parts go with one that includes much of the same.
    string(REGEX REPLACE "^md/(core|neighbors|simd)$" "md/domain" name ${name})
    string(REGEX REPLACE "^md/system$" "md/integrate" name ${name})
    string(REGEX REPLACE "^md/trajectories$" "md/output" name ${name})
    string(MAKE_C_IDENTIFIER ${name} name)
    list(APPEND names ${name})
    list(APPEND files_of_${name} ${source})
  endforeach()
  list(REMOVE_DUPLICATES names)
  foreach(name ${names})
    # Equal numbers of files in each unit.
    list(LENGTH files_of_${name} count)
    math(EXPR units "(${count} + ${STERNA_TOGETHER_FILES} - 1) / ${STERNA_TOGETHER_FILES}")
    set(number 0)
    foreach(source ${files_of_${name}})
      math(EXPR unit "${number} * ${units} / ${count}")
      math(EXPR number "${number} + 1")
      set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${name}_${unit})
    endforeach()
  endforeach()
  # With relative paths a compiler cache finds in one clone what another has compiled.
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP
                                             UNITY_BUILD_RELOCATABLE ON)
  # GCC takes an included file for a header, in which a class must not have members of types that
  # are another file's own.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# sterna_precompile_headers(TARGET [REUSE_FROM OTHER]): the headers of libraries that most files
# include, compiled once for both targets where their options are the same.
function(sterna_precompile_headers target)
  # With them a compiler cache finds nothing unless its user tells it how.
  if(NOT STERNA_TOGETHER OR CMAKE_CXX_COMPILER_LAUNCHER)
    return()
  endif()
  set(headers ${ARGN})
  if(NOT headers)
    set(headers PRIVATE <algorithm> <functional> <map> <memory> <optional> <string> <vector>
                <fmt/format.h> <nlohmann/json.hpp>)
  endif()
  target_precompile_headers(${target} ${headers})
endfunction()
