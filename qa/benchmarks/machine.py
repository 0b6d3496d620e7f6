"""The machine that the figures were measured on: without it they mean nothing."""

from __future__ import annotations

import os
import platform
import re
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def describe() -> dict[str, Any]:
    """Hardware, software and how busy the machine is at this moment."""
    return {
        "cores": os.cpu_count(),
        "cpu": _field("/proc/cpuinfo", r"model name\s*: (.*)"),
        "memory_gib": _memory_gib(),
        "virtual": _is_virtual(),
        "kernel": platform.release(),
        "system": _field("/etc/os-release", r'PRETTY_NAME="?([^"]*)"?'),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "load_1min": os.getloadavg()[0],
        "commit": _commit(),
    }


def sentence(machine: dict[str, Any]) -> str:
    """The machine in a line or two."""
    virtual = " (virtual)" if machine["virtual"] else ""
    return (
        f"{machine['cores']} cores of {machine['cpu']}{virtual}, {machine['memory_gib']} GiB, "
        f"{machine['system']}, kernel {machine['kernel']}\n"
        f"Python {machine['python']}, SQLite {machine['sqlite']}, commit {machine['commit']}, "
        f"load {machine['load_1min']:.1f} at the start"
    )


def _field(file: str, pattern: str) -> str:
    try:
        found = re.search(f"^{pattern}$", Path(file).read_text(), re.MULTILINE)
    except OSError:
        found = None
    return found.group(1).strip() if found else "unknown"


def _memory_gib() -> int:
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)


def _is_virtual() -> bool:
    return " hypervisor" in _field("/proc/cpuinfo", r"flags\s*:(.*)")


def _commit() -> str:
    """The commit the figures belong to, with "+" when the sources are not as committed."""
    try:
        head = _git("rev-parse", "--short", "HEAD")
        changed = _git("status", "--porcelain", "--", "mgr_module", "qa/benchmarks")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return head + ("+" if changed else "")


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.strip()
