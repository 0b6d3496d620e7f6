"""Lists are searched as they are read, and sorted with what has no value at the end."""

from __future__ import annotations

from operator import itemgetter
from typing import Any, NamedTuple, Optional

import pytest

from perf_bench.answers.hardware import Bay
from perf_bench.answers.paging import Fields, Page, ordered
from perf_bench.errors import InvalidValue
from perf_bench.model.finding import Finding, Severity, Target
from perf_bench.model.hardware import OsdsOnDrive, Slot

KEYS = ("osd", "host", "size")
PLAIN: Fields[dict[str, Any]] = {key: itemgetter(key) for key in KEYS}
ROWS: list[dict[str, Any]] = [
    {"osd": 0, "host": "b", "size": 2},
    {"osd": 3, "host": "A", "size": None},
    {"osd": 13, "host": "b", "size": 1},
]


class Row(NamedTuple):
    """A row of a list."""

    osd: int
    host: str
    size: Optional[float]


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("osd.3", [3]),  # as it is read, not as it is stored
        ("3", [3, 13]),
        ("a", [3]),  # case does not matter
        ("OSD.", [0, 3, 13]),
        ("none", []),  # nothing is not the text "None"
        ("2", []),  # a figure is not searched
    ],
)
def test_search(search: str, found: list[int]) -> None:
    rows, _ = Page(search=search).of([Row(**row) for row in ROWS], Row)
    assert [row.osd for row in rows] == found


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("osd", [0, 3, 13]),
        ("-osd", [13, 3, 0]),
        ("+host", [3, 0, 13]),
        ("-host", [0, 13, 3]),  # equals stay in their order
        ("size", [13, 0, 3]),
        ("-size", [0, 13, 3]),  # no value is last either way
    ],
)
def test_sort(sort: str, order: list[int]) -> None:
    assert [row["osd"] for row in ordered(ROWS, PLAIN, sort)] == order


def test_an_unknown_key_is_refused_with_those_there_are() -> None:
    with pytest.raises(InvalidValue, match=r"^--sort -x: one of osd, host, size is needed$"):
        ordered(ROWS, PLAIN, "-x")


def test_findings_are_sorted_by_the_number_of_their_osd() -> None:
    targets = [Target("osd", "10"), Target("osd", "9"), Target("host", "b"), Target("osd", "110")]
    rows = [
        Finding(number, "CODE", Severity.WARNING, target, "slow")
        for number, target in enumerate(targets)
    ]
    found, _ = Page(sort="target").of(rows, Finding)
    assert [str(one.target) for one in found] == ["b", "osd.9", "osd.10", "osd.110"]
    found, _ = Page(search="osd.1").of(rows, Finding)
    assert [one.id for one in found] == [0, 3]


def test_a_list_is_searched_by_its_words_and_sorted_by_any_key() -> None:
    rows = [
        Bay(Slot(1, "sda"), "b", OsdsOnDrive((3,)), None),
        Bay(Slot(2), "a", OsdsOnDrive((13, 14)), "slow"),
        Bay(None, "c", OsdsOnDrive(), None),
    ]
    for search, found in (("osd.14", 1), ("SDA", 1), ("1", 1), ("none", 0)):
        assert Page(search=search).of(rows, Bay)[1] == found, search
    for sort, first in (("host", 13), ("-osd", 13), ("-osds", 13), ("device", 3)):
        assert Page(sort=sort).of(rows, Bay)[0][0].on.first == first, sort
