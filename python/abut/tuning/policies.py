"""The policies that tuning races: settings of the whole heap, declared in policies.toml."""

import tomllib
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from pathlib import Path

_FILE = Path(__file__).with_name("policies.toml")


@dataclass(frozen=True, slots=True)
class Policy:
    """Settings of the heap, by option; `why` is which programs they may pay for."""

    name: str
    settings: Mapping[str, str] = field(default_factory=dict)
    why: str = ""

    def beside(self, other: "Policy") -> "Policy":
        """The settings of both."""
        if not self.settings:
            return other
        settings = {**self.settings, **other.settings}
        return Policy(f"{self.name}+{other.name}", settings, other.why)


DEFAULT = Policy("default")


def declared_axes(figures: Container[str]) -> dict[str, list[Policy]]:
    """By axis, what is raced for these figures, in the order of the file."""
    return {
        axis: [
            Policy(name, one["settings"], one["why"])
            for name, one in policies.items()
            if "figure" not in one or one["figure"] in figures
        ]
        for axis, policies in tomllib.loads(_FILE.read_text()).items()
    }
