"""Read a host's files and run its programs; both may be recorded ones below another root."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path, PurePosixPath
from typing import Any, Optional

# The kernel's limit of symbolic links in one path.
_MOST_LINKS = 40
# A file of sysfs is a page; /proc/cpuinfo of 512 threads is 1 MiB.
_MOST_BYTES = 4 << 20


class HostFiles:
    """Paths have no leading slash; symbolic links are resolved below the root.

    A file that is missing or not readable gives None or an empty value.
    """

    def __init__(self, root: str = "/") -> None:
        self._root = Path(root)
        self._prefix = str(self._root).rstrip("/")

    @property
    def live(self) -> bool:
        """Whether the root is this machine's, not a recorded one."""
        return self._root == Path("/")

    def data(self, path: str) -> Optional[bytes]:
        """A file's content; None if it is over 4 MiB: what is cut could be taken for all."""
        real = self.real(path)
        if real is None:
            return None
        try:
            with (self._root / real).open("rb") as file:
                content = file.read(_MOST_BYTES + 1)
        except OSError:  # also a sysfs file whose device does not answer
            return None
        return content if len(content) <= _MOST_BYTES else None

    def text(self, path: str) -> Optional[str]:
        """A file's content as printable text, stripped; None if it is empty."""
        data = self.data(path)
        return None if data is None else printable(data.decode("utf-8", "replace")) or None

    def lines(self, path: str) -> list[str]:
        """A file's lines as printable text, stripped."""
        data = self.data(path) or b""
        return [printable(line) for line in data.decode("utf-8", "replace").splitlines()]

    def count(self, path: str) -> Optional[int]:
        """A file's content as a whole number of 0 or more; None if it is something else."""
        text = self.text(path)
        return int(text) if text and text.isascii() and text.isdigit() else None

    def names(self, path: str) -> list[str]:
        """The sorted names in a folder."""
        real = self.real(path)
        if real is None:
            return []
        try:
            return sorted(os.listdir(self._root / real))  # noqa: PTH208 - names are wanted
        except OSError:
            return []

    def has(self, path: str) -> bool:
        return self.real(path) is not None

    def real(self, path: str) -> Optional[str]:
        """The path below the root after following links; None if it does not exist."""
        left = list(PurePosixPath(path.strip("/")).parts)
        resolved: list[str] = []
        links = 0
        while left:
            part = left.pop(0)
            if part == "..":
                resolved = resolved[:-1]
                continue
            target = _target("/".join((self._prefix, *resolved, part)))
            if target is None:
                resolved.append(part)
                continue
            links += 1
            if links > _MOST_LINKS:
                return None
            if target.startswith("/"):
                resolved = []
            left = [*PurePosixPath(target.lstrip("/")).parts, *left]
        try:
            exists = self._root.joinpath(*resolved).exists()
        except OSError:
            return None
        return "/".join(resolved) if exists else None


def _target(place: str) -> Optional[str]:
    """The target of a symbolic link; None if the path is not one."""
    try:
        return os.readlink(place)  # noqa: PTH115 - a Path of every part takes three times as long
    except OSError:
        return None


def printable(text: str) -> str:
    """The text stripped, with blanks for control characters, which could upset a terminal."""
    return "".join(one if one.isprintable() else " " for one in text).strip()


# --- programs that know more than the kernel's files -------------------------------------------


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
