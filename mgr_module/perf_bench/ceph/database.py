"""Open the module's SQLite database in RADOS.

Ceph 17 and later have ``MgrModule.open_db``: pool ``.mgr``, namespace = module name. Ceph 16 has
only the library, so this file does the same, with the same namespace and file name in the pool
``device_health_metrics``. The upgrade to 17 renames that pool to ``.mgr``, so the history is kept.
"""

from __future__ import annotations

import ctypes
import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict
from typing import Any, Optional, cast

import rados
from mgr_module import MgrModule, MonCommandFailed

from ..errors import CommandFailed, StoreUnavailable
from ..model.json_fields import FAULTS, decode
from ..model.store import StoreMark
from .mons import Mons

_LIBRARY = "libcephsqlite.so"
_FILE = "main.db"
# Which file is in use, and how far its IDs are: at the monitors, so that it outlives the pool.
MARK = "mgr/perf_bench/store"
# The size of an object of libcephsqlite (SimpleRADOSStriper). It reserves 128 MiB beyond the end of
# a file, and removes the objects behind that only where these may be more than 128 MiB. Until then
# objects behind the end stay, and are never read again. ``trim`` removes them.
_OBJECT = 4 << 20
# The striper's lock, and its attribute with the address of the client that has not given it back.
_LOCK, _OWNER = "striper.lock", "striper.excl"
_COOKIE = "perf_bench"
# Without renewal the lock ends after so many seconds (cephsqlite_lock_renewal_timeout).
_LOCK_SECONDS = 30
_LOCK_POLL = 0.5
# As 17 and later set them. 64 KiB pages fit the striper's objects; keeping the journal is faster
# than deleting it.
_PRAGMAS = (
    "PRAGMA page_size = 65536",
    "PRAGMA journal_mode = PERSIST",
    "PRAGMA temp_store = memory",
)


def open_database(mgr: MgrModule) -> sqlite3.Connection:
    """Open a new connection. Raises StoreUnavailable (no pool yet, no OSD) or sqlite3.Error.

    Without a time limit: call it from the store's thread only.
    """
    if hasattr(mgr, "open_db"):
        if not mgr.get_ceph_option("mgr_pool"):
            raise StoreUnavailable("the option mgr_pool is off: without it there is no database")
        try:
            db = mgr.open_db()
        except MonCommandFailed as error:
            raise StoreUnavailable(f"the pool of the database cannot be made: {error}") from error
        if db is None:
            raise StoreUnavailable("there are not enough OSDs yet for the pool of the database")
        return cast("sqlite3.Connection", db)
    _ensure_pool(mgr, _pool(mgr))
    _load_library(mgr)
    return _connect(mgr, _FILE)


def backend_of(mgr: MgrModule) -> str:
    """The location of the database, for ``status``."""
    return f"sqlite in pool {_pool(mgr)}"


