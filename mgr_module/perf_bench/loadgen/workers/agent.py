"""The worker: waits for runs, and carries each out on this host.

Two threads: the main one starts and watches the clients, which end with it; another one talks with
RADOS, which may take as long as it likes. What holds the clients to the mgr's life is a lease by
the monotonic clock: it needs neither RADOS nor the other thread to run out.
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
from .untrusted import PROOFS, Board, Call, read

# While clients run the board is looked at this often, whatever notify does.
_LOOK_SECONDS = 0.5
# Without a run: how often the card is renewed, which shows too whether RADOS is still there.
CARD_SECONDS = 30.0
# After a failure of RADOS.
_AGAIN_SECONDS = 2.0
# For the last words, where RADOS takes them.
_LEAVE_SECONDS = 3.0
_NAP = 0.02
# Roll calls that wait for an answer; of more the newest count.
_MOST_CALLS = 16

# Opens the place; raises CommandFailed, as when the pool is not made yet.
Open = Callable[[], "contextlib.AbstractContextManager[RadosChannel]"]
Say = Callable[[str], None]


class WorkerAgent:
    """One process's. ``card`` is who it is: id, host, version, instance."""

    def __init__(self, card: Mapping[str, str], access: Access, open_: Open, say: Say) -> None:
        self._card = card
        self._instance = card["instance"]
        self._access = access
        self._open = open_
        self._say = say
        self._calls: deque[Call] = deque(maxlen=_MOST_CALLS)
        self._stir = threading.Event()
        self._leaving = threading.Event()
        # The newest run and its board; a run that was taken once is never taken again.
        self._shift: Optional[Assignment] = None
        self._orders: queue.SimpleQueue[tuple[Assignment, Board]] = queue.SimpleQueue()
        self._had: set[str] = set()
        # What proves orders to be the mgr's and results to be ours; None where there is none.
        self._secret: Optional[str] = None
        self._told_secret = False
        self._offset: Optional[float] = None
        self._carded_at = -CARD_SECONDS
        self._beaten_at = 0.0
        # What is under way: what is told of the run, up to which byte, and the card. Neither is
        # waited for: the lease is renewed by reading, and a slow cluster takes seconds to write.
        self._sending: Optional[tuple[PendingWrite, int]] = None
        self._renewing: Optional[PendingWrite] = None

    def serve(self) -> None:
        """Until it leaves or is interrupted: its clients are gone then, and so is its card.

        Raises CommandFailed where the thread that talks with RADOS has ended by a fault, so that
        the service is started anew.
        """
        link = threading.Thread(target=self._talk, name="perf-bench-link", daemon=True)
        link.start()
        try:
            while not self._leaving.is_set():
                with contextlib.suppress(queue.Empty):
                    self._carry_out(*self._orders.get(timeout=_AGAIN_SECONDS))
                if not (link.is_alive() or self._leaving.is_set()):
                    raise CommandFailed(errno.EIO, "the thread that talks with RADOS has ended")
        finally:
            self.leave()
            link.join(_LEAVE_SECONDS)

    def leave(self) -> None:
        """End after the run that is now, if there is one."""
        self._leaving.set()
        self._stir.set()

    # --- the thread that runs clients ----------------------------------------------------------

    def _carry_out(self, shift: Assignment, orders: Board) -> None:
        try:
            order, numbers = shift.order(orders)
            shift.tell({"accepted": True})
            self._stir.set()
            late = self._await_begin(shift)
            self._say(f"run {shift.run}: {plural(len(numbers), 'client')} {order.operation}")
            shift.tell({"started": late})
            Clients(order, numbers, self._access, shift.tell, shift.check).run()
        except PerfBenchError as error:
            self._say(f"run {shift.run}: {error}")
            shift.fail(error)
        finally:
            shift.end()
            self._stir.set()

    def _await_begin(self, shift: Assignment) -> float:
        """Wait for the agreed moment; how many seconds late it is then."""
        while True:
            shift.check()
            begin, now = shift.begin, time.monotonic()
            if begin is not None and now >= begin:
                return now - begin
            time.sleep(_NAP)

    # --- the thread that talks with RADOS ------------------------------------------------------

    def _talk(self) -> None:
        said = ""
        while not self._leaving.is_set():
            try:
                with self._open() as place:
                    self._say("ready")
                    said = ""
                    self._attend(place)
            except PerfBenchError as error:
                if str(error) != said:  # once, not every two seconds through an outage
                    self._say(str(error))
                    said = str(error)
                self._leaving.wait(_AGAIN_SECONDS)

    def _attend(self, place: RadosChannel) -> None:
        self._carded_at = -CARD_SECONDS
        self._sending = self._renewing = None
        self._find_secret(place)
        place.watch(ORDERS, self._heard)
        while not (self._leaving.is_set() or place.watch_lost):
            self._tick(place)
            self._stir.wait(CARD_SECONDS if self._shift is None else _LOOK_SECONDS)
            self._stir.clear()
        if self._leaving.is_set():
            if self._shift is not None:
                self._report(place, self._shift, wait=True)
            place.forget(REGISTRATIONS, self._instance)

    def _heard(self, said: Mapping[str, Any]) -> None:
        """On a thread of librados, which must not be held up."""
        heard, shift = read(Call, said), self._shift
        if heard is None:
            return
        if shift is not None and heard.end == shift.run:
            shift.stop("the mgr ended it")
        if heard.call is not None:
            self._calls.append(heard)
        self._stir.set()

    def _tick(self, place: RadosChannel) -> None:
        while self._calls:
            self._answer(place, self._calls.popleft())
        found = self._orders_for_us(place)
        if self._shift is not None:
            self._shift.see(found)
            self._report(place, self._shift)
        if self._shift is None:
            self._take(found)
        self._renew_card(place)

    def _orders_for_us(self, place: RadosChannel) -> Optional[Board]:
        """What is on the board, if the mgr wrote it for this very process."""
        written = place.read(ORDERS)
        if written is None or self._secret is None:
            return None
        values = {key: value for key, value in written.items() if key != PROOFS}
        found, proofs = read(Board, values), written.get(PROOFS)
        given = proofs.get(self._instance) if isinstance(proofs, dict) else None
        good = proves(given, self._secret, ORDER, self._instance, digest(values))
        return found if good else None

    def _find_secret(self, place: RadosChannel) -> None:
        """Read it, also once it is there or another one; never in the midst of a run."""
        if self._shift is None:
            self._secret = place.secret(self._card["id"])
            if self._secret is None and not self._told_secret:
                key = secret_key(self._card["id"])
                self._say(f"no orders are taken: there is no secret at {key} that we may read")
            self._told_secret = self._secret is None

    def _renew_card(self, place: RadosChannel) -> None:
        if self._renewing is not None and self._renewing.over:
            renewing, self._renewing = self._renewing, None
            renewing.end()
        now = time.monotonic()
        if self._renewing is None and now - self._carded_at >= CARD_SECONDS:
            seen = {**self._card, "seen": time.time(), "offset": self._offset}
            self._renewing = place.begin_note(REGISTRATIONS, self._instance, seen)
            self._carded_at = now
            self._find_secret(place)

    def _answer(self, place: RadosChannel, asked: Call) -> None:
        if asked.at is not None:
            self._offset = time.time() - asked.at
        busy = self._shift is not None
        said = {**self._card, "answer": asked.call, "busy": busy, "clock": time.time()}
        place.notify(REPLIES, signed(self._secret, said, ANSWER) if self._secret else said)

    def _take(self, found: Optional[Board]) -> None:
        """Take up the run on the board if it is one for us that we have not had."""
        if found is None or found.phase == "end" or self._instance not in found.workers:
            return
        if found.run in self._had or self._secret is None:
            return
        shift = Assignment(found, self._instance, self._secret)
        self._had.add(shift.run)
        self._shift = shift
        self._orders.put((shift, found))

    def _report(self, place: RadosChannel, shift: Assignment, wait: bool = False) -> None:
        """Tell what is new, once what was told before is there."""
        now = time.monotonic()
        if not shift.ended and now - self._beaten_at >= BEAT_SECONDS:
            shift.tell({"beat": True})
            self._beaten_at = now
        ended = shift.ended  # before what is unsent is looked at
        if not self._sent(place, shift, wait):
            return
        offset, data = shift.unsent()
        if data and not shift.past:
            flight = place.begin_write_at(told_in(shift.run, self._instance), data, offset)
            self._sending = flight, offset + len(data)
            if wait:
                self._sent(place, shift, wait)
        elif ended:
            self._shift = None

    def _sent(self, place: RadosChannel, shift: Assignment, wait: bool) -> bool:
        """True if no write is pending."""
        if self._sending is None:
            return True
        flight, end = self._sending
        if not (wait or flight.over):
            return False
        self._sending = None
        try:
            flight.end()
        except NoRoom as full:
            self._end_without_room(place, shift, full)
            return False
        shift.sent(end)
        return True

    def _end_without_room(self, place: RadosChannel, shift: Assignment, full: NoRoom) -> None:
        """Its clients would wait for ever."""
        shift.stop(str(full))
        ended = shift.ended
        place.write(told_in(shift.run, self._instance), shift.last_words(full))
        if ended:
            self._shift = None
