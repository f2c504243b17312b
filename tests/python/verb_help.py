"""The commands that there are, as the command line is built from them."""

from typing import Any

import typer.main

from abut.cli import VERBS, build_app


def commands() -> dict[str, Any]:
    group: Any = typer.main.get_command(build_app(list(VERBS)))
    found: dict[str, Any] = {}
    for name, command in group.commands.items():
        children = getattr(command, "commands", {})
        found |= {f"{name} {child}": one for child, one in children.items()} or {name: command}
    return found


COMMANDS = commands()
