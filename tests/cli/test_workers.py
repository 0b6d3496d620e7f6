"""Workers from `worker ls` and `round start --workers` to what is shown, on fakes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable

import pytest

import golden
import threads
from asked import asks, types
from fakes.loads import steady
from past import api_of
from perf_bench.answers import dashboard
from perf_bench.model.rados import ClientRun, LoadOrder, Worker, WorkerPart, WorkerState
from roles import ADMINISTRATOR
from stage import Stage

A = Worker("a", "node-1", "1.0", "i1", WorkerState.READY, 1000.0, 0.0123456, 0.0004)
THERE = [
    A,
    replace(A, id="b", host="node-2", instance="i2", state=WorkerState.BUSY, clock_offset=-90.5),
    Worker("c", "node-3", "1.0", "i3", WorkerState.LOST, 400.0, note="it does not answer"),
]


class Operator:
    def __init__(self, path: Path) -> None:
        self.stage = Stage(path)
        self.stage.wake()
        threads.join("perf-bench-traces")
        self.stage.loader.there = list(THERE)
        self.api = api_of(self.stage)

    def types(self, prefix: str, **arguments: Any) -> tuple[int, str, str]:
        return types(self.api, prefix, **arguments)

    def asks(self, prefix: str, **arguments: Any) -> Any:
        return asks(self.api, prefix, **arguments)

    def runs(self, **arguments: Any) -> int:
        asked = {"profile": "rados-write", "seconds": 4, "repeats": 1, **arguments}
        number = int(self.asks("round start", **asked)["id"])
        self.stage.ended()
        return number


@pytest.fixture
def operator(tmp_path: Path) -> Iterator[Operator]:
    made = Operator(tmp_path / "main.db")
    yield made
    made.stage.close()


def on_workers(order: LoadOrder, ended: Callable[[], bool]) -> Sequence[ClientRun]:
    """What a steady run is when workers did it in turn."""
    parts = [
        WorkerPart(name, f"host-{name}", 0.01 * number, 0.0004, 0.02)
        for number, name in enumerate(order.workers)
    ]
    runs = steady()(order, ended)
    return [replace(run, worker=parts[n % len(parts)]) for n, run in enumerate(runs)]


def test_the_list(operator: Operator) -> None:
    golden.compare("worker-ls.txt", operator.types("worker ls")[1] + "\n")
    assert operator.asks("worker ls")[0] == {
        "id": "a",
        "host": "node-1",
        "version": "1.0",
        "state": "ready",
        "last_seen": "1970-01-01T00:16:40.000Z",
        "clock_offset": 0.012346,
        "clock_error": 0.0004,
        "instance": "i1",
        "note": "",
    }
    found = dashboard.answer(
        operator.api, "worker_ls", {"search": "lost", "sort": "-id"}, ADMINISTRATOR
    )
    assert [one["id"] for one in found["answer"]] == ["c"]
    assert found["total"] == 1


def test_what_workers_ask_and_tell_goes_to_the_mgrs_side_and_back(
    operator: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = []

    def take(worker: str, text: str) -> dict[str, Any]:
        heard.append((worker, text))
        return {"ask_in": 5.0}

    monkeypatch.setattr(operator.stage.loader, "worker_next", take)
    monkeypatch.setattr(operator.stage.loader, "worker_tell", take)
    for word in ("next", "tell"):
        told = types(operator.api, f"worker {word}", word, id="a")
        assert told == (0, '{"ask_in": 5.0}', "")
    assert heard == [("a", "next"), ("a", "tell")]


def test_a_round_on_workers_shows_them(operator: Operator) -> None:
    operator.stage.loader.runs = [on_workers]
    number = operator.runs(workers="all", clients=3)
    assert operator.stage.loader.orders[0].workers == ("a", "b")
    shown = operator.asks("round show", id=str(number))
    assert shown["load"]["workers"] == ["a", "b"]
    assert [client["worker"] for client in shown["clients"]] == ["a", "b", "a"]
    assert shown["workers"][0] == {
        "repeat": 1,
        "id": "a",
        "host": "host-a",
        "clients": [0, 2],
        "clock_offset": 0.0,
        "clock_error": 0.0004,
        "late_seconds": 0.02,
        "bytes_per_second": pytest.approx(200 * 4194304),
    }
    assert shown["environment"]["workers"] == ["a", "b"]
    golden.compare("round-show-workers.txt", operator.types("round show", id=str(number))[1] + "\n")


def test_a_round_without_workers_has_none(operator: Operator) -> None:
    shown = operator.asks("round show", id=str(operator.runs()))
    assert shown["workers"] == []
    assert {client["worker"] for client in shown["clients"]} == {""}
    assert operator.stage.loader.orders[0].workers == ()


def test_what_cannot_be_started_is_a_sentence(operator: Operator) -> None:
    code, out, err = operator.types("round start", profile="rados-write", workers="nobody")
    assert (code, out) == (-2, "")
    assert err == "there is no worker nobody: see 'ceph perf-bench worker ls'"
    assert operator.asks("round ls") == []
    code, _, err = operator.types("round start", profile="osd-iops", workers="a")
    assert code == -22
    assert "--workers does not apply to rounds of osd-iops" in err
