"""Prometheus' own checkers: promtool of metrics and alert rules, amtool of Alertmanager's files.

Debian's packages of them are unpacked and not installed: installed, they would start services on
this machine.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from toolchain.bootstrap import ROOT, Fault, _alone, _apt, _run, _say

PACKAGES = {"promtool": "prometheus", "amtool": "prometheus-alertmanager"}


def program(name: str) -> Path:
    """Where a checker is, once it was fetched."""
    return ROOT / "build" / name / name


def ensure(name: str) -> Path:
    """The program, fetched by apt-get when it is not there yet, in the version that apt offers.

    Raises Fault when it cannot be fetched, or does not run here.
    """
    found = program(name)
    if not _runs(found):
        found.parent.mkdir(parents=True, exist_ok=True)
        with _alone(Path(__file__)):
            if not _runs(found):
                _fetch(found)
    if not _runs(found):
        raise Fault(f"{found} does not run here; delete it to have it fetched again.")
    return found


def _runs(found: Path) -> bool:
    if not os.access(found, os.X_OK):
        return False
    asked = subprocess.run([str(found), "--version"], check=False, capture_output=True)
    return asked.returncode == 0


def _fetch(wanted: Path) -> None:
    package = PACKAGES[wanted.name]
    with tempfile.TemporaryDirectory(dir=wanted.parent) as scratch:
        _say(f"unpacking {wanted.name} from {package}")
        try:
            archive = _downloaded(Path(scratch), package)
        except Fault:
            # The package lists are absent, or too old to name a file that still exists.
            _apt(["update"])
            archive = _downloaded(Path(scratch), package)
        _run(["dpkg-deb", "--extract", str(archive), scratch], f"unpack {archive.name}")
        shutil.copy2(Path(scratch, "usr", "bin", wanted.name), Path(scratch, wanted.name))
        Path(scratch, wanted.name).replace(wanted)


def _downloaded(folder: Path, package: str) -> Path:
    # As root: its user `_apt` may not write into folders of ours.
    command = ["apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", package]
    _run(["env", "--chdir", str(folder), *command], f"fetch {package}")
    found = sorted(folder.glob(f"{package}_*.deb"))
    if not found:
        raise Fault(f"Could not fetch {package}: apt-get left no file.")
    return found[-1]
