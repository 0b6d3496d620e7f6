"""What OSDs answer when they are asked for their checksums, and their op threads."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import errno
import json
from collections.abc import Iterator, Mapping
from typing import Any, Optional

import pytest

from fakes.ceph import MgrWorld, installed
from nouns import an_osd
from perf_bench.errors import CommandFailed
from perf_bench.model.hardware import ChecksumAnswer

# Of real OSDs, without what is not read; 16 has other names.
OLD = {
    "bluestore": {
        "csum_lat": {"avgcount": 1850, "sum": 0.047731, "avgtime": 0.0000258},
        "bluestore_buffer_miss_bytes": 121634816,
        "bluestore_reads_with_retries": 68,
        "bluestore_read_eio": 0,
    }
}
NEW = {
    "bluestore": {
        "csum_lat": {"avgcount": 2240, "sum": 0.0815, "avgtime": 0.0000364},
        "buffer_miss_bytes": 146800640,
        "reads_with_retries": 3,
        "read_eio": 1,
    }
}


@pytest.fixture(autouse=True)
def world() -> Iterator[None]:
    with installed(MgrWorld.captured("pacific")):
        yield


class Client:
    """librados, as far as it is asked."""

    def __init__(self, code: int = 0, out: bytes = b"", message: str = "") -> None:
        self.reply = code, out, message
        self.orders: list[tuple[int, Mapping[str, Any]]] = []
        self.closed = False

    def osd_command(self, osd: int, order: str, _data: bytes) -> tuple[int, bytes, str]:
        self.orders.append((osd, json.loads(order)))
        return self.reply

    def shutdown(self) -> None:
        self.closed = True


@pytest.mark.parametrize(
    ("dump", "answer"),
    [
        (OLD, ChecksumAnswer(3, 9.0, 0.047731, 121634816, 68, 0)),
        (NEW, ChecksumAnswer(3, 9.0, 0.0815, 146800640, 3, 1)),
        ({"bluestore": {"csum_lat": {"sum": 1}}}, ChecksumAnswer(3, 9.0, 1.0, 0, None, None)),
    ],
)
def test_answers_of_releases(dump: Any, answer: ChecksumAnswer) -> None:
    from perf_bench.ceph.commands import parsed

    assert parsed(3, 9.0, json.dumps(dump).encode()) == answer


@pytest.mark.parametrize("out", [b"", b"[]", b"{}", b'{"bluestore": {"csum_lat": 3}}', b"\xff"])
def test_answers_that_are_none(out: bytes) -> None:
    from perf_bench.ceph.commands import parsed

    with pytest.raises(CommandFailed) as caught:
        parsed(3, 9.0, out)
    assert caught.value.errno == errno.EPROTO


def test_one_order_an_osd_over_one_client() -> None:
    from perf_bench.ceph.client import SharedClient
    from perf_bench.ceph.commands import OsdQueries

    client = Client(out=json.dumps(NEW).encode())
    opened: list[Client] = []

    def connect() -> Any:
        opened.append(client)
        return client

    shared = SharedClient(connect)
    asker = OsdQueries(shared)
    for _ in range(2):
        asker.open()
        assert asker.ask(7).retries == 3
    assert client.orders[0] == (7, {"prefix": "perf dump", "logger": "bluestore"})
    assert len(opened) == 1
    client.reply = -errno.ENOENT, b"", "osd dne"
    with pytest.raises(CommandFailed, match="osd dne"):
        asker.ask(99)
    shared.close()
    shared.close()
    assert client.closed


class Mgr:
    """Options of OSDs."""

    def __init__(self, **options: str) -> None:
        self.options = options
        self.asked = 0

    def get_foreign_ceph_option(self, _who: str, name: str) -> Optional[str]:
        self.asked += 1
        return self.options[name]


SHARDS = {"osd_op_num_shards": "0", "osd_op_num_shards_hdd": "5", "osd_op_num_shards_ssd": "8"}
EACH = {
    "osd_op_num_threads_per_shard": "0",
    "osd_op_num_threads_per_shard_hdd": "1",
    "osd_op_num_threads_per_shard_ssd": "2",
}


@pytest.mark.parametrize(
    ("named", "rotational", "threads"),
    [
        ({}, True, 5),
        ({}, False, 16),
        ({}, None, 5),  # by its class, hdd
        ({"osd_op_num_shards": "3"}, False, 6),
        ({"osd_op_num_shards": "3", "osd_op_num_threads_per_shard": "4"}, True, 12),
        ({"osd_op_num_shards_ssd": "0"}, False, None),
    ],
)
def test_op_threads(
    named: dict[str, str], rotational: Optional[bool], threads: Optional[int]
) -> None:
    from perf_bench.ceph.osd_options import MgrOpThreads

    mgr, now = Mgr(**{**SHARDS, **EACH, **named}), [0.0]
    found = MgrOpThreads(mgr, lambda: now[0])  # type: ignore[arg-type]
    osd = an_osd(0, rotational=rotational)
    assert found.of(osd) == threads
    asked = mgr.asked
    assert found.of(osd) == threads
    assert mgr.asked == asked
    found.forget(0)
    assert found.of(osd) == threads
    assert mgr.asked > asked
    asked = mgr.asked
    now[0] = 4000.0  # it may have been started anew
    assert found.of(osd) == threads
    assert mgr.asked > asked
