"""What the repository holds, for the tests on its shape."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def tree(root: Path) -> list[str]:
    """The files of the repository, also new ones; not what git ignores."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    )
    return sorted(name for name in set(listed.stdout.split("\0")) if (root / name).is_file())
