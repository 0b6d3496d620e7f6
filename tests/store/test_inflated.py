"""A packed value that unpacks to much more than any mgr of ours packs: refused, not unpacked."""

from __future__ import annotations

import tracemalloc
import zlib
from typing import Any

import pytest

from perf_bench.model import json_fields
from perf_bench.model.json_fields import FAULTS, inflated
from perf_bench.store import encoding, tables, watch

MOST = 1 << 20
BOMB = zlib.compress(bytes(64 * MOST), 9)


def test_what_was_packed_is_unpacked() -> None:
    assert inflated(zlib.compress(b"abc"), 3) == b"abc"
    assert inflated(zlib.compress(b""), 0) == b""


@pytest.mark.parametrize("data", [BOMB, b"", b"x", zlib.compress(bytes(99))[:-3], "text", None])
def test_all_else_is_a_fault(data: Any) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(FAULTS):
            inflated(data, MOST)
        assert tracemalloc.get_traced_memory()[1] < 3 * MOST
    finally:
        tracemalloc.stop()


def _series() -> object:
    head = bytes([encoding.VERSION, 1]) + (1).to_bytes(8, "little") + b"\0"
    data = head + BOMB
    return encoding.unpack(data + zlib.crc32(data).to_bytes(4, "little"), 0)


@pytest.mark.parametrize(
    "read",
    [
        lambda: watch.state_of({"at": 1.0, "data": BOMB}),  # type: ignore[arg-type]
        lambda: tables.load_of({"data": BOMB}),  # type: ignore[arg-type]
        _series,
    ],
    ids=["states", "loads", "series"],
)
def test_every_reader_of_packed_values_is_bounded(
    monkeypatch: pytest.MonkeyPatch, read: Any
) -> None:
    monkeypatch.setattr(json_fields, "LARGEST_INFLATED", MOST)
    monkeypatch.setattr(inflated, "__defaults__", (MOST,))
    tracemalloc.start()
    try:
        with pytest.raises(FAULTS):
            read()
        assert tracemalloc.get_traced_memory()[1] < 8 * MOST
    finally:
        tracemalloc.stop()
