"""The experiments on containers: ours beside others'."""

from collections.abc import Iterator

from abut_papers.adcock.variants import Experiment, Size, Variant

_PREFIXES = {
    "std": "std::",
    "absl": "absl::btree_",
    "boost": "boost::container::",
    "abut": "abut::",
}


def _name(kind: str, what: str) -> str:
    if kind == "abut-still":
        return f"abut::{what}, still"
    return _PREFIXES[kind] + what


def container_experiments(size: Size) -> Iterator[Experiment]:
    """Look-ups, walks and changes after many changes, under several heaps."""
    values = size.nodes
    elements = ("--elements", str(values))
    for what in ("map", "set", "unordered_map"):
        kinds = ("std", "abut") if what == "unordered_map" else (*_PREFIXES, "abut-still")
        yield Experiment(
            what,
            f"A {what.replace('_', ' ')} of {values:,} keys of 8 bytes, after 10 rounds of changes"
            " to a tenth",
            "containers",
            ("--what", what, *elements, "--lookups", "500000"),
            ("lookup_ns", "change_ns", "insert_ns", "walk_ns"),
            tuple(Variant(_name(kind, what), ("--whose", kind)) for kind in kinds),
        )
    allocators = ("glibc", "jemalloc", "mimalloc")
    yield Experiment(
        "list",
        f"Lists of 2000, {values:,} values of 8 bytes, after 10 passes of random changes",
        "containers",
        ("--what", "list", *elements),
        ("walk_ns", "change_ns"),
        (
            *(Variant("std::list", ("--whose", "std"), heap=heap) for heap in allocators),
            Variant("boost::container::list", ("--whose", "boost")),
            *(Variant("abut::list", ("--whose", "abut"), heap=heap) for heap in allocators),
        ),
    )
    yield Experiment(
        "bag",
        f"{values:,} values of 8 bytes without an order, each erased and another inserted",
        "containers",
        ("--what", "bag", *elements),
        ("walk_ns", "change_ns"),
        (
            Variant("std::list", ("--whose", "std")),
            Variant("plf::colony", ("--whose", "plf")),
            Variant("abut::list, still", ("--whose", "abut-still")),
        ),
    )
