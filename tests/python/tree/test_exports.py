"""What libabut.so shows of itself: the malloc API, and what its header declares. Nothing else."""

import re
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from abut.library import library_path

ROOT = Path(__file__).resolve().parents[3]

MALLOC = set(
    """
    malloc calloc realloc reallocarray free free_sized free_aligned_sized
    aligned_alloc memalign posix_memalign valloc pvalloc
    malloc_usable_size malloc_trim malloc_stats malloc_info mallinfo mallinfo2 mallopt
    mallocx rallocx xallocx sallocx dallocx sdallocx nallocx
""".split()
)
# Calls that the library stands in for, and hands on.
HANDED_ON = {"dlopen", "dlmopen", "pthread_key_create"}
KINDS = ("", "RKSt9nothrow_t", "St11align_val_t", "St11align_val_tRKSt9nothrow_t")
NEW = {f"_Zn{kind}m{rest}" for kind in "wa" for rest in KINDS}
DELETE = {f"_Zd{kind}Pv{rest}" for kind in "la" for rest in (*KINDS, "m", "mSt11align_val_t")}


def exported(library: Path) -> set[str]:
    with library.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".dynsym")
        assert isinstance(table, SymbolTableSection)
        return {s.name for s in table.iter_symbols() if s.name and s["st_shndx"] != "SHN_UNDEF"}


def test_the_library_exports_what_its_header_declares_and_malloc() -> None:
    header = (ROOT / "include/abut/abut.h").read_text()
    declared = set(re.findall(r"\b(abut_\w+)\(", re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)))
    assert "abut_malloc_near" in declared
    assert exported(library_path()) == MALLOC | HANDED_ON | NEW | DELETE | declared


def test_no_library_shows_the_cpp_librarys_templates() -> None:
    libraries = sorted(library_path().parent.glob("libabut*.so"))
    assert len(libraries) > 1
    for library in libraries:
        shown = [name for name in exported(library) if re.match(r"_ZZ?NK?St|_ZZ?St", name)]
        assert not shown, (library, shown)
