"""The bench journey, conducted: schedule → run → record → compare, one round at a time."""

from __future__ import annotations

import logging
import threading
import uuid
from dataclasses import dataclass, replace
from typing import Any, Callable, Dict, FrozenSet, List, Mapping, Optional, Sequence, Tuple

from .compare.summary import Summary, judge_sample, summarize, summarize_part
from .errors import Busy, InvalidValue, NotFound, NotNow, PerfBenchError, StoreUnavailable
from .model.bench import Sample, Step
from .model.osd import Osd
from .model.profile import profile_named
from .model.round import OsdResult, Round, RoundState, Verdict
from .ports import Clock, Cluster, Commands, Progress, RoundStore, StoreDesk
from .record.recorder import Recorder
from .run.runner import End, Outcome, Runner, Stop
from .schedule.prepare import Prepared, Request, prepare

# A round that took this many mgrs down with it is not tried again.
MAX_RESUMES = 3
# How long the end of a round waits for the store before it says so and tries again.
_SAVE_WAIT = 30.0
_RETRY_SECONDS = 5.0
# A mgr that stops gives the last samples this long to reach the store.
_LEAVE_WAIT = 3.0


@dataclass(frozen=True)
class Settings:
    """``bench_limit`` is how many seconds one bench may take before it is given up."""

    bench_limit: float = 300.0
    max_parallel: int = 64


@dataclass
class Active:
    """The round that runs now."""

    round: Round
    stop: Stop
    phase: str = "starting"
    done: int = 0
    began: float = 0.0
    done_before: int = 0

    def progress(self) -> float:
        return self.done / self.round.plan.samples if self.round.plan.samples else 1.0

    def eta(self, now: float) -> Optional[float]:
        """Seconds left at the speed so far; the plan's estimate before the first sample."""
        here = self.done - self.done_before
        left = self.round.plan.samples - self.done
        if here <= 0:
            return self.round.plan.seconds * (1 - self.progress())
        return left * (now - self.began) / here


