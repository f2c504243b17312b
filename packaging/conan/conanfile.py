"""The containers as a package of Conan 2: `conan create packaging/conan`, from the source tree."""

from pathlib import Path

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy


class AbutContainers(ConanFile):
    """Headers from the source tree that the recipe lies in."""

    name = "abut-containers"
    version = "0.2.0"
    license = "MIT"
    description = "Containers whose nodes are cache lines, and layouts for linked structures"
    package_type = "header-library"
    settings = "compiler"
    no_copy_source = True

    def validate(self) -> None:
        """The headers say nothing to an older standard."""
        check_min_cppstd(self, 20)

    def package_id(self) -> None:
        """The same for all compilers."""
        self.info.clear()

    def export_sources(self) -> None:
        """Take the headers and the licence from the tree that the recipe lies in."""
        root = Path(self.recipe_folder).parents[1]
        copy(self, "abut/*", root / "include", Path(self.export_sources_folder) / "include")
        copy(self, "LICENSE", root, self.export_sources_folder)

    def package(self) -> None:
        """Headers are all there is."""
        copy(
            self,
            "abut/*",
            Path(self.source_folder) / "include",
            Path(self.package_folder) / "include",
        )
        copy(self, "LICENSE", self.source_folder, Path(self.package_folder) / "licenses")

    def package_info(self) -> None:
        """As the CMake package calls it."""
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_file_name", "abut")
        self.cpp_info.set_property("cmake_target_name", "abut::containers")
