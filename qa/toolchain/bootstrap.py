"""Give a bare Debian machine what the gate runs on; where it is there already, do nothing.

The standard library only: this runs on the system's own Python, before anything is installed.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "qa" / "toolchain"
SYSTEM_PYTHON = "/usr/bin/python3"

OLDEST_DEBIAN = 12
PACKAGES = ("python3-venv",)
# How long another apt-get, or another bootstrap of this tree, may keep us waiting.
PATIENCE_SECONDS = 600


class Fault(Exception):
    """What stopped the bootstrap, in one sentence."""


class Toolchain(NamedTuple):
    """A virtual environment `folder` that holds exactly what `lock` pins."""

    folder: Path
    lock: Path


GATE = Toolchain(ROOT / ".venv", HERE / "requirements.lock")
GATE39 = Toolchain(ROOT / ".venv39", HERE / "requirements39.lock")


def ensure(toolchain: Toolchain = GATE, python: str = SYSTEM_PYTHON) -> Path:
    """The toolchain's folder of programs, made for `python` when it is not there yet.

    Raises Fault when the machine is not one that can be prepared, or preparing fails.
    """
    stamp = toolchain.folder / ".stamp"
    wanted = fingerprint(toolchain, python)
    with _alone(toolchain.lock):
        if not (stamp.is_file() and stamp.read_text() == wanted):
            _install_packages()
            _make_environment(toolchain, python)
            stamp.write_text(wanted)
    return toolchain.folder / "bin"


def fingerprint(toolchain: Toolchain, python: str) -> str:
    """Changes with all that an environment depends on: pins, interpreter, and its own place."""
    version = _run([python, "-c", "import sys; print(sys.version)"], "ask Python its version")
    parts = (toolchain.lock.read_text(), version, str(toolchain.folder))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def unfit(os_release: Mapping[str, str], user: int) -> str:
    """Why this machine cannot be prepared, in one sentence; empty when it can.

    Debian's testing has no VERSION_ID: it is newer than every release that has one.
    """
    name = os_release.get("PRETTY_NAME", "an unknown system")
    number = os_release.get("VERSION_ID", str(OLDEST_DEBIAN))
    debian = os_release.get("ID") == "debian" and number.isdigit()
    if debian and int(number) >= OLDEST_DEBIAN and user == 0:
        return ""
    who = "root" if user == 0 else f"user {user}"
    return (
        f"This needs Debian {OLDEST_DEBIAN} or newer and root, to install "
        f"{' '.join(PACKAGES)} and a virtual environment; here is {name} and {who}."
    )


def read_os_release(text: str) -> dict[str, str]:
    """The `KEY=value` lines of /etc/os-release."""
    pairs = (line.split("=", 1) for line in text.splitlines() if "=" in line)
    return {key: value.strip("\"'") for key, value in pairs}


def _install_packages() -> None:
    os_release = Path("/etc/os-release")
    text = os_release.read_text() if os_release.is_file() else ""
    reason = unfit(read_os_release(text), os.getuid())
    if reason:
        raise Fault(reason)
    missing = [package for package in PACKAGES if not _is_installed(package)]
    if not missing:
        return
    _say(f"installing {' '.join(missing)}")
    install = ["install", "--yes", "--no-install-recommends", *missing]
    try:
        _apt(install)
    except Fault:
        # The package lists are absent, or too old to name a file that still exists.
        _apt(["update"])
        _apt(install)


def _is_installed(package: str) -> bool:
    query = ["dpkg-query", "--show", "--showformat=${db:Status-Status}", package]
    asked = subprocess.run(query, check=False, capture_output=True, text=True)
    return asked.stdout == "installed"


def _apt(arguments: list[str]) -> None:
    """Run apt-get; one that runs already is waited for, which `update` does not do itself."""
    command = ["apt-get", "-qq", "-o", f"DPkg::Lock::Timeout={PATIENCE_SECONDS}", *arguments]
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            _run(command, "install Debian packages", {"DEBIAN_FRONTEND": "noninteractive"})
        except Fault as fault:
            if "Could not get lock" not in str(fault) or time.monotonic() > deadline:
                raise
            time.sleep(1)
        else:
            return


def _make_environment(toolchain: Toolchain, python: str) -> None:
    folder, lock = toolchain
    _say(f"making {folder.name} from {lock.name}")
    _run([python, "-m", "venv", "--clear", str(folder)], f"make {folder.name}")
    # Only what is pinned, only wheels: nothing is compiled, nothing is chosen here. What a
    # lock file leaves out (relock) is not needed.
    pip = [str(folder / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check"]
    pins = ["--require-hashes", "--no-deps", "--only-binary", ":all:", "--requirement", str(lock)]
    _run([*pip, *pins], f"install what {lock.name} pins")


@contextlib.contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Let one bootstrap at a time work for this lock file."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    with lock.open() as held:
        while True:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise Fault(
                        f"Another bootstrap still holds {lock.name}: wait for it."
                    ) from None
                time.sleep(0.2)
        yield


def _run(command: list[str], purpose: str, more: Mapping[str, str] | None = None) -> str:
    """The command's stdout; its other words are shown when it fails."""
    environment = {**os.environ, **(more or {})}
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    except FileNotFoundError as missing:
        raise Fault(f"Could not {purpose}: there is no {missing.filename}.") from missing
    if done.returncode:
        said = (done.stderr or done.stdout).strip()
        raise Fault(f"Could not {purpose}: {' '.join(command)} failed: {said}")
    return done.stdout


def _say(text: str) -> None:
    print(f"toolchain: {text}", file=sys.stderr, flush=True)


@functools.cache
def commit_time() -> int:
    """The unix time of the newest commit, whatever is committed while things are built of it."""
    return int(_run(["git", "-C", str(ROOT), "log", "-1", "--format=%ct"], "read the history"))
