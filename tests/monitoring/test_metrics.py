"""The exposition: what Prometheus accepts, with bounded labels, whatever things are called."""

from __future__ import annotations

import re
from typing import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes.metered import NOW, Metered, a_result, a_round, full
from perf_bench.answers.metrics import MOST, escaped
from perf_bench.hardware.checksums import ChecksumSnapshot
from perf_bench.model.finding import Finding, Severity, Target
from perf_bench.model.finding_kinds import SLOW_OSD
from perf_bench.model.hardware import CounterTrend, Errors
from perf_bench.model.osd import Osd
from perf_bench.model.verdict import (
    CohortReport,
    LaggyNow,
    LaggyPool,
    OsdSnapshot,
    OsdState,
    OsdVerdict,
)
from perf_bench.version import VERSION

Promtool = Callable[..., tuple[int, str]]

HOSTILE = 'a"b\\c\nd{e="f"} 1\r\t\x00 \udc80 ü 池'


def series(text: str, name: str) -> list[str]:
    """The lines of one metric, without its prefix."""
    return re.findall(rf"^ceph_perf_bench_({name}(?:{{.*)? .*)$", text, re.MULTILINE)


@pytest.mark.parametrize("per_osd", [True, False])
def test_prometheus_finds_nothing_to_mend(promtool: Promtool, per_osd: bool) -> None:
    for told in (full(), Metered(), renamed(HOSTILE)):
        assert promtool("check", "metrics", stdin=told.text(per_osd)) == (0, "")


def test_prometheus_would_find_something(promtool: Promtool) -> None:
    text = full().text()
    for broken in (
        text.replace("_total", ""),
        text.replace("# HELP", "# help"),
        text + "x{y=1} 2\n",
    ):
        assert promtool("check", "metrics", stdin=broken)[0] != 0


def renamed(name: str) -> Metered:
    """A cluster in which people gave everything this name."""
    made = Metered(name, [Osd(0, name, name)])
    made.findings = [Finding(1, name, Severity.ERROR, Target("host", name), name)]
    made.snapshot = OsdSnapshot({}, {name: {0: 1.0}})
    made.newest = {0: (a_round(name), a_result(0))}
    trend = CounterTrend.first(1, NOW)
    made.checksums = ChecksumSnapshot(
        NOW, errors=[Errors(name, "udma_crc", trend, name, device=name)]
    )
    made.pools = [LaggyPool(name, 1, 0, 1.0)]
    made.stored = name, {name: 1}
    made.cohorts = [CohortReport(name, 1, 1)]
    return made


def test_figures_are_what_was_read() -> None:
    text = full().text()
    osd = 'ceph_daemon="osd.3",hostname="host-0",device_class="hdd"'
    assert series(text, "info") == [f'info{{version="{VERSION}",release="reef"}} 1']
    assert series(text, "osd_latency_seconds")[0] == (
        f'osd_latency_seconds{{{osd},channel="commit"}} 0.0125'
    )
    assert series(text, "osd_bench_peers_ratio") == [
        f'osd_bench_peers_ratio{{{osd},profile="osd-throughput"}} 0.81'
    ]
    assert [line.rsplit(" ", 1)[1] for line in series(text, "osd_slow")] == ["1", "0"]
    assert series(text, "laggy_pgs") == ["laggy_pgs 6"]
    assert series(text, "laggy_pg_seconds_total") == ["laggy_pg_seconds_total 120.5"]
    assert series(text, "round_cv_ratio") == ['round_cv_ratio{profile="osd-throughput"} 0.035']
    assert series(text, "store_up") == ['store_up{backend="sqlite:.mgr"} 1']


