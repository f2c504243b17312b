"""How the command line fails: one exception, and the exit codes that there are.

An error names the thing, the reason and the fix; `cli` prints it and exits.
"""

import errno
from collections.abc import Iterable

NO = 1
USAGE = 2
RUN_FAILED = 125
NOT_EXECUTABLE = 126
NOT_FOUND = 127
INTERRUPTED = 130
EXITS = {
    0: "done; or the answer is yes",
    NO: "the answer is no: `trace check` finds faults, `compare` differences, `tune --check` a"
    " profile that no longer wins, `doctor` something that is missing",
    USAGE: "it cannot be done: the command line is wrong, or what it names is missing or unusable;"
    " the message says why, and what to do",
    RUN_FAILED: "`run` and `record`: abut itself failed, and the program was not started",
    NOT_EXECUTABLE: "`run`, `record`: the program is there and cannot be executed",
    NOT_FOUND: "`run`, `record`: there is no such program",
    INTERRUPTED: "interrupted",
}
RUN_EXITS = "Any other exit code of `run`, `record`, `cc` and `c++` is the program's own."


class AbutError(Exception):
    """Something the user can understand and fix.

    `problem` names the thing and the reason, `fix` what to do about it, and `exit_code` is what
    the process ends with: USAGE, where nothing else is said.
    """

    def __init__(self, problem: str, *, fix: str = "", exit_code: int | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.fix = fix
        self.exit_code = exit_code

    def __str__(self) -> str:
        return f"{self.problem}\n  fix: {self.fix}" if self.fix else self.problem


class ReaderLeft(Exception):
    """Nobody reads what is printed any more; the command ends as the shell's own tools do."""


class NotHere(AbutError):
    """Something that this machine lacks, and that the work can go on without."""


_FIXES = {
    errno.ENOENT: "name one that is there",
    errno.EISDIR: "name a file inside it",
    errno.EACCES: "name one that you may use, or have it allowed",
    errno.ENOSPC: "make room",
}


def refused(path: object, error: OSError) -> AbutError:
    """The error of a file that the system does not open, read or write."""
    fix = _FIXES.get(error.errno or 0, "name another file")
    return AbutError(f"{path}: {error.strerror}", fix=fix)


def last_lines(said: str, most: int) -> str:
    """The last lines of what a program said, to go on with a problem."""
    return "".join(f"\n    {line}" for line in said.splitlines()[-most:])


def unknown(what: str, given: str, known: Iterable[str], more: str = "") -> AbutError:
    """The error of a choice that there is not. It names those that there are, the nearest first."""
    from difflib import get_close_matches

    names = list(dict.fromkeys(known))
    near = get_close_matches(given, names, n=len(names) or 1, cutoff=0.5)
    choices = ", ".join([*near, *(name for name in names if name not in near)])
    problem = f"{what}: there is none called '{given}'"
    return AbutError(problem, fix=f"choose of {choices}{more}", exit_code=USAGE)
