"""Connects a worker to the cluster."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator, Mapping
from typing import Optional

import rados

from ...errors import CommandFailed
from ...model.worker import LEASE_SECONDS
from .agent import Say, WorkerAgent
from .rados_channel import RadosChannel

_CONNECT_SECONDS = 15
_SETTINGS = {
    # librados waits for ever by default.
    "rados_osd_op_timeout": str(int(LEASE_SECONDS)),
    "rados_mon_op_timeout": str(_CONNECT_SECONDS),
    "client_mount_timeout": str(_CONNECT_SECONDS),
    "admin_socket": "",
    "log_file": "",
    "log_to_stderr": "false",
}


def serve(
    registration: Mapping[str, str],
    name: str,
    conf: Optional[str],
    keyring: Optional[str],
    say: Say,
) -> None:
    """Run a worker as ``name`` until interrupted. Raises CommandFailed if it cannot connect."""
    settings = {**_SETTINGS, **({"keyring": keyring} if keyring else {})}

    @contextlib.contextmanager
    def connected() -> Iterator[rados.Rados]:
        client: Optional[rados.Rados] = None
        try:
            client = rados.Rados(name=name, conffile=conf or "", conf=settings)
            client.connect(timeout=_CONNECT_SECONDS)
        except rados.Error as error:
            code = abs(error.errno or errno.ENOTCONN)
            why = f"{error}{_no_keyring(client)}"
            if client is not None:
                client.shutdown()  # the binding never does: its threads and files would stay
            raise CommandFailed(code, f"no way to the cluster as {name}: {why}") from error
        try:
            yield client
        finally:
            client.shutdown()

    @contextlib.contextmanager
    def channel() -> Iterator[RadosChannel]:
        with connected() as client:
            found = RadosChannel(client)
            try:
                yield found
            finally:
                found.close()

    with connected() as client:
        access = {
            "name": name,
            "keyring": keyring or client.conf_get("keyring") or "",
            "mon_host": client.conf_get("mon_host") or "",
            "conf": conf or "",
            "where": "on this host",
        }
    worker, host = registration["id"], registration["host"]
    say(f"{worker} on {host}, version {registration['version']}, as {name}")
    WorkerAgent(registration, access, channel, say).serve()


def _no_keyring(client: Optional[rados.Rados]) -> str:
    """Return a note that no keyring is readable, which librados does not report; else empty."""
    if client is None or client.conf_get("key") or client.conf_get("keyfile"):
        return ""
    paths = [path.strip() for path in (client.conf_get("keyring") or "").split(",")]
    if any(os.access(path, os.R_OK) for path in paths):
        return ""
    return f"; no keyring can be read at {' or '.join(paths)}"
