"""What rounds of clients have left in pools, noted at the monitors."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

from fakes.ceph import MgrWorld

KEY = "mgr/perf_bench/traces"


def test_each_namespace_has_a_key_and_those_of_before_are_taken_over(pacific: MgrWorld) -> None:
    import rados

    from perf_bench.ceph.mons import MonLeftovers, Mons

    client = rados.Rados(name="mgr.x")
    client.connect()
    mons = Mons(lambda: client)
    noted = MonLeftovers(mons)
    noted.add("round-1", "rbd")
    pacific.keys[KEY] = '{"round-2": "data"}'
    assert noted.load() == {"round-1": "rbd", "round-2": "data"}
    assert pacific.keys == {f"{KEY}/round-1": "rbd", f"{KEY}/round-2": "data"}
    noted.remove("round-1")
    assert noted.load() == {"round-2": "data"}
    mons.close()
