"""The experiments that go over parameters: sites, memory, rates, blocks.

The values are those of figures 7.3, 7.16 and 7.20 to 7.24 of Adcock, *Improving cache performance
by runtime data movement* (2009).
"""

from collections.abc import Iterator

from abut_papers.adcock.variants import (
    LONG_LISTS,
    PATHS,
    STILL,
    Experiment,
    Size,
    Variant,
    dict_movers,
    on_dict,
    on_mlist,
    swept,
    variants_of,
)

_NODES = ("node", "fields")
_MEMORY = (105, 110, 120, 150, 200)  # m, in hundredths
_SEARCHES = ("next", "last", "first", "both", "beside", "pages")


def parameter_experiments(size: Size) -> Iterator[Experiment]:
    """All of them."""
    yield from _layouts(size)
    yield _balance(size)
    yield from _sites(size)
    yield from _dict_sweeps(size)
    yield from _mlist_sweeps(size)
    yield from _depths(size)
    yield from _stability(size)


def _layouts(size: Size) -> Iterator[Experiment]:
    """Figures 3.5 and 3.6: what good lines and good pages are worth; and 3.8: nodes of a B-tree."""
    at_rest = {name: f"layout-{name}" for name in ("worst", "page", "line", "veb")}
    btrees = {64: "btree-64", 128: "btree", 256: "btree-256", 512: "btree-512"}
    nodes = {f"B-tree, {bytes_} bytes": mover for bytes_, mover in btrees.items()}
    thesis = {"worst": 0, "page": 30, "line": 56, "optimal": 60}
    variants = variants_of(at_rest | {"optimal": "upper"} | nodes, thesis)
    about = "layouts at rest, and nodes of a B-tree"
    yield on_dict("layouts-dict", about, size, "node", variants)
    movers = {
        name: f"layout-{name}"
        for name in ("none", "Lm", "PmLm", "Lc", "PmLc", "PcLm", "PcLc", "PcLco")
    }
    values = {7: (1, 3.2, 6.3, 11, 13, 20, 21, 41), 15: (1, 6.4, 8.1, 9.5, 11.3, 8.1, 11.3, 19.3)}
    for lists, speedups in values.items():
        variants = variants_of(movers, dict(zip(movers, speedups, strict=True)))
        yield on_mlist(f"layouts-mlist-{lists}", "layouts at rest", size, lists, variants)


def _balance(size: Size) -> Experiment:
    """Figures 3.3 and 3.4: how long paths are, and how many lines they meet, as DICT runs on."""
    variants = [
        Variant(f"MOVE{kind.upper()}", (*changes_to(size, times), "--variant", kind), x=times)
        for kind in _NODES
        for times in (0.1, 1, 4, 16)
    ]
    return Experiment(
        "balance-dict",
        f"DICT, {size.nodes:,} nodes, after so many changes a node: nodes and lines of a look-up",
        "dict",
        ("--nodes", str(size.nodes), "--batch", "500", "--mover", "none"),
        PATHS,
        tuple(variants),
        kind="paths",
    )


def changes_to(size: Size, times: float) -> tuple[str, str]:
    """So many changes of each node, in the mean, as an option."""
    return ("--operations", str(round(size.nodes * times)))


# Strategies at DICT's sites, with the thesis's values. Figures 7.3 and 7.16: sites, and forms of
# ccmalloc. 7.18 and 7.19: hints of deleteMove or deleteCut are p parents and c children, and at
# last any line serves (t) or none (f), where the insert site has its best; then the insert site's.
# 7.20 and 7.21: coallocators near a hint; anywhere.
_AT_SITES = {
    "node": """
        M=16 I=6 C=1 MI-newblock-extended=20 MI-newblock-vanilla=17 MI-firstfit-extended=20
        MI-firstfit-vanilla=17 other-p1c2f=24 other-p1c2t=24 other-p1c1f=23 other-p1c1t=22
        other-p2c2f=22 other-p2c2t=21 other-p2c1f=21 other-p2c1t=20 other-p2c0f=18
        other-p1c0f=18 other-p2c0t=17 other-p1c0t=17 other-p0c2f=14 other-p0c2t=13
        other-p0c1f=13 other-p0c1t=12 other-p0c0f=0 other-p0c0t=-3 insert-p2c0t=22
        insert-p0c0t=19 insert-p1c0f=14 insert-p2c0f=14 insert-p0c0f=11 L;EL=24 L;EP=17
        L;null=15 L;F=14 L;ELIEP=10 L;FP=5 L;FLIEP=3 L;FLIFP=3 L;ELIFP=0 L;FL=0 L,NLIP;EL=20
        L,P;EL=12 L,ELIP;EL=4 L,FLIP;EL=4 EL=0 P;EL=-1 FLIP;EL=-3 NLIP;EL=-8 ELIP;EL=-9
        P;EP=7
    """,
    "fields": """
        I=5 C=5 IC-newblock-extended=7 IC-newblock-vanilla=4 IC-firstfit-extended=-8
        IC-firstfit-vanilla=-16 other-p1c0f=13 other-p2c0f=10 other-p1c1f=10 other-p1c2f=7
        other-p2c1f=7 other-p2c2f=5 other-p1c2t=3 other-p1c1t=3 other-p2c2t=2 other-p2c1t=1
        other-p1c0t=1 other-p2c0t=0 other-p0c0f=0 other-p0c1f=-3 other-p0c2f=-4
        other-p0c2t=-7 other-p0c1t=-7 other-p0c0t=-14 insert-p2c0t=9 insert-p0c0t=6
        insert-p1c0f=9 insert-p2c0f=5 insert-p0c0f=5 L;EL=13 L;EP=6 L;null=9 L;F=7
        L;ELIEP=-3 L;FP=-11 L;FLIEP=-6 L;FLIFP=-9 L;ELIFP=-14 L;FL=-2 L,NLIP;EL=7 L,P;EL=-13
        L,ELIP;EL=-25 L,FLIP;EL=-20 EL=-7 P;EL=-21 FLIP;EL=-24 NLIP;EL=-16 ELIP;EL=-31
        P;EP=-13
    """,
}


