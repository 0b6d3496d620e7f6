"""Documents to forward: an HTML file of facts, tables and pictures.

Each function escapes the texts that it gets. The file has no scripts and links and loads nothing:
pictures are inline SVG. Sizes are bounded here: what is left out is counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from html import escape
from itertools import cycle
from typing import Any, Callable, NamedTuple, NewType, Optional

from ..model.phrases import harmless, plural
from .text import Column, number

# A piece of a document, whose texts are escaped.
Html = NewType("Html", str)
# Rows of a table, facts, and characters of one text. A file of 10,000 OSDs stays below 1 MiB.
MOST_ROWS = 200
_MOST_FACTS, _MOST_TEXT = 60, 1000
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
.grid{stroke:var(--line)}
.line{fill:none;stroke-width:1.5;stroke-linecap:round}.legend span{margin-right:1rem}
.legend i{display:inline-block;width:.8rem;height:.2rem;margin-right:.3rem;vertical-align:middle}
@media print{body{margin:0;max-width:none}h2{break-after:avoid}figure,tr{break-inside:avoid}}
""".strip()
_MOODS = {None: "", True: " good", False: " bad"}
# Sizes of a picture, and the room for the words around it.
_WIDTH, _HEIGHT = 720, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 16, 12, 40
_PLOT = _HEIGHT - _TOP - _BOTTOM
_COLORS = ("#0b62a4", "#c2570c", "#2e7d32", "#7b1fa2", "#b71c1c", "#00695c", "#5d4037", "#455a64")
_DAY = 86400.0


class Sign(NamedTuple):
    """A verdict in a few words; ``good`` is None where it is neither good nor bad."""

    words: str
    good: Optional[bool] = None


class Line(NamedTuple):
    """Points (x, y); None for y is a gap."""

    name: str
    points: Sequence[tuple[float, Optional[float]]]


def page(
    title: str,
    subtitle: str,
    sections: Iterable[Html],
    sign: Sign,
    incomplete: Sequence[str],
) -> str:
    """The whole file. ``sign`` stands beside the title; ``incomplete`` says what is not known."""
    head = _text(title)
    signed = f' <span class="sign{_MOODS[sign.good]}">{_text(sign.words)}</span>'
    missing = "".join(f"<li>{_text(words)}</li>" for words in incomplete)
    partial = f'<div class="partial"><p>Incomplete:</p><ul>{missing}</ul></div>' if missing else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{head}</title>\n<style>\n{_STYLE}\n</style>\n</head>\n<body>\n"
        f'<h1>{head}{signed}</h1>\n<p class="quiet">{_text(subtitle)}</p>\n{partial}'
        f"{''.join(sections)}</body>\n</html>\n"
    )


def section(title: str, *blocks: Html) -> Html:
    """Blocks under a heading."""
    return Html(f"<section>\n<h2>{_text(title)}</h2>\n{''.join(blocks)}</section>\n")


def facts(pairs: Iterable[tuple[str, str]]) -> Html:
    """Names with values; pairs with an empty value are not shown."""
    told = [pair for pair in pairs if pair[1]]
    rows = "".join(
        f"<dt>{_text(name)}</dt><dd>{_text(value)}</dd>\n" for name, value in told[:_MOST_FACTS]
    )
    more = len(told) - _MOST_FACTS
    return Html(f"<dl>\n{rows}</dl>\n{note(f'{more} more left out', True) if more > 0 else ''}")


def table(columns: Sequence[Column], rows: Sequence[Any], total: int = 0) -> Html:
    """The first ``MOST_ROWS`` rows of a table, of ``total`` in all; nothing without rows."""
    if not rows:
        return Html("")
    cells = [[column.cell(row) for column in columns] for row in rows[:MOST_ROWS]]
    head = "".join(f"<th>{_text(column.head)}</th>" for column in columns)
    body = "\n".join(
        f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in row)}</tr>" for row in cells
    )
    total = max(total, len(rows))
    more = f"{plural(total - len(cells), 'row')} left out of {total}"
    below = note(more, True) if total > len(cells) else ""
    return Html(f'<div class="scroll"><table>\n<tr>{head}</tr>\n{body}\n</table></div>\n{below}')


