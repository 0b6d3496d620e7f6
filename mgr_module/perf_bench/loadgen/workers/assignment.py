"""One run as a worker sees it: what it is to do, until when it may, and what it has told."""

from __future__ import annotations

import errno
import json
import threading
import time
from collections.abc import Mapping
from typing import Any, Optional

from ...errors import CommandFailed, PerfBenchError
from ...model.json_fields import LONGEST_TEXT
from ...model.printable import one_line
from ...model.rados import LoadOrder
from ...model.worker import LEASE_SECONDS, checked_numbers, checked_order
from .proofs import LINE, STATUS, signed, signed_line
from .untrusted import Board

GO = "go"


class Assignment:
    """Made from the board; used by the thread that runs clients and the one that knows RADOS."""

    def __init__(self, board: Board, instance: str, secret: str) -> None:
        self.run = board.run
        self._secret = secret
        self._lines = 0
        self._instance = instance
        self._lock = threading.Lock()
        self._beat = -1
        self._lease_until = 0.0
        self._begin: Optional[float] = None
        self._over = ""
        # Told, line by line, and how many bytes of it are in RADOS.
        self._told = bytearray()
        self._sent = 0
        self.ended = False
        # Another run is on: nobody takes away what is told of this one.
        self.past = False
        self.see(board)

    def see(self, board: Optional[Board]) -> None:
        """Take in what stands on the board now; None where there is none.

        A beat that is not newer renews no lease.
        """
        self.past = board is None or board.run != self.run
        if board is None or self.past or board.phase == "end":
            self.stop("the mgr ended it")
            return
        with self._lock:
            if board.beat > self._beat:
                self._beat = board.beat
                self._lease_until = time.monotonic() + LEASE_SECONDS
            start = (board.start_at or {}).get(self._instance)
            if board.phase == GO and start is not None and self._begin is None:
                self._agree(start - time.time())

    def _agree(self, away: float) -> None:
        """Start in so many seconds; what the clock does from here on no longer matters."""
        self._begin = time.monotonic() + away
        if abs(away) > LEASE_SECONDS:
            self._over = f"the agreed start is {away:.0f} s away: a clock was set meanwhile"

    def stop(self, why: str) -> None:
        with self._lock:
            self._over = self._over or why

    def order(self, board: Board) -> tuple[LoadOrder, tuple[int, ...]]:
        """The order, and which of its clients are ours. Raises InvalidValue for any other."""
        order = checked_order(board.load)
        return order, checked_numbers(board.workers.get(self._instance), order)

    def check(self) -> None:
        """Raise CommandFailed when its clients may not go on."""
        with self._lock:
            if self._over:
                raise CommandFailed(errno.ECANCELED, self._over)
            if time.monotonic() > self._lease_until:
                raise CommandFailed(
                    errno.ETIMEDOUT, f"nothing was heard of the mgr for {LEASE_SECONDS:.0f} s"
                )

    @property
    def begin(self) -> Optional[float]:
        """When its clients start, by the monotonic clock; None until that is agreed."""
        with self._lock:
            return self._begin

    def tell(self, values: Mapping[str, Any]) -> None:
        """Add a line for the mgr's side, with a proof that it is the next one of ours."""
        with self._lock:
            about = (LINE, self.run, self._instance, self._lines)
            self._told += signed_line(self._secret, json.dumps(values), *about).encode() + b"\n"
            self._lines += 1

    def fail(self, error: PerfBenchError) -> None:
        self.tell({"errno": error.errno, "error": _sentence(error)})

    def end(self) -> None:
        """All of its clients are gone: the last line."""
        self.tell({"ended": True})
        self.ended = True

    def unsent(self) -> tuple[int, bytes]:
        """From which byte on what was told is not in RADOS yet, and what that is."""
        with self._lock:
            return self._sent, bytes(self._told[self._sent :])

    def sent(self, end: int) -> None:
        self._sent = end

    def last_words(self, why: CommandFailed) -> Mapping[str, Any]:
        """What is told in short where lines find no room any more."""
        ended = {"ended": True} if self.ended else {}
        status = {"errno": why.errno, "error": _sentence(why), **ended}
        return signed(self._secret, status, STATUS, self.run, self._instance)


def _sentence(error: PerfBenchError) -> str:
    """An error as the mgr's side takes it."""
    return one_line(str(error))[:LONGEST_TEXT]
