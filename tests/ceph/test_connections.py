"""Who makes clients of the cluster, and that nobody does once the module stops."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import errno
import sys
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

import threads
from fakes.ceph import MgrWorld
from perf_bench.errors import CommandFailed

if TYPE_CHECKING:
    from mgr_module import MgrModule

    from perf_bench.ceph.commands import Connections


@pytest.fixture
def world(pacific: MgrWorld) -> MgrWorld:
    """Nothing here differs between the releases."""
    return pacific


@pytest.fixture
def connections(mgr: MgrModule) -> Iterator[Connections]:
    from perf_bench.ceph.commands import Connections

    made = Connections(mgr)
    yield made
    made.close()
    threads.join()


def test_clients_of_all_threads_connect_in_one(
    connections: Connections, monkeypatch: pytest.MonkeyPatch
) -> None:
    # each thread that made one would keep what it needed for that (glibc's arenas)
    made_in: list[str] = []
    connect = sys.modules["rados"].Rados.connect

    def noted(client: Any, timeout: int) -> None:
        made_in.append(threading.current_thread().name)
        connect(client, timeout=timeout)

    monkeypatch.setattr(sys.modules["rados"].Rados, "connect", noted)

    def use() -> None:
        connections.client(5).shutdown()
        connections.commands(5).close()

    for number in range(2):
        user = threading.Thread(target=use, name=f"user-{number}")
        user.start()
        user.join(threads.PATIENCE)
    assert len(made_in) == 4
    assert len(set(made_in)) == 1
    assert made_in[0].startswith("perf-bench-client")


def test_an_error_reaches_who_asks(connections: Connections, world: MgrWorld) -> None:
    world.reachable = False
    with pytest.raises(CommandFailed, match="cannot connect to the cluster"):
        connections.client(5)


def test_closed_it_opens_none(connections: Connections, world: MgrWorld) -> None:
    connections.close()
    with pytest.raises(CommandFailed, match="perf_bench is being stopped") as caught:
        connections.client(5)
    assert caught.value.errno == errno.ESHUTDOWN
    assert world.clients == []


def test_who_waits_for_others_is_told_so(
    connections: Connections, world: MgrWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without monitors each connecting takes 15 s, and they come one after the other."""
    from perf_bench.ceph import commands as module

    monkeypatch.setattr(module, "_OPEN_SECONDS", 0.05)
    connects, goes_on = threading.Event(), threading.Event()
    connect = sys.modules["rados"].Rados.connect

    def waits(client: Any, timeout: int) -> None:
        connects.set()
        goes_on.wait(threads.PATIENCE)
        connect(client, timeout=timeout)

    monkeypatch.setattr(sys.modules["rados"].Rados, "connect", waits)
    for _ in range(2):
        with pytest.raises(CommandFailed, match="within 0 s: others wait") as caught:
            connections.client(5)
        assert caught.value.errno == errno.ETIMEDOUT
    assert connects.is_set()
    goes_on.set()
    # the first comes late, and nobody uses it; the second is not made
    monkeypatch.setattr(module, "_OPEN_SECONDS", threads.PATIENCE)
    connections.client(5).shutdown()
    assert (len(world.clients), world.connected) == (2, 0)
