"""The RADOS namespace through which workers and the mgr's coordinator communicate.

It uses only read, write, watch and notify of objects, so a key with ``allow rw`` on the bench's
pool is enough. It lists no objects: that would query every placement group of the pool, up to
32,768.

A full pool rejects writes that would grow it at once (``NoRoom``) and accepts all others. Values
are attributes of objects, which no quota counts: they can change once the object exists.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from secrets import token_hex
from typing import Any, Callable, Optional

import rados

from ...errors import CommandFailed
from ...model.pool import POOL
from ...model.worker import NAMESPACE, SECRET, SECRETS, VALUES, secret_key
from .untrusted import MOST_WORKERS, message

# Maximum wait for notify acknowledgements.
_NOTIFY_MS = 1000
_MOST_BYTES = 1 << 20
_MOST_SECRETS = 4 << 20
# A temporary object: writing it tests whether the pool has room.
ROOM = "room"
_FULL = {errno.ENOSPC: "is full", errno.EDQUOT: "has reached its quota"}

# Watches whose close failed, for example without a connection. librados has freed them already;
# a reference is kept because their destructor would free them again and crash the process.
_ENDED: list[rados.Watch] = []

# Called with the values of each notification.
Heard = Callable[[Mapping[str, Any]], None]


class NoRoom(CommandFailed):
    """The pool is full or at its quota."""


class PendingWrite:
    """A pending write; ``end`` waits for it and raises what ``RadosChannel.write`` raises."""

    def __init__(self, completion: rados.Completion, end: Callable[[int], None]) -> None:
        self._completion = completion
        self._end = end

    @property
    def over(self) -> bool:
        return self._completion.is_complete()

    def end(self) -> None:
        self._completion.wait_for_complete()
        self._end(self._completion.get_return_value())


class RadosChannel:
    """The channel over a connected client. Every call raises CommandFailed if RADOS fails."""

    def __init__(self, client: rados.Rados, pool: str = POOL, namespace: str = NAMESPACE) -> None:
        self._pool = pool
        self._client = client
        with self._failures():
            try:
                self._ioctx = client.open_ioctx(pool)
            except rados.ObjectNotFound as error:
                raise CommandFailed(errno.ENOENT, f"there is no pool {pool}") from error
            self._ioctx.set_namespace(namespace)
            # Without this librados blocks each write until there is room.
            self._ioctx.set_osdmap_full_try()
        self._watches: list[rados.Watch] = []
        # True after a watch was lost: no more notifications arrive.
        self.watch_lost = False

    def close(self) -> None:
        self.unwatch()
        self._ioctx.close()

    def secret(self, worker: str) -> Optional[str]:
        """Return the worker's secret from the monitors; None if there is none or no permission.

        Creates a missing secret if the key may do so, as client.admin's may.
        """
        key = secret_key(worker)
        code, out = self._ask_monitors("config-key get", key=key)
        if code == errno.ENOENT:
            self._ask_monitors("config-key set", key=key, val=token_hex(32))
            _, out = self._ask_monitors("config-key get", key=key)
        found = out.decode("ascii", "replace").strip()
        return found if SECRET.fullmatch(found) else None

    def secrets(self) -> Mapping[str, str]:
        """Return the secrets of all workers by ID; only the mgr may read them."""
        _, out = self._ask_monitors("config-key dump", key=SECRETS)
        found = message(out, _MOST_SECRETS) or {}
        return {
            key[len(SECRETS) :]: value
            for key, value in found.items()
            if key.startswith(SECRETS) and isinstance(value, str) and SECRET.fullmatch(value)
        }

    def _ask_monitors(self, prefix: str, **arguments: str) -> tuple[int, bytes]:
        """Return (errno, output) of a monitor command.

        The errno is ENOENT if the key does not exist, EACCES or EPERM without permission. Raises
        CommandFailed for any other error.
        """
        words = json.dumps({"prefix": prefix, "format": "json", **arguments})
        with self._failures():
            code, out, why = self._client.mon_command(words, b"")
        if code and -code not in (errno.ENOENT, errno.EACCES, errno.EPERM):
            raise CommandFailed(-code, f"{prefix} {arguments['key']}: {why}")
        return -code, bytes(out)

    def read(self, name: str) -> Optional[Mapping[str, Any]]:
        """Return the values of an object; None if there are none or they are invalid."""
        return self.notes(name).get(VALUES)

    def notes(self, name: str) -> dict[str, Mapping[str, Any]]:
        """Return the values of an object by name, at most ``MOST_WORKERS``."""
        with self._failures():
            try:
                found = list(itertools.islice(_named(self._ioctx.get_xattrs(name)), MOST_WORKERS))
            except rados.ObjectNotFound:
                return {}
        values = ((key, message(data)) for key, data in found)
        return {key: value for key, value in values if value is not None}

    def read_from(self, wanted: Sequence[tuple[str, int]]) -> list[bytes]:
        """Return the bytes of each (object, offset); empty if the object does not exist.

        The reads run in parallel: on a saturated cluster each may take seconds.
        """
        found = [b""] * len(wanted)

        def keep(index: int) -> Callable[[object, Optional[bytes]], None]:
            def came(_completion: object, data: Optional[bytes]) -> None:
                found[index] = data or b""

            return came

        with self._failures():
            reads = [
                self._ioctx.aio_read(name, _MOST_BYTES, offset, keep(index))
                for index, (name, offset) in enumerate(wanted)
            ]
        for index, completion in enumerate(reads):
            completion.wait_for_complete_and_cb()
            count = completion.get_return_value()
            if count < 0 and count != -errno.ENOENT:
                raise self._failure(-count)
            # Without data the binding returns a buffer of zeros.
            found[index] = found[index][: max(0, count)]
        return found

    def write(self, name: str, values: Mapping[str, Any]) -> None:
        """Replace the values of an object. Raises NoRoom only if the object does not exist yet."""
        self.note(name, VALUES, values)

    def begin_write(self, name: str, values: Mapping[str, Any]) -> PendingWrite:
        """Begin the same without waiting: a saturated cluster may take seconds."""
        return self.begin_note(name, VALUES, values)

    def note(self, name: str, key: str, values: Mapping[str, Any]) -> None:
        """Write values under ``key`` and keep the object's other keys."""
        self.begin_note(name, key, values).end()

    def begin_note(self, name: str, key: str, values: Mapping[str, Any]) -> PendingWrite:
        data = json.dumps(values).encode()
        return self._begin(lambda: self._ioctx.aio_setxattr(name, key, data))

    def forget(self, name: str, key: str) -> None:
        with self._failures(), contextlib.suppress(rados.ObjectNotFound, rados.NoData):
            self._ioctx.rm_xattr(name, key)

    def begin_write_at(self, name: str, data: bytes, offset: int) -> PendingWrite:
        """Begin writing bytes of an object; ``PendingWrite.end`` raises NoRoom.

        A repeated write changes nothing: a write that timed out may have been applied.
        """
        return self._begin(lambda: self._ioctx.aio_write(name, data, offset))

    def _begin(self, begin: Callable[[], rados.Completion]) -> PendingWrite:
        with self._writing():
            return PendingWrite(begin(), self._check_written)

    def _check_written(self, code: int) -> None:
        if code < 0:
            raise self._gone() if code == -errno.ENOENT else self._failure(-code)

    def remove(self, name: str) -> None:
        with self._failures(), contextlib.suppress(rados.ObjectNotFound):
            self._ioctx.remove_object(name)

    def watch(self, name: str, heard: Heard) -> None:
        """Call ``heard`` on a thread of librados for each notification of the object.

        Creates the object if it does not exist. Raises NoRoom.
        """

        def came(_notify: int, _who: int, _watch: int, data: bytes) -> None:
            values = message(data)
            if values is not None:
                heard(values)

        def lost(_watch: int) -> None:
            self.watch_lost = True

        self.check_room()
        with self._writing():
            self._ioctx.write(name, b"", 0)
            self._watches.append(self._ioctx.watch(name, came, lost))

    def unwatch(self) -> None:
        """End all watches. In a full pool this takes until the operation times out."""
        while self._watches:
            watch = self._watches.pop()
            try:
                watch.close()
            except rados.Error:
                _ENDED.append(watch)

    def check_pool(self) -> None:
        """Raise CommandFailed if no pool has the name: the keys of workers are for it alone."""
        with self._failures():
            if self._client.pool_lookup(self._pool) is None:
                raise self._gone()

    def check_room(self) -> None:
        """Raise NoRoom if the pool is full: a watch, as clients' writes, would block for ever."""
        self.remove(ROOM)  # a leftover
        self.write(ROOM, {})
        self.remove(ROOM)

    def notify(self, name: str, values: Mapping[str, Any]) -> None:
        """Notify all watchers. Missing acknowledgements and errors are ignored."""
        with contextlib.suppress(rados.Error):
            self._ioctx.notify(name, json.dumps(values), _NOTIFY_MS)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        with self._failures():
            try:
                yield
            except rados.ObjectNotFound as error:
                raise self._gone() from error

    @contextlib.contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except rados.Error as error:
            raise self._failure(abs(error.errno or errno.EIO), error) from error

    def _gone(self) -> CommandFailed:
        """Return the error of a missing pool: a write creates its object, so only that is left."""
        return CommandFailed(errno.ENOENT, f"the pool {self._pool} has gone")

    def _failure(self, code: int, reason: object = None) -> CommandFailed:
        """Return a RADOS error as CommandFailed or NoRoom."""
        if code in _FULL:
            return NoRoom(code, f"the pool {self._pool} {_FULL[code]}")
        if code in (errno.EPERM, errno.EACCES):
            needs = f"it needs osd 'allow rw pool={self._pool}'"
            return CommandFailed(code, f"the key has no permission here: {needs}")
        return CommandFailed(code, f"RADOS says: {reason or os.strerror(code)}")


def _named(found: Iterator[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    """Yield values with their names; skip names that are not valid text."""
    values = iter(found)
    while True:
        try:
            yield next(values)
        except StopIteration:
            return
        except UnicodeDecodeError:
            continue
