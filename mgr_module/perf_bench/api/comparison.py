"""Questions that set results beside others: rounds, a profile's past, published figures."""

from __future__ import annotations

from typing import Callable, Optional, TypeVar

from ..bench.compare.client_rounds import compare_clients
from ..bench.compare.environment import environment_hash
from ..bench.compare.history import spread
from ..bench.compare.profile_history_reader import ProfileHistoryReader
from ..bench.compare.published import published
from ..bench.compare.rounds import compare_rounds
from ..bench.service import Bench
from ..errors import InvalidValue, NotSupported, StoreUnavailable
from ..model.comparison import Baseline, MeasuredRound
from ..model.imported import TOOLS
from ..model.profile import profile_named
from ..model.round import Round, Verdict
from ..ports import Clock, Store, StoreQueue
from ..report import comparison, reference
from ..report.shapes import Shape
from .paging import page_of

T = TypeVar("T")
# As many OSDs as ``round show`` shows.
_SHOWN = 200
# What a question takes at most, however many times it asks the store.
_PATIENCE = 5.0


class ComparisonApi:
    """``round compare``, ``profile history``, ``baseline …`` and ``reference ls``."""

    def __init__(self, bench: Bench, desk: StoreQueue, clock: Clock) -> None:
        self._bench = bench
        self._desk = desk
        self._clock = clock

    def rounds(
        self, a: int, b: int, limit: Optional[int] = None, offset: Optional[int] = None
    ) -> Shape:
        """Round b against round a, with a page of the OSDs that both measured, worst first."""
        first, count = page_of(limit if limit is not None else _SHOWN, offset)
        turn = _Turns(self._desk, self._clock)
        before = turn.call(lambda store: _measured(store, a))
        after = turn.call(lambda store: _measured(store, b))
        known = None
        if before.round.profile == after.round.profile:
            known = spread(turn.past(after.round.profile).history(like=b))
        clients = before.round.plan.load is not None and after.round.plan.load is not None
        compare = compare_clients if clients else compare_rounds
        shape = comparison.comparison(compare(before, after, known), count, first)
        setups = [environment_hash(one.round.environment) for one in (before, after)]
        return {**shape, "setups": setups}

    def history(self, profile: str) -> Shape:
        """A profile's newest rounds, where their level changed, and the regression if any."""
        name = profile_named(profile).name
        past = _Turns(self._desk, self._clock).past(name)
        return comparison.history(past.history(), past.regression(), past.baseline)

    def set_baseline(self, round_id: int, profile: Optional[str] = None) -> Shape:
        """Hold the later rounds of its profile against this one. Raises InvalidValue if unfit.

        ``profile`` is for those who want to be sure of which it is.
        """
        if profile is not None:
            profile_named(profile)
        now = self._clock.now()

        def work(store: Store) -> Round:
            round_ = store.round(round_id)
            _must_be_fit(round_, profile)
            store.set_baseline(round_id, now)
            return round_

        round_ = self._desk.call(work)
        self._bench.regressions.look(round_.profile)
        return comparison.baseline(Baseline(round_.line, now))

    def baselines(self) -> list[Shape]:
        """The baseline of each profile that has one."""
        return [comparison.baseline(one) for one in self._desk.call(lambda s: s.baselines())]

    @staticmethod
    def references() -> list[Shape]:
        """The published figures."""
        return [reference.figure(figure) for figure in published()]


class _Turns:
    """Several questions to the store that take no longer together than one may."""

    def __init__(self, desk: StoreQueue, clock: Clock) -> None:
        self._desk = desk
        self._clock = clock
        self._until = clock.monotonic() + _PATIENCE

    def call(self, question: Callable[[Store], T]) -> T:
        left = self._until - self._clock.monotonic()
        if left <= 0:
            raise StoreUnavailable(
                f"the database in the cluster did not tell all within {_PATIENCE:g} s: try again "
                "when it is less busy"
            )
        return self._desk.call(question, left)

    def past(self, profile: str) -> ProfileHistoryReader:
        found = ProfileHistoryReader(profile)
        while self.call(found.read):
            pass
        return found


def _measured(store: Store, round_id: int) -> MeasuredRound:
    return MeasuredRound(
        store.round(round_id),
        store.results(round_id)[0],
        store.samples(round_id),
        store.loads.of(round_id),
    )


def _must_be_fit(round_: Round, profile: Optional[str]) -> None:
    if profile is not None and round_.profile != profile:
        raise InvalidValue(
            f"round {round_.id} is of {round_.profile}, not of {profile}", field="profile"
        )
    if round_.kind in TOOLS:
        raise NotSupported(f"round {round_.id} is of kind {round_.kind}, which has no baseline")
    if round_.verdict != Verdict.VALID or not round_.state.ended:
        what = (round_.verdict or round_.state).value
        raise InvalidValue(
            f"round {round_.id} is {what}: only a valid round can be a baseline", field="id"
        )