def test_findings_are_counted_and_named_while_they_are_open() -> None:
    text = full().text()
    assert 'findings{severity="warning",state="open"} 2' in series(text, "findings")
    assert 'findings{severity="warning",state="muted"} 1' in series(text, "findings")
    assert 'findings{severity="error",state="open"} 0' in series(text, "findings")
    named = series(text, "finding_first_seen_timestamp_seconds")
    assert len(named) == 2
    assert (
        'finding_first_seen_timestamp_seconds{code="PERF_BENCH_SLOW_OSD",severity="warning",'
        f'kind="osd",target="osd.3"}} {NOW:.0f}'
    ) in named


def test_no_data_is_no_series_and_never_zero() -> None:
    made = Metered(osds=[Osd(0, "h")])
    made.snapshot = OsdSnapshot({0: OsdVerdict(0, OsdState.OK, ratio=float("nan"))})
    counts = {"laggy_pg_seconds_total", "rounds_removed_total", "store_errors_total"}
    always = {"findings", "info", "osds", "osd_slow", "osd_risk", "store_limit_bytes", "store_up"}
    told = set(re.findall(r"^ceph_perf_bench_(\w+)", made.text(), re.MULTILINE))
    assert told == always | counts | {"watch_frames_dropped_total"}


def test_errors_with_the_same_labels_are_one_series_with_their_sum() -> None:
    """The two controllers of an NVMe drive have counters of their own."""
    made = Metered()
    errors = [
        Errors("h", "pcie_correctable", CounterTrend.first(count, NOW), "S5H6", device="nvme0n1")
        for count in (105, 5)
    ]
    made.checksums = ChecksumSnapshot(NOW, errors=errors)
    (line,) = series(made.text(), "link_errors_total")
    assert line.endswith('device="nvme0n1",kind="pcie_correctable"} 110')


def test_without_series_of_osds_their_number_does_not_matter() -> None:
    many = full()
    few_text = many.text(per_osd=False)
    many.osds = [Osd(osd, "h") for osd in range(1000)]
    many.snapshot = OsdSnapshot({osd: OsdVerdict(osd, OsdState.OK) for osd in range(1000)})
    assert len(series(many.text(), "osd_slow")) == 1000
    without = [line.partition(" ")[0] for line in many.text(per_osd=False).splitlines()]
    assert without == [line.partition(" ")[0] for line in few_text.splitlines()]


def test_labels_are_bounded_and_the_worst_are_kept() -> None:
    findings = [
        Finding(n, SLOW_OSD.code, Severity.WARNING, Target("osd", str(n)), "", first_seen=n)
        for n in range(300)
    ]
    findings.append(
        Finding(999, SLOW_OSD.code, Severity.ERROR, Target("osd", "999"), "", first_seen=999)
    )
    many = Metered()
    many.findings = findings
    many.laggy = LaggyNow(300, 0, 300, NOW)
    many.pools = [LaggyPool(f"p{n}", 1, 0, 1000.0 - n) for n in range(300)]
    many.cohorts = [CohortReport(f"c{n}", 3, 3) for n in range(300)]
    text = many.text()
    named = series(text, "finding_first_seen_timestamp_seconds")
    assert len(named) == MOST
    assert 'target="osd.999"' in named[0]
    assert len(series(text, "pool_laggy_pgs")) == len(series(text, "cohort_osds")) == MOST
    assert 'findings{severity="warning",state="open"} 300' in text


@given(st.text())
def test_any_name_stays_one_value_on_one_line(name: str) -> None:
    told = escaped(name)
    assert "\n" not in told
    told.encode("utf-8")
    assert re.fullmatch(r'(?:[^"\\\n]|\\["\\n])*', told)
    back = re.sub(r"\\(.)", lambda hit: "\n" if hit[1] == "n" else hit[1], told)
    assert back == name.encode("utf-8", "replace").decode()


@given(st.floats())
def test_any_figure_is_one_that_prometheus_reads(figure: float) -> None:
    made = Metered()
    made.laggy_pg_seconds = figure
    lines = series(made.text(), "laggy_pg_seconds_total")
    told = [float(line.split()[1]) for line in lines]
    assert told == ([] if figure != figure else [figure])  # noqa: PLR0124 - it is NaN
