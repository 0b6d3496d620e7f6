"""Programs that know more than the kernel's files: asked with a limit, and optional each."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, Optional

# A disk that does not answer is waited for by smartctl and sg_ses, for a minute or more.
LIMIT = 20.0
_MOST_LETTERS = 4 << 20


class HostCommands:
    """The programs of this machine."""

    def __init__(self, limit: float = LIMIT) -> None:
        self._limit = limit

    def output(self, *words: str) -> Optional[str]:
        """What a program prints, whatever it returns; None if it is not there or too slow.

        smartctl's exit code tells of the disk and not of itself.
        """
        if shutil.which(words[0]) is None:
            return None
        try:
            done = subprocess.run(
                words,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=self._limit,
                check=False,
                stdin=subprocess.DEVNULL,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout[:_MOST_LETTERS] or None

    def json(self, *words: str) -> Any:
        """The same as JSON; an empty object where there is none."""
        try:
            found = json.loads(self.output(*words) or "{}")
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}


class RecordedCommands(HostCommands):
    """What programs printed on another machine: files named by their words, "/" as "_"."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def output(self, *words: str) -> Optional[str]:
        try:
            file = self._folder / " ".join(words).replace("/", "_")
            return file.read_text(encoding="utf-8", errors="replace")[:_MOST_LETTERS] or None
        except OSError:
            return None
