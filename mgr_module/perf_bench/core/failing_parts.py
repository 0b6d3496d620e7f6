"""Which parts of the module itself fail: what they look for goes unnoticed meanwhile."""

from __future__ import annotations

import errno
import logging
import math
import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Callable, Union

from ..errors import CommandFailed, PerfBenchError, StoreUnavailable
from ..model.finding import Claim, Severity, Target
from ..model.finding_kinds import WATCH_FAILED
from ..model.phrases import one_line, sentence

# A failure is claimed after this time: a single error needs nobody. As long may a thread show no
# sign of life.
LASTING_SECONDS = 300.0
# Most ticks have no frame, and some parts look once a minute only: one that fails whenever it
# looks would seem well between its looks.
WELL_SECONDS = 90.0
# The same of parts that look more rarely: one and a half of their intervals.
_WELL_RARELY = {"doctor": 900.0, "orchestrator-facts": 5400.0}
# Characters of an error in a claim.
_MOST_ERROR = 200

SERVE, WATCH, WHY = "serve", "watch", "why"
COLLECTOR, COUNTERS, CLAIMS = "collector", "counters", "claims"

# By part, what is lost while it fails. Other parts do not make findings absent, and only status and
# the log tell that they fail.
LOST: Mapping[str, str] = {
    WATCH: "nothing is looked at, and health checks stay as they are",
    SERVE: "schedules, the doctor and retention stand still, and no round is guarded",
    COLLECTOR: "the counters of OSDs are not read, no latency is looked at",
    COUNTERS: "no latency is looked at",
    CLAIMS: "what one claim tells is not shown as a finding",
    "health": "findings are not shown as health checks",
    "saver": "findings and latencies are not saved: the next active mgr does not have them",
    "restore": "what the mgr before has saved is not read",
    "slow": "not looked at: latencies of OSDs against their peers",
    "laggy": "not looked at: states of PGs",
    "drift": "not looked at: cohorts against their own last month",
    "flapping": "not looked at: OSDs going down and coming back",
    "standby_mgrs": "not looked at: the module's files on standby mgrs",
    "enclosures": "not looked at: enclosures and paths to disks",
    "crc": "not looked at: time that OSDs spend on checksums, errors of links and media",
    "regressions": "profiles are not compared with their own past",
    "doctor": "settings that are a risk are not looked for",
    "schedules": "schedules start no round, and that is not told",
    "safety": "no round is guarded, and settings that a round has changed are not put back",
    "bench": "rounds do not go on, and none can be started",
    "store": "the database is not checked, and an outage of it is not told",
    "store-check": "rows of the database that cannot be read are not told",
    "retention": "old rounds are not removed, and a database that is full is not told",
    "host-facts": "enclosures, paths, error counters and settings of hosts are not looked at",
    "orchestrator-facts": "facts of hosts that do not report their own are not taken",
    "poller": "OSDs are not asked for checksums and errors that they do not send",
    WHY: "OSDs that are slow are not asked why",
}


@dataclass(frozen=True)
class _Failure:
    """``since`` and ``at`` are its first and its newest failure, in monotonic seconds.

    ``problem`` is the newest error in words. ``claimed`` is False where something else has that
    cause and tells it.
    """

    since: float
    at: float
    problem: str
    claimed: bool


