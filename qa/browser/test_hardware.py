"""Advice, enclosures, paths and capacities in the tab of a real cluster."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser.axe import axe_findings
from browser.chrome import Page, expect
from browser.dashboard import APP, goes, open_tab, sees_tab
from browser.sites import READER, Site
from browser.test_rest import fits
from cluster.waiting import wait_for
from scenarios.played import SHELF, nothing, shelf


def test_the_doctor_says_what_to_type(page: Page, site: Site, advice: Any) -> None:
    fits(site.reader.get("/doctor").json, "GET doctor")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_tab(page, site)
    app = page.locator(APP)
    app.get_by_role("link", name="What is wrong").click()
    item = app.get_by_role("listitem").filter(has_text=advice["message"])
    expect(item).to_be_visible()

    def copied() -> bool:  # it says so for two seconds only
        item.get_by_role("button", name=f"Copy {advice['fix']}").click()
        return bool(item.get_by_role("status").inner_text() == "Copied")

    wait_for(copied, 60.0, lambda: "it is not said that it was copied")
    assert page.evaluate("navigator.clipboard.readText()") == advice["fix"]
    item.get_by_text("Evidence and source").click()
    expect(item.get_by_text(advice["source"])).to_be_visible()
    expect(item.get_by_role("link", name="osd.5", exact=True)).to_be_visible()
    assert axe_findings(page) == []


HOSTS = (("host-0", [0, 3]), ("host-1", [1, 4]))


@pytest.fixture
def played(site: Site, tmp_path: Path) -> Iterator[None]:
    """Two hosts tell of one shelf of 60 slots: one is bad, and a path of each disk is lost."""

    def tell(host: str, facts: Any) -> None:
        file = tmp_path / "facts.json"
        file.write_text(json.dumps(facts))
        site.cluster.ceph("perf-bench", "host", "import", host, "-i", str(file))

    for host, osds in HOSTS:
        facts = shelf(host, osds, lost=True, shared=host == "host-0")
        (one,) = facts["enclosures"]
        one["slots"][0].update(status="critical", fault=True)
        one["slots"] += [
            {"slot": slot, "status": "not installed"} for slot in (2, 3, *range(5, 60))
        ]
        one["elements"] = [{"type": "cooling", "name": "Fan 1", "status": "noncritical"}]
        tell(host, facts)
    try:
        yield
    finally:
        # A section that is not told is not known, and keeps the finding: these have none.
        for host, _ in HOSTS:
            tell(host, {**nothing(host), "enclosures": [], "multipath": []})


def test_enclosures_are_empty_until_hosts_tell(page: Page, site: Site) -> None:
    open_tab(page, site)
    app = page.locator(APP)
    app.get_by_role("link", name="Where", exact=True).click()
    app.get_by_role("link", name="Hardware", exact=True).click()
    expect(app.get_by_text("No enclosure is known")).to_be_visible()
    expect(app.get_by_text("No multipath disk is known")).to_be_visible()
    expect(app.get_by_text("ceph-perf-bench facts --push", exact=True).first).to_be_visible()
    assert axe_findings(page) == []
    goes(page, "/hosts")
    expect(app.get_by_role("row", name=re.compile("host-2.*never"))).to_be_visible()
    assert axe_findings(page) == []


@pytest.mark.usefixtures("played")
def test_an_enclosure_is_drawn_slot_by_slot(page: Page, site: Site) -> None:
    for question in ("enclosure", "host", "multipath"):
        fits(site.reader.get(f"/{question}").json, f"GET {question}")
    fits(site.reader.get(f"/enclosure/{SHELF}").json, "GET enclosure/ID")
    open_tab(page, site, "/enclosures", user=READER)
    app = page.locator(APP)
    app.get_by_role("link", name=SHELF).click()
    slots = app.get_by_role("list", name=f"Slots of enclosure {SHELF}")
    expect(slots.get_by_role("listitem")).to_have_count(60)
    words = re.compile(r"slot 0: osd\.0, osd\.3 .+; slot critical, fault; device sda; host-0")
    bad = slots.get_by_role("listitem").filter(has_text=words)
    expect(bad.get_by_role("link")).to_have_text(["osd.0", "osd.3"])
    expect(slots.get_by_role("link")).to_have_count(4)
    expect(app.get_by_text("slot 0 (osd.0 and osd.3) is critical")).to_be_visible()
    part = app.get_by_role("listitem").filter(has_text="Fan 1")
    expect(part).to_contain_text("noncritical")
    assert axe_findings(page) == []
    page.set_viewport_size({"width": 700, "height": 900})
    assert axe_findings(page) == []
    app.get_by_text("As a table").click()
    expect(app.get_by_role("row", name=re.compile("osd.4.*host-1"))).to_be_visible()
    bad.get_by_role("link", name="osd.3").click()
    expect(app.get_by_role("heading", name="osd.3", level=2)).to_be_visible()


@pytest.mark.usefixtures("played")
def test_paths_that_are_lost(page: Page, site: Site) -> None:
    open_tab(page, site, "/hosts")
    app = page.locator(APP)
    app.get_by_role("link", name="Hardware", exact=True).click()
    sees_tab(page, "/hardware")
    row = app.get_by_role("row").filter(has_text="mpath4")
    expect(row).to_contain_text("degraded")
    expect(row).to_contain_text("1 of 2")
    expect(row).to_contain_text("sde2 (1:0:4:0) failed")
    for head in app.locator("pb-paths th[aria-sort] button").all():
        with page.expect_response(lambda answer: "sort=" in answer.url) as asked:
            head.click()
        assert asked.value.status == 200, asked.value.text()
    assert axe_findings(page) == []


def test_capacities_of_mclock(page: Page, site: Site) -> None:
    found = site.reader.get("/mclock").json
    fits(found, "GET mclock")
    open_tab(page, site, "/mclock")  # where it was before
    app = page.locator(APP)
    expect(app.get_by_role("heading", name="mClock")).to_be_visible()
    expect(app.get_by_role("row", name=re.compile("osd.5"))).to_be_visible()
    if {one["verdict"] for one in found} == {"unused"}:  # Ceph 16
        expect(app.get_by_text("No OSD uses mClock")).to_be_visible()
        assert site.admin.post("/mclock/apply").status == 501
        assert axe_findings(page) == []
        return
    assert axe_findings(page) == []
    app.get_by_role("button", name="Restore…").click()
    page.get_by_role("button", name="Restore them").click()
    expect(app.get_by_text("Restored; OSDs changed: 0.")).to_be_visible()
    fits(site.admin.post("/mclock/restore").json, "POST mclock/restore")


@pytest.mark.long
def test_what_was_measured_is_set_and_put_back(page: Page, site: Site) -> None:
    if {one["verdict"] for one in site.reader.get("/mclock").json} == {"unused"}:
        pytest.skip("no OSD uses mClock on Ceph 16")
    site.is_calm()
    options = [f"osd_mclock_iops_capacity_threshold_{kind}" for kind in ("hdd", "ssd")]
    for option in options:  # files on this machine do far more than Ceph believes of a disk
        site.cluster.ceph("config", "set", "osd", option, "10000000")
    try:
        number = site.start({"profile": "osd-iops", "repeats": 1})
        assert site.sees_the_end_of(number)["state"] == "done"
        open_tab(page, site, "/mclock")
        app = page.locator(APP)
        app.get_by_role("button", name="Set the measured values…").click(timeout=60_000)
        page.get_by_role("button", name="Set them", exact=True).click()
        expect(app.get_by_text(re.compile("Set; OSDs changed: [1-6]"))).to_be_visible()
        app.get_by_role("button", name="Restore…").click()
        page.get_by_role("button", name="Restore them").click()
        expect(app.get_by_text(re.compile("Restored; OSDs changed: [1-6]"))).to_be_visible()
    finally:
        for option in options:
            site.cluster.ceph("config", "rm", "osd", option)


def test_checksums_by_osd(page: Page, site: Site) -> None:
    found = site.reader.get("/crc").json
    fits(found, "GET crc")
    open_tab(page, site, "/crc")  # where it was before
    app = page.locator(APP)
    expect(app.get_by_text(found["lower_bound"])).to_be_visible()
    rows = app.get_by_role("group", name="Checksums", exact=True).get_by_role("row")
    expect(rows).to_have_count(1 + len(found["osds"]))
    assert axe_findings(page) == []


def test_no_worker_waits_until_one_is_started(page: Page, site: Site) -> None:
    fits(site.reader.get("/worker").json, "GET worker")
    open_tab(page, site, "/rounds")
    app = page.locator(APP)
    app.get_by_role("link", name="Workers").click()
    expect(app.get_by_text("No worker is connected")).to_be_visible()
    expect(app.get_by_text("ceph-perf-bench worker")).to_be_visible()
    assert axe_findings(page) == []
