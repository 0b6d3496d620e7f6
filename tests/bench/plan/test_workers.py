"""From --workers to the workers of a round."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest

from fakes.cluster import FakeCluster
from fakes.loads import FakePools, a_pool
from nouns import some_osds
from perf_bench.bench.plan.clients import prepare_load
from perf_bench.errors import InvalidValue, NotFound, NotNow
from perf_bench.model.json_fields import decode
from perf_bench.model.plan import Plan, Request
from perf_bench.model.rados import LoadOrder, Worker, WorkerState

A = Worker("a", "host-a", "1", "i1", WorkerState.READY, 0.0, 0.0, 0.0)
B = replace(A, id="b", host="host-b", instance="i2", state=WorkerState.BUSY)
LOST = replace(A, id="c", instance="i3", state=WorkerState.LOST, note="it does not answer")
ASKED = Request("rados-write", threads=8, seconds=10, workers="all")


def plan(request: Request, *there: Worker) -> Plan:
    pools = FakePools(a_pool(), a_pool("rbd"))
    cluster = FakeCluster(some_osds(6))
    return prepare_load(request, cluster, pools, lambda: there).plan


def test_all_are_those_of_use_and_the_others_are_named() -> None:
    found = plan(ASKED, A, B, LOST)
    assert found.load is not None
    assert found.load.workers == ("a", "b")
    assert found.load.clients == 8  # four each
    assert "worker c on host-a is left out, it is lost: it does not answer" in found.notes


@pytest.mark.parametrize("profile", ["rados-write", "rados-saturate"])
def test_all_are_no_more_than_a_round_has_clients(profile: str) -> None:
    many = [replace(A, id=f"w{n:02}", instance=f"i{n}") for n in range(70)]
    asked = replace(ASKED, profile=profile, size="64K")
    found = plan(asked, *many)
    assert found.load is not None
    assert found.load.workers == tuple(one.id for one in many[:64])
    order = asdict(found.load.order("round-x"))
    taken = decode(LoadOrder, {**order, "workers": list(order["workers"])})  # by a worker
    assert taken.workers == found.load.workers
    (told,) = [note for note in found.notes if "left out" in note]
    assert told == (
        "6 of 70 workers are left out, because a round has at most 64 clients: "
        "w64, w65, w66, w67 and 2 more"
    )


def test_a_search_says_how_many_workers_have_no_client() -> None:
    many = [replace(A, id=f"w{n:02}", instance=f"i{n}") for n in range(20)]
    asked = replace(ASKED, profile="rados-saturate", threads=None, size="64K")
    told = (
        "4 of 20 workers run no client, because the search has at most 16 clients (--clients): "
        "w16, w17, w18 and w19"
    )
    assert told in plan(asked, *many).notes
    named = replace(asked, workers=",".join(one.id for one in many))
    assert told in plan(named, *many).notes
    assert not [one for one in plan(asked, *many[:16]).notes if "no client" in one]
    assert not [one for one in plan(replace(asked, clients=32), *many).notes if "no client" in one]


def test_nobody_is_asked_where_none_is_wanted() -> None:
    found = plan(replace(ASKED, workers=None))
    assert found.load is not None
    assert (found.load.workers, found.load.clients) == ((), 4)


def test_names_are_taken_in_their_order() -> None:
    found = plan(replace(ASKED, workers="b,a", clients=3), A, B)
    assert found.load is not None
    assert (found.load.workers, found.load.clients) == (("b", "a"), 3)


def test_what_cannot_be_is_a_sentence() -> None:
    for changes, error, sentence in [
        ({"workers": "x"}, NotFound, "there is no worker x: see 'ceph perf-bench worker ls'"),
        ({"workers": "a,c"}, NotNow, "worker c is lost: it does not answer"),
        ({"workers": "a,"}, InvalidValue, "--workers 'a,' is neither 'all' nor a list of names"),
        ({"workers": ""}, InvalidValue, "--workers '' is neither 'all' nor a list of names"),
        ({"workers": "a,b,a"}, InvalidValue, r"^--workers has a twice$"),
        ({"workers": "a;b"}, InvalidValue, "--workers 'a;b' is neither 'all' nor a list of names"),
        ({"pool": "rbd"}, InvalidValue, "--workers serve the pool perf_bench only"),
        ({"pool": "data"}, InvalidValue, "--workers serve the pool perf_bench only"),
        ({"clients": 1}, InvalidValue, "--clients 1 is not within 2 to 64"),
        (
            {"workers": ",".join(f"w{n}" for n in range(65))},
            InvalidValue,
            "--workers names 65 workers, but a round has at most 64 clients: name fewer",
        ),
    ]:
        with pytest.raises(error, match=sentence):
            plan(replace(ASKED, **changes), A, B, LOST)  # type: ignore[arg-type]


def test_of_two_of_a_name_the_first_is_told() -> None:
    other = replace(LOST, instance="i4", state=WorkerState.MISMATCHED, note="another version")
    with pytest.raises(NotNow, match="worker c is lost: it does not answer"):
        plan(replace(ASKED, workers="c"), LOST, other)
