"""The namespace in RADOS where workers and the mgr's side meet.

Nothing but reads, writes, watch and notify of objects in it, so that a key with ``allow rw`` on
the bench's pool will do.
"""

from __future__ import annotations

import contextlib
import errno
import json
from collections.abc import Iterator, Mapping
from typing import Any, Callable, Optional

import rados

from ..errors import CommandFailed
from ..model.pool import POOL
from ..model.worker import NAMESPACE

# A notify is delivered at once; this long it is waited for those who do not answer.
_NOTIFY_MS = 1000
_MOST_BYTES = 1 << 20

# What came by notify, when (unix seconds).
Heard = Callable[[Mapping[str, Any]], None]


class Place:
    """The place, over a connected client. Every call raises CommandFailed where RADOS fails."""

    def __init__(self, client: rados.Rados) -> None:
        with _failures():
            self._ioctx = client.open_ioctx(POOL)
            self._ioctx.set_namespace(NAMESPACE)
        self._watches: list[rados.Watch] = []
        # True as soon as a watch was lost: this place hears nothing any more.
        self.deaf = False

    def close(self) -> None:
        with contextlib.suppress(rados.Error):
            for watch in self._watches:
                watch.close()
        self._ioctx.close()

    def read(self, name: str) -> Optional[Mapping[str, Any]]:
        """The JSON object of that name; None where there is none, or no sense in it."""
        data = self.read_from(name, 0)
        try:
            found = json.loads(data) if data else None
        except ValueError:
            return None
        return found if isinstance(found, dict) else None

    def read_from(self, name: str, offset: int) -> bytes:
        """The bytes of an object from there on; none where there is no object."""
        with _failures():
            try:
                return self._ioctx.read(name, _MOST_BYTES, offset)
            except rados.ObjectNotFound:
                return b""

    def write(self, name: str, values: Mapping[str, Any]) -> None:
        with _failures():
            self._ioctx.write_full(name, json.dumps(values).encode())

    def write_at(self, name: str, data: bytes, offset: int) -> None:
        """The same again changes nothing: what timed out may have been written all the same."""
        with _failures():
            self._ioctx.write(name, data, offset)

    def remove(self, name: str) -> None:
        with _failures(), contextlib.suppress(rados.ObjectNotFound):
            self._ioctx.remove_object(name)

    def names(self, prefix: str) -> list[str]:
        with _failures():
            found = [one.key for one in self._ioctx.list_objects()]
        return [name for name in found if name.startswith(prefix)]

    def watch(self, name: str, heard: Heard) -> None:
        """Hear what is said by notify there, on a thread of librados; made where it is missing."""

        def came(_notify: int, _who: int, _watch: int, data: bytes) -> None:
            with contextlib.suppress(ValueError):
                values = json.loads(data)
                if isinstance(values, dict):
                    heard(values)

        def lost(_watch: int) -> None:
            self.deaf = True

        with _failures():
            self._ioctx.write(name, b"", 0)
            self._watches.append(self._ioctx.watch(name, came, lost))

    def notify(self, name: str, values: Mapping[str, Any]) -> None:
        """Say it to all who watch; who does not answer, or is not there, is nobody's error."""
        with contextlib.suppress(rados.Error):
            self._ioctx.notify(name, json.dumps(values), _NOTIFY_MS)


@contextlib.contextmanager
def _failures() -> Iterator[None]:
    """RADOS's errors as one of ours."""
    try:
        yield
    except rados.Error as error:
        code = error.errno or errno.EIO
        raise CommandFailed(abs(code), f"RADOS says: {error}") from error
