"""The namespace in RADOS where workers and the mgr's side meet.

Nothing but reads, writes, watch and notify of objects in it, so that a key with ``allow rw`` on
the bench's pool will do.

Nothing is listed, for that asks every placement group of the pool, of which there may be 32,768.

A pool that is full refuses what would grow it, at once (``NoRoom``), and takes all else. Values are
attributes of their objects, which no quota counts: once an object is there they can always change.
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
from ...model.worker import NAMESPACE, SECRET, SECRETS, secret_key
from .untrusted import MOST_WORKERS, message

# Maximum wait for notify acknowledgements.
_NOTIFY_MS = 1000
_MOST_BYTES = 1 << 20
_MOST_SECRETS = 4 << 20
# The attribute of an object that holds its values.
_VALUES = "values"
# An object that is there for a moment, to see whether there is room.
ROOM = "room"
_FULL = {errno.ENOSPC: "is full", errno.EDQUOT: "has reached its quota"}

# Watches that could not be taken back, as with a cluster that is gone: librados has let go of them
# all the same, and their destructor would free them once more and take the process along.
_ENDED: list[rados.Watch] = []

# What came by notify, when (unix seconds).
Heard = Callable[[Mapping[str, Any]], None]


class NoRoom(CommandFailed):
    """The pool is full or at its quota."""


class PendingWrite:
    """A write that is under way; ``end`` waits for it and raises what ``Place.write`` would."""

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
    """The place, over a connected client. Every call raises CommandFailed where RADOS fails."""

    def __init__(self, client: rados.Rados, pool: str = POOL, namespace: str = NAMESPACE) -> None:
        self._pool = pool
        self._client = client
        with self._failures():
            try:
                self._ioctx = client.open_ioctx(pool)
            except rados.ObjectNotFound as error:
                raise CommandFailed(errno.ENOENT, f"there is no pool {pool}") from error
            self._ioctx.set_namespace(namespace)
            # Else librados holds back each write until there is room.
            self._ioctx.set_osdmap_full_try()
        self._watches: list[rados.Watch] = []
        # True as soon as a watch was lost: this place hears nothing any more.
        self.watch_lost = False

    def close(self) -> None:
        self.unwatch()
        self._ioctx.close()

    def secret(self, worker: str) -> Optional[str]:
        """The secret of that worker at the monitors; None where there is none, or not for us.

        A key that may do so, as client.admin's, makes the secret where there is none.
        """
        key = secret_key(worker)
        code, out = self._ask_monitors("config-key get", key=key)
        if code == errno.ENOENT:
            self._ask_monitors("config-key set", key=key, val=token_hex(32))
            _, out = self._ask_monitors("config-key get", key=key)
        found = out.decode("ascii", "replace").strip()
        return found if SECRET.fullmatch(found) else None

    def secrets(self) -> Mapping[str, str]:
        """By worker the secret of each that has one; for the mgr's side."""
        _, out = self._ask_monitors("config-key dump", key=SECRETS)
        found = message(out, _MOST_SECRETS) or {}
        return {
            key[len(SECRETS) :]: value
            for key, value in found.items()
            if key.startswith(SECRETS) and isinstance(value, str) and SECRET.fullmatch(value)
        }

    def _ask_monitors(self, prefix: str, **arguments: str) -> tuple[int, bytes]:
        """Their answer, with ENOENT where there is nothing, EACCES or EPERM where we may not."""
        words = json.dumps({"prefix": prefix, "format": "json", **arguments})
        with self._failures():
            code, out, why = self._client.mon_command(words, b"")
        if code and -code not in (errno.ENOENT, errno.EACCES, errno.EPERM):
            raise CommandFailed(-code, f"{prefix} {arguments['key']}: {why}")
        return -code, bytes(out)

    def read(self, name: str) -> Optional[Mapping[str, Any]]:
        """The values of an object; None where there are none that ``untrusted`` takes."""
        return self.notes(name).get(_VALUES)

    def notes(self, name: str) -> dict[str, Mapping[str, Any]]:
        """Values of an object by their names, of so many as there may be workers."""
        with self._failures():
            try:
                found = list(itertools.islice(_named(self._ioctx.get_xattrs(name)), MOST_WORKERS))
            except rados.ObjectNotFound:
                return {}
        values = ((key, message(data)) for key, data in found)
        return {key: value for key, value in values if value is not None}

    def read_from(self, wanted: Sequence[tuple[str, int]]) -> list[bytes]:
        """The bytes of each object from there on; none where there is no object.

        All at once: on a saturated cluster each may take seconds.
        """
        found = [b""] * len(wanted)

        def keep(place: int) -> Callable[[object, Optional[bytes]], None]:
            def came(_completion: object, data: Optional[bytes]) -> None:
                found[place] = data or b""

            return came

        with self._failures():
            flying = [
                self._ioctx.aio_read(name, _MOST_BYTES, offset, keep(place))
                for place, (name, offset) in enumerate(wanted)
            ]
        for place, completion in enumerate(flying):
            completion.wait_for_complete_and_cb()
            count = completion.get_return_value()
            if count < 0 and count != -errno.ENOENT:
                raise self._failure(-count)
            found[place] = found[place][: max(0, count)]  # of none the binding makes as many zeros
        return found

    def write(self, name: str, values: Mapping[str, Any]) -> None:
        """Raises NoRoom only where there is no such object yet."""
        self.note(name, _VALUES, values)

    def begin_write(self, name: str, values: Mapping[str, Any]) -> PendingWrite:
        """The same without waiting, for a saturated cluster may take seconds."""
        return self.begin_note(name, _VALUES, values)

    def note(self, name: str, key: str, values: Mapping[str, Any]) -> None:
        """Values under a name, beside others."""
        self.begin_note(name, key, values).end()

    def begin_note(self, name: str, key: str, values: Mapping[str, Any]) -> PendingWrite:
        data = json.dumps(values).encode()
        return self._flight(lambda: self._ioctx.aio_setxattr(name, key, data))

    def forget(self, name: str, key: str) -> None:
        with self._failures(), contextlib.suppress(rados.ObjectNotFound, rados.NoData):
            self._ioctx.rm_xattr(name, key)

    def begin_write_at(self, name: str, data: bytes, offset: int) -> PendingWrite:
        """Bytes of an object, beside its values; the flight's end raises NoRoom.

        The same again changes nothing: what timed out may have been written all the same.
        """
        return self._flight(lambda: self._ioctx.aio_write(name, data, offset))

    def _flight(self, begin: Callable[[], rados.Completion]) -> PendingWrite:
        with self._writing():
            return PendingWrite(begin(), self._check_written)

    def _check_written(self, code: int) -> None:
        if code < 0:
            raise self._gone() if code == -errno.ENOENT else self._failure(-code)

    def remove(self, name: str) -> None:
        with self._failures(), contextlib.suppress(rados.ObjectNotFound):
            self._ioctx.remove_object(name)

    def watch(self, name: str, heard: Heard) -> None:
        """Hear what is said by notify there, on a thread of librados; made where it is missing.

        Raises NoRoom.
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
        """Hear nothing any more; where the pool is full this takes as long as a failure does."""
        while self._watches:
            watch = self._watches.pop()
            try:
                watch.close()
            except rados.Error:
                _ENDED.append(watch)

    def check_room(self) -> None:
        """Raise NoRoom where clients, and of all writes here a watch alone, wait for ever."""
        self.remove(ROOM)  # one that was left there
        self.write(ROOM, {})
        self.remove(ROOM)

    def notify(self, name: str, values: Mapping[str, Any]) -> None:
        """Say it to all who watch; who does not answer, or is not there, is nobody's error."""
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
        """A write makes its object where there is none; only a pool can be missing."""
        return CommandFailed(errno.ENOENT, f"the pool {self._pool} has gone")

    def _failure(self, code: int, said: object = None) -> CommandFailed:
        """An error of RADOS as one of ours."""
        if code in _FULL:
            return NoRoom(code, f"the pool {self._pool} {_FULL[code]}")
        if code in (errno.EPERM, errno.EACCES):
            needs = f"it needs osd 'allow rw pool={self._pool}'"
            return CommandFailed(code, f"the key has no permission here: {needs}")
        return CommandFailed(code, f"RADOS says: {said or os.strerror(code)}")


def _named(found: Iterator[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    """Values with their names; one whose name is no text is passed over."""
    values = iter(found)
    while True:
        try:
            yield next(values)
        except StopIteration:
            return
        except UnicodeDecodeError:
            continue
