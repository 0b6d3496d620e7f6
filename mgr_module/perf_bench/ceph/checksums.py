"""Poll OSDs for checksum counters and allocators."""

from __future__ import annotations

import errno
import json
import time
from collections.abc import Callable, Mapping
from typing import Any, Optional

import rados

from ..errors import CommandFailed
from ..model.checksum import ChecksumAnswer

# Seconds. An OSD answers in a millisecond unless it runs a bench or hangs.
LIMIT = 10
_DUMP = {"prefix": "perf dump", "logger": "bluestore"}
_HEAP = {"prefix": "heap", "heapcmd": "stats"}


class RadosAsker:
    """Implements OsdQuery with a librados client of its own."""

    def __init__(self, open_: Callable[[], rados.Rados]) -> None:
        """``open_`` connects a client whose calls take at most ``LIMIT`` seconds."""
        self._open = open_
        self._client: Optional[rados.Rados] = None

    def open(self) -> None:
        if self._client is None:
            self._client = self._open()

    def ask(self, osd: int) -> ChecksumAnswer:
        return parsed(osd, time.time(), self._command(osd, _DUMP))

    def tcmalloc(self, osd: int) -> bool:
        try:
            self._command(osd, _HEAP)
        except CommandFailed as error:
            if error.errno == errno.EOPNOTSUPP:
                return False
            raise
        return True

    def _command(self, osd: int, command: Mapping[str, str]) -> bytes:
        if self._client is None:
            raise CommandFailed(errno.ENOTCONN, "not connected")
        try:
            code, out, message = self._client.osd_command(osd, json.dumps(command), b"")
        except rados.Error as error:
            raise CommandFailed(error.errno or errno.EIO, str(error)) from error
        if code:
            raise CommandFailed(-code, message.strip() or errno.errorcode.get(-code, str(code)))
        return bytes(out)

    def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.shutdown()


def parsed(osd: int, answered_at: float, out: bytes) -> ChecksumAnswer:
    """Parse the output of ``perf dump bluestore``; 16 has other names. Raises CommandFailed."""
    try:
        counters: Mapping[str, Any] = json.loads(out)["bluestore"]
        return ChecksumAnswer(
            osd,
            answered_at,
            seconds=float(counters["csum_lat"]["sum"]),
            bytes=int(_either(counters, "buffer_miss_bytes") or 0),
            retries=_either(counters, "reads_with_retries"),
            errors=_either(counters, "read_eio"),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise CommandFailed(errno.EPROTO, f"perf dump gave an unknown answer: {error!r}") from error


def _either(counters: Mapping[str, Any], name: str) -> Optional[int]:
    value = counters.get(name, counters.get(f"bluestore_{name}"))
    return None if value is None else int(value)
