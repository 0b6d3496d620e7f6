"""RADOS as workers use it: one pool that can be full, watch and notify, links that can be cut."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Callable, Optional

from .ceph.rados import Error, NoData, ObjectNotFound, TimedOut

Callback = Callable[[int, int, int, bytes], None]
# What an operation over a link that is cut waits for.
CUT_SECONDS = 0.05


class Meeting:
    """The objects by (namespace, name), who watches them, and whose links are cut.

    ``full`` is the errno with which a pool refuses to grow, 0 for one that has room. ``barred``
    are clients that may read alone.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.objects: dict[tuple[str, str], bytes] = {}
        self.values: dict[tuple[str, str, str], bytes] = {}
        self.watches: list[Watch] = []
        self.cut: set[str] = set()
        self.pool = True
        self.full = 0
        self.barred: set[str] = set()
        # Watches that were closed again after a failure; real ones take the process along.
        self.freed_twice = 0

    def client(self, name: str) -> Rados:
        return Rados(self, name)

    @contextmanager
    def installed(self) -> Iterator[None]:
        """While this lasts ``import rados`` finds the errors of this one."""
        module = ModuleType("rados")
        vars(module).update(
            Error=Error, NoData=NoData, ObjectNotFound=ObjectNotFound, TimedOut=TimedOut,
            Rados=Rados, Ioctx=Ioctx, Watch=Watch,
        )  # fmt: skip
        before = sys.modules.get("rados")
        sys.modules["rados"] = module
        try:
            yield
        finally:
            # Ours derive from it: they are imported anew for the next.
            for name in [n for n in sys.modules if n.startswith("perf_bench.workers.")]:
                del sys.modules[name]
                delattr(sys.modules["perf_bench.workers"], name.rpartition(".")[2])
            del sys.modules["rados"]
            if before is not None:
                sys.modules["rados"] = before


class Rados:
    """A client, by a name by which its link can be cut."""

    def __init__(self, meeting: Meeting, name: str) -> None:
        self.meeting = meeting
        self.name = name

    def open_ioctx(self, pool: str) -> Ioctx:
        if not self.meeting.pool:
            raise ObjectNotFound(f"error opening pool '{pool}'", 2)
        return Ioctx(self)


class Completion:
    """An operation that is over."""

    def __init__(
        self, code: int, came: Callable[[object, Optional[bytes]], None], data: Optional[bytes]
    ) -> None:
        self._code = code
        came(self, data)

    def wait_for_complete_and_cb(self) -> None: ...

    def get_return_value(self) -> int:
        return self._code


class Ioctx:
    def __init__(self, client: Rados) -> None:
        self._client = client
        self._meeting = client.meeting
        self._namespace = ""
        self._full_try = False

    def set_osdmap_full_try(self) -> None:
        self._full_try = True

    def set_namespace(self, namespace: str) -> None:
        self._namespace = namespace

    def close(self) -> None:
        pass

    def aio_read(
        self,
        object_name: str,
        length: int,
        offset: int,
        oncomplete: Callable[[object, Optional[bytes]], None],
    ) -> Completion:
        try:
            with self._linked() as objects:
                data = objects.get((self._namespace, object_name))
        except Error as error:
            return Completion(-(error.errno or 5), oncomplete, None)
        if data is None:
            return Completion(-2, oncomplete, None)
        part = data[offset : offset + length]
        # At the end the real one hands over a buffer of so many bytes.
        return Completion(len(part), oncomplete, part or bytes(length))

    def get_xattrs(self, oid: str) -> Iterator[tuple[str, bytes]]:
        with self._linked() as objects:
            if (self._namespace, oid) not in objects:
                raise ObjectNotFound(f"no object {oid}", 2)
            values = list(self._meeting.values.items())
        return iter([(key[2], data) for key, data in values if key[:2] == (self._namespace, oid)])

    def rm_xattr(self, key: str, xattr_name: str) -> bool:
        with self._linked():
            if self._meeting.values.pop((self._namespace, key, xattr_name), None) is None:
                raise NoData(f"no attribute {xattr_name}", 61)
        return True

    def set_xattr(self, key: str, xattr_name: str, xattr_value: bytes) -> bool:
        with self._linked() as objects:
            self._check_write((self._namespace, key) not in objects)
            objects.setdefault((self._namespace, key), b"")
            self._meeting.values[self._namespace, key, xattr_name] = bytes(xattr_value)
        return True

    def write(self, key: str, data: bytes, offset: int = 0) -> int:
        with self._linked() as objects:
            before = objects.get((self._namespace, key))
            self._check_write(before is None or offset + len(data) > len(before))
            there = bytearray(before or b"")
            there.extend(bytes(max(0, offset - len(there))))
            there[offset : offset + len(data)] = data
            objects[self._namespace, key] = bytes(there)
        return 0

    def remove_object(self, key: str) -> bool:
        with self._linked() as objects:
            if objects.pop((self._namespace, key), None) is None:
                raise ObjectNotFound(f"no object {key}", 2)
            values = self._meeting.values
            for place in [place for place in values if place[:2] == (self._namespace, key)]:
                del values[place]
        return True

    def watch(
        self, obj: str, callback: Callback, error: Optional[Callable[[int], None]] = None
    ) -> Watch:
        with self._linked() as objects:
            if (self._namespace, obj) not in objects:
                raise ObjectNotFound(f"no object {obj}", 2)
            assert not self._meeting.full, "a watch waits in a full pool for ever"
            found = Watch(self._client, (self._namespace, obj), callback)
            self._meeting.watches.append(found)
        return found

    def notify(self, obj: str, msg: str = "", timeout_ms: int = 5000) -> bool:
        with self._linked():
            there = [w for w in self._meeting.watches if w.object == (self._namespace, obj)]
        for watch in there:
            if watch.client.name not in self._meeting.cut:
                thread = threading.Thread(target=watch.callback, args=(1, 1, 1, msg.encode()))
                thread.start()
                thread.join()
        if any(watch.client.name in self._meeting.cut for watch in there):
            raise TimedOut("who watches does not answer", 110)
        return True

    def _check_write(self, grows: bool) -> None:
        if self._client.name in self._meeting.barred:
            raise Error("RADOS permission error", 1)
        if self._meeting.full and not self._full_try:
            raise TimedOut("no answer", 110)
        if self._meeting.full and grows:
            raise Error("no room", self._meeting.full)

    @contextmanager
    def _linked(self) -> Iterator[dict[tuple[str, str], bytes]]:
        if self._client.name in self._meeting.cut:
            time.sleep(CUT_SECONDS)
            raise TimedOut("no answer", 110)
        with self._meeting.lock:
            if not self._meeting.pool:
                raise ObjectNotFound("no such pool", 2)
            yield self._meeting.objects


class Watch:
    """As the binding has it: what fails to close is closed, and its destructor closes it again."""

    def __init__(self, client: Rados, object_: tuple[str, str], callback: Callback) -> None:
        self.client = client
        self.object = object_
        self.callback = callback
        self._open = True

    def close(self) -> None:
        meeting = self.client.meeting
        meeting.freed_twice += not self._open
        self._open = False
        meeting.watches.remove(self)
        if self.client.name in meeting.cut or not meeting.pool:
            raise TimedOut("unwatch error", 110)
        self._closed = True

    def __del__(self) -> None:
        if not hasattr(self, "_closed"):
            self.close()
