"""The bench journey, schedule → run → record → compare: one round at a time."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Callable, Optional

from .compare.environment import environment_hash
from .conduct import LEAVE_WAIT, SAVE_WAIT, SAVING, Active, Conductor, World
from .errors import Busy, InvalidValue, NotFound, NotNow, PerfBenchError, StoreUnavailable
from .model.admission import Admission, Situation
from .model.bench import Done, Step
from .model.osd import Osd
from .model.plan import Plan
from .model.profile import PROFILES, profile_named
from .model.quiesce import Change
from .model.request import Request
from .model.round import OsdResult, Round, RoundLine, RoundState, Verdict
from .model.wear import Ledger
from .ports import Loader, RoundStore
from .regressions import Regressions
from .run.load import namespace_of
from .run.runner import Stop
from .schedule.prepare import Last, Prepared, prepare
from .schedule.prepare_load import prepare_load
from .schedule.wear import book
from .warden import Warden

# A round that took this many mgrs down with it is not tried again.
MAX_RESUMES = 3
_ABORTED = "aborted by the operator"
# From the same look at the maps as the plan.
_JUST_READ = 5.0

Latest = Mapping[tuple[int, str], tuple[RoundLine, OsdResult]]


class Bench:
    """Starts, carries on, aborts and removes rounds.

    Methods return at once or within the desk's limit; the round runs on a thread of its own.
    """

    def __init__(self, world: World, max_parallel: Callable[[], int]) -> None:
        """``max_parallel`` tells how many OSDs one wave may hold now."""
        self._world = world
        self._max_parallel = max_parallel
        self.regressions = Regressions(world.desk, world.log)
        self._lock = threading.Lock()
        self._active: Optional[Active] = None
        self._starting = False
        self._ready = False
        self._leaving = threading.Event()
        self._thread: Optional[threading.Thread] = None
        self._latest: Latest = {}
        # What rounds wrote; None until the database has been read.
        self._ledger: Optional[Ledger] = None

    @property
    def active(self) -> Optional[Active]:
        """The round that runs now."""
        return self._active

    @property
    def loader(self) -> Loader:
        """Who runs clients."""
        return self._world.loads.loader

    @property
    def latest(self) -> Latest:
        """By (OSD, profile) the newest result."""
        return self._latest

    def newest(self, profile: Optional[str] = None) -> dict[int, tuple[RoundLine, OsdResult]]:
        """By OSD its newest result, of one profile or of any."""
        newest: dict[int, tuple[RoundLine, OsdResult]] = {}
        for (osd, name), entry in self._latest.items():
            if profile in (None, name) and (osd not in newest or newest[osd][0].id < entry[0].id):
                newest[osd] = entry
        return newest

    # --- starting ----------------------------------------------------------------------------

    def prepare(self, request: Request, attended: bool = True) -> Prepared:
        """Check a request and plan it; changes nothing. Raises one of the error family.

        ``attended``: somebody reads what is not known; else that may be a refusal, too.
        """
        if profile_named(request.profile).kind == "rados":
            rules = self._world.warden.rules(attended)
            loads = self._world.loads
            return prepare_load(
                request,
                self._world.cluster,
                loads.pools,
                self._look,
                rules,
                loads.loader.workers,
            )
        return prepare(
            request,
            self._world.cluster,
            self._max_parallel(),
            Last(self._measured_seconds, self._measured_rates),
            self._look,
            self._world.warden.rules(attended),
        )

    def would_change(self, plan: Plan) -> tuple[Change, ...]:
        """What a round of this plan would change in the cluster's settings.

        Empty where nobody can tell.
        """
        try:
            return self._world.warden.would_change(plan)
        except PerfBenchError as error:
            self._world.log.warning("what a round would change is not known: %s", error)
            return ()

    @property
    def warden(self) -> Warden:
        """Who looks after the cluster."""
        return self._world.warden

    def _look(self, osds: Sequence[int]) -> Situation:
        reached = [(line.step.block_size, result) for line, result in self._latest.values()]
        in_cluster = sum(osd.in_cluster for osd in self._world.cluster.osds(_JUST_READ))
        situation = self._world.warden.look(osds, reached, in_cluster)
        active = self._active
        running = (active.round.id,) if active is not None and not active.saved else ()
        return replace(situation, wear=self._ledger, running=running if self._ready else None)

    def start(self, request: Request, token: Optional[str] = None, attended: bool = True) -> Round:
        """Store a new round and begin it; returns once it is saved.

        ``token`` names it where there may be a second try of the same start. Raises Busy,
        NotNow, StoreUnavailable, and what ``prepare`` raises.
        """
        self._reserve()
        try:
            prepared = self.prepare(request, attended)
            _check(prepared.admission, request.force)
            draft = Round(
                id=0,
                profile=prepared.profile.name,
                kind=prepared.profile.kind,
                state=RoundState.QUEUED,
                plan=prepared.plan,
                token=token or uuid.uuid4().hex,
                label=request.label or "",
                created_at=self._world.clock.now(),
                environment=self._environment(prepared),
            )
            # Clients measure the cluster, and no OSD of it.
            measured = () if prepared.plan.load else prepared.targets
            round_ = self._store_new(draft, [OsdResult.before(osd) for osd in measured])
            self._book(round_)
            self._begin(round_, Done())
            return round_
        finally:
            self._starting = False

    def _reserve(self) -> None:
        with self._lock:
            if not self._ready:
                raise NotNow(
                    "perf_bench has just become active and has not read its database yet: "
                    "try again in a few seconds; 'ceph perf-bench status' shows when it has"
                )
            if self._active is not None and not self._active.saved:
                raise Busy(_why_busy(self._active))
            if self._starting:
                raise Busy("another round is being started at this moment")
            self._starting = True

    def _store_new(self, draft: Round, rows: Sequence[OsdResult]) -> Round:
        desk = self._world.desk
        try:
            return desk.ask(lambda store: store.add_round(draft, rows))
        except StoreUnavailable:
            # It may still be written once the store wakes up: the user was told no, so it goes.
            desk.tell(lambda store: store.discard(draft.token), self._note("discard a round"))
            raise

    def _book(self, round_: Round) -> None:
        """In memory; the store has booked it together with the round."""
        planned = round_.plan.bytes_by_osd(round_.plan.most)
        if self._ledger is not None:
            self._ledger = book(self._ledger, round_.token, planned, round_.created_at)

    def _environment(self, prepared: Prepared) -> dict[str, Any]:
        found = {
            **self._world.cluster.environment(prepared.plan.osds),
            "peer_groups": _peer_groups(prepared.targets),
            "max_parallel": self._max_parallel(),
            "forced": list(prepared.admission.reasons),
            **self._load_environment(prepared.plan),
        }
        return {**found, "hash": environment_hash(found)}

    def _load_environment(self, plan: Plan) -> dict[str, Any]:
        """What the figures of clients mean nothing without."""
        if plan.load is None:
            return {}
        pools = self._world.loads.pools
        pool = pools.look(plan.load.pool)
        return {
            "pool": pool.facts if pool else {"name": plan.load.pool, "made": True},
            "messenger": dict(pools.messenger_modes()),
            "clients": plan.load.clients,
            "threads": plan.load.threads,
            "workers": list(plan.load.workers),
        }

    def _measured_seconds(self, profile: str, step: Step) -> dict[int, float]:
        """By OSD, how long a call of this very step took when it was last measured."""
        return {
            osd: result.median_call_seconds
            for (osd, name), (line, result) in self._latest.items()
            if name == profile and line.step == step and result.median_call_seconds
        }

    def _measured_rates(self, profile: str, block_size: int) -> dict[int, float]:
        """By OSD what it last reached in this profile, in bytes/s."""
        return {
            osd: result.median_bytes_per_second
            for (osd, name), (line, result) in self._latest.items()
            if (name, line.step.block_size) == (profile, block_size)
            and result.median_bytes_per_second
        }

    # --- after a failover, and before one ------------------------------------------------------

    def wake(self) -> None:
        """Read the store and carry on what was running. Raises StoreUnavailable.

        To be called until it returns; before that no round can be started.
        """
        ask = self._world.desk.ask
        unfinished = ask(lambda store: store.unfinished(), SAVE_WAIT)
        self._latest = ask(lambda store: store.latest(), SAVE_WAIT)
        self._ledger = ask(lambda store: store.wear(), SAVE_WAIT)
        carried = next((r for r in unfinished if r.resumed < MAX_RESUMES), None)
        for round_ in unfinished:
            if round_ is not carried:
                self._give_up(round_)
        if carried is not None:
            self._carry_on(carried)
        for profile in PROFILES:
            self.regressions.look(profile)
        self._clear_traces(carried)
        self._ready = True

    def _clear_traces(self, carried: Optional[Round]) -> None:
        """Remove what rounds of clients have left that no mgr of ours lived to remove."""
        kept = namespace_of(carried.token) if carried is not None else None
        threading.Thread(
            target=self._world.loads.traces.clear_others,
            args=(kept,),
            name="perf-bench-traces",
            daemon=True,
        ).start()

    def _carry_on(self, round_: Round) -> None:
        desk = self._world.desk
        if round_.verdict == Verdict.ABORTED:
            self._world.log.info("round %d was being aborted: that is finished now", round_.id)
            self._begin(round_, Done(), aborted=True)
            return
        done = desk.ask(lambda store: store.sampled(round_.id), SAVE_WAIT)
        there = len(done.samples)
        again = round_.state == RoundState.RUNNING
        carried = replace(round_, resumed=round_.resumed + 1) if again else round_
        desk.ask(lambda store: store.save_round(carried), SAVE_WAIT)
        self._world.log.info("round %d is carried on, %d samples are there", round_.id, there)
        self._begin(carried, done)

    def _give_up(self, round_: Round) -> None:
        reason = (
            f"its mgr stopped {round_.resumed + 1} times while it ran"
            if round_.resumed >= MAX_RESUMES
            else "another round was unfinished when its mgr stopped"
        )
        failed = replace(
            round_,
            state=RoundState.FAILED,
            verdict=Verdict.FAILED,
            reasons=(reason,),
            ended_at=self._world.clock.now(),
        )
        self._world.desk.ask(lambda store: store.save_round(failed), SAVE_WAIT)

    def leave(self) -> None:
        """Stop without ending the round: the next active mgr carries it on. Bounded."""
        self._leaving.set()
        active, thread = self._active, self._thread
        if active is not None:
            active.stop.leave()
        if thread is not None:
            thread.join(2 * LEAVE_WAIT)

    # --- ending and removing -------------------------------------------------------------------

    def abort(self, round_id: Optional[int]) -> Round:
        """Ask the running round to end; returns at once. Raises NotFound or InvalidValue.

        The wish is saved too, so that a mgr that takes over ends the round instead of going on.
        """
        active = self._active
        if active is not None and round_id in {None, active.round.id} and active.phase != SAVING:
            active.stop.abort(_ABORTED)
            wish = active.change(verdict=Verdict.ABORTED)
            self._world.desk.tell(
                lambda store: _save_wish(store, wish), self._note("save the abort")
            )
            return active.round
        if active is not None and round_id in {None, active.round.id}:
            raise InvalidValue(
                f"round {active.round.id} has measured all it will and is being saved", field="id"
            )
        if round_id is None:
            raise NotFound("no round is running")
        state = self._world.desk.ask(lambda store: store.round(round_id)).state.value
        raise InvalidValue(f"round {round_id} is not running: it is {state}", field="id")

    def remove(self, round_id: int) -> None:
        """Delete an ended round and its samples. Raises Busy for the running one."""
        active = self._active
        if active is not None and active.round.id == round_id and not active.saved:
            raise Busy(
                f"round {round_id} is running: end it first with "
                f"'ceph perf-bench round abort {round_id}'"
            )
        self.regressions.look(self._world.desk.ask(lambda store: _removed(store, round_id)))
        self._refresh_latest()

    # --- the round's own thread ----------------------------------------------------------------

    def _begin(self, round_: Round, done: Done, aborted: bool = False) -> None:
        there = len(done.samples)
        active = Active(round_, Stop(), done_before=there, done=there)
        if aborted:
            active.stop.abort(_ABORTED)
        with self._lock:
            self._active = active
        if self._leaving.is_set():  # it was on its way here when the mgr was told to stop
            active.stop.leave()
        self._thread = threading.Thread(
            target=self._conduct, args=(active, done), name="perf-bench-round", daemon=True
        )
        self._thread.start()

    def _conduct(self, active: Active, done: Done) -> None:
        try:
            Conductor(self._world, active, self._leaving).conduct(done)
        finally:
            self._refresh_latest()
            self.regressions.look(active.round.profile)
            with self._lock:
                if self._active is active:
                    self._active = None

    def _refresh_latest(self) -> None:
        def order(store: RoundStore) -> None:
            self._latest = store.latest()
            self._ledger = store.wear()

        self._world.desk.tell(order, self._note("read the latest results"))

    def _note(self, what: str) -> Callable[[Optional[Exception]], None]:
        def done(error: Optional[Exception]) -> None:
            if error is not None:
                self._world.log.warning("could not %s: %s", what, error)

        return done


def _removed(store: RoundStore, round_id: int) -> str:
    """Remove a round; returns its profile."""
    profile = store.round(round_id).profile
    store.remove_round(round_id)
    return profile


def _check(admission: Admission, force: bool) -> None:
    """Raise NotNow with every reason if any of them keeps the round from starting."""
    held_by = admission.held_by(force)
    if not held_by:
        return
    reasons = tuple(refusal.message for refusal in held_by)
    way = " (--force starts it all the same)" if admission.forceable else ""
    raise NotNow(f"refused now: {'; '.join(reasons)}{way}", reasons)


def _save_wish(store: RoundStore, wish: Round) -> None:
    if not store.round(wish.id).state.ended:  # or it would be running again
        store.save_round(wish)


def _why_busy(active: Active) -> str:
    number = active.round.id
    if active.phase == SAVING:
        return f"round {number} has ended and waits for the database to take it: see 'ceph -s'"
    return (
        f"round {number} is running: wait for it, or end it with "
        f"'ceph perf-bench round abort {number}'"
    )


def _peer_groups(osds: Sequence[Osd]) -> list[dict[str, Any]]:
    counts: dict[tuple[str, str], int] = {}
    for osd in osds:
        counts[osd.peer_group] = counts.get(osd.peer_group, 0) + 1
    return [
        {"class": group[0] or None, "model": group[1] or None, "osds": count}
        for group, count in sorted(counts.items())
    ]
