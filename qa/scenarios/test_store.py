"""The database damaged and lost: the module says so, goes on, and numbers no round twice."""

from __future__ import annotations

import errno
import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from cluster import asok
from cluster.connection import Connection
from cluster.errors import ClusterError
from scenarios.operator import Operator
from scenarios.stored_file import file_of, pool_of, stored

pytestmark = pytest.mark.cluster
CODE = "PERF_BENCH_STORE"
# Of the database's lock in RADOS (cephsqlite_lock_renewal_timeout).
_LOCK_SECONDS = 30.0
SURE = "--yes-i-really-mean-it"
OFTEN = "often"


def _measured(operator: Operator) -> int:
    number = operator.starts("osd-iops", "--osds", "0", "--repeats", "1")
    operator.sees_the_end_of(number)
    return number


def _when_idle(operator: Operator, *words: str) -> Any:
    """The round that has just ended may count as running for a moment."""
    return operator.carries_out("store", *words)


def _backup(operator: Operator) -> str:
    """Make a backup and return its name; once more if a busy cluster ends one."""
    said: Any = None
    for _ in range(3):
        name = str(_when_idle(operator, "backup")["file"])
        said = operator.sees("the end of the backup", partial(_end_of, operator, name))
        # By name: an answer may come too late, so that it was asked for, and made, twice.
        if name in {one["file"] for one in said["backups"]}:
            return name
        # Another job may have begun since.
        assert said["job"]["problem"] or said["job"]["file"] != name, said
    raise AssertionError(said)


def _end_of(operator: Operator, backup: str) -> Any:
    """The status of the database once the job that makes this backup has ended."""
    status = stored(operator)
    job = status["job"]
    going = job is not None and job["file"] == backup and job["state"] == "running"
    return None if going else status


def _is_whole(operator: Operator) -> bool:
    """Whether a check of all found nothing; one that takes seconds goes on after the answer."""
    return bool(_when_idle(operator, "check")["integrity"] == "ok")


def _rounds(operator: Operator) -> dict[int, Any]:
    return {one["id"]: one for one in operator.asks("round", "ls")}


def _harmed(operator: Operator, tmp_path: Path, harm: Callable[[Path], object]) -> None:
    """While the module is off, do something to the database's first object."""
    pool, file = pool_of(operator), file_of(operator)
    cluster, copy = operator.cluster, tmp_path / "object"
    cluster.ceph("mgr", "module", "disable", "perf_bench")
    try:
        _sees_it_off(operator)
        name = f"{file}.0000000000000000"
        where = ("--pool", pool, "--namespace", "perf_bench")
        operator.sees("the object", lambda: name in cluster.rados(*where, "ls"))
        cluster.rados(*where, "get", name, str(copy))
        harm(copy)
        cluster.rados(*where, "put", name, str(copy))
    finally:
        # Forced, because no mgr may be active yet that knows it.
        cluster.ceph("mgr", "module", "enable", "perf_bench", "--force")


def _sees_it_off(operator: Operator) -> None:
    """Wait for the mgr without the module: until then the module may still write its database."""
    busy = {0, errno.EAGAIN, errno.ETIMEDOUT}
    operator.sees("the mgr without it", lambda: operator.types("status").code not in busy)


def _change(*statements: str) -> Callable[[Path], object]:
    def change(path: Path) -> None:
        db = sqlite3.connect(path)
        for statement in statements:
            db.execute(statement)
        db.commit()
        db.close()

    return change


def _blank(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"\0" * 100)


def test_a_row_that_cannot_be_read_stops_nothing(operator: Operator, tmp_path: Path) -> None:
    first, second = _measured(operator), _measured(operator)
    operator.carries_out(
        "schedule", "add", "nightly", "osd-iops", "--every", "1d", done=errno.EINVAL
    )
    _harmed(
        operator,
        tmp_path,
        _change(
            f"UPDATE rounds SET summary = '{{\"cut' WHERE id = {first}",  # noqa: S608
            "UPDATE schedules SET schedule = '{' WHERE name = 'nightly'",
        ),
    )
    operator.sees_the_database()
    listed = _rounds(operator)
    operator.sees_in_health(CODE, f"round {first} (summary is no JSON")
    assert listed[first]["unreadable"]
    assert listed[second]["unreadable"] is None
    assert "cannot be read" in operator.refused("round", "show", str(first)).err
    raw = json.loads(operator.answered("round", "export", str(first), "--raw").out)
    assert raw["rounds"][0]["summary"] == '{"cut'
    assert _measured(operator) > second

    operator.carries_out("round", "rm", str(first), done=errno.ENOENT)
    operator.carries_out("schedule", "rm", "nightly", done=errno.ENOENT)
    operator.sees_gone_from_health(CODE)
    operator.sees("a check", lambda: _is_whole(operator))


