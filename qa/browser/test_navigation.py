"""The tab's place in the host: its look, its width, its ways in and out, its settings."""

from __future__ import annotations

import re
from typing import Any

import pytest

from browser.axe import axe_findings
from browser.chrome import Page, expect
from browser.dashboard import APP, goes, on_a_phone, open_tab, sees_host, sees_tab
from browser.sites import QUICK, Site
from cluster.waiting import wait_for

ROUTES = (
    *("/", "/wrong?closed=1", "/laggy", "/hardware", "/map"),
    *("/map?view=table", "/osds/0", "/hosts", "/hosts/host-0", "/rounds"),
    *("/history", "/schedules", "/settings"),
)
# Pages with lists that the back end sorts, and where these are beside tables that are whole.
LISTS = {
    "/wrong?closed=1": "pb-findings",
    "/hardware": "pb-list",
    "/hosts": "",
    "/rounds": "",
    "/schedules": "pb-list",
    "/settings": "pb-mclock",
}
# What of ours is wider than the window; a table that does not fit scrolls within its own box.
TOO_WIDE = """() => {
  const app = document.querySelector('perf-bench-app');
  const frame = app.shadowRoot.querySelector('.pb-frame');
  const all = [...frame.querySelectorAll('*')].filter(
    (one) => one.getBoundingClientRect().right > innerWidth + 1
      && !one.closest('.pb-table__scroll, .pb-map__scroll'));
  return all.map((one) => `${one.localName}.${one.className}`).slice(0, 5);
}"""
# Values of facts that have a few letters a line.
TOO_NARROW = """() => {
  const app = document.querySelector('perf-bench-app');
  const all = [...app.shadowRoot.querySelectorAll('.pb-facts dd')].filter(
    (one) => one.textContent.trim().length > 12 && one.getBoundingClientRect().width < 90);
  return all.map((one) => one.textContent.trim().slice(0, 40)).slice(0, 5);
}"""


def _of_frame(page: Page, name: str) -> str:
    script = """name => getComputedStyle(document.querySelector('perf-bench-app')
      .shadowRoot.querySelector('.pb-frame')).getPropertyValue(name)"""
    return str(page.evaluate(script, name))


def test_it_looks_like_the_host(page: Page, site: Site) -> None:
    open_tab(page, site)
    host = page.evaluate(
        """() => {
          const style = getComputedStyle(document.querySelector('#content > .container-fluid'));
          return {font: style.fontFamily, size: style.fontSize};
        }"""
    )
    assert _of_frame(page, "font-family") == host["font"]
    assert 12 <= float(host["size"].removesuffix("px")) <= 18
    assert _of_frame(page, "font-size") == host["size"]
    # the host's own colour, as dark as it must be for white on it
    assert re.fullmatch("#[0-9a-f]{6}", _of_frame(page, "--main").strip())
    assert _of_frame(page, "--on-main").strip() == "#ffffff"


def test_one_row_of_tabs_at_1024_and_nothing_sideways_at_390(page: Page, site: Site) -> None:
    open_tab(page, site)
    page.set_viewport_size({"width": 1024, "height": 900})
    tabs = page.locator(f"{APP} >> .pb-head .pb-tab")
    expect(tabs).to_have_count(5)
    wait_for(
        lambda: len({tab.bounding_box()["y"] for tab in tabs.all()}) == 1,
        60.0,
        lambda: "the tabs are not in one row",
    )
    on_a_phone(page)

    def misfits() -> Any:
        return page.evaluate(TOO_WIDE) + page.evaluate(TOO_NARROW)

    for route in ROUTES:
        goes(page, route)
        expect(page.locator(f"{APP} >> .pb-loading")).to_have_count(0)
        page.wait_for_timeout(300)
        # Charts are drawn again for the new width.
        wait_for(lambda: not misfits(), 60.0, lambda: f"{page.url}: {misfits()}")


def test_axe_finds_nothing(page: Page, site: Site) -> None:
    open_tab(page, site)
    found = {}
    for route in ROUTES:
        goes(page, route)
        if faults := axe_findings(page):
            found[route] = faults
    assert not found, found


def test_the_focus_goes_to_the_new_heading(page: Page, site: Site) -> None:
    open_tab(page, site)
    app = page.locator(APP)
    app.get_by_role("link", name="Where", exact=True).click()
    expect(app.get_by_role("heading", level=1)).to_have_text("OSD map")
    expect(app.get_by_role("heading", level=1)).to_be_focused()


@pytest.mark.usefixtures("advice")
def test_what_is_wrong_where_how_fast(page: Page, site: Site) -> None:
    open_tab(page, site)
    app = page.locator(APP)
    for name, route in (
        ("What is wrong", "/wrong"),
        ("Where", "/map"),
        ("How fast", "/rounds"),
        ("Settings", "/settings"),
    ):
        app.get_by_role("link", name=name, exact=True).click()
        sees_tab(page, route)
    goes(page, "/wrong")
    expect(app.get_by_role("group", name="Kind").get_by_role("button")).to_have_count(5)
    expect(app.get_by_role("button", name=re.compile("^Advice"))).to_be_enabled()
    app.get_by_role("button", name=re.compile("^Advice")).click()
    sees_tab(page, "/wrong?sort=advice")


def test_every_column_that_sorts_is_one_that_the_back_end_sorts_by(page: Page, site: Site) -> None:
    site.is_calm()
    number = site.start(QUICK)
    site.sees_the_end_of(number)
    open_tab(page, site)
    clicked = []
    for route in (*LISTS, f"/rounds/{number}"):
        goes(page, route)
        expect(page.locator(f"{APP} >> .pb-loading")).to_have_count(0)
        heads = page.locator(f"{APP} >> {LISTS.get(route, '')} th[aria-sort] button")
        for place in range(heads.count()):
            head = heads.nth(place)
            with page.expect_response(lambda answer: "sort=" in answer.url) as asked:
                head.click()
            clicked.append(head.inner_text())
            assert asked.value.status == 200, (route, clicked[-1], asked.value.text())
    assert len(clicked) > 20, clicked


def test_the_way_to_the_hosts_own_list_of_osds(page: Page, site: Site) -> None:
    open_tab(page, site, "/osds/0")
    page.locator(APP).get_by_role("link", name="OSDs in the Ceph Dashboard").click()
    sees_host(page, "#/osd")
    page.go_back()
    sees_tab(page, "/osds/0")


def test_settings_are_seen(page: Page, site: Site) -> None:
    open_tab(page, site, "/settings")
    app = page.locator(APP)
    expect(app.get_by_text("watch_tick_seconds", exact=True)).to_be_visible()
    app.get_by_text("From when on an OSD is called slow").click()
    expect(app.get_by_text("acute_ratio", exact=True)).to_be_visible()
