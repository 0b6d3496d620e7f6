"""Removing what clients left, from a namespace that is listed once."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import errno
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from fakes.ceph import MgrWorld

ORDER = {"pool": "7", "namespace": "round-1", "limit": 30}


class Pool:
    """A client and its pool at once; ``fails`` has by name how a removal ends."""

    def __init__(self, *names: str, **fails: int) -> None:
        self.names = list(names)
        self.fails = fails
        self.listed = 0
        self.asked: list[Any] = []

    def open_ioctx2(self, pool: int) -> Pool:
        self.asked.append(pool)
        return self

    def set_namespace(self, namespace: str) -> None:
        self.asked.append(namespace)

    def set_osdmap_full_try(self) -> None:
        self.asked.append("full try")

    def list_objects(self) -> Iterator[Any]:
        self.listed += 1
        return iter([SimpleNamespace(key=name) for name in self.names])

    def aio_remove(self, name: str) -> Any:
        code = self.fails.get(name, 0)
        if not code:
            self.names.remove(name)
        return SimpleNamespace(wait_for_complete=lambda: 0, get_return_value=lambda: code)

    def close(self) -> None: ...

    shutdown = close


@pytest.fixture
def sweep(pacific: MgrWorld, monkeypatch: pytest.MonkeyPatch) -> Any:
    from perf_bench.programs import clean_up

    def swept(pool: Pool) -> dict[str, int]:
        monkeypatch.setattr(clean_up, "open_client", lambda *_words: pool)
        access = {"name": "mgr.x", "keyring": "", "mon_host": "m"}
        return clean_up.sweep(ORDER, access)

    return swept


def test_what_clients_left_is_removed_and_listed_once(sweep: Any) -> None:
    names = [f"benchmark_data_host_{number}" for number in range(100)]
    pool = Pool(*names, "client-0")
    assert sweep(pool) == {"removed": 101, "left": 0}
    assert pool.names == []
    assert pool.listed == 1
    assert pool.asked == [7, "round-1", "full try"]


def test_what_is_not_ours_stays_and_is_told(sweep: Any) -> None:
    pool = Pool("somebody", "client-0")
    assert sweep(pool) == {"removed": 1, "left": 1}
    assert pool.names == ["somebody"]


@pytest.mark.parametrize(
    ("code", "removed", "left"),
    [(-errno.ENOENT, 2, 0), (-errno.ETIMEDOUT, 1, 1), (-errno.EPERM, 1, 1)],
)
def test_a_removal_that_fails_is_left(sweep: Any, code: int, removed: int, left: int) -> None:
    assert sweep(Pool("client-0", "client-1", **{"client-1": code})) == {
        "removed": removed,
        "left": left,
    }
