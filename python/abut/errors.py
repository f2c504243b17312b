"""How the command line fails: one exception, and the exit codes it may carry.

An error names the thing, the reason and the fix; `cli` prints it and exits.
"""

FAILED = 1
USAGE = 2
DIFFERENT = 3
RUN_FAILED = 125
NOT_EXECUTABLE = 126
NOT_FOUND = 127
INTERRUPTED = 130


class AbutError(Exception):
    """Something the user can understand and fix.

    `problem` names the thing and the reason, `fix` what to do about it, and `exit_code` is what
    the process ends with.
    """

    def __init__(self, problem: str, *, fix: str = "", exit_code: int = FAILED) -> None:
        super().__init__(problem)
        self.problem = problem
        self.fix = fix
        self.exit_code = exit_code

    def __str__(self) -> str:
        return f"{self.problem}\n  fix: {self.fix}" if self.fix else self.problem


class NotHere(AbutError):
    """Something that this machine lacks, and that the work can go on without."""
