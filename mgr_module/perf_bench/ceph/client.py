"""A librados client of our own, with a true time limit.

The ``timeout`` argument of ``Rados.osd_command`` is ignored by librados: only the client's own
``rados_osd_op_timeout`` ends what gets no answer. That option must not be set on the mgr's shared
context, where every module would feel it.
"""

from __future__ import annotations

import errno

import rados

from ..errors import CommandFailed

# Reaching the monitors takes milliseconds; beyond this they are not there.
_CONNECT_LIMIT = 15


def open_client(name: str, keyring: str, mon_host: str, limit: float) -> rados.Rados:
    """Connect as ``name`` ("mgr.x"); ``limit`` is the seconds any call may take.

    Raises CommandFailed if the monitors cannot be reached.
    """
    settings = {
        "mon_host": mon_host,
        "rados_osd_op_timeout": str(int(limit)),
        "rados_mon_op_timeout": str(_CONNECT_LIMIT),
        "client_mount_timeout": str(_CONNECT_LIMIT),
        # It runs under the mgr's name: these would collide with the mgr's own.
        "admin_socket": "",
        "log_file": "",
        "log_to_stderr": "false",
    }
    if keyring:
        settings["keyring"] = keyring
    try:
        client = _client(name, settings)
        client.connect(timeout=_CONNECT_LIMIT)
    except rados.Error as error:
        raise CommandFailed(errno.ENOTCONN, f"no way to the OSDs: {error}") from error
    return client


def _client(name: str, settings: dict[str, str]) -> rados.Rados:
    """A client with the host's own ceph.conf where there is one."""
    try:
        return rados.Rados(name=name, conffile="", conf=settings)
    except rados.Error:  # no ceph.conf: the settings are enough
        return rados.Rados(name=name, conffile=None, conf=settings)
