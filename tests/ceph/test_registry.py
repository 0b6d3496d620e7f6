"""What Ceph 20 wants of a module, and the others do not."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

from fakes.ceph import MgrWorld


def test_an_empty_registry_where_there_are_any(world: MgrWorld) -> None:
    from perf_bench.ceph.registry import command_registry

    registry = command_registry()
    if world.release == "tentacle":
        assert registry.COMMANDS == {}
    else:
        assert registry is None
