"""Reads, lists and imports stored rounds, with the results that follow from their samples."""

from __future__ import annotations

import uuid
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Callable, Generic, NamedTuple, Optional, TypeVar, Union

from ..core.clock import Clock
from ..errors import CommandFailed
from ..model.bench import Sample
from ..model.comparison import Context, Distribution
from ..model.json_fields import Json
from ..model.osd import Osd
from ..model.rados import CombinedRun, LoadSample, Search, SearchRun
from ..model.round import OsdResult, Part, Round, RoundLine, RoundState
from ..store.sqlite import Store, StoreThread
from .compare.distribution import DistributionBuilder
from .compare.loads import conclude, of_sample, under_load
from .compare.parts import parts_of
from .compare.reference import closest
from .plan.osds import checked_label
from .plan.saturation_search import most_runs
from .record.imports import round_from
from .service import Bench

T = TypeVar("T")
# Number of ended rounds whose contexts, parts and distributions are cached. Parts are large:
# several figures for every OSD.
_CONTEXTS, _PARTS, _DISTRIBUTIONS = 32, 4, 8
# OSDs that are read in one call: 2,500 samples take 30 ms of the store's thread and the GIL.
PIECE = 500


class Wanted(NamedTuple):
    """A page of a round's OSDs (all without ``limit``) or one OSD, with or without samples.

    ``search`` and ``sort`` are those of ``Store.results``.
    """

    limit: Optional[int] = None
    offset: int = 0
    samples: bool = True
    osd: Optional[int] = None
    search: str = ""
    sort: str = ""


class Repeat(NamedTuple):
    """A repeat of clients: their combined result, or ``why`` there is none."""

    sample: LoadSample
    together: Optional[CombinedRun]
    why: str


class Parts(NamedTuple):
    """The parts of a round that has several, and the hosts by OSD."""

    parts: Sequence[Part]
    hosts: Mapping[int, str]


@dataclass(frozen=True)
class StoredRound:
    """A round with the requested OSDs, of ``found`` that match and ``osds`` in all.

    ``repeats`` are those of clients, if samples were requested; ``loads`` are all that were read.
    ``contexts`` compare an ended round with published figures, by medium.
    """

    round: Round
    results: Sequence[OsdResult]
    found: int
    osds: int
    samples: Sequence[Sample]
    repeats: Sequence[Repeat]
    loads: Sequence[LoadSample]
    contexts: Sequence[Context]
    parts: Parts
    search: Optional[Search]

    @property
    def pieces(self) -> Sequence[Sequence[int]]:
        """The OSDs of which the round has results, as lists that one call may read."""
        plan = self.round.plan
        osds = () if plan.load or plan.imported else plan.osds
        return [osds[first : first + PIECE] for first in range(0, len(osds), PIECE)]


class _Rows(NamedTuple):
    """Rows of a round. ``everybody`` (all results) and ``everything`` (all samples) if needed."""

    round: Round
    results: Sequence[OsdResult]
    found: int
    osds: int
    samples: Sequence[Sample]
    loads: Sequence[LoadSample]
    everybody: Sequence[OsdResult]
    everything: Sequence[Sample]
    contexts: Optional[Sequence[Context]]
    parts: Optional[Parts]


