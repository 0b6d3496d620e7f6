"""Where a release's programs are: on this machine, or in a root of their own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Callable, Optional

from . import packages, rootfs, wheels
from .errors import ClusterError
from .releases import PACKAGES, RELEASES
from .spec import Ground, checked_path

CACHE_VARIABLE = "PERF_BENCH_CACHE"
DEFAULT_CACHE = "/var/cache/ceph-perf-bench"


def provide(asked: str, cache: Optional[str], progress: Callable[[str], None]) -> Ground:
    """Install what the asked release needs, unless it is there; answers where it is."""
    system = packages.os_release()
    if system.get("ID") != "debian" or int(system.get("VERSION_ID", "99").partition(".")[0]) < 12:
        name = system.get("PRETTY_NAME", "another system")
        raise ClusterError(f"this needs Debian 12 or newer, and runs on {name}")
    suite = system.get("VERSION_CODENAME", "")
    folder = checked_path(cache or os.environ.get(CACHE_VARIABLE) or DEFAULT_CACHE)
    native = next((release.name for release in RELEASES.values() if release.suite == suite), "")
    carried = native if asked == "native" else asked
    if carried == native:
        packages.install(PACKAGES, progress)
        root = "/"
    else:
        root = str(rootfs.provide(RELEASES[carried], suite, _made(folder), progress))
    return Ground(carried, root, _wheels(carried, folder, progress))


def _wheels(carried: str, folder: Path, progress: Callable[[str], None]) -> str:
    release = RELEASES.get(carried)
    if release is None or not release.wheels:
        return ""
    return str(wheels.provide(release, _made(folder), progress))


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder
