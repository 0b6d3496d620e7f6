"""Questions about rounds."""

from __future__ import annotations

import uuid
from collections import OrderedDict
from collections.abc import Sequence
from typing import Optional

from ..bench.compare.loads import of_sample
from ..bench.compare.reference import closest
from ..bench.plan.osd_round import checked_label
from ..bench.record.imports import round_from
from ..bench.service import Bench
from ..errors import CommandFailed, InvalidValue
from ..model.bench import Sample
from ..model.rados import LoadPlan, LoadSample
from ..model.request import Request
from ..model.round import KINDS, OsdResult, Round, RoundLine, RoundState
from ..ports import ROUND_SORTS, Clock, Cluster, RoundStore, Store, StoreQueue
from ..report import export, reference, shapes
from ..report.listing import sort_key
from ..report.quiesce import changes_text
from ..report.schedules import admission
from ..report.shapes import Shape
from ..report.workers import parts
from .paging import MAPS_AGE, page_of
from .phases import phases_of
from .saturation import saturation_of

# Of a round more is shown than of a list, slowest first: a cluster of a few racks is whole.
_SHOWN = 200
# Of so many ended rounds it is kept what they are beside: that takes all their OSDs.
_CONTEXTS = 32


class RoundApi:
    """``ceph perf-bench round …``."""

    def __init__(self, bench: Bench, desk: StoreQueue, cluster: Cluster, clock: Clock) -> None:
        self._bench = bench
        self._clock = clock
        self._desk = desk
        self._cluster = cluster
        self._contexts: OrderedDict[int, list[Shape]] = OrderedDict()

    def plan(self, request: Request) -> Shape:
        """The dry run: what ``start`` would do."""
        prepared = self._bench.prepare(request)
        changes = changes_text(self._bench.would_change(prepared.plan))
        return shapes.plan(prepared.plan, admission(prepared.admission), changes)

    def start(self, request: Request) -> Shape:
        """Start a round; returns once it is stored."""
        return {"id": self._bench.start(request).id}

    def take(self, text: str, tool: str, label: Optional[str] = None) -> Shape:
        """Store what another tool measured, the text of a file, as a round of its own.

        Raises InvalidValue with the path of the bad field; then nothing is stored.
        """
        checked_label(label)
        draft = round_from(text, tool, label or "", uuid.uuid4().hex, self._clock.now())
        return {"id": self._desk.call(lambda store: store.add_round(draft, ())).id}

    def ls(
        self,
        kind: Optional[str] = None,
        state: Optional[str] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        search: Optional[str] = None,
        sort: Optional[str] = None,
    ) -> tuple[list[Shape], int]:
        """A page of rounds, newest first unless sorted, and how many there are in all.

        ``search`` is looked for, whatever its case, in what a table of rounds shows of each.
        """
        if kind is not None and kind not in KINDS:
            raise InvalidValue(f"--kind {kind}: one of {', '.join(KINDS)} is needed", field="kind")
        wanted = _state(state) if state is not None else None
        first, count = page_of(limit, offset)
        order = sort or "-id"
        sort_key(order, ROUND_SORTS)
        found, total = self._desk.call(
            lambda store: store.rounds(kind, wanted, count, first, search or "", order)
        )
        return [shapes.round_line(self._current_line(line)) for line in found], total

    def show(
        self,
        round_id: int,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        samples: bool = True,
        osd: Optional[int] = None,
    ) -> Shape:
        """A round with a page of its OSDs, slowest against their peers first; or with one OSD."""
        first, count = page_of(limit if limit is not None else _SHOWN, offset)
        if osd is not None:
            return self._round_of(round_id, osd)
        return self._round(round_id, count, first, samples)

    def live(self, round_id: int) -> Shape:
        """What clients have done so far in the repeat that runs; asks no database.

        Empty for a round that does not run, or runs no clients now.
        """
        active = self._bench.active
        if active is None or active.round.id != round_id:
            return shapes.live(round_id, None, None, {})
        return shapes.live(round_id, active.phase, active.done + 1, dict(active.rows))

    def export(self, round_id: int, format_: str) -> str:
        """A whole round as the text of a file."""
        export.checked(format_)
        return export.export(self._round(round_id, None, 0), format_)

    def abort(self, round_id: Optional[int]) -> Shape:
        """Ask the running round to end; returns at once."""
        return {"id": self._bench.abort(round_id).id}

    def rm(self, round_id: int) -> Shape:
        self._bench.remove(round_id)
        return {"id": round_id}

    def _round(
        self, round_id: int, limit: Optional[int], offset: int, samples: bool = True
    ) -> Shape:
        everything: list[OsdResult] = []

        repeats: list[LoadSample] = []

        def read(
            store: Store,
        ) -> tuple[Round, list[OsdResult], list[Sample], int, list[Shape]]:
            round_ = store.round(round_id)
            load = round_.plan.load
            if load is not None and (samples or load.saturates or load.workers):
                repeats[:] = store.loads.of(round_id)
            results, total = store.results(round_id, limit, offset)
            whole = len(results) == total
            osds = None if whole else [result.osd for result in results]
            if round_.state.ended and round_id not in self._contexts:
                everything[:] = results if whole else store.results(round_id)[0]
            measured = store.samples(round_id, osds) if samples else []
            return round_, results, measured, total, _phases(store, round_)

        round_, results, measured, total, phases = self._desk.call(read)
        context = self._context(round_, everything)
        current = self._current(round_)
        whole = shapes.round_whole(current, results, measured, total, context, phases)
        return {**whole, **_clients(round_, repeats, samples)}

    def _round_of(self, round_id: int, osd: int) -> Shape:
        def read(
            store: Store,
        ) -> tuple[Round, list[OsdResult], list[Sample], list[LoadSample], list[Shape]]:
            round_, rows = store.round(round_id), store.results(round_id)[0]
            repeats = list(store.loads.of(round_id)) if round_.plan.load is not None else []
            measured = store.samples(round_id, [osd])
            return round_, rows, measured, repeats, _phases(store, round_)

        round_, everything, measured, repeats, phases = self._desk.call(read)
        results = [row for row in everything if row.osd == osd]
        context, current = self._context(round_, everything), self._current(round_)
        whole = shapes.round_whole(current, results, measured, len(results), context, phases)
        return {**whole, **_clients(round_, repeats)}

    def _context(self, round_: Round, results: Sequence[OsdResult]) -> list[Shape]:
        """What an ended round is beside, by medium. ``results`` of all its OSDs, the first time."""
        if not round_.state.ended:
            return []
        found = self._contexts.get(round_.id)
        if found is None:
            contexts = closest(round_, results, self._cluster.osds(MAPS_AGE))
            found = self._contexts[round_.id] = [reference.context(one) for one in contexts]
            if len(self._contexts) > _CONTEXTS:
                self._contexts.popitem(last=False)
        return found

    def _current(self, stored: Round) -> Round:
        """The running round as it is now: the store's row may be one step behind."""
        active = self._bench.active
        if active is not None and active.round.id == stored.id and not stored.state.ended:
            return active.round
        return stored

    def _current_line(self, stored: RoundLine) -> RoundLine:
        """The same for a line of a list."""
        active = self._bench.active
        if active is not None and active.round.id == stored.id and not stored.state.ended:
            return active.round.line
        return stored


