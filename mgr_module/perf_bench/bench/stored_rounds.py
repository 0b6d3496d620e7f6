"""Reads, lists and imports stored rounds, with the results that follow from their samples."""

from __future__ import annotations

import uuid
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple, Optional, TypeVar, Union

from ..core.clock import Clock
from ..model.plan import Sample
from ..model.rados import CombinedRun, LoadPlan, LoadSample, Saturation, SearchRun
from ..model.round import (
    Distribution,
    OsdResult,
    Part,
    Round,
    RoundLine,
    RoundState,
)
from ..store.sqlite import Store, StoreThread
from .compare.comparable import environment_hash
from .compare.distribution import distribution
from .compare.loads import Measured, combined, conclude
from .compare.parts import parts_of
from .plan.clients import most_runs
from .plan.osds import checked_label
from .record import round_from
from .service import Bench

T = TypeVar("T")
# Ended rounds of which is kept what was derived. Parts are large: several figures for every OSD.
_KEPT = 4


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


@dataclass(frozen=True)
class StoredRound:
    """A round with the requested OSDs, of ``found`` that match and ``osds`` in all.

    ``repeats`` are those of clients, if samples were requested; ``loads`` are all that were read.
    ``parts`` are those of a round that has several.
    """

    round: Round
    results: Sequence[OsdResult]
    found: int
    osds: int
    samples: Sequence[Sample]
    repeats: Sequence[Repeat]
    loads: Sequence[LoadSample]
    search: Optional[Saturation]
    parts: Sequence[Part] = ()


class StoredRounds:
    """Reads rounds. Thread-safe; its methods raise what the store raises."""

    def __init__(
        self,
        bench: Bench,
        store_thread: StoreThread,
        clock: Clock,
    ) -> None:
        self._bench = bench
        self._store_thread = store_thread
        self._clock = clock
        # By ended round of several parts, the newest ones.
        self._kept: OrderedDict[int, Sequence[Part]] = OrderedDict()

    def read(self, round_id: int, wanted: Wanted) -> StoredRound:
        """Return a round with the results that follow from its samples. Raises NotFound."""
        parts = self._kept.get(round_id)
        found, samples = self._store_thread.call(
            lambda store: _rows(store, round_id, wanted, parts is None),
            key=("round", round_id, wanted, parts is None),
        )
        round_ = found.round
        if parts is None:
            parts = self._parts(round_, samples) if len(round_.plan.phases) > 1 else ()
        active = self._bench.active
        if active is not None and _runs(active.round, round_):  # newer than its row
            round_ = active.round
        if round_.plan.imported is None:
            environment = round_.environment
            hashed = {**environment, "hash": environment_hash(environment)}
            round_ = replace(round_, environment=hashed)
        return replace(found, round=round_, parts=parts)

    def _parts(self, round_: Round, samples: Sequence[Sample]) -> Sequence[Part]:
        """Costly, and final once the round has ended: the newest ones are kept."""
        found = parts_of(round_.plan, samples)
        if round_.state.ended:
            self._kept[round_.id] = found
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return found

    def distribution(self, round_id: int) -> Distribution:
        """Return how the figures of all OSDs are distributed. Raises NotFound."""
        return distribution(self.read(round_id, Wanted(samples=False)).results)

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


def _rows(
    store: Store, round_id: int, wanted: Wanted, parts: bool
) -> tuple[StoredRound, Sequence[Sample]]:
    """A round's rows; with ``parts`` all samples of a round that has several."""
    round_ = store.round(round_id)
    load = round_.plan.load
    only = None if wanted.osd is None else [wanted.osd]
    results, found = store.results(
        round_id, wanted.limit, wanted.offset, wanted.search, wanted.sort, only
    )
    osds = store.results(round_id, 0)[1] if wanted.search else found
    whole = only is None and len(results) == osds
    samples: Sequence[Sample] = ()
    if wanted.samples:
        samples = store.samples(round_id, None if whole else [row.osd for row in results])
    loads: Sequence[LoadSample] = ()
    if load is not None and (wanted.samples or load.saturates or load.workers):
        loads = store.loads(round_id)
    stored = StoredRound(
        round=round_,
        results=results,
        found=found,
        osds=osds,
        samples=samples,
        repeats=[Repeat(one, *combined(one)) for one in loads] if wanted.samples else (),
        loads=loads,
        search=_search(load, loads),
    )
    return stored, store.samples(round_id) if parts and len(round_.plan.phases) > 1 else ()


def _runs(active: Round, stored: Union[Round, RoundLine]) -> bool:
    return active.id == stored.id and not stored.state.ended


def _search(load: Optional[LoadPlan], loads: Sequence[LoadSample]) -> Optional[Saturation]:
    """Return the result of a saturation search so far; None if the round is no search."""
    if load is None or not load.saturates:
        return None
    runs, figures = [], []
    for one in loads:
        run, why = combined(one)
        told: dict[str, Any] = asdict(one.load) if one.load else {}
        if run is not None:
            figures.append(Measured(one, run).under)
            told["bytes_per_second"] = run.bytes_per_second
            told["mean_latency"], told["p99_latency"] = run.mean_latency, run.p99_latency
        runs.append(SearchRun(one.repeat, **told, why=why or None))
    found = vars(conclude(figures)) if figures else {}
    return Saturation(most_runs(load.most), runs, **found)
