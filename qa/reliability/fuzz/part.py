"""The part `fuzz`: every target in a process of its own, two at a time."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from toolchain.bootstrap import ROOT

from ..trials import Order, Trial

# Names of ``targets.TARGETS``, which this process cannot import: those need the module's libraries.
NAMES = ("facts", "imports", "workers", "journals", "rows", "rest", "cli")
INPUTS = 100_000
_SIDE_BY_SIDE = 2
# For the start, the seeds, and making the inputs of faults small.
_MORE_SECONDS = 180


def run(order: Order) -> Iterator[Trial]:
    """Give each target INPUTS inputs, or its share of the time."""
    share = order.seconds * _SIDE_BY_SIDE / len(NAMES)
    with ThreadPoolExecutor(_SIDE_BY_SIDE) as pool:
        yield from pool.map(lambda name: _one(name, order, share), NAMES)


def _one(name: str, order: Order, seconds: float) -> Trial:
    out = order.folder / f"fuzz-{name}.json"
    out.unlink(missing_ok=True)
    command = [
        str(order.tools / "python"), "-m", "reliability.fuzz.child", name, str(out),
        "--seed", str(order.seed), "--runs", str(INPUTS), "--seconds", str(seconds),
    ]  # fmt: skip
    folders = (ROOT / "mgr_module", ROOT / "qa", ROOT / "tests" / "lib")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))}
    log = out.with_suffix(".log")
    with log.open("wb") as into:
        # In qa/: from the root, the folder mgr_module would hide Ceph's module.
        child = subprocess.Popen(
            command, cwd=ROOT / "qa", env=environment, stdout=into, stderr=subprocess.STDOUT
        )
        try:
            child.wait(seconds + _MORE_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
    return _trial(name, out, log, child.returncode)


def _trial(name: str, out: Path, log: Path, status: int) -> Trial:
    """The answer of a child; one without an answer is a fault, with the end of its log."""
    if status or not out.is_file():
        end = "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-15:])
        return Trial(name, 0, 0.0, [f"{name}: no answer (exit code {status}):\n{end}"])
    found = json.loads(out.read_text(encoding="utf-8"))
    faults = [
        f"{name}: {one['where']}\n  input: {one['input'][:2000]}\n  {one['text'].rstrip()}"
        for one in found["faults"]
    ]
    note = f"slowest {found['slowest_ms'] / 1000:.1f} s, peak {found['peak_mib']} MiB"
    return Trial(name, found["inputs"], found["seconds"], faults, note)
