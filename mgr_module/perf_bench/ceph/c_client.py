"""A client of librados' C library, for what its Python binding lacks or does not tell.

The binding ends a listing of objects at any error as at its end, so a part looks like the whole.
"""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Generator
from contextlib import ExitStack

from ..errors import CommandFailed

# Seconds. Reaching the monitors normally takes milliseconds.
CONNECT_LIMIT = 15


def settings_of(keyring: str, mon_host: str, limit: float) -> dict[str, str]:
    """The settings of a client of which any call may take ``limit`` seconds."""
    settings = {
        "mon_host": mon_host,
        "rados_osd_op_timeout": str(int(limit)),
        "rados_mon_op_timeout": str(CONNECT_LIMIT),
        "client_mount_timeout": str(CONNECT_LIMIT),
        # The client has the mgr's name, so these would collide with the mgr's.
        "admin_socket": "",
        "log_file": "",
        "log_to_stderr": "false",
    }
    return {**settings, "keyring": keyring} if keyring else settings


def librados() -> ctypes.CDLL:
    """The library. Raises OSError where it is not installed."""
    return ctypes.CDLL("librados.so.2")


def check(code: int) -> None:
    """Raise CommandFailed for a negative return code."""
    if code < 0:
        raise CommandFailed(-code, os.strerror(-code))


def connect(
    library: ctypes.CDLL, name: str, keyring: str, mon_host: str, limit: float
) -> ctypes.c_void_p:
    """Connect as ``name``; ``limit`` is the time in seconds that an operation may take.

    Raises CommandFailed. ``rados_shutdown`` ends the client.
    """
    cluster = ctypes.c_void_p()
    check(library.rados_create2(ctypes.byref(cluster), b"ceph", name.encode(), 0))
    try:
        library.rados_conf_read_file(cluster, None)  # there may be none
        for option, value in settings_of(keyring, mon_host, limit).items():
            check(library.rados_conf_set(cluster, option.encode(), value.encode()))
        check(library.rados_connect(cluster))
    except CommandFailed:
        library.rados_shutdown(cluster)
        raise
    return cluster


def object_names(
    name: str, keyring: str, mon_host: str, limit: float, pool: int, namespace: str
) -> Generator[str, None, None]:
    """List a namespace of a pool with a client of its own, as ``connect`` makes it.

    Raises CommandFailed, also after some of the names.
    """
    library = librados()
    io, listing = ctypes.c_void_p(), ctypes.c_void_p()
    with ExitStack() as stack:
        cluster = connect(library, name, keyring, mon_host, limit)
        stack.callback(library.rados_shutdown, cluster)
        check(library.rados_ioctx_create2(cluster, ctypes.c_int64(pool), ctypes.byref(io)))
        stack.callback(library.rados_ioctx_destroy, io)
        library.rados_ioctx_set_namespace(io, namespace.encode())
        check(library.rados_nobjects_list_open(io, ctypes.byref(listing)))
        stack.callback(library.rados_nobjects_list_close, listing)
        found, key, space = ctypes.c_char_p(), ctypes.c_char_p(), ctypes.c_char_p()
        into = ctypes.byref(found), ctypes.byref(key), ctypes.byref(space)
        while True:
            code = library.rados_nobjects_list_next(listing, *into)
            if code == -errno.ENOENT:  # the end
                return
            check(code)
            yield (found.value or b"").decode(errors="replace")
