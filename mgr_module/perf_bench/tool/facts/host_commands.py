"""Run programs that know more than the kernel's files; each is optional and has a time limit."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, Optional

# Seconds. smartctl and sg_ses wait a minute or more for a disk that does not answer.
LIMIT = 20.0
_MOST_LETTERS = 4 << 20


class HostCommands:
    """The programs of this machine."""

    def __init__(self, limit: float = LIMIT) -> None:
        self._limit = limit

    def output(self, *words: str) -> Optional[str]:
        """A program's stdout, whatever its exit code; None if it is not installed or too slow.

        The exit code is ignored because smartctl's describes the disk.
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
        """A program's JSON object; empty if it prints none."""
        try:
            value = json.loads(self.output(*words) or "{}")
        except (ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}


class RecordedCommands(HostCommands):
    """Outputs recorded on another machine, in files named by the command, with "_" for "/"."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def output(self, *words: str) -> Optional[str]:
        try:
            file = self._folder / " ".join(words).replace("/", "_")
            return file.read_text(encoding="utf-8", errors="replace")[:_MOST_LETTERS] or None
        except OSError:
            return None
