"""Rows in any order go in, rows by time come out; memory holds a small part of them."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path

# Rows of so many seconds are sorted at once.
_PART_SECONDS = 300
# So many numbers are held before they are written out (8 bytes each).
_HELD = 2_000_000

Row = tuple[float, int, Sequence[float]]


class Spool:
    """Rows of (time, member, numbers) on disk, in a file for each span of 5 minutes.

    ``duplicates`` counts the rows that came again with the same time and member; the first one
    that was read stays.
    """

    def __init__(self, folder: Path, numbers: int) -> None:
        self.duplicates = 0
        self._folder = folder
        self._width = numbers + 2
        self._parts: dict[int, array[float]] = {}
        self._written: set[int] = set()
        self._held = 0

    def add(self, at: float, member: int, numbers: Sequence[float]) -> None:
        part = int(at // _PART_SECONDS)
        held = self._parts.get(part)
        if held is None:
            held = self._parts[part] = array("d")
        held.append(at)
        held.append(member)
        held.extend(numbers)
        self._held += self._width
        if self._held >= _HELD:
            self._write()

    def close(self) -> None:
        """No more rows come."""
        self._write()

    def rows(self) -> Iterator[Row]:
        """All rows by time, then by member."""
        for part in sorted(self._written):
            yield from self._sorted(part)

    def _write(self) -> None:
        for part, held in self._parts.items():
            with self._file(part).open("ab") as file:
                held.tofile(file)
        self._written.update(self._parts)
        self._parts.clear()
        self._held = 0

    def _sorted(self, part: int) -> Iterator[Row]:
        file, numbers = self._file(part), array("d")
        with file.open("rb") as source:
            numbers.fromfile(source, file.stat().st_size // numbers.itemsize)
        width = self._width
        # The place is the third: of rows with the same time and member the first read is first.
        order = sorted(zip(numbers[0::width], numbers[1::width], range(0, len(numbers), width)))
        before: tuple[float, float] = (-1.0, -1.0)
        for at, member, place in order:
            if (at, member) == before:
                self.duplicates += 1
                continue
            before = (at, member)
            yield at, int(member), numbers[place + 2 : place + width]

    def _file(self, part: int) -> Path:
        return self._folder / str(part)