class Bench:
    """Starts, carries on, ends and saves rounds. Methods return at once or within the desk's
    limit; the round itself runs on a thread of its own."""

    def __init__(
        self,
        cluster: Cluster,
        open_commands: Callable[[float], Commands],
        desk: StoreDesk,
        progress: Progress,
        clock: Clock,
        log: logging.Logger,
        settings: Callable[[], Settings],
    ) -> None:
        """``open_commands`` opens a round's own way to the OSDs with a limit in seconds."""
        self._cluster = cluster
        self._open_commands = open_commands
        self._desk = desk
        self._progress = progress
        self._clock = clock
        self._log = log
        self._settings = settings
        self._lock = threading.Lock()
        self._active: Optional[Active] = None
        self._starting = False
        self._ready = False
        self._leaving = threading.Event()
        self._thread: Optional[threading.Thread] = None
        self._latest: Mapping[Tuple[int, str], Tuple[Round, OsdResult]] = {}

    # --- what is known -----------------------------------------------------------------------

    @property
    def active(self) -> Optional[Active]:
        return self._active

    @property
    def latest(self) -> Mapping[Tuple[int, str], Tuple[Round, OsdResult]]:
        """By (OSD, profile) the newest result."""
        return self._latest

    # --- starting ----------------------------------------------------------------------------

    def prepare(self, request: Request) -> Prepared:
        """Check a request and plan it; changes nothing. Raises one of the error family."""
        return prepare(
            request, self._cluster, self._settings().max_parallel, self._measured_seconds
        )

    def start(self, request: Request) -> Round:
        """Store a new round and begin it; returns once it is saved. Raises Busy, NotNow, …"""
        self._reserve()
        try:
            prepared = self.prepare(request)
            if prepared.admission.reasons and not request.force:
                reasons = prepared.admission.reasons
                raise NotNow("refused now: " + "; ".join(reasons), reasons)
            draft = Round(
                id=0,
                profile=prepared.profile.name,
                kind=prepared.profile.kind,
                state=RoundState.QUEUED,
                plan=prepared.plan,
                token=uuid.uuid4().hex,
                label=request.label or "",
                created_at=self._clock.now(),
                environment=self._environment(prepared, request),
            )
            rows = [OsdResult.before(osd) for osd in prepared.targets]
            round_ = self._store_new(draft, rows)
            self._begin(round_, frozenset())
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
            if self._active is not None:
                active = self._active.round.id
                raise Busy(
                    f"round {active} is running: wait for it, or end it with "
                    f"'ceph perf-bench round abort {active}'"
                )
            if self._starting:
                raise Busy("another round is being started at this moment")
            self._starting = True

    def _store_new(self, draft: Round, rows: Sequence[OsdResult]) -> Round:
        try:
            return self._desk.ask(lambda store: store.add_round(draft, rows))
        except StoreUnavailable:
            # It may still be written once the store wakes up: the user was told no, so it goes.
            self._desk.tell(lambda store: store.discard(draft.token), self._log_discard)
            raise

    def _log_discard(self, error: Optional[Exception]) -> None:
        if error is not None:
            self._log.warning("could not discard a refused round: %s", error)

    def _environment(self, prepared: Prepared, request: Request) -> Dict[str, Any]:
        return {
            **self._cluster.environment(),
            "peer_groups": _peer_groups(prepared.targets),
            "max_parallel": self._settings().max_parallel,
            "forced": list(prepared.admission.reasons) if request.force else [],
        }

    def _measured_seconds(self, profile: str, step: Step) -> Dict[int, float]:
        """By OSD, how long a call of this very step took when it was last measured."""
        return {
            osd: result.median_call_seconds
            for (osd, name), (round_, result) in self._latest.items()
            if name == profile and round_.plan.step == step and result.median_call_seconds
        }

    # --- after a failover, and before one ------------------------------------------------------

    def wake(self) -> None:
        """Read the store and carry on what was running. Raises StoreUnavailable.

        To be called until it returns; rounds cannot be started before.
        """
        unfinished = self._desk.ask(lambda store: store.unfinished(), limit=_SAVE_WAIT)
        self._latest = self._desk.ask(lambda store: store.latest(), limit=_SAVE_WAIT)
        carried = next((r for r in unfinished if r.resumed < MAX_RESUMES), None)
        for round_ in unfinished:
            if round_ is not carried:
                self._give_up(round_)
        if carried is not None:
            # Waited for here, or a start that slips in between would run beside it.
            self._carry_on(carried)
        self._ready = True

    def _carry_on(self, round_: Round) -> None:
        number = round_.id
        done = self._desk.ask(lambda store: store.sampled(number), limit=_SAVE_WAIT)
        if round_.state == RoundState.RUNNING:
            round_ = replace(round_, resumed=round_.resumed + 1)
        kept = round_
        self._desk.ask(lambda store: store.save_round(kept), limit=_SAVE_WAIT)
        self._log.info("round %d is carried on with %d samples there", number, len(done))
        self._begin(round_, frozenset(done))

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
            ended_at=self._clock.now(),
        )
        self._desk.ask(lambda store: store.save_round(failed), limit=_SAVE_WAIT)

    def leave(self) -> None:
        """Stop without ending the round: the next active mgr carries it on. Bounded."""
        self._leaving.set()
        active, thread = self._active, self._thread
        if active is not None:
            active.stop.leave()
        if thread is not None:
            thread.join(_LEAVE_WAIT + 1.0)

    # --- ending and removing -------------------------------------------------------------------

    def abort(self, round_id: Optional[int]) -> Round:
        """Ask the running round to end; returns at once. Raises NotFound or InvalidValue."""
        active = self._active
        if active is None or (round_id is not None and round_id != active.round.id):
            if round_id is None:
                raise NotFound("no round is running")
            wanted = round_id
            state = self._desk.ask(lambda store: store.round(wanted)).state.value
            raise InvalidValue(f"round {round_id} is not running: it is {state}", field="id")
        active.stop.abort("aborted by the operator")
        return active.round

    def remove(self, round_id: int) -> None:
        """Delete an ended round and its samples. Raises Busy for the running one."""
        active = self._active
        if active is not None and active.round.id == round_id:
            raise Busy(
                f"round {round_id} is running: end it first with "
                f"'ceph perf-bench round abort {round_id}'"
            )
        self._desk.ask(lambda store: store.remove_round(round_id))
        self._refresh_latest()

    # --- the round's own thread ----------------------------------------------------------------

    def _begin(self, round_: Round, done: FrozenSet[Tuple[int, int]]) -> None:
        active = Active(round_, Stop(), done=len(done), done_before=len(done))
        active.began = self._clock.monotonic()
        with self._lock:
            self._active = active
        self._thread = threading.Thread(
            target=self._conduct, args=(active, done), name="perf-bench-round", daemon=True
        )
        self._thread.start()

    def _conduct(self, active: Active, done: FrozenSet[Tuple[int, int]]) -> None:
        number = active.round.id
        try:
            recorder = Recorder(self._desk, self._clock, number)
            try:
                outcome = self._measure(active, recorder, done)
            except PerfBenchError as error:
                outcome = Outcome(End.FAILED, str(error))
            except Exception as error:  # noqa: BLE001 - the round must end whatever happened
                self._log.exception("round %d failed", number)
                outcome = Outcome(End.FAILED, f"internal error, see the mgr's log: {error!r}")
            if outcome.end == End.LEFT:
                recorder.flush(_LEAVE_WAIT)
                return
            self._save_end(active, recorder, outcome)
        finally:
            with self._lock:
                self._active = None

    def _measure(
        self, active: Active, recorder: Recorder, done: FrozenSet[Tuple[int, int]]
    ) -> Outcome:
        settings = self._settings()
        commands = self._open_commands(settings.bench_limit)
        try:
            self._mark_running(active)
            runner = Runner(
                active.round.plan,
                commands,
                self._cluster,
                self._clock,
                _Judging(recorder),
                active.stop,
                settings.bench_limit,
                lambda there, _planned: self._stepped(active, there),
            )
            return runner.run(done)
        finally:
            commands.close()

    def _mark_running(self, active: Active) -> None:
        """From here on the round counts as begun; a store that is away delays only the note."""
        round_ = active.round
        if round_.started_at is None:
            round_ = replace(round_, started_at=self._clock.now())
        running = replace(round_, state=RoundState.RUNNING)
        active.round, active.phase = running, running.plan.step.phase
        active.began = self._clock.monotonic()
        self._desk.tell(lambda store: store.save_round(running), self._log_running)
        self._stepped(active, active.done)

    def _log_running(self, error: Optional[Exception]) -> None:
        if error is not None:
            self._log.warning("could not save that the round runs: %s", error)

    def _stepped(self, active: Active, there: int) -> None:
        active.done = there
        plan = active.round.plan
        message = f"perf-bench round {active.round.id} ({plan.profile})"
        self._progress.update(active.round.id, message, active.progress())

    def _save_end(self, active: Active, recorder: Recorder, outcome: Outcome) -> None:
        """Judge and save; tried until the store takes it or the mgr leaves."""
        active.phase = "saving"
        number = active.round.id
        ended_at = self._clock.now()
        while not self._leaving.is_set():
            try:
                if not recorder.flush(_SAVE_WAIT):
                    raise StoreUnavailable(recorder.problem() or "samples are not saved yet")
                ended, summary = self._judge(replace(active.round, ended_at=ended_at), outcome)
                self._desk.ask(
                    lambda store: store.end_round(ended, summary.results), limit=_SAVE_WAIT
                )
            except NotFound:
                self._log.warning("round %d is gone from the database", number)
                break
            except StoreUnavailable as error:
                self._log.warning("round %d cannot be saved yet: %s", number, error)
                self._leaving.wait(_RETRY_SECONDS)
                continue
            self._refresh_latest()
            self._log.info("round %d ended: %s", number, ended.state.value)
            break
        failure = outcome.reason if outcome.end != End.COMPLETE else None
        self._progress.end(number, failure)

    def _judge(self, round_: Round, outcome: Outcome) -> Tuple[Round, Summary]:
        number = round_.id

        def read(store: RoundStore) -> Tuple[List[OsdResult], List[Sample]]:
            return store.results(number)[0], store.samples(number)

        rows, samples = self._desk.ask(read, limit=_SAVE_WAIT)
        if outcome.end == End.COMPLETE:
            profile = profile_named(round_.profile)
            summary = summarize(round_.plan, rows, samples, profile.max_cv_percent)
            measured = summary.figures["osds_measured"]
            state = RoundState.DONE if measured else RoundState.FAILED
        else:
            aborted = outcome.end == End.ABORTED
            verdict = Verdict.ABORTED if aborted else Verdict.FAILED
            state = RoundState.ABORTED if aborted else RoundState.FAILED
            summary = summarize_part(rows, samples, verdict, outcome.reason)
        ended = replace(
            round_,
            state=state,
            verdict=summary.verdict,
            reasons=summary.reasons,
            conclusions=summary.conclusions,
            summary=summary.figures,
        )
        return ended, summary

    def _refresh_latest(self) -> None:
        def order(store: RoundStore) -> None:
            self._latest = store.latest()

        self._desk.tell(order, self._log_latest)

    def _log_latest(self, error: Optional[Exception]) -> None:
        if error is not None:
            self._log.warning("could not read the latest results: %s", error)


class _Judging:
    """Between runner and recorder: a sample is judged before it is kept."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def put(self, sample: Sample) -> None:
        self._recorder.put(judge_sample(sample))

    def problem(self) -> Optional[str]:
        return self._recorder.problem()


def _peer_groups(osds: Sequence[Osd]) -> List[Dict[str, Any]]:
    counts: Dict[Tuple[str, str], int] = {}
    for osd in osds:
        counts[osd.peer_group] = counts.get(osd.peer_group, 0) + 1
    return [
        {"class": group[0] or None, "model": group[1] or None, "osds": count}
        for group, count in sorted(counts.items())
    ]

