"""The way to the database inside RADOS, on releases that bring one and on the one that does not."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Optional, cast

import pytest

from fakes.ceph import MgrWorld, installed, mgr_in
from fakes.ceph.libcephsqlite import FakeLibrary, FakeSqlite, sqlite_of_16
from fakes.clock import FakeClock
from perf_bench.errors import StoreUnavailable
from perf_bench.model.store import Backup, Event, Incident, StoreMark
from perf_bench.store.database import StorePlace


def _open(world: MgrWorld) -> sqlite3.Connection:
    from perf_bench.ceph.database import open_database

    return open_database(mgr_in(world))


def _refusal(world: MgrWorld) -> str:
    with pytest.raises(StoreUnavailable) as caught:
        _open(world)
    return str(caught.value)


def _backend(world: MgrWorld) -> str:
    from perf_bench.ceph.database import backend_of

    return backend_of(mgr_in(world))


# --- 17 and newer ----------------------------------------------------------------------------


@pytest.fixture(params=["reef", "tentacle"])
def newer(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MgrWorld]:
    world = MgrWorld.captured(request.param)
    world.database = tmp_path / "main.db"
    with installed(world):
        yield world


def test_the_mgr_opens_it(newer: MgrWorld) -> None:
    db = _open(newer)
    db.execute("CREATE TABLE t (x)")
    db.close()
    assert newer.database is not None
    assert newer.database.stat().st_size > 0
    assert newer.registered == [("libcephsqlite", "127.0.0.1:0/1", True)]
    assert _backend(newer) == "sqlite in pool .mgr"


def test_the_mgrs_pool_may_be_switched_off(newer: MgrWorld) -> None:
    newer.ceph_options["mgr_pool"] = False
    assert _refusal(newer) == "the option mgr_pool is off: without it there is no database"


def test_a_cluster_without_osds_has_no_pool_yet(newer: MgrWorld) -> None:
    newer.osd_map["pools"].clear()
    newer.osd_map["osds"].clear()
    assert _refusal(newer) == "there are not enough OSDs yet for the pool of the database"


def test_the_mons_refuse_the_mgrs_pool(newer: MgrWorld) -> None:
    newer.osd_map["pools"].clear()
    newer.mon_refuses["osd pool create"] = (-34, b"", "pg_num 1 size 3 would exceed the limit")
    assert _refusal(newer) == (
        "the pool of the database cannot be made: osd pool create failed: "
        "pg_num 1 size 3 would exceed the limit retval: -34"
    )


# --- 16: by hand -----------------------------------------------------------------------------


@pytest.fixture
def library() -> FakeLibrary:
    return FakeLibrary()


@pytest.fixture
def sqlite(library: FakeLibrary, pacific: MgrWorld, tmp_path: Path) -> Iterator[FakeSqlite]:
    """SQLite and ctypes as the adapter sees them."""
    with sqlite_of_16(library, tmp_path) as made:
        yield made


def test_on_16_the_library_is_loaded_with_the_mgrs_context(
    sqlite: FakeSqlite, library: FakeLibrary, pacific: MgrWorld
) -> None:
    db = _open(pacific)
    assert library.contexts == [pacific]
    assert pacific.registered == [("127.0.0.1:0/77",)]  # for the blocklist
    assert db.execute("PRAGMA page_size").fetchone() == (65536,)
    assert db.execute("PRAGMA journal_mode").fetchone() == ("persist",)
    assert _backend(pacific) == "sqlite in pool device_health_metrics"


def test_a_pool_that_is_not_there_is_made(sqlite: FakeSqlite, pacific: MgrWorld) -> None:
    pacific.osd_map["pools"].clear()
    _open(pacific)
    assert pacific.mon_asked == [
        {
            "prefix": "osd pool create",
            "pool": "device_health_metrics",
            "pg_num": 1,
            "pg_num_min": 1,
        },
        {
            "prefix": "osd pool application enable",
            "pool": "device_health_metrics",
            "app": "mgr_devicehealth",
        },
    ]


def test_without_an_osd_no_pool_is_made(sqlite: FakeSqlite, pacific: MgrWorld) -> None:
    pacific.osd_map["pools"].clear()
    for number in (0, 1, 2):
        pacific.set_down(number)
    assert _refusal(pacific) == "no OSD is up, so the pool of the database cannot be made yet"
    assert pacific.mon_asked == []


def test_the_library_is_not_installed(
    sqlite: FakeSqlite, library: FakeLibrary, pacific: MgrWorld
) -> None:
    library.there = False
    assert _refusal(pacific) == (
        "libcephsqlite.so is not installed on this mgr's host (Debian: libsqlite3-mod-ceph, "
        "elsewhere libcephsqlite): libcephsqlite.so: cannot open shared object file"
    )
    # installed meanwhile
    library.there = True
    _open(pacific)


def test_a_connection_that_cannot_be_set_up_is_closed(
    sqlite: FakeSqlite, pacific: MgrWorld
) -> None:
    sqlite.status = "no json"
    with pytest.raises(sqlite3.OperationalError):
        _open(pacific)
    (db,) = sqlite.opened
    with pytest.raises(sqlite3.ProgrammingError):
        db.execute("SELECT 1")


def test_a_damaged_file_does_not_hide_the_address(
    newer: MgrWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Newer SQLite reads the file's schema for any SELECT, also one without a table."""
    from perf_bench.ceph import database

    class Damaged(sqlite3.Connection):
        def execute(self, *_: object) -> sqlite3.Cursor:
            raise sqlite3.DatabaseError("file is not a database")

    def whole(_name: str) -> sqlite3.Connection:
        db = connect(":memory:")
        db.create_function("ceph_status", 0, lambda: '{"addr": "127.0.0.1:0/77"}')
        return db

    connect = sqlite3.connect
    with closing(connect(":memory:", factory=Damaged)) as damaged:
        monkeypatch.setattr(sqlite3, "connect", whole)
        assert database._client_address(damaged, raw=True) == "127.0.0.1:0/77"
        with pytest.raises(sqlite3.DatabaseError, match="file is not a database"):
            database._client_address(damaged, raw=False)