class MgrStorePlace:
    """The StorePlace: files in the mgr's pool, the mark in the monitors' own store."""

    def __init__(self, mgr: MgrModule, mons: Mons) -> None:
        self._mgr = mgr
        self._mons = mons

    def open(self, file: str, raw: bool = False) -> sqlite3.Connection:
        if _addresses:
            self._give_back_lock(file)
        if file == _FILE and not raw:
            return open_database(self._mgr)
        if hasattr(self._mgr, "open_db"):
            if self.pool() is None:
                open_database(self._mgr).close()  # which makes the pool
        else:
            _ensure_pool(self._mgr, _pool(self._mgr))
            _load_library(self._mgr)
        return _connect(self._mgr, file, raw)

    def _give_back_lock(self, file: str) -> None:
        """Give back the lock that a connection of this process had when it failed.

        Where the last owner has not given it back, as OSDs did not answer for longer than the lock
        lasts, libcephsqlite blocklists that owner's client. If it is of this process, it is the
        client of all its connections: on Ceph 16, where libcephsqlite does not make a new one, the
        database is unusable for an hour. Only its owner may do this, while it holds the lock.
        """
        first = f"{file}.{0:016x}"
        try:
            with self._in_pool() as pool:
                if _owner(pool, first) in _addresses:
                    _lock(pool, first)
                    try:
                        if _owner(pool, first) in _addresses:
                            pool.set_xattr(first, _OWNER, b"")
                    finally:
                        with suppress(rados.ObjectNotFound):  # it has ended meanwhile
                            pool.unlock(first, _LOCK, _COOKIE)
        except rados.Error as error:
            raise StoreUnavailable(
                f"the lock of the database cannot be given back: {error}"
            ) from error

    def trim(self, file: str) -> None:
        with self._objects() as pool:
            for name in (file, f"{file}-journal"):
                found = _length(pool, name)
                if found is not None:
                    size, allocated = found
                    _remove(pool, name, max(1, -(-size // _OBJECT)), -(-allocated // _OBJECT))
                    if size % _OBJECT:
                        pool.trunc(f"{name}.{size // _OBJECT:016x}", size % _OBJECT)

    def remove(self, file: str) -> None:
        if self.pool() is None:
            return
        with self._objects() as pool:
            for name in (f"{file}-journal", file):
                found = _length(pool, name)
                if found is not None:
                    # The first object last: without it nobody finds the others.
                    _remove(pool, name, 1, -(-max(found) // _OBJECT))
                    _remove(pool, name, 0, 1)

    @contextmanager
    def _in_pool(self) -> Iterator[rados.Ioctx]:
        """The objects of our files."""
        with self._mgr.rados.open_ioctx(_pool(self._mgr)) as pool:
            pool.set_namespace(self._mgr.module_name)
            yield pool

    @contextmanager
    def _objects(self) -> Iterator[rados.Ioctx]:
        """The same, to remove some. Raises StoreUnavailable."""
        try:
            with self._in_pool() as pool:
                yield pool
        except rados.Error as error:
            raise StoreUnavailable(f"objects of the database cannot be removed: {error}") from error

    def pool(self) -> Optional[int]:
        name = _pool(self._mgr)
        pools = self._mgr.get("osd_map")["pools"]
        return next((pool["pool"] for pool in pools if pool["pool_name"] == name), None)

    def read_mark(self) -> Optional[StoreMark]:
        try:
            text = self._mons.key(MARK)
        except CommandFailed as error:
            raise StoreUnavailable(
                f"the monitors do not tell which database it is: {error.message}"
            ) from None
        if text is None:
            return None
        try:
            return decode(StoreMark, json.loads(text))
        except FAULTS as error:
            raise StoreUnavailable(
                f"the key {MARK} at the monitors cannot be read ({error}): see docs/store.md"
            ) from None

    def write_mark(self, mark: StoreMark) -> None:
        try:
            self._mons.command("config-key set", key=MARK, val=json.dumps(asdict(mark)))
        except CommandFailed as error:
            raise StoreUnavailable(
                f"the monitors do not keep which database it is: {error.message}"
            ) from None


def _length(pool: rados.Ioctx, file: str) -> Optional[tuple[int, int]]:
    """The bytes of a file, and up to where it may have objects; None where there is no file."""
    first = f"{file}.{0:016x}"
    try:
        return int(pool.get_xattr(first, "striper.size")), int(
            pool.get_xattr(first, "striper.allocated")
        )
    except rados.ObjectNotFound:
        return None


def _owner(pool: rados.Ioctx, first: str) -> Optional[str]:
    """Whose the lock is, or was until it ended; empty if it was given back, None without a file."""
    try:
        return str(pool.get_xattr(first, _OWNER), "utf-8", "replace")
    except (rados.ObjectNotFound, rados.NoData):
        return None


def _lock(pool: rados.Ioctx, first: str) -> None:
    """Take the lock as soon as the connection that failed does not have it any more."""
    deadline = time.monotonic() + 2 * _LOCK_SECONDS
    while True:
        try:
            pool.lock_exclusive(first, _LOCK, _COOKIE, _COOKIE, _LOCK_SECONDS)
            return
        except rados.ObjectBusy:
            if time.monotonic() > deadline:
                raise
            time.sleep(_LOCK_POLL)


def _remove(pool: rados.Ioctx, file: str, begin: int, end: int) -> None:
    """Remove the objects of a file with these numbers, the last one first."""
    for number in reversed(range(begin, end)):
        with suppress(rados.ObjectNotFound):
            pool.remove_object(f"{file}.{number:016x}")


def _connect(mgr: MgrModule, file: str, raw: bool = False) -> sqlite3.Connection:
    db = sqlite3.connect(
        f"file:///{_pool(mgr)}:{mgr.module_name}/{file}?vfs=ceph",
        check_same_thread=False,
        uri=True,
        isolation_level=None,
    )
    try:
        for pragma in () if raw else _PRAGMAS:
            db.execute(pragma)
        address = _client_address(db, raw)
        _addresses.add(address)
        # The monitors blocklist it after a failover, which releases the database's lock.
        if hasattr(mgr, "open_db"):
            mgr._ceph_register_client("libcephsqlite", address, True)
        else:
            mgr._ceph_register_client(address)
    except BaseException:
        db.close()
        raise
    return db


# Those of libcephsqlite's client, as far as connections were opened here.
_addresses: set[str] = set()


def _client_address(db: sqlite3.Connection, raw: bool) -> str:
    """The address of libcephsqlite's RADOS client, which all connections of the process share."""
    query = "SELECT json_extract(ceph_status(), '$.addr')"
    try:
        (address,) = db.execute(query).fetchone()
    except sqlite3.DatabaseError:
        if not raw:
            raise
        # Newer SQLite (3.53) reads the file's schema first, which fails if the file is damaged.
        with closing(sqlite3.connect(":memory:")) as other:
            (address,) = other.execute(query).fetchone()
    return str(address)


def _pool(mgr: MgrModule) -> str:
    if hasattr(mgr, "open_db"):
        return str(mgr.MGR_POOL_NAME)
    return str(mgr.get_module_option_ex("devicehealth", "pool_name", "device_health_metrics"))


def _ensure_pool(mgr: MgrModule, pool: str) -> None:
    """Make the pool in the same way as the module devicehealth, if it does not exist yet."""
    if pool in {entry["pool_name"] for entry in mgr.get("osd_map")["pools"]}:
        return
    if not any(entry["up"] for entry in mgr.get("osd_map")["osds"]):
        raise StoreUnavailable("no OSD is up, so the pool of the database cannot be made yet")
    for order in (
        {"prefix": "osd pool create", "pool": pool, "pg_num": 1, "pg_num_min": 1},
        {"prefix": "osd pool application enable", "pool": pool, "app": "mgr_devicehealth"},
    ):
        code, _, message = mgr.rados.mon_command(json.dumps(order), b"")
        if code:
            raise StoreUnavailable(f"the pool '{pool}' of the database cannot be made: {message}")


# The library and the context after loading: both must exist as long as the process.
_loaded: list[Any] = []


def _load_library(mgr: MgrModule) -> None:
    """Register the VFS "ceph" with SQLite on the mgr's context, once in a process."""
    if _loaded:
        return
    loader = sqlite3.connect(":memory:")
    try:
        loader.enable_load_extension(True)
        loader.load_extension(_LIBRARY)
    except sqlite3.OperationalError as error:
        raise StoreUnavailable(
            f"{_LIBRARY} is not installed on this mgr's host (Debian: libsqlite3-mod-ceph, "
            f"elsewhere libcephsqlite): {error}"
        ) from error
    finally:
        loader.close()
    library = ctypes.CDLL(_LIBRARY)
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    context = mgr.get_context()
    ident = ctypes.c_char_p()
    library.cephsqlite_setcct.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_char_p)]
    code = library.cephsqlite_setcct(pointer(context, None), ctypes.byref(ident))
    if code < 0:
        raise StoreUnavailable(f"{_LIBRARY} could not connect to the cluster (error {-code})")
    _loaded.extend((library, context))
