"""Every page in the host: its look, its width, its columns."""

from __future__ import annotations

import re
from typing import Any

import pytest

from browser.axe import axe_findings
from browser.chrome import Page, expect
from browser.dashboard import APP, goes, on_a_phone, open_tab, sees_tab
from browser.sites import Site
from cluster.waiting import wait_for

# The last one is the page of a round.
ROUTES = (
    *("/", "/wrong?closed=1", "/laggy", "/hardware", "/map"),
    *("/map?view=table", "/osds/0", "/hosts", "/hosts/host-0", "/rounds"),
    *("/history", "/schedules", "/settings", "/rounds/ID"),
)
# Pages with lists that the back end sorts, and where these are beside tables that are whole.
LISTS = {
    "/wrong?closed=1": "pb-findings",
    "/hardware": "pb-list",
    "/hosts": "",
    "/rounds": "",
    "/schedules": "pb-list",
    "/settings": "pb-mclock",
    "/rounds/ID": "",
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


@pytest.mark.usefixtures("advice")
def test_every_page_is_whole_at_each_width(
    page: Page, site: Site, measured: tuple[int, int]
) -> None:
    """Axe finds nothing, every column sorts, and nothing goes sideways on a phone."""
    open_tab(page, site)
    _looks_like_the_host(page)
    faults, clicked = {}, []
    for route in ROUTES:
        goes(page, route.replace("ID", str(measured[0])))
        if found := axe_findings(page):
            faults[route] = found
        if route in LISTS:
            clicked += _sorted_by_every_column(page, LISTS[route])
    assert not faults, faults
    assert len(clicked) > 20, clicked

    page.set_viewport_size({"width": 1024, "height": 900})
    tabs = page.locator(f"{APP} >> .pb-head .pb-tab")
    expect(tabs).to_have_count(5)
    wait_for(
        lambda: len({tab.bounding_box()["y"] for tab in tabs.all()}) == 1,
        60.0,
        lambda: "the tabs are not in one row",
    )
    goes(page, "/rounds")
    expect(page.locator(f"{APP} >> tbody tr").first).to_be_visible()
    assert page.evaluate(PARTED) == []
    on_a_phone(page)

    def misfits() -> Any:
        return page.evaluate(TOO_WIDE) + page.evaluate(TOO_NARROW)

    for route in ROUTES:
        goes(page, route.replace("ID", str(measured[0])))
        expect(page.locator(f"{APP} >> .pb-loading")).to_have_count(0)
        page.wait_for_timeout(300)
        # Charts are drawn again for the new width.
        wait_for(lambda: not misfits(), 60.0, lambda: f"{page.url}: {misfits()}")


def _looks_like_the_host(page: Page) -> None:
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


def _of_frame(page: Page, name: str) -> str:
    script = """name => getComputedStyle(document.querySelector('perf-bench-app')
      .shadowRoot.querySelector('.pb-frame')).getPropertyValue(name)"""
    return str(page.evaluate(script, name))


def _sorted_by_every_column(page: Page, within: str) -> list[str]:
    """Click every head of the lists there; the back end knows each by its name."""
    clicked = []
    for head in page.locator(f"{APP} >> {within} th[aria-sort] button").all():
        with page.expect_response(lambda answer: "sort=" in answer.url) as asked:
            head.click()
        clicked.append(head.inner_text())
        assert asked.value.status == 200, (clicked[-1], asked.value.text())
    return clicked


def test_the_questions_of_the_tab_lead_to_its_settings(page: Page, site: Site) -> None:
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
        expect(app.get_by_role("heading", level=1)).to_be_focused()
    expect(app.get_by_text("watch_tick_seconds", exact=True)).to_be_visible()
    app.get_by_text("From when on an OSD is called slow").click()
    expect(app.get_by_text("acute_ratio", exact=True)).to_be_visible()