# --- which file it is --------------------------------------------------------------------------


@contextmanager
def _place(world: MgrWorld) -> Iterator[StorePlace]:
    import rados

    from perf_bench.ceph.database import MgrStorePlace
    from perf_bench.ceph.mons import Mons

    def opened() -> rados.Rados:
        client = rados.Rados(name="mgr.x")
        client.connect()
        return client

    mons = Mons(opened)
    yield MgrStorePlace(mgr_in(world), mons)
    mons.close()


MARKED = StoreMark(
    "main-2.db",
    number=2,
    pool=7,
    next_round=101,
    incidents=(Incident(1.0, Event.LOST, "main.db", "why", 0, ("a",)),),
    backups=(Backup(2.0, "backup-1.db", 3),),
)


def test_the_mark_is_at_the_monitors(newer: MgrWorld) -> None:
    with _place(newer) as place:
        assert place.read_mark() is None
        place.write_mark(MARKED)
        assert place.read_mark() == MARKED
    assert list(newer.keys) == ["mgr/perf_bench/store"]


def test_a_mark_that_cannot_be_read_is_no_new_cluster(newer: MgrWorld) -> None:
    newer.keys["mgr/perf_bench/store"] = '{"file": 7}'
    with _place(newer) as place, pytest.raises(StoreUnavailable) as caught:
        place.read_mark()
    assert str(caught.value) == (
        "the key mgr/perf_bench/store at the monitors cannot be read (file must be a text, not 7): "
        "see docs/store.md"
    )


@pytest.mark.parametrize("order", ["config-key get", "config-key set"])
def test_monitors_that_refuse(newer: MgrWorld, order: str) -> None:
    newer.mon_refuses[order] = (-13, b"", "access denied")
    with _place(newer) as place, pytest.raises(StoreUnavailable, match="access denied"):
        place.read_mark() if order == "config-key get" else place.write_mark(MARKED)


