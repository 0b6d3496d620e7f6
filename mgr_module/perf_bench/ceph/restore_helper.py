"""Starts the process that puts settings back when no mgr of ours does."""

from __future__ import annotations

import contextlib
import subprocess

from .child_process import environment, python

_LIMIT = 15.0
# What the mgr writes when all is put back.
DONE = b"done"


class RestoreHelperProcess:
    """The process, from the mgr's side. Without it a round runs all the same."""

    def __init__(self, name: str, keyring: str, mon_host: str, seconds: float) -> None:
        """Start it. Raises OSError."""
        self._process = subprocess.Popen(
            [
                python(),
                "-m",
                "perf_bench.programs.restore_settings",
                name,
                keyring,
                mon_host,
                str(seconds),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=environment(),
            start_new_session=True,  # or what ends the mgr's group ends it, too
        )

    def dismiss(self) -> None:
        """All is put back: it is not needed any more."""
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            self._process.communicate(DONE, timeout=_LIMIT)
