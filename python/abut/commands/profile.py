"""`abut profile`: look into profiles, and merge them."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from abut.targets import check_target, write
from abut.verb import Verb, Verbs

app = typer.Typer(cls=Verbs, no_args_is_help=True, rich_markup_mode="markdown")
_HELP = """Look into profiles, and merge them.

Examples:

    abut profile show lua5.4.profile
    abut profile merge -o both.profile one.profile other.profile
"""
app.callback(help=_HELP)(lambda: None)


@app.command(cls=Verb)
def show(
    path: Annotated[Path, typer.Argument(metavar="PROFILE", help="What `abut tune` wrote.")],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
) -> None:
    """Say what a profile sets, for which program, and what was measured; check all of it.

    Example:

        abut profile show lua5.4.profile
    """
    from abut.tuning.profile import read_profile

    profile = read_profile(path)
    if json:
        from abut.reporters.trace import document

        print(
            document(
                program=profile.program,
                build_id=profile.build_id,
                objective=profile.objective,
                machine=dict(profile.machine),
                settings=dict(profile.settings),
                modules=dict(profile.modules),
                contexts=[one._asdict() for one in profile.contexts],
                evidence=list(profile.evidence),
            )
        )
        return
    tuned = f", tuned for {profile.objective}" if profile.objective else ""
    print(f"{path}: for {profile.program}, build-id {profile.build_id[:12] or 'none'}{tuned}")
    for name, value in profile.settings.items():
        print(f"  {name} = {value}")
    for context in profile.contexts:
        print(f"  {context.calls}: {context.where}")
    print(*profile.evidence, sep="\n")
    print(f"next: abut run --profile {shlex.quote(str(path))} -- {profile.program}")


@app.command(cls=Verb)
def merge(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PROFILE...", help="Profiles of one program.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The profile.")],
    force: Annotated[bool, typer.Option("--force", help="Overwrite it.")] = False,
) -> None:
    """Write one profile with the settings of several, which must not contradict each other.

    The comments of all are kept; program and machine are those of the last, and the objective is
    kept if all have the same.

    Example:

        abut profile merge -o both.profile one.profile other.profile
    """
    from abut.tuning.profile import merged, profile_text, read_profile

    check_target(output, paths, force=force)
    profiles = {path: read_profile(path) for path in paths}
    write(output, profile_text(merged(profiles, output.parent)))
    print(f"{output}: {len(paths)} profiles in one")
    print(f"next: abut profile show {shlex.quote(str(output))}")
