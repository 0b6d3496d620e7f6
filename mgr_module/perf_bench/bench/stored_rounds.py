"""Reads, lists and imports stored rounds, with the results that follow from their samples."""

from __future__ import annotations

import uuid
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Callable, NamedTuple, Optional, TypeVar, Union

from ..core.clock import Clock
from ..model.osd import Osd
from ..model.plan import Sample
from ..model.rados import CombinedRun, LoadPlan, LoadSample, Saturation, SearchRun
from ..model.round import (
    Context,
    Distribution,
    OsdRates,
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
from .compare.reference import closest
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
    ``contexts`` compare an ended round with published figures, by medium. ``parts`` are those of a
    round that has several, with the ``hosts`` by OSD.
    """

    round: Round
    results: Sequence[OsdResult]
    found: int
    osds: int
    samples: Sequence[Sample]
    repeats: Sequence[Repeat]
    loads: Sequence[LoadSample]
    search: Optional[Saturation]
    contexts: Sequence[Context] = ()
    parts: Sequence[Part] = ()
    hosts: Mapping[int, str] = field(default_factory=dict)


class _Derived(NamedTuple):
    """What follows from all OSDs or samples of a round: costly, and final once it has ended."""

    contexts: Sequence[Context]
    parts: Sequence[Part]
    hosts: Mapping[int, str]


class _Beneath(NamedTuple):
    """What it is derived from: of an ended round the rates of its OSDs, of several parts all."""

    rates: Sequence[OsdRates] = ()
    results: Sequence[OsdResult] = ()
    samples: Sequence[Sample] = ()


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
        # By ended round, the newest ones.
        self._derived: OrderedDict[int, _Derived] = OrderedDict()

    def read(self, round_id: int, wanted: Wanted) -> StoredRound:
        """Return a round with the results that follow from its samples. Raises NotFound."""
        known = self._derived.get(round_id)
        found, beneath = self._store_thread.call(
            lambda store: _rows(store, round_id, wanted, known is None),
            key=("round", round_id, wanted, known is None),
        )
        if known is None:
            known = self._derive(found.round, beneath)
        active, round_ = self._bench.active, found.round
        if active is not None and _runs(active.round, round_):  # newer than its row
            round_ = active.round
        if round_.plan.imported is None:
            environment = round_.environment
            hashed = {**environment, "hash": environment_hash(environment)}
            round_ = replace(round_, environment=hashed)
        return replace(found, round=round_, **known._asdict())

    def _derive(self, round_: Round, of: _Beneath) -> _Derived:
        ended, several = round_.state.ended, len(round_.plan.phases) > 1
        found = _Derived(
            closest(round_, of.rates, self._osds()) if ended else (),
            parts_of(round_.plan, of.samples) if several else (),
            {row.osd: row.host for row in of.results},
        )
        return _kept(self._derived, round_.id, found) if ended else found

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
    store: Store, round_id: int, wanted: Wanted, derives: bool
) -> tuple[StoredRound, _Beneath]:
    """A round's rows, and what more is derived from."""
    round_ = store.round(round_id)
    load, parts = round_.plan.load, len(round_.plan.phases) > 1
    only = None if wanted.osd is None else [wanted.osd]
    results, found = store.results(
        round_id, wanted.limit, wanted.offset, wanted.search, wanted.sort, only
    )
    osds = store.results(round_id, 0)[1] if wanted.search else found
    whole = only is None and len(results) == osds
    beneath = _Beneath()
    if derives and round_.state.ended:
        beneath = beneath._replace(rates=store.rates(round_id))
    if derives and parts:
        everybody = results if whole else store.results(round_id)[0]
        beneath = beneath._replace(results=everybody, samples=store.samples(round_id))
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
    return stored, beneath


def _kept(kept: OrderedDict[int, T], round_id: int, found: T) -> T:
    """Keep a value in place of the oldest one."""
    kept[round_id] = found
    if len(kept) > _KEPT:
        kept.popitem(last=False)
    return found


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
    return Saturation(most_runs(load.most), len(load.most.grid), runs, **found)
