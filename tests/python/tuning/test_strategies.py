"""Strategies on made-up objects: where each puts them, to the byte."""

from dataclasses import replace
from importlib.metadata import EntryPoint

import numpy as np
import pytest

import abut.plugins
import abut.tuning.strategies
from abut.errors import AbutError
from abut.tuning.objects import Cache, Edges, Layout, Objects, in_order, objects_of
from abut.tuning.strategies import find_strategy, strategy_names, uses
from conftest import ROOT

# The structure of Cyll's figures 4.1 to 4.3: a root with two children, which have two each. Every
# link is a friendship and a use, the left one the more common. The root is the largest.
LINKS = [(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6)]
SIZES = [48, 16, 16, 16, 16, 16, 16]
NAMES = "ABCDEFG"


def tree() -> Objects:
    usage = [(*link, 9 - link[1]) for link in LINKS]
    return objects_of(SIZES, friends=LINKS, usage=usage)


def laid_out(objects: Objects, name: str) -> str:
    """The objects' names in the order of their addresses."""
    offsets = find_strategy(name).place(objects).offsets
    return "".join(NAMES[row] for row in np.argsort(offsets) if offsets[row] >= 0)


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("simple", "ABCDEFG"),
        ("size", "BCDEFGA"),
        ("friends-df", "ABDECFG"),  # figure 4.2
        ("usage-df", "ABDECFG"),
        ("friends-grouped", "BCDEFGA"),  # figure 4.3
        ("usage-grouped", "BCDEFGA"),
        ("one-per-line", "ABCDEFG"),
        ("lifetime", "ABCDEFG"),
        ("hot-streams", "CFABDEG"),  # CF is used more per byte than ABD
        ("combined", "CFABDEG"),
    ],
)
def test_the_papers_structure_is_laid_out_as_the_paper_has_it(name: str, order: str) -> None:
    assert laid_out(tree(), name) == order


def test_objects_lie_one_after_another_without_a_gap() -> None:
    offsets = find_strategy("usage-df").place(tree()).offsets
    assert offsets.tolist() == [0, 48, 96, 64, 80, 112, 128]


def test_one_per_line_begins_each_on_a_line() -> None:
    offsets = find_strategy("one-per-line").place(tree()).offsets
    assert offsets.tolist() == [64 * row for row in range(7)]


@pytest.mark.parametrize("name", strategy_names())
def test_a_strategy_says_what_its_layout_depends_on(name: str) -> None:
    place = find_strategy(name).place
    others = {"seed": replace(tree(), seed=2), "cache": replace(tree(), cache=Cache(256, 1, 32))}
    for what, other in others.items():
        same = (place(tree()).offsets == place(other).offsets).all()
        assert same == (not uses(name, what))


def test_random_differs_by_seed_and_is_the_same_for_the_same() -> None:
    objects = objects_of([16] * 50)
    first = find_strategy("random").place(objects).offsets
    assert (find_strategy("random").place(objects).offsets == first).all()
    other = replace(objects, seed=2)
    assert (find_strategy("random").place(other).offsets != first).any()
    assert sorted(first) == [16 * row for row in range(50)]


def test_what_died_leaves_its_place_to_the_next_of_its_size() -> None:
    objects = objects_of([32, 64, 32, 32])
    objects.died[0] = 2  # after the second was born
    offsets = find_strategy("lifetime").place(objects).offsets
    assert offsets.tolist() == [0, 32, 0, 96]


def test_holes_beside_each_other_are_joined_and_the_shortest_that_fits_is_taken() -> None:
    objects = objects_of([32, 64, 32, 96, 16, 32, 64])
    objects.died[:3] = [2, 3, 4]
    offsets = find_strategy("lifetime").place(objects).offsets
    # Nothing fits the third but the hole of the first; the fourth finds 64 bytes, and needs 96.
    assert offsets.tolist() == [0, 32, 0, 96, 0, 16, 192]


def test_packing_over_time_takes_hardly_more_than_lives_at_one_time() -> None:
    random = np.random.default_rng(3)
    count = 20_000
    objects = objects_of((random.integers(1, 32, count) * 16).tolist())
    rows = np.arange(count)
    objects.died[:] = rows + 1 + random.integers(0, 3000, count)
    layout = find_strategy("lifetime").place(objects)
    changes = np.zeros(count + 3001, np.int64)
    np.add.at(changes, rows, objects.size.astype(np.int64))
    np.add.at(changes, objects.died, -objects.size.astype(np.int64))
    assert layout.bytes <= 1.1 * changes.cumsum().max()


