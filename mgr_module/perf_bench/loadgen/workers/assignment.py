"""One run on the worker's side: its orders, its lease, and the results it has reported."""

from __future__ import annotations

import errno
import json
import threading
import time
from collections.abc import Mapping
from typing import Any, Optional

from ...errors import CommandFailed, PerfBenchError
from ...model import unmeasured
from ...model.json_fields import LONGEST_TEXT
from ...model.printable import one_line
from ...model.rados import LoadOrder
from ...model.worker import LEASE_SECONDS, checked_numbers, checked_order
from .proofs import LINE, STATUS, signed, signed_line
from .untrusted import Orders

GO = "go"


class Assignment:
    """One accepted run. Used by the thread of the clients and by the RADOS thread."""

    def __init__(self, orders: Orders, instance: str, secret: str) -> None:
        self.run = orders.run
        self._secret = secret
        self._lines = 0
        self._instance = instance
        self._lock = threading.Lock()
        self._beat = -1
        self._lease_until = 0.0
        self._begin: Optional[float] = None
        self._over = ""
        # All reported lines, and how many bytes of them are in RADOS.
        self._report = bytearray()
        self._sent = 0
        self.ended = False
        # True if the orders are of another run: nobody reads the results of this one any more.
        self.past = False
        self.see(orders)

    def see(self, orders: Optional[Orders]) -> None:
        """Apply the current orders; None if there are none.

        Only a newer beat renews the lease, and none one that has expired: the mgr counts on its
        end, and a beat whose write timed out there may be carried out late.
        """
        self.past = orders is None or orders.run != self.run
        if orders is None or self.past or orders.phase == "end":
            self.stop("the mgr ended it")
            return
        with self._lock:
            expired = self._beat >= 0 and time.monotonic() > self._lease_until
            if orders.beat > self._beat and not expired:
                self._beat = orders.beat
                self._lease_until = time.monotonic() + LEASE_SECONDS
            start = (orders.start_at or {}).get(self._instance)
            if orders.phase == GO and start is not None and self._begin is None:
                self._agree(start - time.time())

    def _agree(self, away: float) -> None:
        """Set the start to ``away`` seconds from now, by the monotonic clock from here on."""
        self._begin = time.monotonic() + away
        if abs(away) > LEASE_SECONDS:
            self._over = f"the agreed start is {away:.0f} s away: a clock was set meanwhile"

    def stop(self, why: str) -> None:
        with self._lock:
            self._over = self._over or why

    def order(self, orders: Orders) -> tuple[LoadOrder, tuple[int, ...]]:
        """Return the checked load and the numbers of this worker's clients. Raises InvalidValue."""
        order = checked_order(orders.load)
        return order, checked_numbers(orders.workers.get(self._instance), order)

    def check(self) -> None:
        """Raise CommandFailed if the run was stopped or the lease has expired."""
        with self._lock:
            if self._over:
                raise CommandFailed(errno.ECANCELED, self._over)
            if time.monotonic() > self._lease_until:
                raise CommandFailed(errno.ETIMEDOUT, unmeasured.mgr_silent(LEASE_SECONDS))

    @property
    def begin(self) -> Optional[float]:
        """Start of the clients by the monotonic clock; None until it is agreed."""
        with self._lock:
            return self._begin

    def tell(self, values: Mapping[str, Any]) -> None:
        """Add a line to the report, signed with its line number."""
        with self._lock:
            about = (LINE, self.run, self._instance, self._lines)
            self._report += signed_line(self._secret, json.dumps(values), *about).encode() + b"\n"
            self._lines += 1

    def fail(self, error: PerfBenchError) -> None:
        self.tell({"errno": error.errno, "error": _sentence(error)})

    def end(self) -> None:
        """Report as the last line that all clients have ended."""
        self.tell({"ended": True})
        self.ended = True

    def unsent(self) -> tuple[int, bytes]:
        """Return the part of the report that is not in RADOS yet: its offset and its bytes."""
        with self._lock:
            return self._sent, bytes(self._report[self._sent :])

    def sent(self, end: int) -> None:
        self._sent = end

    def final_status(self, why: CommandFailed) -> Mapping[str, Any]:
        """Return the signed short status that replaces the report when the pool is full."""
        ended = {"ended": True} if self.ended else {}
        status = {"errno": why.errno, "error": _sentence(why), **ended}
        return signed(self._secret, status, STATUS, self.run, self._instance)


def _sentence(error: PerfBenchError) -> str:
    """Return the error as one line of bounded length, as the coordinator accepts it."""
    return one_line(str(error))[:LONGEST_TEXT]
