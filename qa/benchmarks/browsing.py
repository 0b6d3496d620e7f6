"""A Chromium to measure pages in; for the browser's Python, as tab_drive.py."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
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

from browser.chrome import ARGUMENTS, PROGRAM

PROBE = Path(__file__).with_name("tab_probe.js")
TIMEOUT_MS = 60_000
SIZE = {"width": 1400, "height": 900}
MIB = 2**20


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


def heap_now(devtools: Any) -> float:
    """MiB that are held after a collection."""
    # What is only held weakly goes with the second collection.
    for _ in range(2):
        devtools.send("HeapProfiler.collectGarbage")
    metrics = devtools.send("Performance.getMetrics")["metrics"]
    return float(next(m["value"] for m in metrics if m["name"] == "JSHeapUsedSize") / MIB)
