"""The Loader port: clients in processes of their own, beside the mgr and never after it."""

from __future__ import annotations

import contextlib
import errno
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Callable

from ..errors import CommandFailed
from ..model.rados import ClientRun, LoadOrder, Row
from .children import Child, Program

# What the process is given to start and connect, and to say its last.
_SLACK = 60.0
# Seconds that any single removal may take.
_REMOVAL_LIMIT = 30
# A clean-up of a few hundred thousand objects takes minutes.
_SWEEP_LIMIT = 1800.0

Heard = Callable[[int, Row], None]
Ended = Callable[[], bool]


class ProcessLoader:
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
        for said in self._carry_out(Program.CLIENTS, {"load": asdict(order)}, limit, ended):
            if "row" in said:
                heard(said["client"], Row(*said["row"]))
            elif "run" in said:
                values = dict(said["run"])
                runs.append(
                    ClientRun(**{**values, "rows": tuple(Row(**r) for r in values["rows"])})
                )
        if len(runs) < order.clients and not ended():
            raise CommandFailed(errno.EIO, "the process that runs the clients ended before them")
        return runs if len(runs) == order.clients else []

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
            child.end()  # its clients die with it


def _never() -> bool:
    return False
