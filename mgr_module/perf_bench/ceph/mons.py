"""Commands to the monitors and through them, with real return codes and a time limit.

It uses a separate client, because ``MgrModule.set_store`` ignores the monitors' errors,
``get_store`` reads the mgr's copy, and both wait for ever without a quorum.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Callable, Optional

import rados

from ..errors import CommandFailed
from .client import SharedClient


class Mons:
    """Implements Monitors. Thread-safe."""

    def __init__(self, open_: Callable[[], rados.Rados]) -> None:
        """``open_`` connects a client whose calls have a time limit; it may raise CommandFailed."""
        # Others, who ask OSDs, use it as well.
        self.client = SharedClient(open_)

    def command(self, prefix: str, **arguments: Any) -> bytes:
        """Run a command; returns its output. Raises CommandFailed with the monitors' errno."""
        with _named(prefix):
            return self.client.mon({"prefix": prefix, **arguments})

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
        self.client.close()


@contextmanager
def _named(what: str) -> Iterator[None]:
    """Errors say which command failed."""
    try:
        yield
    except CommandFailed as error:
        raise CommandFailed(error.errno, f"{what}: {error}") from error


def _parsed(what: str, out: bytes) -> Any:
    try:
        return json.loads(out)
    except ValueError as error:
        raise CommandFailed(errno.EPROTO, f"{what}: unknown answer: {error}") from error
