"""Two rounds of a real cluster compared: OSDs counted, and which rounds compare."""

from __future__ import annotations

from typing import Any

import pytest

from browser.axe import axe_findings
from browser.chrome import Page, expect
from browser.dashboard import APP, open_tab
from browser.sites import Site
from browser.test_rest import fits

# Long: two rounds of three repeats.
pytestmark = pytest.mark.long

# Three repeats are the fewest from which a change is told.
THREE = {"profile": "osd-throughput", "repeats": 3, "max_repeats": 3}
STALLED = 3
VERDICTS = ("better", "worse", "same", "inconclusive")


@pytest.fixture(scope="module")
def rounds(site: Site) -> tuple[int, int, int]:
    """A round, the same with one OSD stalled, and one of clients."""
    site.is_calm()
    before = measured(site, {**THREE, "label": "before"})
    site.cluster.fault("stall", f"osd.{STALLED}")
    try:
        after = measured_uncontaminated(site, {**THREE, "label": "after", "force": True})
    finally:
        site.cluster.fault("clear", "all")
    site.is_calm()
    load = {"profile": "rados-write", "clients": 1, "threads": 2, "seconds": 2, "repeats": 1}
    return before, after, measured(site, load)


def measured(site: Site, request: dict[str, Any]) -> int:
    """The ID of a round that has run to its end."""
    number = site.start(request)
    whole = site.sees_the_end_of(number, 300.0)
    assert whole["state"] == "done", whole
    return number


def measured_uncontaminated(site: Site, request: dict[str, Any]) -> int:
    """The same; another one where PGs recovered meanwhile, as peers may report a stalled OSD."""
    whole: dict[str, Any] = {}
    for _ in range(3):
        number = measured(site, request)
        whole = site.admin.get(f"/round/{number}").json
        if whole["verdict"] != "contaminated":
            return number
    raise AssertionError(whole["reasons"])


def test_osds_are_counted_by_their_change(
    page: Page, site: Site, rounds: tuple[int, int, int]
) -> None:
    before, after, _ = rounds
    answer = site.admin.get(f"/round/compare?a={before}&b={after}").json
    fits(answer, "GET round/compare")
    counted = [sum(one["verdict"] == word for one in answer["per_osd"]) for word in VERDICTS]
    assert [answer["counts"][word] for word in VERDICTS] == counted
    assert sum(counted) == 6
    worst = answer["per_osd"][0]
    assert worst["osd"] == STALLED, answer["per_osd"]
    open_tab(page, site, f"/compare?a={before}&b={after}")
    app = page.locator(APP)
    better, worse, same, undecided = counted
    text = f"6: {better} better, {worse} worse, {same} the same, {undecided} not decided"
    expect(app.get_by_text(text, exact=True)).to_be_visible()
    first = app.locator("pb-comparison tbody tr").first
    expect(first.get_by_role("link", name=f"osd.{STALLED}")).to_be_visible()
    expect(first.locator("pb-state")).to_contain_text(worst["verdict"])
    assert axe_findings(page) == []


def test_only_rounds_that_compare_can_be_chosen(
    page: Page, site: Site, rounds: tuple[int, int, int]
) -> None:
    before, after, other = rounds
    open_tab(page, site, "/rounds")
    app = page.locator(APP)
    chosen = "Choose round {} to compare"
    expect(app.get_by_role("checkbox", name=chosen.format(other))).to_be_enabled()
    app.get_by_role("checkbox", name=chosen.format(before)).check()
    expect(app.get_by_role("checkbox", name=chosen.format(after))).to_be_enabled()
    expect(app.get_by_role("checkbox", name=chosen.format(other))).to_be_disabled()
    # The page that asks for the second round has only those that compare with the first.
    page.evaluate("hash => { location.hash = hash }", f"#/perf-bench/compare?a={before}")
    rows = app.locator("tbody tr")
    expect(rows.filter(has=page.get_by_role("link", name=str(after), exact=True))).to_have_count(1)
    expect(rows.filter(has=page.get_by_role("link", name=str(other), exact=True))).to_have_count(0)