class FailingParts:
    """Thread-safe. A part fails until it has gone well for WELL_SECONDS.

    Of an outage of the database or the monitors it fails no longer than until it goes well once.
    """

    def __init__(self, monotonic: Callable[[], float], log: logging.Logger) -> None:
        self._monotonic = monotonic
        self.log = log
        self._lock = threading.Lock()
        self._failures: dict[str, _Failure] = {}
        # By part since when it has gone well here.
        self._well_since: dict[str, float] = {}
        # By thread when it last showed a sign of life.
        self._alive: dict[str, float] = {}

    def failed(self, part: str, error: Union[Exception, str]) -> None:
        """A part has failed; logged once for each error, not at every try."""
        with self._lock:
            before = self._failures.get(part)
            self._note(part, error, self._monotonic())
            new = before is None or before.problem != self._failures[part].problem
        if new and isinstance(error, Exception) and not isinstance(error, PerfBenchError):
            self.log.error("the part '%s' failed", part, exc_info=error)
        elif new:
            level = logging.INFO if _is_told_elsewhere(error) else logging.ERROR
            self.log.log(level, "the part '%s' failed: %s", part, sentence(str(error)))

    def _note(self, part: str, error: Union[Exception, str], since: float) -> None:
        before, now = self._failures.get(part), self._monotonic()
        claimed = not _is_told_elsewhere(error)
        if before is not None and before.claimed is claimed:
            since = before.since
        self._well_since.pop(part, None)
        problem = error if isinstance(error, str) else words_of(error)
        self._failures[part] = _Failure(since, now, problem, claimed)

    def went_well(self, part: str) -> None:
        """A part has gone well, or had nothing to do."""
        with self._lock:
            self._well(part)

    def _well(self, part: str) -> None:
        now, failure = self._monotonic(), self._failures.get(part)
        # What another thing caused and tells is over with it: 90 s more would be a false alarm.
        at = -math.inf if failure is None or not failure.claimed else failure.at
        if now - at >= _WELL_RARELY.get(part, WELL_SECONDS):
            self._failures.pop(part, None)
            self._well_since.setdefault(part, now)

    def forget(self, parts: Collection[str]) -> None:
        """Parts that are not wanted any more, as those of a watch that is switched off."""
        with self._lock:
            for part in parts:
                self._failures.pop(part, None)

    def alive(self, thread: str) -> None:
        """A thread that never ends shows a sign of life."""
        with self._lock:
            now = self._monotonic()
            before = self._alive.get(thread, now)
            self._alive[thread] = now
            if now - before >= LASTING_SECONDS:
                self._note(thread, _no_sign(now - before), before)
            else:
                self._well(thread)

    def problems(self) -> dict[str, str]:
        """By part its newest error, also of failures that have not lasted yet."""
        return {part: failure.problem for part, failure in self._all().items()}

    def knows(self, part: str) -> bool:
        """Whether a part has gone well here for long enough, so that a failure before is over."""
        with self._lock:
            since = self._well_since.get(part)
            return since is not None and self._monotonic() - since >= LASTING_SECONDS

    def claims(self, now: float) -> list[Claim]:
        """The parts that have failed for LASTING_SECONDS; ``now`` is unix seconds."""
        begun = now - self._monotonic()
        return [
            _claim(part, failure, begun + failure.since)
            for part, failure in sorted(self._all().items())
            if failure.claimed and failure.at - failure.since >= LASTING_SECONDS and part in LOST
        ]

    def _all(self) -> dict[str, _Failure]:
        """All failures, and threads that stand still."""
        with self._lock:
            now, found = self._monotonic(), dict(self._failures)
            for thread, at in self._alive.items():
                if now - at >= LASTING_SECONDS:
                    told = _no_sign(now - at)
                    found[thread] = _Failure(at, now, told, claimed=True)
            return found


def _is_told_elsewhere(error: Union[Exception, str]) -> bool:
    """An outage of the database is a finding of its own, one of the monitors is told by Ceph."""
    silent = isinstance(error, CommandFailed) and error.errno == errno.ETIMEDOUT
    return silent or isinstance(error, StoreUnavailable)


def _no_sign(seconds: float) -> str:
    return f"no sign of life for {round(seconds / 60)} min"


def words_of(error: Exception) -> str:
    """The first line of an error; the module's own errors are sentences and need no name."""
    lines = str(error).strip().splitlines()
    text = f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
    if lines and isinstance(error, PerfBenchError):
        text = lines[0]
    shown = one_line(text[: 2 * _MOST_ERROR])
    return shown if len(shown) <= _MOST_ERROR else f"{shown[:_MOST_ERROR]} [...]"


def _claim(part: str, failure: _Failure, since: float) -> Claim:
    lost = LOST[part]
    return Claim(
        WATCH_FAILED.code,
        Severity.WARNING,
        Target("part", part),
        f"'{part}' fails: {lost} ({failure.problem})",
        {"name": part, "lost": lost, "error": failure.problem},
        since,
    )
