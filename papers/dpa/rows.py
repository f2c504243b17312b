"""Dynamic pool allocation: the variants, and what was measured of each program."""

from collections.abc import Mapping
from dataclasses import dataclass, field

# The geometric mean that the authors report, as a ratio of time; section 5.
THEIR_DPA = 1 / 1.121

_PLAIN = "abut+place=off"
_DPA = "abut+place=pools:linked"
PLAIN, DPA, CALL_SITE = "plain", "DPA", "call site"
FORWARDED, PADDED, PATCHED = "forwarded", "padded", "patched"
BORN, OURS, GLIBC = "born together", "ours", "glibc"
SIMULATED = GLIBC, DPA, BORN  # beside the plain heap
# What figures 6 to 10 set, and the variant that stands for each value: the paper's own is DPA.
CHAINS = {one: f"chain {one}" for one in ("1", "2", "3", "4", "full")} | {"adaptive": DPA}
MERGES = {"none": "merge none", "linked": DPA, "born": BORN}
OBJECTS = {one: f"{one} objects" for one in ("1", "10", "100", "1000", "10000")} | {"100": DPA}
BYTES = {one: f"{one} bytes" for one in ("32", "64", "128", "256")} | {"128": DPA}


def variants() -> dict[str, str]:
    """Every variant that programs run under: its name, and the heap that stands for it."""
    found = {
        PLAIN: _PLAIN,
        DPA: _DPA,
        GLIBC: "glibc",
        BORN: "abut+place=pools",
        OURS: "abut+place=auto:pools",
        FORWARDED: "dpa-forwarded",
        PADDED: "dpa-padded",
        PATCHED: "dpa-patched",
        CALL_SITE: "abut+place=pools:apart+chain=1",
        "merge none": "abut+place=pools:apart",
    }
    set_by = {"chain": CHAINS, "group_objects": OBJECTS, "group_bytes": BYTES}
    for option, values in set_by.items():
        found |= {name: f"{_DPA}+{option}={value}" for value, name in values.items() if name != DPA}
    return found


@dataclass(frozen=True, slots=True)
class Groups:
    """What the library says of a run: groups, those with a pool, pools, and the pools' use.

    `merged_objects` of `pooled_objects` were allocated in groups that share a pool with others.
    `looked_up`: how often all requests together look into the compound table, a step of the call
    chain each time. `by_code`: the share of requests whose group the call site names (section 4).
    """

    groups: int = 0
    pooled: int = 0
    pools: int = 0
    objects: int = 0
    pooled_objects: int = 0
    merged_objects: int = 0
    looked_up: int = 0
    by_code: float = 0

    @property
    def look_ups(self) -> float:
        """In the compound table, for a request."""
        return self.looked_up / max(1, self.objects)

    @property
    def hits(self) -> float:
        """The share of requests whose call chain is known already: all but a group's first."""
        return 1 - self.groups / max(1, self.objects)

    @property
    def merged_share(self) -> float:
        """Of the objects in pools, those whose pool serves several groups."""
        return self.merged_objects / max(1, self.pooled_objects)


@dataclass(frozen=True, slots=True)
class ProgramRow:
    """One program: seconds and resident bytes by variant, groups by chain and merging; misses by
    variant, and by the caches' name and the level's, such as `modern L2`.
    """

    name: str
    seconds: Mapping[str, float]
    resident: Mapping[str, float]
    groups: Mapping[str, Groups]
    misses: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    pair_seconds: Mapping[str, float] = field(default_factory=dict)

    def time(self, variant: str) -> float:
        """As a ratio to the plain heap's."""
        return self.seconds[variant] / self.seconds[PLAIN]

    def gains(self) -> tuple[float, float, float]:
        """Figure 14: what faster requests, layout and a smaller working set save, as shares of
        glibc's time. Where pools have headers, as glibc's blocks do, the last is missing. What
        requests save is estimated, as there, by as many of them without accesses.
        """
        whole = self.seconds[GLIBC]
        pair = self.pair_seconds[GLIBC] - self.pair_seconds[DPA]
        requests = pair * self.groups[DPA].pooled_objects / whole
        with_headers = (whole - self.seconds[PADDED]) / whole
        return requests, with_headers - requests, (self.seconds[PADDED] - self.seconds[DPA]) / whole

    def memory(self, variant: str) -> float:
        """The same of the largest resident size."""
        return self.resident[variant] / self.resident[PLAIN]
