"""A separate librados client whose calls have a time limit.

librados ignores the ``timeout`` argument of ``Rados.osd_command``: only the client's option
``rados_osd_op_timeout`` ends a command without an answer. That option must not be set on the mgr's
shared context, where it would affect every module.
"""

from __future__ import annotations

import contextlib
import errno
from typing import Optional

import rados

from ..errors import CommandFailed

# Seconds. Reaching the monitors normally takes milliseconds.
_CONNECT_LIMIT = 15


def open_client(name: str, keyring: str, mon_host: str, limit: float) -> rados.Rados:
    """Connect as ``name`` ("mgr.x"); ``limit`` is the time in seconds that any call may take.

    Raises CommandFailed if the monitors cannot be reached.
    """
    settings = {
        "mon_host": mon_host,
        "rados_osd_op_timeout": str(int(limit)),
        "rados_mon_op_timeout": str(_CONNECT_LIMIT),
        "client_mount_timeout": str(_CONNECT_LIMIT),
        # The client has the mgr's name, so these would collide with the mgr's.
        "admin_socket": "",
        "log_file": "",
        "log_to_stderr": "false",
    }
    if keyring:
        settings["keyring"] = keyring
    client: Optional[rados.Rados] = None
    try:
        client = _client(name, settings)
        client.connect(timeout=_CONNECT_LIMIT)
    except rados.Error as error:
        if client is not None:
            client.shutdown()  # the binding never does: its threads and files would stay
        raise CommandFailed(errno.ENOTCONN, f"cannot connect to the cluster: {error}") from error
    return client


def _client(name: str, settings: dict[str, str]) -> rados.Rados:
    """A client with the host's ceph.conf, if there is one.

    Not with ``conffile=""``: where there is none, the constructor raises and keeps 0.3 MiB.
    """
    client = rados.Rados(name=name, conf=settings)
    with contextlib.suppress(rados.Error):  # no ceph.conf: the settings are enough
        client.conf_read_file()
    return client
