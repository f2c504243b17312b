# What `cmake --install` gives to C and C++ programs: the library, headers, a pkg-config file, a CMake package, manual pages.
# The command line is Python's, and installed by pip: the component `python`, which is left out unless it is named.
include(${CMAKE_CURRENT_LIST_DIR}/containers.cmake)

if(TARGET abut) # not where a sanitizer replaces malloc
  install(TARGETS abut abut_static EXPORT abutTargets COMPONENT native
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT abutTargets NAMESPACE abut:: DESTINATION ${ABUT_PACKAGE_DIR} COMPONENT native)
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/abut.pc.in ${CMAKE_CURRENT_BINARY_DIR}/abut.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/abut.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT native)

# The manual pages, and what lets shells complete, come from what the command line says, so that writing them takes a Python
# with typer. The same pages are part of the wheel, where pip puts them beside the command; while it builds one, it finds its
# packages by PYTHONPATH.
find_program(ABUT_MAN_PYTHON NAMES python python3 HINTS ${PROJECT_SOURCE_DIR}/.venv/bin)
if(SKBUILD AND Python_EXECUTABLE)
  set(ABUT_MAN_PYTHON ${Python_EXECUTABLE})
endif()
set(ABUT_SHARE ${CMAKE_CURRENT_BINARY_DIR}/share)
# What is in a part of that folder, to a destination.
function(abut_install_share component part destination)
  install(CODE "
    file(MAKE_DIRECTORY \"${ABUT_SHARE}/man/man1\")
    execute_process(COMMAND \"${CMAKE_COMMAND}\" -E env PYTHONDONTWRITEBYTECODE=1 \"PYTHONPATH=${PROJECT_SOURCE_DIR}/python:\$ENV{PYTHONPATH}\"
      \"${ABUT_MAN_PYTHON}\" \"${PROJECT_SOURCE_DIR}/tools/man_pages.py\" \"${ABUT_SHARE}/man/man1\" --completions \"${ABUT_SHARE}\"
      RESULT_VARIABLE failed ERROR_QUIET)
    if(failed)
      message(STATUS \"no manual pages: ${ABUT_MAN_PYTHON} has no typer\")
    endif()" COMPONENT ${component} ${ARGN})
  install(DIRECTORY ${ABUT_SHARE}/${part} DESTINATION ${destination} COMPONENT ${component} ${ARGN})
endfunction()
abut_install_share(native man/ ${CMAKE_INSTALL_MANDIR})
if(SKBUILD)
  abut_install_share(python "" ${SKBUILD_DATA_DIR}/share EXCLUDE_FROM_ALL)
endif()
