"""The experiments on structures whose nodes move: programs, movers, and the thesis's values.

DICT is a search tree in which nodes are looked up, deleted and inserted; MLIST many linked lists;
beside them our containers and others'. The values are those of figures 3.7, 3.9, 7.3, 7.11, 7.16,
7.26, 7.27 and the tables of 7.1 in Adcock, *Improving cache performance by runtime data movement*
(2009).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

_MLIST_NODES = 22  # log2 of the nodes of MLIST in the thesis: v is 2^7 .. 2^19 of them
_LISTS = (7, 11, 15, 19, 21)
_LONG_LISTS = 11  # up to v of 2^11 hints are sought where the walk came from
# Bytes of a block of MLIST: large for long lists, at most as long as the list for short ones.
_BLOCKS = {7: 4096, 11: 4096, 15: 512, 19: 64, 21: 64}
_SHARES = ("1", "0.1", "0.01")  # s: of the look-ups, how many are followed by a change
_MEMORY = (105, 110, 120, 150, 200)  # m, in hundredths
UPPER = "upper bound"
# The caches that look-ups are simulated in: what was large in the thesis's days, and what is today.
PRESETS = ("pentium4", "zen5")
MISSES = tuple(f"{preset} {part}" for preset in PRESETS for part in ("lines", "pages"))


@dataclass(frozen=True, slots=True)
class Way:
    """One way to run an experiment: a mover with its parameters, or whose container.

    In a sweep, ways of one name are a line in the picture, and `x` is where each stands on it.
    """

    name: str
    arguments: tuple[str, ...]
    thesis: float | None = None  # reduction in per cent (DICT) or speedup (MLIST), at m = 2
    x: float | None = None
    stops: bool = False  # a pass stops the program: whoever minds pauses cannot use it

    @property
    def label(self) -> str:
        """The name, told apart from others of the same sweep."""
        return self.name if self.x is None else f"{self.name}, {self.x:g}"


@dataclass(frozen=True, slots=True)
class Experiment:
    """A program, and all the ways to run it; the first is what the others are compared with."""

    name: str
    about: str
    program: str
    arguments: tuple[str, ...]
    figures: tuple[str, ...]
    ways: tuple[Way, ...]
    kind: str = "ways"  # "course": how a layout degrades, "sweep": over a parameter, "misses"
    axis: str = ""  # what a sweep goes over


@dataclass(frozen=True, slots=True)
class _Size:
    """How large the structures are, and how long a run takes."""

    nodes: int  # of DICT
    bits: int  # log2 of MLIST's nodes
    passes: int  # of MLIST: how often each node is walked over, in the mean


_SIZES = {"quick": _Size(500_000, 20, 128), "daily": _Size(2_000_000, 22, 128)}
_SIZES["full"] = _Size(4_000_000, 23, 256)
_SIZES["tiny"] = _Size(20_000, 16, 8)  # to see that all of it runs: what it takes says nothing
SIZES = tuple(_SIZES)
_MOVERS = ("last_ns", "worst_ms", "m")


def experiments(suite: str) -> Iterator[Experiment]:
    """Every experiment at the size of `suite`, one of SIZES."""
    size = _SIZES[suite]
    yield from _degradation(size)
    for variant in ("node", "fields"):
        for share in _SHARES:
            yield _dict(size, variant, share)
    for lists in _LISTS:
        yield _mlist(size, lists)
    yield from _sites(size)
    yield from _sweeps(size)
    yield from _misses(size)
    yield from _containers(size)


def _degradation(size: _Size) -> Iterator[Experiment]:
    """Figures 3.1, 3.2 and 3.7: programs whose nodes stay, and the bounds on what can be won."""
    for variant in ("node", "fields"):
        ways = tuple(
            Way(
                f"{what}, s = {share}",
                (*_changes(share), *_operations(size, share), "--mover", mover),
            )
            for share in _SHARES
            for what, mover in (("degrades", "none"), (UPPER, "upper"))
        )
        yield Experiment(
            f"degradation-dict-{variant}",
            f"DICT, MOVE{variant.upper()}, {size.nodes:,} nodes: how its layout degrades",
            "dict",
            ("--nodes", str(size.nodes), "--variant", variant, "--huge"),
            ("first_ns", "last_ns"),
            ways,
            kind="course",
        )
    ways = tuple(
        Way(f"{what}, v = 2^{lists}", (*_mlist_arguments(size, lists), "--mover", mover))
        for lists in _LISTS
        for what, mover in (("degrades", "none"), (UPPER, "upper"))
    )
    yield Experiment(
        "degradation-mlist",
        f"MLIST, 2^{size.bits} nodes: how its layout degrades",
        "mlist",
        ("--huge",),
        ("first_ns", "last_ns"),
        ways,
        kind="course",
    )


# ---- DICT ----

_DICT_THESIS: Mapping[tuple[str, str], Mapping[str, float]] = {
    ("node", "1"): {
        UPPER: 55,
        "sites <L; EL>": 35,
        "periodic2space": 41,
        "periodic2space-nested": 39,
        "incremental2space": 32,
        "periodic1space": 25,
        "incremental1space": 20,
        "embedded1space": 30,
        "perfect, BFS": 37,
        "perfect, fixedHeight": 43,
        "B-tree": 39,
    },
    ("node", "0.1"): {UPPER: 57, "perfect, BFS": 49, "perfect, fixedHeight": 49, "B-tree": 53},
    ("node", "0.01"): {UPPER: 48, "perfect, BFS": 41, "perfect, fixedHeight": 38, "B-tree": 42},
    ("fields", "1"): {
        UPPER: 36,
        "sites <L; EL>": 19,
        "periodic2space": 22,
        "periodic2space-nested": 20,
        "incremental2space": 13,
        "periodic1space": 12,
        "incremental1space": 11,
        "embedded1space": 12,
        "perfect, BFS": 22,
        "perfect, fixedHeight": 22,
        "B-tree": 9,
    },
    ("fields", "0.1"): {UPPER: 23, "perfect, BFS": 14, "perfect, fixedHeight": 13, "B-tree": 16},
    ("fields", "0.01"): {UPPER: 8, "B-tree": 0},
}


def _changes(share: str) -> tuple[str, str]:
    return ("--changes", str(round(1000 * float(share))))


def _operations(size: _Size, share: str) -> tuple[str, str]:
    """So many that a layout degrades: the fewer changes, the more."""
    return ("--operations", str(round(size.nodes * {"1": 4, "0.1": 12, "0.01": 16}[share])))


def _dict(size: _Size, variant: str, share: str) -> Experiment:
    thesis = _DICT_THESIS[variant, share]
    period = str(round(size.nodes / 4 / float(share)))
    rate = str(max(1, round(2000 * float(share))))
    movers = (
        (UPPER, "upper"),
        ("sites <L; EL>", "sites"),
        ("periodic2space", f"periodic2space --period {period}"),
        ("periodic2space-nested", f"periodic2space-nested --period {period}"),
        ("incremental2space", f"incremental2space --rate {rate}"),
        ("periodic1space", f"periodic1space --period {period}"),
        ("incremental1space", f"incremental1space --rate {rate}"),
        ("embedded1space", "embedded1space --rate 30 --threshold 6"),
        ("perfect, BFS", "bfs"),
        ("perfect, fixedHeight", "fixed"),
        ("B-tree", "btree"),
    )
    return Experiment(
        f"dict-{variant}-{share}",
        f"DICT, MOVE{variant.upper()}, {size.nodes:,} nodes, lines in pairs, s = {share}, m = 2",
        "dict",
        _dict_arguments(size, variant, share),
        _MOVERS,
        (Way("none", ("--mover", "none")), *_ways(movers, thesis)),
    )


def _dict_arguments(size: _Size, variant: str, share: str) -> tuple[str, ...]:
    return (
        *("--nodes", str(size.nodes), "--variant", variant, "--batch", "500", "--huge"),
        *_changes(share),
        *_operations(size, share),
    )


# ---- MLIST ----

_MLIST_KEYS = ("b", "s", "p2", "i2", "p1", "i1", "e")
_MLIST_VALUES = {
    7: (11.7, 8, 10.6, 10.5, 9.56, 9.72, 7.11),
    11: (36.1, 15.4, 27.1, 26.9, 21.6, 19.5, 12.8),
    15: (11.3, 5.6, 8.45, 8.09, 5.16, 5.68, 4.61),
    19: (2.14, 1.35, 1.60, 1.48, 1.24, 1.23, 1.24),
}
_MLIST_THESIS: Mapping[int, Mapping[str, float]] = {
    lists: dict(zip(_MLIST_KEYS, values, strict=True)) for lists, values in _MLIST_VALUES.items()
}


def _mlist(size: _Size, lists: int) -> Experiment:
    arguments = _mlist_arguments(size, lists)
    operations = int(arguments[arguments.index("--operations") + 1])
    period = max(1, operations // 32)
    rate = max(1000, 1000 * 2**size.bits // period)
    block = _BLOCKS[lists]
    movers = (
        (UPPER, "upper", "b"),
        ("sites <L; EL>", "sites-next" if lists > _LONG_LISTS else "sites-last", "s"),
        ("periodic2space", f"periodic2space --period {period}", "p2"),
        ("incremental2space", f"incremental2space --rate {rate}", "i2"),
        ("periodic1space", f"periodic1space --period {period}", "p1"),
        ("incremental1space", f"incremental1space --rate {rate}", "i1"),
        ("embedded1space", "embedded1space --rate 100", "e"),
        ("perfect, in order", f"blocks --block {block}", ""),
        ("perfect, gaps", f"gaps --block {max(block, 256)}", ""),
        ("half-full lists", f"half-full --block {max(block, 256)}", ""),
        ("VCL lists", f"vcl --block {max(block, 256)}", ""),
    )
    thesis = _MLIST_THESIS.get(lists, {})
    return Experiment(
        f"mlist-{lists}",
        f"MLIST, 2^{size.bits} nodes of 8 bytes, lists of {2 ** (_MLIST_NODES - lists)}"
        f" (the thesis's v = 2^{lists})",
        "mlist",
        (*arguments, "--huge"),
        _MOVERS,
        (
            Way("none", ("--mover", "none")),
            *_ways(
                [(name, text) for name, text, _ in movers],
                {name: thesis[key] for name, _, key in movers if key in thesis},
            ),
        ),
    )


def _mlist_arguments(size: _Size, lists: int) -> tuple[str, ...]:
    """Lists as long as the thesis's: where there are other nodes, there are other lists."""
    count = size.bits + lists - _MLIST_NODES
    length = 2 ** (_MLIST_NODES - lists)
    operations = min(2**size.bits * size.passes // length, 2 ** (size.bits + 1))
    return (
        *("--nodes", str(2**size.bits), "--lists", str(2**count)),
        *("--operations", str(max(operations, 2000)), "--batch", str(max(1, 40_000 // length))),
    )


def _ways(movers: Sequence[tuple[str, str]], thesis: Mapping[str, float]) -> Iterator[Way]:
    for name, arguments in movers:
        yield Way(
            name,
            ("--mover", *arguments.split()),
            thesis.get(name),
            stops=name.startswith("periodic"),
        )


# ---- strategies, memory, rates, blocks ----


def _sites(size: _Size) -> Iterator[Experiment]:
    """Figures 7.16 to 7.24: which sites and which coallocators, at m = 1.1."""
    node: dict[str, float] = {
        "M": 16,
        "I": 6,
        "C": 1,
        "MI": 24,
        "MI-ccmalloc": 20,
        "MI-pages": 7,
        "MI-first": 14,
    }
    fields: dict[str, float] = {
        "I": 5,
        "C": 5,
        "IC": 13,
        "IC-ccmalloc": 7,
        "IC-pages": -13,
        "IC-first": 7,
    }
    for variant, values in (("node", node), ("fields", fields)):
        yield Experiment(
            f"sites-dict-{variant}",
            f"DICT, MOVE{variant.upper()}, {size.nodes:,} nodes: sites I(nsert), M(ove), C(ut)"
            ", m = 1.1",
            "dict",
            (*_dict_arguments(size, variant, "1"), "--percent", "110"),
            _MOVERS,
            (
                Way("none", ("--mover", "none")),
                *(
                    Way(f"sites {name}", ("--mover", f"sites-{name}"), value)
                    for name, value in values.items()
                ),
            ),
        )
    searches = {
        7: {"next": 4.4, "last": 8.0, "first": 2.6, "both": 8.0, "beside": 2.1, "pages": 3.9},
        15: {"next": 4.7, "last": 3.9, "first": 3.1, "both": 4.0, "beside": 2.0, "pages": 2.6},
    }
    for lists, values in searches.items():
        yield Experiment(
            f"sites-mlist-{lists}",
            f"MLIST, lists of {2 ** (_MLIST_NODES - lists)}: where hints are sought, m = 1.1",
            "mlist",
            (*_mlist_arguments(size, lists), "--percent", "110", "--huge"),
            _MOVERS,
            (
                Way("none", ("--mover", "none")),
                *(
                    Way(f"sites {name}", ("--mover", f"sites-{name}"), value)
                    for name, value in values.items()
                ),
                Way("sites ccmalloc", ("--mover", "sites-ccmalloc")),
            ),
        )


def _sweeps(size: _Size) -> Iterator[Experiment]:
    """Figures 7.4, 7.6, 7.8, 7.9, 7.12, 7.15, 7.28 to 7.36."""
    one_space = {
        "sites <L; EL>": "sites",
        "incremental1space": "incremental1space --rate 2000 --compact",
        "embedded1space": "embedded1space --rate 30 --threshold 4 --compact",
    }
    yield _sweep(
        "memory-dict",
        "m",
        "dict",
        _dict_arguments(size, "node", "1"),
        {
            (name, m / 100): f"{text} --percent {m}"
            for name, text in one_space.items()
            for m in _MEMORY
        },
    )
    yield _sweep(
        "rates-dict",
        "nodes looked at for an operation",
        "dict",
        _dict_arguments(size, "node", "1"),
        {
            (f"incremental1space, threshold {threshold}", rate / 1000): (
                f"incremental1space --rate {rate} --threshold {threshold}"
            )
            for threshold in (2, 4, 7)
            for rate in (250, 1000, 4000)
        },
    )
    for lists in (7, 15):
        sites = "sites-next" if lists > _LONG_LISTS else "sites-last"
        yield _sweep(
            f"memory-mlist-{lists}",
            "m",
            "mlist",
            (*_mlist_arguments(size, lists), "--huge"),
            {
                (name, m / 100): f"{text} --percent {m}"
                for name, text in (
                    ("sites <L; EL>", sites),
                    ("embedded1space", "embedded1space --rate 100"),
                )
                for m in _MEMORY
            },
        )
        yield _sweep(
            f"blocks-mlist-{lists}",
            "bytes of a block",
            "mlist",
            (*_mlist_arguments(size, lists), "--huge"),
            {
                (name, float(block)): f"{text} --block {block}"
                for name, text in (
                    ("in order", "blocks"),
                    ("not in order", "loose"),
                    ("with gaps", "gaps"),
                    ("VCL lists", "vcl"),
                )
                for block in (64, 256, 1024, 4096)
            },
        )


def _misses(size: _Size) -> Iterator[Experiment]:
    """What look-ups would miss in the caches of presets, once the layout has degraded."""
    movers = (
        (UPPER, "upper"),
        ("sites <L; EL>", "sites"),
        ("incremental1space", "incremental1space --rate 2000"),
        ("perfect, BFS", "bfs"),
        ("perfect, fixedHeight", "fixed"),
        ("B-tree", "btree"),
    )
    yield Experiment(
        "misses-dict",
        f"DICT, MOVENODE, {size.nodes:,} nodes: simulated misses of a look-up",
        "dict",
        _dict_arguments(size, "node", "1"),
        MISSES,
        (Way("none", ("--mover", "none")), *_ways(movers, {})),
        kind="misses",
    )


def _sweep(
    name: str,
    axis: str,
    program: str,
    arguments: tuple[str, ...],
    points: Mapping[tuple[str, float], str],
) -> Experiment:
    return Experiment(
        name,
        f"{program.upper()}: {axis}",
        program,
        arguments,
        _MOVERS,
        (
            Way("none", ("--mover", "none")),
            Way(UPPER, ("--mover", "upper")),
            *(Way(way, ("--mover", *text.split()), x=x) for (way, x), text in points.items()),
        ),
        kind="sweep",
        axis=axis,
    )


# ---- containers ----


def _containers(size: _Size) -> Iterator[Experiment]:
    values = size.nodes
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
                ("boost::container::map", "boost"),
                ("abut::map", "abut"),
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
        (
            Way("std::list", ("--whose", "std")),
            Way("boost::container::list", ("--whose", "boost")),
            Way("abut::list", ("--whose", "abut")),
        ),
    )
