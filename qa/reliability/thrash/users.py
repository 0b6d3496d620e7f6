"""Those who use a cluster while it is thrashed, each on a thread of its own.

What they are refused, or not answered, while something is broken is no fault. What is wrong is an
answer that cannot be right, and an internal error.
"""

from __future__ import annotations

import itertools
import subprocess
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from http.client import HTTPException
from typing import Any

from browser.rest import Rest
from cluster.errors import ClusterError
from scenarios.operator import Away, Operator

from ..crash.part import figures

_EVERY = 0.2
_PATHS = ("/status", "/osd", "/round", "/finding", "/schedule", "/host", "/quiesce")
# Gone, about to be, or busy.
_STATUSES = (200, 401, 409, 503, 504)
_ROUNDS = (
    ("osd-throughput", "--osds", "0,1,2", "--repeats", "1"),
    ("osd-iops", "--repeats", "1"),
    ("rados-write", "--threads", "4", "--size", "64K", "--repeats", "1", "--seconds", "3"),
    ("rados-rand", "--threads", "4", "--size", "64K", "--repeats", "1", "--seconds", "3"),
)


class Users:
    """Starts rounds, exports them, and asks the dashboard, until they are told to stop."""

    def __init__(self, operator: Operator, url: Callable[[], str], password: str) -> None:
        self._operator = operator
        self._url = url
        self._password = password
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._repeat, args=(work,))
            for work in (self._starts, self._exports, self._asks)
        ]
        self._turns = itertools.cycle(_ROUNDS)
        self._paths = itertools.cycle(_PATHS)
        self._rest = Rest("")
        # By ID the figures that were shown last.
        self.shown: dict[int, list[Any]] = {}
        self.done: Counter[str] = Counter()
        self.faults: list[str] = []

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _repeat(self, work: Callable[[], None]) -> None:
        while not self._stop.wait(_EVERY):
            try:
                work()
            except (Away, ClusterError, OSError, HTTPException, subprocess.TimeoutExpired):
                continue  # something is broken, which is the point
            except Exception as error:  # noqa: BLE001 - told at the end
                self.faults.append(f"{work.__name__}: {type(error).__name__}: {error}"[:500])

    def _starts(self) -> None:
        words = next(self._turns)
        reply = self._operator.types("round", "start", *words, "--label", "thrash")
        self.done["rounds" if reply.code == 0 else "starts refused"] += 1
        self._stop.wait(2.0)

    def _exports(self) -> None:
        lines = self._operator.asks_once("round", "ls", "--limit", "2")
        for line in lines:
            shown = self._operator.asks_once("round", "show", str(line["id"]))
            self._note(line["id"], figures(shown))
        self.done["exports"] += len(lines)
        self._stop.wait(1.0)

    def _note(self, number: int, found: Sequence[Any]) -> None:
        gone = lost(self.shown.get(number, ()), found)
        if gone:
            self.faults.append(f"round {number} has lost {gone[0]}")
        self.shown[number] = list(found)

    def _asks(self) -> None:
        if not self._rest.token:
            try:
                self._rest = Rest(self._url()).log_in("admin", self._password)
            except (AssertionError, ValueError):  # a mgr that is just starting
                return
        path = next(self._paths)
        try:
            reply = self._rest.get(path)
        except (OSError, ValueError, HTTPException):
            self._rest = Rest("")  # another mgr has another address
            raise
        self.done["requests"] += 1
        if reply.status not in _STATUSES:
            self.faults.append(f"GET {path}: status {reply.status}: {reply.body[:200]!r}")
        if reply.status == 401:
            self._rest = Rest("")
        if reply.status == 200 and not isinstance(reply.json, (list, dict)):
            self.faults.append(f"GET {path}: {reply.body[:200]!r}")


def lost(before: Sequence[Any], now: Sequence[Any]) -> list[Any]:
    """The figures that are not there any more."""
    return [one for one in before if one not in now]
