"""The experiments on structures whose nodes move: programs, movers, and the thesis's values.

DICT is a search tree in which nodes are looked up, deleted and inserted; MLIST many linked lists;
beside them our containers and others'. The values are figures 3.7, 7.11, 7.16, 7.26 and 7.27 of
Adcock, *Improving cache performance by runtime data movement* (2009).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_MLIST_NODES = 22  # log2 of the nodes of MLIST in the thesis: v is 2^7 .. 2^19 of them
_LONG_LISTS = 11  # up to v of 2^11 hints are sought where the walk came from


@dataclass(frozen=True, slots=True)
class Way:
    """One way to run an experiment: a mover with its parameters, or whose container."""

    name: str
    arguments: tuple[str, ...]
    thesis: float | None = None  # reduction in per cent (DICT) or speedup (MLIST), at m = 2


@dataclass(frozen=True, slots=True)
class Experiment:
    """A program, and all the ways to run it; the first is what the others are compared with."""

    name: str
    about: str
    program: str
    arguments: tuple[str, ...]
    figures: tuple[str, ...]
    ways: tuple[Way, ...]


def experiments(suite: str) -> Iterator[Experiment]:
    """Every experiment at the size of `suite`: quick, daily or full."""
    scale = {"quick": 0, "daily": 2, "full": 4}[suite]
    nodes = 500_000 << scale
    yield _dict(nodes, "node", (55, 35, 41, 39, 32, 25, 20, 30, 37, 43))
    yield _dict(nodes, "fields", (36, 19, 22, 20, 13, 12, 11, 12, 22, 22))
    bits = 20 + scale
    yield _mlist(bits, 7, (11.7, 8.0, 10.6, 10.5, 9.56, 9.72, 7.11, None))
    yield _mlist(bits, 11, (36.1, 15.4, 27.1, 26.9, 21.6, 19.5, 12.8, None))
    yield _mlist(bits, 15, (11.3, 5.6, 8.45, 8.09, 5.16, 5.09, 3.64, None))
    values = 2 * nodes
    elements = ("--elements", str(values))
    yield Experiment(
        "map",
        f"A map of {values:,} keys and values of 8 bytes, after 10 rounds of changes to a tenth",
        "containers",
        ("--what", "map", *elements, "--lookups", "500000"),
        ("lookup_ns", "change_ns", "insert_ns", "walk_ns"),
        tuple(
            Way(name, ("--whose", *arguments.split()))
            for name, arguments in (
                ("std::map", "std"),
                ("absl::btree_map", "absl"),
                ("abut::map", "abut"),
                ("abut::map, huge pages", "abut --huge"),
                ("abut::map, still", "abut-still"),
            )
        ),
    )
    yield Experiment(
        "list",
        f"Lists of 2000, {values:,} values of 8 bytes, after 10 passes of random changes",
        "containers",
        ("--what", "list", *elements),
        ("walk_ns", "change_ns"),
        (Way("std::list", ("--whose", "std")), Way("abut::list", ("--whose", "abut"))),
    )


def _dict(nodes: int, variant: str, thesis: Sequence[float]) -> Experiment:
    period = str(nodes)
    movers = (
        ("upper bound", "upper"),
        ("sites <L; EL>", "sites"),
        ("periodic2space", f"periodic2space --period {period}"),
        ("periodic2space-nested", f"periodic2space-nested --period {period}"),
        ("incremental2space", "incremental2space --rate 1000"),
        ("periodic1space", f"periodic1space --period {period}"),
        ("incremental1space", "incremental1space --rate 1000"),
        ("embedded1space", "embedded1space --rate 30 --threshold 6"),
        ("perfect, BFS", "bfs"),
        ("perfect, fixedHeight", "fixed"),
    )
    return Experiment(
        f"dict-{variant}",
        f"DICT, MOVE{variant.upper()}, {nodes:,} nodes of 16 bytes, lines in pairs, s = 1, m = 2",
        "dict",
        ("--nodes", str(nodes), "--operations", str(4 * nodes), "--variant", variant),
        ("last_ns", "slow_ms", "m"),
        (Way("none", ("--mover", "none")), *_ways(movers, thesis)),
    )


def _mlist(bits: int, lists: int, thesis: Sequence[float | None]) -> Experiment:
    # The lists are as long as the thesis's; where there are fewer nodes, there are fewer lists.
    count = lists - _MLIST_NODES + bits
    length = 2 ** (bits - count)
    operations = 2**bits * 128 // length
    period = operations // 4
    sites = "sites-ahead" if lists > _LONG_LISTS else "sites-back"
    movers = (
        ("upper bound", "upper"),
        ("sites <L; EL>", sites),
        ("periodic2space", f"periodic2space --period {period}"),
        ("incremental2space", f"incremental2space --rate {1000 * 2**bits // period}"),
        ("periodic1space", f"periodic1space --period {period}"),
        ("incremental1space", f"incremental1space --rate {1000 * 2**bits // period}"),
        ("embedded1space", "embedded1space --rate 100"),
        ("perfect, strict", "strict"),
    )
    batch = max(1, 20_000 // length)
    return Experiment(
        f"mlist-{lists}",
        f"MLIST, 2^{bits} nodes of 8 bytes in 2^{count} lists (the thesis's v = 2^{lists})",
        "mlist",
        (
            *("--nodes", str(2**bits), "--lists", str(2**count)),
            *("--operations", str(operations), "--batch", str(batch)),
        ),
        ("last_ns", "slow_ms", "m"),
        (Way("none", ("--mover", "none")), *_ways(movers, thesis)),
    )


def _ways(movers: Sequence[tuple[str, str]], thesis: Sequence[float | None]) -> Iterator[Way]:
    for (name, arguments), value in zip(movers, thesis, strict=True):
        yield Way(name, ("--mover", *arguments.split()), value)
