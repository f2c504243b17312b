"""The experiments that go over parameters: sites, memory, rates, blocks; and misses.

The values are those of figures 7.3, 7.16 and 7.20 to 7.24 of Adcock, *Improving cache performance
by runtime data movement* (2009).
"""

from collections.abc import Iterator, Mapping

from abut_papers.adcock.variants import (
    LONG_LISTS,
    MISSES,
    MLIST_NODES,
    MOVER_FIGURES,
    STILL,
    UPPER,
    Experiment,
    Size,
    Variant,
    dict_arguments,
    mlist_arguments,
    variants_of,
)

_MEMORY = (105, 110, 120, 150, 200)  # m, in hundredths


def parameter_experiments(size: Size) -> Iterator[Experiment]:
    """All of them."""
    yield from _layouts(size)
    yield _balance(size)
    yield from _sites(size)
    yield from _sweeps(size)
    yield from _depths(size)
    yield from _stability(size)
    yield from _misses(size)


def _layouts(size: Size) -> Iterator[Experiment]:
    """Figures 3.5 and 3.6: what good lines and good pages are worth; and 3.8: nodes of a B-tree."""
    arguments = dict_arguments(size, "node", "1")
    layouts = {"worst": 0.0, "page": 30.0, "line": 56.0, "veb": None}
    yield Experiment(
        "layouts-dict",
        f"DICT, MOVENODE, {size.nodes:,} nodes: layouts at rest, and nodes of a B-tree",
        "dict",
        arguments,
        MOVER_FIGURES,
        (
            *(Variant(name, ("--mover", f"layout-{name}"), v) for name, v in layouts.items()),
            Variant("optimal", ("--mover", "upper"), 60),
            *(
                Variant(f"B-tree, {bytes_} bytes", ("--mover", f"btree{end}"))
                for bytes_, end in ((64, "-64"), (128, ""), (256, "-256"), (512, "-512"))
            ),
        ),
    )
    names = ("none", "Lm", "PmLm", "Lc", "PmLc", "PcLm", "PcLc", "PcLco")
    values = {7: (1, 3.2, 6.3, 11, 13, 20, 21, 41), 15: (1, 6.4, 8.1, 9.5, 11.3, 8.1, 11.3, 19.3)}
    for lists, speedups in values.items():
        yield Experiment(
            f"layouts-mlist-{lists}",
            f"MLIST, lists of {2 ** (MLIST_NODES - lists)}: layouts at rest",
            "mlist",
            mlist_arguments(size, lists),
            MOVER_FIGURES,
            tuple(
                Variant(name, ("--mover", f"layout-{name}"), value)
                for name, value in zip(names, speedups, strict=True)
            ),
        )


def _balance(size: Size) -> Experiment:
    """Figures 3.3 and 3.4: how long paths are, and how many lines they meet, as DICT runs on."""
    arguments = ("--nodes", str(size.nodes), "--batch", "500", "--huge", "--mover", "none")
    variants = [
        Variant(f"MOVE{kind.upper()}", (*changes_to(size, times), "--variant", kind), x=times)
        for kind in ("node", "fields")
        for times in (0.1, 1, 4, 16)
    ]
    return Experiment(
        "balance-dict",
        f"DICT, {size.nodes:,} nodes, after so many changes a node: nodes and misses of a look-up",
        "dict",
        arguments,
        ("nodes", *MISSES),
        tuple(variants),
        kind="misses",
    )


def changes_to(size: Size, times: float) -> tuple[str, str]:
    """So many changes of each node, in the mean, as an option."""
    return ("--operations", str(round(size.nodes * times)))


