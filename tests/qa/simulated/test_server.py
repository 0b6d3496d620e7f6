"""The simulated cluster of the tab, asked as the tab asks it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from simulated.cluster import Simulated
from simulated.server import Server


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Simulated]:
    made = Simulated(tmp_path / "main.db", osds=6)
    yield made
    made.close()


def asked(port: int, method: str, path: str, body: Any = None) -> tuple[int, Any, str | None]:
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    text = None if body is None else json.dumps(body)
    connection.request(method, f"/api/perf_bench/{path}", text)
    answer = connection.getresponse()
    found = json.loads(gzip.decompress(answer.read()))
    connection.close()
    return answer.status, found, answer.headers["X-Total-Count"]


def test_questions_of_the_tab_get_the_modules_own_answers(cluster: Simulated) -> None:
    cluster.watches(600)
    cluster.slows(4, 6.0)
    cluster.watches(600)
    server = Server(cluster)
    port = server.port
    status, found, total = asked(port, "GET", "finding?limit=1")
    assert (status, total, found[0]["target"]) == (200, "1", {"kind": "osd", "id": "4"})
    assert asked(port, "GET", "osd/map")[1]["rows"]
    status, refused, _ = asked(port, "POST", "round", {"profile": "osd-iops", "repeats": 0})
    assert (status, refused["field"]) == (400, "repeats")
    assert asked(port, "POST", "round", {"profile": "osd-iops"})[1] == {"id": 1}
    cluster.ended()
    server.close()


def test_many_rounds_are_there_at_once(cluster: Simulated) -> None:
    cluster.adds_rounds(7)
    rounds = cluster.ask("GET", "round", {"limit": 3})
    assert (rounds.total, [one["verdict"] for one in rounds.body]) == (7, ["valid"] * 3)
