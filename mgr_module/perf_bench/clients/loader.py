"""Run clients: in a child process on the mgr's host, or on workers; remove their objects."""

from __future__ import annotations

import contextlib
import errno
import json
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Callable, Optional

from ..ceph.child_process import Child, Program
from ..core.clock import Clock
from ..core.loop import complete, sleep
from ..errors import CommandFailed
from ..model.json_fields import Json
from ..model.rados import ClientRun, LoadOrder, Row, Worker
from .coordinator import Coordinator

# Seconds for the process to start and connect, and to print its results.
_SLACK = 60.0
# Seconds that any single removal may take.
_REMOVAL_LIMIT = 30
# Seconds; a clean-up of a few hundred thousand objects takes minutes.
_SWEEP_LIMIT = 1800.0
# Seconds between two looks at the workers, and at the pool in the mgr's maps.
_LOOK_SECONDS = 0.2
_POOL_SECONDS = 1.0
# Flags of a pool in which clients wait for ever, and what is said then.
_FULL = {"full_quota": (errno.EDQUOT, "has reached its quota"), "full": (errno.ENOSPC, "is full")}

# The flags of the pool of that name, from the maps; None if there is none.
Flags = Callable[[str], Optional[Collection[str]]]
OnRow = Callable[[int, Row], None]
Ended = Callable[[], bool]


class ClientLoader:
    """Implements LoadGenerator."""

    def __init__(self, access: Callable[[], Mapping[str, str]], flags: Flags, clock: Clock) -> None:
        """``access`` returns the ``name``, ``keyring`` and ``mon_host`` to connect with."""
        self._access = access
        self._flags = flags
        self._clock = clock
        self._coordinator = Coordinator(clock)
        # Commands of workers and the round are on different threads.
        self._lock = threading.Lock()

    def run(self, order: LoadOrder, on_row: OnRow, ended: Ended) -> Sequence[ClientRun]:
        """Run the clients; ``on_row`` gets a client's number and each of its rows.

        Returns an empty list once ``ended`` returns True. Raises CommandFailed. No client is left
        in either case.
        """
        looked_at = self._clock.monotonic()

        def over() -> bool:
            nonlocal looked_at
            now = self._clock.monotonic()
            if now - looked_at >= _POOL_SECONDS:
                looked_at = now
                self._check_pool(order.pool)
            return ended()

        if order.workers:
            return complete(self._lead(order, on_row, over))
        return self._run_here(order, on_row, over)

    def worker_next(self, worker: str, text: str) -> Json:
        """Answer ``worker next``. Raises InvalidValue or NotNow."""
        with self._lock:
            return self._coordinator.next(worker, text)

    def worker_tell(self, worker: str, text: str) -> Json:
        """Answer ``worker tell``. Raises InvalidValue or NotNow."""
        with self._lock:
            return self._coordinator.tell(worker, text)

    def workers(self) -> Sequence[Worker]:
        """The workers by name. Raises NotNow while they are not known yet."""
        with self._lock:
            return self._coordinator.workers()

    def sweep(self, pool: str, namespace: str) -> int:
        """Remove the objects of clients; returns the number removed. Raises CommandFailed."""
        order = {"pool": pool, "namespace": namespace, "limit": _REMOVAL_LIMIT}
        removed, left = 0, -1
        for line in self._carry_out(Program.CLEAN_UP, order, _SWEEP_LIMIT, lambda: False):
            removed, left = line["removed"], line["left"]
        if left:
            raise CommandFailed(errno.EIO, f"the clean-up left objects in pool {pool}")
        return removed

    async def _lead(self, order: LoadOrder, on_row: OnRow, over: Ended) -> Sequence[ClientRun]:
        with self._lock:
            run = self._coordinator.begin(order)
        try:
            while not over():
                with self._lock:
                    rows, done = run.new_rows(), run.has_ended()
                for client, row in rows:
                    on_row(client, row)
                if done:
                    return run.results()
                await sleep(_LOOK_SECONDS)
            return []
        finally:  # end all clients, and wait until none is left
            run.stop()
            while not run.is_quiet():
                await sleep(_LOOK_SECONDS)
            with self._lock:
                self._coordinator.finish()

    def _run_here(self, order: LoadOrder, on_row: OnRow, over: Ended) -> Sequence[ClientRun]:
        runs: list[ClientRun] = []
        rows: dict[int, list[Row]] = {}
        limit = order.seconds + _SLACK
        for line in self._carry_out(Program.RUN_CLIENTS, {"load": asdict(order)}, limit, over):
            if "row" in line:
                row = Row(*line["row"])
                rows.setdefault(line["client"], []).append(row)
                on_row(line["client"], row)
            elif "run" in line:
                runs.append(ClientRun(**line["run"], rows=tuple(rows.get(line["client"], ()))))
        if len(runs) < order.clients and not over():
            raise CommandFailed(errno.EIO, "the process that runs the clients ended too early")
        return runs if len(runs) == order.clients else []

    def _check_pool(self, name: str) -> None:
        """Raise CommandFailed if clients would wait for ever, or for nothing, in this pool."""
        flags = self._flags(name)
        if flags is None:
            raise CommandFailed(errno.ENOENT, f"the pool {name} has gone")
        for flag, (code, why) in _FULL.items():
            if flag in flags:
                raise CommandFailed(code, f"the pool {name} {why}")

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
                child.write({**order, "access": self._access()})
            for text in child.lines(ended):
                line: dict[str, Any] = json.loads(text)
                if "error" in line:
                    raise CommandFailed(line["errno"], line["error"])
                yield line
        finally:
            child.end()  # the kernel kills its clients, too
