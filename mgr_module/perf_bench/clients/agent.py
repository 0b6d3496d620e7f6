"""The worker: asks the mgr for runs and carries out each of them on this host.

Two threads: the main thread starts and supervises the clients, which end with it. The other thread
asks the mgr, where a command can block without limit. A lease by the monotonic clock ends the
clients when the mgr is gone: it expires without the other thread.
"""

from __future__ import annotations

import contextlib
import errno
import queue
import threading
import time
from collections.abc import Mapping
from typing import Any, Callable, Optional

from ..errors import CommandFailed, InvalidValue, PerfBenchError
from ..model.json_fields import LONGEST_TEXT, Json, decode
from ..model.phrases import one_line, plural
from ..model.rados import LEASE_SECONDS, LoadOrder, checked_numbers
from .messages import MOST_LINES
from .rados_bench import Access, Clients

# Seconds until the mgr is asked again after a failure.
_AGAIN_SECONDS = 5.0
# Maximum wait for the final report when the worker ends.
_LEAVE_SECONDS = 3.0
_NAP = 0.005

# Sends "next" or "tell" with a message; returns the answer. May block. Raises CommandFailed.
Ask = Callable[[str, Json], Json]
Say = Callable[[str], None]


class Assignment:
    """A run that this worker has taken. Used by both threads."""

    def __init__(self, run: Mapping[str, Any], sent: float) -> None:
        """``sent`` is when its order was asked for. Raises InvalidValue."""
        self.run = str(run["id"])
        self.order = decode(LoadOrder, run["load"], "load")
        self.numbers = checked_numbers(run["numbers"], self.order)
        self._lock = threading.Lock()
        self._lease_until = sent + LEASE_SECONDS
        # Start of the clients by the monotonic clock, and the trip of the answer that told it.
        self._begin: Optional[float] = None
        self._trip = 0.0
        self._over = ""
        # The lines that the mgr does not have yet, from number ``_at`` on.
        self._lines: list[Json] = []
        self._at = 0
        self._ended = False

    def hear(self, answer: Json, sent: float, came: float) -> None:
        """Take an answer of the mgr about this run, which was asked for at ``sent``."""
        if not answer["go_on"]:
            self.stop("the mgr ended it")
        with self._lock:
            # Never one that has expired: the mgr counts on its end.
            if answer["go_on"] and came <= self._lease_until:
                self._lease_until = max(self._lease_until, sent + LEASE_SECONDS)
            taken = max(0, answer.get("have", 0) - self._at)
            self._lines = self._lines[taken:]
            self._at += taken
            # The mgr answered halfway, give or take half the trip: the shortest is the best.
            if "start_in" in answer and (self._begin is None or came - sent < self._trip):
                self._trip = came - sent
                self._begin = (sent + came) / 2 + answer["start_in"]

    def stop(self, why: str) -> None:
        with self._lock:
            self._over = self._over or why

    def check(self) -> None:
        """Raise CommandFailed if the run was stopped or the lease has expired."""
        with self._lock:
            if self._over:
                raise CommandFailed(errno.ECANCELED, self._over)
            if time.monotonic() > self._lease_until:
                raise CommandFailed(
                    errno.ETIMEDOUT, f"nothing was heard of the mgr for {LEASE_SECONDS:.0f} s"
                )

    @property
    def begin(self) -> Optional[float]:
        """Start of the clients by the monotonic clock; None until it is agreed."""
        with self._lock:
            return self._begin

    def tell(self, values: Mapping[str, Any]) -> None:
        """Add a line to the report."""
        with self._lock:
            self._lines.append(dict(values))

    def end(self, error: Optional[PerfBenchError] = None) -> None:
        """Report as the last line that all clients have ended, and why if they should not have."""
        self.tell(_last_line(error))
        self._ended = True

    def report(self) -> Json:
        """What the mgr is told next."""
        with self._lock:
            return {"run": self.run, "at": self._at, "lines": self._lines[:MOST_LINES]}

    @property
    def is_told(self) -> bool:
        """Whether the mgr has the whole report."""
        ended = self._ended  # read first: its line is there then
        with self._lock:
            return ended and not self._lines


