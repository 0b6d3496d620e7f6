"""How the gate runs unit tests: where they keep their files, and what happens when one fails.

The files are in memory where there is room, for hundreds of databases.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import FrameType

from toolchain.bootstrap import GATE

# How many tests of a run may fail once: some start processes and threads, for which a busy machine
# can be too slow.
MOST_AGAIN = 3

# A run had at most 215 MiB; containers often have 64 MiB.
_LEAST_BYTES = 2 << 30
# pytest's exit code when tests failed.
_FAILED = 1
Commands = Sequence[Sequence[str]]

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


def files(root: Path, *without: str) -> list[str]:
    """The files of unit tests, but for those of some folders in `tests`, from the root."""
    left_out = [root / "tests" / name for name in without]
    found = sorted((root / "tests").rglob("test_*.py"))
    kept = [file for file in found if not any(file.is_relative_to(folder) for folder in left_out)]
    return [str(file.relative_to(root)) for file in kept]


def passes(
    pytest: Sequence[str],
    tests: Sequence[str],
    call: Callable[[Commands], Sequence[int]],
    cache: Path,
) -> bool:
    """Run files of tests; what failed once more, one after the other, unless that is too much.

    Two processes have every other file each: neighbours take about as long, and what an xdist
    worker reports of each test, and that it collects all of them, costs a sixth of the whole run.
    `call` runs commands side by side and returns their exit codes; `cache` is a folder for what
    failed.
    """
    shutil.rmtree(cache, ignore_errors=True)
    shares = [(cache / str(at), share) for at in range(2) if (share := tests[at::2])]
    commands = [[*pytest, "-o", f"cache_dir={folder}", *share] for folder, share in shares]
    codes = call(commands)
    if not {*codes} <= {0, _FAILED}:
        return False
    again = [at for at, code in enumerate(codes) if code == _FAILED]
    failed = [name for at in again for name in _failed(shares[at][0])]
    if len(failed) > MOST_AGAIN:
        return False
    for name in failed:
        print(f"RERUN {name}", flush=True)
    return all([*call([[*commands[at], "--last-failed"]])] == [0] for at in again)


def _failed(cache: Path) -> list[str]:
    return [*json.loads((cache / "v" / "cache" / "lastfailed").read_text(encoding="utf-8"))]


def exit_codes(
    commands: Commands, folder: Path, environment: Mapping[str, str] | None = None
) -> list[int]:
    """Run commands side by side to their ends, also when told to stop.

    What the first says is seen at once, what the others say when all have ended.
    """
    with ExitStack() as stack:
        said = [stack.enter_context(tempfile.TemporaryFile()) for _ in commands[1:]]
        kept = [(None, None), *((into, subprocess.STDOUT) for into in said)]
        children = [
            subprocess.Popen(command, cwd=folder, env=environment, stdout=into, stderr=errors)
            for command, (into, errors) in zip(commands, kept)
        ]

        def pass_on(_signal: int, _frame: FrameType | None) -> None:
            for child in children:
                child.send_signal(signal.SIGINT)

        before = signal.signal(signal.SIGTERM, pass_on)
        try:
            codes = [_ended(child) for child in children]
        finally:
            signal.signal(signal.SIGTERM, before)
        for each in said:
            each.seek(0)
            print(each.read().decode(errors="replace"), end="", flush=True)
    return codes


def _ended(child: subprocess.Popen[bytes]) -> int:
    while True:
        try:
            return child.wait()
        except KeyboardInterrupt:
            continue  # the terminal told the child too
