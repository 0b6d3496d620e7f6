"""Debian's Chromium driven by Playwright, and which of a page's errors are ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import (  # type: ignore[import-not-found]
    Browser,
    Error,
    Locator,
    Page,
    expect,
    sync_playwright,
)

__all__ = ["Browser", "Error", "Locator", "Page", "Watch", "chromium", "expect"]

PROGRAM = "/usr/bin/chromium"
# Root needs --no-sandbox; the rest keeps it from talking to anybody but the dashboard.
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
# How long a condition may take: on a machine that has other work a page may take long.
TIMEOUT_MS = 60_000
expect.set_options(timeout=TIMEOUT_MS)
# What the browser says of an answer for which a mgr had to wait too long; the page asks again.
_NO_ANSWER = ("status of 503", "status of 504")


@contextmanager
def chromium() -> Iterator[Browser]:
    """A running browser."""
    assert Path(PROGRAM).exists(), f"there is no {PROGRAM}: start the tests by qa/browser/run"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PROGRAM, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


class Watch:
    """The errors of one page. The host has its own, we answer for ours alone.

    Ours are those that come from a file or an answer of ours, or speak of our element.
    """

    def __init__(self, page: Page) -> None:
        self.errors: list[str] = []
        self._allowed: list[str] = []
        page.on("console", self._console)
        page.on("pageerror", lambda error: self._note(str(getattr(error, "stack", "") or error)))

    def allow(self, text: str) -> None:
        """Errors with this text are what the test is about."""
        self._allowed.append(text)

    def _console(self, message: Any) -> None:
        if message.type == "error":
            self._note(f"{message.text} {message.location.get('url', '')}")

    def _note(self, text: str) -> None:
        self.errors.append(text)

    @property
    def ours(self) -> list[str]:
        words = ("perf-bench", "perf_bench", "Content Security Policy")
        passed = (*_NO_ANSWER, *self._allowed)
        return [
            error
            for error in self.errors
            if any(word in error for word in words) and not any(text in error for text in passed)
        ]
