"""A real cluster for one run of tests, in a folder of its own, gone afterwards."""

from __future__ import annotations

import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cluster.api import DevCluster
from cluster.spec import Order
from scenarios.crash_watch import WATCH, CrashWatch
from scenarios.operator import Operator, unhurried


@contextmanager
def throwaway(order: Order) -> Iterator[DevCluster]:
    """A cluster on which rounds may follow each other, and one may start at once."""
    base = Path(tempfile.mkdtemp(prefix="perf-bench-"))
    try:
        cluster = DevCluster.up(str(base / "cluster"), order)
        try:
            with cluster.staying():
                unhurried(cluster)
                # Until then pools are made, and a fingerprint would find them new.
                Operator(cluster).sees_it_ready()
                yield cluster
        finally:
            with _ctrl_c_waits():
                cluster.down()
    finally:
        shutil.rmtree(base)


def pytest_keyboard_interrupt() -> None:
    """Pass over a second Ctrl-C: it would break off the end of fixtures, and leave the cluster."""
    signal.signal(signal.SIGINT, _pass_over)


@contextmanager
def _ctrl_c_waits() -> Iterator[None]:
    """Ctrl-C takes effect afterwards, once: else the tests would go on with the next cluster."""
    pressed: list[bool] = []
    before = signal.signal(signal.SIGINT, lambda *_: pressed.append(True))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if pressed:
            signal.raise_signal(signal.SIGINT)


def _pass_over(*_: object) -> None:
    # Not SIG_IGN: what is started meanwhile would inherit that.
    pass


@contextmanager
def watched(config: pytest.Config, osds: int, hosts: int) -> Iterator[DevCluster]:
    """A throwaway cluster of the release asked for, with a standby mgr; its crashes count."""
    release = str(config.getoption("--release"))
    order = Order(release=release, osds=osds, hosts=hosts, mgrs=2, dashboard=False)
    with throwaway(order) as cluster, counted(config, cluster):
        yield cluster


@contextmanager
def counted(config: pytest.Config, cluster: DevCluster) -> Iterator[None]:
    """Crashes of its daemons count from here on."""
    watch = config.stash.setdefault(WATCH, CrashWatch())
    watch.begin(cluster)
    try:
        yield
    finally:
        watch.close()


def assert_quiet(cluster: DevCluster) -> None:
    """No traceback of ours is in a mgr's log."""
    for log in sorted((cluster.spec.dir / "log").glob("mgr.*.log")):
        lines = log.read_text(errors="replace").splitlines()
        ours = [line for line in lines if 'File "' in line and "/perf_bench/" in line]
        assert not ours, ours  # a line with a path of ours is a frame of a traceback
