# Where programs are installed and how they find MPI and UCX there. Include after find_package(MPI)
# and find_package(UCX). `cmake --install` keeps the paths of the libraries that a program was
# linked with. A wheel (SKBUILD) goes into an environment's bin folder and finds the libraries of
# the PyPI packages relative to itself, as the environment it was built in is gone by then.
include(GNUInstallDirs)

if(SKBUILD)
  find_package(Python REQUIRED COMPONENTS Interpreter)
  # Each version of Python has its own folder for UCX.
  set(_sterna_minors ${Python_VERSION_MINOR})
  if(SKBUILD_SABI_VERSION MATCHES "^3\\.([0-9]+)$")
    # A wheel for later versions, too.
    set(_sterna_minors)
    foreach(_sterna_minor RANGE ${CMAKE_MATCH_1} 20)
      list(APPEND _sterna_minors ${_sterna_minor})
    endforeach()
  endif()
  set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib")
  foreach(_sterna_minor ${_sterna_minors})
    list(APPEND CMAKE_INSTALL_RPATH
         "$ORIGIN/../lib/python3.${_sterna_minor}/site-packages/libucx/lib")
  endforeach()
  # The compiler wrapper's own -rpath would survive in the installed file; libmpi is linked by path.
  set_target_properties(MPI::MPI_CXX PROPERTIES INTERFACE_LINK_OPTIONS "")
  set(STERNA_BINARY_DIRECTORY ${SKBUILD_SCRIPTS_DIR})
  # The page of `man sterna`, and what completes its words in three shells.
  set(_sterna_shell ${PROJECT_SOURCE_DIR}/packaging/shell)
  set(_sterna_share ${SKBUILD_DATA_DIR}/share)
  install(FILES ${_sterna_shell}/sterna.1 DESTINATION ${_sterna_share}/man/man1 COMPONENT programs)
  install(FILES ${_sterna_shell}/sterna.bash RENAME sterna
          DESTINATION ${_sterna_share}/bash-completion/completions COMPONENT programs)
  install(FILES ${_sterna_shell}/_sterna
          DESTINATION ${_sterna_share}/zsh/site-functions COMPONENT programs)
  install(FILES ${_sterna_shell}/sterna.fish
          DESTINATION ${_sterna_share}/fish/vendor_completions.d COMPONENT programs)
else()
  # Built files have the run path of installed ones. If CMake is to change it at installation, it ends
  # the one in the build folder with an empty entry, which the loader takes for the working folder.
  set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
  set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
  # By itself CMake leaves out folders below the sources, where ./dev has its environment.
  foreach(_sterna_library ${MPI_CXX_LIBRARIES} ${UCX_ucp_LIBRARY})
    cmake_path(GET _sterna_library PARENT_PATH _sterna_folder)
    if(IS_ABSOLUTE "${_sterna_folder}" AND NOT _sterna_folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
      list(APPEND CMAKE_INSTALL_RPATH ${_sterna_folder})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES CMAKE_INSTALL_RPATH)
  set(STERNA_BINARY_DIRECTORY ${CMAKE_INSTALL_BINDIR})
endif()

# sterna_install(TARGET): TARGET and, beside it, TARGET.json, which says which launcher belongs to
# this build (the `sterna` command starts it with that).
function(sterna_install target)
  install(TARGETS ${target} RUNTIME DESTINATION ${STERNA_BINARY_DIRECTORY} COMPONENT programs)
  configure_file(${target}.json.in ${CMAKE_CURRENT_BINARY_DIR}/${target}.json @ONLY)
  if(NOT SKBUILD)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${target}.json
            DESTINATION ${STERNA_BINARY_DIRECTORY} COMPONENT programs)
  endif()
endfunction()

# sterna_install_library(TARGET NAME [EXPORT]): the library TARGET as sterna::NAME of
# find_package(sterna), which reads it from EXPORT.cmake.
function(sterna_install_library target name)
  set(export sternaTargets)
  if(ARGN)
    set(export ${ARGN})
  endif()
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS ${target} EXPORT ${export}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
                  NAMELINK_COMPONENT library)
endfunction()

# sterna_name_shared_library(TARGET NAME): TARGET becomes lib<NAME>.so. It exports what exported.map.in
# of this folder names, under the version of the interface, so that the loader refuses a program that was
# linked with another version. Libraries inside it (fmt) stay private.
function(sterna_name_shared_library target name)
  set(interface ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  set(map ${CMAKE_CURRENT_BINARY_DIR}/exported.map)
  configure_file(exported.map.in ${map} @ONLY)
  target_link_options(${target} PRIVATE -Wl,--version-script=${map} -Wl,--no-undefined)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} VERSION ${PROJECT_VERSION}
                                             SOVERSION ${interface} LINK_DEPENDS ${map})
endfunction()

# sterna_add_fortran_module(NAME SOURCE...): the library sterna::NAME_fortran with the module sterna_NAME.
# sterna_install_fortran_module(NAME) installs both.
function(sterna_add_fortran_module name)
  set(target sterna_${name}_fortran)
  set(modules ${CMAKE_CURRENT_BINARY_DIR}/modules)
  add_library(${target} STATIC ${ARGN})
  add_library(sterna::${name}_fortran ALIAS ${target})
  set_target_properties(${target} PROPERTIES Fortran_MODULE_DIRECTORY ${modules})
  target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${modules}>
                                                 $<INSTALL_INTERFACE:${STERNA_MODULE_FOLDER}>)
  if(CMAKE_Fortran_COMPILER_ID STREQUAL "GNU")
    set(options -std=f2018 -Wall -Wextra -pedantic)
    if(STERNA_WARNINGS_AS_ERRORS)
      list(APPEND options -Werror)
    endif()
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:Fortran>:${options}>")
  endif()
