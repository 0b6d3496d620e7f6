"""The Loader port: clients in processes of their own, beside the mgr and never after it."""

from __future__ import annotations

import contextlib
import errno
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Callable

from ..errors import CommandFailed
from ..model.rados import ClientRun, LoadOrder, Row, client_run
from ..model.worker import LEASE_SECONDS, Worker, WorkerState
from .child_process import Child, Program

# What the process is given to start and connect, and to say its last.
_SLACK = 60.0
# Discovery of workers takes at most three seconds.
_ROLL_LIMIT = 20.0
# Who leads workers ends their clients first; one that is not there may have some for a lease.
_FAREWELL = LEASE_SECONDS + 5.0
# Seconds that any single removal may take.
_REMOVAL_LIMIT = 30
# A clean-up of a few hundred thousand objects takes minutes.
_SWEEP_LIMIT = 1800.0

Heard = Callable[[int, Row], None]
Ended = Callable[[], bool]


class ProcessLoadGenerator:
    """Starts a process an order: ``load_process`` and ``sweep_process`` say what those may do."""

    def __init__(self, access: Callable[[], Mapping[str, str]]) -> None:
        """``access`` tells ``name``, ``keyring`` and ``mon_host`` of whom to connect as."""
        self._access = access

    def run(self, order: LoadOrder, heard: Heard, ended: Ended) -> Sequence[ClientRun]:
        """Run the clients; ``heard`` gets each client's rows as they come.

        Empty as soon as ``ended`` says so. Raises CommandFailed; no client is left either way.
        """
        runs: list[ClientRun] = []
        limit = order.seconds + _SLACK
        program = Program.FOREMAN if order.workers else Program.CLIENTS
        for said in self._carry_out(program, {"load": asdict(order)}, limit, ended):
            if "row" in said:
                heard(said["client"], Row(*said["row"]))
            elif "run" in said:
                runs.append(client_run(said["run"]))
        if len(runs) < order.clients and not ended():
            raise CommandFailed(errno.EIO, "the process that runs the clients ended before them")
        return runs if len(runs) == order.clients else []

    def workers(self) -> Sequence[Worker]:
        """The workers there are, by name. Raises CommandFailed."""
        for said in self._carry_out(Program.FOREMAN, {}, _ROLL_LIMIT, _never):
            return [
                Worker(**{**one, "state": WorkerState(one["state"])}) for one in said["workers"]
            ]
        raise CommandFailed(
            errno.ETIMEDOUT,
            f"the discovery of workers did not end within {_ROLL_LIMIT:.0f} s: does RADOS answer?",
        )

    def sweep(self, pool: str, namespace: str) -> int:
        """Remove what clients left there and wait until it is gone; returns how many objects.

        Raises CommandFailed.
        """
        order = {"pool": pool, "namespace": namespace, "limit": _REMOVAL_LIMIT}
        removed, left = 0, -1
        for said in self._carry_out(Program.SWEEPER, order, _SWEEP_LIMIT, _never):
            removed, left = said["removed"], said["left"]
        if left:
            raise CommandFailed(errno.EIO, f"the clean-up left objects in pool {pool}")
        return removed

    def _carry_out(
        self, program: Program, order: Mapping[str, Any], limit: float, ended: Ended
    ) -> Iterator[dict[str, Any]]:
        """What the program says, until ``ended`` says so or it ends, within ``limit`` seconds."""
        try:
            child = Child(program, (), limit)
        except OSError as error:
            code = error.errno or errno.EIO
            raise CommandFailed(code, f"no process for the clients: {error}") from error
        try:
            with contextlib.suppress(OSError):  # that it has ended is seen below
                child.write(json.dumps({**order, "access": self._access()}).encode())
            for line in child.lines_until(ended):
                said: dict[str, Any] = json.loads(line)
                if "error" in said:
                    raise CommandFailed(said["errno"], said["error"])
                yield said
        finally:
            if program is Program.FOREMAN:
                child.leave(_FAREWELL)
            child.end()  # its clients die with it


def _never() -> bool:
    return False
