"""Orders to OSDs through librados, with true return codes and a true time limit.

``MgrModule.send_command`` would complete with 0 whatever an OSD said.
"""

from __future__ import annotations

import errno
import json
import threading
from collections.abc import Mapping
from typing import Any, Callable

import rados

from ..errors import CommandFailed
from ..model.bench import READ, BenchAnswer, Step
from ..model.pool import Groups
from .read_probe import ReadProbe


class RadosCommands:
    """A librados client for the length of one round, and a process for its reads."""

    def __init__(self, client: rados.Rados, limit: float, reads: ReadProbe) -> None:
        """Both are closed with it; ``limit`` is the seconds it gives any command."""
        self._client = client
        self._reads = reads
        self._limit = limit
        self._lock = threading.Lock()
        self._in_flight = 0
        self._closing = False

    @property
    def limit(self) -> float:
        return self._limit

    def make_objects(
        self, reads: Mapping[int, Step], groups: Groups, token: str, ended: Callable[[], bool]
    ) -> None:
        self._reads.make(reads, groups, token, ended)

    def remove_objects(self) -> None:
        self._reads.remove(self._limit)

    def measure(self, osd: int, step: Step) -> BenchAnswer:
        """Read, or run Ceph's own bench, on one OSD and wait for it. Raises CommandFailed."""
        if step.operation == READ:
            return self._reads.read(osd, step, self._limit)
        return self._bench(osd, step)

    def _bench(self, osd: int, step: Step) -> BenchAnswer:
        order: dict[str, Any] = {
            "prefix": "bench",
            "count": step.total_bytes,
            "size": step.block_size,
        }
        if step.prefilled:
            order["object_size"] = step.object_size
            order["object_num"] = step.object_count
        return parse_bench(self._tell(osd, order))

    def option(self, osd: int, name: str) -> str:
        out = self._tell(osd, {"prefix": "config get", "var": name})
        try:
            return str(json.loads(out)[name])
        except (ValueError, KeyError, TypeError) as error:
            raise CommandFailed(errno.EPROTO, f"config get gave {error!r}") from error

    def _tell(self, osd: int, order: Mapping[str, Any]) -> bytes:
        self._enter()
        try:
            code, out, message = self._client.osd_command(osd, json.dumps(order), b"")
        except rados.Error as error:
            raise CommandFailed(error.errno or errno.EIO, str(error)) from error
        finally:
            self._leave()
        if code:
            raise CommandFailed(-code, message.strip() or errno.errorcode.get(-code, str(code)))
        return bytes(out)

    def close(self) -> None:
        """Disconnect; returns at once.

        Shutting a client down under a command in flight frees what its thread waits on. After
        an abort some may be: then the last of them to return does it, within ``limit``.
        """
        with self._lock:
            self._closing = True
            idle = self._in_flight == 0
        self._reads.close()
        if idle:
            self._client.shutdown()

    def _enter(self) -> None:
        with self._lock:
            if self._closing:
                raise CommandFailed(errno.ESHUTDOWN, "the round has ended")
            self._in_flight += 1

    def _leave(self) -> None:
        with self._lock:
            self._in_flight -= 1
            last = self._closing and self._in_flight == 0
        if last:
            self._client.shutdown()


def parse_bench(out: bytes) -> BenchAnswer:
    """The answer of ``osd bench``; raises CommandFailed (EPROTO) if it is not one."""
    try:
        found: Mapping[str, Any] = json.loads(out)
        return BenchAnswer(
            bytes_written=int(found["bytes_written"]),
            block_size=int(found["blocksize"]),
            seconds=float(found["elapsed_sec"]),
            bytes_per_second=float(found["bytes_per_sec"]),
            iops=float(found["iops"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise CommandFailed(errno.EPROTO, f"osd bench gave an unknown answer: {error}") from error
