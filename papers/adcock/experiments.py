"""The experiments on structures whose nodes move: programs, movers, and the thesis's values.

DICT is a search tree in which nodes are looked up, deleted and inserted; MLIST many linked lists.
The values are those of figures 3.7, 3.9, 7.11, 7.16, 7.26, 7.27 and the tables of 7.1 in Adcock,
*Improving cache performance by runtime data movement* (2009).
"""

from collections.abc import Iterator, Mapping

from abut_papers.adcock.sweeps import parameter_experiments
from abut_papers.adcock.variants import (
    COURSE,
    DICT_MOVERS,
    LONG_LISTS,
    STILL,
    UPPER,
    Experiment,
    Size,
    Variant,
    dict_arguments,
    mlist_arguments,
    on_dict,
    on_mlist,
    operations_option,
    variants_of,
)

_LISTS = (7, 11, 15, 19, 21)
# Bytes of a block of MLIST: large for long lists; for short ones twice the list, as m = 2 allows.
_BLOCKS = {7: 4096, 11: 4096, 15: 1024, 19: 64, 21: 64}
# The same for lists without links inside blocks, whose elements are half as long.
_UNROLLED = {7: 4096, 11: 4096, 15: 256, 19: 64, 21: 64}
_SHARES = ("1", "0.1", "0.01")  # s: of the look-ups, how many are followed by a change
_SIZES = {"quick": Size(500_000, 20, 128), "daily": Size(2_000_000, 22, 128)}
_SIZES["full"] = Size(4_000_000, 23, 64, 2, 240_000)
_SIZES["tiny"] = Size(20_000, 16, 8)  # to see that all of it runs: what it takes says nothing
SIZES = tuple(_SIZES)


def experiments(suite: str) -> Iterator[Experiment]:
    """Every experiment at the size of `suite`, one of SIZES."""
    size = _SIZES[suite]
    yield from _degradation(size)
    for variant in ("node", "fields"):
        for share in _SHARES:
            yield _dict(size, variant, share)
    for lists in _LISTS:
        yield _mlist(size, lists)
    yield from parameter_experiments(size)


def _degradation(size: Size) -> Iterator[Experiment]:
    """Figures 3.1, 3.2 and 3.7: programs whose nodes stay, and the bounds on what can be won."""
    for node in ("node", "fields"):
        shares = {f"s = {share}": dict_arguments(size, node, share) for share in _SHARES}
        about = f"DICT, MOVE{node.upper()}, {size.nodes:,} nodes"
        yield _course(f"degradation-dict-{node}", about, "dict", shares)
    lengths = {f"v = 2^{lists}": mlist_arguments(size, lists) for lists in _LISTS}
    yield _course("degradation-mlist", f"MLIST, 2^{size.bits} nodes", "mlist", lengths)


def _course(name: str, about: str, program: str, work: Mapping[str, tuple[str, ...]]) -> Experiment:
    """How a layout degrades beside the bound, at each work by its arguments."""
    variants = (
        Variant(f"{what}, {which}", (*arguments, "--mover", mover))
        for which, arguments in work.items()
        for what, mover in (("degrades", "none"), (UPPER, "upper"))
    )
    about = f"{about}: how its layout degrades"
    return Experiment(name, about, program, (), COURSE, tuple(variants), kind="course")


# ---- DICT ----

_BOUNDS = (UPPER, "perfect, BFS", "perfect, fixedHeight", "B-tree")
_BULK = (
    *("sites <L; EL>", "periodic2space", "periodic2space-nested", "incremental2space"),
    *("periodic1space", "incremental1space", "embedded1space"),
)
_DICT_VALUES: Mapping[tuple[str, str], tuple[float, ...]] = {
    ("node", "1"): (55, 37, 43, 39, 35, 41, 39, 32, 25, 20, 30),
    ("node", "0.1"): (57, 49, 49, 53),
    ("node", "0.01"): (48, 41, 38, 42),
    ("fields", "1"): (36, 22, 22, 9, 19, 22, 20, 13, 12, 11, 12),
    ("fields", "0.1"): (23, 14, 13, 16),
}
_DICT_THESIS: dict[tuple[str, str], dict[str, float]] = {
    which: dict(zip((*_BOUNDS, *_BULK), values, strict=False))
    for which, values in _DICT_VALUES.items()
} | {("fields", "0.01"): {UPPER: 8, "B-tree": 0}}