def _sites(size: Size) -> Iterator[Experiment]:
    """Figures 7.3 and 7.16 to 7.24: which sites and which coallocators, at m = 1.1."""
    little = ("--percent", "110")
    for node, text in _AT_SITES.items():
        values = {name: float(value) for name, value in (one.split("=") for one in text.split())}
        variants = (STILL, *_at_sites(tuple(values), tuple(values.values())))
        about = "sites I(nsert), M(ove), C(ut), m = 1.1"
        yield on_dict(f"sites-dict-{node}", about, size, node, variants, *little)
    about = "where hints are sought, m = 1.1"
    for lists, speedups in {7: (4.4, 8, 2.6, 8, 2.1, 3.9), 15: (4.7, 3.9, 3.1, 4, 2, 2.6)}.items():
        ccmalloc = variants_of({"sites ccmalloc": "sites-ccmalloc"})
        variants = (STILL, *_at_sites(_SEARCHES, speedups), *ccmalloc)
        yield on_mlist(f"sites-mlist-{lists}", about, size, lists, variants, *little)


def _at_sites(names: tuple[str, ...], values: tuple[float, ...]) -> Iterator[Variant]:
    labels = [f"sites {name}" for name in names]
    movers = dict(zip(labels, (f"sites-{name}" for name in names), strict=True))
    return variants_of(movers, dict(zip(labels, values, strict=True)))


def _dict_sweeps(size: Size) -> Iterator[Experiment]:
    """Figures 7.4, 7.6, 7.8, 7.9, 7.12 and 7.15."""
    one_space = {
        "sites <L; EL>": "sites",
        "incremental1space": "incremental1space --rate 2000 --compact",
        "embedded1space": "embedded1space --rate 30 --threshold 4 --compact",
    }
    passes = [size.nodes * size.rounds // passes for passes in (10, 20, 40, 80)]
    rates = {
        (f"embedded1space, threshold {threshold}, m = {m / 100:g}", float(rate)): (
            f"embedded1space --rate {rate} --threshold {threshold} --percent {m} --compact"
        )
        for m in (200, 110)
        for threshold in (2, 8)
        for rate in (10, 50, 250)
    }
    nested = "periodic2space-nested"
    periods = {(nested, float(period)): f"{nested} --period {period}" for period in passes}
    for name, axis, points in (
        ("memory-dict", "m", _memory(one_space)),
        ("rates-dict", "look-ups of 1000 that move", rates),
        ("periods-dict", "operations between passes", periods),
    ):
        yield swept(on_dict(name, axis, size, "node", ()), axis, points)


def _mlist_sweeps(size: Size) -> Iterator[Experiment]:
    """Figures 7.28 to 7.36."""
    for lists, times in ((7, 1), (7, 4), (15, 1)):
        sites = "sites-next" if lists > LONG_LISTS else "sites-last"
        movers = {"sites <L; EL>": sites, "embedded1space": "embedded1space --rate 100"}
        name = f"memory-mlist-{lists}" + ("-longer" if times > 1 else "")
        yield swept(on_mlist(name, "m", size, lists, (), times=times), "m", _memory(movers))
    movers = {
        "strict": "strict",
        "not strict": "loose",
        "minimised": "minimised",
        "half-full lists": "half-full",
        "VCL lists": "vcl",
    }
    blocks = {
        (name, float(block)): f"{text} --block {block}"
        for name, text in movers.items()
        for block in (64, 256, 1024, 4096)
    }
    axis = "bytes of a block"
    for lists in (7, 15):
        yield swept(on_mlist(f"blocks-mlist-{lists}", axis, size, lists, ()), axis, blocks)


def _memory(movers: dict[str, str]) -> dict[tuple[str, float], str]:
    """Each mover at each m."""
    return {
        (name, m / 100): f"{text} --percent {m}" for name, text in movers.items() for m in _MEMORY
    }


def _depths(size: Size) -> Iterator[Experiment]:
    """Figure 7.10: to which depth of clusters a perfect layout is mended with the fewest moves."""
    by_bfs = {f"BFS, depth {depth}": f"bfs-{depth}" for depth in (0, 1, 2)}
    by_height = {f"fixedHeight, depth {depth}": f"fixed-{depth}" for depth in (0, 1, 2)}
    for node, values in {"node": (-4, 36, 37), "fields": (-41, 19, 22)}.items():
        thesis = dict(zip(by_bfs, values, strict=True))
        variants = (STILL, *variants_of(by_bfs | by_height, thesis))
        yield on_dict(f"depths-dict-{node}", "depth of the fewest moves", size, node, variants)


def _stability(size: Size) -> Iterator[Experiment]:
    """Figure 7.14: whether what a mover wins lasts."""
    for node in _NODES:
        name, about = f"stability-dict-{node}", "whether what is won lasts"
        movers = (STILL, *dict_movers("sites <L; EL>", "embedded1space", "perfect, BFS"))
        yield on_dict(name, about, size, node, movers, kind="course")
