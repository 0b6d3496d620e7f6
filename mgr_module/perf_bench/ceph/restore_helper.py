"""Start the helper process that puts settings back if no mgr does."""

from __future__ import annotations

import contextlib
import subprocess

from .child_process import environment, python

_LIMIT = 15.0
# Written to the helper's stdin when the mgr has put everything back.
DONE = b"done"


class RestoreHelperProcess:
    """Implements RestoreHelper. A round also runs without it."""

    def __init__(self, name: str, keyring: str, mon_host: str, seconds: float, holder: str) -> None:
        """Start it for the round with the token ``holder``. Raises OSError."""
        self._process = subprocess.Popen(
            [
                python(),
                "-m",
                "perf_bench.programs.restore_settings",
                name,
                keyring,
                mon_host,
                str(seconds),
                holder,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=environment(),
            start_new_session=True,  # signals to the mgr's process group do not reach it
        )

    def dismiss(self) -> None:
        """End the helper, after the mgr has put everything back."""
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            self._process.communicate(DONE, timeout=_LIMIT)
