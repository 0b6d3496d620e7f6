"""The documentation's pictures, taken from the dashboard of a real cluster: `make pictures`.

Clients write, one of twelve OSDs stalls, and the watch names it: that takes ten minutes. What the
tab's navigation reads in them is kept beside them, so that a test tells when they are too old.
"""

from __future__ import annotations

import sys
from functools import partial

from browser.chrome import TIMEOUT_MS, Page, chromium
from browser.conftest import DIST, ROOT
from browser.dashboard import APP, goes, open_tab
from browser.sites import Site, answering
from cluster.errors import ClusterError
from cluster.spec import Order
from cluster.waiting import wait_for
from scenarios.clients import writing
from scenarios.throwaway import throwaway

FOLDER = ROOT / "docs" / "pictures"
NAVIGATION = FOLDER / "navigation.txt"
_OSDS, _HOSTS, _STALLED = 12, 4, 7
_NAMED = 1200.0
# What is shown was drawn, and has its figures, after so long.
_DRAWN_MS = 4000


def main() -> int:
    """Take them; the exit code is 0 when all were taken."""
    if not (DIST / "manifest.json").is_file():
        print("the tab's pages are not built: make bundle", file=sys.stderr)
        return 1
    with throwaway(Order(osds=_OSDS, hosts=_HOSTS)) as cluster, chromium() as browser:
        site = Site(cluster)
        number = site.start({"profile": "osd-throughput", "repeats": 3, "label": "new drives"})
        site.sees_the_end_of(number)
        with writing(cluster):
            judged = answering(partial(_judged, site))
            wait_for(judged, _NAMED, lambda: "the OSDs are not judged", every=5.0)
            cluster.fault("stall", f"osd.{_STALLED}")
            finding = wait_for(partial(_finding, site), _NAMED, lambda: "no finding", every=5.0)
            page = browser.new_page(
                base_url=f"{site.url}/", viewport={"width": 1400, "height": 900}, locale="en-US"
            )
            page.set_default_timeout(TIMEOUT_MS)
            open_tab(page, site, f"/findings/{finding}")
            _take(page, "finding")
            goes(page, "/")
            _take(page, "overview")
            links = page.locator(f"{APP} >> nav[aria-label='Pages of Perf Bench'] a")
            NAVIGATION.write_text("\n".join(links.all_inner_texts()) + "\n", encoding="utf-8")
            goes(page, "/map")
            _take(page, "map")
    return 0


def _judged(site: Site) -> bool:
    rows = site.admin.get("/osd").json
    return all(osd["state"] != "no-data" for osd in rows)


def _finding(site: Site) -> int:
    """The ID of the finding about the stalled OSD; 0 for none."""
    try:
        rows = site.admin.get("/finding").json
    except (OSError, ClusterError):
        return 0
    named = [one["id"] for one in rows if one["target"] == {"kind": "osd", "id": str(_STALLED)}]
    return int(named[0]) if named else 0


def _take(page: Page, name: str) -> None:
    page.wait_for_timeout(_DRAWN_MS)
    page.screenshot(path=FOLDER / f"{name}.png")


if __name__ == "__main__":
    sys.exit(main())
