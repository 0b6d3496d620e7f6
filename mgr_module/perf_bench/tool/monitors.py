"""Commands to the monitors through the ``ceph`` client: the tool's implementation of Monitors."""

from __future__ import annotations

import errno
import json
from typing import Any

from ..errors import CommandFailed
from .client import CephClient

# Seconds. Shorter for a mgr that hangs than for monitors that elect a leader.
_DAEMON_LIMIT = 15.0
# Commands that the monitors pass on to the active mgr; without one the client waits for it.
_OF_THE_MGR = "balancer "
_JSON = ("--format", "json")


class CephMonitors:
    """Arguments become words of the command line, in the order given."""

    def __init__(self, client: CephClient) -> None:
        self._client = client

    def command(self, prefix: str, **arguments: Any) -> bytes:
        """Run a command; returns its output unparsed. Raises CommandFailed."""
        return self._run(prefix, arguments, ()).encode()

    def command_json(self, prefix: str, **arguments: Any) -> Any:
        """Run a command; returns its JSON output. Raises CommandFailed."""
        return _parsed(prefix, self._run(prefix, arguments, _JSON))

    def _run(self, prefix: str, arguments: dict[str, Any], options: tuple[str, ...]) -> str:
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
            module = prefix.partition(" ")[0]
            raise CommandFailed(
                errno.EAGAIN, f"no mgr is active, and the {module} is a part of the active mgr"
            )


def _words(prefix: str, arguments: dict[str, Any]) -> list[str]:
    """The command's words; arguments get their names if a value looks like one ("--x")."""
    values = {name: str(value) for name, value in arguments.items()}
    if any(value.startswith("--") for value in values.values()):
        return [*prefix.split(), *(f"--{name}={value}" for name, value in values.items())]
    return [*prefix.split(), *values.values()]


def _parsed(what: str, out: str) -> Any:
    try:
        return json.loads(out)
    except ValueError as error:
        raise CommandFailed(errno.EPROTO, f"{what}: unknown answer: {error}") from error
