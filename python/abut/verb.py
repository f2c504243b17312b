"""What all verbs have in common: how their options are read, and which are refused."""

import re
from itertools import chain, zip_longest
from typing import Any

import typer.core

from abut.errors import USAGE, AbutError, ReaderLeft, unknown

_given: dict[str, str] = {}
_MOST = (1 << 63) - 1  # of what counts and seeds may be


def _nothing(ctx: Any) -> None:
    """The type of what takes no value."""


class _Shown:
    """Help whose examples stay one a line: what is indented is shown as code."""

    help: str | None

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Show the help."""
        plain = self.help
        parts = re.split(r"((?:\n    .+)+)", plain or "")
        code = [f"\n```text{part.replace('    ', '')}\n```" for part in parts[1::2]]
        self.help = "".join(chain(*zip_longest(parts[::2], code, fillvalue="")))
        shown: Any = self
        for param in shown.get_params(ctx):
            if getattr(param, "is_bool_flag", False):
                # `<bool>` would say that a value follows.
                param.display_type_rich = _nothing
        super().format_help(ctx, formatter)  # type: ignore[misc]
        self.help = plain


class Verbs(_Shown, typer.core.TyperGroup):
    """A verb with verbs of its own."""


class Front(typer.core.TyperGroup):
    """All verbs. A reader that leaves is an error of its own: both libraries would exit with 1."""

    def invoke(self, ctx: Any) -> Any:
        """Run the verb. Raises ReaderLeft."""
        try:
            return super().invoke(ctx)
        except (BrokenPipeError, SystemExit) as error:
            if isinstance(error, OSError) or isinstance(error.__context__, BrokenPipeError):
                raise ReaderLeft from error
            raise


class Verb(_Shown, typer.core.TyperCommand):
    """A verb whose options never take `--`, or another option, for their value."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options. Raises AbutError that names what is wrong."""
        try:
            rest = super().parse_args(ctx, args)
        except Exception as error:
            if choice := _choice_error(error):
                raise choice from None
            raise
        options = [one for one in self.params if one.opts[0].startswith("-")]
        known = {name for option in options for name in option.opts} | {"--"}
        _given.clear()
        for option in options:
            name, value = max(option.opts, key=len), ctx.params.get(option.name or "")
            for each in value if isinstance(value, list | tuple) else [value]:
                if str(each) in known:
                    raise AbutError(
                        f"{name}: its value is missing: what follows it is '{each}'",
                        fix=f"{name} {option.metavar or 'VALUE'}"
                        + (" -- PROGRAM" if each == "--" else f" {each}"),
                    )
                if isinstance(each, int | float) and not abs(each) <= _MOST:  # so NaN, too
                    raise AbutError(
                        f"{name}: {each} is no number that can be counted with",
                        fix=f"give one up to {_MOST}",
                    )
            source = ctx.get_parameter_source(option.name or "")
            if source is not None and source.name == "COMMANDLINE":
                _given[option.name or ""] = name
        return rest


def _choice_error(error: Exception) -> AbutError | None:
    """What a wrong choice is answered with; None where the error is another."""
    parameter = getattr(error, "param", None)
    found = re.search(r"'(.*?)' is not one of (.*)", getattr(error, "message", ""))
    if parameter is None or not found:
        return None
    shown = max(parameter.opts, key=len) if parameter.opts[0][0] == "-" else parameter.name
    return unknown(str(shown), found[1], re.findall(r"'(.*?)'", found[2]))


def words_of(text: str) -> list[str]:
    """The words of a list with commas."""
    return [word.strip() for word in text.split(",") if word.strip()]


def refuse(why: str, *names: str, fix: str = "leave it out") -> None:
    """Raise AbutError where one of these parameters is given, though it would have no effect."""
    if found := [_given[name] for name in names if name in _given]:
        raise AbutError(f"{', '.join(found)}: no effect here: {why}", fix=fix, exit_code=USAGE)
