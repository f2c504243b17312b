"""Feng and Berger's figures 2 to 5: which allocators each compares, by what, and what they found.

Each is of one measure, as a multiple of one allocator's: PHKmalloc's variants of PHKmalloc's, Vam's
of Vam's, all others of Lea's. Their means are those that sections 4.1 to 4.3 state in words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from abut.measure.statistics import Estimate, geometric_mean
from abut_papers.allocators.program_runs import MEASURES, ProgramRuns

_LEA = "lea"
_VARIANTS = {
    "phk": ("phk-sc", "phk-reap", "phk-sc-reap"),
    "vam": ("vam-header", "vam-bitmap"),
}
# By measure and reference: the figure, and the means that the paper states.
_OF_THE_PAPER: dict[tuple[str, str], tuple[str, dict[str, float]]] = {
    ("time", _LEA): ("figure 2", {"vam": 0.92, "xalloc": 0.77}),
    ("L1 misses", _LEA): ("figure 3a", {}),
    ("L2 misses", _LEA): ("figure 3b", {"vam": 0.61}),
    ("L2 misses", "phk"): ("figure 4a", {}),
    ("instructions", "phk"): ("figure 4b", {}),
    ("time", "phk"): ("figure 4c", {"phk-reap": 0.97, "phk-sc-reap": 0.96}),
    ("L2 misses", "vam"): ("figure 5a", {"vam-header": 1.15, "vam-bitmap": 0.98}),
    ("instructions", "vam"): ("figure 5b", {"vam-bitmap": 1.02}),
    ("time", "vam"): ("figure 5c", {"vam-header": 1.03, "vam-bitmap": 1.02}),
}


@dataclass(frozen=True, slots=True)
class Figure:
    """One measure of some heaps, as a multiple of the reference's; `theirs`: means of the paper."""

    what: str
    reference: str
    heaps: Sequence[str]
    place: str = ""
    theirs: Mapping[str, float] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """What it shows, and which figure of the paper that is."""
        place = f" ({self.place})" if self.place else ""
        return f"{self.what}, by {self.reference}'s{place}"

    def ratios(self, programs: Sequence[ProgramRuns], heap: str) -> list[Estimate | None]:
        """A heap's, program by program."""
        return [one.ratio(self.what, heap, self.reference) for one in programs]

    def mean(self, programs: Sequence[ProgramRuns], heap: str) -> Estimate | None:
        """The geometric mean over all programs; None where one is not known."""
        ratios = [one for one in self.ratios(programs, heap) if one is not None]
        return geometric_mean(ratios) if ratios and len(ratios) == len(programs) else None


def reference_of(heaps: Sequence[str]) -> str:
    """The heap that others are divided by: lea, as in the paper, or the first."""
    return _LEA if _LEA in heaps else heaps[0]


def figures(programs: Sequence[ProgramRuns], heaps: Sequence[str]) -> list[Figure]:
    """Those of which something is known, in the paper's order."""
    varied = {base: names for base, names in _VARIANTS.items() if base in heaps}
    variants = {name for names in varied.values() for name in names}
    groups = [(reference_of(heaps), [heap for heap in heaps if heap not in variants])]
    for base, names in varied.items():
        if shown := [name for name in names if name in heaps]:
            groups.append((base, [base, *shown]))
    return [
        Figure(what, base, shown, *_OF_THE_PAPER.get((what, base), ("", {})))
        for base, shown in groups
        for what in MEASURES
        if any(one.ratio(what, base, base) for one in programs)
    ]
