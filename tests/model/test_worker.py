"""What a worker may be ordered to do."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

import pytest

from perf_bench.errors import InvalidValue
from perf_bench.model.json_fields import decode
from perf_bench.model.rados import LoadOrder, checked_numbers

ORDER = LoadOrder("perf_bench", "round-1", "write", 2, 3, 4, 65536, 50, ("a", "b"))


def test_an_order_goes_through_json_as_it_is() -> None:
    assert decode(LoadOrder, json.loads(json.dumps(asdict(ORDER)))) == ORDER


def test_the_list_of_what_a_worker_runs_is_closed() -> None:
    cases: list[tuple[str, Any, str]] = [
        ("pool", "rbd", "pool must be one of: perf_bench"),
        ("namespace", "", "namespace must be the namespace of a round"),
        ("namespace", "workers", "namespace must be the namespace of a round"),
        ("namespace", "round-1 --x", "namespace must be the namespace of a round"),
        ("namespace", 7, "namespace must be the namespace of a round"),
        ("operation", "cleanup", "operation must be one of: write, seq, rand"),
        ("seconds", 0, "seconds must be 2 to 3600"),
        ("clients", 65, "clients must be 1 to 64"),
        ("threads", "4", "threads must be a whole number"),
        ("threads", True, "threads must be a whole number"),
        ("size", 1 << 40, "size must be 1 to 134217728"),
        ("max_objects", -1, "max_objects must be a whole number of 0 or more"),
        ("workers", "a", "workers must be a list"),
        ("workers", ["a"] * 65, "workers must have at most 64 entries"),
        ("workers", ["\x1b[2J"], r"workers\[0\] must be the name of a worker"),
    ]
    for field, value, sentence in cases:
        with pytest.raises(InvalidValue, match=sentence):
            decode(LoadOrder, {**json.loads(json.dumps(asdict(ORDER))), field: value})


def test_clients_that_are_not_the_orders_are_refused() -> None:
    cases: list[Any] = [None, [], 3, [3], [-1], ["0"], [True], [0, 1, 0]]
    for numbers in cases:
        with pytest.raises(InvalidValue, match="the clients are none of the order's"):
            checked_numbers(numbers, ORDER)


def test_not_too_many_clients_are_ordered() -> None:
    with pytest.raises(InvalidValue, match="3 clients would hold over 4096 MiB"):
        checked_numbers([0, 1, 2], replace(ORDER, threads=256, size=16 << 20))