def test_the_first_file_is_opened_by_the_mgr_and_its_pool_is_known(newer: MgrWorld) -> None:
    with _place(newer) as place:
        place.open("main.db").close()
        number = place.pool()
    pools = {pool["pool_name"]: pool["pool"] for pool in newer.osd_map["pools"]}
    assert number == pools[".mgr"]
    assert newer.registered == [("libcephsqlite", "127.0.0.1:0/1", True)]


# --- its objects -------------------------------------------------------------------------------


class Objects:
    """The objects of libcephsqlite in a pool, as the mgr's client sees them."""

    def __init__(self) -> None:
        self.namespace = ""
        self.there: set[str] = set()
        self.xattrs: dict[str, dict[str, bytes]] = {}
        self.removed: list[str] = []
        self.shortened: dict[str, int] = {}
        self.away: Optional[Exception] = None
        self.pool = ".mgr"
        # Tries to take the lock that find it taken, and what was done in order.
        self.busy = 0
        self.done: list[str] = []

    def file(self, name: str, size: int, allocated: int, objects: int) -> None:
        first = f"{name}.{0:016x}"
        self.there |= {f"{name}.{number:016x}" for number in range(objects)}
        self.xattrs[first] = {
            "striper.size": b"%016d" % size,
            "striper.allocated": b"%016d" % allocated,
        }

    def numbers(self, name: str) -> list[int]:
        found = (one.rsplit(".", 1) for one in self.there)
        return sorted(int(number, 16) for file, number in found if file == name)

    def open_ioctx(self, pool: str) -> Objects:
        assert pool == self.pool
        if self.away is not None:
            raise self.away
        return self

    def __enter__(self) -> Objects:  # noqa: PYI034 - Self needs Python 3.11
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def set_namespace(self, namespace: str) -> None:
        self.namespace = namespace

    def get_xattr(self, key: str, name: str) -> bytes:
        import rados

        assert self.namespace == "perf_bench"
        if key not in self.there:
            raise rados.ObjectNotFound("no object")
        if name not in self.xattrs[key]:
            raise rados.NoData("no attribute")
        return self.xattrs[key][name]

    def set_xattr(self, key: str, name: str, value: bytes) -> None:
        self.done.append(f"{name} = {value!r}")
        self.xattrs[key][name] = value

    def lock_exclusive(self, key: str, name: str, cookie: str, desc: str, duration: int) -> None:
        import rados

        assert (key, name, duration) == (FIRST, "striper.lock", 30)
        if self.busy:
            self.busy -= 1
            raise rados.ObjectBusy("locked")
        self.done.append("lock")

    def unlock(self, key: str, name: str, cookie: str) -> None:
        assert (key, name) == (FIRST, "striper.lock")
        self.done.append("unlock")

    def trunc(self, key: str, size: int) -> int:
        assert key in self.there
        self.shortened[key] = size
        return 0

    def remove_object(self, key: str) -> None:
        import rados

        assert self.namespace == "perf_bench"
        if key not in self.there:
            raise rados.ObjectNotFound("no object")
        self.there.remove(key)
        self.removed.append(key)


FIRST = "main.db.0000000000000000"
MIB = 1 << 20
OBJECT = 4 * MIB


@contextmanager
def _objects_of(world: MgrWorld) -> Iterator[tuple[StorePlace, Objects]]:
    from perf_bench.ceph.database import MgrStorePlace
    from perf_bench.ceph.mons import Mons

    objects, mgr = Objects(), mgr_in(world)
    vars(mgr)["_rados"] = objects
    yield MgrStorePlace(mgr, cast("Mons", None)), objects