endfunction()

# Only the compiler that wrote a module can read it, so it is not installed among the headers.
set(STERNA_MODULE_FOLDER ${CMAKE_INSTALL_LIBDIR}/sterna/modules)
function(sterna_install_fortran_module name)
  sterna_install_library(sterna_${name}_fortran ${name}_fortran sternaFortranTargets)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/modules/sterna_${name}.mod
          DESTINATION ${STERNA_MODULE_FOLDER} COMPONENT library)
endfunction()

# The headers and what find_package(sterna) reads; after all sterna_install_library.
function(sterna_install_package)
  set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/sterna)
  include(CMakePackageConfigHelpers)
  set(sterna_fortran_sources ${CMAKE_INSTALL_DATADIR}/sterna/fortran)
  string(REGEX MATCH "^[0-9]+" sterna_fortran_major "${CMAKE_Fortran_COMPILER_VERSION}")
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/SternaFortran.cmake.in
                                ${PROJECT_BINARY_DIR}/SternaFortran.cmake
                                INSTALL_DESTINATION ${folder} PATH_VARS sterna_fortran_sources
                                NO_CHECK_REQUIRED_COMPONENTS_MACRO NO_SET_AND_CHECK_MACRO)
  set(sources ${PROJECT_SOURCE_DIR}/src/comm/fortran/sterna_comm.F90
              ${PROJECT_SOURCE_DIR}/src/comm/fortran/array_calls.cpp)
  if(STERNA_ENGINE STREQUAL "ON")
    list(APPEND sources ${PROJECT_SOURCE_DIR}/src/fmm/fortran/sterna_fmm.F90)
  endif()
  install(FILES ${sources} DESTINATION ${sterna_fortran_sources} COMPONENT library)
  if(TARGET sterna_comm_fortran)
    install(EXPORT sternaFortranTargets NAMESPACE sterna:: DESTINATION ${folder} COMPONENT library)
  endif()
  sterna_install_pkg_config()
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/sternaConfig.cmake.in
                                ${PROJECT_BINARY_DIR}/sternaConfig.cmake
                                INSTALL_DESTINATION ${folder})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/sternaConfigVersion.cmake
                                   COMPATIBILITY SameMinorVersion)
  install(EXPORT sternaTargets NAMESPACE sterna:: DESTINATION ${folder} COMPONENT library)
  install(FILES ${PROJECT_BINARY_DIR}/sternaConfig.cmake
                ${PROJECT_BINARY_DIR}/sternaConfigVersion.cmake
                ${PROJECT_BINARY_DIR}/SternaFortran.cmake
                ${PROJECT_SOURCE_DIR}/cmake/FindUCX.cmake
                ${PROJECT_SOURCE_DIR}/cmake/SternaMpi.cmake
          DESTINATION ${folder} COMPONENT library)
  set(absent)
  if(NOT STERNA_ENGINE STREQUAL "ON")
    set(absent PATTERN fmm.h EXCLUDE PATTERN fmm.hpp EXCLUDE PATTERN scafacos EXCLUDE)
  endif()
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/sterna DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
          COMPONENT library ${absent})
endfunction()

# sterna-comm.pc and sterna-fmm.pc, for builds without CMake. Where the libraries are shared, nothing
# else is named. A program that is linked with all of sterna-comm (--static) gets MPI, UCX and C++ by
# their own files.
function(sterna_install_pkg_config)
  set(private)
  foreach(library ${MPI_CXX_LIBRARIES} ${UCX_ucp_LIBRARY} ${UCX_uct_LIBRARY} ${UCX_ucs_LIBRARY}
                  ${UCX_ucm_LIBRARY})
    string(APPEND private " ${library}")
    cmake_path(GET library PARENT_PATH library_folder)
    if(library_folder AND NOT library_folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
      string(APPEND private " -Wl,-rpath,${library_folder}")
    endif()
  endforeach()
  if(LIBFABRIC_FOUND)
    string(APPEND private " -ldl")
  endif()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/sterna-comm.pc @ONLY CONTENT
"prefix=\${pcfiledir}/../..
Name: sterna-comm
Description: Communication of particle codes, on MPI
Version: @PROJECT_VERSION@
Cflags: -I\${prefix}/@CMAKE_INSTALL_INCLUDEDIR@
Libs: -L\${prefix}/@CMAKE_INSTALL_LIBDIR@ -Wl,-rpath,\${prefix}/@CMAKE_INSTALL_LIBDIR@ -lsterna_comm
Libs.private: -lstdc++ -lm -pthread@private@
")
  if(TARGET sterna_fmm_shared AND STERNA_ENGINE STREQUAL "ON")
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/sterna-fmm.pc @ONLY CONTENT
"prefix=\${pcfiledir}/../..
Name: sterna-fmm
Description: The fast multipole method for charges of distributed programs
Version: @PROJECT_VERSION@
Requires: sterna-comm
Cflags: -I\${prefix}/@CMAKE_INSTALL_INCLUDEDIR@
Libs: -L\${prefix}/@CMAKE_INSTALL_LIBDIR@ -Wl,-rpath,\${prefix}/@CMAKE_INSTALL_LIBDIR@ -lsterna_fmm
")
    install(FILES ${PROJECT_BINARY_DIR}/sterna-fmm.pc
            DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
  endif()
  install(FILES ${PROJECT_BINARY_DIR}/sterna-comm.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
endfunction()
