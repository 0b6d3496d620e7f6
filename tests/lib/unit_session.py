"""What a run of unit tests is told: how many cases to run, and how many tests may fail once."""

from __future__ import annotations

from collections import Counter

import pytest

# How many tests may fail once, as those that start processes can on a busy machine, where the gate
# runs such a test again. They are named at the end.
_MOST_RERUNS = 3


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--cases", type=int, help="run at most so many cases of each test")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the cases that are too many."""
    most = config.getoption("--cases")
    if most is None:
        return
    counts: Counter[str] = Counter()
    kept: list[pytest.Item] = []
    others: list[pytest.Item] = []
    for item in items:
        test = item.nodeid.partition("[")[0]
        counts[test] += 1
        (kept if counts[test] <= most else others).append(item)
    config.hook.pytest_deselected(items=others)
    items[:] = kept


def _reruns(config: pytest.Config) -> int:
    # xdist's workers have no terminal, and none of their own to count.
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    return 0 if reporter is None else len(reporter.stats.get("rerun", ()))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """More of them than that fail the run."""
    if _reruns(session.config) > _MOST_RERUNS:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say why it failed."""
    if (count := _reruns(config)) > _MOST_RERUNS:
        terminalreporter.write_line(
            f"{count} tests failed once; more than {_MOST_RERUNS} fail the run"
        )
