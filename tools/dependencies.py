"""Lists what an installed abut depends on, with versions and licences, as Markdown.

    python tools/dependencies.py

Versions are those of this machine: of Python's packages those in the environment that runs this, of
libraries those of the Debian packages that the built files link to. It needs `make` to have built
build/release.
"""

import re
import subprocess
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile

ROOT = Path(__file__).resolve().parents[1]
BUILT = ("lib/libabut.so", "bin/abut-collect")
CHARTS = ROOT / "python/abut/reporters/page/chart.umd.min.js"
# What no file is linked with: looked for when a program starts, or compiled in.
OTHERS = {
    "libzydis4.0": "the heap, where it is there",
    "libxxhash-dev": "the heap, compiled in",
    "robin-map-dev": "the simulators, compiled in",
}


def python_packages() -> Iterator[tuple[str, str, str, str]]:
    """Name, version, licence and user of each package that the command line needs."""
    for requirement in metadata.requires("abut") or []:
        if "extra ==" in requirement:
            continue
        name = re.split(r"[^\w.-]", requirement)[0]
        yield name, metadata.version(name), _licence(metadata.metadata(name)), "the command line"
    yield "nanobind", metadata.version("nanobind"), "BSD-3-Clause", "the command line, compiled in"
    about = re.search(r"Chart\.js v(\S+).*? the (\w+) License", CHARTS.read_text(), re.DOTALL)
    assert about, f"{CHARTS} does not say what it is"
    yield "Chart.js", about[1], about[2], "pages of reports, embedded"


def _licence(about: metadata.PackageMetadata) -> str:
    if "License-Expression" in about:
        return about["License-Expression"]
    named = [c.rpartition(" :: ")[2] for c in about.get_all("Classifier") or [] if "License" in c]
    return ", ".join(named) or "see its metadata"


def libraries() -> Iterator[tuple[str, str, str, str]]:
    """The same of each Debian package with a library."""
    users = dict(OTHERS)
    for built in BUILT:
        for needed in _needed(ROOT / "build/release" / built):
            users.setdefault(_package_of(needed), Path(built).name)
    for package, user in sorted(users.items()):
        version = _said("dpkg-query", "-W", "-f", "${Version}", package)
        text = Path("/usr/share/doc", package, "copyright").read_text(errors="replace")
        named = dict.fromkeys(re.findall(r"^License: *(\S.*)", text, re.MULTILINE))
        yield package, version, ", ".join(named) or "see its copyright file", user


def _needed(path: Path) -> list[str]:
    with path.open("rb") as file:
        section = ELFFile(file).get_section_by_name(".dynamic")
        assert isinstance(section, DynamicSection)
        return [str(vars(tag)["needed"]) for tag in section.iter_tags("DT_NEEDED")]


def _package_of(library: str) -> str:
    found = _said("dpkg-query", "-S", f"*/{library}").splitlines()[0]
    return found.partition(":")[0]


def _said(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main() -> None:
    """Print the table."""
    print("# What abut depends on\n")
    print("| package | version | licence | used by |\n|---|---|---|---|")
    for row in (*libraries(), *python_packages()):
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
