"""The version is written in one place, and the changelog tells it."""

from __future__ import annotations

import re
import runpy
from pathlib import Path


def test_the_newest_part_of_the_changelog_is_of_this_version(root: Path) -> None:
    version = runpy.run_path(str(root / "mgr_module/perf_bench/version.py"))["VERSION"]
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## \[(.+?)\](?: - (\d{4}-\d\d-\d\d))?$", text, re.MULTILINE)
    assert headings[0] == ("Unreleased", "")
    assert headings[1][0] == version
    assert all(date for _, date in headings[1:])


def test_no_other_file_says_which_version_this_is(root: Path) -> None:
    # setup.py, the packages and the documentation read version.py.
    for name in ("setup.py", "pyproject.toml", "docs/conf.py"):
        assert not re.search(r"\b[01]\.[0-9]+\.[0-9]+\b", (root / name).read_text()), name
