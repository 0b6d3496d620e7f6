"""How the gate runs unit tests: where they keep their files, and what happens when one fails.

The files are in memory where there is room, for hundreds of databases.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from toolchain.bootstrap import GATE

# A test that fails is run once more, and named at the end: some start processes and threads, for
# which a busy machine can be too slow. `tests/lib/unit_session.py` says how many may.
RERUN = ("--reruns=1", "-raR")

# A run had at most 215 MiB; containers often have 64 MiB.
_LEAST_BYTES = 2 << 30
_MEMORY = Path("/dev/shm")  # noqa: S108  # pytest makes a folder of its own in it


def environment(memory: Path = _MEMORY) -> dict[str, str]:
    """The environment of a run of unit tests: with TMPDIR, and the byte code out of the sources.

    The tests start hundreds of interpreters, which need not compile the module each.
    """
    chosen = {**os.environ, "PYTHONPYCACHEPREFIX": str(GATE.folder / "pycache")}
    chosen.pop("PYTHONDONTWRITEBYTECODE", None)
    if _has_room(memory):
        chosen["TMPDIR"] = str(memory)
    return chosen


def _has_room(folder: Path) -> bool:
    try:
        return os.access(folder, os.W_OK) and shutil.disk_usage(folder).free >= _LEAST_BYTES
    except OSError:
        return False