def note(words: str, partial: bool = False) -> Html:
    """A sentence. ``partial``: it names what is not known or not there."""
    return Html(f'<p class="{"partial" if partial else "note"}">{_text(words)}</p>\n')


def picture(
    title: str,
    y_unit: str,
    lines: Sequence[Line],
    x_unit: str = "time (UTC)",
    ends: Optional[tuple[float, float]] = None,
) -> Html:
    """Lines over a number, or over unix seconds; nothing if they have no points.

    ``ends`` are those of the axis of time, where it is longer than what is known.
    """
    drawn = list(zip(cycle(_COLORS), lines))
    points = [(x, y) for line in lines for x, y in line.points if y is not None]
    if not points:
        return Html("")
    first, last = ends or (min(x for x, _ in points), max(x for x, _ in points))
    top = _ceiling(max(y for _, y in points))

    def place(x: float, y: float) -> tuple[float, float]:
        share = (x - first) / (last - first) if last > first else 0.5
        across = _LEFT + share * (_WIDTH - _LEFT - _RIGHT)
        return across, _TOP + _PLOT * (1 - max(0.0, y) / top)

    shapes = [f'<path class="axis" d="M{_LEFT} {_TOP + _PLOT}H{_WIDTH - _RIGHT}"/>']
    for y in (0.0, top / 2, top):
        height = place(first, y)[1]
        shapes.append(f'<path class="grid" d="M{_LEFT} {height:.1f}H{_WIDTH - _RIGHT}"/>')
        shapes.append(_label(_LEFT - 6, height + 4, number(y, 1 if top < 100 else 0), "end"))
    for x, anchor in ((first, "start"), (last, "end")):
        words = number(x, 0) if x_unit != "time (UTC)" else _when(x, last - first)
        shapes.append(_label(place(x, 0)[0], _HEIGHT - 24, words, anchor))
    shapes.append(_label(_WIDTH / 2, _HEIGHT - 6, f"{y_unit} over {x_unit}", "middle"))
    shapes += [_path(line, place, color) for color, line in drawn]
    legend = "".join(
        f'<span><i style="background:{color}"></i>{_text(line.name)}</span>'
        for color, line in drawn
    )
    return Html(
        f'<figure><figcaption>{_text(title)}</figcaption><svg viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'role="img" aria-label="{_text(title)}">{"".join(shapes)}</svg>'
        f'<p class="legend">{legend}</p></figure>\n'
    )


def _path(line: Line, place: Callable[[float, float], tuple[float, float]], color: str) -> str:
    """A line with its gaps; a point that stands alone is a dot."""
    words, pen = [], "M"
    for x, y in line.points:
        if y is not None:
            across, down = place(x, y)
            words.append(f"{pen}{across:.1f} {down:.1f}{'h0' * (pen == 'M')}")
        pen = "M" if y is None else "L"
    return f'<path class="line" d="{"".join(words)}" stroke="{color}"/>'


def _label(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{_text(words)}</text>'


def _ceiling(value: float) -> float:
    """The next round number, of which an axis may have the half."""
    if value <= 0:
        return 1.0
    base = 10.0 ** math.floor(math.log10(value))
    return next(base * step for step in (1, 2, 4, 5, 6, 8, 10) if base * step >= value * 0.999999)


def _when(seconds: float, span: float) -> str:
    at = datetime.fromtimestamp(seconds, tz=timezone.utc)
    return at.strftime("%Y-%m-%d" if span > 3 * _DAY else "%Y-%m-%d %H:%M")


def _text(text: str) -> str:
    shown = text if len(text) <= _MOST_TEXT else f"{text[: _MOST_TEXT - 1]}…"
    return escape(harmless(shown))
