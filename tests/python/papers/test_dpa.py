"""`abut paper dpa`: what is counted and printed, and that the library knows every variant."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from abut.heaps import preload, require_heap
from abut.measure.workload import Workload
from abut.places import library_candidate
from abut_papers.dpa import bench as dpa
from abut_papers.dpa import rows
from abut_papers.dpa.rows import Groups, ProgramRow, variants
from abut_papers.dpa.tables import DpaResult

LEVELS = ("pentium4 L2", "modern L2", "modern L1 TLB")


def group(number: int, root: int, state: str, objects: int, chain: int = 1) -> dict[str, Any]:
    return {"id": number, "root": root, "state": state, "objects": objects, "chain": chain}


def row(name: str, factor: float) -> ProgramRow:
    seconds = dict.fromkeys(variants(), 2 * factor) | {rows.PLAIN: 2.0}
    counted = Groups(groups=4, pooled=3, pools=2, pooled_objects=100, merged_objects=40)
    misses = {
        rows.PLAIN: dict.fromkeys(LEVELS, 1000),
        rows.GLIBC: dict.fromkeys(LEVELS, 800),
        rows.DPA: dict.fromkeys(LEVELS, 500),
        rows.BORN: dict.fromkeys(LEVELS, 250),
    }
    asked = [*rows.MERGES.values(), rows.PATCHED, *rows.CHAINS.values()]
    pairs = {rows.PLAIN: 4e-9, rows.DPA: 5e-9, rows.GLIBC: 0.01}
    return ProgramRow(name, seconds, seconds, dict.fromkeys(asked, counted), misses, pairs)


def test_groups_are_counted_by_what_became_of_them() -> None:
    counted = dpa.counted(
        [
            group(1, 1, "pooled", 500),
            group(2, 1, "pooled", 100),
            group(3, 3, "pooled", 200),
            group(4, 4, "few", 7, chain=3),
        ]
    )
    assert (counted.groups, counted.pooled, counted.pools) == (4, 3, 2)
    assert (counted.objects, counted.pooled_objects, counted.merged_objects) == (807, 800, 600)
    assert counted.merged_share == 0.75
    assert counted.look_ups == (800 + 7 * 3) / 807
    assert counted.hits == 1 - 4 / 807


def test_means_are_geometric_and_told_beside_the_authors() -> None:
    result = DpaResult([row("one", 0.5), row("other", 2.0)])
    assert result.mean(rows.DPA) == pytest.approx(1.0)
    assert result.mean_misses(rows.DPA, "modern L2") == pytest.approx(0.5)
    claim = result.claims()[-1]
    assert claim[:3] == ("table 4: modern L1 TLB misses by glibc's", "0.70", f"{0.5 / 0.8:.2f}")


def test_what_is_saved_has_three_parts() -> None:
    """Of glibc's 2 s, DPA saves 1, and 0.6 of it with headers; 100 pooled objects cost it 1 ms less
    each.
    """
    one = row("one", 1.0)
    seconds = {**one.seconds, rows.GLIBC: 2.0, rows.PADDED: 1.4, rows.DPA: 1.0}
    pairs = {rows.GLIBC: 0.003, rows.DPA: 0.002}
    requests, layout, working_set = replace(one, seconds=seconds, pair_seconds=pairs).gains()
    assert (requests, layout, working_set) == pytest.approx((0.05, 0.25, 0.2))


NAMED = """
#include <stdio.h>
#include <stdlib.h>
typedef struct node { struct node *next; long value; } node;
__attribute__((noinline)) static void *safe(size_t bytes) {
  void *memory = malloc(bytes);
  if (!memory) abort();
  return memory;
}
__attribute__((noinline)) static void *maybe(size_t bytes) { return bytes ? malloc(bytes) : NULL; }
static node *add(node *one, node *to) { one->next = to; one->value = 1; return one; }
int main(void) {
  node *lists[4] = {0};
  void *volatile first = BEFORE ? malloc(1) : NULL;
  for (int i = 0; i < 20000; ++i) {
    lists[0] = add(malloc(sizeof(node)), lists[0]);
    lists[1] = add(safe(sizeof(node)), lists[1]);
    lists[2] = add(safe(sizeof(node)), lists[2]);
    lists[3] = add(maybe(sizeof(node)), lists[3]);
  }
  long sum = 0;
  for (int i = 0; i < 4; ++i) for (node *at = lists[i]; at; at = at->next) sum += at->value;
  printf("%ld", sum);
}
"""


def compiled(folder: Path, source: str, level: str) -> Workload:
    (folder / "program.c").write_text(source)
    build = ["gcc", level, "-g", "-o", "program", "program.c"]
    subprocess.run(build, cwd=folder, check=True)
    return Workload("program", "", "program", (str(folder / "program"),), folder)


@pytest.mark.skipif(
    b"built without Zydis" in library_candidate().read_bytes(), reason="there is no Zydis 4"
)
@pytest.mark.parametrize("before", [0, 1])
def test_call_sites_name_the_group_that_surely_follows(tmp_path: Path, before: int) -> None:
    """With a pool: a request's, and those of two calls of a wrapper that surely requests."""
    workload = compiled(tmp_path, NAMED.replace("BEFORE", str(before)), "-O1")
    heap = require_heap("dpa-patched")
    found = dpa.groups_of(workload, heap)
    assert found.by_code == pytest.approx(3 / 4, abs=0.02)
    assert found.pools == 4
    assert dpa.groups_of(workload, require_heap("abut+place=pools")).by_code == 0
    environment = {**heap.environment, "LD_PRELOAD": preload(heap, "")}
    assert subprocess.check_output(workload.argv, env=environment) == b"80000"


