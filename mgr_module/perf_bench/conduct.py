"""One round on its own thread, from its first wave until its verdict is in the store."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Callable, Optional

from .collect.benched import Benched
from .compare.alarms import with_alarms
from .compare.environment import environment_hash
from .compare.repeats import another, with_precision
from .compare.summary import Summary, judge_sample, summarize, summarize_part
from .compare.wal import with_wal
from .conduct_load import following, judge_ended, judge_unfinished
from .errors import NotFound, NotNow, PerfBenchError, StoreUnavailable
from .model.bench import Done, Sample, Step
from .model.guard import Alarm
from .model.plan import Phase
from .model.pool import POOL
from .model.profile import Layout, profile_named
from .model.quiesce import Change
from .model.rados import LoadPlan, LoadSample, Row
from .model.round import OsdResult, Round, RoundState, Verdict
from .ports import (
    Clock,
    Cluster,
    Commands,
    Loader,
    Pools,
    Progress,
    RoundStore,
    StoreDesk,
)
from .record.recorder import Recorder
from .run.load import LoadRunner, Traces
from .run.runner import End, Outcome, Runner, Stop
from .warden import Warden

# How long the end of a round waits for the store before it says so and tries again.
SAVE_WAIT = 30.0
_RETRY_SECONDS = 5.0
# A mgr that stops gives the last samples this long to reach the store.
LEAVE_WAIT = 3.0
# Twice osd_bench_duration, which bounds what a bench is meant to take.
_IN_FLIGHT = 60.0
# An option that was changed reaches running OSDs within moments.
_OPTION_SECONDS = 30.0
_OPTION_POLL = 0.5
_ASKED = 64
# So much of a round's token tells its objects from those of other rounds.
_TOKEN = 12
# The phase of a round that has measured all it will.
SAVING = "saving"
# The phase of one whose OSDs rest.
RESTING = "rest"


@dataclass(frozen=True)
class Loads:
    """What rounds of clients need: processes, pools, and what is noted of what they leave."""

    loader: Loader
    pools: Pools
    traces: Traces


@dataclass(frozen=True)
class World:
    """What rounds need from outside.

    ``open_commands`` opens one round's own way to the OSDs; it may raise CommandFailed.
    ``warden`` is asked whether a round may start, and holds up what would disturb it.
    ``benched`` is told which OSDs are being measured, so that nobody takes them for slow.
    """

    cluster: Cluster
    open_commands: Callable[[], Commands]
    desk: StoreDesk
    progress: Progress
    clock: Clock
    log: logging.Logger
    warden: Warden
    loads: Loads
    benched: Benched = field(default_factory=Benched)


@dataclass
class Active:
    """The round that runs now. Written by its thread, read by everybody."""

    round: Round
    stop: Stop
    done_before: int = 0
    done: int = 0
    phase: str = "starting"
    began: float = 0.0
    # Seconds of rest: planned before the phases so far; passed here; and the one that is now, as
    # when it began and how long it is.
    rests_met: float = 0.0
    rested: float = 0.0
    resting: Optional[tuple[float, float]] = None
    # How much of the repeat that runs is over, from 0 to 1, where that is known.
    part: float = 0.0
    # What each client has done in that repeat, a row a second.
    rows: dict[int, list[Row]] = field(default_factory=dict)
    # How many repeats it will take, as far as that is known; 0: what is planned.
    repeats: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    # True as soon as its end is in the store: whoever saw that there may start the next.
    saved: bool = False

    def change(self, **values: Any) -> Round:
        """Change the round's fields; returns it as it is then. Two threads may do so."""
        with self.lock:
            self.round = replace(self.round, **values)
            return self.round

    @property
    def samples(self) -> int:
        """How many samples it will take."""
        plan = self.round.plan
        return plan.samples // plan.repeats * max(plan.repeats, self.repeats)

    def progress(self) -> float:
        """From 0 to 1; it falls when more repeats turn out to be needed."""
        return min(1.0, (self.done + self.part) / self.samples) if self.samples else 1.0

    def eta(self, now: float) -> Optional[float]:
        """Seconds left at the speed so far; before the first sample the plan's estimate.

        None while it is saved: nobody knows how long the database takes.
        """
        if self.phase == SAVING:
            return None
        plan, here = self.round.plan, self.done - self.done_before
        resting = 0.0 if self.resting is None else now - self.resting[0]
        rests = plan.rest_seconds - self.rests_met
        if self.resting is not None:
            rests += max(0.0, self.resting[1] - resting)
        if here <= 0:
            return (plan.seconds - plan.rest_seconds) * (1 - self.progress()) + rests
        busy = now - self.began - self.rested - resting
        return max(0, self.samples - self.done) * busy / here + rests

    def goes_on_with(self, phase: str) -> None:
        """Nothing of it is over yet."""
        self.phase, self.part, self.rows = phase, 0.0, {}

    def hears(self, client: int, row: Row) -> None:
        """A client has worked for one more second of the repeat that runs."""
        load = self.round.plan.load
        self.part = min(1.0, row.second / load.seconds) if load else 0.0
        self.rows.setdefault(client, []).append(row)

    def rests(self, phase: Phase, seconds: float, now: float) -> None:
        """The OSDs rest before a phase, so many seconds from ``now`` (monotonic) on."""
        self.phase, self.resting = RESTING, (now, seconds)
        self.rests_met += phase.rest_seconds

    def enters(self, phase: Phase, now: float) -> None:
        """A phase begins ``now`` (monotonic), and with it ends what rest was before it."""
        self.phase = phase.name
        if self.resting is not None:
            self.rested += now - self.resting[0]
            self.resting = None
        else:
            self.rests_met += phase.rest_seconds


