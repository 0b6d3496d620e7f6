"""The tab's pages on a real cluster: what an operator sees and does there."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from browser.axe import axe_findings
from browser.chrome import TIMEOUT_MS, Locator, Page, expect
from browser.dashboard import APP, START, goes, on_a_phone, open_tab, sees_round, sees_tab
from browser.sites import LONG, QUICK, Site
from browser.test_rest import fits
from cluster.waiting import wait_for

# Not one of the three that hold the database, whose calls would wait for it too.
STALLED = 4
# Figures in tables whose unit has wrapped away from them.
PARTED = """() => {
  const app = document.querySelector('perf-bench-app');
  const parted = [];
  for (const cell of app.shadowRoot.querySelectorAll('tbody td.pb-figure')) {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const found = /\\d \\S+/.exec(texts.currentNode.data);
      if (!found) continue;
      const range = document.createRange();
      range.setStart(texts.currentNode, found.index);
      range.setEnd(texts.currentNode, found.index + found[0].length);
      const lines = new Set([...range.getClientRects()].map((one) => Math.round(one.top)));
      if (lines.size > 1) parted.push(cell.textContent.trim());
    }
  }
  return parted;
}"""


@pytest.fixture(scope="module")
def stalled(site: Site) -> int:
    """The ID of a round that measured as slow the one OSD that was stopped again and again."""
    site.is_calm()
    seen = []
    try:
        # Its peers share one disk: a busy machine may hold up another one's only sample for longer,
        # or make them differ so much that nothing is known to be slow against them.
        for run in (0.1, 0.05, 0.05, 0.05):
            site.cluster.fault("stall", f"osd.{STALLED}", stop=1 - run, run=run)
            number = site.start({**QUICK, "label": "stalled"})
            # It writes 1 GiB in a tenth of the time, on a disk that may be a slow one.
            whole = site.sees_the_end_of(number)
            site.cluster.fault("clear", "all")
            slow = [
                one["evidence"]["osd"] for one in whole["conclusions"] if one["code"] == "slow-osd"
            ]
            # The guard may end a round in which a busy machine made groups laggy too.
            if whole["state"] == "done" and slow[:1] == [STALLED]:
                return number
            keys = ("osd", "percent_of_peers", "robust_z")
            seen.append([[row[key] for key in keys] for row in whole["per_osd"]])
    finally:
        site.cluster.fault("clear", "all")
    pytest.fail(f"osd.{STALLED} was stopped nearly all the time, no round says it is slow: {seen}")


def in_findings(site: Site, osd: int) -> bool:
    """Whether an open finding is about the OSD, or names it."""
    return any(
        one["target"] == {"kind": "osd", "id": str(osd)} or osd in one["evidence"].get("osds", ())
        for one in site.admin.get("/finding").json
    )


@pytest.fixture
def calm(site: Site) -> None:
    site.is_calm()


@pytest.mark.usefixtures("calm")
def test_a_round_from_its_plan_to_its_verdict(page: Page, site: Site) -> None:
    open_tab(page, site)
    page.get_by_role("button", name=START).click()
    dialog = page.get_by_role("dialog", name="Start a round")
    dialog.get_by_role("combobox", name="What do you want to know?").select_option("osd-throughput")
    dialog.get_by_label("Repeats", exact=True).fill("1")
    dialog.get_by_text("Choose by class, host or enclosure, or one by one").click()
    host = dialog.get_by_role("combobox", name="Host")
    fourth = dialog.get_by_role("checkbox", name="osd.4")
    chosen = dialog.get_by_role("textbox", name="OSDs", exact=True)
    host.select_option("host-1")
    fourth.check()
    expect(chosen).to_have_value("4&host=host-1")
    fourth.uncheck()
    host.select_option("any")
    expect(chosen).to_have_value("")
    dialog.get_by_label("Label").fill("by the browser")
    do = dialog.get_by_role("button", name="Start the round")
    expect(dialog.get_by_text(re.compile(r"^\s*2 waves"))).to_be_visible()
    expect(do).to_be_enabled()
    do.click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("progressbar").first).to_be_visible()
    whole = site.sees_the_end_of(sees_round(page))
    expect(page.locator(APP).get_by_text("Distribution over OSDs")).to_be_visible()
    expect(page.locator(APP).get_by_text(whole["verdict"].replace("-", " ")).first).to_be_visible()
    for osd in range(6):
        expect(page.locator(APP).get_by_role("link", name=f"osd.{osd}").first).to_be_visible()
    assert whole["label"] == "by the browser"


@pytest.mark.usefixtures("calm")
def test_a_running_round_is_seen_running(page: Page, site: Site) -> None:
    number = site.start(LONG)
    open_tab(page, site, f"/rounds/{number}")
    so_far = page.locator(APP).get_by_role("region", name="So far", exact=True)
    expect(so_far).to_contain_text(re.compile(r"Repeat \d+, wave [12] of 2"))
    # Six gigabytes, on a disk that may be a slow one.
    expect(so_far).to_contain_text("6 of 6 OSDs have figures", timeout=300_000)
    live = site.admin.get(f"/round/{number}/live").json
    fits(live, "GET round/ID/live")
    assert sum(one["osds"] for one in live["osds"]["classes"]) == 6
    held = page.locator(APP).get_by_role("region", name="Settings held for rounds")
    expect(held).to_contain_text("flag/noscrub: set, was")
    fits(site.admin.get("/quiesce").json, "GET quiesce")
    refused = site.admin.post("/quiesce/restore")
    assert refused.status == 409, refused
    site.admin.post(f"/round/{number}/abort")
    site.sees_the_end_of(number)
    expect(held).to_have_count(0)
    assert site.admin.get("/quiesce").json["state"] == "idle"


@pytest.mark.usefixtures("calm")
def test_all_of_a_round_is_shown_and_saved(page: Page, site: Site) -> None:
    number = site.start(QUICK)
    site.sees_the_end_of(number)
    open_tab(page, site, f"/rounds/{number}")
    expect(page.locator(APP).get_by_text("6 of 6 OSDs")).to_be_visible()
    expect(page.locator(f"{APP} >> tbody >> tr")).to_have_count(6)
    for kind, ending in (("CSV", "csv"), ("JSON", "json"), ("Raw rows", "raw.json")):
        with page.expect_download() as saving:
            page.get_by_role("button", name=f"Export all of round {number}: {kind}").click()
        saved = saving.value
        assert saved.suggested_filename == f"round-{number}.{ending}"
        text = saved.path().read_text(encoding="utf-8")
        if ending == "csv":
            assert len(text.splitlines()) == 1 + 6
        else:
            assert len(json.loads(text)["samples"]) == 6


@pytest.mark.usefixtures("calm")
def test_rounds_are_listed_in_their_own_unit_at_each_width(page: Page, site: Site) -> None:
    profiles = ("osd-throughput", "osd-iops", "osd-throughput")
    large, small, again = (_ended(site, profile) for profile in profiles)
    open_tab(page, site)
    for width in (1440, 1024, 390):
        if width > 390:
            page.set_viewport_size({"width": width, "height": 900})
        else:
            on_a_phone(page)
        goes(page, "/rounds")
        expect(_median(page, small)).to_have_text(re.compile(r"^\s*[\d.]+ IOPS\s*$"))
        expect(_median(page, large)).to_have_text(re.compile(r"^\s*[\d.]+ MiB/s\s*$"))
        expect(_median(page, large)).to_be_visible()
        if width >= 1024:
            assert page.evaluate(PARTED) == []
        # Offered is what compares with the given round: neither itself nor another profile.
        goes(page, f"/compare?a={again}")
        expect(_median(page, large)).to_have_text(re.compile(r"^\s*[\d.]+ MiB/s\s*$"))
        expect(_median(page, large)).to_be_visible()
        for other in (again, small):
            expect(_median(page, other)).to_have_count(0)


def _ended(site: Site, profile: str) -> int:
    number = site.start({**QUICK, "profile": profile})
    site.sees_the_end_of(number)
    return number


def _median(page: Page, number: int) -> Locator:
    link = page.locator(f"a[href$='/rounds/{number}']")
    return page.locator(f"{APP} >> tbody tr").filter(has=link).locator("[data-title=Median]")


@pytest.mark.usefixtures("calm")
def test_two_tabs_that_start_at_once(page: Page, site: Site) -> None:
    open_tab(page, site)
    page.get_by_role("button", name=START).click()
    dialog = page.get_by_role("dialog")
    do = dialog.get_by_role("button", name="Start the round")
    expect(do).to_be_enabled()
    number = site.start(LONG)
    page.watch.allow("409")
    do.click()
    expect(dialog.get_by_text(f"round {number} is running").first).to_be_visible()


def test_a_stalled_osd_is_the_slowest_everywhere(page: Page, site: Site, stalled: int) -> None:
    open_tab(page, site, "/map?layer=peers")
    expect(page.locator(f"{APP} >> canvas").first).to_be_visible()
    page.get_by_role("button", name="Table").click()
    header = page.get_by_role("columnheader", name="Of peers")
    for _ in range(2):  # the first click may sort downwards
        before = header.get_attribute("aria-sort") or ""
        if before != "ascending":
            header.get_by_role("button").click()
            expect(header).not_to_have_attribute("aria-sort", before)
    expect(header).to_have_attribute("aria-sort", "ascending")
    first = page.locator(f"{APP} >> tbody tr").first
    expect(first).to_contain_text(f"osd.{STALLED}")
    goes(page, "/")
    measured = re.compile(rf"in no finding. The slowest is osd\.{STALLED}, at \d+ % in round")
    told = page.locator(APP).get_by_role("link", name=measured)
    # A busy machine may have led to a finding about it as well, which is told instead.
    wait_for(
        lambda: told.is_visible() != in_findings(site, STALLED),
        120.0,
        lambda: f"told: {told.is_visible()}, in findings: {in_findings(site, STALLED)}",
        every=0.5,
    )
    slowest = page.locator(APP).get_by_role("region", name="Slowest OSDs")
    expect(slowest.get_by_role("link", name=re.compile(r"osd\.\d")).first).to_have_text(
        f"osd.{STALLED}"
    )
    goes(page, f"/rounds/{stalled}")
    expect(page.locator(f"{APP} >> tbody tr").first).to_contain_text(f"osd.{STALLED}")
    goes(page, f"/osds/{STALLED}")
    expect(page.locator(APP).get_by_text("host-1").first).to_be_visible()


@pytest.mark.parametrize(
    ("route", "words"),
    [
        ("/rounds/999999", "no round 999999"),
        ("/rounds/last", "not the number of a round"),
        ("/osds/999", "no such OSD"),
        ("/osds/x%00y", "not the number of an OSD"),
        ("/nowhere", "There is no page"),
        ("/map?layer=beauty", "beauty"),
    ],
)
def test_bad_addresses_get_a_sentence(page: Page, site: Site, route: str, words: str) -> None:
    page.watch.allow("404")
    page.watch.allow("400")
    open_tab(page, site)
    page.evaluate("hash => { location.hash = hash }", f"#/perf-bench{route}")
    expect(page.locator(APP).get_by_text(words).first).to_be_visible()
    page.locator(APP).get_by_role("link", name="Overview", exact=True).click()
    sees_tab(page, "/")


@pytest.mark.parametrize("answer", ["500", "garbage", "nothing"])
def test_a_back_end_that_fails(page: Page, site: Site, stalled: int, answer: str) -> None:
    failed: list[Any] = []

    def fail(route: Any) -> None:
        if answer == "nothing":
            route.abort()
        elif answer == "500":
            route.fulfill(status=500, body='{"detail": "it broke"}')
        else:
            route.fulfill(status=200, body="<html>proxy</html>")
        failed.append(route)

    page.watch.allow("500")
    page.watch.allow("net::ERR_FAILED")
    page.route("**/api/perf_bench/osd/map*", fail)
    open_tab(page, site, "/map")
    expect(page.locator(APP).get_by_role("alert").first).to_be_visible()
    again = page.locator(APP).get_by_role("button", name="Try again").first
    # by itself it asks again once a minute, and after each failure later
    for _ in range(2):
        before = len(failed)
        again.click()
        # Not only until it is asked: what is asked when the route goes gets its answer.
        for _ in range(TIMEOUT_MS // 100):
            if len(failed) > before:
                break
            page.wait_for_timeout(100)
        assert len(failed) > before
    page.unroute("**/api/perf_bench/osd/map*")
    again.click()
    expect(page.locator(f"{APP} >> canvas").first).to_be_visible()


@pytest.mark.parametrize("route", ["/", "/rounds/ID", "/osds/3"])
def test_axe_finds_nothing(page: Page, site: Site, stalled: int, route: str) -> None:
    open_tab(page, site, route.replace("ID", str(stalled)))
    expect(
        page.locator(APP).get_by_text(re.compile(r"osd\.\d|6 OSDs|stalled")).first
    ).to_be_visible()
    assert axe_findings(page) == []


def test_axe_finds_nothing_in_the_start_dialog(page: Page, site: Site) -> None:
    open_tab(page, site)
    page.get_by_role("button", name=START).click()
    expect(page.get_by_role("dialog").get_by_text(re.compile(r"^\s*2 waves"))).to_be_visible()
    assert axe_findings(page) == []


def test_the_page_of_our_own_in_the_dark(page: Page, site: Site, stalled: int) -> None:
    page.goto("")
    page.emulate_media(color_scheme="dark")
    open_tab(page, site)
    page.goto(f"perf-bench/#/rounds/{stalled}")
    expect(page.locator(APP).get_by_text("Distribution over OSDs")).to_be_visible()
    expect(page.locator(f"{APP} >> canvas")).to_have_count(2)  # the charts
    assert axe_findings(page) == []
