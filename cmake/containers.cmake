# The headers that need nothing linked: targets, and what `cmake --install` gives of them. The component `containers` is these
# alone; they are part of the component `native`, too.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(ABUT_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/abut)
foreach(name headers containers)
  add_library(abut_${name} INTERFACE)
  add_library(abut::${name} ALIAS abut_${name}) # for a project that includes this tree
  set_target_properties(abut_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(abut_${name} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
endforeach()
target_compile_features(abut_headers INTERFACE cxx_std_17)
target_compile_features(abut_containers INTERFACE cxx_std_20)
install(TARGETS abut_headers abut_containers EXPORT abutHeaderTargets
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# From the file's own folder to the prefix, so that what was installed may be moved.
file(RELATIVE_PATH ABUT_PREFIX_FROM_PKGCONFIG /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(${CMAKE_CURRENT_LIST_DIR}/abut-containers.pc.in ${CMAKE_CURRENT_BINARY_DIR}/abut-containers.pc @ONLY)
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/abutConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/abutConfig.cmake
  INSTALL_DESTINATION ${ABUT_PACKAGE_DIR})
write_basic_package_version_file(
  ${CMAKE_CURRENT_BINARY_DIR}/abutConfigVersion.cmake COMPATIBILITY SameMinorVersion)
foreach(component native containers)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/abut
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT ${component})
  install(EXPORT abutHeaderTargets NAMESPACE abut:: DESTINATION ${ABUT_PACKAGE_DIR} COMPONENT ${component})
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/abutConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/abutConfigVersion.cmake
    DESTINATION ${ABUT_PACKAGE_DIR} COMPONENT ${component})
  install(FILES ${PROJECT_SOURCE_DIR}/packaging/debuggers/abut_gdb.py ${PROJECT_SOURCE_DIR}/packaging/debuggers/abut.natvis
    DESTINATION ${CMAKE_INSTALL_DATADIR}/abut COMPONENT ${component})
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/abut-containers.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${component})
endforeach()
