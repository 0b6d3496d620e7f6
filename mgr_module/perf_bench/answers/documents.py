"""Documents to forward: blocks of facts, tables and pictures, and the HTML file made of them.

A document has texts as they are; they are escaped where the file is made, which has no scripts and
links and loads nothing: pictures are inline SVG. Sizes are bounded here: what is left out is
counted.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from html import escape
from typing import Any, Callable, NamedTuple, Optional, Union

from ..model.phrases import harmless, one_line, plural
from .text import Column, clip, number


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
    columns: Sequence[Column], rows: Sequence[Any], total: int, what: str, noun: str
) -> Table:
    """A table of at most ``MOST_ROWS``. ``what`` says which are shown, as "slowest first"."""
    shown = [[column.cell(row) for column in columns] for row in rows[:MOST_ROWS]]
    missing = max(0, total - len(shown))
    left_out = f"{plural(missing, noun)} left out of {total} ({what})" if missing else ""
    return Table([column.head for column in columns], shown, left_out)


# --- as HTML ---------------------------------------------------------------------------------

# Even if a text were not escaped, a browser would run and load nothing.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_STYLE = """
:root{color-scheme:light dark;
--line:#8886;--quiet:#666;--bad:#b3261e;--good:#2e7d32;--part:#8a5a00}
@media (prefers-color-scheme:dark){
:root{--quiet:#aaa;--bad:#ff8a80;--good:#81c784;--part:#ffcc80}}
body{font:15px/1.45 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem;margin:0}
h2{font-size:1.15rem;margin:2rem 0 .5rem;border-bottom:1px solid var(--line)}
.quiet,figcaption,.legend{color:var(--quiet);font-size:.85rem}
.sign{display:inline-block;font-size:1rem;vertical-align:middle;
border:1px solid;border-radius:.3rem;padding:0 .5rem}
.bad{color:var(--bad)}.good{color:var(--good)}.partial{color:var(--part)}
.scroll{overflow-x:auto;margin:.7rem 0}
table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums}
th,td{text-align:left;vertical-align:top;
padding:.15rem .7rem .15rem 0;border-bottom:1px solid var(--line)}
td,dd{overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;margin:0}
dt{color:var(--quiet)}dd{margin:0}
figure{margin:1rem 0}svg{width:100%;max-width:45rem;height:auto}
svg text{font:12px system-ui,sans-serif;fill:currentColor}.axis{stroke:currentColor}
.grid{stroke:var(--line)}.band{fill:var(--line)}.legend span{margin-right:1rem}
.legend i{display:inline-block;width:.8rem;height:.2rem;margin-right:.3rem;vertical-align:middle}
@media print{body{margin:0;max-width:none}h2{break-after:avoid}figure,tr{break-inside:avoid}}
""".strip()
_MOODS = {None: "", True: " good", False: " bad"}


def page(document: Document) -> str:
    """The whole file."""
    title = _text(document.title)
    signs = "".join(
        f' <span class="sign{_MOODS[sign.good]}">{_text(sign.words)}</span>'
        for sign in document.signs
    )
    missing = "".join(f"<li>{_text(words)}</li>" for words in document.incomplete)
    partial = f'<div class="partial"><p>Incomplete:</p><ul>{missing}</ul></div>' if missing else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{_STYLE}\n</style>\n</head>\n<body>\n"
        f'<h1>{title}{signs}</h1>\n<p class="quiet">{_text(document.subtitle)}</p>\n{partial}'
        f"{''.join(map(_section, document.sections))}</body>\n</html>\n"
    )


def _section(section: Section) -> str:
    blocks = "".join(map(_block, section.blocks))
    return f"<section>\n<h2>{_text(section.title)}</h2>\n{blocks}</section>\n"


def _block(block: Block) -> str:
    if isinstance(block, Facts):
        pairs = "".join(
            f"<dt>{_text(name)}</dt><dd>{_text(value)}</dd>\n"
            for name, value in block.pairs
            if value
        )
        return f"<dl>\n{pairs}</dl>\n"
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Note):
        return f'<p class="{"partial" if block.partial else "note"}">{_text(block.text)}</p>\n'
    return f"{svg(block)}\n"


def _table(table: Table) -> str:
    head = "".join(f"<th>{_text(cell)}</th>" for cell in table.head)
    rows = "\n".join(
        f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in row)}</tr>" for row in table.rows
    )
    below = f'<p class="partial">{_text(table.left_out)}</p>\n' if table.left_out else ""
    return f'<div class="scroll"><table>\n<tr>{head}</tr>\n{rows}\n</table></div>\n{below}'


def _text(text: str) -> str:
    shown = text if len(text) <= _MOST_TEXT else f"{text[: _MOST_TEXT - 1]}…"
    return escape(harmless(shown))


# --- as SVG ----------------------------------------------------------------------------------

_WIDTH, _HEIGHT = 720, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 16, 12, 40
_ROW, _NAMES = 18, 150
_COLORS = ("#0b62a4", "#c2570c", "#2e7d32", "#7b1fa2", "#b71c1c", "#00695c", "#5d4037", "#455a64")
# A line of more points is thinned: nobody sees more on this width.
_MOST_POINTS = 720
_DAY = 86400.0
# Where a point (x, y) is on the picture.
_Place = Callable[[float, float], tuple[float, float]]


def svg(picture: Union[Bars, Lines, Ranges]) -> str:
    """The picture as an element; empty if it has nothing to show."""
    if isinstance(picture, Bars):
        return _bars(picture)
    if isinstance(picture, Lines):
        return _lines(picture)
    return _ranges(picture)


def _bars(picture: Bars) -> str:
    most = max((bar.many for bar in picture.bars), default=0)
    if not most:
        return ""
    width = (_WIDTH - _LEFT - _RIGHT) / len(picture.bars)
    drawn = []
    each = math.ceil(len(picture.bars) / 8)
    for place, bar in enumerate(picture.bars):
        x, height = _LEFT + place * width, _plot() * bar.many / most
        y = _TOP + _plot() - height
        drawn.append(
            f'<rect x="{x + 1:.1f}" y="{y:.1f}" width="{max(1.0, width - 2):.1f}" '
            f'height="{height:.1f}" fill="{_COLORS[0]}">'
            f"<title>{number(bar.begin)} to {number(bar.end)}: {bar.many}</title></rect>"
        )
        if place % each == 0:
            drawn.append(_label(x, _HEIGHT - 24, number(bar.begin, 0), "middle"))
    if len(picture.bars) % each == 0:
        drawn.append(_label(_WIDTH - _RIGHT, _HEIGHT - 24, number(picture.bars[-1].end, 0), "end"))
    axis = [_label(_LEFT - 6, _TOP + 10, str(most), "end"), _unit(picture.unit)]
    return _figure(picture.title, [_frame(), *drawn, *axis], _HEIGHT)


def _lines(picture: Lines) -> str:
    lines = [line for line in picture.lines if any(y is not None for _, y in line.points)]
    points = [(x, y) for line in lines for x, y in line.points if y is not None]
    if not points:
        return ""
    first, last = picture.ends or (min(x for x, _ in points), max(x for x, _ in points))
    top = _ceiling(max(y for _, y in points))

    def place(x: float, y: float) -> tuple[float, float]:
        share = (x - first) / (last - first) if last > first else 0.5
        across = _LEFT + share * (_WIDTH - _LEFT - _RIGHT)
        return across, _TOP + _plot() * (1 - max(0.0, y) / top)

    each = max(math.ceil(len(line.points) / _MOST_POINTS) for line in lines)
    drawn = [_frame()]
    for share in (0.0, 0.5, 1.0):
        y = _TOP + _plot() * (1 - share)
        drawn.append(f'<path class="grid" d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}"/>')
        drawn.append(_label(_LEFT - 6, y + 4, number(top * share, 1 if top < 100 else 0), "end"))
    for count, line in enumerate(lines):
        drawn += _path(_thinned(line.points, each), place, _COLORS[count % len(_COLORS)], line.name)
    for x, anchor in ((first, "start"), (last, "end")):
        words = _when(x, last - first) if picture.times else number(x, 0)
        drawn.append(_label(place(x, 0)[0], _HEIGHT - 24, words, anchor))
    drawn.append(_unit(f"{picture.unit} over {picture.x_unit or 'time (UTC)'}"))
    legend = [
        f'<span><i style="background:{color}"></i>{_short(line.name)}</span>'
        for color, line in zip(itertools.cycle(_COLORS), lines)
    ]
    thinned = f" (one point of {each} is drawn)" if each > 1 else ""
    return _figure(f"{picture.title}{thinned}", drawn, _HEIGHT, "".join(legend))


def _path(
    points: Sequence[tuple[float, Optional[float]]],
    place: _Place,
    color: str,
    name: str,
) -> list[str]:
    """A line, broken at gaps; a point that stands alone is a dot."""
    runs: list[list[tuple[float, float]]] = [[]]
    for x, y in points:
        if y is None:
            runs.append([])
        else:
            runs[-1].append(place(x, y))
    drawn = []
    for run in runs:
        if len(run) > 1:
            spots = " ".join(f"{x:.1f},{y:.1f}" for x, y in run)
            drawn.append(
                f'<polyline points="{spots}" fill="none" stroke="{color}" stroke-width="1.5">'
                f"<title>{_short(name)}</title></polyline>"
            )
        if 0 < len(run) <= 40:
            drawn += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{color}"/>' for x, y in run]
    return drawn


def _ranges(picture: Ranges) -> str:
    if not picture.ranges:
        return ""
    far = max(1.0, *(max(abs(one.low), abs(one.high)) for one in picture.ranges))
    middle = _NAMES + (_WIDTH - _NAMES - _RIGHT) / 2
    scale = (_WIDTH - _NAMES - _RIGHT) / 2 / far
    height = _TOP + _ROW * len(picture.ranges) + _BOTTOM
    bottom = height - _BOTTOM
    drawn = []
    if picture.least is not None and picture.least < far:
        half = picture.least * scale
        drawn.append(
            f'<rect class="band" x="{middle - half:.1f}" y="{_TOP}" width="{2 * half:.1f}" '
            f'height="{bottom - _TOP}"><title>changes that do not count</title></rect>'
        )
    drawn.append(f'<line class="axis" x1="{middle}" y1="{_TOP}" x2="{middle}" y2="{bottom}"/>')
    for count, one in enumerate(picture.ranges):
        y = _TOP + _ROW * (count + 0.5)
        said = f"{one.name}: {one.value:+.1f} %, {one.low:+.1f} to {one.high:+.1f} %"
        drawn += [
            _label(_NAMES - 8, y + 4, clip(one.name, 22), "end"),
            _thick(middle + one.low * scale, middle + one.high * scale, y, said),
            f'<circle cx="{middle + one.value * scale:.1f}" cy="{y}" r="4" fill="{_COLORS[0]}"/>',
        ]
    for share, anchor in ((-1, "start"), (0, "middle"), (1, "end")):
        words = f"{share * far:+.1f} %" if share else "0"
        drawn.append(_label(middle + share * far * scale, bottom + 16, words, anchor))
    return _figure(picture.title, drawn, height)


def _thick(begin: float, end: float, y: float, said: str) -> str:
    return (
        f'<path d="M{begin:.1f} {y}H{end:.1f}" stroke="{_COLORS[0]}" stroke-width="3">'
        f"<title>{_short(said)}</title></path>"
    )


def _figure(title: str, drawn: Sequence[str], height: float, legend: str = "") -> str:
    below = f'<p class="legend">{legend}</p>' if legend else ""
    return (
        f'<figure><figcaption>{_short(title)}</figcaption><svg viewBox="0 0 {_WIDTH} {height:.0f}" '
        f'role="img" aria-label="{_short(title)}">{"".join(drawn)}</svg>{below}</figure>'
    )


def _plot() -> int:
    return _HEIGHT - _TOP - _BOTTOM


def _frame() -> str:
    y = _TOP + _plot()
    return f'<line class="axis" x1="{_LEFT}" y1="{y}" x2="{_WIDTH - _RIGHT}" y2="{y}"/>'


def _unit(unit: str) -> str:
    return _label(_WIDTH / 2, _HEIGHT - 6, unit, "middle")


def _label(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{_short(words)}</text>'


def _ceiling(value: float) -> float:
    """The next round number, of which an axis may have the half."""
    if value <= 0:
        return 1.0
    base = 10.0 ** math.floor(math.log10(value))
    return next(base * step for step in (1, 2, 4, 5, 6, 8, 10) if base * step >= value * 0.999999)


def _thinned(
    points: Sequence[tuple[float, Optional[float]]], each: int
) -> Sequence[tuple[float, Optional[float]]]:
    """One point of ``each``, and every gap."""
    return [point for at, point in enumerate(points) if at % each == 0 or point[1] is None]


def _when(seconds: float, span: float) -> str:
    at = datetime.fromtimestamp(seconds, tz=timezone.utc)
    return at.strftime("%Y-%m-%d" if span > 3 * _DAY else "%Y-%m-%d %H:%M")


def _short(text: str) -> str:
    return escape(one_line(clip(text, 200)))
