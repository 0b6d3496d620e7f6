"""The way into the dashboard's page, on the host's own ground: its router, its side bar."""

from __future__ import annotations

import re

import pytest

from browser.chrome import Page, expect
from browser.dashboard import (
    APP,
    ENTRY,
    LANDING,
    TOGGLE,
    log_in,
    open_tab,
    sees_host,
    sees_tab,
)
from browser.sites import Site


@pytest.fixture
def landing(page: Page, site: Site) -> str:
    """Log in; the hash of the page on which this release lands."""
    page.goto("")
    log_in(page, site)
    page.wait_for_selector(ENTRY)
    return str(page.locator(LANDING).first.get_attribute("href"))


def test_nothing_of_the_tab_is_loaded_before_it_is_opened(page: Page, site: Site) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("")
    log_in(page, site)
    page.wait_for_selector(ENTRY)
    scripts = {url.rpartition("/")[2] for url in asked if "/perf-bench/" in url}
    assert scripts == {"entry.js", "element.js", "host.js", "route.js"}
    assert not [url for url in asked if "/api/perf_bench" in url]
    page.click(ENTRY)
    sees_tab(page, "/")
    assert [url for url in asked if "/perf-bench/main-" in url]


def test_the_entry_leads_in_and_the_hosts_entries_lead_out(page: Page, landing: str) -> None:
    title = page.title()
    page.click(ENTRY)
    sees_tab(page, "/")
    # the host's router stands there already and would do nothing
    page.locator(LANDING).first.click()
    sees_host(page, landing)
    assert page.title() == title
    page.click(ENTRY)
    sees_tab(page, "/")
    page.evaluate("document.querySelector('nav#sidebar a[href=\"#/pool\"]').click()")
    sees_host(page, "#/pool")
    # and the host's own ways work as before
    page.locator(LANDING).first.click()
    sees_host(page, landing)


def test_the_entry_is_reached_by_the_keyboard(page: Page, landing: str) -> None:
    page.locator(LANDING).first.focus()
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('#perf-bench-entry') !== null"):
            break
    else:
        pytest.fail("Tab does not lead to the entry")
    page.keyboard.press("Enter")
    sees_tab(page, "/")


def test_the_entry_goes_with_the_side_bar(page: Page, landing: str) -> None:
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
    page.click(ENTRY)
    sees_tab(page, "/")


def test_a_deep_link_goes_through_the_log_in(page: Page, site: Site) -> None:
    open_tab(page, site, "/map")


def test_back_and_forward(page: Page, site: Site, landing: str) -> None:
    page.click(ENTRY)
    sees_tab(page, "/")
    page.evaluate("location.hash = '#/osd'")
    sees_host(page, "#/osd")
    page.evaluate("location.hash = '#/perf-bench/map'")
    sees_tab(page, "/map")
    page.evaluate("location.hash = '#/perf-bench/rounds'")
    sees_tab(page, "/rounds")
    for route in ("/map", None, "/", ""):
        page.go_back()
        if route is None:
            sees_host(page, "#/osd")
        elif route:
            sees_tab(page, route)
        else:
            sees_host(page, landing)
    for route in ("/", None, "/map"):
        page.go_forward()
        if route is None:
            sees_host(page, "#/osd")
        else:
            sees_tab(page, route)


def test_a_reload_stays(page: Page, site: Site) -> None:
    open_tab(page, site, "/rounds")
    length = page.evaluate("history.length")
    page.reload()
    sees_tab(page, "/rounds")
    assert page.evaluate("history.length") == length


def test_an_address_that_is_only_like_ours_is_the_hosts(page: Page, landing: str) -> None:
    page.evaluate("location.hash = '#/perf-benchmark'")
    expect(page).to_have_url(re.compile(r"#/(404|error|perf-benchmark)"))
    expect(page.locator(APP)).to_have_count(0)


def test_an_expired_session_leads_to_the_log_in_and_back(page: Page, site: Site) -> None:
    open_tab(page, site, "/rounds")
    page.watch.allow("401")
    page.context.clear_cookies()
    page.wait_for_selector("input[name=username]")
    log_in(page, site)
    sees_tab(page, "/rounds")


def test_logging_out_and_in_again(page: Page, site: Site) -> None:
    open_tab(page, site)
    page.evaluate(
        "fetch('api/auth/logout', {method: 'POST', headers: {Accept:"
        " 'application/vnd.ceph.api.v1.0+json', 'Content-Type': 'application/json'},"
        " body: '{}'})"
    )
    page.watch.allow("401")
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


def test_the_page_of_our_own(page: Page, site: Site) -> None:
    """Strict: a violation of its policy would be an error of ours."""
    page.goto("")
    log_in(page, site)
    answer = page.goto("perf-bench/")
    policy = answer.header_value("content-security-policy")
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    expect(page.locator(f"{APP} >> h1").first).to_be_visible()
    assert not page.locator("script:not([src])").count()


def test_a_bundle_that_is_gone_is_said_so(page: Page, site: Site) -> None:
    page.route("**/perf-bench/main-*", lambda route: route.fulfill(status=404, body=""))
    page.goto("#/perf-bench")
    page.watch.allow("main-")
    log_in(page, site)
    expect(page.get_by_role("status").filter(has_text="could not be loaded")).to_be_visible()
    # the host lives
    page.locator(LANDING).first.click()
    sees_host(page, str(page.locator(LANDING).first.get_attribute("href")))
