"""Removing what clients left, from a namespace that is listed once."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import ctypes
import errno
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from fakes.ceph import MgrWorld
from perf_bench.errors import CommandFailed

ORDER = {"pool": "7", "namespace": "round-1", "limit": 30}


class Pool:
    """A client and its pool at once; ``fails`` has by name how a removal ends.

    The listing ends with the code ``end`` after the first ``most`` names.
    """

    def __init__(self, *names: str, **fails: int) -> None:
        self.names = list(names)
        self.fails = fails
        self.listed = 0
        self.asked: list[Any] = []
        self.end, self.most = -errno.ENOENT, len(names)

    def open_ioctx2(self, pool: int) -> Pool:
        self.asked.append(pool)
        return self

    def set_namespace(self, namespace: str) -> None:
        self.asked.append(namespace)

    def set_osdmap_full_try(self) -> None:
        self.asked.append("full try")

    def list_objects(self) -> Iterator[Any]:
        """As the binding: whatever ends the listing, an error too, is its end."""
        self.listed += 1
        return iter([SimpleNamespace(key=name) for name in self.names[: self.most]])

    def aio_remove(self, name: str) -> Any:
        code = self.fails.get(name, 0)
        if not code:
            self.names.remove(name)
        return SimpleNamespace(wait_for_complete=lambda: 0, get_return_value=lambda: code)

    def close(self) -> None: ...

    shutdown = close


class Library:
    """librados' C library, as far as it lists a pool; what it opens is closed again."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._left: list[str] = []
        self.open: list[str] = []

    def __getattr__(self, name: str) -> Any:
        assert name in ("rados_conf_read_file", "rados_conf_set", "rados_connect"), name
        return lambda *_words: 0

    def rados_create2(self, cluster: Any, *_words: Any) -> int:
        return self._opened("cluster")

    def rados_ioctx_create2(self, cluster: Any, pool: Any, io: Any) -> int:
        self._pool.asked.append(pool.value)
        return self._opened("pool")

    def rados_ioctx_set_namespace(self, io: Any, namespace: bytes) -> None:
        self._pool.asked.append(namespace.decode())

    def rados_nobjects_list_open(self, io: Any, listing: Any) -> int:
        self._pool.listed += 1
        self._left = self._pool.names[: self._pool.most]
        return self._opened("listing")

    def rados_nobjects_list_next(self, listing: Any, name: Any, *_more: Any) -> int:
        if not self._left:
            return self._pool.end
        name._obj.value = self._left.pop(0).encode()
        return 0

    def rados_nobjects_list_close(self, listing: Any) -> None:
        assert self.open.pop() == "listing"

    def rados_ioctx_destroy(self, io: Any) -> None:
        assert self.open.pop() == "pool"

    def rados_shutdown(self, cluster: Any) -> None:
        assert self.open.pop() == "cluster"

    def _opened(self, what: str) -> int:
        self.open.append(what)
        return 0


@pytest.fixture
def sweep(pacific: MgrWorld, monkeypatch: pytest.MonkeyPatch) -> Any:
    from perf_bench.programs import clean_up

    def swept(pool: Pool) -> dict[str, int]:
        library = Library(pool)
        monkeypatch.setattr(clean_up, "open_client", lambda *_words: pool)
        monkeypatch.setattr(ctypes, "CDLL", lambda _name: library)
        access = {"name": "mgr.x", "keyring": "", "mon_host": "m"}
        try:
            return clean_up.sweep(ORDER, access)
        finally:
            assert library.open == []

    return swept


def test_what_clients_left_is_removed_and_listed_once(sweep: Any) -> None:
    names = [f"benchmark_data_host_{number}" for number in range(100)]
    pool = Pool(*names, "client-0")
    assert sweep(pool) == {"removed": 101, "left": 0}
    assert pool.names == []
    assert pool.listed == 1
    assert pool.asked == [7, "round-1", "full try", 7, "round-1"]  # and the listing's own client


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


@pytest.mark.parametrize("code", [errno.ETIMEDOUT, errno.EPERM])
def test_a_listing_that_fails_half_way_is_no_clean_up(sweep: Any, code: int) -> None:
    pool = Pool("client-0", "client-1")
    pool.end, pool.most = -code, 1
    with pytest.raises(CommandFailed, match=r"^the clean-up failed: ") as failed:
        sweep(pool)
    assert failed.value.errno == code
    assert pool.names == ["client-1"]
