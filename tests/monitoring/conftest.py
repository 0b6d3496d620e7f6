"""Prometheus' own checkers."""

from __future__ import annotations

import subprocess
from typing import Callable

import pytest

from toolchain import checkers

Checker = Callable[..., tuple[int, str]]


def _runner(name: str) -> Checker:
    program = str(checkers.ensure(name))

    def run(*arguments: object, stdin: str = "") -> tuple[int, str]:
        command = [program, *map(str, arguments)]
        # Bytes, as they come over HTTP.
        done = subprocess.run(command, input=stdin.encode(), check=False, capture_output=True)
        return done.returncode, (done.stdout + done.stderr).decode()

    return run


@pytest.fixture(scope="session")
def promtool() -> Checker:
    """Run Debian's promtool with these arguments and stdin; returns its code and its words.

    It is fetched if it is not there: without it these tests fail and are not skipped.
    """
    return _runner("promtool")


@pytest.fixture(scope="session")
def amtool() -> Checker:
    """The same with Debian's amtool."""
    return _runner("amtool")
