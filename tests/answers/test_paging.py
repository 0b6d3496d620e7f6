"""Lists are searched as they are read, and sorted with what has no value at the end."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

import pytest

from perf_bench.answers import findings, osds
from perf_bench.answers.hardware import Bay
from perf_bench.answers.osds import Osd as Answer
from perf_bench.answers.paging import Fields, Page, ordered
from perf_bench.answers.shape import to_json
from perf_bench.errors import InvalidValue
from perf_bench.model.finding import CLIENT_READ, COMMIT, QUEUE, Finding, Gap, Severity, Target
from perf_bench.model.osd import Osd
from perf_bench.model.plan import Step
from perf_bench.model.round import OsdResult, RoundLine, RoundState, Verdict
from perf_bench.model.verdict import OsdSnapshot, OsdState, OsdVerdict

SIGHT = OsdSnapshot(
    {1: OsdVerdict(1, OsdState.SLOW, 7.5, 3.25, 2.5, since=1_700_000_000.0)},
    {COMMIT: {1: 0.0415}, CLIENT_READ: {1: 0.002}, QUEUE: {1: 0.001}},
    {1: 0.056},
)
KEYS = ("osd", "host", "size")
PLAIN: Fields[dict[str, Any]] = {key: itemgetter(key) for key in KEYS}
ROWS = [
    {"osd": 0, "host": "b", "size": 2},
    {"osd": 3, "host": "A", "size": None},
    {"osd": 13, "host": "b", "size": 1},
]
STEP = Step("write", 4096, 4096)
LINE = RoundLine(5, "p", "osd", RoundState.DONE, STEP, ended_at=0.0, verdict=Verdict.VALID)
RESULT = OsdResult(
    1,
    "h",
    median_bytes_per_second=9.0,
    median_iops=8.0,
    cv_percent=1.0,
    robust_z=-2.0,
    percent_of_peers=77.0,
)


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("osd.3", [3]),  # as it is read, not as it is stored
        ("3", [3, 13]),
        ("a", [3]),  # case does not matter
        ("OSD.", [0, 3, 13]),
        ("none", []),  # nothing is not the text "None"
        ("2", []),  # not among the keys that are searched
    ],
)
def test_search(search: str, found: list[int]) -> None:
    read = {"osd": lambda row: f"osd.{row['osd']}", "host": PLAIN["host"]}
    rows, _ = Page(search=search).picked(ROWS, PLAIN, read)
    assert [row["osd"] for row in rows] == found


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


@pytest.mark.parametrize("bench", [None, (LINE, RESULT)])
def test_an_osds_fields_are_what_its_shape_has(bench: tuple[RoundLine, OsdResult] | None) -> None:
    osd = Osd(1, "h", "hdd", up=False, devices="sda", model="M", location={"enclosure": "e7"})
    shape = to_json(Answer(**osds.osd_keys(osd, osds.last_bench(*bench) if bench else None, SIGHT)))
    for key, of in osds.osd_fields({1: bench} if bench else {}, SIGHT).items():
        value: Any = shape
        for part in key.split("."):
            value = value and value[part]
        assert of(osd) == value, key


def test_since_is_sorted_by_what_the_column_has() -> None:
    """Of an OSD without a verdict that is the end of its last data."""
    seen = OsdSnapshot(
        {
            1: OsdVerdict(1, OsdState.SLOW, since=300.0),
            2: OsdVerdict(2, OsdState.NO_DATA),
            3: OsdVerdict(3, OsdState.NO_DATA),
        }
    )
    silent = {
        2: Gap("silent", "no reports", since=400.0),
        3: Gap("silent", "none", since=200.0),
    }
    rows = [Osd(number, "h", "hdd") for number in (1, 2, 3)]
    fields = osds.osd_fields({}, seen, lambda osd: silent.get(osd.id))
    shown = {osd.id: osds.osd_keys(osd, None, seen, silent.get(osd.id))["since"] for osd in rows}
    assert [osd.id for osd in ordered(rows, fields, "since")] == sorted(
        shown, key=shown.__getitem__
    )


def test_findings_are_sorted_by_the_number_of_their_osd() -> None:
    targets = [Target("osd", "10"), Target("osd", "9"), Target("host", "b"), Target("osd", "110")]
    rows = [
        Finding(number, "CODE", Severity.WARNING, target, "slow")
        for number, target in enumerate(targets)
    ]
    found = [str(one.target) for one in ordered(rows, findings._SORTED, "target")]
    assert found == ["b", "osd.9", "osd.10", "osd.110"]
    picked, _ = Page(search="osd.1").picked(rows, findings._SORTED, findings._READ)
    assert [one.id for one in picked] == [0, 3]


def test_a_list_is_searched_by_its_words_and_sorted_by_any_key() -> None:
    rows = [
        Bay(3, [3], [], 1, "b", "sda", None, None, None),
        Bay(13, [13, 14], [], 2, "a", None, None, None, "slow"),
    ]
    for search, found in (("osd.14", 1), ("SDA", 1), ("1", 1), ("none", 0)):
        assert Page(search=search).of(rows, Bay)[1] == found, search
    for sort, first in (("host", 13), ("-slot", 13), ("osds", 3), ("device", 3)):
        assert Page(sort=sort).of(rows, Bay)[0][0].osd == first, sort