class StoredRounds:
    """Reads rounds. Thread-safe; its methods raise what the store raises."""

    def __init__(
        self,
        bench: Bench,
        store_thread: StoreThread,
        clock: Clock,
        osds: Callable[[], Sequence[Osd]],
    ) -> None:
        """``osds`` returns the cluster's OSDs, which distinguish NVMe from other flash."""
        self._bench = bench
        self._store_thread = store_thread
        self._clock = clock
        self._osds = osds
        # Derived from all OSDs or samples of an ended round, so it is costly and never changes.
        self._contexts: _Newest[Sequence[Context]] = _Newest(_CONTEXTS)
        self._parts: _Newest[Parts] = _Newest(_PARTS)
        self._distributions: _Newest[Distribution] = _Newest(_DISTRIBUTIONS)

    def read(self, round_id: int, wanted: Wanted) -> StoredRound:
        """Return a round with the results that follow from its samples. Raises NotFound."""
        rows = self._store_thread.call(
            lambda store: self._rows(store, round_id, wanted), key=("round", round_id, wanted)
        )
        return StoredRound(
            round=self._current(rows.round),
            results=rows.results,
            found=rows.found,
            osds=rows.osds,
            samples=rows.samples,
            repeats=[_repeat(load) for load in rows.loads] if wanted.samples else (),
            loads=rows.loads,
            contexts=self._contexts_of(rows),
            parts=self._parts_of(rows),
            search=_search(rows),
        )

    def distribution(self, round_id: int) -> Distribution:
        """Return how the figures of all OSDs are distributed; reads piece by piece."""
        stored = self.read(round_id, Wanted(limit=0, samples=False))
        known = self._distributions.get(round_id)
        if known is not None:
            return known
        builder = DistributionBuilder()
        for osds in stored.pieces:
            builder.add(self.results(round_id, osds), self.samples(round_id, osds))
        found = builder.build()
        return self._distributions.keep(round_id, found) if stored.round.state.ended else found

    def results(self, round_id: int, osds: Sequence[int]) -> Sequence[OsdResult]:
        """Return the results of these OSDs, by ID. Raises NotFound."""
        return self._store_thread.call(
            lambda store: store.results(round_id, sort="osd", osds=osds)[0]
        )

    def samples(self, round_id: int, osds: Sequence[int]) -> Sequence[Sample]:
        """Return the samples of these OSDs, by repeat and ID. Raises NotFound."""
        return self._store_thread.call(lambda store: store.samples(round_id, osds))

    def raw_tables(self, round_id: int) -> Mapping[str, Sequence[Json]]:
        """Return all rows of a round by table, as they are stored. Raises NotFound."""
        return self._store_thread.call(
            lambda store: {
                table: store.raw(round_id, table, size, 0)
                for table, size in store.raw_sizes(round_id).items()
            }
        )

    def raw_sizes(self, round_id: int) -> Mapping[str, int]:
        """Return how many rows a round has by table. Raises NotFound."""
        return self._store_thread.call(lambda store: store.raw_sizes(round_id))

    def raw(self, round_id: int, table: str, limit: int, offset: int) -> Sequence[Json]:
        """Return a page of a round's rows in a table, as they are stored."""
        return self._store_thread.call(lambda store: store.raw(round_id, table, limit, offset))

    def lines(
        self,
        kind: Optional[str],
        state: Optional[RoundState],
        page: tuple[int, int],
        search: str,
        sort: str,
    ) -> tuple[list[RoundLine], int]:
        """Return a page (offset, limit) of the rounds, and their total number."""
        offset, limit = page
        found, total = self._store_thread.call(
            lambda store: store.rounds(kind, state, limit, offset, search, sort),
            key=("rounds", kind, state, limit, offset, search, sort),
        )
        active = self._bench.active
        return [
            active.round.line if active and _runs(active.round, line) else line for line in found
        ], total

    def take(self, text: str, tool: str, label: Optional[str]) -> Round:
        """Import the text of another tool's result file as a round; returns the round.

        Raises InvalidValue with the path of the bad field; then nothing is stored.
        """
        checked_label(label)
        draft = round_from(text, tool, label or "", uuid.uuid4().hex, self._clock.now())
        return self._store_thread.call(lambda store: store.add_round(draft, ()), size=len(text))

    def _rows(self, store: Store, round_id: int, wanted: Wanted) -> _Rows:
        round_ = store.round(round_id)
        contexts, parts = self._contexts.get(round_id), self._parts.get(round_id)
        if not round_.state.ended:
            contexts = ()
        if len(round_.plan.phases) == 1:
            parts = Parts((), {})
        if wanted.osd is None:
            page = wanted.limit, wanted.offset, wanted.search, wanted.sort
            results, found = store.results(round_id, *page)
            osds = store.results(round_id, 0)[1] if wanted.search else found
            everybody = results
            if len(results) < osds and (contexts is None or parts is None):
                everybody = store.results(round_id)[0]
        else:
            everybody = store.results(round_id)[0]
            results = [row for row in everybody if row.osd == wanted.osd]
            found = osds = len(results)
        whole = wanted.osd is None and len(results) == osds
        chosen = None if whole else [row.osd for row in results]
        load = round_.plan.load
        needs_loads = load is not None and (wanted.samples or load.saturates or load.workers)
        return _Rows(
            round_,
            results,
            found,
            osds,
            store.samples(round_id, chosen) if wanted.samples else (),
            store.loads.of(round_id) if needs_loads else (),
            everybody,
            store.samples(round_id) if parts is None else (),
            contexts,
            parts,
        )

    def _contexts_of(self, rows: _Rows) -> Sequence[Context]:
        if rows.contexts is not None:
            return rows.contexts
        found = closest(rows.round, rows.everybody, self._osds())
        return self._contexts.keep(rows.round.id, found)

    def _parts_of(self, rows: _Rows) -> Parts:
        if rows.parts is not None:
            return rows.parts
        parts = parts_of(rows.round.plan, rows.everything)
        found = Parts(parts, {row.osd: row.host for row in rows.everybody})
        return self._parts.keep(rows.round.id, found) if rows.round.state.ended else found

    def _current(self, stored: Round) -> Round:
        """Return the running round's current state, which is newer than the stored row."""
        active = self._bench.active
        return active.round if active and _runs(active.round, stored) else stored


class _Newest(Generic[T]):
    """A cache of the newest ``most`` values by round ID."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[int, T] = OrderedDict()

    def get(self, round_id: int) -> Optional[T]:
        return self._kept.get(round_id)

    def keep(self, round_id: int, found: T) -> T:
        self._kept[round_id] = found
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return found


def _runs(active: Round, stored: Union[Round, RoundLine]) -> bool:
    return active.id == stored.id and not stored.state.ended


def _repeat(sample: LoadSample) -> Repeat:
    try:
        return Repeat(sample, of_sample(sample), "")
    except CommandFailed as failure:
        return Repeat(sample, None, failure.message)


def _search(rows: _Rows) -> Optional[Search]:
    """Return the result of a saturation search so far; None if the round is no search."""
    load = rows.round.plan.load
    if load is None or not load.saturates:
        return None
    runs = [SearchRun(one.repeat, one.load, *under_load(one)) for one in rows.loads]
    measured = [run.measured for run in runs if run.measured is not None]
    return Search(
        size=load.size,
        most_runs=most_runs(load.bounds),
        grid=len(load.bounds.grid),
        runs=runs,
        found=conclude(measured) if measured else None,
    )
