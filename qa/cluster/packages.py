"""Debian packages on this machine, installed only when missing, and what its apt is told to use."""

import os
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Callable, Dict, Iterable, List, Optional

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
        # What a broken-off installation left half done; nothing to do is fine.
        _run(["dpkg", "--configure", "--pending"])
        _run(["apt-get", "--quiet", "update"])
        locks = ["-o", "DPkg::Lock::Timeout=600"]
        _run(["apt-get", "--quiet", *locks, "install", "--yes", "--no-install-recommends", *wanted])


def _run(command: List[str]) -> None:
    # In a session of its own and waited for (Popen's end does) when Ctrl-C comes: the machine's
    # packages must not be left half installed. A file takes the output, a pipe would fill then.
    with tempfile.TemporaryFile() as output:
        with subprocess.Popen(
            command,
            env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"}, stdin=subprocess.DEVNULL,
            stdout=output, stderr=output, start_new_session=True,
        ) as process:  # fmt: skip
            process.wait()
        output.seek(0)
        text = last_lines(output.read().decode(errors="replace"))
    if process.returncode:
        raise ClusterError(f"'{' '.join(command)}' failed:\n{text}")


def mirror(suite: str, folder: Path = Path("/etc/apt")) -> Optional[str]:
    """The address from which this machine takes `suite`, None when its sources do not say."""
    texts = [p.read_text(encoding="utf-8") for p in sorted(folder.glob("sources.list.d/*.sources"))]
    for stanza in re.split(r"\n\s*\n", "\n\n".join(texts)):
        fields = dict(re.findall(r"^(\w[\w-]*):[ \t]*(.*)$", stanza, re.MULTILINE))
        usable = "deb" in fields.get("Types", "").split() and fields.get("Enabled", "yes") != "no"
        if usable and suite in fields.get("Suites", "").split() and fields.get("URIs"):
            return fields["URIs"].split()[0]
    for path in [folder / "sources.list", *sorted(folder.glob("sources.list.d/*.list"))]:
        for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else []:
            found = re.match(r"deb\s+(?:\[[^]]*\]\s+)?(\S+)\s+(\S+)\s", line + " ")
            if found and found.group(2) == suite:
                return found.group(1)
    return None


def acquire_settings() -> str:
    """How this machine's apt reaches its mirrors (proxies, retries), as text for an apt.conf."""
    result = subprocess.run(["apt-config", "dump"], capture_output=True, text=True, check=True)
    return "".join(f"{line}\n" for line in result.stdout.splitlines() if line.startswith("Acquire::"))