def test_only_objects_that_live_at_different_times_share_a_place() -> None:
    random = np.random.default_rng(7)
    count = 400
    objects = objects_of((random.integers(1, 32, count) * 16).tolist())
    rows = np.arange(count)
    objects.died[:] = rows + 1 + random.integers(0, 60, count)
    for name in ("lifetime", "hot-cold", "hot-streams", "combined"):
        offsets = find_strategy(name).place(objects).offsets
        ends = offsets + objects.size
        for row in rows[offsets >= 0]:
            alive = (rows < row) & (objects.died > row) & (offsets >= 0)
            assert not (alive & (offsets < ends[row]) & (ends > offsets[row])).any()


def test_hot_objects_lie_together_before_the_cold_ones() -> None:
    objects = objects_of([16] * 6, usage=[(1, 4, 1000)])
    offsets = find_strategy("hot-cold").place(objects).offsets
    assert offsets.tolist() == [32, 0, 48, 64, 16, 80]


def test_smart_puts_friends_on_one_line_and_rivals_apart() -> None:
    objects = objects_of([32] * 4, usage=[(0, 3, 50), (1, 2, 40)])
    offsets = find_strategy("smart").place(objects).offsets
    assert offsets[0] // 64 == offsets[3] // 64
    assert offsets[1] // 64 == offsets[2] // 64
    assert offsets[0] // 64 % objects.cache.sets != offsets[1] // 64 % objects.cache.sets


def test_smart_lets_no_two_objects_overlap() -> None:
    random = np.random.default_rng(3)
    count = 500
    usage = [(int(a), int(b), 5) for a, b in random.integers(0, count, (900, 2)) if a != b]
    objects = objects_of((random.integers(9, 512, count)).tolist(), usage=usage)
    offsets = find_strategy("smart").place(objects).offsets
    order = np.argsort(offsets)
    ends = offsets[order] + (objects.size[order] + 15) // 16 * 16
    assert (ends[:-1] <= offsets[order][1:]).all()


def test_pieces_of_code_that_work_together_share_a_pool() -> None:
    objects = objects_of([16] * 1200)
    objects.context[:] = np.arange(1200) % 4 + 1
    objects.heat[:] = 1
    ties = np.array([[1, 3, 900], [2, 4, 500], [1, 2, 3]], np.uint32).T
    tied = replace(objects, contexts=Edges(*ties))
    layout = find_strategy("affinity").place(tied)
    assert layout.pools[1] == layout.pools[3] != layout.pools[2] == layout.pools[4]
    assert (layout.offsets >= 0).all()


def test_what_a_plan_cannot_hold_is_left_out() -> None:
    objects = objects_of([8, 16, 513, 64])
    objects.align[3] = 64
    for name in strategy_names():
        offsets = find_strategy(name).place(objects).offsets
        assert (offsets >= 0).tolist() in ([False, True, False, False], [False] * 4), name


def test_another_package_adds_a_strategy_in_some_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("backwards", "test_strategies:backwards", abut.tuning.strategies.GROUP)
    monkeypatch.setattr(abut.plugins, "entry_points", lambda group: [point])
    assert "backwards" in strategy_names()
    strategy = find_strategy("backwards")
    assert strategy.about == "The last born first."
    assert strategy.place(objects_of([16] * 3)).offsets.tolist() == [32, 16, 0]


def backwards(objects: Objects) -> Layout:
    """The last born first."""
    return Layout(in_order(objects, objects.rows()[::-1]))


def test_the_example_of_the_guide_does_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs" / "examples")
    point = EntryPoint("most-used", "most_used:place", abut.tuning.strategies.GROUP)
    monkeypatch.setattr(abut.plugins, "entry_points", lambda group: [point])
    objects = objects_of([16, 32, 16], usage=[(2, 0, 5), (2, 1, 1)])
    assert find_strategy("most-used").place(objects).offsets.tolist() == [16, 32, 0]


def test_an_unknown_strategy_is_named() -> None:
    with pytest.raises(AbutError, match="called 'fastest'"):
        find_strategy("fastest")
