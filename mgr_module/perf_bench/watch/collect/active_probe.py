"""The active probe: a small read and a small write per OSD and minute, off by default.

It measures idle OSDs, whose counters have no operations.
"""

from __future__ import annotations

import logging
import math
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Callable, NamedTuple, Optional, Protocol

from ...core.clock import Clock
from ...errors import PerfBenchError
from ...model.frame import PROBE_READ, PROBE_WRITE, Frame, Mark, Roster

# Every OSD is probed once in this many seconds, evenly spread: 167 OSDs/s with 10,000.
PERIOD = 60.0
# Interval of choosing the objects of each OSD again, and that after OSDs came or went: an object
# of an OSD that is away is on another one, and one that was away has no objects.
_PLACE_EVERY, _PLACE_AGAIN = 300.0, 60.0
_CAME_OR_WENT = Mark.DOWN | Mark.RESTARTED
# Delay before trying again after an error (no pool, no monitors).
_TRY_AGAIN = 60.0
_WORKERS = 8
# A hung OSD occupies a worker until the client's time limit; with so many pending probes those
# that are due are skipped.
_MOST_IN_FLIGHT = 4 * _WORKERS
_STEP = 0.25
# Maximum number of answers that no frame has taken: two minutes of 10,000 OSDs.
_MOST_KEPT = 20_000


class Prober(Protocol):
    """Small operations of a client. Every call waits some seconds at most.

    Raises CommandFailed without an answer, NotNow without a pool to probe.
    """

    def place(self) -> Mapping[int, Sequence[str]]:
        """By OSD the names of the objects whose acting primary it is now."""

    def write(self, name: str) -> None: ...

    def read(self, name: str) -> None: ...

    def clear(self) -> None:
        """Remove its objects."""

    def close(self) -> None: ...


class ProbeAnswer(NamedTuple):
    """One probe: its end in unix seconds, and the duration of read and write in seconds.

    The end, because a frame may be complete before a slow probe that began in it has ended.
    """

    at: float
    osd: int
    read: float
    write: float


