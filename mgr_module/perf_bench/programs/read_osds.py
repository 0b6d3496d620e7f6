"""Helper process that reads objects of chosen OSDs: ``python3 -m perf_bench.programs.read_osds``.

stdin has one JSON order in each line; each gets one JSON line on stdout, in the order in which
they finish. ``ceph/read_probe.py`` is the other end. The process ends when stdin closes.

A read is librados' *checksum* operation: the OSD reads the data as for any read, computes CRC32C
and returns four bytes. So the OSD and its device are measured, and not this host's network, which
eight flash OSDs would saturate. The Python binding lacks that operation, so the measured reads use
the C library.
"""

from __future__ import annotations

import ctypes
import itertools
import json
import os
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from typing import Any, Optional

import rados

from ..ceph.c_client import check, connect, librados, object_names
from ..ceph.client import open_client
from ..ceph.object_placement import names_in
from ..errors import CommandFailed, PerfBenchError
from ..model.rados import POOL, Groups

NAMESPACE = "reads"
# Reads in flight on each OSD. An OSD is primary of about four placement groups of the pool, and
# serves the reads of one placement group one after the other.
_DEPTH = 8
_CRC32C = 2
# LIBRADOS_OP_FLAG_FADVISE_NOCACHE: neither reads nor writes leave data in the OSD's cache.
_NOCACHE = 0x40


def _order(client: rados.Rados, prefix: str, **arguments: Any) -> Any:
    """Run a command of the monitors; returns its JSON output. Raises CommandFailed."""
    words = json.dumps({"prefix": prefix, **arguments, "format": "json"})
    code, out, message = client.mon_command(words, b"")
    if code:
        raise CommandFailed(-code, f"{prefix}: {message}")
    return json.loads(out) if out.strip() else None


