"""Prometheus' own checker."""

from __future__ import annotations

import subprocess
from typing import Callable

import pytest

from toolchain import promtool as tool


@pytest.fixture(scope="session")
def promtool() -> Callable[..., tuple[int, str]]:
    """Run Debian's promtool with these arguments and stdin; returns its code and its words.

    It is fetched if it is not there: without it these tests fail and are not skipped.
    """
    program = str(tool.ensure())

    def run(*arguments: object, stdin: str = "") -> tuple[int, str]:
        command = [program, *map(str, arguments)]
        # Bytes, as they come over HTTP.
        done = subprocess.run(command, input=stdin.encode(), check=False, capture_output=True)
        return done.returncode, (done.stdout + done.stderr).decode()

    return run
