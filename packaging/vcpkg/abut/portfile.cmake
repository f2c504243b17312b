# The containers from a tarball beside the source tree: ABUT_TARBALL names it.
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "$ENV{ABUT_TARBALL}")
file(INSTALL "${SOURCE_PATH}/include/abut" DESTINATION "${CURRENT_PACKAGES_DIR}/include")
file(WRITE "${CURRENT_PACKAGES_DIR}/share/abut/abutConfig.cmake" [[
if(NOT TARGET abut::containers)
  add_library(abut::containers INTERFACE IMPORTED)
  target_include_directories(abut::containers INTERFACE "${CMAKE_CURRENT_LIST_DIR}/../../include")
  target_compile_features(abut::containers INTERFACE cxx_std_20)
endif()
set(abut_containers_FOUND TRUE)
]])
include(CMakePackageConfigHelpers)
write_basic_package_version_file("${CURRENT_PACKAGES_DIR}/share/abut/abutConfigVersion.cmake"
  VERSION "${VERSION}" COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
