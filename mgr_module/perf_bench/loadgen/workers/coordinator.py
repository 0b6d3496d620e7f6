"""The mgr's side of a run on workers: gathers, starts, follows and ends them."""

from __future__ import annotations

import contextlib
import errno
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Callable, Optional

from ...errors import CommandFailed, PerfBenchError
from ...model import unmeasured
from ...model.rados import LoadOrder
from ...model.worker import BEAT_SECONDS, LEASE_SECONDS, ORDERS, Worker, WorkerState, told_in
from ..rados_bench import Tell
from .assignment import GO
from .discovery import Discovery
from .proofs import ORDER, digest, proof
from .rados_channel import PendingWrite, RadosChannel
from .untrusted import PROOFS, Orders, read
from .worker_log import WorkerLog

# Maximum wait until all workers accept the orders; a live worker takes less than a second.
_ACCEPT_SECONDS = 5.0
# Delay between publishing the start time and the start: all workers have read it by then.
_AHEAD_SECONDS = 1.5
_LOOK_SECONDS = 0.25
# Time in which live workers end their clients.
_END_SECONDS = 1.5


class Coordinator:
    """Leads one run. ``check`` raises CommandFailed when the mgr no longer wants it."""

    def __init__(self, channel: RadosChannel, tell: Tell, check: Callable[[], None]) -> None:
        self._channel = channel
        self._tell = tell
        self._check = check
        self._run = uuid.uuid4().hex[:12]
        self._beat = 0
        # When the orders were written last, and that write while it is pending.
        self._beaten_at = 0.0
        self._showing: Optional[PendingWrite] = None
        self._logs: list[WorkerLog] = []
        self._orders: Mapping[str, Any] = {}

    def lead(self, order: LoadOrder) -> None:
        """Carry out an order on its workers. Raises CommandFailed.

        When it returns or raises, no live worker runs clients any more, and the lease of every
        other worker has expired.
        """
        # A step of a saturation search may have fewer clients than there are workers.
        discovery = Discovery(self._channel)
        found = chosen(discovery.call(), order.workers[: order.clients])
        shares = [tuple(range(n, order.clients, len(found))) for n in range(len(found))]
        self._logs = [
            WorkerLog(self._run, one, share, order.seconds, discovery.secrets[one.id])
            for one, share in zip(found, shares)
        ]
        self._orders = {
            "run": self._run,
            "phase": "gather",
            "workers": {log.worker.instance: list(log.numbers) for log in self._logs},
            "load": asdict(order),
        }
        try:
            self._prepare()
            self._gather()
            self._go()
            self._follow()
        finally:
            self._dismiss()
        for run in sorted((run for log in self._logs for run in log.client_runs()), key=_client):
            self._tell(run)

    def _prepare(self) -> None:
        """Remove the reports of the run before: there is only one run at a time.

        Create the report objects for the workers, which could not create them in a full pool.
        """
        before = read(Orders, self._channel.read(ORDERS))
        if before is not None:
            for instance in before.workers:
                self._channel.remove(told_in(before.run, instance))
        for log in self._logs:
            self._channel.write(log.name, {})

    def _gather(self) -> None:
        self._show()
        self._channel.notify(ORDERS, {"look": self._run})
        until = time.monotonic() + _ACCEPT_SECONDS
        while not all(log.accepted for log in self._logs):
            self._hear()
            late = ", ".join(log.worker.id for log in self._logs if not log.accepted)
            # On a slow cluster one look takes longer than that, and may find that all accepted.
            if late and time.monotonic() > until:
                why = unmeasured.worker_late(late, _ACCEPT_SECONDS)
                raise CommandFailed(errno.ETIMEDOUT, why)
            time.sleep(_LOOK_SECONDS)

    def _go(self) -> None:
        """Publish the start time, converted to each worker's clock."""
        start = time.time() + _AHEAD_SECONDS
        starts = {
            log.worker.instance: start + (log.worker.clock_offset or 0.0) for log in self._logs
        }
        self._orders = {**self._orders, "phase": GO, "start_at": starts}
        self._show()
        self._channel.notify(ORDERS, {"look": self._run})

    def _follow(self) -> None:
        while not all(log.ended for log in self._logs):
            time.sleep(_LOOK_SECONDS)
            self._hear()

    def _hear(self) -> None:
        """Read new results and renew the beat. Raises CommandFailed if the run cannot go on."""
        self._check()
        self._beat_on()
        for row in self._listen():
            self._tell(row)
        self._beat_on()
        self._ask_silent()
        for log in self._logs:
            if log.failure is not None:
                raise log.failure
            if log.ended and len(log.runs) < len(log.numbers):
                why = unmeasured.worker_ended(log.worker.id, log.worker.host)
                raise CommandFailed(errno.ECONNABORTED, why)
            silent = time.monotonic() - log.heard_at
            if silent > LEASE_SECONDS and not log.ended:
                self._channel.check_pool()
                why = unmeasured.worker_lost(log.worker.id, log.worker.host, silent)
                raise CommandFailed(errno.EHOSTDOWN, why)

    def _listen(self) -> list[dict[str, Any]]:
        """Return the clients' new rows; the logs keep all other lines."""
        reports = self._channel.read_from([log.wanted for log in self._logs])
        return [row for log, data in zip(self._logs, reports) for row in log.take(data)]

    def _ask_silent(self) -> None:
        """Read the final status of silent workers, whose reports may not fit into the pool.

        Stops after ``_LOOK_SECONDS``: on a slow cluster one worker per call.
        """
        until = time.monotonic() + _LOOK_SECONDS
        silent = (log for log in self._logs if log.silent and not log.ended)
        for log in sorted(silent, key=lambda one: one.asked_at):
            log.take_final_status(self._channel)
            if time.monotonic() > until:
                break

    def _beat_on(self) -> None:
        """Write a new beat when it is due, without waiting. It renews the workers' leases."""
        due = time.monotonic() - self._beaten_at >= BEAT_SECONDS
        if due and (self._showing is None or self._showing.over):
            self._end_showing()
            self._begin_showing()

    def _show(self) -> None:
        """Write the orders, and wait until the write has ended."""
        self._end_showing()
        self._begin_showing()
        self._end_showing()

    def _begin_showing(self) -> None:
        self._beat += 1
        self._beaten_at = time.monotonic()
        orders = {**self._orders, "beat": self._beat}
        of_all = digest(orders)
        proofs = {
            log.worker.instance: proof(log.secret, ORDER, log.worker.instance, of_all)
            for log in self._logs
        }
        self._showing = self._channel.begin_write(ORDERS, {**orders, PROOFS: proofs})

    def _end_showing(self) -> None:
        showing, self._showing = self._showing, None
        if showing is not None:
            showing.end()

    def _dismiss(self) -> None:
        """End all clients. Waits for every worker to report its end or to lose its lease."""
        self._channel.notify(ORDERS, {"end": self._run})
        with contextlib.suppress(PerfBenchError):
            self._end_showing()  # it may be carried out late: what is written next comes after it
        try:
            self._orders = {**self._orders, "phase": "end"}
            self._show()
            until = self._beaten_at + LEASE_SECONDS + _END_SECONDS
            while time.monotonic() < until and not all(log.ended for log in self._logs):
                self._listen()
                self._ask_silent()
                time.sleep(_LOOK_SECONDS)
        except PerfBenchError:  # RADOS fails: wait until the leases expire
            time.sleep(max(0.0, self._beaten_at + LEASE_SECONDS - time.monotonic()))
        for log in self._logs:
            self._channel.remove(log.name)


def chosen(found: Sequence[Worker], names: Sequence[str]) -> list[Worker]:
    """Return the workers of these names. Raises CommandFailed if one is missing or unusable."""
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


def _client(run: Mapping[str, Any]) -> int:
    return int(run["client"])
