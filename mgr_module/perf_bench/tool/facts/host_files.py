"""Read sysfs, procfs and similar files below a root, which may be a recorded one."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import Optional

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
