"""Clients of the cluster: a small load that goes on while something else is looked at."""

from __future__ import annotations

import contextlib
import itertools
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

from cluster.api import DevCluster
from cluster.errors import ClusterError

POOL = "clients"
_SECONDS = 15


def remove_pool(cluster: DevCluster, pool: str) -> None:
    """Remove a pool with all that is in it, if there is one."""
    if pool in cluster.ceph_json("osd", "pool", "ls"):
        cluster.ceph("osd", "pool", "rm", pool, pool, "--yes-i-really-really-mean-it")


def clients_of(cluster: DevCluster) -> list[int]:
    """The pids of the `rados bench` processes that rounds have started on this cluster."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            environment = (entry / "environ").read_bytes()
        except OSError:  # not a process, or gone meanwhile
            continue
        if b"bench" in words and str(cluster.spec.id).encode() in environment:
            found.append(int(entry.name))
    return found


@contextlib.contextmanager
def writing(cluster: DevCluster, threads: int = 4, groups: int = 64) -> Iterator[None]:
    """Small writes all the time, spread over all OSDs; what was written is removed."""
    if POOL not in cluster.ceph_json("osd", "pool", "ls"):
        cluster.ceph("osd", "pool", "create", POOL, str(groups))
        cluster.ceph("osd", "pool", "application", "enable", POOL, "clients")
    stop = threading.Event()
    runner = threading.Thread(target=_write, args=(cluster, threads, stop), daemon=True)
    runner.start()
    try:
        yield
    finally:
        stop.set()
        runner.join(10 * _SECONDS)


def _write(cluster: DevCluster, threads: int, stop: threading.Event) -> None:
    """`rados bench` again and again: one that goes on for long would fill the cluster."""
    order = ["-p", POOL, "bench", str(_SECONDS), "write", "-b", "8192", "-t", str(threads)]
    while not stop.is_set():
        try:
            cluster.rados(*order, timeout=8 * _SECONDS)
        except ClusterError:  # an OSD hangs: clients come again, that is the point of it
            stop.wait(1.0)


@contextlib.contextmanager
def coming(cluster: DevCluster) -> Iterator[None]:
    """New clients all the time, each with one look at one object, gone after 5 s at the latest.

    A placement group becomes laggy when a request *arrives* after the lease has run out. Clients
    that stay are soon all stuck in the first groups that hang, and send no more.
    """
    stop = threading.Event()
    numbers = itertools.count()

    def come() -> None:
        while not stop.is_set():
            with contextlib.suppress(ClusterError, subprocess.TimeoutExpired):  # there is none
                cluster.rados("-p", POOL, "stat", f"looked-for-{next(numbers)}", timeout=5.0)

    runners = [threading.Thread(target=come, daemon=True) for _ in range(3)]
    for runner in runners:
        runner.start()
    try:
        yield
    finally:
        stop.set()
        for runner in runners:
            runner.join(30.0)
