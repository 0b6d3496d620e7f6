"""Drive the tab in a real Chromium and tell as JSON what it took; runs in the browser's Python.

    tab_drive.py '{"url": …, "minutes": …, "times": …}'

See tab.py, which starts this and judges the figures.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import (  # type: ignore[import-not-found]
    BrowserContext,
    Page,
    Response,
    sync_playwright,
)

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from browser.chrome import ARGUMENTS, PROGRAM

PROBE = Path(__file__).with_name("tab_probe.js")
TIMEOUT_MS = 60_000
SIZE = {"width": 1400, "height": 900}
MIB = 2**20
# A round of the fake lasts so long; with it the answers that are polled change.
ROUND_SECONDS = 5
# How often one is started while the heap is watched.
ROUND_EVERY = 60

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
        size = int(response.request.sizes()["responseBodySize"])
        self.bytes[address] = max(size, self.bytes.get(address, 0))


class Visit:
    """A browser tab with ours in it; every way to a page tells the milliseconds it took."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        """Open the overview."""
        self.tab: Page = context.new_page()
        self.tab.goto(url, wait_until="commit")
        self.began = self._painted("overview")
        self._seen: set[str] = set()

    def rest(self) -> None:
        """Wait until nothing is asked for any more."""
        self.tab.wait_for_load_state("networkidle")

    def to(self, name: str) -> float:
        """To a page by its name, as a person goes there from the overview."""
        ways: dict[str, Callable[[], float]] = {
            "overview": lambda: self._by_tab("Overview", "overview"),
            "OSD map": lambda: self._by_tab("OSD map", "map"),
            "rounds": lambda: self._by_tab("Rounds", "rounds"),
            "round": lambda: self._by_link("pb-rounds-table tbody a[href*='/rounds/']", "round"),
            "OSD": lambda: self._by_link("pb-slowest tbody a[href*='/osds/']", "osd"),
        }
        return ways[name]()

    def _by_tab(self, text: str, page: str) -> float:
        self.tab.locator(f".pb-tab >> text={text}").click()
        return self._painted(page)

    def _by_link(self, selector: str, page: str) -> float:
        """Always another one: what is known of one is shown at once when it is opened again."""
        for link in self.tab.locator(selector).all():
            address = str(link.get_attribute("href"))
            if address not in self._seen:
                self._seen.add(address)
                link.click()
                return self._painted(page, address.rsplit("/", 1)[1])
        raise RuntimeError(f"there is no other {page} to look at")

    def _painted(self, page: str, detail: str = "") -> float:
        script = "([page, detail]) => probe.painted(page, detail)"
        return float(self.tab.evaluate(script, [page, detail]))


PAGES = ("OSD map", "rounds", "round", "OSD")


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
    tab.request.post(f"{url}/fake", data={"seconds": ROUND_SECONDS})
    found = [_heap(devtools)]
    for _ in range(2):
        until = time.monotonic() + 30 * minutes
        while (left := until - time.monotonic()) > 0:
            tab.request.post(f"{url}/api/perf_bench/round", data={"profile": "osd-throughput"})
            tab.wait_for_timeout(1000 * min(ROUND_EVERY, left))
        found.append(_heap(devtools))
    return found


def _heap(devtools: Any) -> float:
    # What is only held weakly goes with the second collection.
    for _ in range(2):
        devtools.send("HeapProfiler.collectGarbage")
    metrics = devtools.send("Performance.getMetrics")["metrics"]
    return float(next(m["value"] for m in metrics if m["name"] == "JSHeapUsedSize") / MIB)


def drive(order: Report) -> Report:
    """All of it, in one browser."""
    url, times = order["url"], order["times"]
    start = f"{url}/#/perf-bench"
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
