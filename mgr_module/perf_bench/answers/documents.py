"""Documents to forward: blocks of facts, tables and pictures, and the HTML file made of them.

A document has texts as they are; they are escaped where the file is made, which has no scripts and
links and loads nothing. Sizes are bounded here: what is left out is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import NamedTuple, Optional, Union

from ..model.phrases import harmless, plural
from .pictures import Bars, Lines, Ranges, svg

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
