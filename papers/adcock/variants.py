"""Experiments on structures whose nodes move, and the variants that each compares."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

MLIST_NODES = 22  # log2 of the nodes of MLIST in the thesis: v is 2^7 .. 2^19 of them
LONG_LISTS = 11  # up to v of 2^11 hints are sought where the walk came from
UPPER = "upper bound"
MOVER_FIGURES = ("last_ns", "worst_ms", "m")
COURSE = ("first_ns", "last_ns")
PATHS = ("nodes", "lines a node")


@dataclass(frozen=True, slots=True)
class Variant:
    """One variant to run an experiment: a mover with its parameters.

    In a sweep, variants of one name are a line in the picture, and `x` is where each stands on it.
    """

    name: str
    arguments: tuple[str, ...]
    thesis: float | None = None  # reduction in per cent (DICT) or speedup (MLIST), at m = 2
    x: float | None = None

    @property
    def label(self) -> str:
        """The name, distinct from others of the same sweep."""
        return self.name if self.x is None else f"{self.name}, {self.x:g}"


@dataclass(frozen=True, slots=True)
class Row:
    """What one variant took: medians of the runs, by the figure's name."""

    variant: Variant
    figures: dict[str, float]
    course: tuple[float, ...] = ()  # ns an operation, in tenths of the run
    rounds: tuple[float, ...] = ()  # the first figure, by run


@dataclass(frozen=True, slots=True)
class Experiment:
    """A program, and all the variants to run it; the first is what the others are compared with."""

    name: str
    about: str
    program: str
    arguments: tuple[str, ...]
    figures: tuple[str, ...]
    variants: tuple[Variant, ...]
    kind: str = "variants"  # "course": how a layout degrades, "sweep": over a parameter, "paths"
    axis: str = ""  # what a sweep goes over


@dataclass(frozen=True, slots=True)
class Size:
    """How large the structures are, and how long a run takes."""

    nodes: int  # of DICT
    bits: int  # log2 of MLIST's nodes
    passes: int  # of MLIST: how often each node is walked over, in the mean
    rounds: int = 4  # of DICT at s = 1: operations for each node
    sample: int = 80_000  # operations of a tenth of DICT that are timed, where s is less than 1


# The program whose nodes stay where they are.
STILL = Variant("none", ("--mover", "none"))
# Movers of DICT that several experiments compare.
DICT_MOVERS = {
    UPPER: "upper",
    "sites <L; EL>": "sites",
    "incremental1space": "incremental1space --rate 2000",
    "embedded1space": "embedded1space --rate 30 --threshold 6",
    "perfect, BFS": "bfs",
    "perfect, fixedHeight": "fixed",
    "van Emde Boas": "layout-veb",
    "B-tree": "btree",
}


def dict_movers(*names: str) -> Iterator[Variant]:
    """Those of these names."""
    return variants_of({name: DICT_MOVERS[name] for name in names})


def operations_option(size: Size, share: str) -> tuple[str, ...]:
    """So many that a layout degrades: the fewer changes, the more. Of those, a sample is timed."""
    if share == "1":
        return ("--operations", str(size.nodes * size.rounds))
    operations = size.nodes * {"0.1": 10, "0.01": 60}[share]
    return ("--operations", str(operations), "--sample", str(size.sample))


def dict_arguments(size: Size, variant: str, share: str) -> tuple[str, ...]:
    """What all variants of DICT have in common."""
    return (
        *("--nodes", str(size.nodes), "--variant", variant, "--batch", "500"),
        *("--changes", str(round(1000 * float(share)))),  # the thesis's s
        *operations_option(size, share),
    )


def mlist_arguments(size: Size, lists: int, times: int = 1) -> tuple[str, ...]:
    """Lists as long as the thesis's: where there are other nodes, there are other lists. A run is
    so many times as long as usual.

    Walks over long lists whose nodes lie anywhere take too long to let their layout degrade: where
    nodes stay, a sample of the operations is walked for, and changes alone are made of the others.
    """
    count = size.bits + lists - MLIST_NODES
    length = 2 ** (MLIST_NODES - lists)
    common = ("--nodes", str(2**size.bits), "--lists", str(2**count))
    batch = ("--batch", str(max(1, 40_000 // max(length, 40))))
    if lists <= LONG_LISTS:
        changed = {7: 32, 11: 4}[lists]  # a node of so many, in the end
        operations = ("--operations", str(times * 2**size.bits // changed))
        return (*common, *operations, "--sample", str(2**24 // length), *batch)
    made = min(2**size.bits * size.passes // length, 2 ** (size.bits + 1)) * times
    return (*common, "--operations", str(max(made, 2000)), *batch)


def variants_of(
    movers: Mapping[str, str], thesis: Mapping[str, float] | None = None
) -> Iterator[Variant]:
    """Variants of movers by name and arguments, with the thesis's values where it has some."""
    for name, arguments in movers.items():
        yield Variant(name, ("--mover", *arguments.split()), (thesis or {}).get(name))


_FIGURES = {"variants": MOVER_FIGURES, "course": COURSE}


def on_dict(
    name: str,
    about: str,
    size: Size,
    node: str,
    variants: Iterable[Variant],
    *more: str,
    share: str = "1",
    kind: str = "variants",
) -> Experiment:
    """An experiment on trees whose deletions move a node, or its fields alone."""
    about = f"DICT, MOVE{node.upper()}, {size.nodes:,} nodes: {about}"
    arguments = (*dict_arguments(size, node, share), *more)
    return Experiment(name, about, "dict", arguments, _FIGURES[kind], tuple(variants), kind)


def on_mlist(
    name: str,
    about: str,
    size: Size,
    lists: int,
    variants: Iterable[Variant],
    *more: str,
    times: int = 1,
    kind: str = "variants",
) -> Experiment:
    """An experiment on lists as long as the thesis's where there are 2^`lists` of them."""
    length = 2 ** (MLIST_NODES - lists)
    about = f"MLIST, lists of {length} (the thesis's v = 2^{lists}): {about}"
    arguments = (*mlist_arguments(size, lists, times), *more)
    return Experiment(name, about, "mlist", arguments, _FIGURES[kind], tuple(variants), kind)


def swept(experiment: Experiment, axis: str, points: Mapping[tuple[str, float], str]) -> Experiment:
    """The same over a parameter: movers by name, and where each stands on the axis."""
    ends = (STILL, *variants_of({UPPER: "upper"}))
    variants = (
        Variant(name, ("--mover", *text.split()), x=x) for (name, x), text in points.items()
    )
    return replace(experiment, variants=(*ends, *variants), kind="sweep", axis=axis)
