"""The worker: waits for runs and carries out each of them on this host.

Two threads: the main thread starts and supervises the clients, which end with it. The other
thread uses RADOS, where a call can block without limit. A lease by the monotonic clock ends the
clients when the mgr is gone: it expires without RADOS and without the other thread.
"""

from __future__ import annotations

import contextlib
import errno
import queue
import threading
import time
from collections import deque
from collections.abc import Mapping
from typing import Any, Callable, Optional

from ...errors import CommandFailed, PerfBenchError
from ...model.phrases import plural
from ...model.worker import BEAT_SECONDS, ORDERS, REGISTRATIONS, REPLIES, secret_key, told_in
from ..rados_bench import Access, Clients
from .assignment import Assignment
from .proofs import ANSWER, ORDER, digest, proves, signed
from .rados_channel import NoRoom, PendingWrite, RadosChannel
from .untrusted import PROOFS, Call, Orders, read

# Interval of reading the orders while clients run: a notify can be lost.
_LOOK_SECONDS = 0.5
# Interval of renewing the registration without a run. It also tests whether RADOS answers.
REGISTRATION_SECONDS = 30.0
# Delay before connecting again after a failure of RADOS.
_AGAIN_SECONDS = 2.0
# Maximum wait for the final report when the worker ends.
_LEAVE_SECONDS = 3.0
_NAP = 0.02
# Maximum number of unanswered roll calls; the oldest are dropped.
_MOST_CALLS = 16

# Opens the channel; raises CommandFailed, for example before the pool exists.
Open = Callable[[], "contextlib.AbstractContextManager[RadosChannel]"]
Say = Callable[[str], None]


