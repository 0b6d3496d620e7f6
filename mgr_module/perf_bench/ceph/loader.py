"""Run clients in child processes, which end with the mgr at the latest."""

from __future__ import annotations

import contextlib
import errno
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Callable

from ..errors import CommandFailed
from ..model import unmeasured
from ..model.rados import ClientRun, LoadOrder, Row, client_run
from ..model.worker import LEASE_SECONDS, Worker, WorkerState
from .child_process import Child, Program

# Seconds for the process to start and connect, and to print its results.
_SLACK = 60.0
# Seconds; the discovery of workers takes at most three.
_DISCOVERY_LIMIT = 20.0
# Seconds to end the clients of workers; a worker that does not answer keeps its lease.
_END_LIMIT = LEASE_SECONDS + 5.0
# Seconds that a worker may need to read the last beat, and to end its clients after its lease.
_LEASE_SLACK = 2.0
# Seconds that any single removal may take.
_REMOVAL_LIMIT = 30
# Seconds; a clean-up of a few hundred thousand objects takes minutes.
_SWEEP_LIMIT = 1800.0

OnRow = Callable[[int, Row], None]
Ended = Callable[[], bool]


class ProcessLoadGenerator:
    """Implements LoadGenerator: starts a process of ``programs`` for each order."""

    def __init__(self, access: Callable[[], Mapping[str, str]]) -> None:
        """``access`` returns the ``name``, ``keyring`` and ``mon_host`` to connect with."""
        self._access = access

    def run(self, order: LoadOrder, on_row: OnRow, ended: Ended) -> Sequence[ClientRun]:
        """Run the clients; ``on_row`` gets a client's number and each of its rows.

        Returns an empty list once ``ended`` returns True. Raises CommandFailed. No client is left
        in either case.
        """
        runs: list[ClientRun] = []
        limit = order.seconds + _SLACK
        program = Program.LEAD_WORKERS if order.workers else Program.RUN_CLIENTS
        for line in self._carry_out(program, {"load": asdict(order)}, limit, ended):
            if "row" in line:
                on_row(line["client"], Row(*line["row"]))
            elif "run" in line:
                runs.append(client_run(line["run"]))
        if len(runs) < order.clients and not ended():
            raise CommandFailed(errno.EIO, unmeasured.ended_early())
        return runs if len(runs) == order.clients else []

    def workers(self) -> Sequence[Worker]:
        """The workers that answer, by name. Raises CommandFailed."""
        for line in self._carry_out(Program.LEAD_WORKERS, {}, _DISCOVERY_LIMIT, _never):
            return [
                Worker(**{**one, "state": WorkerState(one["state"])}) for one in line["workers"]
            ]
        raise CommandFailed(
            errno.ETIMEDOUT,
            f"the discovery of workers did not end within {_DISCOVERY_LIMIT:.0f} s: "
            "does RADOS answer?",
        )

    def sweep(self, pool: str, namespace: str) -> int:
        """Remove the objects of clients; returns the number removed. Raises CommandFailed."""
        order = {"pool": pool, "namespace": namespace, "limit": _REMOVAL_LIMIT}
        removed, left = 0, -1
        for line in self._carry_out(Program.CLEAN_UP, order, _SWEEP_LIMIT, _never):
            removed, left = line["removed"], line["left"]
        if left:
            raise CommandFailed(errno.EIO, f"the clean-up left objects in pool {pool}")
        return removed

    def _carry_out(
        self, program: Program, order: Mapping[str, Any], limit: float, ended: Ended
    ) -> Iterator[dict[str, Any]]:
        """The program's lines until it ends, ``ended`` returns True, or after ``limit`` seconds."""
        try:
            child = Child(program, (), limit)
        except OSError as error:
            code = error.errno or errno.EIO
            raise CommandFailed(code, f"cannot start the clients' process: {error}") from error
        try:
            with contextlib.suppress(OSError):  # if it has ended, it has no lines below
                child.write(json.dumps({**order, "access": self._access()}).encode())
            for text in child.lines_until(ended):
                line: dict[str, Any] = json.loads(text)
                if "error" in line:
                    raise CommandFailed(line["errno"], line["error"])
                yield line
        finally:
            whole = program is not Program.LEAD_WORKERS or child.leave(_END_LIMIT)
            child.end()  # the kernel kills its clients, too
            if not whole and "load" in order:
                # It may have ended no worker. Their clients write until the lease expires, and
                # what they write after a clean-up would stay. It was killed before, because until
                # then it may renew the lease. Its last beat may be on its way for as long as the
                # lease before lasts, and renews it then.
                time.sleep(2 * LEASE_SECONDS + _LEASE_SLACK)


def _never() -> bool:
    return False
