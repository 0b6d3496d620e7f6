"""Finds which tests reach a line: `python -m reliability.mutants.reach FOLDER OUT`.

It runs the tests of a folder once, in the tree in which it is started.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import coverage  # type: ignore[import-not-found]
import pytest

from .kinds import MODULE, tests_of


class _Reach:
    """Tells coverage which test runs. What a fixture of a module does counts for all its tests."""

    def __init__(self, cover: Any) -> None:
        self._cover = cover
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._cover.switch_context(item.nodeid)
        answer = yield
        self._cover.switch_context("")
        return answer

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Iterator[None]:
        item = request._pyfuncitem.nodeid
        if fixturedef.scope != "function":
            self._cover.switch_context(item.partition("::")[0])
        answer = yield
        self._cover.switch_context(item)
        return answer

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration


def main(folder: str, out: Path) -> int:
    """Write the tests by file and line, and how long each takes; "" is what imports reach."""
    source = Path(MODULE, folder).resolve()
    cover = coverage.Coverage(data_file=None, config_file=False, source=[str(source)])
    plugin = _Reach(cover)
    cover.start()
    status = pytest.main(["-q", "-p", "no:cacheprovider", *tests_of(folder)], plugins=[plugin])
    cover.stop()
    data = cover.get_data()
    root = Path(MODULE).resolve()
    lines = {
        str(Path(name).relative_to(root)): data.contexts_by_lineno(name)
        for name in data.measured_files()
    }
    out.write_text(json.dumps({"lines": lines, "seconds": plugin.seconds}), encoding="utf-8")
    return int(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
