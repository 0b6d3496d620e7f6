"""A document to forward, for ``html_page``: facts, tables and pictures.

It has texts as they are; who renders it escapes them. Sizes are bounded here: what is left out is
counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Optional, Union

from ..model.phrases import plural

# Rows of a table, and characters of one text. A file of 10,000 OSDs stays below 1 MiB.
MOST_ROWS = 200
_MOST_TEXT = 1000


class Facts(NamedTuple):
    """Names with values; pairs with an empty value are not shown."""

    pairs: Sequence[tuple[str, str]]


class Table(NamedTuple):
    """``left_out`` says which rows are not there; empty if all are."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    left_out: str = ""


class Note(NamedTuple):
    """A sentence. ``partial``: it names what is not known or not there."""

    text: str
    partial: bool = False


class Bar(NamedTuple):
    """A bar of a histogram: its range, and how ``many`` are in it."""

    begin: float
    end: float
    many: int


class Bars(NamedTuple):
    """A histogram."""

    title: str
    unit: str
    bars: Sequence[Bar]


class Line(NamedTuple):
    """Points (x, y); None for y is a gap."""

    name: str
    points: Sequence[tuple[float, Optional[float]]]


class Lines(NamedTuple):
    """Lines over time (``times``: x is unix seconds) or over a number.

    ``ends`` are those of the axis, where it is longer than what is known.
    """

    title: str
    unit: str
    lines: Sequence[Line]
    times: bool = True
    x_unit: str = ""
    ends: Optional[tuple[float, float]] = None


class Range(NamedTuple):
    """A change in percent with its interval."""

    name: str
    value: float
    low: float
    high: float


class Ranges(NamedTuple):
    """Changes with their intervals; ``least`` is the smallest that counts."""

    title: str
    ranges: Sequence[Range]
    least: Optional[float] = None


Picture = Union[Bars, Lines, Ranges]
Block = Union[Facts, Table, Note, Bars, Lines, Ranges]


@dataclass(frozen=True)
class Section:
    """Blocks under a heading."""

    title: str
    blocks: Sequence[Block] = ()


class Sign(NamedTuple):
    """A verdict in a few words; ``good`` is None where it is neither good nor bad."""

    words: str
    good: Optional[bool] = None


@dataclass(frozen=True)
class Document:
    """``signs`` stand beside the title."""

    title: str
    subtitle: str
    sections: Sequence[Section]
    signs: Sequence[Sign] = ()
    # What is not known, one sentence each.
    incomplete: Sequence[str] = field(default_factory=tuple)


def bounded(
    head: Sequence[str], rows: Iterable[Sequence[str]], total: int, what: str, noun: str
) -> Table:
    """A table of at most ``MOST_ROWS``. ``what`` says which are shown, as "slowest first"."""
    shown: list[Sequence[str]] = []
    for row in rows:
        if len(shown) == MOST_ROWS:
            break
        shown.append(row)
    missing = max(0, total - len(shown))
    left_out = f"{plural(missing, noun)} left out of {total} ({what})" if missing else ""
    return Table(head, shown, left_out)


def shortened(text: str) -> str:
    """A text of at most ``_MOST_TEXT`` characters."""
    return text if len(text) <= _MOST_TEXT else f"{text[: _MOST_TEXT - 1]}…"
