"""Connects a worker to the cluster."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Mapping
from typing import Optional, cast

import rados

from ..errors import CommandFailed
from ..model.json_fields import Json
from .agent import Say, WorkerAgent

_CONNECT_SECONDS = 15
_SETTINGS = {
    # librados waits for ever by default. No limit for other calls: librados of Ceph 16 writes to
    # freed memory when a command is answered after its limit.
    "client_mount_timeout": str(_CONNECT_SECONDS),
    "admin_socket": "",
    "log_file": "",
    "log_to_stderr": "false",
}


def serve(
    worker: str,
    registration: Mapping[str, str],
    name: str,
    conf: Optional[str],
    keyring: Optional[str],
    say: Say,
) -> None:
    """Run the worker of this name as the Ceph user ``name`` until interrupted.

    Raises CommandFailed if it cannot connect.
    """
    client = _connected(name, conf, keyring)
    access = {
        "name": name,
        "keyring": keyring or client.conf_get("keyring") or "",
        "mon_host": client.conf_get("mon_host") or "",
        "conf": conf or "",
        "where": "on this host",
    }

    def ask(word: str, message: Json) -> Json:
        command = json.dumps({"prefix": f"perf-bench worker {word}", "id": worker})
        try:
            code, out, why = client.mgr_command(command, json.dumps(message).encode())
        except rados.Error as error:
            raise CommandFailed(abs(error.errno or errno.EIO), str(error)) from error
        if code:
            raise CommandFailed(-code, f"the mgr refuses 'worker {word}' as {name}: {why}")
        return cast("Json", json.loads(out))

    say(f"{worker} on {registration['host']}, version {registration['version']}, as {name}")
    WorkerAgent(registration, access, ask, say).serve()


def _connected(name: str, conf: Optional[str], keyring: Optional[str]) -> rados.Rados:
    client: Optional[rados.Rados] = None
    settings = {**_SETTINGS, **({"keyring": keyring} if keyring else {})}
    try:
        client = rados.Rados(name=name, conffile=conf or "", conf=settings)
        client.connect(timeout=_CONNECT_SECONDS)
    except rados.Error as error:
        code = abs(error.errno or errno.ENOTCONN)
        why = f"{error}{_no_keyring(client)}"
        if client is not None:
            client.shutdown()  # the binding never does: its threads and files would stay
        raise CommandFailed(code, f"no way to the cluster as {name}: {why}") from error
    return client


def _no_keyring(client: Optional[rados.Rados]) -> str:
    """Return a note that no keyring is readable, which librados does not report; else empty."""
    if client is None or client.conf_get("key") or client.conf_get("keyfile"):
        return ""
    paths = [path.strip() for path in (client.conf_get("keyring") or "").split(",")]
    if any(os.access(path, os.R_OK) for path in paths):
        return ""
    return f"; no keyring can be read at {' or '.join(paths)}"
