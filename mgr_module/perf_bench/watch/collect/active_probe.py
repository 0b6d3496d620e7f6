"""The active probe: a small read and a small write per OSD and minute, off by default.

It shows idle OSDs, of which their own counters say nothing.
"""

from __future__ import annotations

import logging
import math
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Callable, NamedTuple, Optional

from ...errors import PerfBenchError
from ...model.frame import PROBE_READ, PROBE_WRITE, Frame, Roster
from ...ports import Clock, Prober

# Every OSD is probed once in this many seconds, evenly spread: 167 OSDs a second at 10,000.
PERIOD = 60.0
# Where objects stand is looked at again this often; OSDs come and go.
_PLACE_EVERY = 300.0
# After trouble (no pool, monitors away) it is tried again this much later.
_TRY_AGAIN = 60.0
_WORKERS = 8
# A hung OSD holds a worker for the client's time limit; what is due beyond this waits its minute.
_MOST_IN_FLIGHT = 4 * _WORKERS
_STEP = 0.25
# Answers no frame has asked for: two minutes of 10,000 OSDs.
_MOST_KEPT = 20_000


class ProbeAnswer(NamedTuple):
    """One probe: unix seconds of its begin, and how long the two calls took in seconds."""

    at: float
    osd: int
    read: float
    write: float


class ActiveProbe:
    """Probes on threads of its own while it is on, and puts what it found into frames."""

    def __init__(
        self, open_prober: Callable[[], Prober], clock: Clock, log: logging.Logger
    ) -> None:
        """``open_prober`` opens the way to the OSDs; it may raise CommandFailed."""
        self._open = open_prober
        self._clock = clock
        self._log = log
        self._lock = threading.Lock()
        self._answers: deque[ProbeAnswer] = deque(maxlen=_MOST_KEPT)
        self._in_flight = 0
        self._stop: Optional[threading.Event] = None
        self._tidy = True
        self._thread: Optional[threading.Thread] = None
        self._order: tuple[Optional[Roster], dict[int, int]] = (None, {})
        # What status tells: OSDs within reach, and why there are none.
        self.reach = 0
        self.problem: Optional[str] = None

    def switch(self, on: bool) -> None:
        """On or off; returns at once, and changes nothing if it is so already.

        Switched off, it removes its objects.
        """
        if on and self._thread is None:
            self._stop, self._tidy = threading.Event(), True
            self._thread = threading.Thread(
                target=self._run, args=(self._stop,), name="perf-bench-probe", daemon=True
            )
            self._thread.start()
        elif not on and self._thread is not None and self._stop is not None:
            self._stop.set()
            self._thread, self.reach, self.problem = None, 0, None

    def leave(self) -> None:
        """Stop without removing anything: the next active mgr goes on with the same objects."""
        self._tidy = False
        self.switch(on=False)

    def into(self, frame: Frame) -> Frame:
        """The frame with the two channels of the probe, if there are answers for its span.

        To be called with frames in their order. The number of operations is told as not known:
        one a minute is what it is made for, and no reason to call an OSD idle.
        """
        taken: list[ProbeAnswer] = []
        with self._lock:
            while self._answers and self._answers[0].at < frame.end:
                answer = self._answers.popleft()
                if answer.at >= frame.start:
                    taken.append(answer)
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

    def _places(self, roster: Roster) -> dict[int, int]:
        if self._order[0] is not roster:
            self._order = roster, {m.osd: place for place, m in enumerate(roster.members)}
        return self._order[1]

    # --- its threads -------------------------------------------------------------------------

    def _run(self, stop: threading.Event) -> None:
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
                self._trouble(str(error))
            except Exception as error:  # noqa: BLE001 - the next minute may be better
                self._log.exception("the probe failed")
                self._trouble(f"internal error, see the mgr's log: {error!r}")
            stop.wait(_TRY_AGAIN)

    def _trouble(self, sentence: str) -> None:
        if sentence != self.problem:  # once, not every minute
            self._log.warning("the probe is not possible now: %s", sentence)
        self.reach, self.problem = 0, sentence

    def _probe(self, prober: Prober, workers: ThreadPoolExecutor, stop: threading.Event) -> None:
        """Go round the OSDs until it is switched off; raises when objects cannot be placed."""
        placed: Mapping[int, Sequence[str]] = {}
        placed_at, done = -math.inf, 0.0
        while not stop.is_set():
            now = self._clock.monotonic()
            if now - placed_at >= _PLACE_EVERY:
                placed, placed_at, done = prober.place(), now, now
                self.reach, self.problem = len(placed), None
            turn = int(now // PERIOD)
            for osd in due(sorted(placed), done, now):
                names = placed[osd]
                # Another object each minute: its replicas are others, so a slow one of them
                # spoils some of this OSD's writes, not all.
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
        at = self._clock.now()
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
                self._answers.append(ProbeAnswer(at, osd, end - between, between - begin))
        finally:
            with self._lock:
                self._in_flight -= 1


def due(osds: Sequence[int], since: float, now: float) -> Sequence[int]:
    """Whose turn came after ``since`` and up to ``now``: each has one place in every PERIOD."""
    if not osds or now <= since:
        return []
    if now - since >= PERIOD:
        return osds
    count = len(osds)
    first = math.floor(since / PERIOD * count) + 1
    last = math.floor(now / PERIOD * count)
    return [osds[turn % count] for turn in range(first, last + 1)]
