"""What OSDs answer: real recordings, and answers that are damaged or hostile."""

from __future__ import annotations

from typing import Any

import pytest

from operations import RELEASES, STALLED, dump, operation, recorded, stamp, text
from perf_bench.errors import InvalidValue
from perf_bench.model.verdict import Total
from perf_bench.watch.breakdown import parsing
from perf_bench.watch.breakdown.parsing import COUNTERS

GOOD = operation((1.0, "initiated"), (1.5, "done"))


@pytest.mark.parametrize("release", RELEASES)
def test_a_recording_has_every_counter_of_the_table(release: str) -> None:
    found = parsing.counters(text(recorded(release, STALLED)[1]["counters"]))
    assert set(found) == {counter.name for counter in COUNTERS}
    assert found["transaction"].count > 100
    assert 0 < found["transaction"].seconds < 1000


def test_a_recorded_operation_is_read() -> None:
    found, _ = parsing.operations(
        text(recorded("pacific", STALLED)[1]["historic"]), in_flight=False
    )
    first = found[0]
    assert (first.kind, first.reads, first.writes, first.in_flight) == (
        "osd_op", False, True, False,
    )  # fmt: skip
    # On 16 the stamp of "header_read" is before that of "initiated", which is told first.
    assert [event.name for event in first.events][:3] == ["header_read", "initiated", "throttled"]
    assert first.end - first.events[0].at == pytest.approx(0.508178, abs=1e-6)


def test_an_operation_in_flight_goes_on_until_its_age() -> None:
    entry = operation((1.0, "initiated"), (1.5, "reached_pg"), age=9.0)
    (one,), _ = parsing.operations(dump([entry]), in_flight=True)
    assert one.end - one.events[0].at == pytest.approx(9.0)
    (ended,), _ = parsing.operations(dump([entry]), in_flight=False)
    assert ended.end - ended.events[0].at == pytest.approx(0.5)


def _with(**fields: Any) -> dict[str, Any]:
    return {**GOOD, **fields}


def _events(*events: Any) -> dict[str, Any]:
    return _with(type_data={"events": list(events)})


_OLD = operation((1.0, "initiated"), (2.0, "done"))
_EVENT = {"time": stamp(1.0), "event": "done"}


@pytest.mark.parametrize(
    "entry",
    [
        None,
        _with(description=7),
        _with(initiated_at=1.0),
        _with(type_data=[]),
        _events(*[_EVENT] * (parsing.MOST_EVENTS + 1)),
        _events(7),
        _events({"time": "yesterday", "event": "done"}),
        _events({"time": "2026-13-41T00:00:00.0", "event": "done"}),
        _events({"time": "2020-01-01T00:00:00.000000", "event": "initiated"}, _EVENT),
    ],
)
def test_an_entry_that_cannot_be_read_leaves_the_others(entry: Any) -> None:
    found, unread = parsing.operations(dump([entry, GOOD]), in_flight=False)
    assert (len(found), unread) == (1, 1)


def test_more_operations_than_the_bound_are_counted() -> None:
    entries = [{**GOOD, "description": f"osd_op({number}"} for number in range(502)]
    found, unread = parsing.operations(dump(entries), in_flight=False)
    assert (len(found), unread) == (parsing.MOST_OPERATIONS, 2)


@pytest.mark.parametrize(
    "out",
    [
        b"",
        b"op_tracker tracking is not enabled now, so no ops are tracked currently",
        b'{"ops": [',
        b"[]",
        b'{"ops": 7}',
        b'{"ops": [NaN]}',
        b"[" * 100_000,
        b'{"ops": []' + b" " * parsing.LARGEST_ANSWER + b"}",
    ],
)
def test_an_answer_that_is_no_dump_is_refused(out: bytes) -> None:
    with pytest.raises(InvalidValue):
        parsing.operations(out, in_flight=False)


@pytest.mark.parametrize("out", [b"", b"[]"])
def test_an_answer_that_has_no_counters_is_refused(out: bytes) -> None:
    with pytest.raises(InvalidValue):
        parsing.counters(out)


@pytest.mark.parametrize(
    "value",
    [
        7,
        {},
        {"avgcount": True, "sum": 1.0},
        {"avgcount": -1, "sum": 1.0},
        {"avgcount": 1, "sum": -1.0},
        {"avgcount": 10**30, "sum": 1.0},
    ],
)
def test_a_counter_that_cannot_be_read_is_absent(value: Any) -> None:
    good = {"avgcount": 2, "sum": 0.5}
    found = parsing.counters(text({"bluestore": {"csum_lat": value, "read_lat": good}, "osd": 7}))
    assert found == {"read": Total(2, 0.5)}


@pytest.mark.parametrize("name", ["commit_lat", "txc_commit_lat"])
def test_a_counter_is_known_by_each_releases_name(name: str) -> None:
    found = parsing.counters(text({"bluestore": {name: {"avgcount": 3, "sum": 1}}}))
    assert found == {"transaction": Total(3, 1.0)}
