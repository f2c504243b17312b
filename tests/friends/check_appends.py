"""What the heap makes of objects that have friends: read from its own explanation."""

import os
import unittest
from dataclasses import dataclass

from explained import explained

APPENDS = os.environ["APPENDS"]

LISTS, NODES = 500, 600_000


@dataclass(frozen=True)
class Explained:
    """Of a thousand nodes, those behind their friends; the rules that place; all rules."""

    behind: int
    rules: list[dict[str, int]]
    known: list[dict[str, int]]


def appended(
    lists: int = LISTS,
    nodes: int = NODES,
    *,
    rounds: int = 1,
    length: int = 0,
    table: int = 0,
    others: int = 0,
    **options: str,
) -> Explained:
    """Run the program with these options; a list ends with `length` nodes, unless that is zero."""
    numbers = (lists, nodes, rounds, length, table, others)
    printed, found, _ = explained(APPENDS, *numbers, **options)
    behind, whole = printed.split()
    assert whole == "whole", printed
    rules = found["friends"]
    return Explained(int(behind), [rule for rule in rules if rule["state"] == "placing"], rules)


class Appends(unittest.TestCase):
    """A list's last node is the friend of the next."""

    def test_nodes_lie_behind_their_friends(self) -> None:
        placed = appended()
        (rule,) = placed.rules
        assert placed.behind > 700
        assert rule["attempts"] > 0.8 * NODES
        assert rule["runs"] > LISTS

    def test_lists_may_stand_in_a_huge_block(self) -> None:
        (rule,) = appended(table=4 * 2**20 // 16).rules
        assert rule["runs"] > LISTS

    def test_lists_that_are_built_again_lie_no_worse(self) -> None:
        for rounds in (2, 20):
            assert appended(nodes=300_000, rounds=rounds).behind > 650, rounds

    def test_objects_with_friends_may_be_few(self) -> None:
        lists, nodes = 100, 400_000
        placed = appended(lists, nodes, others=15)
        (rule,) = placed.rules
        assert placed.behind > 600
        assert rule["attempts"] > 0.7 * nodes

    def test_a_friend_comes_before_a_group(self) -> None:
        (rule,) = appended(place="auto:pools").rules
        assert rule["attempts"] > 0.8 * NODES

    def test_chains_that_stay_short_are_left_in_their_order(self) -> None:
        lists, nodes = 80_000, 320_000
        placed = appended(lists, nodes)
        (rule,) = placed.known
        assert placed.behind < 100
        assert 8192 <= rule["runs"] < nodes / 4

    def test_chains_that_end_are_left_in_their_order(self) -> None:
        nodes = 1_000_000
        for length in (3, 4, 5, 12):
            placed = appended(nodes=nodes, length=length)
            (rule,) = placed.known
            assert rule["state"] == "plain", rule
            assert rule["runs"] < 4 * 8192, rule  # two trials, the second twice as long
            assert placed.behind < 50, length

    def test_many_chains_are_placed_when_they_have_grown_long(self) -> None:
        lists, nodes = 12_000, 800_000  # more lists than a first trial has runs
        assert appended(lists, nodes).behind > 500
