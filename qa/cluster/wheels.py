"""Python packages that a release's ceph-mgr must find before its suite's own."""

from __future__ import annotations

import platform
import subprocess
import tempfile
import zipfile
from pathlib import Path
from typing import Callable

from . import packages
from .daemons import last_lines
from .errors import ClusterError
from .releases import Release
from .rootfs import made_once
from .waiting import locked

# Part of the cached folder's name: 2 since what is fetched has to have the hashes of the lock.
FORMAT = 2
_HERE = Path(__file__).resolve().parent


def provide(release: Release, cache: Path, progress: Callable[[str], None]) -> Path:
    """The folder with the release's wheels unpacked, fetched by pip if it is not in the cache."""
    final = cache / f"{release.name}-wheels-{FORMAT}"
    lock = cache / f"{release.name}-wheels.lock"
    with locked(lock, lambda: progress(f"waiting for another up that makes {final}")):
        if not final.is_dir():
            packages.install(["python3-pip"], progress)
            progress(f"fetching what {release.wheels} pins")
            with made_once(final) as partial:
                _fetch(release, partial)
    return final


def _fetch(release: Release, folder: Path) -> None:
    machine = platform.machine()
    with tempfile.TemporaryDirectory() as downloads:
        command = [
            "/usr/bin/python3", "-m", "pip", "download", "--quiet", "--dest", downloads,
            "--no-deps", "--only-binary", ":all:", "--python-version", release.python,
            "--implementation", "cp", "--abi", "abi3", "--abi", "none",
            "--platform", f"manylinux2014_{machine}", "--platform", "any",
            "--require-hashes", "--requirement", str(_HERE / release.wheels),
        ]  # fmt: skip
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode:
            raise ClusterError(
                f"pip could not fetch what {release.wheels} pins:\n{last_lines(result.stderr)}"
            )
        for wheel in Path(downloads).glob("*.whl"):
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(folder)
