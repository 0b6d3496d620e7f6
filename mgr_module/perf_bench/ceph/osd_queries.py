"""Ask single OSDs for counters, allocators and operations."""

from __future__ import annotations

import errno
import json
import time
from collections.abc import Mapping
from typing import Any, Optional

from ..errors import CommandFailed
from ..model.hardware import ChecksumAnswer
from .client import SharedClient


class OsdQueries:
    """Implements OsdQuery and OperationDumps.

    An OSD answers in a millisecond unless it runs a bench or hangs.
    """

    def __init__(self, client: SharedClient) -> None:
        """``client`` is shared with others, and stays open when it is not used here any more."""
        self._client = client

    def open(self) -> None:
        self._client.open()

    def ask(self, osd: int) -> ChecksumAnswer:
        out = self._client.osd(osd, {"prefix": "perf dump", "logger": "bluestore"})
        return parsed(osd, time.time(), out)

    def tcmalloc(self, osd: int) -> bool:
        try:
            self._client.osd(osd, {"prefix": "heap", "heapcmd": "stats"})
        except CommandFailed as error:
            if error.errno == errno.EOPNOTSUPP:
                return False
            raise
        return True

    def slowest(self, osd: int) -> bytes:
        return self._json(osd, "dump_historic_ops_by_duration")

    def in_flight(self, osd: int) -> bytes:
        return self._json(osd, "dump_ops_in_flight")

    def counters(self, osd: int) -> bytes:
        return self._json(osd, "perf dump")

    def close(self) -> None:
        """Nothing: others use the client."""

    def _json(self, osd: int, prefix: str) -> bytes:
        return self._client.osd(osd, {"prefix": prefix, "format": "json"})


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
