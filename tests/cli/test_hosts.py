"""Facts of hosts, from the command to the database, and what is left when something fails."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import golden
from asked import asks, types
from factory import INTERFACE, document
from fakes.cluster import FakeCluster
from nouns import an_osd
from past import api_of
from perf_bench.answers import command as cli
from perf_bench.errors import StoreUnavailable
from perf_bench.model.hardware import facts_of
from stage import Stage

LONG = "storage-0123456789.rack-17.example.net"


def _osds() -> FakeCluster:
    osds = [an_osd(number, f"host-{number % 2}") for number in range(4)]
    # in CRUSH it has another name than its own
    return FakeCluster([*osds, an_osd(4, LONG, location={"host": "crush-2", "root": "default"})])


class Operator:
    """Types on a stage."""

    def __init__(self, path: Path) -> None:
        self.stage = Stage(path, _osds())
        self.api = api_of(self.stage)

    def hands_over(self, host: str, facts: Any) -> tuple[int, str, str]:
        """``host import HOST -i FILE``."""
        text = facts if isinstance(facts, str) else json.dumps(facts)
        return types(self.api, "host import", text, host=host)

    def lists(self, **arguments: Any) -> Any:
        return asks(self.api, "host ls", **arguments)


@pytest.fixture
def operator(path: Path) -> Iterator[Operator]:
    made = Operator(path)
    yield made
    made.stage.close()


def test_facts_are_taken_over_and_listed(operator: Operator) -> None:
    operator.hands_over(LONG, document(LONG))
    operator.stage.clock.advance(3 * 86400 - 5)
    code, out, err = operator.hands_over("host-0", INTERFACE)
    assert (code, err) == (0, "")
    golden.compare("host-import.txt", out + "\n")
    code, out, err = cli.dispatch(operator.api, {"prefix": "perf-bench host ls"})
    assert (code, err) == (0, "")
    golden.compare("host-ls.txt", out + "\n")
    assert all(len(line) <= 80 for line in out.splitlines())


def test_another_mgr_knows_what_was_taken_over(operator: Operator, path: Path) -> None:
    operator.hands_over("host-0", INTERFACE)
    before = operator.lists()
    operator.stage.crash()
    successor = Operator(path)
    assert successor.stage.hosts.cached() is None  # who must not wait looks again later
    successor.stage.settle()
    known = successor.stage.hosts.cached()
    assert known is not None
    assert known["host-0"].facts.devices_by_osd()[3] == "sdk"
    assert [one["sections"] for one in successor.lists()] == [one["sections"] for one in before]
    operator.stage = successor.stage


def _of(collected_at: str, device: str, **sections: Any) -> dict[str, Any]:
    told = document(osds=[{"id": 0, "device": device}], **sections)
    return {**told, "collected_at": collected_at}


# when it was collected that comes second, after 22:13:20 was, at 23:00 on the mgr's clock
@pytest.mark.parametrize(
    ("late", "counts"),
    [
        ("2023-11-14T22:13:19Z", False),
        ("2022-01-01T00:00:00Z", False),
        ("2023-11-14T23:13:19+01:00", False),
        ("2023-11-14T22:13:20Z", True),  # the same again
        ("2023-11-14T22:13:21Z", True),
        ("2036-01-01T00:00:00Z", True),  # as old as its coming
    ],
)
def test_facts_that_come_late_do_not_replace_newer_ones(
    late: str, counts: bool, operator: Operator
) -> None:
    assert operator.hands_over("host-0", _of("2023-11-14T22:13:20Z", "sda"))[0] == 0
    operator.stage.clock.advance(2800)
    before = operator.lists()
    code, out, err = operator.hands_over("host-0", _of(late, "sdb"))
    assert operator.stage.hosts.known()["host-0"].facts.devices_by_osd()[0] == (
        "sdb" if counts else "sda"
    )
    if counts:
        assert (code, err) == (0, "")
        return
    assert (code, out) == (-errno.EINVAL, "")
    assert err.startswith("collected_at is 202")
    assert "but host-0 has newer facts, of 2023-11-14T22:13:20.000Z" in err
    assert operator.lists() == before
    # nor does another mgr know them
    assert operator.stage.store_thread.call(lambda store: store.facts())["host-0"][1]["osds"] == [
        {"id": 0, "device": "sda"}
    ]


def test_a_clock_that_was_ahead_locks_no_host_out(
    operator: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = operator.stage.clock
    assert operator.hands_over("host-0", _of("2036-01-01T00:00:00Z", "sda"))[0] == 0
    clock.advance(60)  # the host's clock was put right
    assert operator.hands_over("host-0", _of("2023-11-14T22:14:20Z", "sdb"))[0] == 0
    with monkeypatch.context() as mgr:  # whose own clock is ahead, and put right afterwards
        mgr.setattr(clock, "now", lambda: 2_000_000_000.0)
        assert operator.hands_over("host-0", _of("2036-01-01T00:00:00Z", "sdc"))[0] == 0
    assert operator.hands_over("host-0", _of("2023-11-14T22:14:20Z", "sdd"))[0] == 0
    assert operator.stage.hosts.known()["host-0"].facts.devices_by_osd()[0] == "sdd"


def test_a_host_says_more_than_the_orchestrator(operator: Operator) -> None:
    hosts, osds = operator.stage.hosts, _osds().osds()
    hosts.take_facts(facts_of(_of("2023-11-14T22:13:20Z", "sda", source="orchestrator")), osds)
    code, _, err = operator.hands_over("host-0", _of("2023-11-12T22:00:00Z", "sdb"))
    assert (code, err[:15]) == (-errno.EINVAL, "collected_at is")  # stale: says nothing of now
    assert operator.hands_over("host-0", _of("2023-11-14T21:00:00Z", "sdb"))[0] == 0


BAD: list[tuple[str, Any, int, str]] = [
    ("host-9", document("host-9"), errno.ENOENT, "no host 'host-9' has OSDs; the hosts "),
    ("\x1b[2J", document(), errno.EINVAL, "host must be a text without control characters"),
    ("host-1", document("host-0"), errno.EINVAL, "host is 'host-0': these are not the facts of h"),
    ("nope", "", errno.ENOENT, "no host 'nope' has OSDs"),
    ("host-0", "", errno.EINVAL, "there are no facts: give a file with -i FACTS.json"),
    ("host-0", "[]", errno.EINVAL, "the document must be an object, not a list"),
    ("host-0", document(osds=[{"id": "x"}]), errno.EINVAL, "osds[0].id must be a whole number"),
    ("host-0", {**document(), "format": 2}, errno.EINVAL, "format 2 is newer than 1"),
]


@pytest.mark.parametrize(("host", "facts", "code", "sentence"), BAD)
def test_what_is_refused_changes_nothing(
    host: str, facts: Any, code: int, sentence: str, operator: Operator
) -> None:
    operator.hands_over("host-0", INTERFACE)
    before = operator.lists()
    returned, out, err = operator.hands_over(host, facts)
    assert (returned, out) == (-code, "")
    assert err.startswith(sentence)
    assert err.isprintable()
    assert operator.lists() == before
    assert operator.stage.hosts.known()["host-0"].facts.devices_by_osd()[3] == "sdk"


def test_while_the_database_is_away_nothing_is_told(path: Path) -> None:
    fresh = Operator(path)
    fresh.stage.faults.failing = -1
    with pytest.raises(StoreUnavailable):
        fresh.stage.hosts.known()
    assert fresh.stage.hosts.cached() is None
    fresh.stage.settle()
    assert fresh.stage.hosts.cached() is None
    fresh.stage.faults.failing = 0
    fresh.stage.settle()
    assert fresh.stage.hosts.cached() == {}
    fresh.stage.close()
