"""Advice, enclosures, paths and capacities in the tab of a real cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from browser.chrome import Page, expect
from browser.dashboard import APP, open_tab
from browser.sites import Site
from browser.test_rest import fits
from browser.test_tab import serious
from cluster.waiting import wait_for

pytestmark = pytest.mark.usefixtures("pages")

ROCKSDB = ("osd", "bluestore_rocksdb_options")


@pytest.fixture
def advice(site: Site) -> Iterator[Any]:
    """What the doctor says of a setting that lets the write-ahead log grow."""
    site.cluster.ceph("config", "set", *ROCKSDB, "compression=kNoCompression")
    try:
        yield wait_for(
            lambda: next(
                (
                    one
                    for one in site.admin.get("/doctor").json
                    if one["code"] == "ROCKSDB_NO_WAL_LIMIT"
                ),
                None,
            ),
            60.0,
            lambda: "the doctor does not see the setting",
            every=0.5,
        )
    finally:
        site.cluster.ceph("config", "rm", *ROCKSDB)


def test_the_doctor_says_what_to_type(page: Page, site: Site, advice: Any) -> None:
    fits(site.reader.get("/doctor").json, "GET doctor")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_tab(page, site)
    app = page.locator(APP)
    app.get_by_role("link", name="Doctor").click()
    item = app.get_by_role("listitem").filter(has_text=advice["message"])
    expect(item).to_be_visible()
    item.get_by_role("button", name=f"Copy {advice['fix']}").click()
    expect(item.get_by_role("status")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == advice["fix"]
    item.get_by_text("Evidence and source").click()
    expect(item.get_by_text(advice["source"])).to_be_visible()
    expect(item.get_by_role("link", name="osd.5", exact=True)).to_be_visible()
    assert serious(page) == []
