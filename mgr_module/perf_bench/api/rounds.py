"""Questions about rounds."""

from __future__ import annotations

from typing import Optional

from ..answers.budget import StoreBudget
from ..answers.paging import MAPS_AGE, WHOLE, Page, page_of, picked, sort_key
from ..bench.comparisons import Comparisons
from ..bench.service import Bench
from ..bench.stored_rounds import StoredRound, StoredRounds, Wanted
from ..core.clock import Clock
from ..model.arguments import not_one_of
from ..model.cluster import Cluster
from ..model.comparison import Interim
from ..model.json_fields import Json
from ..model.plan import Request
from ..model.round import KINDS, RoundState
from ..report import loads, reference
from ..report.distribution import distribution
from ..report.interim import interim_json
from ..report.phases import parts_json
from ..report.plans import plan
from ..report.rounds import LINE_FIELDS, round_line, round_whole
from ..report.saturation import search_json
from ..report.workers import parts
from ..store.sqlite import RESULT_SORTS, ROUND_SEARCH, ROUND_SORTS
from .round_files import FileSources, RoundFiles

# OSDs of a round by default, more than of other lists: a few racks fit on one page.
_SHOWN = 200


class RoundApi:
    """``ceph perf-bench round …``."""

    def __init__(
        self,
        bench: Bench,
        store_thread: StoreBudget,
        cluster: Cluster,
        clock: Clock,
        comparisons: Comparisons,
    ) -> None:
        self._bench = bench
        self._cluster = cluster
        self.stored = StoredRounds(bench, store_thread, clock, lambda: cluster.osds(MAPS_AGE))
        self._comparisons = comparisons
        self.files = RoundFiles(
            FileSources(self.stored, comparisons, store_thread, _as_json, clock)
        )

    def plan(self, request: Request) -> Json:
        """The dry run: what ``start`` would do."""
        prepared = self._bench.planner.prepare(request)
        forecast = self._bench.planner.forecast(prepared)
        return plan(prepared.plan, prepared.admission, forecast)

    def start(self, request: Request) -> Json:
        """Start a round; returns once it is stored."""
        return {"id": self._bench.start(request).id}

    def take(self, text: str, tool: str, label: Optional[str] = None) -> Json:
        """Store the results of another tool, the text of a file, as a round.

        Raises InvalidValue with the path of the bad field; then nothing is stored.
        """
        return {"id": self.stored.take(text, tool, label).id}

    def ls(
        self,
        kind: Optional[str] = None,
        state: Optional[str] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        search: Optional[str] = None,
        sort: Optional[str] = None,
    ) -> tuple[list[Json], int]:
        """A page of rounds, newest first unless sorted, and their number.

        ``search`` is looked for, whatever its case, in what a table of rounds shows of each.
        """
        _check_kind(kind)
        wanted = _state(state) if state is not None else None
        page = page_of(limit, offset)
        order = sort or "-id"
        sort_key(order, ROUND_SORTS)
        found, total = self.stored.lines(kind, wanted, page, search or "", order)
        return [round_line(line) for line in found], total

    def comparable(
        self, round_id: int, page: Page, kind: Optional[str] = None, state: Optional[str] = None
    ) -> tuple[list[Json], int]:
        """The same of the rounds that a round can be compared with; the newest 200 are known."""
        _check_kind(kind)
        first, count = page_of(page.limit, page.offset)
        order = page.sort or "-id"
        sort_key(order, ROUND_SORTS)
        wanted = _state(state) if state is not None else None
        lines = [
            line
            for line in self._comparisons.comparable(round_id)
            if kind in {None, line.kind} and wanted in {None, line.state}
        ]
        chosen = picked(lines, LINE_FIELDS, ROUND_SEARCH, page.search, order)
        return [round_line(line) for line in chosen[first : first + count]], len(chosen)

    def show(
        self,
        round_id: int,
        page: Page = WHOLE,
        samples: bool = True,
        osd: Optional[int] = None,
    ) -> Json:
        """A round with a page of its OSDs, slowest against their peers first; or with one OSD."""
        first, count = page_of(page.limit if page.limit is not None else _SHOWN, page.offset)
        if page.sort:
            sort_key(page.sort, RESULT_SORTS)
        # The samples of one OSD are few, and are always included.
        samples = samples or osd is not None
        wanted = Wanted(count, first, samples, osd, page.search or "", page.sort or "")
        return _as_json(self.stored.read(round_id, wanted))

    def live(self, round_id: int) -> Json:
        """The round as far as it is; does not read the database. Empty if it does not run."""
        active = self._bench.active
        if active is None or active.round.id != round_id:
            return {**loads.live(round_id, None, None, {}), **interim_json(None, Interim(), None)}
        plan = active.round.plan
        if plan.load is not None:
            shown = loads.live(round_id, active.phase, active.done + 1, dict(active.rows))
            return {**shown, **interim_json(None, Interim(), None)}
        place = active.place()
        found = active.interim(self._cluster.osds(MAPS_AGE))
        clients = self._bench.round_safety.client_latency()
        shown = loads.live(round_id, active.phase, place[0] if place else None, {})
        return {**shown, **interim_json(place, found, clients)}

    def distribution(self, round_id: int) -> Json:
        """How the figures of all OSDs and waves are distributed."""
        return distribution(round_id, self.stored.distribution(round_id))

    def abort(self, round_id: Optional[int]) -> Json:
        """Ask the running round to end; returns at once."""
        return {"id": self._bench.abort(round_id).id}

    def rm(self, round_id: int) -> Json:
        self._bench.remove(round_id)
        return {"id": round_id}


def _as_json(stored: StoredRound) -> Json:
    whole = round_whole(
        stored.round,
        stored.results,
        stored.samples,
        stored.osds,
        [reference.context(one) for one in stored.contexts],
        parts_json(*stored.parts),
    )
    return {**whole, "found": stored.found, **_clients(stored)}


def _clients(stored: StoredRound) -> Json:
    """The keys of rounds of clients; empty for other rounds."""
    load = stored.round.plan.load
    if load is None:
        return {"workers": [], "saturation": None}
    return {
        **loads.clients([repeat.sample for repeat in stored.repeats]),
        "samples": [loads.load_sample(load, *repeat) for repeat in stored.repeats],
        "workers": parts(stored.loads),
        "saturation": search_json(stored.search),
    }


def _check_kind(kind: Optional[str]) -> None:
    if kind is not None and kind not in KINDS:
        raise not_one_of("kind", kind, KINDS)


def _state(text: str) -> RoundState:
    try:
        return RoundState(text)
    except ValueError:
        raise not_one_of("state", text, [state.value for state in RoundState]) from None
