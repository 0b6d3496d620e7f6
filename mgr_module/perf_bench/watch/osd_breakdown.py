"""Asks OSDs where their operations spend their time, on a thread of its own.

An OSD is asked ``ASKS`` times, a few seconds apart, together with two others to compare with and,
from the first answer on, the OSD that it waits for most. Nothing else asks, and no more than
``MOST_AT_ONCE`` OSDs are being asked about at any time.
"""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, Optional, Protocol

from ..core.clock import Clock
from ..core.failing_parts import WHY, FailingParts
from ..errors import CommandFailed, InvalidValue, NotNow, PerfBenchError
from ..model.breakdown import Answers, Breakdown
from ..model.cluster import BenchSpans, Cluster
from ..model.finding import Finding
from ..model.osd import Osd
from ..model.said import say
from ..model.selection import no_such_osd
from .breakdown import parsing
from .breakdown import problems as problems_of
from .breakdown.assemble import PEER, SUSPECT, Asked, breakdown, suspect
from .breakdown.evidence import evidence

# Each OSD is asked so many times, so many seconds apart.
ASKS = 3
EVERY = 3.0
# How many OSDs may be asked about at once, and how many may wait for that.
MOST_AT_ONCE = 4
MOST_WAITING = 20
# An answer is given again for so many seconds; so many are kept.
FRESH = 60.0
_KEPT = 50
# Seconds that a question waits for the first answer; other commands wait meanwhile.
_PATIENCE = 2.0
_MAPS_AGE = 10.0
# The thread shows a sign of life at least this often, in seconds.
_LIFE_SECONDS = 60.0
# Time around a bench in which its OSD would answer late, in seconds.
_BENCHED = 1.0
# The target, its peers, and the one it waits for.
_WORKERS = 4
# An OSD that gives one of these is not asked again.
_SILENT = (errno.ETIMEDOUT, errno.ENOTCONN, errno.ENXIO, errno.ENOENT)

Key = tuple[str, str, str]


class OperationDumps(Protocol):
    """What OSDs answer about their operations, as JSON.

    Every call takes 10 s at most, and a millisecond where nothing is wrong. Raises CommandFailed.
    Several threads may ask at once; ``close`` comes when none does, and asking connects again.
    """

    def slowest(self, osd: int) -> bytes:
        """The slowest operations of the last minutes."""

    def in_flight(self, osd: int) -> bytes:
        """The operations that are not done."""

    def counters(self, osd: int) -> bytes:
        """All performance counters; 30 kB."""

    def close(self) -> None: ...


@dataclass
class _Session:
    """One OSD that is being asked about. ``due`` is a monotonic time, ``asked_at`` unix seconds.

    ``findings`` are the keys of those that want the answer; ``told`` is set with the first answer.
    """

    osd: Osd
    others: list[tuple[Osd, str]]
    due: float
    asked_at: float
    findings: set[Key] = field(default_factory=set)
    answers: dict[int, Answers] = field(default_factory=dict)
    # By OSD the monotonic time of its first counters.
    begun: dict[int, float] = field(default_factory=dict)
    silent: set[int] = field(default_factory=set)
    asks: int = 0
    told: threading.Event = field(default_factory=threading.Event)
    found: Optional[Breakdown] = None


