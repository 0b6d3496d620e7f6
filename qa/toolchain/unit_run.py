"""How the gate runs unit tests: where they keep their files, and what happens when one fails.

The files are in memory where there is room, for hundreds of databases.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from toolchain.bootstrap import GATE

# How many tests of a run may fail once: some start processes and threads, for which a busy machine
# can be too slow.
MOST_AGAIN = 3

# A run had at most 215 MiB; containers often have 64 MiB.
_LEAST_BYTES = 2 << 30
# pytest's exit code when tests failed.
_FAILED = 1
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


def passes(pytest: Sequence[str], call: Callable[[Sequence[str]], int], cache: Path) -> bool:
    """Run tests; those that failed once more, one after the other, unless they are too many.

    `call` runs a command to its end and returns its exit code; `cache` is a folder for what failed.
    """
    shutil.rmtree(cache, ignore_errors=True)
    command = [*pytest, "-o", f"cache_dir={cache}"]
    if (code := call(command)) != _FAILED:
        return code == 0
    failed = json.loads((cache / "v" / "cache" / "lastfailed").read_text(encoding="utf-8"))
    if len(failed) > MOST_AGAIN:
        return False
    for name in failed:
        print(f"RERUN {name}", flush=True)
    return call([*command, "--last-failed", "-n", "0"]) == 0
