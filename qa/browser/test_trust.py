"""Rounds one dares to run, in the tab of a real cluster: refused, compared, held, scheduled."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from browser.axe import axe_findings
from browser.chrome import Page, expect
from browser.dashboard import APP, START, goes, open_tab
from browser.rest import API
from browser.sites import LONG, QUICK, Site
from browser.test_rest import fits
from cluster.waiting import wait_for


@pytest.fixture(scope="module")
def rounds(site: Site) -> tuple[int, int]:
    """Two rounds of the same profile that have run to their ends."""
    site.is_calm()
    # One repeat is never noisy, however busy the machine is.
    made = []
    for label in ("before", "after"):
        made.append(site.start({**QUICK, "label": label}))
        assert site.sees_the_end_of(made[-1])["state"] == "done"
    return made[0], made[1]


@pytest.fixture
def no_schedule(site: Site) -> Iterator[None]:
    """What a test has made is gone after it."""
    yield
    for one in site.admin.get("/schedule").json:
        assert site.admin.call("DELETE", f"{API}/schedule/{one['name']}").status == 204


def test_two_rounds_are_chosen_and_compared(
    page: Page, site: Site, rounds: tuple[int, int]
) -> None:
    a, b = rounds
    answer = site.admin.get(f"/round/compare?a={a}&b={b}").json
    fits(answer, "GET round/compare")
    open_tab(page, site, "/rounds")
    app = page.locator(APP)
    for number in rounds:
        app.get_by_role("checkbox", name=f"Choose round {number} to compare").check()
    app.get_by_role("link", name=f"Compare rounds {a} and {b}").click()
    expect(page).to_have_url(re.compile(f"history\\?a={a}&b={b}$"))
    expect(app.get_by_role("heading", name=f"Round {b} against round {a}")).to_be_visible()
    words = {"same": "the same", "not-comparable": "not comparable"}
    verdict = words.get(answer["verdict"], answer["verdict"])
    head = app.locator(".pb-card__head").filter(has_text=f"Round {b} against round {a}")
    expect(head.locator("pb-state")).to_contain_text(verdict)
    expect(app.get_by_role("img", name=re.compile("6 OSDs from"))).to_be_visible()
    expect(app.locator("tbody tr")).to_have_count(6)
    assert axe_findings(page) == []


def test_rounds_that_do_not_compare_say_why(
    page: Page, site: Site, rounds: tuple[int, int]
) -> None:
    number = site.start(LONG)
    site.admin.post(f"/round/{number}/abort")
    assert site.sees_the_end_of(number)["verdict"] == "aborted"
    open_tab(page, site, f"/compare?a={rounds[0]}&b={number}")
    app = page.locator(APP)
    expect(app.get_by_text("They cannot be compared because:")).to_be_visible()
    expect(app.get_by_text(re.compile(f"round {number}.*aborted"))).to_be_visible()
    page.watch.allow("404")
    goes(page, f"/compare?a={rounds[0]}&b=999999")
    expect(app.get_by_text("no round 999999")).to_be_visible()


def test_a_history_and_its_baseline(page: Page, site: Site, rounds: tuple[int, int]) -> None:
    open_tab(page, site, f"/rounds/{rounds[1]}")
    app = page.locator(APP)
    expect(app.get_by_text("Compared with published figures")).to_be_visible()
    app.get_by_role("link", name="History of osd-throughput").click()
    chart = app.get_by_role("img", name=re.compile("^Median of osd-throughput over OSDs"))
    expect(chart).to_be_visible()
    row = app.get_by_role("row").filter(
        has=page.get_by_role("link", name=str(rounds[0]), exact=True)
    )
    row.get_by_role("button", name="Make it the baseline…").click()
    page.get_by_role("button", name="Make it the baseline", exact=True).click()
    expect(row.get_by_text("◆ baseline")).to_be_visible()
    fits(site.admin.get("/baseline").json, "GET baseline")
    assert site.admin.get("/profile/history?profile=osd-throughput").json["baseline"] == rounds[0]
    assert axe_findings(page) == []


@pytest.mark.usefixtures("no_schedule")
def test_a_schedule_from_its_making_to_its_end(page: Page, site: Site) -> None:
    open_tab(page, site, "/schedules")
    app = page.locator(APP)
    expect(app.get_by_text("No schedule: rounds run only when")).to_be_visible()
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
    expect(dialog).to_have_count(0)
    expect(app.get_by_text("every 1d, within 01:00-05:00")).to_be_visible()
    fits(site.admin.get("/schedule").json, "GET schedule")
    app.get_by_role("button", name="Pause nightly").click()
    expect(app.get_by_text("paused")).to_be_visible()
    assert site.admin.get("/schedule").json[0]["paused"]
    app.get_by_role("button", name="Resume nightly").click()
    expect(app.get_by_text("paused")).to_have_count(0)
    assert axe_findings(page) == []
    app.get_by_role("button", name="Remove nightly…").click()
    page.get_by_role("button", name="Remove it").click()
    expect(app.get_by_text("No schedule: rounds run only when")).to_be_visible()
    assert site.admin.get("/schedule").json == []


def refused(site: Site) -> Any:
    """The answer of a dry run, once it is refused."""
    dry = {**QUICK, "dry_run": True}
    return wait_for(
        lambda: next(
            (
                one
                for one in [site.admin.post("/round", dry).json]
                if not one["admission"]["allowed"]
            ),
            None,
        ),
        180.0,
        lambda: "a dry run is not refused",
        every=0.3,
    )


def test_force_is_offered_only_where_it_helps(page: Page, site: Site) -> None:
    site.is_calm()
    site.cluster.ceph("osd", "set", "noout")
    try:
        plan = refused(site)
        fits(plan, "POST round dry_run")
        assert plan["admission"]["forceable"], plan["admission"]
        open_tab(page, site)
        page.get_by_role("button", name=START).click()
        dialog = page.get_by_role("dialog", name="Start a round")
        expect(dialog.get_by_text("noout")).to_be_visible()
        do = dialog.get_by_role("button", name="Start the round")
        expect(do).to_be_disabled()
        dialog.get_by_role("checkbox", name="Start it anyway").check()
        expect(do).to_be_enabled()
        expect(dialog.get_by_text("its figures may mean nothing")).to_be_visible()
        assert axe_findings(page) == []
    finally:
        site.cluster.ceph("osd", "unset", "noout")


def test_a_running_round_can_be_aborted_from_any_page(page: Page, site: Site) -> None:
    site.is_calm()
    number = site.start(LONG)
    open_tab(page, site, "/schedules")
    expect(page.get_by_role("button", name=START)).to_have_count(0)
    page.get_by_role("button", name="Abort…").click()
    page.get_by_role("button", name="Abort the round").click()
    assert site.sees_the_end_of(number)["state"] == "aborted"
    expect(page.get_by_role("button", name="Abort…")).to_have_count(0)


@pytest.mark.long
def test_a_sandwich_is_drawn(page: Page, site: Site) -> None:
    site.is_calm()
    ask = {"profile": "osd-sandwich", "osds": "host=host-1", "repeats": 1, "rests": 1, "rest": "2s"}
    number = site.start(ask)
    open_tab(page, site, f"/rounds/{number}")
    app = page.locator(APP)
    expect(app.get_by_role("heading", name="Alone, together, alone again")).to_be_visible()
    whole = site.sees_the_end_of(number, 300.0)
    fits(whole, "GET round/ID")
    assert [part["name"] for part in whole["phases"]] == ["before", "together", "after", "rested-1"]
    picture = app.get_by_role("img", name=re.compile("alone, before, all together, alone, after"))
    expect(picture).to_have_accessible_name(re.compile("reads 100 %(, \\d+ %){3}"))
    parts = app.get_by_role("region", name="Alone, together, alone again")
    expect(parts.get_by_role("row")).to_have_count(5)
    assert axe_findings(page) == []
