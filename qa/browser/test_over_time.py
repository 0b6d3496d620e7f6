"""The cluster over time, a host and what changed, in the tab of a real cluster."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser.axe import axe_findings
from browser.chrome import Page, expect
from browser.dashboard import APP, open_tab
from browser.sites import Site, answering
from browser.test_rest import fits
from cluster.waiting import wait_for
from scenarios.clients import writing

# Three minutes until there is something to see.
pytestmark = pytest.mark.long

SEEN = 600.0
OPTION = "osd_max_scrubs"
SERIAL = "SERIAL-OF-A-DRIVE"


@pytest.fixture(scope="module")
def busy(site: Site) -> Iterator[float]:
    """Clients at work until the cluster has three minutes of latencies; when that began."""
    site.is_calm()
    began = time.time()
    with writing(site.cluster):
        site.cluster.ceph("config", "set", "osd", OPTION, "2")

        def seen() -> bool:
            groups = site.admin.get("/cluster/latency?since=1h").json["groups"]
            rows = groups[0]["rows"] if groups else []
            # Minutes before have the latencies of those OSDs alone that other tests used.
            return len([at for at, *_ in rows if at >= began]) >= 3

        wait_for(answering(seen), SEEN, lambda: "no latencies of the cluster", every=5.0)
        yield began
    site.cluster.ceph("config", "rm", "osd", OPTION)


def test_the_answers_fit_the_schema(site: Site, busy: float) -> None:
    for path, name in (
        ("/cluster/latency?since=1h", "cluster/latency"),
        ("/cluster/latency?since=30d&channel=read", "cluster/latency"),
        ("/cluster/strip", "cluster/strip"),
        ("/host/host-0", "host/NAME"),
    ):
        reply = site.admin.get(path)
        assert reply.status == 200, reply
        fits(reply.json, f"GET {name}")


def test_clients_are_seen_at_work_and_every_osd_is_counted(site: Site, busy: float) -> None:
    answer = site.admin.get("/cluster/latency?since=1h").json
    (every,) = [one for one in answer["groups"] if one["group"] == ""]
    _at, osds, median, high, highest = every["rows"][-1]
    assert osds == 6
    assert 0 < median <= high <= highest
    place = answer["columns"].index("write_ops")
    assert any(row[place] > 0 for row in answer["work"] if row[place] is not None)


def test_who_may_not_read_the_configuration_does_not_learn_of_it(site: Site, busy: float) -> None:
    def told() -> Any:
        answer = site.admin.get("/cluster/latency?since=2h").json
        changes = [one for one in answer["events"] if one["kind"] == "config"]
        return [one for one in changes if one["name"] == f"osd/{OPTION}"]

    (change,) = wait_for(told, 60.0, lambda: "the change is not told", every=5.0)
    assert change["after"] == "2"
    # The role read-only may read it; one with the scope osd alone may not.
    site.cluster.ceph("dashboard", "ac-role-create", "osd-only")
    site.cluster.ceph("dashboard", "ac-role-add-scope-perms", "osd-only", "osd", "read")
    site.add_user("looker", "osd-only")
    try:
        looker = type(site.admin)(site.url).log_in("looker", site.password)
        answer = looker.get("/cluster/latency?since=2h").json
    finally:
        site.cluster.ceph("dashboard", "ac-user-delete", "looker")
        site.cluster.ceph("dashboard", "ac-role-delete", "osd-only")
    assert answer["configuration"] == "hidden"
    assert not [one for one in answer["events"] if one["kind"] == "config"]


def test_the_overview_shows_the_cluster_over_time(page: Page, site: Site, busy: float) -> None:
    open_tab(page, site)
    app = page.locator(APP)
    chart = app.get_by_role("img", name=re.compile("^Latency commit of the OSDs, An hour: median"))
    expect(chart).to_be_visible()
    expect(
        app.get_by_role("img", name=re.compile("^Work of clients, An hour")).first
    ).to_be_visible()
    app.get_by_text(re.compile("What happened in this time")).click()
    expect(app.get_by_text(re.compile(f"Configuration: osd/{OPTION} from .* to 2"))).to_be_visible()
    app.get_by_role("region", name="The cluster over time").get_by_role(
        "button", name="A day"
    ).click()
    expect(
        app.get_by_role("img", name=re.compile("^Latency commit of the OSDs, A day"))
    ).to_be_visible()
    assert axe_findings(page) == []


def test_a_host_has_a_page_and_is_shown_on_the_map(page: Page, site: Site, busy: float) -> None:
    open_tab(page, site, "/hosts/host-1")
    app = page.locator(APP)
    expect(app.get_by_role("heading", name="Host host-1").first).to_be_visible()
    osds = app.get_by_role("region", name="Its OSDs")
    expect(osds.get_by_role("link", name=re.compile(r"^osd\.\d"))).to_have_count(2)
    assert axe_findings(page) == []
    app.get_by_role("link", name="Show it on the map").click()
    expect(app.get_by_text(re.compile("2 OSDs marked"))).to_be_visible()


def test_the_map_finds_a_serial_number(page: Page, site: Site, busy: float, tmp_path: Path) -> None:
    (host,) = [one for one in site.admin.get("/host").json if one["host"] == "host-2"]
    osd = host["osds"][0]
    facts = {
        "format": 1,
        "host": "host-2",
        "collected_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "osds": [{"id": osd, "device": "sdx"}],
        "block": [{"device": "sdx", "serial": SERIAL}],
    }
    file = tmp_path / "facts.json"
    file.write_text(json.dumps(facts))
    site.cluster.ceph("perf-bench", "host", "import", "host-2", "-i", str(file))
    open_tab(page, site, "/map")
    app = page.locator(APP)
    app.get_by_label("Find an OSD, host or serial number").fill(SERIAL.lower())
    app.get_by_role("button", name="Find").click()
    expect(app.get_by_text(f"1 OSD marked: osd.{osd}")).to_be_visible()
    assert axe_findings(page) == []
