"""Rounds in the tab of a real cluster: started, watched, aborted, compared, scheduled, imported."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from browser.axe import axe_findings
from browser.chrome import Locator, Page, expect
from browser.dashboard import APP, START, goes, open_tab, sees_round
from browser.rest import API
from browser.sites import LONG, QUICK, Site
from browser.test_rest import fits

# Not one of the three that hold the database, whose calls would wait for it too.
STALLED = 4
FIO = Path(__file__).resolve().parents[2] / "tests/bench/record/data/fio-writes.json"


@pytest.fixture
def calm(site: Site) -> None:
    site.is_calm()


def _dialog(page: Page, profile: str) -> Locator:
    page.get_by_role("button", name=START).click()
    dialog = page.get_by_role("dialog", name="Start a round")
    dialog.get_by_role("combobox", name="What do you want to know?").select_option(profile)
    return dialog


@pytest.mark.usefixtures("calm")
def test_a_round_from_its_plan_to_its_files(page: Page, site: Site) -> None:
    open_tab(page, site)
    dialog = _dialog(page, "osd-throughput")
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
    assert axe_findings(page) == []
    do.click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("progressbar").first).to_be_visible()
    number = sees_round(page)
    whole = site.sees_the_end_of(number)
    assert whole["label"] == "by the browser"
    app = page.locator(APP)
    expect(app.get_by_text("Distribution over OSDs")).to_be_visible()
    expect(app.get_by_text(whole["verdict"].replace("-", " ")).first).to_be_visible()
    expect(app.get_by_text("6 of 6 OSDs")).to_be_visible()
    for osd in range(6):
        expect(app.get_by_role("link", name=f"osd.{osd}").first).to_be_visible()
    for kind, ending in (("CSV", "csv"), ("Raw rows", "raw.json")):
        with page.expect_download() as saving:
            page.get_by_role("button", name=f"Export all of round {number}: {kind}").click()
        saved = saving.value
        assert saved.suggested_filename == f"round-{number}.{ending}"
        text = saved.path().read_text(encoding="utf-8")
        found = text.splitlines()[1:] if ending == "csv" else json.loads(text)["samples"]
        assert len(found) == 6


@pytest.mark.usefixtures("calm")
def test_a_running_round_is_seen_running_and_aborted(page: Page, site: Site) -> None:
    number = site.start(LONG)
    open_tab(page, site, f"/rounds/{number}")
    app = page.locator(APP)
    so_far = app.get_by_role("region", name="So far", exact=True)
    expect(so_far).to_contain_text(re.compile(r"Repeat \d+, wave [12] of 2"))
    # Six gigabytes, on a disk that may be a slow one.
    expect(so_far).to_contain_text("6 of 6 OSDs have figures", timeout=300_000)
    live = site.admin.get(f"/round/{number}/live").json
    fits(live, "GET round/ID/live")
    assert sum(one["osds"] for one in live["osds"]["classes"]) == 6
    held = app.get_by_role("region", name="Settings held for rounds")
    expect(held).to_contain_text("flag/noscrub: set, was")
    fits(site.admin.get("/quiesce").json, "GET quiesce")
    assert site.admin.post("/quiesce/restore").status == 409
    goes(page, "/schedules")
    expect(page.get_by_role("button", name=START)).to_have_count(0)
    page.get_by_role("button", name="Abort…").click()
    page.get_by_role("button", name="Abort the round").click()
    assert site.sees_the_end_of(number)["state"] == "aborted"
    expect(page.get_by_role("button", name="Abort…")).to_have_count(0)
    assert site.admin.get("/quiesce").json["state"] == "idle"


def test_two_rounds_are_compared_and_one_becomes_the_baseline(
    page: Page, site: Site, measured: tuple[int, int]
) -> None:
    a, b = measured
    answer = site.admin.get(f"/round/compare?a={a}&b={b}").json
    fits(answer, "GET round/compare")
    open_tab(page, site, "/rounds")
    app = page.locator(APP)
    for number in measured:
        app.get_by_role("checkbox", name=f"Choose round {number} to compare").check()
    app.get_by_role("link", name=f"Compare rounds {a} and {b}").click()
    expect(page).to_have_url(re.compile(f"history\\?a={a}&b={b}$"))
    words = {"same": "the same", "not-comparable": "not comparable"}
    verdict = words.get(answer["verdict"], answer["verdict"])
    head = app.locator(".pb-card__head").filter(has_text=f"Round {b} against round {a}")
    expect(head.locator("pb-state")).to_contain_text(verdict)
    expect(app.get_by_role("img", name=re.compile("6 OSDs from"))).to_be_visible()
    expect(app.locator("tbody tr")).to_have_count(6)
    assert axe_findings(page) == []

    goes(page, f"/rounds/{b}")
    app.get_by_role("link", name="History of osd-throughput").click()
    chart = app.get_by_role("img", name=re.compile("^Median of osd-throughput over OSDs"))
    expect(chart).to_be_visible()
    row = app.get_by_role("row").filter(has=page.get_by_role("link", name=str(a), exact=True))
    row.get_by_role("button", name="Make it the baseline…").click()
    page.get_by_role("button", name="Make it the baseline", exact=True).click()
    expect(row.get_by_text("◆ baseline")).to_be_visible()
    fits(site.admin.get("/baseline").json, "GET baseline")
    history = site.admin.get("/profile/history?profile=osd-throughput").json
    fits(history, "GET profile/history")
    assert history["baseline"] == a
    assert axe_findings(page) == []


@pytest.fixture
def no_schedule(site: Site) -> Iterator[None]:
    """What a test has made is gone after it."""
    yield
    for one in site.admin.get("/schedule").json:
        assert site.admin.call("DELETE", f"{API}/schedule/{one['name']}").status == 204


@pytest.mark.usefixtures("no_schedule")
def test_a_schedule_from_its_making_to_its_end(page: Page, site: Site) -> None:
    open_tab(page, site, "/schedules")
    app = page.locator(APP)
    expect(app.get_by_text("No worker is connected")).to_be_visible()
    fits(site.reader.get("/worker").json, "GET worker")
    app.get_by_role("button", name="Add a schedule…").click()
    dialog = page.get_by_role("dialog", name="Add a schedule")
    dialog.get_by_label("Name", exact=True).fill("nightly")
    dialog.get_by_label("Every").fill("often")
    dialog.get_by_label("Window").fill("01:00-05:00")
    page.watch.allow("400")
    dialog.get_by_role("button", name="Add the schedule").click()
    expect(dialog.get_by_role("alert")).to_contain_text("'often' is not a duration")
    dialog.get_by_label("Every").fill("1d")
    assert axe_findings(page) == []
    dialog.get_by_role("button", name="Add the schedule").click()
    expect(app.get_by_text("every 1d, within 01:00-05:00")).to_be_visible()
    fits(site.admin.get("/schedule").json, "GET schedule")
    app.get_by_role("button", name="Pause nightly").click()
    expect(app.get_by_text("paused")).to_be_visible()
    app.get_by_role("button", name="Resume nightly").click()
    expect(app.get_by_text("paused")).to_have_count(0)
    app.get_by_role("button", name="Remove nightly…").click()
    page.get_by_role("button", name="Remove it").click()
    expect(app.get_by_text("No schedule: rounds run only when")).to_be_visible()
    assert site.admin.get("/schedule").json == []


@pytest.mark.usefixtures("calm")
def test_a_round_of_clients_is_started_and_watched_live(page: Page, site: Site) -> None:
    open_tab(page, site)
    dialog = _dialog(page, "rados-write")
    asked = {"Clients": 2, "Operations in flight": 4, "Seconds": 16}
    for label, value in {**asked, "Repeats": 1, "Block size of a write": "64 KiB"}.items():
        dialog.get_by_label(label, exact=True).fill(str(value))
    planned = "2 clients . 4 operations in flight, write of 64 KiB, 16 s a run, pool perf_bench"
    expect(dialog.get_by_text(re.compile(planned))).to_be_visible()
    assert axe_findings(page) == []
    dialog.get_by_role("button", name="Start the round").click()
    number = sees_round(page)
    app = page.locator(APP)
    rates = r"([2-9]|\d\d) seconds: [\d.]+ to [\d.]*[1-9]"
    whole = re.compile(f"Throughput of 2 clients together in repeat 1, {rates}")
    expect(app.get_by_role("img", name=whole)).to_be_visible()
    live = site.reader.get(f"/round/{number}/live").json
    fits(live, "GET round/ID/live")
    assert [one["client"] for one in live["clients"]] == [0, 1]
    shown = site.sees_the_end_of(number)
    fits(shown, "GET round/ID")
    assert shown["state"] == "done", shown["reasons"]
    expect(app.get_by_role("heading", name="Clients by repeat")).to_be_visible()
    expect(app.get_by_role("img", name=re.compile("^Mean latency of 2 clients"))).to_be_visible()
    expect(app.get_by_role("row")).to_have_count(3)
    assert axe_findings(page) == []


def test_what_fio_measured_becomes_a_round(page: Page, site: Site) -> None:
    open_tab(page, site, "/rounds")
    app = page.locator(APP)
    app.get_by_role("button", name="Import…").click()
    dialog = page.get_by_role("dialog", name="Import results of another tool")
    dialog.get_by_label("File", exact=True).set_input_files(FIO)
    dialog.get_by_label("Label").fill("by the browser")
    dialog.get_by_role("button", name="Import", exact=True).click()
    expect(app.get_by_role("heading", name="What fio reported")).to_be_visible()
    shown = site.round(sees_round(page))
    fits(shown, "GET round/ID")
    (job,) = shown["imported"]["jobs"]
    row = app.get_by_role("row").filter(has_text=job["name"])
    expect(row).to_contain_text(f"{job['bytes_per_second'] / 2**20:.1f}")
    assert axe_findings(page) == []


def test_a_stalled_osd_is_measured_as_slow(page: Page, site: Site) -> None:
    """The one OSD that was stopped again and again while a round ran."""
    number = _stalled(site)
    open_tab(page, site, f"/rounds/{number}")
    first = page.locator(f"{APP} >> tbody tr").first
    expect(first).to_contain_text(f"osd.{STALLED}")
    assert axe_findings(page) == []
    goes(page, "/")
    slowest = page.locator(APP).get_by_role("region", name="Slowest OSDs")
    expect(slowest.get_by_role("link", name=re.compile(r"osd\.\d")).first).to_have_text(
        f"osd.{STALLED}"
    )


def _stalled(site: Site) -> int:
    """The ID of a round that says that the stalled OSD is slow."""
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
