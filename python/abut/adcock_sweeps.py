"""The experiments that go over parameters: sites, memory, rates, blocks; misses; and containers.

The values are those of figures 7.3, 7.16 and 7.20 to 7.24 of Adcock, *Improving cache performance
by runtime data movement* (2009).
"""

from collections.abc import Iterator, Mapping

from abut.adcock_ways import (
    LONG_LISTS,
    MISSES,
    MLIST_NODES,
    MOVER_FIGURES,
    UPPER,
    Experiment,
    Size,
    Way,
    dict_arguments,
    mlist_arguments,
    ways_of,
)

_MEMORY = (105, 110, 120, 150, 200)  # m, in hundredths


def parameter_experiments(size: Size) -> Iterator[Experiment]:
    """All of them."""
    yield from _sites(size)
    yield from _sweeps(size)
    yield from _misses(size)
    yield from _containers(size)


def _sites(size: Size) -> Iterator[Experiment]:
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
            (*dict_arguments(size, variant, "1"), "--percent", "110"),
            MOVER_FIGURES,
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
            f"MLIST, lists of {2 ** (MLIST_NODES - lists)}: where hints are sought, m = 1.1",
            "mlist",
            (*mlist_arguments(size, lists), "--percent", "110", "--huge"),
            MOVER_FIGURES,
            (
                Way("none", ("--mover", "none")),
                *(
                    Way(f"sites {name}", ("--mover", f"sites-{name}"), value)
                    for name, value in values.items()
                ),
                Way("sites ccmalloc", ("--mover", "sites-ccmalloc")),
            ),
        )


def _sweeps(size: Size) -> Iterator[Experiment]:
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
        dict_arguments(size, "node", "1"),
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
        dict_arguments(size, "node", "1"),
        {
            (f"incremental1space, threshold {threshold}", rate / 1000): (
                f"incremental1space --rate {rate} --threshold {threshold}"
            )
            for threshold in (2, 4, 7)
            for rate in (250, 1000, 4000)
        },
    )
    for lists in (7, 15):
        sites = "sites-next" if lists > LONG_LISTS else "sites-last"
        yield _sweep(
            f"memory-mlist-{lists}",
            "m",
            "mlist",
            (*mlist_arguments(size, lists), "--huge"),
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
            (*mlist_arguments(size, lists), "--huge"),
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


def _misses(size: Size) -> Iterator[Experiment]:
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
        dict_arguments(size, "node", "1"),
        MISSES,
        (Way("none", ("--mover", "none")), *ways_of(movers, {})),
        kind="misses",
    )
    for lists, block, unrolled in ((11, 4096, 4096), (15, 2048, 256)):
        walkers = (
            (UPPER, "upper"),
            ("sites <L; EL>", "sites-next" if lists > LONG_LISTS else "sites-last"),
            ("perfect, in order", f"blocks --block {block}"),
            ("perfect, gaps", f"gaps --block {block}"),
            ("VCL lists", f"vcl --block {unrolled}"),
        )
        yield Experiment(
            f"misses-mlist-{lists}",
            f"MLIST, lists of {2 ** (MLIST_NODES - lists)}: simulated misses of a node walked over",
            "mlist",
            (*mlist_arguments(size, lists), "--huge"),
            MISSES,
            (Way("none", ("--mover", "none")), *ways_of(walkers, {})),
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
        MOVER_FIGURES,
        (
            Way("none", ("--mover", "none")),
            Way(UPPER, ("--mover", "upper")),
            *(Way(way, ("--mover", *text.split()), x=x) for (way, x), text in points.items()),
        ),
        kind="sweep",
        axis=axis,
    )


def _containers(size: Size) -> Iterator[Experiment]:
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
    allocators = ("glibc", "jemalloc", "mimalloc")
    yield Experiment(
        "list",
        f"Lists of 2000, {values:,} values of 8 bytes, after 10 passes of random changes",
        "containers",
        ("--what", "list", *elements),
        ("walk_ns", "change_ns"),
        (
            *(Way("std::list", ("--whose", "std"), heap=heap) for heap in allocators),
            Way("boost::container::list", ("--whose", "boost")),
            *(Way("abut::list", ("--whose", "abut"), heap=heap) for heap in allocators),
        ),
    )
    yield Experiment(
        "bag",
        f"{values:,} values of 8 bytes without an order, each erased and another inserted",
        "containers",
        ("--what", "bag", *elements),
        ("walk_ns", "change_ns"),
        (
            Way("std::list", ("--whose", "std")),
            Way("plf::colony", ("--whose", "plf")),
            Way("abut::list, still", ("--whose", "abut-still")),
        ),
    )
