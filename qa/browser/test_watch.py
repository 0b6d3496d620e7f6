"""What the watch sees, in the tab of a real cluster: findings, latencies, laggy PGs."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from typing import Any, Callable

import pytest

from browser.axe import axe_findings
from browser.chrome import Page, expect
from browser.dashboard import APP, goes, open_tab
from browser.sites import Site, answering
from browser.test_rest import fits
from cluster.waiting import wait_for
from scenarios.clients import coming, writing

# On a machine that has other work everything takes longer; what is slow is not wrong.
SEEN = 600.0
FROZEN = 2
STALLED = 3


def waits(what: str, look: Callable[[], Any], seconds: float = SEEN) -> Any:
    return wait_for(answering(look), seconds, lambda: f"the watch did not see {what}", every=1.0)


@pytest.fixture(scope="module")
def clients(site: Site) -> Iterator[None]:
    """Clients at work."""
    site.is_calm()
    with writing(site.cluster):
        yield


@pytest.fixture(scope="module")
def watched(site: Site, laggy: int) -> None:
    """Every OSD has latencies of a minute, and the finding of before is there still."""

    def seen() -> bool:
        return all(osd["commit_ms"] is not None for osd in site.admin.get("/osd").json)

    waits("latencies of every OSD", seen)


def finding(site: Site, code: str) -> Any:
    """The ID of the open finding of this code, if there is one."""
    rows = site.admin.get("/finding").json
    return next((one["id"] for one in rows if one["code"] == code), None)


def told_in_health(site: Site, code: str) -> str:
    """What `health detail` says where it has the check, else nothing."""
    text = site.cluster.ceph("health", "detail")
    return text if code in text else ""


@pytest.fixture(scope="module")
def laggy(site: Site, clients: None) -> int:
    """The ID of the finding about PGs that one frozen OSD made laggy; its cause is gone."""
    cluster = site.cluster
    pid = next(osd["pid"] for osd in cluster.info()["osds"] if osd["id"] == FROZEN)
    cluster.ceph("osd", "set", "nodown")
    os.kill(pid, signal.SIGSTOP)
    try:
        with coming(cluster):
            number = waits("laggy PGs", lambda: finding(site, "PERF_BENCH_LAGGY_PGS"))
            # Who it is may become clear only with more groups than the first.
            waits(
                f"a health check that names osd.{FROZEN}",
                lambda: f"osd.{FROZEN}" in told_in_health(site, "PERF_BENCH_LAGGY_PGS"),
            )
    finally:
        os.kill(pid, signal.SIGCONT)
        cluster.ceph("osd", "unset", "nodown")
    # The module's database may have waited for the very OSD.
    waits("answers again", lambda: site.admin.get("/laggy").status == 200)
    return int(number)


@pytest.fixture(scope="module")
def slow(site: Site, watched: None) -> int:
    """The ID of the finding about a stalled OSD; it stays open for minutes after its cause."""
    site.cluster.fault("stall", f"osd.{STALLED}")
    try:
        number = waits("a slow OSD", lambda: finding(site, "PERF_BENCH_SLOW_OSD"), 1200.0)
    finally:
        site.cluster.fault("clear", "all")
    return int(number)


def test_laggy_pgs_from_the_finding_to_its_episodes(page: Page, site: Site, laggy: int) -> None:
    fits(site.admin.get("/finding?everything=true").json, "GET finding")
    fits(site.admin.get(f"/finding/{laggy}").json, "GET finding/ID")
    fits(site.admin.get("/laggy").json, "GET laggy")
    open_tab(page, site, "/findings?closed=1")
    app = page.locator(APP)
    app.get_by_role("link", name=str(laggy), exact=True).click()
    app.get_by_text("what it means").click()
    expect(app.get_by_text("PERF_BENCH_LAGGY_PGS")).to_be_visible()
    evidence = app.get_by_role("region", name="Evidence")
    evidence.get_by_text("Evidence", exact=True).click()
    expect(evidence.get_by_role("link", name=f"osd.{FROZEN}").first).to_be_visible()
    app.get_by_role("link", name="See also: Laggy PGs").click()
    expect(page).to_have_url(re.compile("/perf-bench/laggy$"))
    episodes = app.get_by_role("region", name="Episodes")
    expect(episodes.get_by_role("link", name=f"osd.{FROZEN}").first).to_be_visible()
    expect(page.locator(f"{APP} >> pb-chart canvas").first).to_be_visible()
    assert axe_findings(page) == []


def test_latencies_on_the_map_and_over_time(page: Page, site: Site, watched: None) -> None:
    for question in ("osd/latency", "osd/ID/series", "cohort", "cluster/latency", "cluster/strip"):
        answer = site.admin.get("/" + question.replace("ID", str(FROZEN))).json
        fits(answer, f"GET {question}")
        assert answer
    open_tab(page, site, "/map?layer=commit")
    app = page.locator(APP)
    expect(app.get_by_text(re.compile("6 OSDs, [1-6] with latencies"))).to_be_visible()
    expect(page.locator(f"{APP} >> canvas").first).to_be_visible()
    assert axe_findings(page) == []
    page.get_by_role("button", name="Table").click()
    expect(app.get_by_role("columnheader", name="Commit ms")).to_be_visible()
    row = page.locator(f"{APP} >> tbody tr").first
    expect(row.locator("td").nth(8)).to_have_text(re.compile(r"\d"))

    goes(page, "/osds/1")
    chart = app.get_by_role("img", name=re.compile("^Latency commit of osd.1, An hour: mean"))
    expect(chart).to_be_visible()
    app.get_by_role("button", name="A day").click()
    expect(
        app.get_by_role("img", name=re.compile("^Latency commit of osd.1, A day"))
    ).to_be_visible()
    app.get_by_label("Channel").select_option("client_write")
    expect(app.get_by_role("img", name=re.compile("^Latency client write"))).to_be_visible()
    assert axe_findings(page) == []

    goes(page, "/")
    chart = app.get_by_role("img", name=re.compile("^Latency commit of the OSDs, An hour: median"))
    expect(chart).to_be_visible()
    assert axe_findings(page) == []


@pytest.mark.long
def test_a_slow_osd_in_full_and_muted_by_who_may(page: Page, site: Site, slow: int) -> None:
    reply = site.admin.get(f"/finding/{slow}/incident?since=1h")
    assert reply.status == 200, reply
    fits(reply.json, "GET finding/ID/incident")
    assert reply.json["osds"] == [STALLED]
    series = reply.json["series"]
    assert (series["osds"], series["peers"]) == ([STALLED], 5)
    own, high = series["columns"].index("own_ms"), series["columns"].index("high_ms")
    known = [row for row in series["rows"] if row[own] is not None and row[high] is not None]
    assert any(row[own] > 2 * row[high] for row in known), known
    open_tab(page, site, f"/findings/{slow}")
    app = page.locator(APP)
    name = re.compile(f"^Latency .* of osd.{STALLED} against its peers")
    expect(app.get_by_role("img", name=name)).to_be_visible()
    expect(app.get_by_role("region", name="What changed then")).to_be_visible()
    assert axe_findings(page) == []
    app.get_by_role("link", name="Show it on the map").click()
    expect(app.get_by_text(f"1 OSD marked: osd.{STALLED}")).to_be_visible()

    assert site.reader.post(f"/finding/{slow}/mute", {"for": "1d"}).status == 403
    goes(page, f"/findings/{slow}")
    app.get_by_role("button", name="Mute…").click()
    dialog = page.get_by_role("dialog", name=f"Mute finding {slow}?")
    dialog.get_by_label("For").select_option("8h")
    dialog.get_by_role("button", name="Mute it").click()
    expect(dialog).to_have_count(0)
    goes(page, "/")
    expect(app.get_by_text("1 muted")).to_be_visible()
    wait_for(  # the mgr tells the monitors every few seconds
        lambda: not told_in_health(site, "PERF_BENCH_SLOW_OSD"),
        30.0,
        lambda: "a muted finding stays in health",
        every=1.0,
    )
