"""The daemons of a cluster: how each is made, started, watched and ended."""

from __future__ import annotations

import contextlib
import json
import subprocess
import time
from typing import Optional

from . import clocks
from .errors import ClusterError
from .modules import install_module
from .namespaces import PATH, REPO, inside
from .processes import ID_VARIABLE, Process, end, launch, read_pid_file
from .spec import Spec

LOST = "lost.jsonl"  # daemons that ended by themselves, noted when they are started again


def environment(spec: Spec) -> dict[str, str]:
    """What every process of the cluster gets, and nothing of the caller's."""
    return {
        "PATH": PATH,
        "HOME": "/root",
        "LANG": "C.UTF-8",
        # The modules' folders belong to the system and to the repository. Without compiled files
        # each mgr, and each of its programs, would compile us anew: a second of a processor.
        "PYTHONPYCACHEPREFIX": str(spec.dir / "pycache"),
        "CEPH_CONF": str(spec.conf),
        ID_VARIABLE: spec.id,
    }


def process_of(spec: Spec, daemon: str) -> Optional[Process]:
    """The daemon's process if it lives."""
    process = read_pid_file(spec.pid_file(daemon))
    return process if process and process.alive else None


def lost(spec: Spec, daemon: str) -> Optional[Process]:
    """The process of a daemon that ended though nothing of ours ended it."""
    process = read_pid_file(spec.pid_file(daemon))
    return process if process and not process.alive else None


def start(spec: Spec, daemon: str) -> Process:
    """Start a daemon that does not run; one that runs is left as it is."""
    running = process_of(spec, daemon)
    if running:
        return running
    _note_lost(spec, daemon)
    # A killed daemon leaves its admin socket, and the next one would not bind it.
    with contextlib.suppress(FileNotFoundError):
        (spec.dir / "run" / f"{daemon}.asok").unlink()
    kind, _, name = daemon.partition(".")
    env, own = environment(spec), spec.of(daemon)
    if kind == "mgr":
        install_module(spec)
        env.update(clocks.environment(spec, daemon, own.wheels))
    argv = inside(
        own,
        [f"ceph-{kind}", "--foreground", "--id", name],
        host=spec.host_of(daemon),
        shown=[str(REPO), own.wheels],
    )
    return launch(argv, env, spec.pid_file(daemon), spec.output(daemon))


def stop(spec: Spec, daemon: str, grace: float) -> None:
    """End a daemon on purpose: SIGTERM, SIGKILL after `grace` seconds (0: at once)."""
    process = process_of(spec, daemon)
    if process:
        # Without its record an ended daemon is not counted as lost.
        spec.pid_file(daemon).unlink()
        end([process], grace)


def send(spec: Spec, daemon: str, number: int) -> None:
    """Send a signal to a daemon if it lives."""
    process = process_of(spec, daemon)
    if process:
        process.signal(number)


def _note_lost(spec: Spec, daemon: str) -> None:
    process = lost(spec, daemon)
    if process:
        note = {"daemon": daemon, "pid": process.pid, "noted_at": time.time()}
        with (spec.dir / LOST).open("a", encoding="utf-8") as notes:
            notes.write(json.dumps(note) + "\n")
        spec.pid_file(daemon).unlink()


def run_tool(spec: Spec, argv: list[str], host: str = "") -> str:
    """Run a program of the cluster to its end, return what it said; ClusterError when it fails."""
    result = subprocess.run(
        inside(spec, argv, host=host),
        env=environment(spec), cwd="/", stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    text = result.stdout.decode(errors="replace").strip()
    if result.returncode:
        raise ClusterError(
            f"{' '.join(argv[:4])} failed ({result.returncode}):\n{last_lines(text)}"
        )
    return text


def last_lines(text: str, count: int = 15) -> str:
    """The end of a text, for an error's message."""
    return "\n".join(text.splitlines()[-count:])


def tail(spec: Spec, daemon: str) -> str:
    """The last lines of what a daemon said and logged."""
    parts = []
    for path in (spec.output(daemon), spec.log(daemon)):
        with contextlib.suppress(FileNotFoundError), path.open("rb") as stream:
            stream.seek(max(0, path.stat().st_size - 8192))
            parts.append(last_lines(stream.read().decode(errors="replace")))
    return "\n".join(part for part in parts if part)
