"""Advice, enclosures, paths and capacities in the tab of a real cluster."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from browser.axe import axe_findings
from browser.chrome import Page, expect
from browser.dashboard import APP, goes, open_tab
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


@contextmanager
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


def test_hosts_tell_of_their_enclosures_and_paths(page: Page, site: Site, tmp_path: Path) -> None:
    open_tab(page, site, "/hardware", user=READER)
    app = page.locator(APP)
    expect(app.get_by_text("No enclosure is known")).to_be_visible()
    expect(app.get_by_text("No multipath disk is known")).to_be_visible()
    expect(app.get_by_text("ceph-perf-bench facts --push", exact=True).first).to_be_visible()
    goes(page, "/hosts")
    expect(app.get_by_role("row", name=re.compile("host-2.*never"))).to_be_visible()
    with played(site, tmp_path):
        for question in ("enclosure", "host", "multipath"):
            fits(site.reader.get(f"/{question}").json, f"GET {question}")
        fits(site.reader.get(f"/enclosure/{SHELF}").json, "GET enclosure/ID")
        goes(page, "/hardware")
        row = app.get_by_role("row").filter(has_text="mpath4")
        expect(row).to_contain_text("degraded")
        expect(row).to_contain_text("1 of 2")
        expect(row).to_contain_text("sde2 (1:0:4:0) failed")
        assert axe_findings(page) == []
        app.get_by_role("link", name=SHELF).first.click()
        _an_enclosure_is_drawn_slot_by_slot(page)


def _an_enclosure_is_drawn_slot_by_slot(page: Page) -> None:
    app = page.locator(APP)
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


def test_capacities_of_mclock_and_checksums(page: Page, site: Site) -> None:
    crc = site.reader.get("/crc").json
    open_tab(page, site, "/crc")  # where it was before
    app = page.locator(APP)
    expect(app.get_by_text(crc["lower_bound"])).to_be_visible()
    rows = app.get_by_role("group", name="Checksums", exact=True).get_by_role("row")
    expect(rows).to_have_count(1 + len(crc["osds"]))
    goes(page, "/settings")
    expect(app.get_by_role("heading", name="mClock")).to_be_visible()
    expect(app.get_by_role("row", name=re.compile("osd.5"))).to_be_visible()
    if {one["verdict"] for one in site.reader.get("/mclock").json} == {"unused"}:  # Ceph 16
        expect(app.get_by_text("No OSD uses mClock")).to_be_visible()
        assert site.admin.post("/mclock/apply").status == 501
        return
    app.get_by_role("button", name="Restore…").click()
    page.get_by_role("button", name="Restore them").click()
    expect(app.get_by_text("Restored; OSDs changed: 0.")).to_be_visible()
    fits(site.admin.post("/mclock/restore").json, "POST mclock/restore")
