"""A daemon's admin socket: commands in a millisecond, without a client program."""

from __future__ import annotations

import json
import socket
import struct
from typing import Any

from .errors import ClusterError
from .spec import Spec


def ask(spec: Spec, daemon: str, command: str, timeout: float = 15.0, **arguments: Any) -> Any:
    """The daemon's answer to an admin command; ClusterError after `timeout` seconds."""
    path = str(spec.dir / "run" / f"{daemon}.asok")
    request = json.dumps({"prefix": command, "format": "json", **arguments}).encode() + b"\0"
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
            link.settimeout(timeout)
            link.connect(path)
            link.sendall(request)
            (length,) = struct.unpack(">I", _receive(link, 4))
            return json.loads(_receive(link, length) or b"null")
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"{daemon} does not answer '{command}' on its admin socket: {error}"
        ) from error


def _receive(link: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        part = link.recv(count - len(data))
        if not part:
            raise OSError("it hung up")
        data += part
    return data