@pytest.mark.parametrize(
    ("size", "left"),
    [
        (1, 1),
        (4 * MIB - 1, 1),
        (4 * MIB, 1),
        (4 * MIB + 1, 2),
        (9 * MIB, 3),
        (40 * MIB, 10),
        (0, 1),  # the first object is never removed: it has the lock
    ],
)
def test_objects_beyond_the_end_are_freed(newer: MgrWorld, size: int, left: int) -> None:
    with _objects_of(newer) as (place, objects):
        objects.file("main.db", size, 136 * MIB, 10)
        objects.file("main.db-journal", 5 * MIB, 136 * MIB, 4)
        objects.file("main.db2", MIB, 136 * MIB, 4)
        place.trim("main.db")
        assert objects.numbers("main.db") == list(range(left))
        assert objects.numbers("main.db-journal") == [0, 1]
        assert objects.numbers("main.db2") == [0, 1, 2, 3]
        # The last object ends with the file.
        rest = {f"main.db.{left - 1:016x}": size % OBJECT} if size % OBJECT else {}
        assert objects.shortened == {**rest, "main.db-journal.0000000000000001": MIB}
        place.trim("main.db")
        assert objects.numbers("main.db") == list(range(left))


def test_a_file_is_removed_with_its_journal_the_first_object_last(newer: MgrWorld) -> None:
    with _objects_of(newer) as (place, objects):
        objects.file("main.db", 9 * MIB, 136 * MIB, 3)
        objects.file("main.db-journal", MIB, 128 * MIB, 1)
        objects.file("main-2.db", 9 * MIB, 136 * MIB, 3)
        place.remove("main.db")
        assert objects.numbers("main.db") == objects.numbers("main.db-journal") == []
        assert objects.numbers("main-2.db") == [0, 1, 2]
        assert objects.removed[-1] == "main.db.0000000000000000"
        place.remove("main.db")  # no error where it is not there


# --- its lock ----------------------------------------------------------------------------------

GIVEN_BACK = ["lock", "striper.excl = b''", "unlock"]


@pytest.fixture
def locked(sqlite: FakeSqlite, pacific: MgrWorld) -> Iterator[tuple[StorePlace, Objects]]:
    """A file whose first connection, on Ceph 16, has ended without giving its lock back."""
    with _objects_of(pacific) as (place, objects):
        objects.pool = "device_health_metrics"
        objects.away = AssertionError("a first connection has no lock to give back")
        place.open("main.db").close()
        objects.away = None
        objects.file("main.db", MIB, 136 * MIB, 1)
        objects.xattrs[FIRST]["striper.excl"] = b"127.0.0.1:0/77"
        yield place, objects


def test_a_lock_of_this_process_is_given_back_before_its_client_would_be_blocklisted(
    locked: tuple[StorePlace, Objects],
) -> None:
    place, objects = locked
    place.open("main.db").close()
    assert objects.done == GIVEN_BACK
    place.open("main.db").close()
    assert objects.done == GIVEN_BACK


@pytest.mark.parametrize("owner", [b"127.0.0.1:0/78", b"", None])
def test_a_lock_that_is_not_of_this_process_is_left_alone(
    locked: tuple[StorePlace, Objects], owner: Optional[bytes]
) -> None:
    place, objects = locked
    del objects.xattrs[FIRST]["striper.excl"]
    if owner is not None:
        objects.xattrs[FIRST]["striper.excl"] = owner
    place.open("main.db").close()
    assert objects.done == []


@pytest.mark.parametrize(("tries", "fails"), [(119, False), (122, True)])
def test_a_lock_that_has_not_ended_is_waited_for_a_minute(
    locked: tuple[StorePlace, Objects], monkeypatch: pytest.MonkeyPatch, tries: int, fails: bool
) -> None:
    from perf_bench.ceph import database

    place, objects = locked
    clock = FakeClock()
    fake = SimpleNamespace(monotonic=clock.monotonic, sleep=clock.advance)
    monkeypatch.setattr(database, "time", fake)
    objects.busy = tries
    if fails:
        with pytest.raises(StoreUnavailable, match="the lock of the database cannot be given back"):
            place.open("main.db")
        assert objects.done == []
    else:
        place.open("main.db").close()
        assert objects.done == GIVEN_BACK
