"""A client that could not connect is shut down.

librados' Python binding has no destructor: what nobody shuts down keeps four threads, nine open
files and more than 1 MiB, and during an outage of the monitors somebody tries every few seconds.
"""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import sys
from typing import Any

import pytest

from fakes.ceph import MgrWorld
from perf_bench.errors import CommandFailed


@pytest.fixture
def left(pacific: MgrWorld, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The clients that were made and not shut down, where no monitor answers."""
    pacific.reachable = False
    rados, kept = sys.modules["rados"].Rados, list[Any]()
    make, shutdown = rados.__init__, rados.shutdown

    def made(client: Any, *words: Any, **named: Any) -> None:
        make(client, *words, **named)
        kept.append(client)

    def shut_down(client: Any) -> None:
        shutdown(client)
        kept.remove(client)

    monkeypatch.setattr(rados, "__init__", made)
    monkeypatch.setattr(rados, "shutdown", shut_down)
    monkeypatch.setattr(rados, "conf_get", lambda _client, _option: "", raising=False)
    return kept


def test_of_the_mgr_and_its_helpers(left: list[Any]) -> None:
    from perf_bench.ceph.client import open_client
    from perf_bench.ceph.mons import Mons

    mons = Mons(lambda: open_client("mgr.x", "", "[v2:127.0.0.1:1/0]", 15))
    for _ in range(3):
        with pytest.raises(CommandFailed, match="cannot connect to the cluster"):
            mons.command_json("mgr stat")
    assert left == []


def test_of_a_worker(left: list[Any]) -> None:
    from perf_bench.clients.connect import serve

    with pytest.raises(CommandFailed, match="no way to the cluster"):
        serve("a", {"host": "a", "version": "1"}, "client.w", None, None, print)
    assert left == []


def test_where_a_host_has_no_ceph_conf(pacific: MgrWorld, left: list[Any]) -> None:
    from perf_bench.ceph.client import open_client

    pacific.has_conf, pacific.reachable = False, True
    client = open_client("mgr.x", "", "[v2:127.0.0.1:1/0]", 15)
    assert left == [client]
    client.shutdown()