LONERS = """
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  free(realpath("/", NULL)); // a thread's first request makes its heap, and is in no group
  for (int i = 0; i < 4000; ++i) if (!malloc(24)) return 1;
  printf("whole");
}
"""


@pytest.mark.parametrize(("variant", "bytes_each"), [("forwarded", 0), ("padded", 48)])
def test_pools_are_measured_without_placing_and_with_headers(
    tmp_path: Path, variant: str, bytes_each: int
) -> None:
    """Of the 4000 objects of a group, which take 32 bytes, the first hundred lie elsewhere."""
    workload = compiled(tmp_path, LONERS, "-O1")
    heap = require_heap(f"dpa-{variant}")
    explained = tmp_path / "groups.json"
    environment = {**heap.environment, "LD_PRELOAD": preload(heap, "")}
    environment["ABUT_EXPLAIN_FILE"] = str(explained)
    assert subprocess.check_output(workload.argv, env=environment) == b"whole"
    groups = json.loads(explained.read_text())["groups"]
    (group,) = (one for one in groups if one["site"].startswith("program"))
    assert group["state"] == "pooled"
    assert group["pool_bytes"] == (4000 - 100) * bytes_each


LIST_OF_FIGURE_3 = """
#include <stdlib.h>
typedef struct node { int *data; struct node *next; } node;
static node *volatile head;
int main(void) {
  head = malloc(sizeof(node)); head->data = malloc(24); head->next = 0;
  for (int i = 0; i < 1500; ++i) {
    node *one = malloc(sizeof(node)); one->data = malloc(24); one->next = head; head = one;
  }
  for (int i = 0; i < 1500; ++i) {
    node *here = head;
    for (int step = i * 7 % 1400; step > 0; --step) here = here->next;
    node *temp = malloc(sizeof(node)); temp->data = malloc(24); temp->next = here->next;
    here->next = temp;
  }
}
"""


def test_the_list_of_figure_3_is_merged_by_types_one_and_two(tmp_path: Path) -> None:
    """Nodes that link to each other are of type I; their data, at one offset, of type II."""
    workload = compiled(tmp_path, LIST_OF_FIGURE_3, "-O0")
    merged = {}
    for merge in ("apart", "linked"):
        heap = require_heap(f"abut+place=pools:{merge}")
        merged[merge] = dpa.groups_of(workload, heap)
    assert (merged["apart"].pooled, merged["apart"].pools) == (4, 4)
    assert (merged["linked"].pooled, merged["linked"].pools) == (4, 2)
    assert merged["linked"].merged_share == 1
