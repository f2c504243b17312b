"""`abut completion`: the script that lets a shell complete verbs and options."""

import contextlib
import io
import os
from enum import StrEnum
from typing import Annotated

import typer

from abut.cli import COMPLETION_VARIABLE, VERBS, build_app


class Shell(StrEnum):
    """The shells that completion scripts exist for."""

    bash = "bash"
    zsh = "zsh"
    fish = "fish"


def command(shell: Annotated[Shell, typer.Argument(help="The shell that is to complete.")]) -> None:
    """Print the completion script for a shell; have the shell's start-up file evaluate it.

    Example:

        abut completion bash > ~/.local/share/bash-completion/completions/abut
    """
    # typer prints the script itself when it finds this variable, and ends.
    os.environ[COMPLETION_VARIABLE] = f"source_{shell}"
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
        build_app(list(VERBS), completes=True)([], prog_name="abut")
    print(printed.getvalue().strip())  # zsh looks at the first line only
