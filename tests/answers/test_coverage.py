"""How much was looked at, in the text of commands."""

from __future__ import annotations

import pytest

from perf_bench.answers.watched import coverage_below, looks_text
from perf_bench.model.finding import PUSH, Gap, Look

LIST = "'ceph perf-bench coverage ls'"


def _gap(code: str = "no-facts", count: int = 1, *, partly: bool = False) -> Gap:
    return Gap(code, "no facts are known", "wait", ("host-0",), count, partly=partly)


def _look(*gaps: Gap, total: int = 3, unit: str = "host") -> Look:
    return Look("media", "media errors", unit, total, (), gaps)


@pytest.mark.parametrize(
    ("found", "line"),
    [
        ([_look()], ""),
        ([_look(_gap(count=2))], f"looked at 1 of 3 hosts: {LIST}"),
        ([_look(_gap(partly=True))], f"looked at all 3 hosts, 1 of them in part: {LIST}"),
        ([_look(_gap(count=0))], f"looked at no host: {LIST}"),
        ([_look(_gap(count=2), unit="check")], f"2 of 3 checks are incomplete: {LIST}"),
        ([_look(), _look()], ""),
        ([_look(_gap()), _look()], f"1 of 2 checks is incomplete: {LIST}"),
        ([_look(_gap()), _look(_gap()), _look()], f"2 of 3 checks are incomplete: {LIST}"),
    ],
)
def test_one_line_says_what_was_not_looked_at(found: list[Look], line: str) -> None:
    assert coverage_below(found) == line


@pytest.mark.parametrize(
    ("found", "line"),
    [
        ([_look()], "looked at all 3 hosts"),
        ([_look(), _look()], "all 2 checks are complete"),
        ([_look(_gap()), _look()], f"1 of 2 checks is incomplete: {LIST}"),
    ],
)
def test_an_answer_of_nothing_says_what_was_looked_at(found: list[Look], line: str) -> None:
    assert coverage_below(found, whole=True) == line


def test_it_is_one_line_however_many_gaps_there_are_and_however_long_the_name_is() -> None:
    many = [_look(_gap(), _gap("old"), _gap("other")) for _ in range(20)]
    long = Look("slow_osds", "latencies of OSDs against their peers", "OSD", 6, (), (_gap(),))
    for found in (many, [long]):
        assert "\n" not in coverage_below(found)
        assert len(coverage_below(found)) <= 80


def test_gaps_are_grouped_by_what_completes_them() -> None:
    """One command for all hosts that lack it; what only time completes comes last."""
    time = Gap("cold", "too young", "", ("osd.0",), 1)
    shown = looks_text(
        [
            Look("slow_osds", "latencies", "OSD", 6, (), (time,)),
            Look("media", "media errors", "host", 3, (), (_push("host-0"),)),
            Look("links", "errors of links", "host", 3, (), (_push("host-1", "host-2"),)),
        ]
    )
    head, *groups = shown.split("\n \n")
    assert "latencies        5 of 6 OSDs" in head
    assert groups == [
        (
            "to complete: 'ceph-perf-bench facts --push' on host-0, host-1 and host-2\n"
            "  media errors: no facts\n  errors of links: no facts"
        ),
        "to complete: nothing but time\n  latencies: too young",
    ]


def test_hosts_that_are_not_named_are_counted() -> None:
    names = [f"host-{number:02}" for number in range(30)]
    shown = looks_text([Look("media", "media errors", "host", 30, (), (_push(*names),))])
    assert "on host-00, host-01, host-02,\n  host-03 and 26 more\n" in shown


def _push(*hosts: str) -> Gap:
    return Gap("no-facts", "no facts", "", hosts, len(hosts), command=PUSH, on=hosts)
