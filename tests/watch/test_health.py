"""What the cluster hears of findings: health checks and lines in its log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import pytest

from perf_bench.model.finding import Finding, FindingState, Gap, Look, Severity, Target
from perf_bench.model.finding_kinds import CODES, SLOW_HOST, SLOW_OSD
from perf_bench.watch.findings import MOST_LINES, Line, checks, log_lines

T = 1_700_000_000.0


def a_finding(osd: int = 7, **named: Any) -> Finding:
    """An open warning of a slow OSD."""
    values: dict[str, Any] = {
        "id": osd,
        "code": SLOW_OSD.code,
        "severity": Severity.WARNING,
        "target": Target("osd", str(osd)),
        "message": f"osd.{osd} is slow",
        "first_seen": T,
        "last_seen": T + 60,
    }
    return Finding(**{**values, **named})


# --- health checks -------------------------------------------------------------------------------


def test_one_check_a_code() -> None:
    findings = [
        a_finding(12),
        a_finding(code=SLOW_HOST.code, target=Target("host", "h1"), message="h1 is slow"),
        a_finding(7),
    ]
    assert checks(findings, CODES) == {
        "PERF_BENCH_SLOW_HOST": {
            "severity": "warning",
            "summary": "1 host slow against peers",
            "count": 1,
            "detail": ["h1 is slow"],
        },
        "PERF_BENCH_SLOW_OSD": {
            "severity": "warning",
            "summary": "2 OSDs slow against peers",
            "count": 2,
            "detail": ["osd.7 is slow", "osd.12 is slow"],
        },
    }


@pytest.mark.parametrize(
    ("finding", "raised"),
    [
        (a_finding(), True),
        (a_finding(severity=Severity.INFO), False),
        (a_finding(state=FindingState.MUTED, muted_until=T + 60), False),
        (a_finding(state=FindingState.CLOSED, closed_at=T), False),
        # a code that is switched off
        (a_finding(code=SLOW_HOST.code), False),
    ],
)
def test_what_is_raised(finding: Finding, raised: bool) -> None:
    assert bool(checks([finding], [SLOW_OSD.code])) is raised


def test_the_worst_finding_makes_the_severity_and_stands_first() -> None:
    findings = [
        a_finding(1, first_seen=T - 100),
        a_finding(2, severity=Severity.ERROR),
        a_finding(3, first_seen=T - 200),
    ]
    check = checks(findings, CODES)[SLOW_OSD.code]
    assert check["severity"] == "error"
    assert check["detail"] == ["osd.2 is slow", "osd.3 is slow", "osd.1 is slow"]


@pytest.mark.parametrize(
    ("findings", "count", "lines", "last"),
    [
        ([a_finding(osd) for osd in range(10)], 10, 10, "osd.9 is slow"),
        ([a_finding(osd) for osd in range(50)], 50, 11, "and 40 more"),
    ],
)
def test_ten_lines_and_how_many_more(
    findings: Sequence[Finding], count: int, lines: int, last: str
) -> None:
    check = checks(findings, CODES)[SLOW_OSD.code]
    assert (check["count"], len(check["detail"]), check["detail"][-1]) == (count, lines, last)


# --- the cluster's log ---------------------------------------------------------------------------


def _closed(seconds: float, **named: Any) -> Finding:
    return a_finding(state=FindingState.CLOSED, closed_at=T + seconds, **named)


@pytest.mark.parametrize(
    ("opened", "closed", "lines"),
    [
        (
            a_finding(),
            None,
            [Line(Severity.WARNING, "PERF_BENCH_SLOW_OSD: osd.7 is slow")],
        ),
        (
            None,
            _closed(5.0),
            [Line(Severity.INFO, "PERF_BENCH_SLOW_OSD cleared: osd.7 after 5 s")],
        ),
        (
            None,
            _closed(7380.0, target=Target("host", "h1")),
            [Line(Severity.INFO, "PERF_BENCH_SLOW_OSD cleared: h1 after 2 h 03 min")],
        ),
        # nobody was told when they opened
        (a_finding(severity=Severity.INFO), None, []),
        (None, _closed(5.0, severity=Severity.INFO), []),
        (a_finding(state=FindingState.MUTED, muted_until=T + 60), None, []),
        (None, _closed(5.0, muted_until=T + 60), []),
    ],
)
def test_lines(opened: Optional[Finding], closed: Optional[Finding], lines: list[Line]) -> None:
    assert log_lines([opened] if opened else [], [closed] if closed else []) == lines


def _look(*gaps: Gap) -> Look:
    codes = ("PERF_BENCH_SLOW_OSD", "PERF_BENCH_ENCLOSURE_FAULT")
    return Look("facts", "facts of hosts", "host", 3, codes, gaps)


@pytest.mark.parametrize(
    ("names", "partly", "told"),
    [
        (["h1", "h2"], False, "not looked at any more: E after 5 s (the facts are old)"),
        # The other host tells that all is well.
        (["h1"], False, "cleared: E after 5 s"),
        (["h1", "h2"], True, "cleared: E after 5 s"),
        ([], False, "cleared: E after 5 s"),
    ],
)
def test_what_cannot_be_looked_at_any_more_is_not_told_as_cleared(
    names: list[str], partly: bool, told: str
) -> None:
    enclosure = Target("enclosure", "E")
    closed = _closed(5.0, target=enclosure, evidence={"hosts": ["h1", "h2"]})
    look = _look(Gap("old-facts", "the facts are old", partly=partly).of(names))
    (line,) = log_lines([], [closed], [look])
    assert line.text == f"{closed.code} {told}"


@pytest.mark.parametrize("reasons", [2, 5])
def test_details_count_the_reasons_that_they_leave_out(reasons: int) -> None:
    gaps = tuple(Gap(f"code{n}", f"why {n}").of([f"osd.{n}"]) for n in range(reasons))
    look = Look("slow_osds", "latencies", "OSD", 30, (SLOW_OSD.code,), gaps)
    found = checks([a_finding(osd) for osd in range(30)], CODES, lambda: [look])
    detail = found[SLOW_OSD.code]["detail"]
    assert len(detail) == 11
    assert [line.rpartition(": ")[2] for line in detail if "not looked at: " in line] == [
        "why 0", "why 1",
    ]  # fmt: skip
    more = ["3 more reasons why not all was looked at: 'ceph perf-bench coverage ls'"]
    assert [line for line in detail if "more reasons" in line] == more[: reasons - 2]


def test_what_no_unit_was_looked_at_for_is_told_as_not_looked_at() -> None:
    closed = _closed(5.0, target=Target("host", "h1"))
    gaps = (Gap("silent", "no OSD reports", count=30),)
    look = Look("slow_osds", "latencies", "OSD", 30, (closed.code,), gaps)
    (line,) = log_lines([], [closed], [look])
    assert line.text.endswith("not looked at any more: h1 after 5 s (no OSD reports)")


@pytest.mark.parametrize(
    ("silent", "told"),
    [
        (["osd.1", "osd.4", "osd.5"], "not looked at any more: h1 after 5 s (no reports)"),
        # The other OSD of the host tells that all is well.
        (["osd.1", "osd.5"], "cleared: h1 after 5 s"),
    ],
)
def test_a_slow_host_whose_osds_fell_silent_is_not_told_as_cleared(
    silent: list[str], told: str
) -> None:
    closed = _closed(5.0, target=Target("host", "h1"), evidence={"osds": [1, 4]})
    gaps = (Gap("silent", "no reports").of(silent),)
    look = Look("slow_osds", "latencies", "OSD", 30, (closed.code,), gaps)
    (line,) = log_lines([], [closed], [look])
    assert line.text == f"{closed.code} {told}"


@pytest.mark.parametrize("more", [0, 30])
def test_twenty_lines_and_then_how_many_more(more: int) -> None:
    told = log_lines([a_finding(osd) for osd in range(MOST_LINES + more)], [])
    assert [line.text for line in told[:20]] == [
        f"PERF_BENCH_SLOW_OSD: osd.{osd} is slow" for osd in range(20)
    ]
    rest = f"PERF_BENCH: and {more} more: 'ceph perf-bench finding ls --all' has them"
    assert [line.text for line in told[20:]] == ([rest] if more else [])
