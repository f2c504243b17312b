"""Sources of Debian's packages, as the system's own package lists name them."""

import re
import subprocess
from pathlib import Path

_APT = Path("/etc/apt")


def fetched(package: str, folder: Path) -> Path:
    """The folder of a package's source below `folder`, patched as Debian does; fetched once. The
    system's settings stay as they are.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if not (found := _unpacked(package, folder)):
        settings = f"APT_CONFIG={_settings(folder)}"
        for words in (["update"], ["source", "--only-source", package]):
            command = ["env", settings, "apt-get", "-qq", *words]
            subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        found = _unpacked(package, folder)
    return found[0]


def _unpacked(package: str, folder: Path) -> list[Path]:
    return [one for one in folder.glob(f"{package}-*") if one.is_dir()]


def _settings(folder: Path) -> Path:
    """Settings of apt with the system's lists, of sources in place of binaries."""
    apt = folder.resolve() / "apt"
    for name in ("parts", "lists/partial", "cache/archives/partial"):
        (apt / name).mkdir(parents=True, exist_ok=True)
    for file in [_APT / "sources.list", *(_APT / "sources.list.d").glob("debian.*")]:
        if file.is_file():
            text = re.sub(r"^(Types: )?deb\b", r"\1deb-src", file.read_text(), flags=re.MULTILINE)
            (apt / "parts" / file.name).write_text(text)
    settings = apt / "apt.conf"
    settings.write_text(
        f'Dir::State::lists "{apt}/lists"; Dir::Cache "{apt}/cache";\n'
        f'Dir::Etc::sourcelist "/dev/null"; Dir::Etc::sourceparts "{apt}/parts";\n'
        'APT::Sandbox::User "root";\n'
    )
    return settings
