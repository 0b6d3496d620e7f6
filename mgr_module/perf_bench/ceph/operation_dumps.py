"""Ask OSDs about their operations, through a librados client of its own with a time limit."""

from __future__ import annotations

import errno
import json
import threading
from collections.abc import Callable
from typing import Optional

import rados

from ..errors import CommandFailed

# Seconds. An OSD answers in a millisecond unless it hangs or runs a bench.
LIMIT = 6


class RadosOperationDumps:
    """Implements OperationDumps; connects on first use, and again after ``close``."""

    def __init__(self, open_: Callable[[], rados.Rados]) -> None:
        """``open_`` connects a client whose calls take at most ``LIMIT`` seconds."""
        self._open = open_
        self._lock = threading.Lock()
        self._client: Optional[rados.Rados] = None

    def slowest(self, osd: int) -> bytes:
        return self._ask(osd, "dump_historic_ops_by_duration")

    def in_flight(self, osd: int) -> bytes:
        return self._ask(osd, "dump_ops_in_flight")

    def counters(self, osd: int) -> bytes:
        return self._ask(osd, "perf dump")

    def close(self) -> None:
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.shutdown()

    def _ask(self, osd: int, prefix: str) -> bytes:
        client = self._connected()
        order = json.dumps({"prefix": prefix, "format": "json"})
        try:
            code, out, message = client.osd_command(osd, order, b"")
        except rados.TimedOut as error:
            raise CommandFailed(errno.ETIMEDOUT, f"no answer within {LIMIT} s") from error
        except rados.Error as error:
            raise CommandFailed(error.errno or errno.EIO, str(error)) from error
        if code:
            late = f"no answer within {LIMIT} s" if code == -errno.ETIMEDOUT else ""
            why = late or message.strip() or errno.errorcode.get(-code, str(code))
            raise CommandFailed(-code, why)
        return bytes(out)

    def _connected(self) -> rados.Rados:
        with self._lock:
            if self._client is None:
                self._client = self._open()
            return self._client
