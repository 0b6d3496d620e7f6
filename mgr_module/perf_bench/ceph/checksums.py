"""Poll OSDs for checksum counters and allocators, and read their number of op threads."""

from __future__ import annotations

import errno
import json
import time
from collections.abc import Callable, Mapping
from typing import Any, Optional

import rados
from mgr_module import MgrModule

from ..errors import CommandFailed
from ..model.checksum import ChecksumAnswer
from ..model.osd import Osd

# Seconds. An OSD answers in a millisecond unless it runs a bench or hangs.
LIMIT = 10
_DUMP = {"prefix": "perf dump", "logger": "bluestore"}
_HEAP = {"prefix": "heap", "heapcmd": "stats"}
# Seconds that a number of threads is cached. An OSD makes its threads when it starts, which may
# be missed.
_THREADS_AGE = 3600.0


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


class MgrOpThreads:
    """Implements OpThreads on a ceph-mgr; an option that is 0 is replaced by its _hdd or _ssd."""

    def __init__(self, mgr: MgrModule, now: Callable[[], float]) -> None:
        """``now`` returns a monotonic time."""
        self._mgr = mgr
        self._now = now
        self._known: dict[int, tuple[float, Optional[int]]] = {}

    def of(self, osd: Osd) -> Optional[int]:
        known = self._known.get(osd.id)
        if known is None or self._now() - known[0] >= _THREADS_AGE:
            shards = self._count(osd, "osd_op_num_shards", osd.option_suffix)
            threads = self._count(osd, "osd_op_num_threads_per_shard", osd.option_suffix)
            known = (self._now(), shards * threads or None)
            self._known[osd.id] = known
        return known[1]

    def forget(self, osd: int) -> None:
        self._known.pop(osd, None)

    def _count(self, osd: Osd, option: str, kind: str) -> int:
        for name in (option, f"{option}_{kind}"):
            try:
                count = int(str(self._mgr.get_foreign_ceph_option(osd.name, name) or 0))
            except (KeyError, ValueError):
                continue
            if count:
                return count
        return 0
