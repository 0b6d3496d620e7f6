"""The clients `ceph` and `rados` of a cluster."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn, Optional

from .daemons import environment, last_lines
from .errors import ClusterError
from .namespaces import PATH, inside
from .processes import ID_VARIABLE
from .resident import Reply, Terminals, is_shared
from .spec import Spec

# By the cluster's ID, while `staying` lasts.
_terminals: dict[str, Terminals] = {}


@contextlib.contextmanager
def staying(spec: Spec) -> Iterator[None]:
    """Let this process's `ceph` commands for the cluster share resident clients for that time."""
    before = _terminals.get(spec.id)
    _terminals[spec.id] = before or Terminals(spec)
    try:
        yield
    finally:
        if before is None:
            _terminals.pop(spec.id).close()


def renew(spec: Spec) -> None:
    """Let the commands that follow run with the programs that the spec has now."""
    if spec.id in _terminals:
        _terminals[spec.id].close()
        _terminals[spec.id] = Terminals(spec)


def types(spec: Spec, argv: Sequence[str], *, stdin: str = "", timeout: float = 60.0) -> Reply:
    """Run a client command. Raises subprocess.TimeoutExpired."""
    terminals = _terminals.get(spec.id)
    if terminals and argv[0] == "ceph" and is_shared(argv):
        return terminals.ceph(argv[1:], stdin, timeout)
    result = subprocess.run(
        inside(spec, argv), env=environment(spec), cwd="/", input=stdin,
        capture_output=True, text=True, timeout=timeout, check=False,
    )  # fmt: skip
    return Reply(result.returncode, result.stdout, result.stderr)


def run(spec: Spec, argv: Sequence[str], *, stdin: str = "", timeout: float = 60.0) -> str:
    """Run a client command, return its stdout; ClusterError with its stderr when it fails."""
    try:
        reply = types(spec, argv, stdin=stdin, timeout=timeout)
    except subprocess.TimeoutExpired:
        raise ClusterError(f"'{' '.join(argv)}' gave no answer in {timeout:g} s") from None
    if reply.code:
        said = last_lines(reply.err.strip())
        raise ClusterError(f"'{' '.join(argv)}' failed ({reply.code}): {said}")
    return reply.out


def ceph_json(spec: Spec, *args: str, timeout: float = 60.0) -> Any:
    """The parsed JSON answer of a ceph command."""
    return json.loads(run(spec, ["ceph", *args, "--format", "json"], timeout=timeout))


def session(spec: Spec, commands: Sequence[str], timeout: float = 240.0) -> None:
    """Run many commands in one client: 10 ms each instead of 400. Fails when one of them does."""
    script = "".join(f"{command}\n" for command in commands)
    result = subprocess.run(
        inside(spec, ["ceph", "--connect-timeout", str(int(timeout))]),
        env=environment(spec), cwd="/", input=script,
        capture_output=True, text=True, timeout=timeout + 60, check=False,
    )  # fmt: skip
    errors = [line for line in result.stderr.splitlines() if "rror" in line]
    if result.returncode or errors:
        raise ClusterError(f"the ceph client failed: {last_lines(result.stderr.strip())}")


def client_environment(spec: Spec, callers: dict[str, str]) -> dict[str, str]:
    """The caller's environment as far as it fits the client's root."""
    env = {k: v for k, v in callers.items() if not k.startswith(("CEPH_", "PYTHON"))}
    env.update({"CEPH_CONF": str(spec.conf), ID_VARIABLE: spec.id})
    if spec.root != "/":
        env["PATH"] = PATH
    return env


def become(spec: Spec, program: str, args: list[str], cwd: Optional[str] = None) -> NoReturn:
    """Replace this process by the client: streams, signals and the exit code are its own."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, and programs inherit that
    here = str(cwd or Path.cwd())
    argv = inside(spec, [program, *args], shown=[here], cwd=here)
    os.execvpe(argv[0], argv, client_environment(spec, dict(os.environ)))  # noqa: S606 - no shell is the point
