"""A document as Markdown, without its pictures: their figures are in the tables, too."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..model.printable import one_line
from .document import Block, Document, Facts, Note, Table, shortened

# What Markdown or HTML in it would read as more than a letter; "_" within a word is none.
_SPECIAL = re.compile(r"[\\`*\[\]<>|&~#]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|:(?=//)|(?<=www)\.")


def text(document: Document) -> str:
    """The whole file."""
    lines = [f"# {_text(document.title)}", "", _text(document.subtitle), ""]
    for sign in document.signs:
        lines += [f"**{_text(sign.words)}**", ""]
    if document.incomplete:
        lines += ["**Incomplete:**", "", *(f"- {_text(one)}" for one in document.incomplete), ""]
    for section in document.sections:
        lines += [f"## {_text(section.title)}", ""]
        for block in section.blocks:
            lines += _block(block)
    return "\n".join(lines).rstrip("\n") + "\n"


def _block(block: Block) -> list[str]:
    if isinstance(block, Facts):
        pairs = [pair for pair in block.pairs if pair[1]]
        return [*(f"- {_text(name)}: {_text(value)}" for name, value in pairs), ""]
    if isinstance(block, Note):
        return [_text(block.text), ""]
    if isinstance(block, Table):
        rule = "|" + " --- |" * len(block.head)
        lines = [_row(block.head), rule, *map(_row, block.rows)]
        return [*lines, "", *([_text(block.left_out), ""] if block.left_out else [])]
    return []


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(_text, cells))} |"


def _text(text_: str) -> str:
    return _SPECIAL.sub(lambda found: f"\\{found[0]}", one_line(shortened(text_)))
