"""The monitors, ordered and asked through the ``ceph`` client: the Monitors port of the tool."""

from __future__ import annotations

import errno
import json
from typing import Any

from ..errors import CommandFailed
from .client import CephClient

# An OSD that hangs, or a mgr, is not waited for as long as for monitors that elect a leader.
_DAEMON_LIMIT = 15.0
# What monitors pass on to the active mgr; without one the client waits for it.
_OF_THE_MGR = "balancer "
_JSON = ("--format", "json")
# Who set what, as it was when it was asked first: each run of the client is noted there too, and of
# a channel Ceph 16 keeps 50 lines.
_KEPT = ("log last", "config log")


class CephMonitors:
    """Arguments become words in their order, as the command line has them."""

    def __init__(self, client: CephClient) -> None:
        self._client = client
        self._kept: dict[tuple[str, ...], Any] = {}

    def command(self, prefix: str, **arguments: Any) -> bytes:
        """Give an order, return its output as it is. Raises CommandFailed."""
        return self._ordered(prefix, arguments, ()).encode()

    def command_json(self, prefix: str, **arguments: Any) -> Any:
        """The same of an order that answers in JSON."""
        if prefix not in _KEPT:
            return _parsed(prefix, self._ordered(prefix, arguments, _JSON))
        words = tuple(_words(prefix, arguments))
        if words not in self._kept:
            self._kept[words] = _parsed(prefix, self._ordered(prefix, arguments, _JSON))
        return self._kept[words]

    def osd_command_json(self, osd: int, prefix: str, **arguments: Any) -> Any:
        """The JSON answer of one OSD. Raises CommandFailed with the OSD's errno."""
        words = ["tell", f"osd.{osd}", *_words(prefix, arguments)]
        out = self._client.command(*words, options=_JSON, limit=_DAEMON_LIMIT)
        return _parsed(f"osd.{osd} {prefix}", out)

    def _ordered(self, prefix: str, arguments: dict[str, Any], options: tuple[str, ...]) -> str:
        words = _words(prefix, arguments)
        if not prefix.startswith(_OF_THE_MGR):
            return self._client.command(*words, options=options)
        self._check_mgr(prefix)
        try:
            return self._client.command(*words, options=options, limit=_DAEMON_LIMIT)
        except CommandFailed as error:
            if error.errno == errno.ETIMEDOUT:  # it may have died meanwhile
                self._check_mgr(prefix)
            raise

    def _check_mgr(self, prefix: str) -> None:
        if not self.command_json("mgr stat")["available"]:
            what = prefix.partition(" ")[0]
            raise CommandFailed(
                errno.EAGAIN, f"no mgr is active, and the {what} is a part of the active mgr"
            )


def _words(prefix: str, arguments: dict[str, Any]) -> list[str]:
    """The client takes "--x" for the name of an argument wherever it stands: then all have one."""
    values = {name: str(value) for name, value in arguments.items()}
    if any(value.startswith("--") for value in values.values()):
        return [*prefix.split(), *(f"--{name}={value}" for name, value in values.items())]
    return [*prefix.split(), *values.values()]


def _parsed(what: str, out: str) -> Any:
    try:
        return json.loads(out)
    except ValueError as error:
        raise CommandFailed(errno.EPROTO, f"{what}: unknown answer: {error}") from error
