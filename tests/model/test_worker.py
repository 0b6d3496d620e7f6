"""What a worker may be ordered to do."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

import pytest

from perf_bench.errors import InvalidValue
from perf_bench.model.rados import LoadOrder, checked_numbers, checked_order

ORDER = LoadOrder("perf_bench", "round-1", "write", 2, 3, 4, 65536, 50, ("a", "b"))


def test_an_order_goes_through_json_as_it_is() -> None:
    assert checked_order(json.loads(json.dumps(asdict(ORDER)))) == ORDER


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("pool", "rbd", "a worker serves the pool perf_bench only"),
        ("namespace", "", "the namespace is not one of a round"),
        ("namespace", "workers", "the namespace is not one of a round"),
        ("namespace", "round-1 --x", "the namespace is not one of a round"),
        ("namespace", 7, "the namespace is not one of a round"),
        ("operation", "cleanup", "the operation is none of write, seq, rand"),
        ("seconds", 0, "seconds is not within 2 to 3600"),
        ("clients", 65, "clients is not within 1 to 64"),
        ("threads", "4", "threads is not within 1 to 256"),
        ("threads", True, "threads is not within 1 to 256"),
        ("size", 1 << 40, "size is not within 1 to 134217728"),
        ("max_objects", -1, "max_objects is not within 0 to 1099511627776"),
        ("workers", "a", "the workers are not a list"),
        ("workers", ["a"] * 65, "the workers are not a list of at most 64 names"),
        ("workers", ["\x1b[2J"], "the workers are not a list"),
    ],
)
def test_the_list_of_what_a_worker_runs_is_closed(field: str, value: Any, sentence: str) -> None:
    with pytest.raises(InvalidValue, match=sentence):
        checked_order({**json.loads(json.dumps(asdict(ORDER))), field: value})


@pytest.mark.parametrize("numbers", [None, [], 3, [3], [-1], ["0"], [True]])
def test_clients_that_are_not_the_orders_are_refused(numbers: Any) -> None:
    with pytest.raises(InvalidValue, match="the clients are none of the order's"):
        checked_numbers(numbers, ORDER)


def test_a_client_is_ordered_once_and_not_too_many() -> None:
    with pytest.raises(InvalidValue, match="a client is ordered twice"):
        checked_numbers([0, 1, 0], ORDER)
    with pytest.raises(InvalidValue, match="3 clients would hold over 4096 MiB"):
        checked_numbers([0, 1, 2], replace(ORDER, threads=256, size=16 << 20))
