"""How fast the tab is with the largest cluster: its real pages in Chromium.

The answers are the module's own, on a simulated cluster (`qa/tab serve`) in a process beside the
browser: what is measured is the tab with the module's share. That alone is the benchmark `pages`.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from browser.tools import tools
from cluster.errors import ClusterError

from .figures import Figure, Target
from .machine import ROOT

FRONTEND = ROOT / "dashboard_plugin" / "frontend"
OSDS = 10_000
ROUNDS = 1_000
TIMES = 5
_FIRST_PAINT = Target(high=1000.0)
_OPENING = Target(high=200.0)
_ANSWER = Target(high=200.0)
_KIB = 1024


def run() -> list[Figure]:
    """Measure all."""
    python = tools() / "python"
    _build()
    with _served() as url:
        report = _driven(python, "tab_drive.py", {"url": url, "times": TIMES})
    return figures(report)


def _driven(python: Path, script: str, order: dict[str, Any]) -> dict[str, Any]:
    """What the script tells."""
    words = [str(python), str(Path(__file__).with_name(script)), json.dumps(order)]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as browser:
        out, err = browser.communicate()
    if browser.returncode:
        raise ClusterError(f"the browser did not get through: {err.strip()[-2000:]}")
    report: dict[str, Any] = json.loads(out)
    return report


def figures(report: dict[str, Any]) -> list[Figure]:
    """What the browser told, against the targets."""
    return [
        _times("first useful paint, bundle cached", report["first_paint"], _FIRST_PAINT),
        *[
            _times(f"first opening of: {page}", found, _OPENING)
            for page, found in report["first_openings"].items()
        ],
        _largest(report["bytes"]),
    ]


def _times(name: str, found: list[float], target: Target) -> Figure:
    """Median of several; the slowest is told."""
    note = f"median of {len(found)}; {min(found):.0f} to {max(found):.0f} ms"
    return Figure(name, median(found), "ms", target, note, {"milliseconds": found})


def _largest(sizes: dict[str, int]) -> Figure:
    address, size = max(sizes.items(), key=lambda entry: entry[1])
    return Figure("largest answer, gzip", size / _KIB, "KiB", _ANSWER, address, {"bytes": sizes})


def _build() -> None:
    done = subprocess.run(
        [FRONTEND / "toolchain", "build"], check=False, capture_output=True, text=True
    )
    if done.returncode:
        said = (done.stderr or done.stdout).strip()
        raise ClusterError(f"the bundle could not be built: {said[-2000:]}")


@contextmanager
def _served() -> Iterator[str]:
    """The address of the tab over a simulated cluster."""
    size = ["--osds", str(OSDS), "--rounds", str(ROUNDS), "--still"]
    with subprocess.Popen(
        [ROOT / "qa" / "tab", "serve", *size], stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            line = server.stdout.readline() if server.stdout else ""
            if not line:
                raise ClusterError("the simulated cluster did not start")
            yield line.strip()
        finally:
            server.terminate()
