"""Whole rounds as files, part by part."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Callable, NamedTuple, Optional

from ..answers.budget import StoreBudget
from ..answers.text import iso, short_time
from ..bench.comparisons import Comparisons
from ..bench.stored_rounds import StoredRound, StoredRounds, Wanted
from ..core.clock import Clock
from ..errors import InvalidValue, PerfBenchError, StoreUnavailable
from ..model.json_fields import Json
from ..model.plan import TOOLS
from ..report import comparison, export
from ..report.distribution import distribution
from ..report.document import MOST_ROWS
from ..report.html_page import page
from ..report.round_document import Against, round_document
from ..report.rounds import osd_result, sample
from ..version import VERSION

# Rows of a table in a part of a raw export.
_RAW_ROWS = 2000
# For all reads of the database for a page.
_HTML_SECONDS = 10.0
_NO_OSD = Wanted(limit=0)


class FileSources(NamedTuple):
    """What files of rounds are made of. ``as_json`` is the answer to ``round show``."""

    stored: StoredRounds
    comparisons: Comparisons
    budget: StoreBudget
    as_json: Callable[[StoredRound], Json]
    clock: Clock


class RoundFiles:
    """``round export``."""

    def __init__(self, sources: FileSources) -> None:
        self._stored, self._comparisons, self._budget, self._as_json, self._clock = sources

    def text(self, round_id: int, as_: Optional[str], raw: bool) -> str:
        """A whole round as the text of a file; it is read by one call of the store."""
        format_ = _format(as_, raw)
        if raw:
            tables = self._stored.raw_tables(round_id)
            sizes = dict.fromkeys(tables, 0)
            made = export.raw_parts(sizes, lambda table, *_page: tables[table], _RAW_ROWS)
        elif format_ == export.HTML:
            return self._html(round_id)
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
            raise InvalidValue(
                f"part {part} is not within 0 to {len(made) - 1}",
                field="part",
            )
        return {"id": round_id, "part": part, "parts": len(made), "text": made[part]()}

    def _parts(self, round_id: int, format_: str, raw: bool) -> Sequence[export.Part]:
        if raw:
            sizes = self._stored.raw_sizes(round_id)
            rows = functools.partial(self._stored.raw, round_id)
            return export.raw_parts(sizes, rows, _RAW_ROWS)
        if format_ == export.HTML:
            return [functools.partial(self._html, round_id)]
        stored = self._stored.read(round_id, _NO_OSD)
        pieces = [self._piece(round_id, osds) for osds in stored.pieces]
        return export.parts(self._as_json(stored), pieces, format_)

    def _piece(self, round_id: int, osds: Sequence[int]) -> export.Piece:
        return export.Piece(
            lambda: map(osd_result, self._stored.results(round_id, osds)),
            lambda: map(sample, self._stored.samples(round_id, osds)),
        )

    # --- the report to forward -----------------------------------------------------------------

    def _html(self, round_id: int) -> str:
        """The round as a page for a browser, with the slowest of its OSDs."""
        with self._budget.within(_HTML_SECONDS):
            stored = self._stored.read(round_id, Wanted(MOST_ROWS, samples=False))
            if stored.round.plan.load is not None:
                stored = self._stored.read(round_id, Wanted(MOST_ROWS))
            found, incomplete = self._distribution(stored)
            against = self._against_baseline(stored)
        fsid = stored.round.environment.get("fsid")
        cluster = f"cluster {fsid}, " if fsid else ""
        written = (
            f"{cluster}written {short_time(iso(self._clock.now()))} UTC by perf_bench {VERSION}"
        )
        whole = round_document(self._as_json(stored), found, against, written)
        return page(replace(whole, incomplete=[*whole.incomplete, *incomplete]))

    def _distribution(self, stored: StoredRound) -> tuple[Optional[Json], list[str]]:
        """How the figures of all OSDs are distributed; or why it is not known."""
        if not stored.osds:
            return None, []
        try:
            number = stored.round.id
            return distribution(number, self._stored.distribution(number)), []
        except StoreUnavailable as error:
            return None, [f"the distribution of all OSDs could not be read: {error}"]

    def _against_baseline(self, stored: StoredRound) -> Against:
        round_ = stored.round
        if not round_.state.ended:
            return Against(None, "a round that has not ended is not compared")
        if round_.kind in TOOLS:
            return Against(None, f"rounds of kind {round_.kind} have no baseline")
        try:
            baselines = {one.round.profile: one.round.id for one in self._comparisons.baselines()}
            baseline = baselines.get(round_.profile)
            if baseline is None:
                return Against(None, f"{round_.profile} has no baseline")
            if baseline == round_.id:
                return Against(None, "this round is the baseline of its profile")
            found = self._comparisons.rounds(baseline, round_.id)
        except PerfBenchError as error:
            return Against(None, f"not compared with the baseline: {error}", partial=True)
        return Against(comparison.comparison(found.comparison, MOST_ROWS))


def _format(as_: Optional[str], raw: bool) -> str:
    """The format's name. Raises InvalidValue."""
    if raw and as_:
        raise InvalidValue("give either --as or --raw", field="raw")
    return export.checked(as_ or export.FORMATS[0])
