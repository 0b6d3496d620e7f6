"""The module switched off and on again, under an open tab."""

from __future__ import annotations

import pytest

from browser.chrome import Page, expect
from browser.dashboard import APP, ENTRY, log_in, sees_tab
from browser.sites import Site


def test_a_module_that_is_off_says_how_to_switch_it_on(page: Page, site: Site) -> None:
    site.switch("disable")
    try:
        for path in ("/status", "/round", "/osd/map"):
            reply = site.admin.get(path)
            assert reply.status == 503
            assert "ceph mgr module enable perf_bench" in reply.json["detail"]
        # The tab loads its other pages ahead; the mgr respawns, maybe in the midst of it.
        page.watch.allow("net::ERR_")
        page.goto("#/perf-bench")
        log_in(page, site)
        page.wait_for_selector(ENTRY)
        sees_tab(page, "/")
    finally:
        site.switch("enable")
        site.is_calm()


@pytest.mark.long
def test_an_open_tab_comes_back_by_itself(page: Page, site: Site) -> None:
    page.goto("#/perf-bench")
    log_in(page, site)
    sees_tab(page, "/")
    page.watch.allow("Failed to load resource")  # the mgr respawns twice
    page.watch.allow("net::ERR")
    site.switch("disable")
    try:
        said = page.locator(APP).get_by_text("ceph mgr module enable perf_bench")
        expect(said.first).to_be_visible(timeout=60_000)
    finally:
        site.switch("enable")
        site.is_calm()
    expect(said).to_have_count(0, timeout=60_000)
