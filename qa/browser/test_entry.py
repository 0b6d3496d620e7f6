"""The way into the dashboard's page, on the host's own ground: its router, its side bar."""

from __future__ import annotations

import re

import pytest

from browser.axe import axe_findings
from browser.chrome import Page, expect
from browser.dashboard import (
    APP,
    ENTRY,
    LANDING,
    TOGGLE,
    goes,
    log_in,
    open_tab,
    sees_host,
    sees_tab,
)
from browser.sites import Site


def test_the_way_in_and_out(page: Page, site: Site) -> None:
    """By mouse and by keyboard, and nothing of the tab is loaded before."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("")
    log_in(page, site)
    page.wait_for_selector(ENTRY)
    scripts = {url.rpartition("/")[2] for url in asked if "/perf-bench/" in url}
    assert scripts == {"entry.js", "element.js", "host.js", "route.js"}
    assert not [url for url in asked if "/api/perf_bench" in url]
    landing = str(page.locator(LANDING).first.get_attribute("href"))
    title = page.title()

    _goes_with_the_side_bar(page)
    page.click(ENTRY)
    sees_tab(page, "/")
    assert [url for url in asked if "/perf-bench/main-" in url]
    # the host's router stands there already and would do nothing
    page.locator(LANDING).first.click()
    sees_host(page, landing)
    assert page.title() == title

    page.locator(LANDING).first.focus()
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('#perf-bench-entry') !== null"):
            break
    else:
        pytest.fail("Tab does not lead to the entry")
    page.keyboard.press("Enter")
    sees_tab(page, "/")
    page.evaluate("document.querySelector('nav#sidebar a[href=\"#/pool\"]').click()")
    sees_host(page, "#/pool")
    # and the host's own ways work as before
    page.locator(LANDING).first.click()
    sees_host(page, landing)


def _goes_with_the_side_bar(page: Page) -> None:
    """Folded away or made narrow, ours is where its neighbours are."""
    box = "const box = (link) => document.querySelector(link).getBoundingClientRect();"
    page.evaluate(f"model => {{ {box} window.before = box(model) }}", LANDING)
    same = f"""([ours, model]) => {{
      {box}
      const [a, b] = [box(ours), box(model)];
      const moved = b.x !== window.before.x || b.width !== window.before.width;
      return moved && a.x === b.x && a.width === b.width && a.height === b.height;
    }}"""
    page.locator(TOGGLE).first.click()
    page.wait_for_function(same, arg=[ENTRY, LANDING])
    page.locator(TOGGLE).first.click()
    expect(page.locator(ENTRY)).to_be_in_viewport()


def test_addresses_and_their_history(page: Page, site: Site) -> None:
    """A deep link goes through the log-in; a reload stays; back and forward lead through both."""
    open_tab(page, site, "/osds/0")
    length = page.evaluate("history.length")
    page.reload()
    sees_tab(page, "/osds/0")
    assert page.evaluate("history.length") == length
    page.locator(APP).get_by_role("link", name="OSDs in the Ceph Dashboard").click()
    sees_host(page, "#/osd")
    page.evaluate("location.hash = '#/perf-bench/rounds'")
    sees_tab(page, "/rounds")
    page.go_back()
    sees_host(page, "#/osd")
    page.go_back()
    sees_tab(page, "/osds/0")
    page.go_forward()
    sees_host(page, "#/osd")
    page.go_forward()
    sees_tab(page, "/rounds")
    # An address that is only like ours is the host's.
    page.evaluate("location.hash = '#/perf-benchmark'")
    expect(page).to_have_url(re.compile(r"#/(404|error|perf-benchmark)"))
    expect(page.locator(APP)).to_have_count(0)


def test_a_session_that_ends(page: Page, site: Site) -> None:
    open_tab(page, site, "/rounds")
    page.watch.allow("401")
    page.context.clear_cookies()
    page.wait_for_selector("input[name=username]")
    log_in(page, site)
    sees_tab(page, "/rounds")
    page.evaluate(
        "fetch('api/auth/logout', {method: 'POST', headers: {Accept:"
        " 'application/vnd.ceph.api.v1.0+json', 'Content-Type': 'application/json'},"
        " body: '{}'})"
    )
    page.wait_for_selector("input[name=username]")
    expect(page.locator("#perf-bench-entry")).to_have_count(0)
    log_in(page, site)
    page.wait_for_selector(ENTRY)


def test_an_unknown_host_gets_a_link_to_the_page_of_our_own(page: Page, site: Site) -> None:
    tag = '<script type="module" src="perf-bench/entry.js"></script>'
    newer = f"<!doctype html><head>{tag}</head><body><main>Ceph 31</main></body>"
    page.route(f"{site.url}/", lambda route: route.fulfill(body=newer, content_type="text/html"))
    page.goto("#/perf-bench/map")
    link = page.get_by_role("link", name="Perf Bench")
    expect(link).to_be_visible()
    assert not page.watch.errors
    assert link.get_attribute("href") == "/perf-bench/"


def test_the_page_of_our_own_in_the_dark(page: Page, site: Site, measured: tuple[int, int]) -> None:
    """Strict: a violation of its policy would be an error of ours."""
    page.goto("")
    page.emulate_media(color_scheme="dark")
    log_in(page, site)
    answer = page.goto("perf-bench/")
    policy = answer.header_value("content-security-policy")
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    expect(page.locator(f"{APP} >> h1").first).to_be_visible()
    assert not page.locator("script:not([src])").count()
    page.goto(f"perf-bench/#/rounds/{measured[0]}")
    expect(page.locator(APP).get_by_text("Distribution over OSDs")).to_be_visible()
    expect(page.locator(f"{APP} >> canvas").first).to_be_visible()
    assert axe_findings(page) == []


def test_what_cannot_be_loaded_or_found_is_said_so(page: Page, site: Site) -> None:
    page.route("**/perf-bench/main-*", lambda route: route.fulfill(status=404, body=""))
    page.goto("#/perf-bench")
    page.watch.allow("main-")
    log_in(page, site)
    expect(page.get_by_role("status").filter(has_text="could not be loaded")).to_be_visible()
    # the host lives
    page.locator(LANDING).first.click()
    sees_host(page, str(page.locator(LANDING).first.get_attribute("href")))
    page.unroute("**/perf-bench/main-*")
    page.reload()
    page.click(ENTRY)
    sees_tab(page, "/")
    page.watch.allow("404")
    goes(page, "/rounds/999999")
    expect(page.locator(APP).get_by_text("no round 999999").first).to_be_visible()
