"""Prometheus' own checker of metrics and alert rules, out of Debian's package `prometheus`.

The package is unpacked and not installed: installed, it would start a Prometheus on this machine.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from toolchain.bootstrap import ROOT, Fault, _alone, _apt, _run, _say

PACKAGE = "prometheus"
PROGRAM = ROOT / "build" / "promtool" / "promtool"


def ensure(program: Path = PROGRAM) -> Path:
    """The program, fetched by apt-get when it is not there yet, in the version that apt offers.

    Raises Fault when it cannot be fetched, or does not run here.
    """
    if not _runs(program):
        program.parent.mkdir(parents=True, exist_ok=True)
        with _alone(Path(__file__)):
            if not _runs(program):
                _fetch(program)
    if not _runs(program):
        raise Fault(f"{program} does not run here; delete it to have it fetched again.")
    return program


def _runs(program: Path) -> bool:
    if not os.access(program, os.X_OK):
        return False
    asked = subprocess.run([str(program), "--version"], check=False, capture_output=True)
    return asked.returncode == 0


def _fetch(program: Path) -> None:
    with tempfile.TemporaryDirectory(dir=program.parent) as scratch:
        _say(f"unpacking promtool from {PACKAGE}")
        try:
            archive = _downloaded(Path(scratch))
        except Fault:
            # The package lists are absent, or too old to name a file that still exists.
            _apt(["update"])
            archive = _downloaded(Path(scratch))
        _run(["dpkg-deb", "--extract", str(archive), scratch], f"unpack {archive.name}")
        shutil.copy2(Path(scratch, "usr", "bin", "promtool"), Path(scratch, "promtool"))
        Path(scratch, "promtool").replace(program)


def _downloaded(folder: Path) -> Path:
    # As root: its user `_apt` may not write into folders of ours.
    command = ["apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", PACKAGE]
    _run(["env", "--chdir", str(folder), *command], f"fetch {PACKAGE}")
    found = sorted(folder.glob(f"{PACKAGE}_*.deb"))
    if not found:
        raise Fault(f"Could not fetch {PACKAGE}: apt-get left no file.")
    return found[-1]