def _clients(round_: Round, repeats: Sequence[LoadSample], samples: bool = True) -> Shape:
    """What is told of clients; empty for rounds that run none."""
    if round_.plan.load is None:
        return {"workers": [], "saturation": None}
    shown = repeats if samples else ()
    return {
        **shapes.clients(shown),
        "samples": [_sample(round_.plan.load, repeat) for repeat in shown],
        "workers": parts(repeats),
        "saturation": saturation_of(round_.plan.load, repeats),
    }


def _sample(load: LoadPlan, repeat: LoadSample) -> Shape:
    try:
        return shapes.load_sample(load, repeat, of_sample(repeat), "")
    except CommandFailed as failure:
        return shapes.load_sample(load, repeat, None, str(failure))


def _phases(store: RoundStore, round_: Round) -> list[Shape]:
    """The parts of a round that has several; those of all its OSDs."""
    if len(round_.plan.phases) == 1:
        return []
    hosts = {row.osd: row.host for row in store.results(round_.id)[0]}
    return phases_of(round_.plan, hosts, store.samples(round_.id))


def _state(text: str) -> RoundState:
    try:
        return RoundState(text)
    except ValueError:
        names = ", ".join(state.value for state in RoundState)
        raise InvalidValue(f"--state {text}: one of {names} is needed", field="state") from None
