"""Commands to the monitors and through them, with real return codes and a time limit.

It uses a separate client, because ``MgrModule.set_store`` ignores the monitors' errors,
``get_store`` reads the mgr's copy, and both wait for ever without a quorum.
"""

from __future__ import annotations

import errno
import json
import threading
from typing import Any, Callable, Optional

import rados

from ..errors import CommandFailed


class Mons:
    """Implements Monitors. Connects on first use and again after an error. Thread-safe."""

    def __init__(self, open_: Callable[[], rados.Rados]) -> None:
        """``open_`` connects a client whose calls have a time limit; it may raise CommandFailed."""
        self._mons = _Connection(open_)

    def command(self, prefix: str, **arguments: Any) -> bytes:
        """Run a command; returns its output. Raises CommandFailed with the monitors' errno."""
        words = json.dumps({"prefix": prefix, **arguments})
        return self._mons.call(prefix, lambda client: client.mon_command(words, b""))

    def command_json(self, prefix: str, **arguments: Any) -> Any:
        """Run a command; returns its JSON output. Raises CommandFailed."""
        return _parsed(prefix, self.command(prefix, **arguments, format="json"))

    def key(self, name: str) -> Optional[str]:
        """A value of the monitors' config-key store; None if the key does not exist."""
        try:
            return self.command("config-key get", key=name).decode()
        except CommandFailed as error:
            if error.errno == errno.ENOENT:
                return None
            raise

    def close(self) -> None:
        """Disconnect for good; later calls raise CommandFailed."""
        self._mons.close()


class _Connection:
    """One client, used by one thread at a time."""

    def __init__(self, open_: Callable[[], rados.Rados]) -> None:
        self._open = open_
        self._lock = threading.Lock()
        self._client: Optional[rados.Rados] = None
        self._closed = False

    def close(self) -> None:
        self._closed = True  # also for those that wait for the lock
        with self._lock:
            self._drop()

    def call(self, what: str, send: Callable[[rados.Rados], tuple[int, bytes, str]]) -> bytes:
        with self._lock:
            try:
                code, out, message = send(self._connected())
            except rados.Error as error:
                self._drop()
                raise CommandFailed(error.errno or errno.EIO, f"{what}: {error}") from error
        if code:
            why = message.strip() or errno.errorcode.get(-code, str(code))
            raise CommandFailed(-code, f"{what}: {why}")
        return bytes(out)

    def _connected(self) -> rados.Rados:
        if self._closed:
            raise CommandFailed(errno.ESHUTDOWN, "perf_bench is being stopped on this mgr")
        if self._client is None:
            self._client = self._open()
        return self._client

    def _drop(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.shutdown()


def _parsed(what: str, out: bytes) -> Any:
    try:
        return json.loads(out)
    except ValueError as error:
        raise CommandFailed(errno.EPROTO, f"{what}: unknown answer: {error}") from error
