"""SQLite in RADOS as 16 has it: a library, loaded by hand, whose databases are files here."""

from __future__ import annotations

import ctypes
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Optional
from unittest.mock import patch


class FakeLibrary:
    """libcephsqlite: SQLite gets a VFS from it, once it has the mgr's context."""

    def __init__(self) -> None:
        self.there = True
        self.code = 0
        self.contexts: list[object] = []
        self.loads = 0

        def setcct(context: object, ident: object) -> int:
            self.contexts.append(context)
            return self.code

        self.cephsqlite_setcct = setcct


class FakeSqlite:
    """The module sqlite3, of which a connection with ``vfs=ceph`` is a file here."""

    DatabaseError = sqlite3.DatabaseError
    OperationalError = sqlite3.OperationalError
    Connection = sqlite3.Connection

    def __init__(self, library: FakeLibrary, folder: Path) -> None:
        self._library = library
        self._folder = folder
        self.opened: list[sqlite3.Connection] = []
        self.status: Optional[str] = '{"id": 4, "addr": "127.0.0.1:0/77"}'

    def connect(self, name: str, **options: Any) -> Any:
        if name == ":memory:":
            return _Loader(self._library)
        if not self._library.contexts:
            raise sqlite3.OperationalError("no such vfs: ceph")
        expected = "file:///device_health_metrics:perf_bench/main.db?vfs=ceph"
        assert name == expected
        assert options == {"check_same_thread": False, "uri": True, "isolation_level": None}
        db = sqlite3.connect(
            self._folder / "main.db", check_same_thread=False, isolation_level=None
        )
        db.create_function("ceph_status", 0, lambda: self.status)
        self.opened.append(db)
        return db


class _Loader:
    """The connection that loads the library as an extension."""

    def __init__(self, library: FakeLibrary) -> None:
        self._library = library
        self._may_load = False

    def enable_load_extension(self, enabled: bool) -> None:
        self._may_load = enabled

    def load_extension(self, name: str) -> None:
        if not self._may_load:
            raise sqlite3.OperationalError("not authorized")
        if not self._library.there:
            raise sqlite3.OperationalError(f"{name}: cannot open shared object file")
        assert name == "libcephsqlite.so"
        self._library.loads += 1

    def close(self) -> None:
        pass


class _Pointer:
    """``PyCapsule_GetPointer``, whose types our code has to set."""

    restype: object = None
    argtypes: object = None

    def __call__(self, capsule: object, name: object) -> object:
        assert self.restype is ctypes.c_void_p
        assert self.argtypes == [ctypes.py_object, ctypes.c_char_p]
        return capsule


@contextmanager
def sqlite_of_16(library: FakeLibrary, folder: Path) -> Iterator[FakeSqlite]:
    """While this lasts, the adapter finds this SQLite and this library; a world is installed."""
    from perf_bench.ceph import database  # noqa: PLC0415 - there only while it is installed

    made = FakeSqlite(library, folder)
    foreign = SimpleNamespace(
        CDLL=lambda _name: library,
        pythonapi=SimpleNamespace(PyCapsule_GetPointer=_Pointer()),
        **{
            name: getattr(ctypes, name)
            for name in ("c_void_p", "c_char_p", "py_object", "byref", "POINTER")
        },
    )
    with patch.object(database, "sqlite3", made), patch.object(database, "ctypes", foreign):
        yield made
    for db in made.opened:
        db.close()
