"""What won, as a profile, with how it did."""

import shlex
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import abut
from abut.machine import this_machine
from abut.program import find_program
from abut.targets import write
from abut.tuning.objective import FIGURES
from abut.tuning.profile import Profile, profile_text, read_profile
from abut.tuning.program import program_build_id
from abut.tuning.tuning import Tuning


def write_kept(result: Tuning) -> None:
    """Write the winner as a profile, and its plan beside it; it then has the profile's settings."""
    request, winner = result.request, result.winner
    assert winner is not None
    settings = dict(winner.settings)
    if "plan" in settings:
        # Whole, in a file of its own: programs have the old one mapped.
        write(request.plan, Path(settings["plan"]).read_bytes())
        settings["plan"] = request.plan.name
    # Contexts were raced by a profile of their own.
    assigned = read_profile(Path(path)) if (path := settings.pop("profile", "")) else None
    if assigned:
        settings = {**assigned.settings, **settings}
    result.winner = replace(winner, settings=settings)
    program = find_program(request.train[0].argv[0])
    machine = this_machine()
    profile = Profile(
        program.name,
        program_build_id(program) or "",
        {"processor": machine.processor, "cores": machine.cores, "system": machine.system},
        settings,
        _evidence(result),
        assigned.modules if assigned else {},
        assigned.contexts if assigned else (),
        request.objective.text,
    )
    write(request.output, profile_text(profile))


def others_of(result: Tuning) -> str:
    """How it does in the figures that the objective has not."""
    return ", ".join(f"{FIGURES[name]} {result.others[name]}" for name in sorted(result.others))


def _evidence(result: Tuning) -> list[str]:
    """What was measured, for a reader of the profile."""
    request, winner = result.request, result.winner
    assert winner is not None
    assert result.gain is not None
    lines = [
        f"abut {abut.__version__}, {datetime.now(UTC):%Y-%m-%d}: {winner.name} takes {result.gain} "
        f"of the {request.objective} under the default, in {result.gain.rounds} rounds",
        *([f"besides: {others}"] if (others := others_of(result)) else []),
        f"why: {winner.why}",
        *(f"trained with: {shlex.join(one.measure or one.argv)}" for one in request.train),
    ]
    if result.confirmed:
        tests = (shlex.join(one.measure or one.argv) for one in request.test)
        lines += [f"tested with: {test}" for test in tests]
    if result.confirmed is None:
        lines.append("interrupted: it was not measured again, so part of the gain may be luck")
    elif not request.test:
        lines.append("no other input was tested: that it holds for others is not proven")
    return lines
