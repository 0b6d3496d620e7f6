"""The option --cases of a run of unit tests."""

from __future__ import annotations

from collections import Counter

import pytest


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
