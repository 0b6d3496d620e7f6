"""The stock dashboard's OSD page, opened by its address and from another page.

stock_drive.py '{"url": …, "times": …}'
"""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import (  # type: ignore[import-not-found]
    BrowserContext,
    Error,
    Page,
)

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks.browsing import Answers, chromium, heap_now, painted


def drive(context: BrowserContext, url: str, times: int) -> dict[str, Any]:
    """Milliseconds of each try; `failed` has the reason when a page did not come in a minute."""
    answers = Answers(context)
    _log_in(context.new_page(), url)
    report: dict[str, Any] = {"first_paint": [], "change": [], "failed": ""}
    try:
        _open(context, url)  # which fills the caches
        for _ in range(times):
            paint, change, report["heap"] = _open(context, url)
            report["first_paint"].append(paint)
            report["change"].append(change)
    except Error as error:
        report["failed"] = str(error).splitlines()[0]
    return {**report, "bytes": answers.bytes}


def _log_in(tab: Page, url: str) -> None:
    tab.goto(url)
    tab.fill("input[name=username]", "admin")
    tab.fill("input[name=password]", "secret")
    tab.press("input[name=password]", "Enter")
    tab.wait_for_selector("nav#sidebar")
    tab.close()


def _open(context: BrowserContext, url: str) -> tuple[float, float, float]:
    """A new page: until its OSDs stand, until they do again after another page; its heap in MiB."""
    tab = context.new_page()
    tab.goto(f"{url}/#/osd", wait_until="commit")
    paint = painted(tab, "stock")
    tab.evaluate("() => { location.hash = '#/hosts'; }")
    tab.wait_for_selector("cd-hosts datatable-body-row")
    tab.evaluate("() => { probe.begin(performance.now()); location.hash = '#/osd'; }")
    change = painted(tab, "stock")
    devtools = context.new_cdp_session(tab)
    devtools.send("Performance.enable")
    held = heap_now(devtools)
    tab.close()
    return paint, change, held


if __name__ == "__main__":
    # Who has waited long enough ends us, and the browser with us.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    order = json.loads(sys.argv[1])
    with chromium() as started:
        json.dump(drive(started, order["url"], order["times"]), sys.stdout)
