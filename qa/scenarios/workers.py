"""Workers beside a cluster: real processes of the host tool, each on a host name of its own."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from cluster.api import DevCluster
from cluster.daemons import environment
from cluster.namespaces import REPO, inside
from cluster.waiting import wait_for
from scenarios.operator import Operator

POOL = "perf_bench"
NAME = "client.perf-bench-worker"
# What a short round on workers is started with, whose names follow.
SMALL = ("--threads", "4", "--size", "64K", "--repeats", "1", "--workers")
# As docs/workers.md has them.
CAPS = (
    "mon", "allow r",
    "mgr", 'allow command "perf-bench worker next", allow command "perf-bench worker tell"',
    "osd", f"allow rw pool={POOL}",
)  # fmt: skip
_ONE = 'allow command "perf-bench worker {}" with id={{0}}'
CAPS_OF_ONE = (
    "mon", "allow r",
    "mgr", f"{_ONE.format('next')}, {_ONE.format('tell')}",
    "osd", f"allow rw pool={POOL}",
)  # fmt: skip
# For `pytest.mark.leaves`: once made it is there for all scenarios with workers. Benchmarks use
# this file without pytest.
KEY_STAYS = f"auth ls: {NAME}* was not there, is *"
# A clock that is wrong by so many seconds; what it does not reach is librados and `rados bench`.
_WRONG = "import time; true = time.time; time.time = lambda: true() + {seconds}; "
_RUN = "from perf_bench.tool.main import main; import sys; sys.exit(main(sys.argv[1:]))"


def keyring(cluster: DevCluster) -> Path:
    """The pool and the key that docs/workers.md tells of; the key's file."""
    if POOL not in cluster.ceph_json("osd", "pool", "ls"):
        cluster.ceph("osd", "pool", "create", POOL, "32")
        cluster.ceph("osd", "pool", "application", "enable", POOL, POOL)
        # A round is refused while groups of any pool are not active.
        wait_for(lambda: _all_active(cluster), 300.0, lambda: f"the groups of {POOL} peer on", 0.5)
    file = cluster.spec.dir / "worker.keyring"
    cluster.ceph("auth", "get-or-create", NAME, *CAPS, "-o", str(file))
    return file


def without_a_key(cluster: DevCluster) -> subprocess.CompletedProcess[str]:
    """A worker that looks for its keyring where none is, until it has given up."""
    packages = REPO / "mgr_module"
    words = ["-n", NAME, "-c", str(cluster.spec.conf), "-k", "/nowhere/keyring", "worker"]
    command = ["env", f"PYTHONPATH={packages}", "/usr/bin/python3", "-c", _RUN, *words]
    return subprocess.run(
        inside(cluster.spec, command, shown=[str(REPO)]),
        env=environment(cluster.spec),
        cwd="/",
        check=False,
        capture_output=True,
        text=True,
        timeout=180,
    )


def _all_active(cluster: DevCluster) -> bool:
    """Whether the manager knows of all pools, and all their groups serve clients."""
    pgs = cluster.ceph_json("status")["pgmap"]
    states = [state["state_name"].split("+") for state in pgs.get("pgs_by_state", [])]
    known = pgs["num_pools"] == len(cluster.ceph_json("osd", "pool", "ls"))
    # Some may be scrubbed.
    return known and bool(states) and all({"active", "clean"} <= {*state} for state in states)


class WorkerHost:
    """One worker on a host of its own."""

    def __init__(self, cluster: DevCluster, name: str, clock: float = 0.0) -> None:
        """``clock`` is by how many seconds its clock is wrong."""
        spec, packages = cluster.spec, REPO / "mgr_module"
        words = ["-n", NAME, "-c", str(spec.conf), "-k", str(keyring(cluster)), "worker"]
        run = _WRONG.format(seconds=clock) + _RUN
        command = ["/usr/bin/python3", "-c", run, *words, "--id", name]
        command = ["env", f"PYTHONPATH={packages}", *command]
        self.name = name
        self.log = spec.dir / "log" / f"worker.{name}.log"
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                inside(spec, command, host=f"host-{name}", shown=[str(REPO)]),
                env=environment(spec),
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def clients(self) -> list[int]:
        """The pids of its `rados bench`."""
        return [pid for pid in _children(self._process.pid) if _is_bench(pid)]

    @property
    def runs(self) -> bool:
        return self._process.poll() is None

    def kill(self) -> None:
        """As the kernel does when memory is short."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def _end(self, number: signal.Signals) -> None:
        if self._process.poll() is None:
            os.kill(self._process.pid, number)
        self._process.wait(120)


@contextlib.contextmanager
def working(*workers: WorkerHost) -> Iterator[Sequence[WorkerHost]]:
    """None of them is left."""
    try:
        yield workers
    finally:
        for worker in workers:
            worker.kill()


def all_clients(workers: Sequence[WorkerHost]) -> list[int]:
    return [pid for worker in workers for pid in worker.clients()]


def seconds_until_none(workers: Sequence[WorkerHost], limit: float) -> float:
    """How long clients of workers are still there; fails after the limit."""
    began = time.monotonic()
    while all_clients(workers):
        assert time.monotonic() - began < limit, f"clients after {limit} s"
        time.sleep(0.05)
    return time.monotonic() - began


def _children(pid: int) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, parent = entry.read_text().rpartition(")")[2].split()[:2]
            if int(parent) == pid and state != "Z":
                found.append(int(entry.parent.name))
    return found


def _is_bench(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return b"bench" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    return False


def states(operator: Operator) -> dict[str, str]:
    return {one["id"]: one["state"] for one in operator.asks("worker", "ls")}


def left(operator: Operator) -> list[str]:
    """Objects in the pool."""
    return operator.cluster.rados("-p", POOL, "--all", "ls").splitlines()


def states_of(operator: Operator, *names: str) -> list[Any]:
    found = states(operator)
    return [found.get(name) for name in names]


def works_again(operator: Operator, workers: str) -> None:
    """A pool's flag goes with the next statistics."""
    words = ("rados-write", *SMALL, workers, "--seconds", "2")

    def ended() -> Any:
        operator.sees("a start", lambda: operator.types("round", "start", *words).code == 0)
        number = operator.asks("round", "ls", "--limit", "1")[0]["id"]
        return operator.sees_the_end_of(number)

    shown = ended()
    for _ in range(2):  # a busy machine may hold up one of them
        if shown["state"] != "done":
            shown = ended()
    assert shown["state"] == "done", shown["reasons"]
