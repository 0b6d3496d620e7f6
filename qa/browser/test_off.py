"""The module switched off and on again."""

from __future__ import annotations

from browser.chrome import Page
from browser.dashboard import ENTRY, log_in, sees_tab
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
