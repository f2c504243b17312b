"""What to type or to edit for each kind of change."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from abut.advice.culprits import Culprit
from abut.advice.trials import ALIGN, APART, ORDER, REORDER, RUN, SHRINK, SPLIT, SPREAD, Trial

PAD, REUSE = "pad", "reuse"
# The simplest first: commands, a line, a structure, a program's own order.
SIMPLEST = (RUN, APART, ORDER, ALIGN, SHRINK, REORDER, SPREAD, SPLIT)
_CONTAINERS = {"std::list<": "list", "std::map<": "map", "std::set<": "set"}
_LINE = 64


@dataclass(frozen=True, slots=True)
class Action:
    """One change. `code` is what to type (`$ ...`) or to edit; it can be copied."""

    kind: str
    title: str
    code: str


def action_of(trial: Trial, culprit: Culprit, command: Sequence[str], proposed: str) -> Action:
    """The change that leads to a trial's layout."""
    run, where = shlex.join(command), _where(culprit)
    name = culprit.structure.name if culprit.structure else culprit.type
    match trial.kind:
        case "run":
            title = "use a heap that keeps objects of one size together, without headers"
            return Action(RUN, title, f"$ abut run -- {run}")
        case "apart":
            title = f"give {culprit.what} pages of their own"
            return Action(APART, title, f"$ abut run --option place=pools -- {run}")
        case "order":
            title = f"lay {culprit.what} out in the order in which they are used"
            return Action(ORDER, title, "\n".join([f"$ abut tune -- {run}", *_hints(culprit)]))
        case "align":
            title = f"begin each {name} at a line: {culprit.size} -> {trial.size} bytes"
            many = "   /* and many in one block: one by one, they take more */"
            code = f"{where}\n{_aligned(culprit, name, trial.size)}{many}"
            return Action(ALIGN, title, code)
        case "spread":
            title = f"let {culprit.what} begin at different lines of their pages"
            code = f"malloc(size + 64 * {_LINE}) + (i % 64) * {_LINE}   /* i counts them */"
            return Action(SPREAD, title, f"{where}\n{code}")
        case "shrink":
            title = f"order the members of {name}: {culprit.size} -> {trial.size} bytes"
        case "reorder":
            title = f"put the hot members of {name} first, on one line"
        case _:
            title = f"split {name}: hot members in {trial.size} bytes, cold ones elsewhere"
    return Action(trial.kind, title, f"{where}\n{proposed}")


def pad_action(culprit: Culprit, inside: Sequence[str]) -> Action:
    """Against false sharing; `inside`: the fields, where they are of one object."""
    if inside:
        words = " and ".join(inside)
        align = "_Alignas" if _is_c(culprit) else "alignas"
        code = f"{align}({_LINE})   /* of each: {words} */"
        return Action(PAD, f"give {words} lines of their own", f"{_where(culprit)}\n{code}")
    structure = culprit.structure.name if culprit.structure else culprit.element
    name = structure or culprit.type
    title = f"give each thread's {name} lines of its own"
    padded = -(-max(culprit.size, 1) // _LINE) * _LINE
    return Action(PAD, title, f"{_where(culprit)}\n{_aligned(culprit, name, padded)}")


def reuse_action(culprit: Culprit, kept: int) -> Action:
    """Against objects that are made and freed again and again; at most `kept` live at a time."""
    many = "one object" if kept <= 1 else f"at most {kept} objects"
    title = f"use {many} again in place of allocating each time"
    text = culprit.type.startswith(("std::string", "std::vector", "Vec<", "String"))
    code = (
        "declare it before the loop, and clear() it in the loop: it keeps its memory"
        if text
        else "allocate it before the loop, or take it from the stack or from a free list"
    )
    return Action(REUSE, title, f"{_where(culprit)}\n/* {code} */")


def _where(culprit: Culprit) -> str:
    return f"/* {culprit.name.where} */"


def _is_c(culprit: Culprit) -> bool:
    return Path(culprit.name.file).suffix in (".c", ".h")


def _hints(culprit: Culprit) -> list[str]:
    for begin, container in _CONTAINERS.items():
        if culprit.type.startswith(begin):
            inside = culprit.type.removeprefix("std::").removesuffix(" node")
            return [
                f"or, at {culprit.name.where}:",
                f"#include <abut/{container}.hpp>",
                f"abut::{inside}   /* and relayout() once it is built */",
            ]
    if culprit.size and culprit.size <= 256:  # noqa: PLR2004 - what hints are for
        name = culprit.structure.name if culprit.structure else str(culprit.size)
        size = f"sizeof({name})" if culprit.structure else name
        return [
            f"or, at {culprit.name.where}:",
            "#include <abut/abut.h>",
            f"abut_malloc_near({size}, previous)   /* the object that is used before it */",
        ]
    return []


def _aligned(culprit: Culprit, name: str, size: int) -> str:
    line = min(_LINE, size)
    if _is_c(culprit):
        return f"aligned_alloc({line}, {size})"
    if culprit.structure or culprit.element:
        return f"struct alignas({line}) {name}"
    return f"operator new({size}, std::align_val_t({line}))"
