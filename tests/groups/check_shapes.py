"""What the heap makes of programs whose groups are known: read from its own explanation."""

import os
import unittest
from typing import Any

from explained import explained

SHAPES = os.environ["SHAPES"]
Group = dict[str, Any]

OBJECTS = 5000
NODE, DATUM = 16, 24  # bytes


def groups_of(shape: str, objects: int = OBJECTS, **options: str) -> list[Group]:
    """Run a program, and return its groups of nodes and data, in the order of their birth."""
    printed, found, _ = explained(SHAPES, shape, objects, **{"place": "pools", **options})
    assert printed == "whole\n"
    return [group for group in found["groups"] if group["site"].startswith("shapes")]


class Merging(unittest.TestCase):
    """The rules of Wang, Wu and Yew 2010, section 3.2.2, and the one beyond them."""

    def test_the_code_of_figure_3_is_merged_as_figure_4_shows(self) -> None:
        first_node, first_datum, nodes, data = groups_of("insert", place="pools:linked")
        assert [first_node["smallest"], nodes["smallest"]] == [NODE, NODE]
        assert [first_datum["smallest"], data["smallest"]] == [DATUM, DATUM]
        assert first_node["root"] == nodes["root"]
        assert first_node["merge"] == "linked"
        assert first_datum["root"] == data["root"]
        assert "pointed_at" in [first_datum["merge"], data["merge"]]
        assert nodes["root"] != data["root"]
        assert nodes["pool"] != data["pool"]

    def test_the_graph_has_the_edges_of_figure_3(self) -> None:
        _, _, nodes, data = groups_of("insert", place="pools:apart")
        edges = {(edge["to"], edge["offset"]) for edge in nodes["edges"]}
        assert (data["id"], 0) in edges
        assert (nodes["id"], 8) in edges
        assert data["edges"] == []

    def test_without_merging_every_group_is_its_own(self) -> None:
        groups = groups_of("insert", place="pools:apart")
        assert [group["root"] for group in groups] == [group["id"] for group in groups]
        assert [group["state"] for group in groups] == ["few", "few", "pooled", "pooled"]

    def test_what_is_born_together_shares_a_pool(self) -> None:
        groups = groups_of("insert")
        assert len({group["root"] for group in groups}) == 1
        assert "born" in [group["merge"] for group in groups]

    def test_nodes_of_one_list_made_in_two_places_are_merged(self) -> None:
        one, other = groups_of("alternate", place="pools:linked")
        assert one["root"] == other["root"]
        assert "linked" in [one["merge"], other["merge"]]

    def test_lists_that_never_meet_are_not_merged(self) -> None:
        one, other = groups_of("separate")
        assert one["root"] != other["root"]
        assert one["pool"] != other["pool"]


class Thresholds(unittest.TestCase):
    """Section 3.3: which groups gain by a pool."""

    def test_a_small_group_has_no_pool(self) -> None:
        (group,) = groups_of("loners", objects=99)
        assert (group["state"], group["pool"]) == ("few", 0)

    def test_the_hundredth_object_opens_one(self) -> None:
        (group,) = groups_of("loners", objects=100)
        assert group["state"] == "pooled"

    def test_large_objects_belong_to_no_group(self) -> None:
        assert groups_of("loners", group_bytes="16") == []

    def test_objects_that_are_freed_soon_get_none(self) -> None:
        (group,) = groups_of("short-lived")
        assert (group["state"], group["pool"]) == ("short_lived", 0)
        assert group["objects"] < OBJECTS, "its site is left in peace"


class Promises(unittest.TestCase):
    """Which groups get a pool where not all of them do."""

    def states_of(self, shape: str) -> list[tuple[str, bool]]:
        groups = groups_of(shape, 100_000, place="auto:pools")
        return [(group["state"], group.get("pool_pages", 0) > 0) for group in groups]

    def test_a_small_heap_forms_no_groups(self) -> None:
        assert groups_of("separate", place="auto:pools") == []

    def test_lists_that_lie_between_each_other_get_pools(self) -> None:
        assert self.states_of("separate") == [("pooled", True), ("pooled", True)]

    def test_what_is_most_of_the_heap_lies_together_anyway(self) -> None:
        assert self.states_of("insert")[-1] == ("dense", False)

    def test_objects_that_do_not_lead_to_each_other_get_none(self) -> None:
        states = self.states_of("mixed")
        assert sorted(states) == [("pooled", True), ("unlinked", False)]

    def test_groups_are_formed_for_some_thousand_requests_only(self) -> None:
        groups = groups_of("mixed", 200_000, place="auto:pools")
        (data, nodes) = sorted(groups, key=lambda group: group["objects"])
        assert nodes["objects"] > 120_000, "a pool's objects are all counted"
        assert data["objects"] < 80_000, "its sites take the fast path meanwhile"

    def test_threads_have_their_objects_in_pools_of_their_own(self) -> None:
        for _ in range(3):
            groups = groups_of("threads", 100_000, place="auto:pools")
            assert [group["state"] for group in groups] == ["pooled", "pooled"]
            # Nine threads count, though not to the last.
            assert all(group["objects"] > 6 * 100_000 for group in groups)


class Pools(unittest.TestCase):
    """What a pool holds, and what it wastes."""

    def test_a_pool_that_is_filled_in_a_row_wastes_less_than_a_page(self) -> None:
        (group,) = groups_of("loners", objects=4000)
        granted = 32  # bytes for each: the first hundred lie elsewhere
        assert group["pool_bytes"] == (4000 - 100) * granted
        assert group["pool_pages"] * 4096 <= group["pool_bytes"] + 4096

    def test_holes_are_used_again(self) -> None:
        (group,) = groups_of("loners", objects=400_000)
        live = 4096 * 32
        assert group["pool_pages"] * 4096 <= 2 * live
        assert group["state"] == "pooled"
