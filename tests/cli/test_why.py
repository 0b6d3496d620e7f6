"""``osd why`` as a command: what it prints of OSDs that answer as real ones did."""

from __future__ import annotations

import errno
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

import threads
from fakes.clock import FakeClock
from fakes.cluster import FakeCluster
from fakes.operation_dumps import IDLE, FakeOperationDumps, breakdowns
from golden import compare
from nouns import some_osds
from operations import STALLED, recorded
from perf_bench import cli
from perf_bench.api.breakdowns import BreakdownApi
from perf_bench.report.text import WIDTH
from perf_bench.watch import osd_breakdown


class OnlyBreakdowns:
    """The part of the questions that is asked here."""

    def __init__(self, breakdowns: BreakdownApi) -> None:
        self.breakdowns = breakdowns


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(osd_breakdown, "_PATIENCE", threads.PATIENCE)


@pytest.fixture
def api() -> Iterator[Any]:
    answers = {osd: recorded("pacific", STALLED).get(osd, IDLE) for osd in range(6)}
    service = breakdowns(FakeCluster(some_osds(6)), FakeClock(), FakeOperationDumps(answers))
    stop = threading.Event()
    thread = threading.Thread(target=service.run, args=(stop,), daemon=True)
    thread.start()
    yield OnlyBreakdowns(BreakdownApi(service))
    stop.set()
    service.wake()
    thread.join(threads.PATIENCE)


def _order(osd: str, **more: str) -> dict[str, str]:
    return {"prefix": "perf-bench osd why", "id": osd, **more}


@pytest.mark.parametrize(("osd", "name"), [("osd.1", "osd-why"), ("3", "osd-why-itself")])
def test_the_text(api: Any, osd: str, name: str) -> None:
    code, text, problem = cli.dispatch(api, _order(osd))
    assert (code, problem) == (0, "")
    assert max(map(len, text.splitlines())) <= WIDTH
    compare(f"{name}.txt", text)


def test_json_has_the_promised_keys(api: Any) -> None:
    code, text, _ = cli.dispatch(api, _order("1", format="json"))
    assert code == 0
    for key in ("osd", "operations", "waits_for", "peers", "sentences"):
        assert f'"{key}":' in text


def test_an_osd_that_does_not_exist(api: Any) -> None:
    code, _, problem = cli.dispatch(api, _order("99"))
    assert (code, problem) == (-errno.ENOENT, "osd.99: no such OSD in this cluster")


def test_yaml_of_peers_that_do_not_answer() -> None:
    """What they did not tell is a sentence with a code, which is no plain text for YAML."""
    answers = {1: recorded("pacific", STALLED).get(1, IDLE)}
    service = breakdowns(FakeCluster(some_osds(6)), FakeClock(), FakeOperationDumps(answers))
    stop = threading.Event()
    thread = threading.Thread(target=service.run, args=(stop,), daemon=True)
    thread.start()
    api: Any = OnlyBreakdowns(BreakdownApi(service))
    try:
        code, text, problem = cli.dispatch(api, _order("1", format="yaml"))
    finally:
        stop.set()
        service.wake()
        thread.join(threads.PATIENCE)
    assert (code, problem) == (0, "")
    told = [line for peer in yaml.safe_load(text)["peers"] for line in peer["problems"]]
    assert told
    assert all("did not answer" in line for line in told)
