"""Sources of Debian's packages, fetched with a configuration of apt's that is ours alone."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from .children import BUILD
from .model import NotRunError

_APT = BUILD / "apt"
_SOURCES = BUILD / "sources"
_MINUTES = 20 * 60


def source_of(package: str) -> tuple[Path, str]:
    """The unpacked source of an installed package, and its version, fetched if it is not there.

    When the archives do not have the version that is installed, the newest that they have is taken.
    """
    source, installed = _source_version(package)
    for version in (installed, _kept(source)):
        folder = _SOURCES / f"{source}_{version}"
        if (folder / "complete").exists():
            return folder / "tree", version
    _configure()
    known = _versions(source)
    if not known:
        raise NotRunError(f"apt has no source of {source}")
    problem = NotRunError("")
    for version in _preferred(known, installed):
        try:
            return _fetch(source, version), version
        except NotRunError as reason:
            problem = reason
    raise problem


def folders_of(source: str, folders: Sequence[str]) -> Path:
    """Some folders of a source's newest version: for sources that are large."""
    kept = sorted(_SOURCES.glob(f"{source}_*/folders"))
    if kept and kept[-1].read_text() == "\n".join(folders):
        return kept[-1].with_name("tree")
    _configure()
    known = _versions(source)
    if not known:
        raise NotRunError(f"apt has no source of {source}")
    version = known[-1]
    folder = _SOURCES / f"{source}_{version}"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "tree").mkdir(parents=True)
    wanted = f"{source}={version}"
    _output([*_apt("apt-get"), "-qq", "source", "--only-source", "--tar-only", wanted], folder)
    (archive,) = folder.glob("*.orig.tar.*")
    patterns = [f"*/{name}/*" for name in folders]
    options = ["--extract", "--wildcards", "--strip-components=1", "--directory=tree"]
    _output(["tar", *options, f"--file={archive.name}", *patterns], folder)
    archive.unlink()
    (folder / "folders").write_text("\n".join(folders))
    return folder / "tree"


def _preferred(known: Sequence[str], installed: str) -> list[str]:
    """The version that is installed first, if it is known, then the newest."""
    newest_first = list(reversed(known))
    return sorted(newest_first, key=lambda version: version != installed)


def _source_version(package: str) -> tuple[str, str]:
    form = "${source:Package} ${source:Version}"
    printed = _output(["dpkg-query", "--show", f"--showformat={form}", package])
    source, _, version = printed.partition(" ")
    return source, version


def _kept(source: str) -> str:
    """The version of a source that is here already, if any."""
    folders = sorted(_SOURCES.glob(f"{source}_*/complete"))
    return folders[-1].parent.name.partition("_")[2] if folders else ""


def _configure() -> None:
    """Names, as sources, the archives of this system's own distribution that apt knows of."""
    lists = _APT / "lists" / "partial"
    lists.mkdir(parents=True, exist_ok=True)
    (_APT / "cache" / "archives" / "partial").mkdir(parents=True, exist_ok=True)
    (_APT / "parts").mkdir(exist_ok=True)
    form = "$(ORIGIN) $(REPO_URI) $(RELEASE) $(COMPONENT)"
    printed = _output(["apt-get", "indextargets", "--format", form, "Created-By: Packages"])
    lines = set()
    for line in printed.splitlines():
        origin, _, rest = line.partition(" ")
        if origin in {"Debian", "Ubuntu"}:
            lines.add(f"deb-src {rest}\n")
    if not lines:
        raise NotRunError("apt knows of no archive; run apt-get update first")
    (_APT / "sources.list").write_text("".join(sorted(lines)))
    _output([*_apt("apt-get"), "-qq", "update"])


def _apt(command: str) -> list[str]:
    options = {
        "Dir::Etc::SourceList": _APT / "sources.list",
        "Dir::Etc::SourceParts": _APT / "parts",
        "Dir::State::Lists": _APT / "lists",
        "Dir::Cache": _APT / "cache",
        "APT::Sandbox::User": os.environ.get("USER", "root"),
    }
    return [command, *(f"-o{name}={value}" for name, value in options.items())]


def _versions(source: str) -> list[str]:
    """The versions of a source that the archives have, the newest last."""
    printed = _output([*_apt("apt-cache"), "showsrc", "--only-source", source])
    known = [line.split()[1] for line in printed.splitlines() if line.startswith("Version: ")]
    ordered: list[str] = []
    for version in known:
        at = sum(1 for other in ordered if _is_newer(version, other))
        ordered.insert(at, version)
    return ordered


def _is_newer(version: str, other: str) -> bool:
    compared = subprocess.run(["dpkg", "--compare-versions", version, "gt", other], check=False)
    return compared.returncode == 0


def _fetch(source: str, version: str) -> Path:
    folder = _SOURCES / f"{source}_{version}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    wanted = f"{source}={version}"
    _output([*_apt("apt-get"), "-qq", "source", "--only-source", "--download-only", wanted], folder)
    (description,) = folder.glob("*.dsc")
    _output(["dpkg-source", "--extract", str(description), "tree"], folder)
    (folder / "complete").touch()
    return folder / "tree"


def _output(argv: Sequence[str], folder: Path | None = None) -> str:
    if shutil.which(argv[0]) is None:
        raise NotRunError(f"{argv[0]} is not installed")
    done = subprocess.run(
        argv, cwd=folder, capture_output=True, text=True, timeout=_MINUTES, check=False
    )
    if done.returncode != 0:
        words = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise NotRunError(f"{argv[0]} failed: {words}")
    return done.stdout
