"""Asking OSDs about their operations through librados."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import errno
import json
from collections.abc import Iterator, Mapping
from typing import Any, Optional

import pytest

from fakes.ceph import MgrWorld, installed
from perf_bench.errors import CommandFailed


@pytest.fixture(autouse=True)
def world() -> Iterator[None]:
    with installed(MgrWorld.captured("pacific")):
        yield


class Client:
    """librados, as far as it is asked."""

    def __init__(self, code: int = 0, message: str = "", error: Optional[Exception] = None) -> None:
        self.reply = code, b"{}", message
        self.error = error
        self.orders: list[tuple[int, Mapping[str, Any]]] = []
        self.closed = False

    def osd_command(self, osd: int, order: str, _data: bytes) -> tuple[int, bytes, str]:
        self.orders.append((osd, json.loads(order)))
        if self.error is not None:
            raise self.error
        return self.reply

    def shutdown(self) -> None:
        self.closed = True


def _dumps(*clients: Client) -> Any:
    from perf_bench.ceph.client import SharedClient
    from perf_bench.ceph.commands import OsdQueries

    left = iter(clients)
    return OsdQueries(SharedClient(lambda: next(left)))  # type: ignore[arg-type, return-value]


def test_it_asks_as_ceph_tell_does_and_connects_once() -> None:
    client = Client()
    dumps = _dumps(client)
    assert (dumps.slowest(3), dumps.in_flight(3), dumps.counters(4)) == (b"{}", b"{}", b"{}")
    assert [(osd, order["prefix"]) for osd, order in client.orders] == [
        (3, "dump_historic_ops_by_duration"), (3, "dump_ops_in_flight"), (4, "perf dump"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "message", "number", "told"),
    [
        (-errno.ENXIO, "osd down\n", errno.ENXIO, "osd down"),
        (-errno.EINVAL, "", errno.EINVAL, "EINVAL"),
        (-errno.ETIMEDOUT, "", errno.ETIMEDOUT, "ETIMEDOUT"),
    ],
)
def test_a_refusal_is_an_error(code: int, message: str, number: int, told: str) -> None:
    with pytest.raises(CommandFailed, match=told) as caught:
        _dumps(Client(code, message)).slowest(1)
    assert caught.value.errno == number
