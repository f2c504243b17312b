"""What the heap makes of objects that have friends: read from its own explanation."""

import json
import os
import subprocess
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path

LIBRARY = os.environ["ABUT_TESTED"]
APPENDS = os.environ["APPENDS"]

LISTS, NODES = 500, 300_000


@dataclass(frozen=True)
class Told:
    """Of a thousand nodes, those behind their friends; and the rules that placed any."""

    behind: int
    rules: list[dict[str, int]]


def appended(**options: str) -> Told:
    """Run the program with these options."""
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "friends.json"
        settings = {"explain_file": str(told), **options}
        environment = {f"ABUT_{name.upper()}": value for name, value in settings.items()}
        done = subprocess.run(
            [APPENDS, str(LISTS), str(NODES)],
            env={"LD_PRELOAD": LIBRARY, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done
        behind, whole = done.stdout.split()
        assert whole == "whole", done
        rules = json.loads(told.read_text())["friends"]
    return Told(int(behind), [rule for rule in rules if rule["state"] == "placing"])


class Appends(unittest.TestCase):
    """A list's last node is the friend of the next."""

    def test_nodes_lie_behind_their_friends(self) -> None:
        placed = appended(friends="on")
        (rule,) = placed.rules
        assert placed.behind > 700
        assert rule["attempts"] > 0.8 * NODES
        assert rule["runs"] > LISTS

    def test_forwarded_nodes_have_their_friends_found_and_lie_where_they_would_without(
        self,
    ) -> None:
        placed, forwarded, without = (appended(friends=how) for how in ("on", "forwarded", "off"))
        (here,), (there,) = placed.rules, forwarded.rules
        assert without.rules == []
        assert forwarded.behind == without.behind
        assert abs(there["attempts"] - here["attempts"]) < 0.05 * NODES
        assert there["runs"] == 0
        assert there["holes"] == 0

    def test_a_friend_comes_before_a_group(self) -> None:
        (rule,) = appended(friends="on", groups="on").rules
        assert rule["attempts"] > 0.8 * NODES


if __name__ == "__main__":
    unittest.main()
