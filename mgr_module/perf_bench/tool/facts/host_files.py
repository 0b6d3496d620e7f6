"""The files that a host tells of itself in, below a root that may be a recorded one."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import Optional

# As many links as the kernel follows.
_MOST_LINKS = 40
# A file of sysfs is a page; /proc/cpuinfo of 512 threads is 1 MiB.
_MOST_BYTES = 4 << 20


class HostFiles:
    """Paths are given without a leading slash; links that lead elsewhere stay below the root.

    What is not there, or may not be read, is None or empty: every source is optional.
    """

    def __init__(self, root: str = "/") -> None:
        self._root = Path(root)

    @property
    def live(self) -> bool:
        """Whether this is the machine at hand, and no record of one."""
        return self._root == Path("/")

    def data(self, path: str) -> Optional[bytes]:
        """What a file holds."""
        real = self.real(path)
        if real is None:
            return None
        try:
            with (self._root / real).open("rb") as file:
                return file.read(_MOST_BYTES)
        except OSError:  # also those of sysfs whose device gives no answer
            return None

    def text(self, path: str) -> Optional[str]:
        """The same as text that can be printed, without blanks around; None of an empty one."""
        data = self.data(path)
        return None if data is None else printable(data.decode("utf-8", "replace")) or None

    def lines(self, path: str) -> list[str]:
        """The same by lines."""
        data = self.data(path) or b""
        return [printable(line) for line in data.decode("utf-8", "replace").splitlines()]

    def count(self, path: str) -> Optional[int]:
        """A whole number of 0 or more."""
        found = self.text(path)
        return int(found) if found and found.isascii() and found.isdigit() else None

    def names(self, path: str) -> list[str]:
        """What a folder holds, by name."""
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
        """Where a path leads in the end, below the root; None where there is nothing."""
        left = list(PurePosixPath(path.strip("/")).parts)
        found: list[str] = []
        links = 0
        while left:
            part = left.pop(0)
            if part == "..":
                found = found[:-1]
                continue
            target = _target(self._root.joinpath(*found, part))
            if target is None:
                found.append(part)
                continue
            links += 1
            if links > _MOST_LINKS:
                return None
            if target.startswith("/"):
                found = []
            left = [*PurePosixPath(target.lstrip("/")).parts, *left]
        try:
            there = self._root.joinpath(*found).exists()
        except OSError:
            return None
        return "/".join(found) if there else None


def _target(place: Path) -> Optional[str]:
    """Where a link leads; None of what is no link."""
    try:
        return str(place.readlink())
    except OSError:
        return None


def printable(text: str) -> str:
    """The text without what a terminal must not see, and without blanks around it."""
    return "".join(one if one.isprintable() else " " for one in text).strip()
