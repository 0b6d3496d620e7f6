"""Drive the tab in a real Chromium and tell as JSON what it took; runs in the browser's Python.

    tab_drive.py '{"url": …, "minutes": …, "times": …}'

See tab.py, which starts this and judges the figures.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Page  # type: ignore[import-not-found]

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks.browsing import Answers, chromium, heap_now, painted

# How often a round is started while the heap is watched; with it answers change.
ROUND_EVERY = 60

Report = dict[str, Any]


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
        found = self.tab.request.get(f"{root}api/perf_bench/finding?limit=50").json()
        self._findings = [one for one in found if one["target"]["kind"] == "osd"]

    def rest(self) -> None:
        """Wait until nothing is asked for any more."""
        self.tab.wait_for_load_state("networkidle")

    def to(self, name: str) -> float:
        """To a page by its name, as a person goes there from the overview."""
        ways: dict[str, Callable[[], float]] = {
            "overview": lambda: self._by_tab("Overview", "overview"),
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

    def _by_tab(self, text: str, page: str) -> float:
        self.tab.locator(f".pb-tab >> text={text}").click()
        return painted(self.tab, page)

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


def changes(visit: Visit, times: int) -> dict[str, list[float]]:
    """Page after page in one tab, from the overview and back to it."""
    found: dict[str, list[float]] = {name: [] for name in ("overview", *PAGES)}
    for _ in range(times):
        for name in PAGES:
            found[name].append(visit.to(name))
            found["overview"].append(visit.to("overview"))
    return found


def map_frames(visit: Visit) -> dict[str, list[float]]:
    """Milliseconds between frames while a person hovers, zooms and scrolls over the map."""
    visit.to("OSD map")
    tab = visit.tab
    box = tab.locator(".pb-map__scroll").bounding_box()
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def hover() -> None:
        for step in range(5):
            y = box["y"] + (step + 0.5) * box["height"] / 5
            tab.mouse.move(box["x"] + 5, y)
            tab.mouse.move(box["x"] + box["width"] - 5, y, steps=60)

    def zoom() -> None:
        tab.keyboard.down("Control")
        for step in [*[-1] * 10, *[1] * 10] * 2:
            tab.mouse.wheel(0, step * 100)
            tab.wait_for_timeout(40)
        tab.keyboard.up("Control")

    def scroll() -> None:
        for step in [*[1] * 40, *[-1] * 40]:
            tab.mouse.wheel(0, step * 80)
            tab.wait_for_timeout(16)

    found = {"hover": _frames(tab, hover)}
    tab.mouse.move(*middle)
    found["zoom"] = _frames(tab, zoom)
    # Large enough that most of it lies outside the view.
    for _ in range(8):
        tab.get_by_role("button", name="Zoom in").click()
    tab.mouse.move(*middle)
    found["scroll"] = _frames(tab, scroll)
    return found


def _frames(tab: Page, act: Callable[[], None]) -> list[float]:
    before = tab.evaluate("() => { window.stopFrames = probe.frames(); return probe.shapes(); }")
    act()
    gaps: list[float] = tab.evaluate("() => stopFrames()")
    if tab.evaluate("() => probe.shapes()") == before:
        raise RuntimeError("the map was not drawn once while it was played with")
    return gaps


def heap(context: BrowserContext, tab: Page, url: str, minutes: float) -> list[float]:
    """MiB of the page's heap after a collection: at the start, in the middle, at the end.

    Rounds come and go meanwhile, so that what is polled changes.
    """
    devtools = context.new_cdp_session(tab)
    devtools.send("Performance.enable")
    found = [heap_now(devtools)]
    for _ in range(2):
        until = time.monotonic() + 30 * minutes
        while (left := until - time.monotonic()) > 0:
            tab.request.post(f"{url}/api/perf_bench/round", data={"profile": "osd-throughput"})
            tab.wait_for_timeout(1000 * min(ROUND_EVERY, left))
        found.append(heap_now(devtools))
    return found


def drive(order: Report) -> Report:
    """All of it, in one browser."""
    url, times = order["url"], order["times"]
    start = f"{url}/#/"
    report: Report = {}
    with chromium() as context:
        answers = Answers(context)
        # Whoever has the bundle in the cache has been here before.
        changes(Visit(context, start), 1)
        report["first_paint"] = first_paints(context, start, times)
        report["first_openings"] = first_openings(context, start, times)
        visit = Visit(context, start)
        changes(visit, 1)
        report["changes"] = changes(visit, times)
        report["frames"] = map_frames(visit)
        report["bytes"] = answers.bytes
        report["heap"] = heap(context, visit.tab, url, order["minutes"])
    return report


def main(words: Sequence[str]) -> None:
    """Do what the order says, which is the first word."""
    json.dump(drive(json.loads(words[0])), sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1:])