class ObjectReader:
    """Makes objects with the Python binding, and reads them with the C library."""

    def __init__(self, name: str, keyring: str, mon_host: str, limit: float) -> None:
        self._access = name, keyring, mon_host, limit
        self._client = open_client(name, keyring, mon_host, limit)
        self._fast = _FastClient(name, keyring, mon_host, limit)

    def make(
        self, groups: Mapping[str, Sequence[int]], pg_num: int, count: int, size: int, token: str
    ) -> Mapping[int, Any]:
        """Make ``count`` objects of ``size`` bytes on each OSD; returns their names by OSD.

        ``groups`` has the pool's placement groups by primary OSD; an OSD that is primary of none
        gets no objects.
        """
        by_primary = {int(osd): numbers for osd, numbers in groups.items()}
        placed = names_in(Groups(pg_num, by_primary), count, NAMESPACE, token)
        data = os.urandom(size)
        with self._client.open_ioctx(POOL) as ioctx:
            ioctx.set_namespace(NAMESPACE)
            names = [name for names in placed.values() for name in names]
            with ThreadPoolExecutor(_DEPTH) as threads:
                list(threads.map(lambda name: ioctx.write_full(name, data), names))
        return placed

    def read(self, osd: int, names: Sequence[str], size: int, total: int) -> Mapping[str, Any]:
        """Read ``total`` bytes from these objects of ``size`` bytes, in turn; returns the figures.

        Raises CommandFailed, also if an object has another primary by now.
        """
        strays = [name for name in names if self._primary(name) != osd]
        if strays:
            raise CommandFailed(5, f"{len(strays)} of its objects have another primary now")
        self._fast.open()
        for name in names:  # puts their metadata into the OSD's cache
            self._fast.stat(name)
        turns, most = itertools.count(), max(1, total // size)

        def work(_number: int) -> None:
            while (turn := next(turns)) < most:
                self._fast.checksum(names[turn % len(names)], size)

        began = time.monotonic()
        with ThreadPoolExecutor(_DEPTH) as threads:
            list(threads.map(work, range(_DEPTH)))
        return {"bytes": most * size, "seconds": time.monotonic() - began, "reads": most}

    def remove(self) -> Mapping[str, Any]:
        """Remove all objects, of any round: only one round runs at a time.

        Raises CommandFailed, also if they cannot all be listed.
        """
        removed, pool = 0, self._pool()
        if pool is None:
            return {"removed": 0}
        number = int(pool["pool_id"])
        with self._client.open_ioctx2(number) as ioctx:
            ioctx.set_namespace(NAMESPACE)
            # Not by the binding, to which a listing that fails half way is at its end.
            with closing(object_names(*self._access, number, NAMESPACE)) as names:
                for name in names:
                    with suppress(rados.ObjectNotFound):
                        ioctx.remove_object(name)
                    removed += 1
        return {"removed": removed}

    def _pool(self) -> Optional[Mapping[str, Any]]:
        pool: Mapping[str, Any]
        for pool in _order(self._client, "osd pool ls", detail="detail"):
            if pool["pool_name"] == POOL:
                return pool
        return None

    def _primary(self, name: str) -> int:
        answer = _order(self._client, "osd map", pool=POOL, object=name, nspace=NAMESPACE)
        return int(answer["acting_primary"])


class _FastClient:
    """A client of librados' C library, with the calls that the measured reads need."""

    def __init__(self, name: str, keyring: str, mon_host: str, limit: float) -> None:
        self._settings = (name, keyring, mon_host, limit)
        self._lock = threading.Lock()
        self._io: Optional[ctypes.c_void_p] = None
        self._library = librados()
        self._library.rados_create_read_op.restype = ctypes.c_void_p
        self._library.rados_release_read_op.restype = None
        self._library.rados_read_op_checksum.restype = None
        self._library.rados_read_op_set_flags.restype = None

    def open(self) -> None:
        """Connect if not connected yet. Raises CommandFailed."""
        with self._lock:
            if self._io is None:
                self._io = self._connect()

    def _connect(self) -> ctypes.c_void_p:
        library, io = self._library, ctypes.c_void_p()
        cluster = connect(library, *self._settings)
        check(library.rados_ioctx_create(cluster, POOL.encode(), ctypes.byref(io)))
        library.rados_ioctx_set_namespace(io, NAMESPACE.encode())
        return io

    def stat(self, name: str) -> None:
        """Read an object's metadata. Raises CommandFailed."""
        size, time_ = ctypes.c_uint64(), ctypes.c_int64()
        out = ctypes.byref(size), ctypes.byref(time_)
        check(self._library.rados_stat(self._io, name.encode(), *out))

    def checksum(self, name: str, size: int) -> None:
        """Make the OSD read the first ``size`` bytes of an object. Raises CommandFailed."""
        library = self._library
        seed, result = ctypes.c_uint32(0xFFFFFFFF), ctypes.c_int()
        out = ctypes.create_string_buffer(8)
        op = ctypes.c_void_p(library.rados_create_read_op())
        try:
            library.rados_read_op_checksum(
                op,
                ctypes.c_int(_CRC32C),
                ctypes.byref(seed),
                ctypes.c_size_t(4),
                ctypes.c_uint64(0),
                ctypes.c_size_t(size),
                ctypes.c_size_t(0),
                out,
                ctypes.c_size_t(len(out)),
                ctypes.byref(result),
            )
            library.rados_read_op_set_flags(op, ctypes.c_int(_NOCACHE))
            check(library.rados_read_op_operate(op, self._io, name.encode(), ctypes.c_int(0)))
            check(result.value)
        finally:
            library.rados_release_read_op(op)


def main() -> int:
    """Serve the orders on stdin until it closes; the first line has the credentials."""
    reader = ObjectReader(**json.loads(sys.stdin.readline()))
    lock = threading.Lock()

    def serve(line: str) -> None:
        arguments: dict[str, Any] = json.loads(line)
        number, what = arguments.pop("number"), arguments.pop("what")
        try:
            if what not in ("make", "read", "remove"):
                raise CommandFailed(22, f"unknown order {what!a}")
            answer: dict[str, Any] = {"answer": getattr(reader, what)(**arguments)}
        except PerfBenchError as error:
            answer = {"errno": error.errno, "error": str(error)}
        except rados.Error as error:
            answer = {"errno": error.errno or 5, "error": str(error)}
        except Exception as error:  # noqa: BLE001 - the mgr waits for an answer
            answer = {"errno": 5, "error": repr(error)}
        with lock:
            sys.stdout.write(json.dumps({"number": number, **answer}) + "\n")
            sys.stdout.flush()

    for line in sys.stdin:
        threading.Thread(target=serve, args=(line,), daemon=True).start()
    return 0


if __name__ == "__main__":
    sys.exit(main())
