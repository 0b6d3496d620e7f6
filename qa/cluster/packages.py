"""Debian packages on this machine, installed only when missing, and what its apt is told to use."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Callable, Optional

from .daemons import last_lines
from .errors import ClusterError
from .waiting import locked, wait_for

_BUSY = re.compile(r"Could not get lock|lock was locked by another process")
_DPKG = Path("/var/lib/dpkg")
_LENIENT = re.compile(r"^Acquire::\S*Allow", re.IGNORECASE)
_ONE_LINE = re.compile(r"^(deb)\s+(?:\[.*?\]\s+)?(\S+)\s+(\S+)\s+(.+)$", re.MULTILINE)


def os_release() -> dict[str, str]:
    """The fields of /etc/os-release; empty on a system without one."""
    try:
        lines = Path("/etc/os-release").read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    pairs = (line.partition("=") for line in lines if "=" in line)
    return {key: value.strip("\"'") for key, _, value in pairs}


def missing(names: Iterable[str]) -> list[str]:
    """Those of `names` that are not installed."""
    result = subprocess.run(
        ["dpkg-query", "--show", "--showformat", "${db:Status-Status} ${Package}\n", *names],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    installed = {
        line.split()[1] for line in result.stdout.splitlines() if line.startswith("installed ")
    }
    return [name for name in names if name not in installed]


def install(names: Iterable[str], progress: Callable[[str], None]) -> None:
    """Bring the packages onto this machine by apt-get."""
    if not missing(names):
        return
    with locked(_DPKG, lambda: progress("waiting for another devcluster that installs packages")):
        wanted = missing(names)
        if wanted:
            progress(f"installing {' '.join(wanted)}")
            # What a broken-off installation left half done; nothing to do is fine.
            run_when_free(["dpkg", "--configure", "--pending"])
            run_when_free(["apt-get", "--quiet", "update"])
            run_when_free(
                ["apt-get", "--quiet", "install", "--yes", "--no-install-recommends", *wanted]
            )


def run_when_free(command: list[str], every: float = 2.0) -> None:
    """Run a command of apt or dpkg once nobody else's holds their locks."""

    def done() -> bool:
        try:
            _run(command)
            return True
        except ClusterError as error:
            # DPkg::Lock::Timeout knows the lock of dpkg, not that of the package lists.
            if _BUSY.search(str(error)):
                return False
            raise

    wait_for(done, 600, lambda: f"another program installs packages, so not '{command[0]}'", every)


def _run(command: list[str]) -> None:
    # In a session of its own and waited for (Popen's end does) when Ctrl-C comes: the machine's
    # packages must not be left half installed. A file takes the output, a pipe would fill then.
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
    with tempfile.TemporaryFile() as output:
        with subprocess.Popen(
            command, env=env, stdin=subprocess.DEVNULL,
            stdout=output, stderr=output, start_new_session=True,
        ) as process:  # fmt: skip
            try:
                process.wait()
            except BaseException:
                print(f"ending when '{command[0]}' is done", file=sys.stderr, flush=True)
                raise
        output.seek(0)
        text = last_lines(output.read().decode(errors="replace"))
    if process.returncode:
        raise ClusterError(f"'{' '.join(command)}' failed:\n{text}")


def mirror(suite: str, folder: Path = Path("/etc/apt")) -> Optional[str]:
    """The address from which this machine takes Debian's `suite`, None when it does not say."""
    for types, uris, suites, components in _sources(folder):
        usable = "deb" in types and suite in suites and "main" in components
        for uri in uris if usable else []:
            if uri.startswith(("http://", "https://")):
                return uri
    return None


def _sources(folder: Path) -> Iterator[tuple[list[str], list[str], list[str], list[str]]]:
    """Types, URIs, suites and components of every source, from both of apt's file forms."""
    for path in sorted(folder.glob("sources.list.d/*.sources")):
        for stanza in re.split(r"\n\s*\n", path.read_text(encoding="utf-8")):
            fields = dict(re.findall(r"^(\w[\w-]*):[ \t]*(.*)$", stanza, re.MULTILINE))
            if fields.get("Enabled", "yes") != "no":
                types, uris = fields.get("Types", ""), fields.get("URIs", "")
                suites, components = fields.get("Suites", ""), fields.get("Components", "")
                yield types.split(), uris.split(), suites.split(), components.split()
    for path in [folder / "sources.list", *sorted(folder.glob("sources.list.d/*.list"))]:
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        for found in _ONE_LINE.finditer(text):
            yield [found[1]], [found[2]], [found[3]], found[4].split()


def acquire_settings() -> str:
    """How this machine's apt reaches its mirrors (proxies, retries), as text for an apt.conf.

    Leave to take packages that nobody signed, or weakly, is not among it.
    """
    result = subprocess.run(["apt-config", "dump"], capture_output=True, text=True, check=True)
    return carried(result.stdout)


def carried(dump: str) -> str:
    """The lines of an apt configuration that a release's root gets."""
    lines = dump.splitlines()
    ours = [line for line in lines if line.startswith("Acquire::") and not _LENIENT.search(line)]
    return "".join(f"{line}\n" for line in ours)
