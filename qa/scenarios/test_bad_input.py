"""One clear sentence, the right errno, and nothing changed."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any, Optional

import pytest

from cluster.api import DevCluster
from cluster.resident import Reply
from scenarios.operator import Operator

pytestmark = pytest.mark.cluster
ENOENT, EAGAIN, EINVAL = 2, 11, 22

# what is typed, the errno, what the sentence must say
BAD = [
    ("round start nope", ENOENT, "no profile 'nope'"),
    ("round start osd-iops --osds 99", ENOENT, "osd.99: no such OSD"),
    ("round start osd-iops --osds host=nope", ENOENT, "host=nope; this cluster has host host-0"),
    ("round start osd-iops --osds class=nope", ENOENT, "class=nope"),
    ("round start osd-iops --osds rack=nope", ENOENT, "rack"),
    ("round start osd-iops --osds ''", EINVAL, "does not select OSDs"),
    ("round start osd-iops --osds 3-1", EINVAL, "counts down"),
    ("round start osd-iops --osds 0&host=host-1", ENOENT, "selects no OSD"),
    ("round start osd-iops --repeats 0", EINVAL, "1 to 100"),
    ("round start osd-iops --repeats 101", EINVAL, "1 to 100"),
    ("round start osd-iops --size 0", EINVAL, "'0' is not a size"),
    ("round start osd-iops --size 1000", EINVAL, "multiple of 512"),
    ("round start osd-throughput --size 128M", EINVAL, "osd_bench_max_block_size"),
    ("round start osd-iops --seconds 5", EINVAL, "--seconds does not apply"),
    ("round start osd-iops --rest 5m", EINVAL, "--rest does not apply to rounds of osd-iops"),
    ("round start osd-iops --solo 1", EINVAL, "--solo does not apply to rounds of osd-iops"),
    ("round start osd-sandwich --rest 1s", EINVAL, "2s to 2h"),
    ("round start osd-sandwich --rest soon", EINVAL, "'soon' is not a duration"),
    ("round start osd-sandwich --rests 13", EINVAL, "0 to 12"),
    ("round start osd-sandwich --solo 99", ENOENT, "osd.99: no such OSD"),
    ("round start osd-sandwich --osds 0 --solo 1", EINVAL, "osd.1 is not among the chosen"),
    ("round start osd-sandwich --osds 0,1", EINVAL, "no chosen host has two OSDs"),
    ("round start osd-sandwich --size 4K", EINVAL, "--size does not apply"),
    ("round start osd-wal --size 4K", EINVAL, "--size does not apply"),
    ("round start osd-wal --rest 2s", EINVAL, "--rest does not apply"),
    ("round start rados-write --osds 0", EINVAL, "--osds does not apply"),
    ("round start rados-write --size 0", EINVAL, "'0' is not a size"),
    ("round start rados-write --size 5000", EINVAL, "multiple of 512"),
    ("round start rados-write --size 128M", EINVAL, "osd_max_write_size"),
    ("round start rados-write --clients 65", EINVAL, "1 to 64"),
    ("round start rados-write --threads 0", EINVAL, "1 to 256"),
    ("round start rados-write --clients 64 --threads 256", EINVAL, "65536 MiB in memory"),
    ("round start rados-write --seconds 1", EINVAL, "2 to 3600"),
    ("round start rados-write --pool nope", ENOENT, "no pool nope"),
    ("round start rados-write --pool ''", EINVAL, "names no pool"),
    ("round start rados-saturate --clients 12", EINVAL, "--clients 12 is not a power of two"),
    ("round start rados-saturate --repeats 2", EINVAL, "--repeats does not apply"),
    ("round import --as fio", EINVAL, "there are no results: give a file with -i"),
    ("round import --as iozone", EINVAL, "one of fio, elbencho, warp"),
    ("round show 4242", ENOENT, "no round 4242"),
    ("round show nope", ENOENT, "no round 'nope'"),
    ("round rm 4242", ENOENT, "no round 4242"),
    ("round abort", ENOENT, "no round is running"),
    ("round ls --state nope", EINVAL, "queued, running, done"),
    ("round ls --limit 501", EINVAL, "1 to 500"),
    ("round export 4242 --as xml", EINVAL, "json, csv, openmetrics, html"),
    ("osd show 99", ENOENT, "osd.99"),
    ("osd show nope", EINVAL, "not an OSD"),
    ("osd ls --sort nope", EINVAL, "--sort nope"),
    ("osd ls --osds class=nope", ENOENT, "class=nope"),
    ("profile show nope", ENOENT, "no profile 'nope'"),
    ("host import host-0", EINVAL, "there are no facts: give a file with -i"),
    ("host import nope", ENOENT, "no host 'nope' has OSDs"),
    ("host ls --limit 0", EINVAL, "1 to 500"),
    ("enclosure show nope", ENOENT, "no enclosure 'nope'"),
    ("multipath ls --limit 501", EINVAL, "1 to 500"),
    ("doctor --osd 99", ENOENT, "osd.99: no such OSD"),
    ("doctor --osd nope", EINVAL, "not an OSD"),
]


@pytest.fixture(scope="module")
def person(cluster: DevCluster) -> Iterator[Operator]:
    """An operator whose rounds are the same after all the bad input as before."""
    person = Operator(cluster)
    person.sees_it_ready()
    before = person.asks("round", "ls")
    yield person
    assert person.asks("round", "ls") == before


@pytest.mark.parametrize(("typed", "code", "sentence"), BAD, ids=[row[0] for row in BAD])
def test_bad_input(person: Operator, typed: str, code: int, sentence: str) -> None:
    reply = person.answered(*shlex.split(typed))
    assert (reply.code, reply.out.strip()) == (code, "")
    assert sentence in reply.err
    assert len(reply.err.strip().splitlines()) == 1


def test_the_option_in_the_way_is_named(operator: Operator) -> None:
    operator.cluster.ceph("config", "set", "osd", "osd_bench_small_size_max_iops", "0")
    try:
        words = ("round", "start", "osd-iops", "--dry-run")

        def refused() -> Optional[Reply]:
            reply = operator.types(*words)
            return reply if reply.code == EINVAL else None

        reply = operator.sees("the refusal", refused)
    finally:
        operator.cluster.ceph("config", "rm", "osd", "osd_bench_small_size_max_iops")
    assert "osd_bench_small_size_max_iops" in reply.err


def test_no_osd_is_up(operator: Operator) -> None:
    operator.cluster.fault("down", "osd.3")

    def without_it() -> Any:
        plan = operator.asks("round", "start", "osd-iops", "--osds", "0,3", "--dry-run")
        return plan if plan["targets"] == ["osd.0"] else None

    # The mgr hears of it after the monitors.
    plan = operator.sees("a plan without it", without_it)
    assert "osd.3" in plan["notes"][0]
    reply = operator.answered("round", "start", "osd-iops", "--osds", "3")
    assert reply.code == EAGAIN
    assert "none of the chosen OSDs is up" in reply.err
