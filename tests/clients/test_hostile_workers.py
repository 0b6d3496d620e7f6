"""Whatever a worker sends is taken or refused with a sentence, and leaves bounded traces."""

from __future__ import annotations

import json
from random import Random

from fakes.clock import FakeClock
from perf_bench.clients.coordinator import Coordinator
from perf_bench.errors import CommandFailed, InvalidValue
from perf_bench.model.rados import LoadOrder
from perf_bench.version import VERSION
from reliability.fuzz.mutate import mutated

ORDER = LoadOrder("perf_bench", "round-1", "write", 5, 2, 4, 4096, 0, ("w",))
SENDER = {"host": "h", "version": VERSION, "instance": "i", "clock": 1.0, "trip": 0.1}
TOTALS = {
    "op_size": 4096,
    "seconds": 5.0,
    "operations": 9,
    "mean_latency": 0.1,
    "min_latency": 0.1,
    "max_latency": 0.2,
    "started_at": 1.0,
    "prefix": "p",
}
LINES = [
    {"started": 0.1},
    {"client": 0, "row": [1, 2, 0.5]},
    {"client": 1, "run": TOTALS},
    {"errno": 5, "error": "it failed"},
    {"ended": True},
]


def _blindly(data: bytes, size: int) -> bytes:
    random = Random(len(data))  # noqa: S311 - chance that can be repeated
    changed = bytearray(data)
    for _ in range(3):
        changed[random.randrange(len(changed))] = random.randrange(256)
    return bytes(changed[:size])


def test_hostile_messages() -> None:
    refused = taken = 0
    sentences: list[str] = []
    for seed in range(2000):
        coordinator = Coordinator(FakeClock())
        run = coordinator.begin(ORDER)
        coordinator.next("w", json.dumps(SENDER))
        report = {**SENDER, "run": run.id, "at": 0, "lines": LINES, "leaving": False}
        data = mutated(json.dumps(report).encode(), 1 << 16, seed, _blindly)
        try:
            answer = coordinator.tell("w", data.decode("utf-8", "replace"))
        except InvalidValue as error:
            refused += 1
            sentences.append(str(error))
        else:
            taken += 1
            json.dumps(answer, allow_nan=False)
        try:
            run.has_ended()
        except CommandFailed as failure:
            sentences.append(str(failure))
        for found in run.results():
            json.dumps(found.packed(), allow_nan=False)
        assert len(run.new_rows()) <= len(LINES)
        assert len(coordinator._known) <= 1
    assert all(len(one) < 1000 and one.isprintable() for one in sentences)
    assert refused > 200
    assert taken > 200
