"""Debian packages on this machine, installed only when missing."""

import os
import signal
import subprocess
from pathlib import Path
from typing import Callable, Dict, Iterable, List

from .daemons import last_lines
from .errors import ClusterError


def os_release() -> Dict[str, str]:
    """The fields of /etc/os-release; empty on a system without one."""
    try:
        lines = Path("/etc/os-release").read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    pairs = (line.partition("=") for line in lines if "=" in line)
    return {key: value.strip("\"'") for key, _, value in pairs}


def missing(names: Iterable[str]) -> List[str]:
    """Those of `names` that are not installed."""
    result = subprocess.run(
        ["dpkg-query", "--show", "--showformat", "${db:Status-Status} ${Package}\n", *names],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    installed = {line.split()[1] for line in result.stdout.splitlines() if line.startswith("installed ")}
    return [name for name in names if name not in installed]


def install(names: Iterable[str], progress: Callable[[str], None]) -> None:
    """Bring the packages onto this machine by apt-get."""
    wanted = missing(names)
    if wanted:
        progress(f"installing {' '.join(wanted)}")
        _apt_get("update")
        _apt_get("install", "--yes", "--no-install-recommends", *wanted)


def _apt_get(*args: str) -> None:
    command = ["apt-get", "--quiet", "-o", "DPkg::Lock::Timeout=600", *args]
    result = subprocess.run(
        command,
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    if result.returncode:
        raise ClusterError(f"'{' '.join(command)}' failed:\n{last_lines(result.stdout.decode(errors='replace'))}")
