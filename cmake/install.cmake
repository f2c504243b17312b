# What `cmake --install` gives to C and C++ programs: the library, headers, a pkg-config file, a CMake package, manual pages.
# The command line is Python's, and installed by pip: the component `python`, which is left out unless it is named.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(ABUT_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/abut)

# Headers that need nothing linked.
add_library(abut_headers INTERFACE)
add_library(abut_containers INTERFACE)
foreach(name headers containers)
  set_target_properties(abut_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(abut_${name} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
endforeach()
target_compile_features(abut_headers INTERFACE cxx_std_17)
target_compile_features(abut_containers INTERFACE cxx_std_20)

set(targets abut_headers abut_containers)
if(TARGET abut) # not where a sanitizer replaces malloc
  list(APPEND targets abut)
endif()
install(TARGETS ${targets} EXPORT abutTargets COMPONENT native
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/abut
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT native)

install(EXPORT abutTargets NAMESPACE abut:: DESTINATION ${ABUT_PACKAGE_DIR} COMPONENT native)
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/abutConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/abutConfig.cmake
  INSTALL_DESTINATION ${ABUT_PACKAGE_DIR})
write_basic_package_version_file(
  ${CMAKE_CURRENT_BINARY_DIR}/abutConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/abutConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/abutConfigVersion.cmake
  DESTINATION ${ABUT_PACKAGE_DIR} COMPONENT native)

# From the file's own folder to the prefix, so that what was installed may be moved.
file(RELATIVE_PATH ABUT_PREFIX_FROM_PKGCONFIG
  /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(${CMAKE_CURRENT_LIST_DIR}/abut.pc.in ${CMAKE_CURRENT_BINARY_DIR}/abut.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/abut.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT native)

# The manual pages come from what the command line says, so that writing them takes a Python with typer. The same pages are
# part of the wheel, where pip puts them beside the command; while it builds one, it finds its packages by PYTHONPATH.
find_program(ABUT_MAN_PYTHON NAMES python python3 HINTS ${PROJECT_SOURCE_DIR}/.venv/bin)
if(SKBUILD AND Python_EXECUTABLE)
  set(ABUT_MAN_PYTHON ${Python_EXECUTABLE})
endif()
set(ABUT_MAN ${CMAKE_CURRENT_BINARY_DIR}/man)
function(abut_install_man component destination)
  install(CODE "
    file(MAKE_DIRECTORY \"${ABUT_MAN}/man1\")
    execute_process(COMMAND \"${CMAKE_COMMAND}\" -E env PYTHONDONTWRITEBYTECODE=1 \"PYTHONPATH=${PROJECT_SOURCE_DIR}/python:\$ENV{PYTHONPATH}\"
      \"${ABUT_MAN_PYTHON}\" \"${PROJECT_SOURCE_DIR}/tools/man_pages.py\" \"${ABUT_MAN}/man1\"
      RESULT_VARIABLE failed ERROR_QUIET)
    if(failed)
      message(STATUS \"no manual pages: ${ABUT_MAN_PYTHON} has no typer\")
    endif()" COMPONENT ${component} ${ARGN})
  install(DIRECTORY ${ABUT_MAN}/man1 DESTINATION ${destination} COMPONENT ${component} ${ARGN})
endfunction()
abut_install_man(native ${CMAKE_INSTALL_MANDIR})
if(SKBUILD)
  abut_install_man(python ${SKBUILD_DATA_DIR}/share/man EXCLUDE_FROM_ALL)
endif()