def test_a_damaged_file_is_set_aside_and_a_backup_restored(
    operator: Operator, tmp_path: Path
) -> None:
    last, before = _measured(operator), file_of(operator)
    backup = _backup(operator)
    _harmed(operator, tmp_path, _blank)
    operator.sees_the_database()
    operator.sees_in_health(CODE, f"the database {before} was damaged")
    status = stored(operator)
    assert status["file"] != before
    assert status["set_aside"][-1]["what"] == before
    assert _measured(operator) > last

    assert SURE in operator.refused("store", "restore", backup).err
    _when_idle(operator, "restore", backup, SURE)
    operator.sees("the rounds of before", lambda: last in _rounds(operator))
    operator.sees_gone_from_health(CODE)
    assert _measured(operator) > last + 1


@pytest.mark.leaves("*")
def test_a_deleted_pool_is_no_new_cluster(operator: Operator) -> None:
    last, pool = _measured(operator), pool_of(operator)
    ceph = operator.cluster.ceph
    ceph("config", "set", "mon", "mon_allow_pool_delete", "true")
    operator.sees(
        "the pool deleted",
        lambda: ceph("osd", "pool", "rm", pool, pool, "--yes-i-really-really-mean-it") is not None,
    )
    ceph("config", "rm", "mon", "mon_allow_pool_delete")
    ceph("mgr", "fail")
    operator.sees_the_database()
    operator.sees_in_health(CODE, "was lost (its pool was deleted)")
    assert _rounds(operator) == {}
    assert _measured(operator) > last
    _when_idle(operator, "reset", SURE)
    operator.sees_gone_from_health(CODE)
    assert _measured(operator) > last + 1


@pytest.mark.long
@pytest.mark.leaves("*")
def test_osds_that_hang_for_longer_than_the_lock_lasts_cost_no_database(
    operator: Operator,
) -> None:
    """On Ceph 16 the client of the database was blocklisted by its own mgr, for an hour.

    That needs a transaction that is open when the OSDs stop.
    """
    cluster, osds = operator.cluster, operator.cluster.spec.osd_names
    before = _blocklisted(operator)
    try:
        with _patient_mons(operator), _writing(operator):
            _stop_while_locked(operator)
            cluster.fault("pause", *osds)
            cluster.fault("clear", "active")
            time.sleep(_LOCK_SECONDS + 10.0)  # nothing tells that it has ended
    finally:
        cluster.fault("clear", "all")
    operator.sees_the_database()
    assert _blocklisted(operator) <= before
    # Its removal may have got no answer, too.
    if any(one["name"] == OFTEN for one in operator.asks("schedule", "ls")):
        operator.carries_out("schedule", "rm", OFTEN, done=errno.ENOENT)


@contextmanager
def _patient_mons(operator: Operator) -> Iterator[None]:
    """A mgr may be stopped for long, as on a busy machine: replacing it blocklists its clients."""
    spec, option = operator.cluster.spec, "mon_mgr_beacon_grace"
    for mon in spec.mon_daemons:
        asok.ask(spec, mon, "config set", var=option, val=["120"])
    try:
        yield
    finally:
        for mon in spec.mon_daemons:
            asok.ask(spec, mon, "config unset", var=option)


def _stop_while_locked(operator: Operator) -> None:
    """Stop the active mgr in a transaction: then its lock does not change while it is looked at."""
    pool, first = pool_of(operator), f"{file_of(operator)}.{0:016x}"
    where = ("--pool", pool, "--namespace", "perf_bench")

    def stopped() -> bool:
        operator.cluster.fault("pause", "active")
        owner = operator.cluster.rados(*where, "getxattr", first, "striper.excl")
        if not owner.strip():
            operator.cluster.fault("clear", "active")
        return bool(owner.strip())

    operator.sees("the database's lock held", stopped)


def _blocklisted(operator: Operator) -> set[str]:
    """The clients that are blocklisted; a line has also until when."""
    return {
        line.split()[0] for line in operator.cluster.ceph("osd", "blocklist", "ls").splitlines()
    }


@contextmanager
def _writing(operator: Operator) -> Iterator[None]:
    """Changes of the database, one after the other."""
    stop = threading.Event()

    def write(link: Connection) -> None:
        while not stop.is_set():
            with suppress(ClusterError):  # a database that does not answer is what is tried
                link.mgr("perf-bench schedule add", name=OFTEN, profile="osd-iops", every="1d")
            with suppress(ClusterError):
                link.mgr("perf-bench schedule rm", name=OFTEN)

    with closing(Connection(operator.cluster.spec)) as link:
        writer = threading.Thread(target=write, args=(link,))
        writer.start()
        try:
            yield
        finally:
            stop.set()
            writer.join()
