"""The namespace in RADOS where workers and the mgr's side meet.

Nothing but reads, writes, watch and notify of objects in it, so that a key with ``allow rw`` on
the bench's pool will do.

A pool that is full refuses what would grow it, at once (``NoRoom``), and takes all else. Values are
attributes of their objects, which no quota counts: once an object is there they can always change.
"""

from __future__ import annotations

import contextlib
import errno
import json
import uuid
from collections.abc import Iterator, Mapping
from typing import Any, Callable, Optional

import rados

from ..errors import CommandFailed
from ..model.pool import POOL
from ..model.worker import NAMESPACE, SAID_PREFIX

# A notify is delivered at once; this long it is waited for those who do not answer.
_NOTIFY_MS = 1000
_MOST_BYTES = 1 << 20
# The attribute of an object that holds its values.
_VALUES = "values"
_FULL = {errno.ENOSPC: "is full", errno.EDQUOT: "has reached its quota"}

# What came by notify, when (unix seconds).
Heard = Callable[[Mapping[str, Any]], None]


class NoRoom(CommandFailed):
    """The pool is full or at its quota."""


class Place:
    """The place, over a connected client. Every call raises CommandFailed where RADOS fails."""

    def __init__(self, client: rados.Rados) -> None:
        with _failures():
            try:
                self._ioctx = client.open_ioctx(POOL)
            except rados.ObjectNotFound as error:
                raise CommandFailed(errno.ENOENT, f"there is no pool {POOL}") from error
            self._ioctx.set_namespace(NAMESPACE)
            # Else librados holds back each write until there is room.
            self._ioctx.set_osdmap_full_try()
        self._watches: list[rados.Watch] = []
        # True as soon as a watch was lost: this place hears nothing any more.
        self.deaf = False

    def close(self) -> None:
        self.unwatch()
        self._ioctx.close()

    def read(self, name: str) -> Optional[Mapping[str, Any]]:
        """The values of an object; None where there are none, or no sense in them."""
        with _failures():
            try:
                data = self._ioctx.get_xattr(name, _VALUES)
            except (rados.ObjectNotFound, rados.NoData):
                return None
        try:
            found = json.loads(data)
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
        """Raises NoRoom only where there is no such object yet."""
        with _writing():
            self._ioctx.set_xattr(name, _VALUES, json.dumps(values).encode())

    def write_at(self, name: str, data: bytes, offset: int) -> None:
        """Bytes of an object, beside its values. Raises NoRoom.

        The same again changes nothing: what timed out may have been written all the same.
        """
        with _writing():
            self._ioctx.write(name, data, offset)

    def remove(self, name: str) -> None:
        with _failures(), contextlib.suppress(rados.ObjectNotFound):
            self._ioctx.remove_object(name)

    def names(self, prefix: str) -> list[str]:
        with _failures():
            found = [one.key for one in self._ioctx.list_objects()]
        return [name for name in found if name.startswith(prefix)]

    def watch(self, name: str, heard: Heard) -> None:
        """Hear what is said by notify there, on a thread of librados; made where it is missing.

        Raises NoRoom.
        """

        def came(_notify: int, _who: int, _watch: int, data: bytes) -> None:
            with contextlib.suppress(ValueError):
                values = json.loads(data)
                if isinstance(values, dict):
                    heard(values)

        def lost(_watch: int) -> None:
            self.deaf = True

        self._check_room()
        with _writing():
            self._ioctx.write(name, b"", 0)
            self._watches.append(self._ioctx.watch(name, came, lost))

    def unwatch(self) -> None:
        """Hear nothing any more; where the pool is full this takes as long as a failure does."""
        while self._watches:
            with contextlib.suppress(rados.Error):
                self._watches.pop().close()

    def _check_room(self) -> None:
        """Of all writes a watch alone waits in a full pool, for ever. Raises NoRoom."""
        name = f"{SAID_PREFIX}{uuid.uuid4().hex}"  # one that is left is swept by the next run
        self.write(name, {})
        self.remove(name)

    def notify(self, name: str, values: Mapping[str, Any]) -> None:
        """Say it to all who watch; who does not answer, or is not there, is nobody's error."""
        with contextlib.suppress(rados.Error):
            self._ioctx.notify(name, json.dumps(values), _NOTIFY_MS)


@contextlib.contextmanager
def _writing() -> Iterator[None]:
    """A write makes its object where there is none; only a pool can be missing."""
    with _failures():
        try:
            yield
        except rados.ObjectNotFound as error:
            raise CommandFailed(errno.ENOENT, f"the pool {POOL} has gone") from error


@contextlib.contextmanager
def _failures() -> Iterator[None]:
    """RADOS's errors as one of ours."""
    try:
        yield
    except rados.Error as error:
        code = abs(error.errno or errno.EIO)
        if code in _FULL:
            raise NoRoom(code, f"the pool {POOL} {_FULL[code]}") from error
        if code in (errno.EPERM, errno.EACCES):
            caps = f"osd 'allow rw pool={POOL}'"
            raise CommandFailed(code, f"the key has no permission here: it needs {caps}") from error
        raise CommandFailed(code, f"RADOS says: {error}") from error