class WorkerAgent:
    """The agent of one worker process. ``registration`` has its id, host, version and instance."""

    def __init__(
        self, registration: Mapping[str, str], access: Access, open_: Open, say: Say
    ) -> None:
        self._registration = registration
        self._instance = registration["instance"]
        self._access = access
        self._open = open_
        self._say = say
        self._calls: deque[Call] = deque(maxlen=_MOST_CALLS)
        self._wake = threading.Event()
        self._leaving = threading.Event()
        # The current run. The IDs in _seen_runs are never accepted again.
        self._assignment: Optional[Assignment] = None
        self._queue: queue.SimpleQueue[tuple[Assignment, Orders]] = queue.SimpleQueue()
        self._seen_runs: set[str] = set()
        # Key of the proofs of orders and results; None if the monitors have none for this worker.
        self._secret: Optional[str] = None
        self._secret_reported = False
        self._offset: Optional[float] = None
        self._registered_at = -REGISTRATION_SECONDS
        self._beaten_at = 0.0
        # Pending writes: the run's results with their end offset, and the registration. The thread
        # does not wait for them: a slow cluster takes seconds to write, and only reading the
        # orders renews the lease.
        self._sending: Optional[tuple[PendingWrite, int]] = None
        self._renewing: Optional[PendingWrite] = None

    def serve(self) -> None:
        """Carry out runs until ``leave`` or an interrupt; then remove clients and registration.

        Raises CommandFailed if the RADOS thread has ended by an error, so that systemd restarts
        the service.
        """
        link = threading.Thread(target=self._talk, name="perf-bench-link", daemon=True)
        link.start()
        try:
            while not self._leaving.is_set():
                with contextlib.suppress(queue.Empty):
                    self._carry_out(*self._queue.get(timeout=_AGAIN_SECONDS))
                if not (link.is_alive() or self._leaving.is_set()):
                    raise CommandFailed(errno.EIO, "the thread that talks with RADOS has ended")
        finally:
            self.leave()
            link.join(_LEAVE_SECONDS)

    def leave(self) -> None:
        """End after the current run, if there is one."""
        self._leaving.set()
        self._wake.set()

    # --- the thread that runs clients ----------------------------------------------------------

    def _carry_out(self, assignment: Assignment, orders: Orders) -> None:
        try:
            order, numbers = assignment.order(orders)
            assignment.tell({"accepted": True})
            self._wake.set()
            late = self._await_begin(assignment)
            self._say(f"run {assignment.run}: {plural(len(numbers), 'client')} {order.operation}")
            assignment.tell({"started": late})
            Clients(order, numbers, self._access, assignment.tell, assignment.check).run()
        except PerfBenchError as error:
            self._say(f"run {assignment.run}: {error}")
            assignment.fail(error)
        finally:
            assignment.end()
            self._wake.set()

    def _await_begin(self, assignment: Assignment) -> float:
        """Wait for the agreed start; return how many seconds late this worker is."""
        while True:
            assignment.check()
            begin, now = assignment.begin, time.monotonic()
            if begin is not None and now >= begin:
                return now - begin
            time.sleep(_NAP)

    # --- the RADOS thread ----------------------------------------------------------------------

    def _talk(self) -> None:
        printed = ""
        while not self._leaving.is_set():
            try:
                with self._open() as channel:
                    self._say("ready")
                    printed = ""
                    self._attend(channel)
            except PerfBenchError as error:
                if str(error) != printed:  # once, not every two seconds of an outage
                    self._say(str(error))
                    printed = str(error)
                self._leaving.wait(_AGAIN_SECONDS)

    def _attend(self, channel: RadosChannel) -> None:
        self._registered_at = -REGISTRATION_SECONDS
        self._sending = self._renewing = None
        self._find_secret(channel)
        channel.watch(ORDERS, self._notified)
        while not (self._leaving.is_set() or channel.watch_lost):
            self._tick(channel)
            self._wake.wait(REGISTRATION_SECONDS if self._assignment is None else _LOOK_SECONDS)
            self._wake.clear()
        if self._leaving.is_set():
            if self._assignment is not None:
                self._report(channel, self._assignment, wait=True)
            channel.forget(REGISTRATIONS, self._instance)

    def _notified(self, values: Mapping[str, Any]) -> None:
        """Handle a notification. Runs on a thread of librados and must not block."""
        call, assignment = read(Call, values), self._assignment
        if call is None:
            return
        if assignment is not None and call.end == assignment.run:
            assignment.stop("the mgr ended it")
        if call.call is not None:
            self._calls.append(call)
        self._wake.set()

    def _tick(self, channel: RadosChannel) -> None:
        while self._calls:
            self._answer(channel, self._calls.popleft())
        found = self._read_orders(channel)
        if self._assignment is not None:
            self._assignment.see(found)
            self._report(channel, self._assignment)
        if self._assignment is None:
            self._take(found)
        self._renew_registration(channel)

    def _read_orders(self, channel: RadosChannel) -> Optional[Orders]:
        """Return the current orders if the mgr signed them for this process, else None."""
        written = channel.read(ORDERS)
        if written is None or self._secret is None:
            return None
        values = {key: value for key, value in written.items() if key != PROOFS}
        found, proofs = read(Orders, values), written.get(PROOFS)
        given = proofs.get(self._instance) if isinstance(proofs, dict) else None
        good = proves(given, self._secret, ORDER, self._instance, digest(values))
        return found if good else None

    def _find_secret(self, channel: RadosChannel) -> None:
        """Read the secret again, which may be new or replaced; never during a run."""
        if self._assignment is None:
            self._secret = channel.secret(self._registration["id"])
            if self._secret is None and not self._secret_reported:
                key = secret_key(self._registration["id"])
                self._say(f"no orders are taken: there is no secret at {key} that we may read")
            self._secret_reported = self._secret is None

    def _renew_registration(self, channel: RadosChannel) -> None:
        if self._renewing is not None and self._renewing.over:
            renewing, self._renewing = self._renewing, None
            renewing.end()
        now = time.monotonic()
        if self._renewing is None and now - self._registered_at >= REGISTRATION_SECONDS:
            seen = {**self._registration, "seen": time.time(), "offset": self._offset}
            self._renewing = channel.begin_note(REGISTRATIONS, self._instance, seen)
            self._registered_at = now
            self._find_secret(channel)

    def _answer(self, channel: RadosChannel, asked: Call) -> None:
        if asked.at is not None:
            self._offset = time.time() - asked.at
        busy = self._assignment is not None
        reply = {**self._registration, "answer": asked.call, "busy": busy, "clock": time.time()}
        channel.notify(REPLIES, signed(self._secret, reply, ANSWER) if self._secret else reply)

    def _take(self, found: Optional[Orders]) -> None:
        """Accept the run of these orders if it is for this worker and new."""
        if found is None or found.phase == "end" or self._instance not in found.workers:
            return
        if found.run in self._seen_runs or self._secret is None:
            return
        assignment = Assignment(found, self._instance, self._secret)
        self._seen_runs.add(assignment.run)
        self._assignment = assignment
        self._queue.put((assignment, found))

    def _report(self, channel: RadosChannel, assignment: Assignment, wait: bool = False) -> None:
        """Write new results once the write before has ended. ``wait`` waits for both writes."""
        now = time.monotonic()
        if not assignment.ended and now - self._beaten_at >= BEAT_SECONDS:
            assignment.tell({"beat": True})
            self._beaten_at = now
        ended = assignment.ended  # read before the unsent bytes, to which the end is added
        if not self._sent(channel, assignment, wait):
            return
        offset, data = assignment.unsent()
        if data and not assignment.past:
            write = channel.begin_write_at(told_in(assignment.run, self._instance), data, offset)
            self._sending = write, offset + len(data)
            if wait:
                self._sent(channel, assignment, wait)
        elif ended:
            self._assignment = None

    def _sent(self, channel: RadosChannel, assignment: Assignment, wait: bool) -> bool:
        """True if no write is pending."""
        if self._sending is None:
            return True
        write, end = self._sending
        if not (wait or write.over):
            return False
        self._sending = None
        try:
            write.end()
        except NoRoom as full:
            self._end_without_room(channel, assignment, full)
            return False
        assignment.sent(end)
        return True

    def _end_without_room(
        self, channel: RadosChannel, assignment: Assignment, full: NoRoom
    ) -> None:
        """Stop the run when the pool is full: writes of its clients would block for ever."""
        assignment.stop(str(full))
        ended = assignment.ended
        channel.write(told_in(assignment.run, self._instance), assignment.final_status(full))
        if ended:
            self._assignment = None
