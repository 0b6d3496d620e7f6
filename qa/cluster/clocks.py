"""Clocks of mgrs that can be set, by libfaketime and a file with each one's offset.

The monotonic clock and the times of files stay true. Other daemons keep their clocks: monitors
whose clocks differ lose their quorum.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from .spec import Spec

PACKAGE = "libfaketime"
# The ceph-mgr of 18 ends with SIGSEGV; in that of 20 dashboard and telemetry fail with EINVAL.
WITHOUT = ("reef", "tentacle")
_LIBRARY = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1")


def prepare(spec: Spec) -> None:
    """Let mgrs that start from now on have a clock that can be set; the package must be there."""
    _folder(spec).mkdir()
    shutil.copy(_LIBRARY, _folder(spec))
    for daemon in spec.mgr_daemons:
        put(spec, daemon, 0)


def put(spec: Spec, daemon: str, seconds: int) -> None:
    """From the next second on the mgr's clock is by so much ahead."""
    new = _folder(spec) / f"{daemon}.new"
    new.write_text(f"{seconds:+d}s\n", encoding="ascii")
    new.replace(_folder(spec) / daemon)


def environment(spec: Spec, daemon: str) -> dict[str, str]:
    """What a daemon's process gets; nothing where its clock cannot be set."""
    if not (_folder(spec) / daemon).is_file():
        return {}
    return {
        "LD_PRELOAD": str(_folder(spec) / _LIBRARY.name),
        "FAKETIME_TIMESTAMP_FILE": str(_folder(spec) / daemon),
        "FAKETIME_CACHE_DURATION": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "FAKETIME_DONT_RESET": "1",
        "NO_FAKE_STAT": "1",
    }


def _folder(spec: Spec) -> Path:
    return spec.dir / "clocks"
