"""The mgr's side of a run on workers: gathers them, starts them together, hears them, ends them."""

from __future__ import annotations

import errno
import json
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Callable, Optional

from ..clients.processes import Tell
from ..errors import CommandFailed, PerfBenchError
from ..model.rados import LoadOrder, WorkerPart
from ..model.worker import (
    BEAT_SECONDS,
    BOARD,
    LEASE_SECONDS,
    Worker,
    WorkerState,
    told_in,
)
from .place import Place
from .roll import Roll
from .shift import GO

# A worker that is there takes an order within moments.
_ACCEPT_SECONDS = 5.0
# From the word to the start: all have read it by then.
_AHEAD_SECONDS = 1.5
_LOOK_SECONDS = 0.25
# A worker tells something every second; who is silent for longer may have no room to.
_SILENT_SECONDS = 2.0 * BEAT_SECONDS
# Those who are there have ended their clients by then.
_END_SECONDS = 1.5


class Ear:
    """What one worker has told of a run so far."""

    def __init__(self, run: str, worker: Worker, numbers: Sequence[int]) -> None:
        self.worker = worker
        self.numbers = numbers
        self.name = told_in(run, worker.instance)
        self.heard_at = time.monotonic()
        self.accepted = False
        self.late: Optional[float] = None
        self.runs: dict[int, dict[str, Any]] = {}
        self.failure: Optional[CommandFailed] = None
        self.ended = False
        self._offset = 0
        self._part = b""

    @property
    def wanted(self) -> tuple[str, int]:
        """Where, and from which byte on, it may have told more."""
        return self.name, self._offset

    def take(self, data: bytes, place: Place) -> list[dict[str, Any]]:
        """What is new; rows of clients are returned, all else is kept here."""
        if data:
            self.heard_at = time.monotonic()
        elif time.monotonic() - self.heard_at > _SILENT_SECONDS:
            self._keep(place.read(self.name) or {})
        self._offset += len(data)
        *lines, self._part = (self._part + data).split(b"\n")
        return [said for said in map(json.loads, lines) if not self._keep(said)]

    def _keep(self, said: Mapping[str, Any]) -> bool:
        if "row" in said:
            return False
        if "run" in said:
            self.runs[said["client"]] = said["run"]
        elif "error" in said:
            self.failure = CommandFailed(said["errno"], f"worker {self.worker.id}: {said['error']}")
        self.accepted = self.accepted or "accepted" in said
        self.late = said.get("started", self.late)
        self.ended = self.ended or "ended" in said
        return True

    def told(self) -> list[dict[str, Any]]:
        """Its clients' runs, by our clock."""
        offset = self.worker.clock_offset or 0.0
        part = WorkerPart(
            self.worker.id,
            self.worker.host,
            offset,
            self.worker.clock_error or 0.0,
            self.late or 0.0,
        )
        return [
            {
                "client": number,
                "run": {**run, "started_at": run["started_at"] - offset, "worker": asdict(part)},
            }
            for number, run in self.runs.items()
        ]


class Foreman:
    """Leads one run. ``check`` raises CommandFailed when the mgr no longer wants it."""

    def __init__(self, place: Place, tell: Tell, check: Callable[[], None]) -> None:
        self._place = place
        self._tell = tell
        self._check = check
        self._run = uuid.uuid4().hex[:12]
        self._beat = 0
        self._beaten_at = 0.0
        self._ears: list[Ear] = []
        self._board: Mapping[str, Any] = {}

    def lead(self, order: LoadOrder) -> None:
        """Carry out an order on its workers. Raises CommandFailed.

        When it returns or raises no worker that is there has clients any more, and what is not
        there has lost its lease.
        """
        # A load that is searched may have fewer clients than there are workers.
        found = chosen(Roll(self._place).call(), order.workers[: order.clients])
        shares = [tuple(range(n, order.clients, len(found))) for n in range(len(found))]
        self._ears = [Ear(self._run, one, share) for one, share in zip(found, shares)]
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
        before = self._place.read(BOARD) or {}
        there = before.get("workers")
        for instance in there if isinstance(there, dict) else ():
            self._place.remove(told_in(str(before.get("run")), instance))
        for ear in self._ears:
            self._place.write(ear.name, {})

    def _gather(self) -> None:
        self._show()
        self._place.notify(BOARD, {"look": self._run})
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
        self._place.notify(BOARD, {"look": self._run})

    def _follow(self) -> None:
        while not all(ear.ended for ear in self._ears):
            time.sleep(_LOOK_SECONDS)
            self._hear()

    def _hear(self) -> None:
        """Hear all, and show that we are there. Raises CommandFailed when it cannot go on."""
        self._check()
        if time.monotonic() - self._beaten_at >= BEAT_SECONDS:
            self._show()
        for said in self._listen():
            self._tell(said)
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
        return [said for ear, data in zip(self._ears, told) for said in ear.take(data, self._place)]

    def _show(self) -> None:
        self._beat += 1
        self._place.write(BOARD, {**self._board, "beat": self._beat})
        self._beaten_at = time.monotonic()

    def _dismiss(self) -> None:
        """End all clients; one that does not say so has none when its lease has run out."""
        self._place.notify(BOARD, {"end": self._run})
        try:
            self._place.write(BOARD, {**self._board, "phase": "end"})
            until = self._beaten_at + LEASE_SECONDS + _END_SECONDS
            while time.monotonic() < until and not all(ear.ended for ear in self._ears):
                self._listen()
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
