"""Removing the objects for reads."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import errno
import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Optional

import pytest

from fakes.ceph import MgrWorld
from perf_bench.errors import CommandFailed
from perf_bench.model.rados import POOL

if TYPE_CHECKING:
    from perf_bench.programs.read_osds import ObjectReader


class Pool:
    """A client and its pool at once, with a listing that fails with ``code`` after two names."""

    def __init__(self) -> None:
        self.names = ["a", "b", "c"]
        # An object that is listed, and gone when it is removed.
        self.gone: Optional[str] = None
        self.code = 0
        self.pools = [{"pool_name": POOL, "pool_id": 7}]

    def mon_command(self, *_words: Any) -> tuple[int, bytes, str]:
        return 0, json.dumps(self.pools).encode(), ""

    def list(self, *words: Any) -> Iterator[str]:
        """As ``c_client.object_names``."""
        assert words == ("mgr.x", "ring", "mon", 30.0, 7, "reads")
        yield from self.names[: 2 if self.code else None]
        if self.code:
            raise CommandFailed(self.code, "the OSD does not answer")

    def list_objects(self) -> Iterator[Any]:
        """As the binding: whatever ends the listing, an error too, is its end."""
        return iter([SimpleNamespace(key=name) for name in self.names[: 2 if self.code else None]])

    def open_ioctx(self, name: str) -> Pool:
        return self

    open_ioctx2 = open_ioctx

    def set_namespace(self, namespace: str) -> None:
        assert namespace == "reads"

    def remove_object(self, name: str) -> None:
        import rados

        self.names.remove(name)
        if name == self.gone:
            raise rados.ObjectNotFound("gone")

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_words: object) -> None: ...


@pytest.fixture
def pool() -> Pool:
    return Pool()


@pytest.fixture
def reader(pacific: MgrWorld, pool: Pool, monkeypatch: pytest.MonkeyPatch) -> ObjectReader:
    from perf_bench.programs import read_osds

    monkeypatch.setattr(read_osds, "open_client", lambda *_words: pool)
    monkeypatch.setattr(read_osds, "object_names", pool.list)
    monkeypatch.setattr(read_osds, "librados", _no_library)
    return read_osds.ObjectReader("mgr.x", "ring", "mon", 30.0)


def _no_library() -> Any:
    calls = ("create_read_op", "release_read_op", "read_op_checksum", "read_op_set_flags")
    return SimpleNamespace(**{f"rados_{name}": SimpleNamespace() for name in calls})


@pytest.mark.parametrize("gone", [None, "b"])
def test_all_are_removed(reader: ObjectReader, pool: Pool, gone: Optional[str]) -> None:
    pool.gone = gone
    assert reader.remove() == {"removed": 3}
    assert pool.names == []
    pool.pools = []
    assert reader.remove() == {"removed": 0}


def test_a_listing_that_fails_half_way_is_not_the_end(reader: ObjectReader, pool: Pool) -> None:
    """What it has shown is removed, and the rest is not taken for nothing."""
    pool.code = errno.ETIMEDOUT
    with pytest.raises(CommandFailed, match="the OSD does not answer"):
        reader.remove()
    assert pool.names[-1:] == ["c"]
