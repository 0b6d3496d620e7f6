"""Run programs that know more than the kernel's files; each is optional and has a time limit."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Optional

# Seconds. smartctl and sg_ses wait a minute or more for a disk that does not answer.
LIMIT = 20.0
# Seconds that all programs together may hang before each next one gets only the least time: a
# shelf of a hundred disks that hang must not cost the facts (the service's limit is 15 minutes).
PATIENCE = 300.0
_LEAST = 2.0
# Seconds for a program to end after it was killed.
_END = 0.5
# The folders of programs for root, which cron, su and plain users do not have in PATH.
_SBIN = ("/usr/local/sbin", "/usr/sbin", "/sbin")
_MOST_LETTERS = 4 << 20


class HostCommands:
    """The programs of this machine."""

    def __init__(self, limit: float = LIMIT) -> None:
        self._limit = limit
        self._patience = PATIENCE

    def output(self, *words: str) -> Optional[str]:
        """A program's stdout, whatever its exit code; None if it is not installed or too slow.

        The exit code is ignored because smartctl's describes the disk.
        """
        folders = os.environ.get("PATH") or os.defpath
        program = shutil.which(words[0], path=os.pathsep.join((folders, *_SBIN)))
        if program is None:
            return None
        try:
            process = subprocess.Popen(
                (program, *words[1:]),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                errors="replace",
            )
        except OSError:
            return None
        limit = min(self._limit, max(self._patience, _LEAST))
        try:
            text, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            self._patience -= limit
            _give_up(process)
            return None
        return text[:_MOST_LETTERS] or None

    def json(self, *words: str) -> Any:
        """A program's JSON object; empty if it prints none."""
        try:
            value = json.loads(self.output(*words) or "{}")
        except (ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}


def _give_up(process: subprocess.Popen[str]) -> None:
    """Kill a program without waiting for its end.

    In the kernel's uninterruptible sleep it ends only when its disk answers or the kernel gives
    up, which may take minutes or for ever; subprocess.run would wait for that.
    """
    process.kill()
    if process.stdout is not None:
        process.stdout.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_END)


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
