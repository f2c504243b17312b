"""Places for contexts: proposals from a recorded run, those that the simulator sees a gain in.

Who loses most to misses gets a pool of its own, or shares one with those that it is used or born
together with; what the heap has beside friends may be plain. Whether that pays, the simulator says.
From the best start, a local search moves one context at a time.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from abut.elf import functions_at
from abut.targets import write
from abut.trace.native import Array
from abut.tuning.assignment import Assignment, Place
from abut.tuning.keys import Key
from abut.tuning.objects import Objects
from abut.tuning.planning import Recorded
from abut.tuning.policies import Policy
from abut.tuning.predictor import Predictor
from abut.tuning.profile import BESIDE, MOST_MODULES, PLAIN, Assigned, Profile, profile_text
from abut.tuning.strategies.affinity import clusters

_MOST_MOVED, _MOST_WRITTEN = 12, 128  # contexts
_LEAST_OBJECTS = 256  # fewer do not justify a pool
_MOST_CALLS_TEXT = 48 << 10  # of a profile's 64 KiB
_MOST_RACED = 3
# Of the time before, for another step: most of it has nothing to do with where objects lie.
NEXT_STEP = 0.998


def context_policies(predictor: Predictor, folder: Path) -> list[tuple[float, Policy]]:
    """The assignments that promise most, the best first, each with the time predicted; none where
    there is nothing to gain. Their profiles lie in `folder`.
    """
    found = _searched(predictor)
    best = sorted((one for one in found if one[0] <= NEXT_STEP), key=lambda one: one[0])
    policies = []
    for predicted, name, assignment in best[:_MOST_RACED]:
        path = folder / f"{name}.profile"
        write(path, profile_text(_profile(predictor, {**predictor.befriended, **assignment})))
        why = f"contexts with places of their own; {predicted:.3f} of the time, simulated"
        policies.append((predicted, Policy(name, {"profile": str(path)}, why)))
    return policies


def beside(base: Policy, contexts: Policy) -> Policy:
    """The contexts in their places; all else as with `base`, which has friends or not."""
    has_friends = base.settings.get("place", "auto").startswith(("auto", "friends"))
    settings = {**contexts.settings, "place": "auto" if has_friends else "pools"}
    return base.beside(Policy(contexts.name, settings, contexts.why))


def _searched(predictor: Predictor) -> list[tuple[float, str, Assignment]]:
    """All starts, as far as there is time, and what a search from the best of them ended with."""
    objects = predictor.run.objects
    ranked = _ranked(objects, predictor.losses)
    found: list[tuple[float, str, Assignment]] = []
    for name, assignment in _starts(objects, ranked, predictor.befriended):
        is_new = all(assignment != other for *_, other in found)
        if assignment and is_new and predictor.has_time:
            found.append((predictor.assigned(assignment), name, assignment))
    if not found:
        return []
    best, _, start = min(found, key=lambda one: one[0])
    assignment = start
    for context in ranked:
        for moved in _moves(assignment, context, has_friends=context in predictor.befriended):
            if predictor.has_time and (predicted := predictor.assigned(moved)) < best * NEXT_STEP:
                best, assignment = predicted, moved
    if assignment != start:
        found.append((best, "contexts-searched", assignment))
    return found


def _ranked(objects: Objects, lost: Array) -> list[int]:
    """The contexts with enough objects, those that lose most first."""
    births = np.bincount(objects.context[objects.placeable], minlength=len(lost))
    order = np.argsort(-lost, kind="stable")
    ranked = [int(one) for one in order if one and lost[one] > 0 and births[one] >= _LEAST_OBJECTS]
    return ranked[:_MOST_MOVED]


def _starts(
    objects: Objects, ranked: Sequence[int], befriended: Assignment
) -> Iterator[tuple[str, Assignment]]:
    for context in ranked:
        if context in befriended:
            yield f"contexts-plain-{context}", {context: PLAIN}
    for count in sorted({min(wanted, len(ranked)) for wanted in (1, 2, 4, 8, _MOST_MOVED)}):
        yield f"contexts-apart-{count}", {one: n for n, one in enumerate(ranked[:count], 1)}
        yield f"contexts-together-{count}", dict.fromkeys(ranked[:count], 1)
    yield "contexts-affinity", dict(clusters(objects))


def _moves(
    assignment: Assignment, context: int, *, has_friends: bool
) -> Iterator[dict[int, Place]]:
    """All that differ in one context's place: another's pool, its own, or none; where it may have
    friends, plain or beside them, too.
    """
    others = {one: place for one, place in assignment.items() if one != context}
    pools = sorted({place for place in others.values() if isinstance(place, int)})
    places: list[Place] = [*pools, max(pools, default=0) + 1]
    for place in places + [PLAIN, BESIDE] * has_friends:
        if assignment.get(context) != place:
            yield {**others, context: place}
    if context in assignment and others:
        yield others


def _profile(predictor: Predictor, assignment: Assignment) -> Profile:
    """What the heap follows: the contexts that lose most, as many as there is room for."""
    run, lost = predictor.run, predictor.losses
    modules = {run.program: predictor.trace.modules()[0].path}
    written = sorted(assignment, key=lambda one: -lost[one])[:_MOST_WRITTEN]
    for context in written:
        for build_id, _ in run.keys.keys[context - 1]:
            path = next(one.path for one in predictor.trace.modules() if one.build_id == build_id)
            modules.setdefault(build_id, path)
    modules = dict(list(modules.items())[:MOST_MODULES])
    names = {build_id: Path(path).name.replace(" ", "_") for build_id, path in modules.items()}
    functions = _functions(run, written, modules)
    numbers: dict[int, int] = {}
    contexts: list[Assigned] = []
    for context in written:
        key = run.keys.keys[context - 1]
        if all(build_id in modules for build_id, _ in key):
            place = assignment[context]
            if isinstance(place, int):
                place = numbers.setdefault(place, len(numbers) + 1)
            contexts.append(Assigned(_calls(key, names, functions), place))
    while sum(len(one.calls) for one in contexts) > _MOST_CALLS_TEXT:
        contexts.pop()
    settings = {"chain": str(run.keys.depth)}
    return Profile(
        names[run.program],
        run.program,
        {},
        settings,
        modules={names[build_id]: build_id for build_id in modules},
        contexts=contexts,
    )


def _functions(
    run: Recorded, written: Sequence[int], modules: Mapping[str, str]
) -> dict[tuple[str, int], str]:
    """The names of the functions that the contexts' calls are in, by build-id and offset."""
    steps = {step for context in written for step in run.keys.keys[context - 1]}
    found: dict[tuple[str, int], str] = {}
    for build_id, path in modules.items():
        offsets = [offset for module, offset in steps if module == build_id]
        for offset, name in functions_at(Path(path), offsets).items():
            found[build_id, offset] = name
    return found


def _calls(key: Key, names: Mapping[str, str], functions: Mapping[tuple[str, int], str]) -> str:
    return " ".join(
        f"{names[step[0]]}+{step[1]:#x}" + (f"({functions[step]})" if step in functions else "")
        for step in key
    )
