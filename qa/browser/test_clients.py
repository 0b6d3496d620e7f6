"""Rounds of clients in the tab of a real cluster: started, watched second by second, aborted."""

from __future__ import annotations

import re

import pytest

from browser.chrome import Page, expect
from browser.dashboard import APP, open_tab
from browser.sites import Site
from browser.test_rest import fits
from browser.test_tab import START, serious

pytestmark = pytest.mark.usefixtures("pages")

LOAD = {"profile": "rados-write", "clients": 2, "threads": 4, "size": "64K", "repeats": 1}
# A search among two loads.
SEARCH = {"profile": "rados-saturate", "clients": 1, "threads": 2, "seconds": 2, "size": "64K"}


def test_a_round_of_clients_is_started_and_watched_live(page: Page, site: Site) -> None:
    site.is_calm()
    open_tab(page, site)
    page.get_by_role("button", name=START).click()
    dialog = page.get_by_role("dialog", name="Start a round")
    dialog.get_by_role("combobox", name="Profile").select_option("rados-write")
    asked = {"Clients": "2", "Operations in flight": "4", "Seconds": "8", "Repeats": "1"}
    for label, value in {**asked, "Block size of a write": "64 KiB"}.items():
        dialog.get_by_label(label, exact=True).fill(value)
    planned = "2 clients . 4 operations in flight, write of 64 KiB, 8 s a run, pool perf_bench"
    expect(dialog.get_by_text(re.compile(planned))).to_be_visible()
    assert serious(page) == []
    dialog.get_by_role("button", name="Start the round").click()
    page.wait_for_function("location.hash.match(/rounds\\/\\d+/)")
    number = int(page.evaluate("location.hash.match(/rounds\\/(\\d+)/)[1]"))
    app = page.locator(APP)
    whole = re.compile("Throughput of 2 clients together in repeat 1, [2-9] seconds: [1-9]")
    expect(app.get_by_role("img", name=whole)).to_be_visible()
    expect(app.get_by_text("running now")).to_be_visible()
    live = site.reader.get(f"/round/{number}/live").json
    fits(live, "GET round/ID/live")
    assert [one["client"] for one in live["clients"]] == [0, 1]
    shown = site.sees_the_end_of(number)
    fits(shown, "GET round/ID")
    assert shown["state"] == "done", shown["reasons"]
    expect(app.get_by_role("heading", name="Clients by repeat")).to_be_visible()
    expect(app.get_by_role("img", name=re.compile("^Mean latency of 2 clients"))).to_be_visible()
    expect(app.get_by_role("row")).to_have_count(3)
    assert site.reader.get(f"/round/{number}/live").json["clients"] == []
    assert serious(page) == []


def test_a_round_of_clients_is_aborted(page: Page, site: Site) -> None:
    site.is_calm()
    number = site.start({**LOAD, "seconds": 120})
    open_tab(page, site, f"/rounds/{number}")
    expect(page.locator(APP).get_by_text("running now")).to_be_visible()
    page.get_by_role("button", name="Abort…").first.click()
    page.get_by_role("button", name="Abort the round").click()
    assert site.sees_the_end_of(number)["verdict"] == "aborted"
    expect(page.locator(APP).get_by_text("running now")).to_have_count(0)


@pytest.mark.long
def test_a_search_shows_its_knee(page: Page, site: Site) -> None:
    site.is_calm()
    plan = site.admin.post("/round", {**SEARCH, "dry_run": True}).json
    fits(plan, "POST round dry_run")
    number = site.start(SEARCH)
    open_tab(page, site, f"/rounds/{number}")
    app = page.locator(APP)
    expect(app.get_by_role("heading", name="Where it saturates")).to_be_visible()
    whole = site.sees_the_end_of(number)
    fits(whole, "GET round/ID")
    found = whole["saturation"]
    expect(app.get_by_role("img", name=re.compile("at 2 loads: peak 1 clients"))).to_be_visible()
    expect(app.get_by_text(found["reason"])).to_be_visible()
    point = found["recommended"]
    row = app.get_by_role("row").filter(has_text="recommended")
    expect(row).to_contain_text(re.compile(f"{point['clients']} clients . {point['threads']}"))
    assert serious(page) == []
