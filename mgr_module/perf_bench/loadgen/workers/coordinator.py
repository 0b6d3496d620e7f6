"""The mgr's side of a run on workers: gathers them, starts them together, hears them, ends them."""

from __future__ import annotations

import errno
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Callable, Optional

from ...errors import CommandFailed, PerfBenchError
from ...model.rados import LoadOrder
from ...model.worker import BEAT_SECONDS, LEASE_SECONDS, ORDERS, Worker, WorkerState, told_in
from ..rados_bench import Tell
from .assignment import GO
from .discovery import Discovery
from .proofs import ORDER, digest, proof
from .rados_channel import PendingWrite, RadosChannel
from .untrusted import PROOFS, Board, read
from .worker_log import WorkerLog

# A worker that is there takes an order within moments.
_ACCEPT_SECONDS = 5.0
# From the word to the start: all have read it by then.
_AHEAD_SECONDS = 1.5
_LOOK_SECONDS = 0.25
# Those who are there have ended their clients by then.
_END_SECONDS = 1.5


class Coordinator:
    """Leads one run. ``check`` raises CommandFailed when the mgr no longer wants it."""

    def __init__(self, place: RadosChannel, tell: Tell, check: Callable[[], None]) -> None:
        self._place = place
        self._tell = tell
        self._check = check
        self._run = uuid.uuid4().hex[:12]
        self._beat = 0
        # When the board was shown last, and that if it is under way.
        self._beaten_at = 0.0
        self._showing: Optional[PendingWrite] = None
        self._ears: list[WorkerLog] = []
        self._board: Mapping[str, Any] = {}

    def lead(self, order: LoadOrder) -> None:
        """Carry out an order on its workers. Raises CommandFailed.

        When it returns or raises no worker that is there has clients any more, and what is not
        there has lost its lease.
        """
        # A load that is searched may have fewer clients than there are workers.
        discovery = Discovery(self._place)
        found = chosen(discovery.call(), order.workers[: order.clients])
        shares = [tuple(range(n, order.clients, len(found))) for n in range(len(found))]
        self._ears = [
            WorkerLog(self._run, one, share, order.seconds, discovery.secrets[one.id])
            for one, share in zip(found, shares)
        ]
        self._board = {
            "run": self._run,
            "phase": "gather",
            "workers": {ear.worker.instance: list(ear.numbers) for ear in self._ears},
            "load": asdict(order),
        }
        try:
            self._prepare()
            self._gather()
            self._go()
            self._follow()
        finally:
            self._dismiss()
        for said in sorted((s for ear in self._ears for s in ear.told()), key=_client):
            self._tell(said)

    def _prepare(self) -> None:
        """Take away what was told of the run before, for there is never more than one at a time.

        Where workers tell is made for them: in a full pool they could not make it.
        """
        before = read(Board, self._place.read(ORDERS))
        if before is not None:
            for instance in before.workers:
                self._place.remove(told_in(before.run, instance))
        for ear in self._ears:
            self._place.write(ear.name, {})

    def _gather(self) -> None:
        self._show()
        self._place.notify(ORDERS, {"look": self._run})
        until = time.monotonic() + _ACCEPT_SECONDS
        while not all(ear.accepted for ear in self._ears):
            self._hear()
            if time.monotonic() > until:
                late = ", ".join(ear.worker.id for ear in self._ears if not ear.accepted)
                raise CommandFailed(
                    errno.ETIMEDOUT,
                    f"worker {late} is late: it did not take the order within "
                    f"{_ACCEPT_SECONDS:.0f} s",
                )
            time.sleep(_LOOK_SECONDS)

    def _go(self) -> None:
        """Agree on the start, told to each by its own clock."""
        start = time.time() + _AHEAD_SECONDS
        starts = {
            ear.worker.instance: start + (ear.worker.clock_offset or 0.0) for ear in self._ears
        }
        self._board = {**self._board, "phase": GO, "start_at": starts}
        self._show()
        self._place.notify(ORDERS, {"look": self._run})

    def _follow(self) -> None:
        while not all(ear.ended for ear in self._ears):
            time.sleep(_LOOK_SECONDS)
            self._hear()

    def _hear(self) -> None:
        """Hear all, and show that we are there. Raises CommandFailed when it cannot go on."""
        self._check()
        self._beat_on()
        for said in self._listen():
            self._tell(said)
        self._beat_on()
        self._ask_silent()
        for ear in self._ears:
            if ear.failure is not None:
                raise ear.failure
            if ear.ended and len(ear.runs) < len(ear.numbers):
                raise CommandFailed(
                    errno.ECONNABORTED,
                    f"worker {ear.worker.id} on {ear.worker.host} was ended before its clients",
                )
            silent = time.monotonic() - ear.heard_at
            if silent > LEASE_SECONDS and not ear.ended:
                raise CommandFailed(
                    errno.EHOSTDOWN,
                    f"worker {ear.worker.id} on {ear.worker.host} was lost: nothing was heard of "
                    f"it for {silent:.0f} s",
                )

    def _listen(self) -> list[dict[str, Any]]:
        """What all have told since; rows of clients, all else is kept."""
        told = self._place.read_from([ear.wanted for ear in self._ears])
        return [said for ear, data in zip(self._ears, told) for said in ear.take(data)]

    def _ask_silent(self) -> None:
        """What those say who may have no room for lines; on a slow cluster one at a time."""
        until = time.monotonic() + _LOOK_SECONDS
        silent = (ear for ear in self._ears if ear.silent and not ear.ended)
        for ear in sorted(silent, key=lambda one: one.asked_at):
            ear.take_last_words(self._place)
            if time.monotonic() > until:
                break

    def _beat_on(self) -> None:
        """Show a new beat when it is time, without waiting: the workers' leases hang on it."""
        due = time.monotonic() - self._beaten_at >= BEAT_SECONDS
        if due and (self._showing is None or self._showing.over):
            self._end_showing()
            self._begin_showing()

    def _show(self) -> None:
        """Show the board as it is, and wait until all can see it."""
        self._end_showing()
        self._begin_showing()
        self._end_showing()

    def _begin_showing(self) -> None:
        self._beat += 1
        self._beaten_at = time.monotonic()
        orders = {**self._board, "beat": self._beat}
        of_all = digest(orders)
        proofs = {
            ear.worker.instance: proof(ear.secret, ORDER, ear.worker.instance, of_all)
            for ear in self._ears
        }
        self._showing = self._place.begin_write(ORDERS, {**orders, PROOFS: proofs})

    def _end_showing(self) -> None:
        showing, self._showing = self._showing, None
        if showing is not None:
            showing.end()

    def _dismiss(self) -> None:
        """End all clients; one that does not say so has none when its lease has run out."""
        self._place.notify(ORDERS, {"end": self._run})
        try:
            self._board = {**self._board, "phase": "end"}
            self._show()
            until = self._beaten_at + LEASE_SECONDS + _END_SECONDS
            while time.monotonic() < until and not all(ear.ended for ear in self._ears):
                self._listen()
                self._ask_silent()
                time.sleep(_LOOK_SECONDS)
        except PerfBenchError:  # RADOS fails: there are the leases
            time.sleep(max(0.0, self._beaten_at + LEASE_SECONDS - time.monotonic()))
        for ear in self._ears:
            self._place.remove(ear.name)


def chosen(found: Sequence[Worker], names: Sequence[str]) -> list[Worker]:
    """The workers of those names. Raises CommandFailed with the reason where one is of no use."""
    workers = []
    for name in names:
        there = [one for one in found if one.id == name]
        good = [one for one in there if one.state in (WorkerState.READY, WorkerState.BUSY)]
        if not good:
            why = there[0].note if there else "there is none of that name"
            state = f" is {there[0].state.value}" if there else ""
            raise CommandFailed(errno.EHOSTDOWN, f"worker {name}{state}: {why}")
        workers += good
    return workers


def _client(said: Mapping[str, Any]) -> int:
    return int(said["client"])