class ActiveProbe:
    """Probes on its own threads while it is on, and adds the results to frames."""

    def __init__(
        self, open_prober: Callable[[], Prober], clock: Clock, log: logging.Logger
    ) -> None:
        """``open_prober`` connects to the OSDs; it may raise CommandFailed."""
        self._open = open_prober
        self._clock = clock
        self._log = log
        self._lock = threading.Lock()
        self._answers: deque[ProbeAnswer] = deque(maxlen=_MOST_KEPT)
        self._in_flight = 0
        self._stop: Optional[threading.Event] = None
        self._tidy = True
        self._thread: Optional[threading.Thread] = None
        # The thread that was switched off last: it may still remove its objects.
        self._before: Optional[threading.Thread] = None
        self._order: tuple[Optional[Roster], dict[int, int]] = (None, {})
        self._seen: tuple[Optional[Roster], Sequence[tuple[int, int]]] = (None, ())
        self._moved = False
        # For the status: the number of reachable OSDs, and the problem if there is one.
        self.reach = 0
        self.problem: Optional[str] = None

    def switch(self, on: bool) -> None:
        """Switch the probe on or off; returns at once. Switched off, it removes its objects."""
        if on and self._thread is None:
            self._stop, self._tidy = threading.Event(), True
            self._thread = threading.Thread(
                target=self._run,
                args=(self._stop, self._before),
                name="perf-bench-probe",
                daemon=True,
            )
            self._thread.start()
        elif not on and self._thread is not None and self._stop is not None:
            with self._lock:
                self._stop.set()
                self.reach, self.problem = 0, None
            self._before, self._thread = self._thread, None

    def leave(self) -> None:
        """Stop and keep the objects: the next active mgr uses them."""
        self._tidy = False
        self.switch(on=False)

    def into(self, frame: Frame) -> Frame:
        """Return the frame with the two channels of the probe, if there are answers for its span.

        Call it with frames in order. The number of operations is set to unknown (NaN): the one
        operation per minute would make the OSD count as idle.
        """
        if self._thread is not None:
            self._look_for_moves(frame)
        taken: list[ProbeAnswer] = []
        with self._lock:
            now = self._clock.now()
            for _ in range(len(self._answers)):
                answer = self._answers.popleft()
                if frame.start <= answer.at < frame.end:
                    taken.append(answer)
                elif frame.end <= answer.at <= now:  # else of before the clock was set back
                    self._answers.append(answer)
        if not taken:
            return frame
        order, count = self._places(frame.roster), len(frame.roster.members)
        read, write, unknown = [[math.nan] * count for _ in range(3)]
        for answer in taken:
            place = order.get(answer.osd)
            if place is not None:
                read[place], write[place] = answer.read, answer.write
        return replace(
            frame,
            latency={**frame.latency, PROBE_READ: read, PROBE_WRITE: write},
            ops={**frame.ops, PROBE_READ: unknown, PROBE_WRITE: unknown},
        )

    def _look_for_moves(self, frame: Frame) -> None:
        marks = [(at, bits & _CAME_OR_WENT) for at, bits in enumerate(frame.marks) if bits]
        seen = frame.roster, [one for one in marks if one[1]]
        if seen[0] is not self._seen[0] or seen[1] != self._seen[1]:
            self._seen, self._moved = seen, True

    def _places(self, roster: Roster) -> dict[int, int]:
        if self._order[0] is not roster:
            self._order = roster, {m.osd: place for place, m in enumerate(roster.members)}
        return self._order[1]

    # --- its threads -------------------------------------------------------------------------

    def _run(self, stop: threading.Event, before: Optional[threading.Thread]) -> None:
        """Probe until ``stop``, once the thread ``before`` has ended: it has the same objects."""
        if before is not None:
            before.join()
        while not stop.is_set():
            try:
                prober = self._open()
                try:
                    with ThreadPoolExecutor(_WORKERS, "perf-bench-probe") as workers:
                        self._probe(prober, workers, stop)
                    if self._tidy:
                        prober.clear()
                finally:
                    prober.close()
            except PerfBenchError as error:
                self._trouble(stop, str(error))
            except Exception as error:  # noqa: BLE001 - tried again after a minute
                self._log.exception("the probe failed")
                self._trouble(stop, f"internal error, see the mgr's log: {error!r}")
            stop.wait(_TRY_AGAIN)

    def _trouble(self, stop: threading.Event, sentence: str) -> None:
        if sentence != self.problem:  # once, not every minute
            self._log.warning("the probe is not possible now: %s", sentence)
        self._tell(stop, 0, sentence)

    def _tell(self, stop: threading.Event, reach: int, problem: Optional[str]) -> None:
        """Set what the status tells, unless this thread was switched off meanwhile."""
        with self._lock:
            if not stop.is_set():
                self.reach, self.problem = reach, problem

    def _probe(self, prober: Prober, workers: ThreadPoolExecutor, stop: threading.Event) -> None:
        """Probe all OSDs in turn until ``stop``. Raises CommandFailed if the pool is unusable."""
        placed: Mapping[int, Sequence[str]] = {}
        placed_at, done = -math.inf, 0.0
        while not stop.is_set():
            now = self._clock.monotonic()
            if now - placed_at >= (_PLACE_AGAIN if self._moved else _PLACE_EVERY):
                self._moved = False  # before the map is read: it may change meanwhile
                placed, placed_at, done = prober.place(), now, done or now
                self._tell(stop, len(placed), None)
            turn = int(now // PERIOD)
            for osd in due(sorted(placed), done, now):
                names = placed[osd]
                # Another object each minute has other replicas: a slow replica then affects
                # only some of this OSD's writes.
                self._submit(prober, workers, osd, names[turn % len(names)])
            done = now
            stop.wait(_STEP)

    def _submit(self, prober: Prober, workers: ThreadPoolExecutor, osd: int, name: str) -> None:
        with self._lock:
            if self._in_flight >= _MOST_IN_FLIGHT:
                return
            self._in_flight += 1
        workers.submit(self._one, prober, osd, name)

    def _one(self, prober: Prober, osd: int, name: str) -> None:
        try:
            begin = self._clock.monotonic()
            prober.write(name)
            between = self._clock.monotonic()
            prober.read(name)
            end = self._clock.monotonic()
        except PerfBenchError as error:
            self._log.debug("osd.%d was not probed: %s", osd, error)
        else:
            with self._lock:
                at = self._clock.now()
                self._answers.append(ProbeAnswer(at, osd, end - between, between - begin))
        finally:
            with self._lock:
                self._in_flight -= 1


def due(osds: Sequence[int], since: float, now: float) -> Sequence[int]:
    """Return the OSDs that are due after ``since`` up to ``now``: each once in every PERIOD."""
    if not osds or now <= since:
        return []
    if now - since >= PERIOD:
        return osds
    count = len(osds)
    first = math.floor(since / PERIOD * count) + 1
    last = math.floor(now / PERIOD * count)
    return [osds[turn % count] for turn in range(first, last + 1)]
