"""Whether a plan is for a program: what the heap itself would find out, said before it starts."""

from pathlib import Path

from abut.elf import build_id
from abut.errors import RUN_FAILED, AbutError
from abut.program import executable_of
from abut.tuning.plan import read_plan
from abut.tuning.profile import Profile


def check_program(plan: Path, program: Path) -> None:
    """Raise AbutError where the plan is damaged, or made for another program or build.

    A script's program is its interpreter.
    """
    try:
        wanted = read_plan(plan).program
    except AbutError as error:
        error.exit_code = RUN_FAILED
        raise
    found = program_build_id(program)
    if found is not None and found != wanted:
        raise AbutError(
            f"{plan}: made for another program, or another build: its build-id is {wanted[:12]}, "
            f"that of {program} is {found[:12] or 'none'}",
            fix="record and place again, or `abut tune`",
            exit_code=RUN_FAILED,
        )


def other_program(path: Path, profile: Profile, program: Path) -> str:
    """A warning, where the profile was measured with another program than that of this file."""
    if profile.program == program.name or profile.build_id == program_build_id(program):
        return ""
    return f"warning: {path} was measured with {profile.program}, not {program.name}"


def program_build_id(program: Path) -> str | None:
    """The build-id of an executable or of the interpreter of a script; None where it is neither."""
    found = executable_of(program)
    return build_id(found) if found else None