class OsdBreakdowns:
    """Thread-safe; ``run`` is the thread that asks."""

    def __init__(
        self,
        dumps: OperationDumps,
        cluster: Cluster,
        peers: Callable[[Osd], Sequence[Osd]],
        benched: BenchSpans,
        clock: Clock,
        failing: FailingParts,
    ) -> None:
        """``peers`` returns the OSDs that an OSD is compared with."""
        self._dumps = dumps
        self._cluster = cluster
        self._peers = peers
        self._benched = benched
        self._clock = clock
        self._log = failing.log
        self._failing = failing
        self._lock = threading.Lock()
        self._wanted = threading.Event()
        self._sessions: dict[int, _Session] = {}
        # Findings that wait for their turn, by OSD.
        self._waiting: dict[int, set[Key]] = {}
        self._found: dict[int, Breakdown] = {}
        self._done: list[tuple[Key, Mapping[str, Any]]] = []

    # --- questions ---------------------------------------------------------------------------

    def why(self, number: int) -> Breakdown:
        """The breakdown of an OSD: of the last minute, else what it answers within 2 s.

        It is asked further meanwhile, and the next question gets more. Raises NotFound, and NotNow
        for one that is down or if too many are being asked about.
        """
        osd = next((one for one in self._cluster.osds(_MAPS_AGE) if one.id == number), None)
        if osd is None:
            raise no_such_osd(number)
        with self._lock:
            session, known = self._sessions.get(number), self._found.get(number)
        if session is None:
            if known is not None and 0 <= self._clock.now() - known.asked_at < FRESH:
                return known
            session = self._begin(osd, ())
        session.told.wait(_PATIENCE)
        found = session.found
        if found is None:
            nothing = Answers(number)
            return breakdown(nothing, [], session.asked_at, 0, ASKS)
        return found

    def opened(self, finding: Finding) -> None:
        """Ask about the OSD of a finding that has opened; returns at once."""
        target = finding.target
        if target.kind != "osd" or not target.id.isdigit():
            return
        with self._lock:
            number = int(target.id)
            session = self._sessions.get(number)
            if session is not None:
                session.findings.add(finding.key)
            elif number in self._waiting or len(self._waiting) < MOST_WAITING:
                self._waiting.setdefault(number, set()).add(finding.key)
            else:
                self._log.debug("%s is not asked: too many findings opened at once", target)
        self._wanted.set()

    def take(self) -> Sequence[tuple[Key, Mapping[str, Any]]]:
        """The evidence for findings that has come since the last call, by the findings' keys."""
        with self._lock:
            done, self._done = self._done, []
        return done

    def _begin(self, osd: Osd, findings: Collection[Key]) -> _Session:
        """Start to ask about an OSD. Raises NotNow; if there is no room the findings wait on."""
        if not osd.up:
            raise NotNow(
                say("osd-down-unasked", "{osd} is down, so it cannot be asked", osd=osd.name)
            )
        made = _Session(
            osd,
            [(one, PEER) for one in self._peers(osd)],
            self._clock.monotonic(),
            self._clock.now(),
            set(findings),
        )
        with self._lock:
            running = self._sessions.get(osd.id)
            if running is not None:
                running.findings |= made.findings
                return running
            if len(self._sessions) >= MOST_AT_ONCE:
                if made.findings:  # they had a place, and a question took it meanwhile
                    self._waiting.setdefault(osd.id, set()).update(made.findings)
                names = ", ".join(f"osd.{number}" for number in sorted(self._sessions))
                raise NotNow(
                    say(
                        "osds-being-asked",
                        "{osds} are being asked: try again in {seconds:.0f} seconds",
                        osds=names,
                        seconds=ASKS * EVERY,
                    )
                )
            self._sessions[osd.id] = made
            made.findings |= self._waiting.pop(osd.id, set())
        self._wanted.set()
        return made

    # --- its thread --------------------------------------------------------------------------

    def run(self, stop: threading.Event) -> None:
        """Ask until ``stop`` is set and ``wake`` called. One session's error ends no other."""
        with ThreadPoolExecutor(_WORKERS, thread_name_prefix="perf-bench-why") as workers:
            while not stop.is_set():
                self._failing.alive(WHY)
                try:
                    pause = self.step(workers, stop)
                except Exception as error:  # noqa: BLE001 - the thread must survive any error
                    self._failing.failed(WHY, error)
                    pause = EVERY
                self._wanted.wait(_LIFE_SECONDS if pause is None else pause)
                self._wanted.clear()
        self._dumps.close()

    def wake(self) -> None:
        """Let the thread look at once whether it shall stop."""
        self._wanted.set()

    def step(self, workers: ThreadPoolExecutor, stop: threading.Event) -> Optional[float]:
        """Ask in every session that is due; returns the seconds until the next, None for none."""
        self._admit()
        for session in self._due():
            if stop.is_set():
                return 0.0
            self._failing.alive(WHY)  # one whose OSDs do not answer takes most of a minute
            try:
                self._ask(session, workers)
            except Exception as error:  # noqa: BLE001 - the thread must survive any error
                self._log.exception("%s could not be asked why it is slow", session.osd.name)
                self._fail(session, repr(error))
        with self._lock:
            dues = [session.due for session in self._sessions.values()]
            waiting = bool(self._waiting)
        if waiting and len(dues) < MOST_AT_ONCE:
            return 0.0
        if not dues:
            self._dumps.close()
            return None
        return max(0.0, min(dues) - self._clock.monotonic())

    def _admit(self) -> None:
        """Begin with findings that wait, while there is room."""
        while True:
            with self._lock:
                number = next(iter(self._waiting), None)
                if number is None or len(self._sessions) >= MOST_AT_ONCE:
                    return
                keys = self._waiting.pop(number)
            try:
                osd = next((one for one in self._cluster.osds(_MAPS_AGE) if one.id == number), None)
                if osd is not None:
                    self._begin(osd, keys)
            except PerfBenchError as error:
                self._log.debug("osd.%d is not asked: %s", number, error)
            except Exception:  # noqa: BLE001 - the thread must survive any error
                self._log.exception("osd.%d cannot be asked why it is slow", number)

    def _due(self) -> list[_Session]:
        now = self._clock.monotonic()
        with self._lock:
            return [session for session in self._sessions.values() if session.due <= now]

    def _ask(self, session: _Session, workers: ThreadPoolExecutor) -> None:
        self._ask_all(session, [session.osd, *(osd for osd, _ in session.others)], workers)
        # Who it waits for may show only later, so at most one more is asked each time.
        behind = self._suspect(session)
        if behind is not None:
            session.others.append((behind, SUSPECT))
            self._ask_all(session, [behind], workers)
        session.asks += 1
        session.due = self._clock.monotonic() + EVERY
        self._tell(session, 0 if session.osd.id in session.silent else ASKS - session.asks)

    def _suspect(self, session: _Session) -> Optional[Osd]:
        """The OSD that this one waits for most, if it is up and not asked yet."""
        number = suspect(session.answers[session.osd.id])
        asked = {session.osd.id, *(osd.id for osd, _ in session.others)}
        if number is None or number in asked:
            return None
        found = (one for one in self._cluster.osds(_MAPS_AGE) if one.id == number and one.up)
        return next(found, None)

    def _ask_all(self, session: _Session, osds: Sequence[Osd], workers: ThreadPoolExecutor) -> None:
        """Ask these OSDs at the same time, except those that gave no answer before."""
        now = self._clock.now()
        busy = self._benched.during(now - _BENCHED, now + _BENCHED)
        chosen = [osd.id for osd in osds if osd.id not in session.silent]
        before = {osd: session.answers.get(osd, Answers(osd)) for osd in chosen}
        for osd, said in zip(
            chosen,
            workers.map(
                lambda osd: (
                    _Said(problem=problems_of.benched(osd)) if osd in busy else self._said(osd)
                ),
                chosen,
            ),
        ):
            if said.silent:
                session.silent.add(osd)
            session.answers[osd] = self._joined(session, before[osd], said)

    def _said(self, osd: int) -> _Said:
        """What one OSD answers now; runs on a worker's thread.

        An OSD without an op tracker refuses to tell operations, and tells its counters.
        """
        outs: list[Optional[bytes]] = []
        refused = ""
        for ask in (self._dumps.slowest, self._dumps.in_flight, self._dumps.counters):
            try:
                outs.append(ask(osd))
            except CommandFailed as error:
                if error.errno in _SILENT:
                    return _Said(
                        problem=problems_of.silent(osd, error),
                        silent=True,
                    )
                outs.append(None)
                refused = problems_of.refused(osd, error)
        return _Said(outs[0], outs[1], outs[2], refused)

    def _joined(self, session: _Session, before: Answers, said: _Said) -> Answers:
        """The answers of before with the newest; what cannot be read is told."""
        osd, window = before.osd, before.window
        problems = _with(before.problems, said.problem) if said.problem else before.problems
        if said.slowest is None and said.in_flight is None and said.counters is None:
            return replace(before, problems=problems)
        # What was in flight has ended, or is in flight again in the newest answer.
        operations = {key: one for key, one in before.operations.items() if not one.in_flight}
        for out, in_flight in ((said.slowest, False), (said.in_flight, True)):
            if out is None:
                continue
            try:
                dump = parsing.operations(out, in_flight)
            except InvalidValue as error:
                problems = _with(
                    problems,
                    problems_of.no_operations(osd, error),
                )
                continue
            window = dump.window or window
            operations.update((one.key, one) for one in dump.operations)
            if dump.skipped or dump.left_out:
                left = problems_of.not_read(osd, dump.skipped + dump.left_out)
                problems = _with(problems, left)
        first, last, seconds = before.first, before.last, before.seconds
        if said.counters is not None:
            try:
                last = parsing.counters(said.counters)
                first = first or last
                now = self._clock.monotonic()
                seconds = now - session.begun.setdefault(osd, now)
            except InvalidValue as error:
                problems = _with(
                    problems,
                    problems_of.no_counters(osd, error),
                )
        return Answers(osd, operations, first, last, seconds, window, problems)

    def _tell(self, session: _Session, left: int) -> None:
        """Publish what is known; without asks ``left`` the session ends."""
        others = [
            Asked(osd.id, osd.host, role, session.answers.get(osd.id, Answers(osd.id)))
            for osd, role in session.others
        ]
        target = session.answers.get(session.osd.id, Answers(session.osd.id))
        found = breakdown(target, others, session.asked_at, session.asks, left)
        with self._lock:
            session.found = found
            if not left:
                self._finish(session, found)
        session.told.set()

    def _fail(self, session: _Session, why: str) -> None:
        problem = problems_of.not_asked(session.osd.id, why)
        target = Answers(session.osd.id, problems=(problem,))
        found = breakdown(target, [], session.asked_at, max(1, session.asks), 0)
        with self._lock:
            session.found = found
            self._finish(session, found)
        session.told.set()

    def _finish(self, session: _Session, found: Breakdown) -> None:
        """End a session; called with the lock held."""
        self._sessions.pop(session.osd.id, None)
        self._found.pop(session.osd.id, None)
        self._found[session.osd.id] = found
        while len(self._found) > _KEPT:
            del self._found[next(iter(self._found))]
        kept = evidence(found)
        self._done += [(key, kept) for key in session.findings]


@dataclass(frozen=True)
class _Said:
    """The answers of one OSD to one asking; None for one that it did not give.

    ``silent``: it is not worth asking again.
    """

    slowest: Optional[bytes] = None
    in_flight: Optional[bytes] = None
    counters: Optional[bytes] = None
    problem: str = ""
    silent: bool = False


def _with(problems: Sequence[str], problem: str) -> Sequence[str]:
    return problems if problem in problems else (*problems, problem)
