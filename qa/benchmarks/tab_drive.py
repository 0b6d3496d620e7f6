"""Drive the tab in a real Chromium and tell as JSON what it took; runs in the browser's Python.

    tab_drive.py '{"url": …, "times": …}'

See tab.py, which starts this and judges the figures.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import (  # type: ignore[import-not-found]
    BrowserContext,
    Error,
    Page,
    Response,
    sync_playwright,
)

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from browser.chrome import ARGUMENTS, PROGRAM, TIMEOUT_MS

PROBE = Path(__file__).with_name("tab_probe.js")
SIZE = {"width": 1400, "height": 900}

Report = dict[str, Any]


@contextmanager
def chromium() -> Iterator[BrowserContext]:
    """A browser with a profile on disk, for its caches are what is measured too."""
    with tempfile.TemporaryDirectory() as profile, sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=PROGRAM, args=ARGUMENTS, viewport=SIZE, locale="en-US"
        )
        context.set_default_timeout(TIMEOUT_MS)
        context.add_init_script(path=PROBE)
        try:
            yield context
        finally:
            context.close()


class Answers:
    """How large the answers of the API were on the wire, by their address."""

    def __init__(self, context: BrowserContext) -> None:
        self.bytes: dict[str, int] = {}
        context.on("requestfinished", lambda request: self._note(request.response()))

    def _note(self, response: Response | None) -> None:
        if response is None or "/api/" not in response.url:
            return
        address = response.url.split("/api/", 1)[1]
        try:
            size = int(response.request.sizes()["responseBodySize"])
        except Error:  # its tab was closed meanwhile
            return
        self.bytes[address] = max(size, self.bytes.get(address, 0))


def painted(tab: Page, page: str, detail: str = "") -> float:
    """Milliseconds until that page of the probe's stands; an error after a minute."""
    script = "([page, detail]) => probe.painted(page, detail)"
    return float(tab.evaluate(script, [page, detail]))


class Visit:
    """A browser tab with ours in it; every way to a page tells the milliseconds it took."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        """Open the overview."""
        self.tab: Page = context.new_page()
        self.tab.goto(url, wait_until="commit")
        self.began = painted(self.tab, "overview")
        self._seen: set[str] = set()
        self._compared = 1
        self._shelf = 0xC3D4
        self._host = 0
        root = url.split("#", maxsplit=1)[0]
        found = self.tab.request.get(f"{root}api/perf_bench/finding?limit=500").json()
        self._findings = [one for one in found if one["target"]["kind"] == "osd"]

    def rest(self) -> None:
        """Wait until nothing is asked for any more."""
        self.tab.wait_for_load_state("networkidle")

    def to(self, name: str) -> float:
        """To a page by its name, as a person goes there from the overview."""
        ways: dict[str, Callable[[], float]] = {
            "what is wrong": lambda: self._by_address("wrong", "wrong"),
            "finding": self._to_finding,
            "laggy PGs": lambda: self._by_address("laggy", "laggy"),
            "OSD map": lambda: self._by_address("map", "map"),
            "hosts": lambda: self._by_address("hosts", "hosts"),
            "host": self._to_host,
            "settings": lambda: self._by_address("settings", "settings"),
            "rounds": lambda: self._by_address("rounds", "rounds"),
            "round": lambda: self._by_link("pb-last-rounds tbody a[href*='/rounds/']", "round"),
            "OSD": lambda: self._by_link("pb-slowest tbody a[href*='/osds/']", "osd"),
            "comparison": self._to_comparison,
            "history": lambda: self._by_address("history", "history"),
            "schedules": lambda: self._by_address("schedules", "schedules"),
            "mClock": lambda: self._by_address("mclock", "mclock"),
            "hardware": lambda: self._by_address("hardware", "hardware"),
            "enclosure": self._to_enclosure,
        }
        return ways[name]()

    def _by_link(self, selector: str, page: str) -> float:
        """Always another one: what is known of one is shown at once when it is opened again."""
        for link in self.tab.locator(selector).all():
            address = str(link.get_attribute("href"))
            if address not in self._seen:
                self._seen.add(address)
                link.click()
                return painted(self.tab, page, address.rsplit("/", 1)[1])
        raise RuntimeError(f"there is no other {page} to look at")

    def _by_address(self, route: str, page: str, detail: str = "") -> float:
        """As a link from elsewhere does it."""
        begin = "hash => { probe.begin(performance.now()); location.hash = hash; }"
        self.tab.evaluate(begin, f"#/{route}")
        return painted(self.tab, page, detail)

    def _to_comparison(self) -> float:
        """Two rounds that were not compared yet."""
        before, after = (self._compared, self._compared + 1)
        self._compared += 10
        route = f"history?a={before}&b={after}"
        return self._by_address(route, "comparison", f"{after} against round {before}")

    def _to_finding(self) -> float:
        """One of the slow OSDs that was not looked at yet."""
        finding = self._findings.pop()
        name = f"osd.{finding['target']['id']}"
        return self._by_address(f"findings/{finding['id']}", "finding", name)

    def _to_host(self) -> float:
        """One that was not looked at yet."""
        name = f"host-{self._host}"
        self._host += 1
        return self._by_address(f"hosts/{name}", "host", name)

    def _to_enclosure(self) -> float:
        """One that was not looked at yet."""
        name = f"0x5000c500a1b2{self._shelf:04x}"
        self._shelf += 1
        return self._by_address(f"enclosures/{name}", "enclosure", name)


PAGES = (
    *("what is wrong", "finding", "laggy PGs", "mClock"),
    *("OSD map", "OSD", "hosts", "host", "hardware", "enclosure"),
    *("rounds", "round", "history", "comparison", "schedules", "settings"),
)


def first_paints(context: BrowserContext, url: str, times: int) -> list[float]:
    """From the request of the host's page to the overview."""
    found = []
    for _ in range(times):
        visit = Visit(context, url)
        found.append(visit.began)
        visit.tab.close()
    return found


def first_openings(context: BrowserContext, url: str, times: int) -> dict[str, list[float]]:
    """Each page, as the first that is opened from the overview, once that has come to rest."""
    found: dict[str, list[float]] = {name: [] for name in PAGES}
    for _ in range(times):
        for name in PAGES:
            visit = Visit(context, url)
            visit.rest()
            found[name].append(visit.to(name))
            visit.tab.close()
    return found


def drive(order: Report) -> Report:
    """All of it, in one browser."""
    start, times = f"{order['url']}/#/", order["times"]
    with chromium() as context:
        answers = Answers(context)
        # Whoever has the bundle in the cache has been here before.
        first_openings(context, start, 1)
        return {
            "first_paint": first_paints(context, start, times),
            "first_openings": first_openings(context, start, times),
            "bytes": answers.bytes,
        }


def main(words: Sequence[str]) -> None:
    """Do what the order says, which is the first word."""
    json.dump(drive(json.loads(words[0])), sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1:])
