"""One real cluster with the tab in its dashboard, one browser; a fresh session for each test.

    qa/browser/run --release native|pacific|reef|tentacle

Screenshots of the last sight of every test are in build/screenshots/RELEASE/.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser.chrome import TIMEOUT_MS, Browser, Page, Watch, chromium
from browser.sites import QUICK, Site
from cluster.api import DevCluster
from cluster.spec import Order
from cluster.waiting import wait_for
from scenarios.crash_watch import (
    pytest_runtest_makereport,
    pytest_runtest_protocol,
    pytest_terminal_summary,
)
from scenarios.throwaway import counted, pytest_keyboard_interrupt, throwaway

__all__ = [
    "pytest_keyboard_interrupt",
    "pytest_runtest_makereport",
    "pytest_runtest_protocol",
    "pytest_terminal_summary",
]

ROOT = Path(__file__).resolve().parents[2]
DIST = ROOT / "dashboard_plugin" / "frontend" / "dist"
ROCKSDB = ("osd", "bluestore_rocksdb_options")


def pytest_sessionstart() -> None:
    """Without the tab's pages nothing of it could be tried."""
    if not (DIST / "manifest.json").is_file():
        pytest.exit("the tab's pages are not built: qa/toolchain/gate frontend builds them")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--release", default="native", help="native, pacific, reef or tentacle")
    parser.addoption("--cluster", help="folder of a cluster that is there, and stays there")


@pytest.fixture(scope="session")
def release(request: pytest.FixtureRequest) -> str:
    return str(request.config.getoption("--release"))


@pytest.fixture(scope="session")
def cluster(request: pytest.FixtureRequest, release: str) -> Iterator[DevCluster]:
    given = request.config.getoption("--cluster")
    if given:
        yield DevCluster(given)
        return
    order = Order(release=release, osds=6, hosts=3)
    with throwaway(order) as made, counted(request.config, made):
        yield made


@pytest.fixture(scope="session")
def site(cluster: DevCluster) -> Site:
    return Site(cluster)


@pytest.fixture(scope="session")
def measured(site: Site) -> tuple[int, int]:
    """Two rounds of the same profile that have run to their ends."""
    site.is_calm()
    # One repeat is never noisy, however busy the machine is.
    made = []
    for label in ("before", "after"):
        made.append(site.start({**QUICK, "label": label}))
        assert site.sees_the_end_of(made[-1])["state"] == "done"
    return made[0], made[1]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture
def page(
    browser: Browser, site: Site, release: str, request: pytest.FixtureRequest
) -> Iterator[Page]:
    """A page of a browser that nobody has used; none of its errors may be ours."""
    context = browser.new_context(
        base_url=f"{site.url}/", viewport={"width": 1400, "height": 900}, locale="en-US"
    )
    context.set_default_timeout(TIMEOUT_MS)
    page = context.new_page()
    watch = Watch(page)
    page.watch = watch
    yield page
    shots = ROOT / "build" / "screenshots" / release
    shots.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^\w.-]+", "_", request.node.name.removeprefix("test_")).strip("_")
    page.screenshot(path=shots / f"{name}.png")
    context.close()
    assert not watch.ours, watch.ours


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
                    if one["code"] == "ROCKSDB_NO_WAL_LIMIT" and len(one["osds"]) == 6
                ),
                None,
            ),
            300.0,
            lambda: "the doctor does not see the setting",
            every=0.5,
        )
    finally:
        site.cluster.ceph("config", "rm", *ROCKSDB)
