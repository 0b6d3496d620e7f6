"""The bench journey: admission → plan → run → record → compare, one round at a time."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Callable, Optional

from ..errors import Busy, CommandFailed, InvalidValue, NotFound, NotNow, StoreUnavailable
from ..model.bench import Done
from ..model.comparison import ClassRatios
from ..model.forecast import Forecast
from ..model.osd import Osd
from ..model.profile import PROFILES
from ..model.request import Request
from ..model.round import Round, RoundLine, RoundState, Verdict
from ..model.said import say
from ..ports import LoadGenerator
from ..store.sqlite import Store
from .active_round import ActiveRound
from .compare.distribution import class_ratios
from .context import LEAVE_WAIT, SAVE_WAIT, RoundContext
from .failover import clear_traces, settle
from .plan.osds import Prepared
from .planning import Planner, refuse
from .regressions import Regressions
from .results import Result, Results
from .round_thread import RoundExecution, save_wish
from .run.osd_runner import Stop
from .safety import RoundSafety

_ABORTED = say("aborted", "aborted by the operator")
# Maximum wait of a start until the database is read; the serve thread tries every 2 s at first.
_READY_WAIT = 3.0
# Interval of tries to remove what rounds of clients, and starts without an answer, have left.
_SWEEP_EVERY = 60.0


class Bench:
    """Starts, resumes, aborts and removes rounds.

    Methods return at once or within the store's time limit; the round runs on its own thread.
    """

    def __init__(self, context: RoundContext, max_parallel: Callable[[], int]) -> None:
        """``max_parallel`` returns the maximum number of OSDs in one wave."""
        self._context = context
        self._results = Results(context)
        self.regressions = Regressions(context.store_thread, context.log)
        self._planner = Planner(context, self._results, max_parallel, self._running)
        self._lock = threading.Lock()
        self._active: Optional[ActiveRound] = None
        self._starting = False
        self._ready = threading.Event()
        # Why the newest try to read the database failed.
        self._unread: Optional[StoreUnavailable] = None
        self._leaving = threading.Event()
        self._thread: Optional[threading.Thread] = None
        self._sweep_due = 0.0
        # Tokens of rounds whose start failed, and that may be stored all the same.
        self._unwanted: set[str] = set()
        # By token how often rounds were resumed before this mgr.
        self._resumed: dict[str, int] = {}

    @property
    def active(self) -> Optional[ActiveRound]:
        """The running round."""
        return self._active

    @property
    def occupied(self) -> bool:
        """Whether a round runs or is being started."""
        starting = self._starting  # read first: a start ends when the round is active
        return starting or self._active is not None

    @property
    def ready(self) -> bool:
        """Whether the database was read since this mgr became active; before, no round starts."""
        return self._ready.is_set()

    @property
    def newest_rounds(self) -> Mapping[str, RoundLine]:
        """By profile its newest round with a figure."""
        return self._results.rounds

    def small_writes(self) -> Mapping[int, Mapping[int, float]]:
        """Return by OSD the IOPS of its newest valid rounds of small writes, newest first.

        They are by the rounds' IDs.
        """
        return self._results.small_writes

    def newest(self, profile: Optional[str] = None) -> dict[int, Result]:
        """Return the newest result by OSD, of one profile or of any."""
        return self._results.newest(profile)

    def slow(self) -> Sequence[Result]:
        """Return what is slow against its peers in an OSD's newest results, the slowest first."""
        return self._results.slow

    def class_ratios(
        self, classes: Mapping[int, Optional[str]], profile: Optional[str] = None
    ) -> Mapping[int, ClassRatios]:
        """Return by OSD its newest figures against its device class, which ``classes`` has."""
        return class_ratios(self._results.latest, classes, profile)

    @property
    def loader(self) -> LoadGenerator:
        """The load generator, which runs clients."""
        return self._context.loads.loader

    @property
    def round_safety(self) -> RoundSafety:
        """The safety part, which protects the cluster from rounds."""
        return self._context.round_safety

    def _running(self) -> Optional[tuple[int, ...]]:
        """Return the IDs of the running rounds; None until the database has been read."""
        active = self._active
        running = (active.round.id,) if active is not None and not active.saved else ()
        return running if self._ready.is_set() else None

    # --- starting ----------------------------------------------------------------------------

    def prepare(self, request: Request, attended: bool = True) -> Prepared:
        """Check a request and plan it; changes nothing. Raises PerfBenchError.

        ``attended``: a person sees what is unknown. If False, unknown essentials are refusals.
        """
        return self._planner.prepare(request, attended)

    def forecast(self, prepared: Prepared) -> Forecast:
        """Return what a round would do to the cluster; what is unknown is marked so."""
        return self._planner.forecast(prepared)

    def start(self, request: Request, token: Optional[str] = None, attended: bool = True) -> Round:
        """Store a new round and begin it; returns once it is stored.

        ``token`` identifies the round if the same start may be tried twice. Right after a failover
        it waits up to 3 s for the database to be read. Raises Busy, NotNow, StoreUnavailable, and
        what ``prepare`` raises; an invalid request takes precedence over Busy.
        """
        self._ready.wait(_READY_WAIT)
        try:
            self._reserve()
        except Busy:
            with suppress(NotNow, CommandFailed):
                self._planner.prepare(request, attended)
            raise
        try:
            prepared = self._planner.prepare(request, attended)
            refuse(prepared.admission, request.force)
            draft = Round(
                id=0,
                profile=prepared.profile.name,
                kind=prepared.profile.kind,
                state=RoundState.QUEUED,
                plan=prepared.plan,
                token=token or uuid.uuid4().hex,
                label=request.label or "",
                created_at=self._context.clock.now(),
                environment=self._planner.environment(prepared),
            )
            # A client round measures the cluster and has no results of OSDs.
            measured = () if prepared.plan.load else prepared.targets
            round_ = self._store_new(draft, measured)
            self._results.book(round_)
            self._begin_new(round_)
            return round_
        finally:
            self._starting = False

    def _reserve(self) -> None:
        with self._lock:
            self._must_be_ready()
            if self._active is not None and not self._active.saved:
                raise Busy(self._active.why_busy())
            if self._starting:
                raise Busy(say("another-starting", "another round is being started at this moment"))
            self._starting = True

    def _must_be_ready(self) -> None:
        """Raise NotNow until the database is read: a round may be about to be carried on."""
        if not self._ready.is_set():
            raise self._why_not_ready()

    def _why_not_ready(self) -> NotNow:
        """Waiting helps only where no question to the database has failed."""
        unread = self._unread
        if unread is None:
            return NotNow(
                say(
                    "just-active",
                    "perf_bench has just become active and has not read its database yet: try "
                    "again in a few seconds; 'ceph perf-bench status' shows when it has",
                )
            )
        return type(unread)(
            say(
                "database-unread",
                "perf_bench has not read its database: {why}; see 'ceph perf-bench store status'",
                why=unread.message,
            )
        )

    def _store_new(self, draft: Round, osds: Sequence[Osd]) -> Round:
        store_thread = self._context.store_thread
        try:
            return store_thread.call(lambda store: store.add_round(draft, osds))
        except StoreUnavailable:
            # It may still be written later. The user got an error, so it is removed then.
            self._unwanted.add(draft.token)
            self._discard_unwanted()
            raise

    def _begin_new(self, round_: Round) -> None:
        try:
            self._begin(round_, Done())
        except RuntimeError:
            # The user gets an error, so the next mgr is not to carry it on.
            self._unwanted.add(round_.token)
            self._discard_unwanted()
            self._results.refresh()
            raise

    def stored(self, token: str, limit: float) -> Optional[int]:
        """Return the ID of the round that an earlier start with this token has begun, if any.

        One that it only stored is removed before. Raises StoreUnavailable.
        """

        def find(store: Store) -> Optional[int]:
            self._discard(store, token)
            return store.round_of_token(token)

        return self._context.store_thread.call(find, limit)

    def _discard_unwanted(self) -> None:
        def work(store: Store) -> None:
            for token in tuple(self._unwanted):
                self._discard(store, token)

        self._context.store_thread.submit(work, self._context.or_say("discard a round"))

    def _discard(self, store: Store, token: str) -> None:
        """Remove a round whose start failed; on the store's thread, as whatever starts it anew."""
        if token in self._unwanted:
            store.discard(token)
            self._unwanted.discard(token)

    # --- after a failover, and before one ------------------------------------------------------

    def wake(self) -> None:
        """Read the store and resume the unfinished round. Raises StoreUnavailable.

        Call it until it returns; before that no round can be started.
        """
        try:
            unfinished = self._context.store_thread.call(
                lambda store: store.unfinished(), SAVE_WAIT
            )
            self._results.read()
        except StoreUnavailable as error:
            self._unread = error
            raise
        carried = settle(self._context, unfinished, self._resumed)
        for profile in PROFILES:
            self.regressions.look(profile)
        clear_traces(self._context, carried[0] if carried is not None else None)
        # Last: if something fails, all this is done again, and a round must not begin twice.
        if carried is not None:
            self._begin(*carried)
        self._ready.set()

    def tick(self) -> None:
        """Try again to remove what rounds of clients, and failed starts, have left.

        The same for reading results that the store did not return. Returns at once.
        """
        now = self._context.clock.monotonic()
        if now < self._sweep_due:
            return
        traces = self._context.loads.traces.pending and self._active is None
        if traces or self._unwanted or self._results.missed:
            self._sweep_due = now + _SWEEP_EVERY
        if traces:
            clear_traces(self._context, None)
        if self._unwanted:
            self._discard_unwanted()
        if self._results.missed:
            self._results.refresh()

    def reread(self) -> None:
        """Read the results again, because other rounds may be stored; does not wait."""
        self._results.refresh()
        for profile in PROFILES:
            self.regressions.look(profile)

    def leave(self) -> None:
        """Stop without ending the round: the next active mgr resumes it. Returns within seconds."""
        self._leaving.set()
        active, thread = self._active, self._thread
        if active is not None:
            active.stop.leave()
        if thread is not None:
            thread.join(2 * LEAVE_WAIT)

    # --- ending and removing -------------------------------------------------------------------

    def abort(self, round_id: Optional[int]) -> Round:
        """Ask the running round to end; returns at once.

        The abort is also stored, so that after a failover the mgr ends the round. Raises NotFound,
        InvalidValue, and as ``start`` until it is known which round runs.
        """
        self._must_be_ready()
        active = self._active
        if active is not None and round_id in {None, active.round.id}:
            self._abort(active)
            return active.round
        if round_id is None:
            raise NotFound(say("none-running", "no round is running"))
        state = self._context.store_thread.call(lambda store: store.round(round_id)).state.value
        raise InvalidValue(
            say(
                "round-not-running",
                "round {id} is not running: it is {state}",
                id=str(round_id),
                state=state,
            ),
            field="id",
        )

    def _abort(self, active: ActiveRound) -> None:
        if not active.stop.abort(_ABORTED):
            raise InvalidValue(
                say(
                    "round-saving",
                    "round {id} has measured all it will and is being saved",
                    id=str(active.round.id),
                ),
                field="id",
            )
        active.change(verdict=Verdict.ABORTED)
        self._context.store_thread.submit(
            lambda store: save_wish(store, active), self._context.or_say("save the abort")
        )

    def remove(self, round_id: int) -> None:
        """Delete an ended round and its samples. Raises Busy for the running one.

        Raises as ``start`` for one that is about to be carried on.
        """
        active = self._active
        if active is not None and active.round.id == round_id and not active.saved:
            raise Busy(
                say(
                    "round-runs",
                    "round {id} is running: end it first with 'ceph perf-bench round abort {id}'",
                    id=str(round_id),
                )
            )

        def order(store: Store) -> str:
            if any(round_.id == round_id for round_ in store.unfinished()):
                self._must_be_ready()
            return store.remove_round(round_id)

        try:
            profile = self._context.store_thread.call(order)
        except StoreUnavailable:
            self.reread()  # it may be removed later all the same, and this is read after it
            raise
        self.regressions.look(profile)
        self._results.refresh()

    # --- the round's own thread ----------------------------------------------------------------

    def _begin(self, round_: Round, done: Done) -> None:
        """Begin a round on its own thread. Raises RuntimeError if no thread can be started."""
        there = len(done.samples)
        active = ActiveRound(round_, Stop(), done_before=there, done=there)
        if round_.verdict == Verdict.ABORTED:  # aborted on the mgr before
            active.stop.abort(round_.reasons[0] if round_.reasons else _ABORTED)
        with self._lock:
            self._active = active
        self._context.round_safety.expect(round_)
        if self._leaving.is_set():  # the mgr began to stop meanwhile
            active.stop.leave()
        thread = threading.Thread(
            target=self._conduct, args=(active, done), name="perf-bench-round", daemon=True
        )
        try:
            thread.start()
        except RuntimeError:
            with self._lock:
                self._active = None
            self._context.round_safety.expect(None)
            raise
        self._thread = thread  # not before: ``leave`` waits for it

    def _conduct(self, active: ActiveRound, done: Done) -> None:
        try:
            RoundExecution(self._context, active, self._leaving).conduct(done)
        finally:
            self._results.refresh()
            self.regressions.look(active.round.profile)
            with self._lock:
                if self._active is active:
                    self._active = None
