"""Separate librados clients whose calls have a time limit.

librados ignores the ``timeout`` argument of ``Rados.osd_command``: only the client's option
``rados_osd_op_timeout`` ends a command without an answer. That option must not be set on the mgr's
shared context, where it would affect every module.
"""

from __future__ import annotations

import contextlib
import errno
import json
import threading
from collections.abc import Mapping
from typing import Any, Callable, Optional

import rados

from ..errors import CommandFailed
from .c_client import CONNECT_LIMIT, settings_of


def open_client(name: str, keyring: str, mon_host: str, limit: float) -> rados.Rados:
    """Connect as ``name`` ("mgr.x"); ``limit`` is the time in seconds that any call may take.

    Raises CommandFailed if the monitors cannot be reached.
    """
    client: Optional[rados.Rados] = None
    try:
        # Not with ``conffile=""``: without a ceph.conf that raises, and keeps 0.3 MiB.
        client = rados.Rados(name=name, conf=settings_of(keyring, mon_host, limit))
        with contextlib.suppress(rados.Error):  # no ceph.conf: the settings are enough
            client.conf_read_file()
        client.connect(timeout=CONNECT_LIMIT)
    except rados.Error as error:
        if client is not None:
            client.shutdown()  # the binding never does: its threads and files would stay
        raise CommandFailed(errno.ENOTCONN, f"cannot connect to the cluster: {error}") from error
    return client


class _Counted:
    """A connected client and the number of commands in flight."""

    def __init__(self, client: rados.Rados) -> None:
        self.client = client
        self.commands = 0


class SharedClient:
    """A client for several threads, connected on first use and again after an error.

    With 10,000 OSDs a client takes 27 MiB for its own OSD map, so there are few.
    """

    def __init__(
        self,
        open_: Callable[[], rados.Rados],
        closed: str = "perf_bench is being stopped on this mgr",
    ) -> None:
        """``open_`` connects a client whose calls have a time limit; it may raise CommandFailed.

        ``closed`` tells those who ask after ``close`` why they get no answer.
        """
        self._open = open_
        self._why_closed = closed
        self._lock = threading.Lock()
        self._now: Optional[_Counted] = None
        self._closed = False

    def open(self) -> None:
        """Connect now. Raises CommandFailed."""
        with self._lock:
            self._connected()

    def osd(self, osd: int, command: Mapping[str, Any]) -> bytes:
        """Run a command on one OSD; returns its output. Raises CommandFailed with its errno."""
        words = json.dumps(command)
        return self._call(lambda client: client.osd_command(osd, words, b""))

    def mon(self, command: Mapping[str, Any]) -> bytes:
        """Run a command of the monitors; returns its output. Raises CommandFailed as ``osd``."""
        words = json.dumps(command)
        return self._call(lambda client: client.mon_command(words, b""))

    def close(self) -> None:
        """Disconnect for good; returns at once, and later calls raise CommandFailed.

        Shutting down a client with a command in flight would free memory that the command's thread
        uses. So the last command that returns shuts it down, within the time limit.
        """
        self._closed = True  # also for those that wait for the lock
        with self._lock:
            now, self._now = self._now, None
        if now is not None and not now.commands:
            now.client.shutdown()

    def _call(self, send: Callable[[rados.Rados], tuple[int, bytes, str]]) -> bytes:
        with self._lock:
            used = self._connected()
            used.commands += 1
        broken = False
        try:
            code, out, message = send(used.client)
        except rados.Error as error:
            broken = True
            raise CommandFailed(error.errno or errno.EIO, str(error)) from error
        finally:
            with self._lock:
                used.commands -= 1
                if broken and self._now is used:
                    self._now = None
                is_last = self._now is not used and not used.commands
            if is_last:
                used.client.shutdown()
        if code:
            raise CommandFailed(-code, message.strip() or errno.errorcode.get(-code, str(code)))
        return bytes(out)

    def _connected(self) -> _Counted:
        if self._closed:
            raise CommandFailed(errno.ESHUTDOWN, self._why_closed)
        if self._now is None:
            self._now = _Counted(self._open())
        return self._now