class Conductor:
    """Takes one round through run, record and compare."""

    def __init__(self, world: World, active: Active, leaving: threading.Event) -> None:
        """``leaving`` is set when the mgr stops being active."""
        self._world = world
        self._active = active
        self._leaving = leaving
        self._number = active.round.id
        self._recorder = Recorder(world.desk, world.clock, self._number)
        self._alarms: tuple[Alarm, ...] = ()

    def conduct(self, done: Done) -> None:
        """Run what is not ``done``, judge it, save it. Whatever happens, it ends."""
        try:
            outcome = self._measure(done)
        except PerfBenchError as error:
            outcome = self._active.stop.outcome or Outcome(End.FAILED, str(error))
        except Exception as error:
            self._world.log.exception("round %d failed", self._number)
            outcome = Outcome(End.FAILED, f"internal error, see the mgr's log: {error!r}")
        if outcome.end == End.LEFT:
            self._recorder.flush(LEAVE_WAIT)
        else:
            self._save_end(outcome)
            self._world.progress.end(self._number, outcome.reason or None)

    # What the runner hands its samples to.

    def rests(self, phase: Phase, seconds: float) -> None:
        """Show that the OSDs rest before a phase."""
        self._active.rests(phase, seconds, self._world.clock.monotonic())

    def enters(self, phase: Phase) -> None:
        """Show which phase begins."""
        self._active.enters(phase, self._world.clock.monotonic())

    def began(self, osd: int) -> None:
        """Take note that an OSD is being measured."""
        self._world.benched.began(osd, self._world.clock.now())

    def put(self, sample: Sample) -> None:
        """Judge a sample, keep it, show the progress."""
        self._world.benched.ended(sample.osd, self._world.clock.now())
        self._recorder.put(judge_sample(sample))
        self._active.done += 1
        self._show_progress()

    def problem(self) -> Optional[str]:
        """Why samples cannot be kept; None while they can."""
        return self._recorder.problem()

    # What the runner of clients does.

    def goes_on_with(self, phase: str) -> None:
        """Show what is being done."""
        self._active.goes_on_with(phase)
        self._show_progress()

    def heard(self, client: int, row: Row) -> None:
        """Keep a second of a client until its repeat is stored; show how much of that is over."""
        self._active.hears(client, row)
        self._show_progress()

    def put_load(self, sample: LoadSample) -> None:
        """Keep a repeat of clients; waits for the store, as nothing is measured meanwhile."""
        number = self._number
        self._world.desk.ask(lambda store: store.loads.add(number, sample), SAVE_WAIT)
        self._active.goes_on_with(self._active.phase)
        self._active.done += 1
        self._show_progress()

    def _measure(self, done: Done) -> Outcome:
        load = self._active.round.plan.load
        return self._measure_osds(done) if load is None else self._measure_clients(load)

    def _measure_clients(self, load: LoadPlan) -> Outcome:
        world, number, round_ = self._world, self._number, self._active.round
        try:
            self._mark_running()
            self._quiesce()
            there = world.desk.ask(lambda store: store.loads.of(number), SAVE_WAIT)
            self._active.done = self._active.done_before = len(there)
            tools = world.loads.loader, world.loads.pools, world.loads.traces, world.clock
            runner = LoadRunner(load, round_.token, tools, self, self._active.stop)
            return runner.run(there, partial(following, round_.plan, load))
        finally:
            self._record_pool(load)
            self._alarms = world.warden.release(self._active.round)

    def _record_pool(self, load: LoadPlan) -> None:
        """A pool that was made for the round was not there when its environment was taken."""
        pool = self._world.loads.pools.look(load.pool)
        if pool is not None:
            found = {**self._active.round.environment, "pool": pool.facts}
            self._active.change(environment={**found, "hash": environment_hash(found)})

    def _measure_osds(self, done: Done) -> Outcome:
        commands = self._world.open_commands()
        try:
            self._mark_running()
            self._quiesce()
            plan, stop = self._active.round.plan, self._active.stop
            self._await_options(commands)
            if plan.reads:
                self._make_objects(commands, plan.reads)
            runner = Runner(plan, commands, self._world.cluster, self._world.clock, self, stop)
            return runner.run(done, self._another)
        finally:
            self._tidy(commands)
            commands.close()
            self._let_go()
            self._alarms = self._world.warden.release(self._active.round)

    def _make_objects(self, commands: Commands, reads: Mapping[int, Step]) -> None:
        """Make what OSDs are read by, in the bench pool; that is made, too, if it is not there."""
        pools, stop = self._world.loads.pools, self._active.stop

        def ended() -> bool:
            return stop.outcome is not None

        pools.ensure(POOL, ended)
        token = self._active.round.token[:_TOKEN]
        commands.make_objects(reads, pools.groups(POOL, tuple(reads)), token, ended)

    def _await_options(self, commands: Commands) -> None:
        """Wait until OSDs have the options that were raised for the round: moments, as a rule.

        The first of them are asked, for the monitors tell all at once. Raises NotNow.
        """
        plan, stop = self._active.round.plan, self._active.stop
        until = self._world.clock.monotonic() + _OPTION_SECONDS
        for osd in plan.osds[:_ASKED] if plan.raised else ():
            for option, value in plan.raised:
                while int(commands.option(osd, option)) < value and not stop.outcome:
                    if self._world.clock.monotonic() > until:
                        raise NotNow(
                            f"osd.{osd} did not take {option} {value}: is another value set for "
                            f"it alone? See 'ceph config get osd.{osd} {option}'"
                        )
                    stop.wait(_OPTION_POLL)

    def _tidy(self, commands: Commands) -> None:
        """Remove what was made to be read, unless the round goes on elsewhere."""
        ended = self._active.stop.outcome
        if not self._active.round.plan.reads or (ended and ended.end is End.LEFT):
            return
        try:
            commands.remove_objects()
        except PerfBenchError as error:
            self._world.log.warning("objects in the pool perf_bench stay for now: %s", error)

    def _held(self) -> tuple[Change, ...]:
        return self._world.warden.hold(self._active.round, self._active.stop.abort)

    def _quiesce(self) -> None:
        """Hold up what would disturb; what was changed goes with the round's environment."""
        changed = [change.what for change in self._held()]
        environment = {**self._active.round.environment, "quiesced": changed}
        self._active.change(environment=environment)

    def _another(self) -> bool:
        """Whether another repeat is worth what it writes; not while samples cannot be kept."""
        if not self._recorder.flush(SAVE_WAIT):
            return False
        samples = self._world.desk.ask(lambda store: store.samples(self._number), SAVE_WAIT)
        plan = self._active.round.plan
        found = another(plan, samples)
        if found.more:
            self._active.repeats = min(plan.most, max(found.needed or 0, found.repeats + 1))
            self._world.log.info("round %d is repeated: %s", self._number, found.reason)
        return found.more

    def _let_go(self) -> None:
        """Benches that an abort left in flight end by themselves, unseen."""
        until = self._world.clock.now() + _IN_FLIGHT
        for osd in self._active.round.plan.osds:
            self._world.benched.ended(osd, until)

    def _mark_running(self) -> None:
        """From here on the round counts as begun; a store that is away delays only the note."""
        active, clock = self._active, self._world.clock
        started_at = active.round.started_at or clock.now()
        active.began = clock.monotonic()
        running = active.change(state=RoundState.RUNNING, started_at=started_at)
        self._world.desk.tell(lambda store: store.save_round(running), self._note)
        self._show_progress()

    def _note(self, error: Optional[Exception]) -> None:
        if error is not None:
            self._world.log.warning("could not save that the round runs: %s", error)

    def _show_progress(self) -> None:
        message = f"perf-bench round {self._number} ({self._active.round.profile})"
        self._world.progress.update(self._number, message, self._active.progress())

    def _save_end(self, outcome: Outcome) -> None:
        """Judge and save, again and again until the store takes it or the mgr leaves."""
        self._active.phase = SAVING
        round_ = replace(self._active.round, ended_at=self._world.clock.now())
        log = self._world.log
        while not self._leaving.is_set():
            try:
                state = self._try_save(round_, outcome)
            except NotFound:
                log.warning("round %d is gone from the database", self._number)
                return
            except StoreUnavailable as error:
                log.warning("round %d cannot be saved yet: %s", self._number, error)
                self._leaving.wait(_RETRY_SECONDS)
            except Exception:  # whatever it is, the samples are worth another try
                log.exception("round %d cannot be saved yet", self._number)
                self._leaving.wait(_RETRY_SECONDS)
            else:
                self._active.saved = True
                log.info("round %d ended: %s", self._number, state)
                return

    def _try_save(self, round_: Round, outcome: Outcome) -> str:
        if not self._recorder.flush(SAVE_WAIT):
            # NotFound if that is why: then there is nothing to save them to.
            self._world.desk.ask(lambda store: store.round(self._number), SAVE_WAIT)
            raise StoreUnavailable(self._recorder.problem() or "samples are not saved yet")
        state, summary = self._judge(round_, outcome)
        summary = with_alarms(summary, self._alarms)
        ended = replace(
            round_,
            state=state,
            verdict=summary.verdict,
            reasons=summary.reasons,
            conclusions=summary.conclusions,
            summary=summary.figures,
        )
        written = self._written(round_, outcome)
        self._world.desk.ask(
            lambda store: store.end_round(ended, summary.results, written), SAVE_WAIT
        )
        return state.value

    def _written(self, round_: Round, outcome: Outcome) -> Optional[dict[int, int]]:
        """By OSD what it wrote; None for clients: what was booked for them stays."""
        if round_.plan.load is not None:
            return None
        return _written(round_, self._world.desk.ask(_sampled(self._number), SAVE_WAIT), outcome)

    def _judge(self, round_: Round, outcome: Outcome) -> tuple[RoundState, Summary]:
        load = round_.plan.load
        return (
            self._judge_osds(round_, outcome) if load is None else self._judge_load(load, outcome)
        )

    def _judge_load(self, load: LoadPlan, outcome: Outcome) -> tuple[RoundState, Summary]:
        round_, number = self._active.round, self._number
        samples = self._world.desk.ask(lambda store: store.loads.of(number), SAVE_WAIT)
        if outcome.end == End.COMPLETE:
            summary = judge_ended(round_, load, samples)
            return (RoundState.DONE if summary.figures["repeats"] else RoundState.FAILED), summary
        verdict, state = _unfinished(outcome)
        return state, judge_unfinished(load, samples, verdict, outcome.reason)

    def _judge_osds(self, round_: Round, outcome: Outcome) -> tuple[RoundState, Summary]:
        def read(store: RoundStore) -> tuple[list[OsdResult], list[Sample]]:
            return store.results(round_.id)[0], store.samples(round_.id)

        rows, samples = self._world.desk.ask(read, SAVE_WAIT)
        if outcome.end == End.COMPLETE:
            most = profile_named(round_.profile).max_cv_percent
            summary = summarize(round_.plan, rows, samples, most)
            summary = with_precision(summary, round_.plan, samples)
            if profile_named(round_.profile).layout is Layout.WAL:
                wals = self._world.cluster.wals(round_.plan.osds)
                summary = with_wal(summary, round_.plan, samples, wals)
            measured = summary.figures["osds_measured"]
            return (RoundState.DONE if measured else RoundState.FAILED), summary
        verdict, state = _unfinished(outcome)
        return state, summarize_part(round_.plan, rows, samples, verdict, outcome.reason)


def _unfinished(outcome: Outcome) -> tuple[Verdict, RoundState]:
    """What a round is called that did not run to its end."""
    if outcome.end == End.ABORTED:
        return Verdict.ABORTED, RoundState.ABORTED
    return Verdict.FAILED, RoundState.FAILED


def _sampled(number: int) -> Callable[[RoundStore], Done]:
    return lambda store: store.sampled(number)


def _written(round_: Round, done: Done, outcome: Outcome) -> dict[int, int]:
    """Bytes that the round wrote, by OSD: a bench whose answer is missing may have run, too."""
    plan = round_.plan
    steps = {phase.name: phase.step for phase in plan.phases}
    written = dict(plan.bytes_by_osd(0))
    for phase, _, osd in done.samples:
        written[osd] += steps[phase].bytes_written
    if outcome.end is not End.COMPLETE:
        in_flight = max((step.bytes_written for step in steps.values()), default=0)
        most = plan.bytes_by_osd(plan.most)
        written = {osd: min(size + in_flight, most[osd]) for osd, size in written.items()}
    return written
