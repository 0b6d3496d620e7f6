"""Whole rounds as files, part by part."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Callable, Optional

from ..bench.stored_rounds import StoredRound, StoredRounds, Wanted
from ..errors import InvalidValue
from ..model.json_fields import Json
from ..report import export
from ..report.rounds import osd_result, sample

# Rows of a table in a part of a raw export.
_RAW_ROWS = 2000
_NO_OSD = Wanted(limit=0)


class RoundFiles:
    """``round export``."""

    def __init__(self, stored: StoredRounds, as_json: Callable[[StoredRound], Json]) -> None:
        self._stored = stored
        self._as_json = as_json

    def text(self, round_id: int, as_: Optional[str], raw: bool) -> str:
        """A whole round as the text of a file; it is read by one call of the store."""
        format_ = _format(as_, raw)
        if raw:
            tables = self._stored.raw_tables(round_id)
            sizes = dict.fromkeys(tables, 0)
            made = export.raw_parts(sizes, lambda table, *_page: tables[table], _RAW_ROWS)
        else:
            stored = self._stored.read(round_id, Wanted())
            piece = export.Piece(
                lambda: map(osd_result, stored.results), lambda: map(sample, stored.samples)
            )
            shape = self._as_json(replace(stored, results=(), samples=()))
            made = export.parts(shape, [piece] if stored.pieces else (), format_)
        return "".join(make() for make in made)

    def part(self, round_id: int, as_: Optional[str], raw: bool, part: int) -> Json:
        """One part of such a file, of ``parts``; the OSDs are in the order of their IDs.

        Each reads a piece of the round by calls of its own. Raises InvalidValue for another part.
        """
        made = self._parts(round_id, _format(as_, raw), raw)
        if not 0 <= part < len(made):
            raise InvalidValue(f"part {part} is not within 0 to {len(made) - 1}", field="part")
        return {"id": round_id, "part": part, "parts": len(made), "text": made[part]()}

    def _parts(self, round_id: int, format_: str, raw: bool) -> Sequence[export.Part]:
        if raw:
            sizes = self._stored.raw_sizes(round_id)
            rows = functools.partial(self._stored.raw, round_id)
            return export.raw_parts(sizes, rows, _RAW_ROWS)
        stored = self._stored.read(round_id, _NO_OSD)
        pieces = [self._piece(round_id, osds) for osds in stored.pieces]
        return export.parts(self._as_json(stored), pieces, format_)

    def _piece(self, round_id: int, osds: Sequence[int]) -> export.Piece:
        return export.Piece(
            lambda: map(osd_result, self._stored.results(round_id, osds)),
            lambda: map(sample, self._stored.samples(round_id, osds)),
        )


def _format(as_: Optional[str], raw: bool) -> str:
    """The format's name. Raises InvalidValue."""
    if raw and as_:
        raise InvalidValue("give either --as or --raw", field="raw")
    return export.checked(as_ or export.FORMATS[0])
