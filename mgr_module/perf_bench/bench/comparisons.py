"""Compares stored rounds, two or a profile's history with its baseline; finds regressions."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Callable, Optional

from ..core.clock import Clock
from ..core.loop import Loop, reply
from ..errors import InvalidValue, NotSupported, StoreUnavailable
from ..model.finding import Claim, Finding, Gap, Look
from ..model.finding_kinds import REGRESSION
from ..model.plan import PROFILES, TOOLS, profile_named
from ..model.round import (
    Baseline,
    Comparison,
    Conclusion,
    History,
    MeasuredRound,
    Round,
    RoundLine,
    Verdict,
)
from ..store.sqlite import Store, StoreThread
from .compare.comparable import environment_hash
from .compare.history import LEAST_BEFORE, LEAST_LENGTH, ProfileHistoryReader, spread
from .compare.rounds import compare_rounds


class Comparisons:
    """Compares stored rounds. Safe to call from any thread; raises what the store raises."""

    def __init__(
        self,
        store_thread: StoreThread,
        clock: Clock,
        regressions: Regressions,
        created_at: Callable[[], Mapping[int, Optional[float]]] = dict,
    ) -> None:
        """``created_at`` returns when each OSD was made (unix seconds)."""
        self._store_thread = store_thread
        self._clock = clock
        self._regressions = regressions
        self._created_at = created_at

    def rounds(self, a: int, b: int) -> Comparison:
        """Compare round b with round a. Raises NotFound.

        If they are not comparable the result has the reasons.
        """
        call = self._store_thread.call
        before = call(lambda store: measured(store, a))
        after = call(lambda store: measured(store, b))
        known = None
        if before.round.profile == after.round.profile:
            known = spread(self._past(after.round.profile).history(like=b))
        was, is_ = before.round.environment, after.round.environment
        return replace(
            compare_rounds(before, after, known, self._created_at()),
            setups=(environment_hash(was), environment_hash(is_)),
        )

    def comparable(self, round_id: int) -> Sequence[RoundLine]:
        """Return the rounds that a round can be compared with, newest first. Raises NotFound."""
        round_ = self._store_thread.call(lambda store: store.round(round_id))
        return self._past(round_.profile).comparable(round_)

    def history(self, profile: str) -> History:
        """Return a profile's newest rounds and the changes of their level. Raises NotFound."""
        past = self._past(profile_named(profile).name)
        found = past.history()
        claim = past.regression(found)
        slower = None if claim is None else Conclusion(claim.code, claim.message, claim.evidence)
        return replace(found, baseline=past.baseline, regression=slower)

    def set_baseline(self, round_id: int, profile: Optional[str] = None) -> Baseline:
        """Make a round the baseline of its profile.

        Raises InvalidValue if it is unsuitable, or if ``profile`` is given and is not its profile.
        """
        if profile is not None:
            profile_named(profile)
        now = self._clock.now()

        def work(store: Store) -> Round:
            round_ = store.round(round_id)
            _must_be_fit(round_, profile)
            store.set_baseline(round_id, now)
            return round_

        round_ = self._store_thread.call(work)
        self._regressions.look_again(round_.profile)
        return Baseline(round_.line, now)

    def baselines(self) -> list[Baseline]:
        """Return the baseline of each profile that has one."""
        return list(self._store_thread.call(lambda store: store.baselines()))

    def _past(self, profile: str) -> ProfileHistoryReader:
        found = ProfileHistoryReader(profile)
        while self._store_thread.call(found.read):
            pass
        return found


def measured(store: Store, round_id: int) -> MeasuredRound:
    """Read a round with all that it measured. Raises NotFound."""
    return MeasuredRound(
        store.round(round_id),
        store.results(round_id)[0],
        store.samples(round_id),
        store.loads(round_id),
    )


def _must_be_fit(round_: Round, profile: Optional[str]) -> None:
    if profile is not None and round_.profile != profile:
        raise InvalidValue(f"round {round_.id} is of {round_.profile}, not of {profile}", "profile")
    if round_.kind in TOOLS:
        raise NotSupported(f"round {round_.id} is of kind {round_.kind}, which has no baseline")
    if round_.verdict != Verdict.VALID or not round_.state.ended:
        what = (round_.verdict or round_.state).value
        raise InvalidValue(
            f"round {round_.id} is {what}: only a valid round can be a baseline",
            field="id",
        )


# Comparable rounds without which no regression can be seen.
LEAST_ROUNDS = LEAST_BEFORE + LEAST_LENGTH


class Regressions:
    """Looks for regressions: a reconciler on the loop. Its claims are read from any thread."""

    def __init__(self, loop: Loop, store_thread: StoreThread, log: logging.Logger) -> None:
        self._loop = loop
        self._store_thread = store_thread
        self._log = log
        # By profile the claim, and the number of its comparable rounds; None without any round.
        self._found: dict[str, tuple[Optional[Claim], Optional[int]]] = {}
        # Profiles of which a round has ended, was removed or is the baseline since they were
        # judged; changed on the loop. Those of imported rounds are ignored.
        self.changed: set[str] = set()

    async def step(self) -> None:
        """The reconciler: judge the profiles whose rounds have changed."""
        for profile in sorted(self.changed):
            self.changed.discard(profile)
            try:
                if profile in PROFILES:
                    await self._judge(profile)
            except StoreUnavailable:
                self.changed.add(profile)
                raise

    def look_again(self, profile: str) -> None:
        """Judge a profile again; may be called from any thread."""
        self._loop.post(lambda: self.changed.add(profile))

    def claims(self) -> Sequence[Claim]:
        """Return the claims of the newest checks."""
        return [claim for claim, _ in self._found.values() if claim is not None]

    def looks(self) -> Sequence[Look]:
        """Profiles against their own past; those that no round has measured are left out."""
        rounds = {name: count for name, (_, count) in self._found.items()}
        ours = sorted(name for name in PROFILES if rounds.get(name, 0) is not None)
        unread = [name for name in ours if name not in rounds]
        few = [name for name in ours if name in rounds and (rounds[name] or 0) < LEAST_ROUNDS]
        gaps = (
            Gap("unread", "their rounds are not read from the database yet").of(unread),
            Gap(
                "few-rounds",
                f"fewer than {LEAST_ROUNDS} rounds of them can be compared",
                "'ceph perf-bench schedule add' repeats rounds",
            ).of(few),
        )
        told = tuple(one for one in gaps if one.count)
        what = "profiles against their own past"
        return [Look("regressions", what, "profile", len(ours), (REGRESSION.code,), told)]

    def knows(self, finding: Finding) -> bool:
        """Whether its profile was checked since this mgr became active."""
        return finding.target.id in self._found

    async def _judge(self, profile: str) -> None:
        past = ProfileHistoryReader(profile)
        while await reply(self._store_thread.ask(past.read)):
            pass
        known = past.history()
        measured = known.points or known.left_out
        count = len(known.points) if measured else None
        self._found = {**self._found, profile: (past.regression(known), count)}