class WorkerAgent:
    """The agent of one worker process. ``registration`` has its host, version and instance."""

    def __init__(self, registration: Mapping[str, str], access: Access, ask: Ask, say: Say) -> None:
        self._registration = registration
        self._access = access
        self._ask = ask
        self._say = say
        self._wake = threading.Event()
        self._leaving = threading.Event()
        self._assignment: Optional[Assignment] = None
        self._queue: queue.SimpleQueue[Assignment] = queue.SimpleQueue()
        self._trip = 0.0

    def serve(self) -> None:
        """Carry out runs until ``leave`` or an interrupt; then end the clients.

        Raises CommandFailed if the thread that asks has ended by an error, so that systemd
        restarts the service.
        """
        link = threading.Thread(target=self._talk, name="perf-bench-link", daemon=True)
        link.start()
        try:
            while not self._leaving.is_set():
                with contextlib.suppress(queue.Empty):
                    self._carry_out(self._queue.get(timeout=1.0))
                if not (link.is_alive() or self._leaving.is_set()):
                    raise CommandFailed(errno.EIO, "the thread that asks the mgr has ended")
        finally:
            self.leave()
            link.join(_LEAVE_SECONDS)

    def leave(self) -> None:
        """End after the current run, if there is one."""
        self._leaving.set()
        self._wake.set()

    # --- the thread that runs clients ----------------------------------------------------------

    def _carry_out(self, run: Assignment) -> None:
        error: Optional[PerfBenchError] = None
        try:
            begin = self._await_begin(run)
            run.tell({"started": time.monotonic() - begin})
            self._say(f"run {run.run}: {plural(len(run.numbers), 'client')} {run.order.operation}")
            Clients(run.order, run.numbers, self._access, run.tell, run.check, -begin).run()
        except PerfBenchError as failure:
            self._say(f"run {run.run}: {failure}")
            error = failure
        finally:
            run.end(error)
            self._wake.set()

    def _await_begin(self, run: Assignment) -> float:
        """Wait for the agreed start and return it."""
        while True:
            run.check()
            begin = run.begin
            if begin is not None and time.monotonic() >= begin:
                return begin
            time.sleep(_NAP)

    # --- the thread that asks the mgr ----------------------------------------------------------

    def _talk(self) -> None:
        said = ""
        while not self._leaving.is_set():
            try:
                pause = self._turn()
                now = "ready"
            except PerfBenchError as error:
                pause, now = _AGAIN_SECONDS, str(error)
            if now != said:  # once, not every five seconds of an outage
                self._say(now)
                said = now
            self._wake.wait(pause)
            self._wake.clear()
        with contextlib.suppress(PerfBenchError):
            run = self._assignment
            self._exchange("tell", {**(run.report() if run else {}), "leaving": True})

    def _turn(self) -> float:
        """Ask once; return in how many seconds to ask again."""
        run = self._assignment
        if run is None:
            answer, sent, came = self._exchange("next", {})
            if "run" in answer:
                try:
                    run = Assignment(answer["run"], sent)
                except InvalidValue as error:
                    report = {"run": answer["run"]["id"], "lines": [_last_line(error)]}
                    self._exchange("tell", report)
                    raise
                run.hear(answer, sent, came)
                self._assignment = run
                self._queue.put(run)
            return float(answer["ask_in"])
        report = run.report()
        answer, sent, came = self._exchange("tell", report)
        run.hear(answer, sent, came)
        if run.is_told:
            self._assignment = None
        elif len(report["lines"]) == MOST_LINES:
            return 0.0
        return float(answer["ask_in"])

    def _exchange(self, word: str, message: Json) -> tuple[Json, float, float]:
        """Ask the mgr; return its answer, and when the question was sent and the answer came."""
        sent = time.monotonic()
        told = {**self._registration, "clock": time.time(), "trip": self._trip, **message}
        answer = self._ask(word, told)
        came = time.monotonic()
        self._trip = came - sent
        return answer, sent, came


def _last_line(error: Optional[PerfBenchError]) -> Json:
    """The line after which a worker runs no client; the error as the mgr accepts it."""
    if error is None:
        return {"ended": True}
    return {"errno": error.errno, "error": one_line(str(error))[:LONGEST_TEXT], "ended": True}
