import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import docs_data
import proof
import proof_tables

ROOT = Path(__file__).resolve().parents[3]


def document(**cells: dict[str, float]) -> dict[str, Any]:
    """Of user times by heap, for each benchmark."""

    def cell(value: float, first: float) -> dict[str, Any]:
        ratio = value / first
        return {
            "median": {"value": value, "low": value, "high": value},
            "to_reference": {"value": ratio, "low": ratio - 0.01, "high": ratio + 0.01},
        }

    heaps = list(next(iter(cells.values())))
    return {
        "heaps": heaps,
        "benchmarks": [
            {
                "name": name,
                "figures": {"user": {h: cell(v, times[heaps[0]]) for h, v in times.items()}},
            }
            for name, times in cells.items()
        ],
        "machine": {"processor": "P", "cores": 2, "virtual": False, "caches": [], "system": "S"},
        "versions": {"glibc": "2.36", "python-abut": "0.1.0"},
        "settings": {"runs": 3},
        "proof": {
            "figures": ["user"], "commit": "c", "date": "d", "minutes": 1, "load_before": 0,
            "command": "abut compare",
        },
    }  # fmt: skip


SOME = document(
    quick={"glibc": 1.0, "peer": 0.8, "abut": 0.5},
    slow={"glibc": 1.0, "peer": 0.8, "abut": 0.9},
)


def test_a_summary_says_where_it_loses() -> None:
    text = proof_tables.summary(SOME)
    assert "Of 2, abut is the best on 1, and more than 2 % behind the best on 1: slow." in text
    assert "| user time, geometric mean of 2 | 1.00 | 0.80 | **0.67** |" in text
    assert "| furthest behind the best | 2.00 (quick) | 1.60 (quick) | 1.12 (slow) |" in text
    assert "glibc 2.36" in text
    assert "python-abut" not in text


def test_the_first_lines_say_whether_it_is_below_every_peer() -> None:
    text = proof_tables.first_lines(SOME)
    assert "On 2 real programs, abut takes 0.671 of the user time under glibc in the mean" in text
    assert "below every other heap. In user time it is more than 2 % behind the best" in text
    assert text.endswith("furthest by 12 % (slow).")
    behind = document(slow={"glibc": 1.0, "peer": 0.8, "abut": 0.9})
    assert "(peer takes 0.889 of that)" in proof_tables.first_lines(behind)
    tied = document(tied={"glibc": 1.0, "peer": 0.901, "abut": 0.9})
    assert "level with peer, below every other heap" in proof_tables.first_lines(tied)
    level = document(level={"glibc": 1.0, "abut": 0.9})
    assert proof_tables.first_lines(level).endswith("on 0 of them.")


def test_the_first_lines_say_the_same_of_wall_time() -> None:
    both = document(one={"glibc": 1.0, "peer": 0.9, "abut": 0.8})
    walls = document(one={"glibc": 1.0, "peer": 0.8, "abut": 0.9})
    both["proof"]["figures"] = ["user", "wall", "rss"]
    both["benchmarks"][0]["figures"]["wall"] = walls["benchmarks"][0]["figures"]["user"]
    assert proof_tables.first_lines(both) == (
        "On 1 real programs, abut takes 0.800 of the user time under glibc in the mean, below every"
        " other heap, and 0.900 of the wall time under glibc in the mean, not below every other"
        " heap (peer takes 0.889 of that). In user time it is more than 2 % behind the best heap of"
        " a program on 0 of them."
    )


def test_losses_are_the_rows_in_which_it_is_behind() -> None:
    text = proof_tables.losses(SOME)
    assert "| slow | 1.00 ±0.01 | **0.80** ±0.01 | 0.90 ±0.01 |" in text
    assert "quick" not in text


def test_the_pages_show_what_the_files_say() -> None:
    files = list(proof.PUBLISHED.glob("*.json"))
    assert files
    for page in proof.PAGES:
        assert proof.filled(page.read_text()) == page.read_text(), page.name


def test_no_table_waits_for_a_file_that_no_step_makes() -> None:
    steps = {step.name for step in proof.STEPS}
    text = "".join(page.read_text() for page in proof.PAGES)
    places = [(m["step"], m["table"]) for m in proof._PLACE.finditer(text)]
    assert {step for step, _ in places} == steps
    assert {table for _, table in places} == set(proof_tables.TABLES)


def test_what_is_kept_has_no_samples() -> None:
    for file in proof.PUBLISHED.glob("*.json"):
        kept = json.loads(file.read_text())
        assert set(kept) == {"proof", "machine", "versions", "settings", "heaps", "benchmarks"}
        assert file.stat().st_size < 200_000


@pytest.mark.long
def test_a_quick_proof_measures_a_little_of_each_table(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "tools/proof.py"), "--quick", "--folder", str(tmp_path)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if "redis-benchmark of Redis 6.2 or later is needed" in done.stderr:
        pytest.skip("Redis is too old")
    assert done.returncode == 0, done.stderr
    for step in proof.STEPS:
        assert f"## {step.name}\n" in done.stdout
        assert json.loads((tmp_path / f"{step.name}.json").read_text())["benchmarks"]


def test_every_page_with_measured_places_has_a_step() -> None:
    measured = {
        str(page.relative_to(ROOT))
        for page in docs_data.pages()
        if any(place.kind == "measured" for place in docs_data.places(page))
    }
    assert measured == {page for step in proof.PAGE_STEPS for page in step.pages}
