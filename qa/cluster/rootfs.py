"""Root file systems of other Debian suites, made once into the cache folder."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Callable

from . import packages
from .daemons import last_lines
from .errors import ClusterError
from .namespaces import PATH
from .releases import PACKAGES, Release
from .waiting import locked

# Part of the cached folder's name: a change of what is put in makes a new one.
FORMAT = 1
_SCRIPTS = Path("/usr/share/debootstrap/scripts")
# Without the keyring or gpgv debootstrap only warns, and takes packages that nobody signed.
_TOOLS = ("debootstrap", "debian-archive-keyring", "gpgv")
_SIGNED = ("--force-check-gpg", "--keyring=/usr/share/keyrings/debian-archive-keyring.gpg")
# Ends with the process that asks for it, all it started included, and keeps its mounts to itself.
_CONTAINED = [
    "setpriv",
    "--pdeathsig",
    "KILL",
    "unshare",
    "--mount",
    "--pid",
    "--fork",
    "--kill-child",
]
_CHROOT = """set -eu
cd "$1"; shift
mount -n -t proc proc proc
mount -n --rbind /sys sys
mount -n --rbind /dev dev
exec chroot . "$@"
"""


@contextlib.contextmanager
def made_once(final: Path) -> Iterator[Path]:
    """A folder to fill beside `final`, renamed to it when all went well, deleted when not."""
    partial = final.with_name(final.name + ".partial")
    if partial.exists():  # a making that was killed: it cannot run on, the caller holds the lock
        shutil.rmtree(partial)
    partial.mkdir(mode=0o755)
    try:
        yield partial
        partial.rename(final)
    except BaseException:
        shutil.rmtree(partial)
        raise


def provide(
    release: Release, host_suite: str, cache: Path, progress: Callable[[str], None]
) -> Path:
    """The root of a release, made now if it is not in the cache."""
    final = cache / f"{release.name}-root-{FORMAT}"
    lock = cache / f"{release.name}-root.lock"
    with locked(lock, lambda: progress(f"waiting for another up that makes {final}")):
        if not final.is_dir():
            packages.install(_TOOLS, progress)
            with made_once(final) as partial:
                _make(release, host_suite, partial, progress)
    return final


def _make(release: Release, host_suite: str, root: Path, progress: Callable[[str], None]) -> None:
    progress(f"making {release.name}'s root: debootstrap of Debian {release.suite} (a minute)")
    settings = packages.acquire_settings()
    mirror = packages.mirror(host_suite) or _default_mirror()
    script = _SCRIPTS / release.suite
    # A suite younger than this debootstrap is made by the script of all young ones.
    chosen = script if script.exists() else _SCRIPTS / "sid"
    _run(
        [
            *_CONTAINED,
            *_proxy(settings),
            "debootstrap",
            *_SIGNED,
            "--variant=minbase",
            release.suite,
            str(root),
            mirror,
            str(chosen),
        ]
    )
    _lay_network(root, settings)
    progress(f"making {release.name}'s root: Ceph's packages")
    _in_chroot(root, ["apt-get", "--quiet", "update"])
    _in_chroot(
        root, ["apt-get", "--quiet", "install", "--yes", "--no-install-recommends", *PACKAGES]
    )
    _in_chroot(root, ["apt-get", "clean"])
    version = _in_chroot(root, ["ceph", "--version"])
    if f" {release.name} " not in version:
        raise ClusterError(f"Debian {release.suite} carries another release now: {version.strip()}")


def _default_mirror() -> str:
    found = re.search(
        r'^DEF_MIRROR="(.+?)"',
        Path("/usr/sbin/debootstrap").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    if not found:
        raise ClusterError("no Debian mirror stands in /etc/apt: add one there")
    return found.group(1)


def _proxy(settings: str) -> list[str]:
    """Debootstrap fetches by wget, which does not read apt's proxy."""
    found = re.search(r'^Acquire::http::Proxy "(.+)";$', settings, re.MULTILINE)
    return ["env", f"http_proxy={found.group(1)}"] if found and found.group(1) != "DIRECT" else []


def _lay_network(root: Path, settings: str) -> None:
    """Let apt-get in the root reach the mirror as this machine does, and start nothing."""
    (root / "etc/apt/apt.conf.d/00machine").write_text(settings, encoding="utf-8")
    for name in (
        "etc/resolv.conf",
        "etc/hosts",
        "etc/apt/auth.conf",
        "etc/ssl/certs/ca-certificates.crt",
    ):
        if Path("/", name).is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(Path("/", name), root / name)
    if Path("/etc/apt/auth.conf.d").is_dir():
        shutil.copytree("/etc/apt/auth.conf.d", root / "etc/apt/auth.conf.d", dirs_exist_ok=True)
    # A throwaway root needs no fsync: 2 minutes less.
    (root / "etc/dpkg/dpkg.cfg.d/unsafe-io").write_text("force-unsafe-io\n", encoding="utf-8")
    policy = root / "usr/sbin/policy-rc.d"
    policy.write_text("#!/bin/sh\nexit 101\n", encoding="utf-8")
    policy.chmod(0o755)


def _in_chroot(root: Path, argv: list[str]) -> str:
    env = [
        "env",
        "-i",
        f"PATH={PATH}",
        "DEBIAN_FRONTEND=noninteractive",
        "LANG=C.UTF-8",
        "HOME=/root",
    ]
    return _run([*_CONTAINED, "sh", "-c", _CHROOT, "sh", str(root), *env, *argv])


def _run(argv: list[str]) -> str:
    result = subprocess.run(
        argv,
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    text = result.stdout.decode(errors="replace")
    if result.returncode:
        raise ClusterError(
            f"'{' '.join(argv[-6:])}' failed ({result.returncode}):\n{last_lines(text)}"
        )
    return text