def _sites(size: Size) -> Iterator[Experiment]:
    """Figures 7.3 and 7.16 to 7.24: which sites and which coallocators, at m = 1.1."""
    node: dict[str, float] = {
        "M": 16,
        "I": 6,
        "C": 1,
        "MI": 24,
        "MI-newblock-extended": 20,
        "MI-newblock-vanilla": 17,
        "MI-firstfit-extended": 20,
        "MI-firstfit-vanilla": 17,
        "MI-pages": 7,
        "MI-first": 14,
    }
    fields: dict[str, float] = {
        "I": 5,
        "C": 5,
        "IC": 13,
        "IC-newblock-extended": 7,
        "IC-newblock-vanilla": 4,
        "IC-firstfit-extended": -8,
        "IC-firstfit-vanilla": -16,
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
                STILL,
                *(
                    Variant(f"sites {name}", ("--mover", f"sites-{name}"), value)
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
            (*mlist_arguments(size, lists), "--percent", "110"),
            MOVER_FIGURES,
            (
                STILL,
                *(
                    Variant(f"sites {name}", ("--mover", f"sites-{name}"), value)
                    for name, value in values.items()
                ),
                Variant("sites ccmalloc", ("--mover", "sites-ccmalloc")),
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
        "look-ups of 1000 that move",
        "dict",
        dict_arguments(size, "node", "1"),
        {
            (f"embedded1space, threshold {threshold}, m = {m / 100:g}", float(rate)): (
                f"embedded1space --rate {rate} --threshold {threshold} --percent {m} --compact"
            )
            for m in (200, 110)
            for threshold in (2, 8)
            for rate in (10, 50, 250)
        },
    )
    operations = size.nodes * size.rounds
    yield _sweep(
        "periods-dict",
        "operations between passes",
        "dict",
        dict_arguments(size, "node", "1"),
        {
            ("periodic2space-nested", float(operations // passes)): (
                f"periodic2space-nested --period {operations // passes}"
            )
            for passes in (10, 20, 40, 80)
        },
    )
    for lists, times in ((7, 1), (7, 4), (15, 1)):
        sites = "sites-next" if lists > LONG_LISTS else "sites-last"
        yield _sweep(
            f"memory-mlist-{lists}" + ("-longer" if times > 1 else ""),
            "m",
            "mlist",
            mlist_arguments(size, lists, times),
            {
                (name, m / 100): f"{text} --percent {m}"
                for name, text in (
                    ("sites <L; EL>", sites),
                    ("embedded1space", "embedded1space --rate 100"),
                )
                for m in _MEMORY
            },
        )
    for lists in (7, 15):
        yield _sweep(
            f"blocks-mlist-{lists}",
            "bytes of a block",
            "mlist",
            mlist_arguments(size, lists),
            {
                (name, float(block)): f"{text} --block {block}"
                for name, text in (
                    ("strict", "strict"),
                    ("not strict", "loose"),
                    ("minimised", "minimised"),
                    ("half-full lists", "half-full"),
                    ("VCL lists", "vcl"),
                )
                for block in (64, 256, 1024, 4096)
            },
        )


def _depths(size: Size) -> Iterator[Experiment]:
    """Figure 7.10: to which depth of clusters a perfect layout is mended with the fewest moves."""
    values = {"node": (-4.0, 36.0, 37.0), "fields": (-41.0, 19.0, 22.0)}
    for variant, thesis in values.items():
        yield Experiment(
            f"depths-dict-{variant}",
            f"DICT, MOVE{variant.upper()}, {size.nodes:,} nodes: depth of the fewest moves",
            "dict",
            dict_arguments(size, variant, "1"),
            MOVER_FIGURES,
            (
                STILL,
                *(
                    Variant(f"BFS, depth {depth}", ("--mover", mover), thesis[depth])
                    for depth, mover in enumerate(("bfs-0", "bfs-1", "bfs"))
                ),
                *(
                    Variant(f"fixedHeight, depth {depth}", ("--mover", mover))
                    for depth, mover in enumerate(("fixed-0", "fixed-1", "fixed"))
                ),
            ),
        )


def _stability(size: Size) -> Iterator[Experiment]:
    """Figure 7.14: whether what a mover wins lasts."""
    for variant in ("node", "fields"):
        arguments = dict_arguments(size, variant, "1")
        movers = (
            ("sites <L; EL>", "sites"),
            ("embedded1space", "embedded1space --rate 30 --threshold 6"),
            ("perfect, BFS", "bfs"),
        )
        yield Experiment(
            f"stability-dict-{variant}",
            f"DICT, MOVE{variant.upper()}, {size.nodes:,} nodes: whether what is won lasts",
            "dict",
            (),
            ("first_ns", "last_ns"),
            (
                Variant(STILL.name, (*arguments, *STILL.arguments)),
                *(Variant(name, (*arguments, "--mover", *text.split())) for name, text in movers),
            ),
            kind="course",
        )


def _misses(size: Size) -> Iterator[Experiment]:
    """What look-ups would miss in the caches of presets, once the layout has degraded."""
    movers = (
        (UPPER, "upper"),
        ("sites <L; EL>", "sites"),
        ("incremental1space", "incremental1space --rate 2000"),
        ("perfect, BFS", "bfs"),
        ("perfect, fixedHeight", "fixed"),
        ("van Emde Boas", "layout-veb"),
        ("B-tree", "btree"),
    )
    yield Experiment(
        "misses-dict",
        f"DICT, MOVENODE, {size.nodes:,} nodes: simulated misses of a look-up",
        "dict",
        dict_arguments(size, "node", "1"),
        MISSES,
        (STILL, *variants_of(movers, {})),
        kind="misses",
    )
    for lists, block, unrolled in ((11, 4096, 4096), (15, 1024, 256)):
        walkers = (
            (UPPER, "upper"),
            ("sites <L; EL>", "sites-next" if lists > LONG_LISTS else "sites-last"),
            ("perfect, strict", f"strict --block {block}"),
            ("perfect, not strict", f"loose --block {block}"),
            ("VCL lists", f"vcl --block {unrolled}"),
        )
        yield Experiment(
            f"misses-mlist-{lists}",
            f"MLIST, lists of {2 ** (MLIST_NODES - lists)}: simulated misses of a node walked over",
            "mlist",
            mlist_arguments(size, lists),
            MISSES,
            (STILL, *variants_of(walkers, {})),
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
            STILL,
            Variant(UPPER, ("--mover", "upper")),
            *(
                Variant(variant, ("--mover", *text.split()), x=x)
                for (variant, x), text in points.items()
            ),
        ),
        kind="sweep",
        axis=axis,
    )
