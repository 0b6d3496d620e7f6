"""The bench journey: admission → plan → run → record → compare, one round at a time."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Callable, NamedTuple, Optional

from ..core.loop import Cancelled, first_of, reply
from ..errors import (
    Busy,
    InvalidValue,
    NotFound,
    NotNow,
    StoreUnavailable,
)
from ..model.osd import Osd
from ..model.plan import PROFILES, Done, Request, profile_named
from ..model.round import Round, RoundState, Verdict
from ..store.sqlite import Store
from .comparisons import Regressions
from .context import LEAVE, LEAVE_WAIT, ActiveRound, RoundContext, namespace_of
from .planning import Planner, Results, Stored, read_stored, refuse
from .round import RoundLife

_ABORTED = "aborted by the operator"
# A round whose mgr stopped this many times is not resumed again.
MAX_RESUMES = 3


class ScheduledRun(NamedTuple):
    """The run of a schedule: nobody attends it.

    ``token`` identifies the round. ``check`` is called in the turn of the database that stores it,
    and raises where the run is not wanted any more or was started already.
    """

    token: str
    check: Callable[[Store], None]


class Bench:
    """Starts, resumes, aborts and removes rounds.

    Its state changes on the loop alone: coroutines are called there, all else from any thread.
    """

    def __init__(self, context: RoundContext, max_parallel: Callable[[], int]) -> None:
        """``max_parallel`` returns the maximum number of OSDs in one wave."""
        self._context = context
        self.results = Results(context)
        self.regressions = Regressions(context.loop, context.store_thread, context.log)
        self.planner = Planner(context, self.results, max_parallel, self._running)
        self.round_safety, self.loader = context.round_safety, context.loader
        # Set on the loop, read by any thread: the running round, and whether the database was read
        # since this mgr became active. Before, no round starts.
        self.active: Optional[ActiveRound] = None
        self.ready = False
        self._starting = False
        # Other rounds may be stored than were read.
        self._stale = False
        self._leaving = False
        # Why the newest try to read the database failed.
        self._unread: Optional[StoreUnavailable] = None

    @property
    def occupied(self) -> bool:
        """Whether a round runs or is being started."""
        starting = self._starting  # read first: a start ends when the round is active
        return starting or self.active is not None

    @property
    def settled(self) -> bool:
        """Whether what is known of rounds is what is stored."""
        return self.ready and not self._stale

    def _running(self) -> Optional[tuple[int, ...]]:
        """Return the IDs of the running rounds; None until the database has been read."""
        active = self.active
        running = () if active is None else (active.round.id,)
        return running if self.ready else None

    # --- starting ----------------------------------------------------------------------------

    def start(self, request: Request) -> Round:
        """Store a new round and begin it; returns once it is stored.

        Raises Busy, NotNow, StoreUnavailable, what planning raises, and NotConfirmed after some
        seconds without the database: then it begins all the same once it is stored.
        """
        return self._context.loop.ask(lambda: self.begin(request))

    async def begin(self, request: Request, run: Optional[ScheduledRun] = None) -> Round:
        """As ``start``, and of schedules too; called on the loop."""
        profile_named(request.profile)  # first what is asked for, then whether it may be now
        self._must_be_ready()
        self._reserve()
        try:
            # On a worker: admission asks the monitors.
            prepare = partial(self.planner.prepare, request, run is None)
            prepared = await reply(self._context.workers.submit(prepare))
            refuse(prepared.admission, request.force)
            draft = Round(
                id=0,
                profile=prepared.plan.profile,
                kind=PROFILES[prepared.plan.profile].kind,
                state=RoundState.QUEUED,
                plan=prepared.plan,
                token=uuid.uuid4().hex if run is None else run.token,
                label=request.label or "",
                created_at=self._context.clock.now(),
                environment=self.planner.environment(prepared),
            )
            # A client round measures the cluster and has no results of OSDs.
            osds = () if prepared.plan.load else prepared.targets
            round_ = await self._store(draft, osds, run)
            self.results.book(round_)
            self._begin(round_, Done())
            return round_
        finally:
            self._starting = False

    async def _store(self, draft: Round, osds: Sequence[Osd], run: Optional[ScheduledRun]) -> Round:
        """Store a new round. Raises StoreUnavailable."""

        def add(store: Store) -> Round:
            if run is not None:
                run.check(store)
            return store.add_round(draft, osds)

        try:
            return await reply(self._context.store_thread.ask(add))
        except StoreUnavailable:
            self._stale = True  # it may be stored all the same
            raise

    def _reserve(self) -> None:
        if self._leaving:
            raise NotNow("this mgr is stopping: ask the next active one")
        if self.active is not None:
            raise Busy(self.active.why_busy())
        if self._starting:
            raise Busy("another round is being started at this moment")
        self._starting = True

    def _must_be_ready(self) -> None:
        """Raise NotNow until the database is read: a round may be about to be carried on."""
        if self.ready:
            return
        unread = self._unread
        if unread is None:
            raise NotNow(
                "perf_bench has just become active and has not read its database yet: try "
                "again in a few seconds; 'ceph perf-bench status' shows when it has"
            )
        raise type(unread)(
            f"perf_bench has not read its database: {unread.message}; see 'ceph "
            "perf-bench store status'"
        )

    def _begin(self, round_: Round, done: Done) -> None:
        """Begin to run a stored round."""
        there = len(done.samples)
        self.active = active = ActiveRound(round_, done_before=there, done=there)
        self.round_safety.expect(round_)
        if round_.verdict == Verdict.ABORTED:  # aborted on the mgr before
            active.abort(round_.reasons[0] if round_.reasons else _ABORTED)
        self._context.loop.post(lambda: self._run(active, done))

    def _run(self, active: ActiveRound, done: Done) -> None:
        if active.ending is LEAVE:
            return
        active.task = self._context.loop.spawn(self._conduct(active, done))
        if active.ending is not None:
            active.task.cancel(active.ending)

    async def _conduct(self, active: ActiveRound, done: Done) -> None:
        """Run the round; in one step it is over and its results are the newest ones."""
        life = RoundLife(self._context, active)
        try:
            ended = await life.measure(done)
            stored = await life.save(ended)
        except Cancelled:  # it is left to the next active mgr, and so are its settings
            return
        if stored is None:
            self._stale = True
        else:
            self.results.take(stored)
        self.round_safety.expect(None)
        self.active = None
        self.regressions.changed.add(active.round.profile)

    # --- after a failover, and before one ------------------------------------------------------

    async def step(self) -> None:
        """The reconciler: what was read is what is stored.

        Raises StoreUnavailable. After a failover it resumes the unfinished round.
        """
        if not self.ready:
            await self._wake()
        elif self._stale and not self._starting:
            self._stale = False
            active = self.active
            running = None if active is None else active.round.id
            try:
                reread = self._context.store_thread.ask(lambda store: _reread(store, running))
                self.results.take(await reply(reread))
            except BaseException:
                self._stale = True
                raise
            self.regressions.changed.update(PROFILES)

    async def sweep(self) -> None:
        """The reconciler of what rounds of clients have left in pools."""
        if self.ready:
            active, used = self.active, None
            if active is not None and (active.measuring or active.ending is LEAVE):
                used = namespace_of(active.round.token)
            await self._context.leftovers.clear(used)

    async def _wake(self) -> None:
        """Read the store and resume the unfinished round; before, no round can be started."""
        try:
            carried, done, stored = await reply(self._context.store_thread.ask(self._settle))
        except StoreUnavailable as error:
            if str(error) != str(self._unread):  # once, not every few seconds of an outage
                self._context.log.warning("the database is not there yet: %s", error)
            self._unread = error
            raise
        self.results.take(stored)
        if carried is not None:
            self._begin(carried, done)
        self.ready = True
        self.regressions.changed.update(PROFILES)

    def _settle(self, store: Store) -> tuple[Optional[Round], Done, Stored]:
        """End all unfinished rounds but one, which is carried on; on the database's thread.

        Returns that one with its samples, and the results of all rounds.
        """
        unfinished = store.unfinished()
        carried = next((one for one in unfinished if one.resumed < MAX_RESUMES), None)
        for one in unfinished:
            if one is not carried:
                store.save_round(_given_up(one, self._context.clock.now()))
        done = Done()
        if carried is not None and carried.verdict != Verdict.ABORTED:
            done = store.sampled(carried.id)
            if carried.state == RoundState.RUNNING:
                carried = replace(carried, resumed=carried.resumed + 1)
            store.save_round(carried)
            self._context.log.info(
                "round %d is carried on, %d samples are there", carried.id, len(done.samples)
            )
        return carried, done, read_stored(store)

    def reread(self) -> None:
        """Have the results read again, because other rounds may be stored; does not wait."""
        self._stale = True

    async def leave(self) -> None:
        """Stop without ending the round: the next active mgr resumes it. Returns within seconds."""
        self._leaving = True
        active = self.active
        if active is not None:
            active.leave()
            if active.task is not None:
                await first_of((active.task.done,), 2 * LEAVE_WAIT)

    # --- ending and removing -------------------------------------------------------------------

    def abort(self, round_id: Optional[int]) -> Round:
        """Ask the running round to end; returns at once.

        The abort is also stored, so that after a failover the mgr ends the round. Raises NotFound,
        InvalidValue, and as ``start`` until it is known which round runs.
        """
        return self._context.loop.ask(lambda: self._abort(round_id))

    async def _abort(self, round_id: Optional[int]) -> Round:
        self._must_be_ready()
        active = self.active
        if active is None or round_id not in {None, active.round.id}:
            raise await self._not_running(round_id)
        if not active.abort(_ABORTED):
            why = f"round {active.round.id} has measured all it will and is being saved"
            raise InvalidValue(why, field="id")
        active.change(verdict=Verdict.ABORTED)
        self._context.save(active, "save the abort")
        return active.round

    async def _not_running(self, round_id: Optional[int]) -> Exception:
        if round_id is None:
            return NotFound("no round is running")
        round_ = await reply(self._context.store_thread.ask(lambda store: store.round(round_id)))
        why = f"round {round_id} is not running: it is {round_.state.value}"
        return InvalidValue(why, field="id")

    def remove(self, round_id: int) -> None:
        """Delete an ended round and its samples. Raises Busy for the running one.

        Raises as ``start`` for one that is about to be carried on.
        """
        self._context.loop.ask(lambda: self._remove(round_id))

    async def _remove(self, round_id: int) -> None:
        active = self.active
        if active is not None and active.round.id == round_id:
            raise Busy(
                f"round {round_id} is running: end it first with 'ceph perf-bench round "
                f"abort {round_id}'"
            )

        def remove(store: Store) -> str:
            if any(round_.id == round_id for round_ in store.unfinished()):
                self._must_be_ready()
            return store.remove_round(round_id)

        try:
            self.regressions.changed.add(await reply(self._context.store_thread.ask(remove)))
        finally:
            self._stale = True  # also after an error: it may be removed all the same
            with suppress(StoreUnavailable):
                await self.step()


def _reread(store: Store, running: Optional[int]) -> Stored:
    """Read the results anew; removes rounds whose start failed although they were stored."""
    for round_ in store.unfinished():
        if round_.id != running:
            store.discard(round_.token)
    return read_stored(store)


def _given_up(round_: Round, now: float) -> Round:
    """The round as failed, because it is not carried on."""
    reason = (
        f"its mgr stopped {round_.resumed + 1} times while it ran"
        if round_.resumed >= MAX_RESUMES
        else "another round was unfinished when its mgr stopped"
    )
    return replace(
        round_,
        state=RoundState.FAILED,
        verdict=Verdict.FAILED,
        reasons=(reason,),
        ended_at=round_.ends_at(now),
    )