def _dict(size: Size, variant: str, share: str) -> Experiment:
    thesis = _DICT_THESIS[variant, share]
    # About a pass for each quarter of the nodes that changes; whole passes in the tenth measured.
    tenth = int(operations_option(size, share)[1]) // 10
    period = str(tenth // max(1, round(tenth * float(share) * 4 / size.nodes)))
    rate = str(max(1, round(2000 * float(share))))
    movers = {
        **DICT_MOVERS,
        **_periodic("periodic2space", "periodic2space-nested", "periodic1space", period=period),
        **{name: f"{name} --rate {rate}" for name in ("incremental2space", "incremental1space")},
        "embedded2space": "embedded2space --rate 30",
        "tuned by itself": "tuned",
        "ccmalloc, static": "ccmalloc-static",
    }
    name, about = f"dict-{variant}-{share}", f"lines in pairs, s = {share}, m = 2"
    variants = (STILL, *variants_of(movers, thesis))
    return on_dict(name, about, size, variant, variants, share=share)


def _periodic(*names: str, period: str) -> dict[str, str]:
    return {name: f"{name} --period {period}" for name in names}


# ---- MLIST ----

_MLIST_NAMES = (
    *(UPPER, "sites <L; EL>", "periodic2space", "incremental2space"),
    *("periodic1space", "incremental1space", "embedded1space"),
)
_MLIST_VALUES = {
    7: (11.7, 8, 10.6, 10.5, 9.56, 9.72, 7.11),
    11: (36.1, 15.4, 27.1, 26.9, 21.6, 19.5, 12.8),
    15: (11.3, 5.6, 8.45, 8.09, 5.16, 5.68, 4.61),
    19: (2.14, 1.35, 1.60, 1.48, 1.24, 1.23, 1.24),
}
_MLIST_THESIS: Mapping[int, Mapping[str, float]] = {
    lists: dict(zip(_MLIST_NAMES, values, strict=True)) for lists, values in _MLIST_VALUES.items()
}


def _mlist(size: Size, lists: int) -> Experiment:
    arguments = mlist_arguments(size, lists)
    operations = int(arguments[arguments.index("--operations") + 1])
    period = max(1, operations // (32 if lists > LONG_LISTS else 4))  # long lists degrade slowly
    rate = max(1000, 1000 * 2**size.bits // period)
    block = _BLOCKS[lists]
    movers = {
        UPPER: "upper",
        "sites <L; EL>": "sites-next" if lists > LONG_LISTS else "sites-last",
        **_periodic("periodic2space", "periodic1space", period=str(period)),
        **{name: f"{name} --rate {rate}" for name in ("incremental2space", "incremental1space")},
        "embedded1space": "embedded1space --rate 100",
        "embedded1space, as walked": "embedded1space-as-walked --rate 100",
        "embedded1space, to the end": "embedded1space-to-end --rate 100",
        "perfect, strict": f"strict --block {block}",
        "perfect, not strict": f"loose --block {block}",
        "perfect, strict, VCL": f"strict-vcl --block {max(block, 256)}",
        "perfect, not strict, VCL": f"loose-vcl --block {max(block, 256)}",
        "perfect, minimised": f"minimised --block {block}",
        "half-full lists": f"half-full --block {_UNROLLED[lists]}",
        "VCL lists": f"vcl --block {_UNROLLED[lists]}",
    }
    variants = variants_of(movers, _MLIST_THESIS.get(lists, {}))
    about = f"2^{size.bits} nodes of 8 bytes"
    return on_mlist(f"mlist-{lists}", about, size, lists, (STILL, *variants))
