"""Rounds of clients in the tab of a real cluster: started, watched second by second, aborted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from browser.axe import axe_findings
from browser.chrome import Locator, Page, expect
from browser.dashboard import APP, START, open_tab, sees_round
from browser.sites import Site
from browser.test_rest import fits
from cluster.waiting import wait_for
from scenarios.workers import KEY_STAYS, WorkerHost, working

pytestmark = pytest.mark.leaves(*KEY_STAYS)

FIO = Path(__file__).resolve().parents[2] / "tests/bench/record/data/fio-writes.json"
# A search among two loads.
SEARCH = {"profile": "rados-saturate", "clients": 1, "threads": 2, "seconds": 2, "size": "64K"}


def asks_for(page: Page, clients: int, in_flight: int, seconds: int) -> Locator:
    """The start dialog, filled: one repeat of writes of 64 KiB by so many clients."""
    page.get_by_role("button", name=START).click()
    dialog = page.get_by_role("dialog", name="Start a round")
    dialog.get_by_role("combobox", name="What do you want to know?").select_option("rados-write")
    asked = {"Clients": clients, "Operations in flight": in_flight, "Seconds": seconds}
    for label, value in {**asked, "Repeats": 1, "Block size of a write": "64 KiB"}.items():
        dialog.get_by_label(label, exact=True).fill(str(value))
    return dialog


def test_a_round_of_clients_is_started_and_watched_live(page: Page, site: Site) -> None:
    site.is_calm()
    open_tab(page, site)
    dialog = asks_for(page, clients=2, in_flight=4, seconds=24)
    planned = "2 clients . 4 operations in flight, write of 64 KiB, 24 s a run, pool perf_bench"
    expect(dialog.get_by_text(re.compile(planned))).to_be_visible()
    assert axe_findings(page) == []
    dialog.get_by_role("button", name="Start the round").click()
    number = sees_round(page)
    app = page.locator(APP)
    rates = r"([2-9]|\d\d) seconds: [\d.]+ to [\d.]*[1-9]"
    whole = re.compile(f"Throughput of 2 clients together in repeat 1, {rates}")
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
    assert axe_findings(page) == []


@pytest.fixture
def workers(site: Site) -> Iterator[None]:
    """Two workers wait, ``a`` and ``b``; afterwards none is remembered."""
    both = [WorkerHost(site.cluster, name) for name in ("a", "b")]
    with working(*both):

        def ready() -> bool:
            return [one["state"] for one in site.reader.get("/worker").json] == ["ready"] * 2

        wait_for(ready, 60.0, lambda: "the workers did not get ready", every=0.3)
        yield
        for worker in both:
            worker.stop()


@pytest.mark.usefixtures("workers")
@pytest.mark.long
def test_a_round_runs_on_the_workers_that_are_chosen(page: Page, site: Site) -> None:
    site.is_calm()
    open_tab(page, site)
    dialog = asks_for(page, clients=3, in_flight=2, seconds=2)
    for name in ("a", "b"):
        dialog.get_by_role("checkbox", name=name, exact=True).check()
    dialog.get_by_label("Pool", exact=True).fill("other")
    refused = dialog.get_by_role("alert")
    expect(refused).to_have_text(re.compile("^ *--workers serve the pool perf_bench only"))
    page.watch.allow("400 (Bad Request)")  # what the browser says of it
    dialog.get_by_label("Pool", exact=True).fill("")
    expect(dialog.get_by_text("pool perf_bench, on workers a, b")).to_be_visible()
    assert axe_findings(page) == []
    dialog.get_by_role("button", name="Start the round").click()
    number = sees_round(page)
    shown = site.sees_the_end_of(number)
    fits(shown, "GET round/ID")
    assert shown["state"] == "done", shown["reasons"]
    app = page.locator(APP)
    parts = app.get_by_role("region", name="Workers by repeat").get_by_role("row")
    expect(parts).to_have_count(3)
    expect(parts.nth(1)).to_contain_text(re.compile(r"1\s*a\s*host-a\s*0, 2\s*[\d.]+\s*[\d.]+"))
    expect(parts.nth(2)).to_contain_text(re.compile(r"1\s*b\s*host-b\s*1\s"))
    clients = app.get_by_role("region", name="Clients by repeat").get_by_role("row")
    expect(clients.nth(2)).to_contain_text(re.compile(r"1\s*1\s*b\s"))
    assert axe_findings(page) == []


def test_what_fio_measured_becomes_a_round(page: Page, site: Site, tmp_path: Path) -> None:
    open_tab(page, site, "/rounds")
    app = page.locator(APP)
    app.get_by_role("button", name="Import…").click()
    dialog = page.get_by_role("dialog", name="Import results of another tool")
    broken = tmp_path / "broken.json"
    broken.write_text(FIO.read_text(encoding="utf-8").replace('"runtime"', '"walltime"'))
    dialog.get_by_label("File", exact=True).set_input_files(broken)
    take = dialog.get_by_role("button", name="Import", exact=True)
    page.watch.allow("400 (Bad Request)")  # what the browser says of it
    take.click()
    expect(dialog.get_by_role("alert")).to_contain_text("runtime")
    assert axe_findings(page) == []
    dialog.get_by_label("File", exact=True).set_input_files(FIO)
    dialog.get_by_label("Label").fill("by the browser")
    take.click()
    expect(app.get_by_role("heading", name="What fio reported")).to_be_visible()
    shown = site.round(sees_round(page))
    fits(shown, "GET round/ID")
    (job,) = shown["imported"]["jobs"]
    row = app.get_by_role("row").filter(has_text=job["name"])
    expect(row).to_contain_text(f"{job['bytes_per_second'] / 2**20:.1f}")
    expect(app.get_by_text("OSDs of this round")).to_have_count(0)
    assert axe_findings(page) == []


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
    expect(app.get_by_role("img", name=re.compile("at 2 loads: peak 1 client "))).to_be_visible()
    expect(app.get_by_text(found["reason"])).to_be_visible()
    point = found["recommended"]
    row = app.get_by_role("row").filter(has_text="recommended")
    expect(row).to_contain_text(re.compile(f"1 client . {point['threads']}"))
    assert axe_findings(page) == []
