"""Who puts settings back when no mgr of ours does: a small process beside a round.

Whichever mgr becomes active reads the journal. But a mgr whose module is disabled begins anew
without asking the module, and then nobody of ours is there. The heir waits for the end of the mgr
(its pipe closes), looks whether the module is still enabled, and acts only if it is not, or if
the journal's time is up.

``python3 -m perf_bench.heir NAME KEYRING MON_HOST`` in a process of its own.
"""

from __future__ import annotations

import contextlib
import logging
import subprocess
import sys
import time
from typing import Optional

from .ceph.children import environment, python
from .ceph.client import open_client
from .ceph.clock import SystemClock
from .ceph.mons import Mons
from .ceph.settings import MonJournal, MonSettings
from .errors import PerfBenchError
from .model.quiesce import Journal
from .run.quiesce import Quiesce

_EVERY = 5.0
_LIMIT = 15.0
# It does not wait for monitors for ever.
_PATIENCE = 86400.0
_DONE = b"done"


class Heir:
    """The process, from the mgr's side. Without it a round runs all the same."""

    def __init__(self, name: str, keyring: str, mon_host: str) -> None:
        """Start it. Raises OSError."""
        self._process = subprocess.Popen(
            [python(), "-m", __name__, name, keyring, mon_host],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=environment(),
            start_new_session=True,  # or what ends the mgr ends it, too
        )

    def dismiss(self) -> None:
        """All is put back: it is not needed any more."""
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            self._process.communicate(_DONE, timeout=_LIMIT)


def main(name: str, keyring: str, mon_host: str) -> int:
    """Wait for the mgr's end, then for somebody to put all back; at last do it."""
    if sys.stdin.buffer.read() == _DONE:
        return 0
    mons = Mons(lambda: open_client(name, keyring, mon_host, _LIMIT))
    give_up = time.monotonic() + _PATIENCE
    while time.monotonic() < give_up:
        with contextlib.suppress(PerfBenchError):  # the monitors may be away for a while
            if _look(mons):
                return 0
        time.sleep(_EVERY)
    return 1


def _look(mons: Mons) -> bool:
    """Whether there is nothing to be put back any more."""
    saved = MonJournal(mons).load()
    if saved is None:
        return True
    enabled = "perf_bench" in mons.asked("mgr module ls")["enabled_modules"]
    if enabled and time.time() < Journal.from_json(saved).until:
        return False  # a mgr will
    log = logging.getLogger(__name__)
    quiesce = Quiesce(MonJournal(mons), MonSettings(mons), SystemClock(), _nobody, log)
    done = quiesce.tick()
    return done is None or done.complete


def _nobody() -> Optional[str]:
    return None


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
