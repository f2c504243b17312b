"""What a program does under the library that ctest names, and what that explains."""

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

LIBRARY = os.environ["ABUT_TESTED"]


def explained(program: str, *words: object, **options: object) -> tuple[str, dict[str, Any], str]:
    """What it prints with these options of the heap, the explanation, and what was said."""
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder) / "explained.json"
        options = {"explain_file": found, **options}
        done = subprocess.run(
            [program, *map(str, words)],
            env={f"ABUT_{name.upper()}": str(value) for name, value in options.items()}
            | {"LD_PRELOAD": LIBRARY},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done
        return done.stdout, json.loads(found.read_text()), done.stderr
