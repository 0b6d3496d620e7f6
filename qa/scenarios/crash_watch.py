"""Crashes of daemons while tests run: a known one is counted, another fails the run.

Debian's Reef on Python 3.13 has a ceph-mgr that dies in one function of its own now and then, and
a busy machine can be too slow for a test. With RUN_AGAIN=N in the environment, as in the gate, N
tests that failed are run once more, and what they do then counts. They are named at the end.

The second run has a cluster of its own, as the first one may have left things anywhere.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import Any, Optional

import pytest
from _pytest.runner import runtestprotocol

from cluster.api import DevCluster
from cluster.crashes import Crash, crashes_of

WATCH = pytest.StashKey["CrashWatch"]()


class CrashWatch:
    """What has crashed in a run's clusters so far, one cluster after the other."""

    def __init__(self) -> None:
        self._cluster: Optional[DevCluster] = None
        # Of this cluster.
        self._crashes: list[Crash] = []
        self.seen: list[Crash] = []
        # What tests said that failed; of those that were run again; how many tests still may be.
        self.failed: list[str] = []
        self.rerun: list[str] = []
        self.left = int(os.environ.get("RUN_AGAIN", "0"))

    def begin(self, cluster: DevCluster) -> None:
        """Watch a cluster that is new."""
        self._cluster, self._crashes = cluster, []

    def close(self) -> None:
        """Look a last time; the cluster is about to go."""
        self.news()
        self._cluster = None

    def news(self) -> list[Crash]:
        """Crashes since the last look."""
        if self._cluster is None:
            return []
        spec = self._cluster.spec
        now = [crash for daemon in spec.daemons for crash in crashes_of(spec, daemon)]
        fresh = [crash for crash in now if crash not in self._crashes]
        self._crashes.extend(fresh)
        self.seen.extend(fresh)
        return fresh

    def known(self) -> list[Crash]:
        """Those that are the distribution's."""
        return [crash for crash in self.seen if crash.known]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Look for crashes after each phase of each test."""
    report = yield
    watch = item.config.stash.get(WATCH, None)
    if watch is None:
        return report
    fresh = watch.news()
    unknown = [crash for crash in fresh if not crash.known]
    if unknown:
        report.outcome = "failed"
        report.longrepr = f"daemons crashed: {unknown}"
    elif report.failed:
        watch.failed.append(f"{report.nodeid} ({report.when}): {report.longreprtext}")
    return report


def pytest_runtest_protocol(item: pytest.Item, nextitem: Optional[pytest.Item]) -> bool:
    """Run a test, and once more when it failed for a reason that is not the test's."""
    where = {"nodeid": item.nodeid, "location": item.location}
    item.ihook.pytest_runtest_logstart(**where)
    watch = item.config.stash.get(WATCH, None)
    # The first test's fixtures make the cluster, and its watch.
    before = len(watch.failed) if watch else 0
    reports = runtestprotocol(item, log=False, nextitem=nextitem)
    watch = item.config.stash.get(WATCH, None)
    if watch and watch.left and len(watch.failed) > before:
        watch.left -= 1
        watch.rerun += watch.failed[before:]
        item._initrequest()  # type: ignore[attr-defined]
        ends = _ends_of_all_fixtures(item)
        reports = [*ends, *runtestprotocol(item, log=False, nextitem=nextitem)]
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(**where)
    return True


def _ends_of_all_fixtures(item: pytest.Item) -> list[pytest.TestReport]:
    """End every fixture, also those of the session, as the cluster; the report if one failed."""
    call = pytest.CallInfo.from_call(
        lambda: item.session._setupstate.teardown_exact(None),
        when="teardown",
        reraise=(KeyboardInterrupt, pytest.exit.Exception),
    )
    report = item.ihook.pytest_runtest_makereport(item=item, call=call)
    return [report] if report.failed else []


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say how often the distribution's own illness struck, and what was run again."""
    watch = config.stash.get(WATCH, None)
    if watch is None:
        return
    if watch.known():
        terminalreporter.write_line(
            f"{len(watch.known())} crashes of ceph-mgr are the distribution's own: {watch.known()}"
        )
    for said in watch.rerun:
        terminalreporter.write_line(f"RERUN {said}")
