"""Run programs that know more than the kernel's files; each is optional and has a time limit."""

from __future__ import annotations

import contextlib
import json
import os
import re
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
# Programs print notes about their configuration before an object, which begins a line.
_OBJECT = re.compile(r"^\{", re.MULTILINE)


class HostCommands:
    """The programs of this machine."""

    def __init__(self, limit: float = LIMIT) -> None:
        self._limit = limit
        self._patience = PATIENCE

    def output(self, *words: str) -> Optional[str]:
        """A program's stdout, whatever its exit code; None if it is not installed or too slow.

        The exit code is ignored because smartctl's describes the disk.
        """
        program = _place(words[0])
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
        return _whole(text)

    def has(self, *words: str) -> bool:
        """Whether the program of this command is installed."""
        return _place(words[0]) is not None

    def json(self, *words: str) -> Optional[dict[str, Any]]:
        """A program's JSON object, after lines of other text.

        Empty if it is not installed or prints nothing; None if its answer is late, cut, or not
        understood.
        """
        text = self.output(*words)
        if text is None:
            return None if self.has(*words) else {}
        begin = _OBJECT.search(text)
        if begin is None:
            return None if text.strip() else {}
        try:
            value, _ = json.JSONDecoder().raw_decode(text, begin.start())
        except (ValueError, RecursionError):
            return None
        return value if isinstance(value, dict) else None


def _place(program: str) -> Optional[str]:
    folders = os.environ.get("PATH") or os.defpath
    return shutil.which(program, path=os.pathsep.join((folders, *_SBIN)))


def _whole(text: str) -> Optional[str]:
    """The text; None for one so long that it would have to be cut."""
    return text if len(text) <= _MOST_LETTERS else None


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

    def has(self, *words: str) -> bool:
        return self._file(words).exists()

    def output(self, *words: str) -> Optional[str]:
        try:
            return _whole(self._file(words).read_text(encoding="utf-8", errors="replace"))
        except OSError:
            return None

    def _file(self, words: tuple[str, ...]) -> Path:
        return self._folder / " ".join(words).replace("/", "_")
