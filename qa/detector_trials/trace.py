"""Reading a recorded trace in one pass: files as they come, rows as they are."""

from __future__ import annotations

import csv
import gzip
import lzma
import math
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import IO, Callable

from perf_bench.model.finding import FRAME_SECONDS, Mark, Roster, Watched

from .errors import TraceError
from .layout import Layout, layout_of
from .spool import Spool

MOST_OSDS = 100_000
# Beyond it a time stamp is no unix seconds (the milliseconds of today are 1.8e12).
_LATEST = 1e11
# So many rows are looked at to learn how far apart the rows of one OSD are.
_INTERVAL_ROWS = 100_000
_NOTHING = frozenset(("", "nan", "null", "none", "na", "-"))
_BROKEN = (EOFError, lzma.LZMAError, gzip.BadGzipFile, zlib.error)


@dataclass
class Trace:
    """A whole trace: its OSDs, and its rows in a spool that gives them back in order of time.

    ``skipped`` counts the rows that were left out, by reason. ``interval`` is how far apart the
    rows of one OSD usually are, in seconds.
    """

    layout: Layout
    spool: Spool
    roster: Roster = field(default_factory=lambda: Roster(()))
    rows: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    interval: float = FRAME_SECONDS


def read(path: Path, folder: Path) -> Trace:
    """Read the file, its rows go to ``folder``; raises TraceError when it cannot be used."""
    with _opened(path) as text:
        reader = _rows(text)
        header = next(reader, None)
        if not header:
            raise TraceError(f"{path} is empty")
        layout = layout_of(header)
        trace = Trace(layout, Spool(folder, layout.numbers))
        _fill(trace, reader)
    if not trace.rows:
        raise TraceError(f"{path} has no rows")
    if trace.rows == sum(trace.skipped.values()):
        raise TraceError(f"{path} has no usable row: {told(trace.skipped)}")
    return trace


def told(skipped: Counter[str]) -> str:
    """The rows left out, in words."""
    return ", ".join(f"{count} {reason}" for reason, count in skipped.most_common())


@contextmanager
def _opened(path: Path) -> Iterator[IO[str]]:
    openers: dict[str, Callable[..., IO[str]]] = {".xz": lzma.open, ".gz": gzip.open}
    opener = openers.get(path.suffix, open)
    kind = path.suffix[1:]
    try:
        with opener(path, "rt", encoding="utf-8-sig", errors="replace", newline="") as text:
            yield text
    except EOFError as error:
        raise TraceError(f"{path} is cut off: its {kind} data has no end") from error
    except _BROKEN as error:
        raise TraceError(f"{path} is not sound {kind} data") from error
    except OSError as error:
        raise TraceError(f"{path} cannot be read: {error.strerror or error}") from error


def _rows(lines: Iterable[str]) -> Iterator[list[str]]:
    """The cells of each line that is not blank. A stray quote costs its line, and no more."""
    for line in lines:
        if '"' in line:
            try:
                yield next(csv.reader([line]), [])
            except csv.Error:
                yield []
        elif line.strip():
            yield line.rstrip("\r\n").split(",")


def _fill(trace: Trace, rows: Iterator[list[str]]) -> None:
    parser, pace, add = _Parser(trace.layout), _Pace(), trace.spool.add
    for row in rows:
        trace.rows += 1
        try:
            at, member, numbers = parser.parse(row)
        except _Unusable as why:
            trace.skipped[str(why)] += 1
            continue
        if trace.rows <= _INTERVAL_ROWS:
            pace.note(member, at)
        add(at, member, numbers)
    trace.roster = Roster(tuple(parser.members))
    trace.interval = pace.usual
    trace.spool.close()


class _Unusable(Exception):
    """A row that is left out; the reason completes "12 rows …"."""


class _Parser:
    """Cells into numbers. Speed counts here: traces have millions of rows."""

    def __init__(self, layout: Layout) -> None:
        self.members: list[Watched] = []
        self._layout = layout
        self._columns = tuple(layout.values.values())
        self._identity = itemgetter(*layout.identity)
        self._known: dict[object, int] = {}  # by identity
        self._named: dict[str, int] = {}
        self._marks: dict[str, float] = {}

    def parse(self, row: list[str]) -> tuple[float, int, list[float]]:
        """Time stamp, the OSD's place among the members, numbers; raises _Unusable."""
        layout = self._layout
        if len(row) != layout.width:
            raise _Unusable("with too few or too many cells")
        try:
            at = float(row[layout.ts])
            numbers = [float(row[column]) for column in self._columns]
        except ValueError:
            at = _number(row[layout.ts])
            numbers = [_number(row[column]) for column in self._columns]
        if not 0 <= at < _LATEST:
            raise _Unusable("without a time in unix seconds")
        for number in numbers:
            if number < 0 or number == math.inf:
                raise _Unusable("with a figure that cannot be")
        identity = self._identity(row)
        member = self._known.get(identity)
        if member is None:
            member = self._known[identity] = self._met(row)
        if layout.marks is not None:
            numbers.append(self._marked(row[layout.marks]))
        return at, member, numbers

    def _met(self, row: list[str]) -> int:
        """The place of an OSD that is new, or stands elsewhere than before."""
        layout = self._layout
        host = _text(row[layout.host])
        parts = [_text(row[column]) for column in layout.osd]
        if not host or not all(parts):
            raise _Unusable("without OSD or host")
        name = "/".join(parts)
        if name.isdecimal():
            name = f"osd.{name}"
        index = self._named.setdefault(name, len(self._named))
        places = {kind: _text(row[column]) or None for kind, column in layout.places.items()}
        watched = Watched(
            osd=index,
            name=name,
            host=host,
            cohort=places.get("cohort") or places.get("class") or "all",
            rack=places.get("rack"),
            enclosure=places.get("enclosure"),
            device=places.get("device"),
        )
        if index < len(self.members):
            self.members[index] = watched
        else:
            self.members.append(watched)
        if index >= MOST_OSDS:
            raise TraceError(
                f"there are over {MOST_OSDS} OSDs: the column of OSDs has other things"
            )
        return index

    def _marked(self, cell: str) -> float:
        """Marks as their bits: words joined by "+", as ``trace export`` writes them."""
        bits = self._marks.get(cell)
        if bits is None:
            try:
                words = [word for word in _text(cell).upper().split("+") if word]
                bits = float(sum({Mark[word] for word in words}))
            except KeyError:
                raise _Unusable("with a mark that is not known") from None
            self._marks[cell] = bits
        return bits


class _Pace:
    """How far apart the rows of one OSD are."""

    def __init__(self) -> None:
        self._last: dict[int, float] = {}
        self._gaps: Counter[float] = Counter()

    def note(self, member: int, at: float) -> None:
        gap = at - self._last.get(member, at)
        if gap > 0:
            self._gaps[round(gap)] += 1
        self._last[member] = at

    @property
    def usual(self) -> float:
        common = self._gaps.most_common(1)
        return common[0][0] if common else FRAME_SECONDS


def _text(cell: str) -> str:
    return cell.strip()


def _number(cell: str) -> float:
    """A cell's number; NaN when there is none, and raises _Unusable when it is something else."""
    text = _text(cell)
    if text.lower() in _NOTHING:
        return math.nan
    try:
        return float(text)
    except ValueError:
        raise _Unusable("with a cell that is no number") from None
