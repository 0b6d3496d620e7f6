"""The watch journey, tick after tick: collect → detect → store → report.

It keeps the ledger of all findings. Those that rest on rounds go on while it is switched off: then
it looks at nothing, and what it had found itself is closed.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Callable, NamedTuple, Optional, Protocol

from .collect.collector import Collector
from .collect.probing import Probing
from .detect.laggy import LaggyTracker, wants_by_osd
from .detect.ledger import GRACE_SECONDS, ChangeKind, Ledger
from .detect.settings import Settings
from .detect.slow import SlowDetector
from .errors import StoreUnavailable
from .model.chart import CONFIG_RISK
from .model.checksum import LINK_ERRORS
from .model.enclosure import ENCLOSURE_FAULT, MULTIPATH_DEGRADED
from .model.finding import PROFILE, REGRESSION, Claim, Finding, Target
from .model.frame import CHANNELS, Frame, Watched, client_seconds
from .model.history import SavedState, SeriesPoint, SeriesRow
from .model.laggy import Episode, LaggyNow, OsdLaggy, PoolLaggy
from .model.options import WatchOptions
from .model.quiesce import RESTORE_PENDING
from .model.schedule import ROUND_FAILED
from .model.sight import Sight
from .model.verdict import CohortReport
from .ports import Clock, OsdHealth, PgStates, Store, StoreDesk, Voice
from .regressions import Regressions
from .report import health
from .store.history import History
from .store.journal import Journal
from .store.rings import by_osd

# What is told also while the watch is off, and the kinds of targets whose findings are over as
# soon as nobody claims them.
_OF_ROUNDS = (
    REGRESSION,
    RESTORE_PENDING,
    ROUND_FAILED,
    CONFIG_RISK,
    ENCLOSURE_FAULT,
    MULTIPATH_DEGRADED,
    LINK_ERRORS,
)
_KNOWN_AT_ONCE = ("settings", "schedule")
# The names of the states that detectors save.
_SLOW, _LAGGY = "slow", "laggy"
_WRITE_EVERY = 60.0
_SAVE_EVERY = 300.0
# The same after a finding came or went: who takes over has to know why, or could close it only
# after a time of grace.
_SAVE_SOON = 60.0
# How long the watch waits for the database to tell what was known, before it looks on its own.
WAKE_PATIENCE = 60.0
_MOST_WAITING = 16
# The states of placement groups by OSD take 0.2 s at 262,144 of them, in one call that lets no
# other Python run: so often that this is 2 % of the time.
_GROUPS_SHARE = 50.0
# osd_stats take 18 us an OSD, and no other Python runs meanwhile.
_MOST_APPLIED = 2000
# Without its own memory the detector needs an hour to see a mild slowdown again.
_COLD_GRACE = 7200.0
# Rows of five minutes packed in one tick: 0.5 ms each.
_ROWS_A_TICK = 30
_LEAVE_WAIT = 3.0
_MUTE_WAIT = 5.0
_RECALL_WAIT = 3.0
_ALL = 1_000_000
# Of the newest laggy episodes, those that may still have changed since they were written.
_EPISODES = 5


@dataclass(frozen=True)
class Senses:
    """What the watch looks with; ``regressions`` tells what rounds have shown.

    ``others`` claims what is told whether or not the watch looks.
    """

    collector: Collector
    pgs: PgStates
    health: OsdHealth
    probing: Probing
    regressions: Regressions
    others: Callable[[], Sequence[Claim]] = tuple


@dataclass(frozen=True)
class Around:
    """What is around the watch: where it writes, speaks, and takes the time from."""

    desk: StoreDesk
    voice: Voice
    clock: Clock
    log: logging.Logger


@dataclass(frozen=True)
class Pulse:
    """How the watch itself is: the newest tick in unix seconds, its CPU and wall time."""

    at: Optional[float] = None
    cpu_seconds: Optional[float] = None
    seconds: Optional[float] = None
    errors: int = 0
    problem: Optional[str] = None


class Known(NamedTuple):
    """What the store had of the watch when this mgr became active."""

    findings: list[Finding]
    next_id: int
    slow: Optional[SavedState]
    laggy: Optional[SavedState]


class _Restored(Protocol):
    def restore(self, state: Mapping[str, Any], now: float) -> None: ...


class Watch:
    """Ticks on one thread; may be asked from any. A question waits for the tick that runs."""

    def __init__(
        self,
        senses: Senses,
        around: Around,
        settings: Settings,
        options: Callable[[], WatchOptions],
        running_round: Callable[[], Optional[int]],
    ) -> None:
        """``running_round`` tells the ID of the bench round that runs now."""
        self._senses = senses
        self._desk = around.desk
        self._voice = around.voice
        self._clock = around.clock
        self._log = around.log
        self._options = options
        self._running_round = running_round
        self._lock = threading.RLock()
        self._hosts: dict[int, str] = {}
        self.slow = SlowDetector(settings)
        self.laggy = LaggyTracker(self._hosts.get)
        self.history = History()
        self.ledger = Ledger()
        self.journal = Journal(around.desk, around.log, lambda: self._options().kept)
        self.pulse = Pulse()
        self._cluster_log = health.ClusterLog()
        self._newest: Optional[Frame] = None
        self._sight = Sight()
        self._sight_of: tuple[Any, Any] = (None, None)
        # Frames that wait until it is known what was known before.
        self._waiting: deque[Frame] = deque(maxlen=_MOST_WAITING)
        self._known: Optional[Known] = None
        self._told = threading.Event()  # whether the store has answered what was known
        self._asking = self._looking = False
        self._changed = self._turned = False
        self._groups_due = 0.0
        # Frames that came while nobody knew yet what was known before, and were too many.
        self.dropped = 0
        self._began = self._wrote_at = self._saved_at = around.clock.monotonic()

    # --- its thread --------------------------------------------------------------------------

    def run(self, stop: threading.Event) -> None:
        """Tick until told to stop. Whatever goes wrong in one tick, the next one comes."""
        while not stop.is_set():
            began = self._clock.monotonic()
            options = self._options()
            self._senses.probing.switch(options.on and options.probe)
            self._guarded_tick(options.on)
            stop.wait(max(0.1, options.tick_seconds - (self._clock.monotonic() - began)))
        self._senses.probing.leave()

    def _guarded_tick(self, looks: bool) -> None:
        cpu, wall = time.thread_time(), time.monotonic()
        problem: Optional[str] = None
        try:
            self.tick(looks)
        except Exception as error:  # noqa: BLE001 - the watch outlives what nobody foresaw
            problem = repr(error)
            if problem != self.pulse.problem:  # once, not every tick
                self._log.exception("a tick of the watch failed")
        self.pulse = Pulse(
            at=self._clock.now() if looks else None,
            cpu_seconds=time.thread_time() - cpu,
            seconds=time.monotonic() - wall,
            errors=self.pulse.errors + (problem is not None),
            problem=problem,
        )

    def tick(self, looks: bool = True) -> None:
        """One look at the cluster (unless the watch is off) and all that follows from it."""
        with self._lock:
            if looks:
                self._collect()
            if not self._wake():
                return
            if looks:
                while self._waiting:
                    self._take(self._senses.probing.into(self._waiting.popleft()))
                self.history.step()
                self._look_at_pgs()
            self._report(looks)
            self._keep(looks)

    def leave(self) -> None:
        """Write down what is known, for the next active mgr. Bounded."""
        with self._lock:
            if not self.ledger.loaded:
                return  # what is stored is better than what was seen since
            self.history.close()
            self.journal.flush(_LEAVE_WAIT)
            self._put(self.history.take(_ALL))
            self.journal.write(self._clock.now(), self._states(), None, parts=1)
            self.journal.flush(_LEAVE_WAIT)

    # --- a tick's parts ----------------------------------------------------------------------

    def _collect(self) -> None:
        for frame in self._senses.collector.tick():
            self.dropped += len(self._waiting) == self._waiting.maxlen
            self._waiting.append(frame)

    def _wake(self) -> bool:
        """Whether the detectors may go on: with what was known, or after a minute without it.

        Findings are taken over even later: one that a user was told of is not forgotten.
        """
        if self._known is not None and not self.ledger.loaded:
            self._remember(self._known)
        elif not self.ledger.loaded and not self._asking:
            self._asking = True
            self._told.clear()
            self._desk.tell(self._read_known, self._asked)
        patience = self._clock.monotonic() - self._began
        self._looking = self._looking or self.ledger.loaded or patience >= WAKE_PATIENCE
        return self._looking

    def _read_known(self, store: Store) -> None:
        """On the store's thread: all in one go."""
        kept = store.watch
        findings, next_id = kept.findings()
        self._known = Known(findings, next_id, kept.state(_SLOW), kept.state(_LAGGY))

    def _asked(self, error: Optional[Exception]) -> None:
        self._asking = False
        self._told.set()
        if error is not None:
            self._log.debug("what the watch knew cannot be read yet: %s", error)

    def _remember(self, known: Known) -> None:
        now = self._clock.now()
        warm = known.slow is not None and not self._looking
        if not self._looking:  # else the detectors have begun anew, and that is newer
            for detector, saved in ((self.slow, known.slow), (self.laggy, known.laggy)):
                if saved is not None:
                    self._restore(detector, saved, now)
        self.ledger.load(known.findings, known.next_id, now, GRACE_SECONDS if warm else _COLD_GRACE)
        self._changed = True  # what was found meanwhile has an ID only now

    def _restore(self, detector: _Restored, saved: SavedState, now: float) -> None:
        try:
            detector.restore(saved.state, now)
        except (KeyError, TypeError, ValueError, IndexError):  # another version's shape
            self._log.warning("a detector begins anew: what it saved cannot be read", exc_info=True)

    def _take(self, frame: Frame) -> None:
        if self._newest is None or frame.roster is not self._newest.roster:
            self._hosts.clear()
            self._hosts.update((member.osd, member.host) for member in frame.roster.members)
        self._newest = frame
        self.slow.step(frame)
        self.history.feed(frame)

    def _look_at_pgs(self) -> None:
        by_state = self._senses.pgs.by_state()
        wanted = wants_by_osd(by_state)
        began = self._clock.monotonic()
        by_osd = None
        if wanted and began >= self._groups_due:
            by_osd = self._senses.pgs.by_osd()
            took = self._clock.monotonic() - began
            self._groups_due = began + _GROUPS_SHARE * took
        self.laggy.step(
            self._clock.now(),
            by_state,
            self._senses.pgs.by_pool() if wanted else {},
            by_osd,
            self._senses.collector.stale,
            self._senses.health.slow_ops(),
            self._running_round(),
        )

    def _report(self, looks: bool) -> None:
        now = self._clock.now()
        claims = [*self._senses.regressions.claims(), *self._senses.others()]
        if looks:
            claims += [*self.slow.claims(), *self.laggy.claims()]
        changes = self.ledger.update(now, claims, lambda target: self._judged(target, looks))
        # That it was switched off does not mean that anything is well again.
        told = [one for one in changes if looks or one.finding.code in _OF_ROUNDS]
        opened = [one.finding for one in told if one.kind is ChangeKind.OPENED]
        closed = [one.finding for one in told if one.kind is ChangeKind.CLOSED]
        for severity, text in self._cluster_log.lines(now, opened, closed):
            self._voice.log(severity, text)
        self._changed = self._changed or bool(changes)
        self._turned = self._turned or bool(opened or closed)
        self._show()

    def _judged(self, target: Target, looks: bool) -> bool:
        """Whether a finding of before, which nobody claims, is over; else it has some grace."""
        if target.kind == PROFILE:
            return self._senses.regressions.knows(target.id)
        if target.kind in _KNOWN_AT_ONCE:
            return True
        return not looks

    def _show(self) -> None:
        self._voice.health(health.checks(self.ledger.findings(), self._options().codes))

    def _keep(self, looks: bool) -> None:
        self._put(self.history.take(_ROWS_A_TICK))
        now = self._clock.monotonic()
        # What a user is told of is written at once, all else once a minute.
        if now - self._wrote_at < _WRITE_EVERY and not self._changed:
            return
        save = now - self._saved_at >= (_SAVE_SOON if self._turned else _SAVE_EVERY)
        states = self._states() if save and looks and self.ledger.loaded else {}
        if self.journal.write(self._clock.now(), states, self.history.settled):
            self._wrote_at, self._changed = now, False
            if states:
                self._saved_at, self._turned = now, False

    def _put(self, rows: Sequence[SeriesRow]) -> None:
        findings, forgotten = self.ledger.take_unsaved(self._clock.now())
        self.journal.put(rows, findings, forgotten, self.laggy.episodes()[:_EPISODES])

    def _states(self) -> dict[str, Mapping[str, object]]:
        return {_SLOW: self.slow.save(), _LAGGY: self.laggy.save()}

    # --- what it may be asked ----------------------------------------------------------------

    def client_seconds(self) -> Optional[float]:
        """The mean latency of clients' operations in the newest frame; None while there are few."""
        frame = self._newest
        return None if frame is None else client_seconds(frame)

    def options(self) -> WatchOptions:
        """What is set now."""
        return self._options()

    def probe(self) -> Mapping[str, Any]:
        """Whether OSDs are probed, how many are within reach, and what is in the way."""
        probing = self._senses.probing
        return {
            "on": self._options().probe,
            "osds": probing.reach,
            "problem": probing.problem,
        }

    def sight(self) -> Sight:
        """What is seen of all OSDs now; put together once a minute or when a verdict changes."""
        with self._lock:
            minute, verdicts = self.history.rings.newest, self.slow.verdicts()
            if minute is not self._sight_of[0] or verdicts is not self._sight_of[1]:
                latency = {} if minute is None else by_osd(minute, CHANNELS)
                self._sight_of = minute, verdicts
                self._sight = Sight(verdicts, latency, self._applied())
            return self._sight

    def _applied(self) -> Mapping[int, float]:
        """What OSDs report themselves; not of very many, where it is one long call."""
        if len(self._hosts) > _MOST_APPLIED:
            return {}
        found = self._senses.health.latencies()
        return {osd: apply for osd, (_, apply) in found.items()}

    def explain(self, osd: int) -> Sequence[str]:
        """What is thought of an OSD and why, in sentences."""
        with self._lock:
            return self.slow.explain(osd)

    def cohorts(self) -> Sequence[CohortReport]:
        """How well each cohort can be judged."""
        with self._lock:
            return self.slow.cohorts()

    def recall(self) -> None:
        """Wait until the findings of before are known, or until the watch goes on without them.

        For who lists findings right after a failover. Raises StoreUnavailable after 3 s.
        """
        with self._lock:
            self._wake()
        self._told.wait(_RECALL_WAIT)
        with self._lock:
            if not self._wake():
                raise StoreUnavailable(
                    "the findings of before are not read yet: the database does not answer"
                )

    def findings(self) -> Sequence[Finding]:
        """All that are kept, the closed ones too."""
        return self.ledger.findings(closed=True)

    def mute(self, number: int, until: float) -> Finding:
        """Mute a finding until then (unix seconds); returns when that is saved.

        Raises NotFound, and StoreUnavailable when it is muted but not saved yet.
        """
        with self._lock:
            finding = self.ledger.mute(number, until, self._clock.now()).finding
            self._show()
            self._put(())
        began = self._clock.monotonic()
        while self._clock.monotonic() - began < _MUTE_WAIT:
            self.journal.flush(_MUTE_WAIT)  # the batch under way may not have it yet
            if self.journal.write(self._clock.now(), {}, None):
                break
        if not self.journal.flush(_MUTE_WAIT) or self.journal.problem:
            raise StoreUnavailable(
                f"finding {number} is muted, but that could not be saved yet: "
                f"{self.journal.problem or 'the database does not answer'}"
            )
        return finding

    def laggy_groups(
        self,
    ) -> tuple[LaggyNow, Sequence[OsdLaggy], Sequence[PoolLaggy], Sequence[Episode]]:
        """What is laggy now, by OSD, by pool, and the episodes."""
        with self._lock:
            laggy = self.laggy
            return laggy.now(), laggy.osds(), laggy.pools(), laggy.episodes()

    def minutes(self, osd: int, channel: str, begin: float, end: float) -> list[SeriesPoint]:
        """The whole minutes in memory that start in ``begin`` … ``end``."""
        return self.history.series(osd, channel, begin, end)

    def members(self) -> Sequence[Watched]:
        """The watched OSDs by ID."""
        return self._newest.roster.members if self._newest is not None else ()

    def host_of(self, osd: int) -> Optional[str]:
        return self._hosts.get(osd)
