"""The exposition: what Prometheus accepts, with bounded labels, whatever things are called."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_bench.model.finding import Finding, Severity, Target
from perf_bench.model.finding_kinds import SLOW_OSD
from perf_bench.model.hardware import CounterTrend, Errors
from perf_bench.model.laggy import LaggyNow, PoolLaggy
from perf_bench.model.verdict import CohortReport
from perf_bench.report.metrics import MOST, OsdReading, Readings, metrics
from perf_bench.report.metrics_text import escaped
from readings import FULL, NOW

Promtool = Callable[..., tuple[int, str]]

EMPTY = Readings(version="1", release="reef")
HOSTILE = 'a"b\\c\nd{e="f"} 1\r\t\x00 \udc80 ü 池'


def series(text: str, name: str) -> list[str]:
    """The lines of one metric, without its prefix."""
    return re.findall(rf"^ceph_perf_bench_({name}(?:{{.*)? .*)$", text, re.MULTILINE)


@pytest.mark.parametrize("per_osd", [True, False])
def test_prometheus_finds_nothing_to_mend(promtool: Promtool, per_osd: bool) -> None:
    for told in (FULL, EMPTY, renamed(HOSTILE)):
        assert promtool("check", "metrics", stdin=metrics(told, per_osd)) == (0, "")


def test_prometheus_would_find_something(promtool: Promtool) -> None:
    text = metrics(FULL)
    for broken in (
        text.replace("_total", ""),
        text.replace("# HELP", "# help"),
        text + "x{y=1} 2\n",
    ):
        assert promtool("check", "metrics", stdin=broken)[0] != 0


def renamed(name: str) -> Readings:
    """The same cluster, where people gave everything this name."""
    return replace(
        FULL,
        release=name,
        findings=[Finding(1, name, Severity.ERROR, Target("host", name), name)],
        osds=[OsdReading(0, name, name, bench_profile=name, bench_iops=1.0, latency={name: 1.0})],
        errors=[Errors(name, "udma_crc", CounterTrend.first(1, NOW), name, device=name)],
        pools=[PoolLaggy(name, 1, 0, 1.0)],
        rounds={name: 1},
        store_backend=name,
        cohorts=[CohortReport(name, 1, 1)],
    )


def test_figures_are_what_was_read() -> None:
    text = metrics(FULL)
    osd = 'ceph_daemon="osd.3",hostname="host-0",device_class="hdd"'
    assert series(text, "info") == ['info{version="1.2.3",release="reef"} 1']
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
    text = metrics(FULL)
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
    text = metrics(replace(EMPTY, osds=[OsdReading(0, "h", ratio=float("nan"))]))
    assert sorted(set(re.findall(r"^ceph_perf_bench_(\w+)", text, re.MULTILINE))) == [
        "findings",
        "info",
        "osd_slow",
    ]


def test_errors_with_the_same_labels_are_one_series_with_their_sum() -> None:
    """The two controllers of an NVMe drive have counters of their own."""
    errors = [
        Errors("h", "pcie_correctable", CounterTrend.first(count, NOW), "S5H6", device="nvme0n1")
        for count in (105, 5)
    ]
    (line,) = series(metrics(replace(EMPTY, errors=errors)), "link_errors_total")
    assert line.endswith('device="nvme0n1",kind="pcie_correctable"} 110')


def test_without_series_of_osds_their_number_does_not_matter() -> None:
    many = replace(FULL, osds=[OsdReading(osd, "h") for osd in range(1000)])
    assert len(series(metrics(many), "osd_slow")) == 1000
    assert metrics(many, per_osd=False) == metrics(FULL, per_osd=False)


def test_labels_are_bounded_and_the_worst_are_kept() -> None:
    findings = [
        Finding(n, SLOW_OSD.code, Severity.WARNING, Target("osd", str(n)), "", first_seen=n)
        for n in range(300)
    ]
    findings.append(
        Finding(999, SLOW_OSD.code, Severity.ERROR, Target("osd", "999"), "", first_seen=999)
    )
    many = replace(
        EMPTY,
        findings=findings,
        laggy=LaggyNow(300, 0, 300, NOW),
        pools=[PoolLaggy(f"p{n}", 1, 0, 1000.0 - n) for n in range(300)],
        cohorts=[CohortReport(f"c{n}", 3, 3) for n in range(300)],
    )
    text = metrics(many)
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
    lines = series(metrics(replace(EMPTY, laggy_pg_seconds=figure)), "laggy_pg_seconds_total")
    told = [float(line.split()[1]) for line in lines]
    assert told == ([] if figure != figure else [figure])  # noqa: PLR0124 - it is NaN
