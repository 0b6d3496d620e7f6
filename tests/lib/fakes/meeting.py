"""RADOS as workers use it: one pool that can be full, watch and notify, links that can be cut."""

from __future__ import annotations

import json
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
    are clients that may read alone. ``latency`` are the seconds of an operation.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.objects: dict[tuple[str, str], bytes] = {}
        self.values: dict[tuple[str, str, str], bytes] = {}
        self.watches: list[Watch] = []
        self.cut: set[str] = set()
        self.pool = True
        # Whether the pool has another name now; clients that have it open go on with its ID.
        self.renamed = False
        self.full = 0
        self.latency = 0.0
        self.barred: set[str] = set()
        # The monitors' store of keys, and by client the keys that it may read; all where not named.
        self.keys: dict[str, str] = {}
        self.readable: dict[str, set[str]] = {}
        # Clients whose key may write them.
        self.administrators: set[str] = set()
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
            for name in [n for n in sys.modules if n.startswith("perf_bench.loadgen.workers.")]:
                del sys.modules[name]
                delattr(sys.modules["perf_bench.loadgen.workers"], name.rpartition(".")[2])
            del sys.modules["rados"]
            if before is not None:
                sys.modules["rados"] = before


class Rados:
    """A client, by a name by which its link can be cut."""

    def __init__(self, meeting: Meeting, name: str) -> None:
        self.meeting = meeting
        self.name = name

    def mon_command(self, cmd: str, inbuf: bytes) -> tuple[int, bytes, str]:
        order = json.loads(cmd)
        key, keys = order["key"], self.meeting.keys
        if key not in self.meeting.readable.get(self.name, {key}):
            return -13, b"", "access denied"
        if order["prefix"] == "config-key dump":
            below = {name: value for name, value in keys.items() if name.startswith(key)}
            return 0, json.dumps(below).encode(), ""
        if order["prefix"] == "config-key set":
            if self.name not in self.meeting.administrators:
                return -13, b"", "access denied"
            keys[key] = order["val"]
            return 0, b"", f"set {key}"
        assert order["prefix"] == "config-key get"
        if key not in keys:
            return -2, b"", f"no such key '{key}'"
        return 0, keys[key].encode(), "obtained"

    def pool_lookup(self, _pool_name: str) -> Optional[int]:
        return 7 if self.meeting.pool and not self.meeting.renamed else None

    def open_ioctx(self, pool: str) -> Ioctx:
        if not self.meeting.pool:
            raise ObjectNotFound(f"error opening pool '{pool}'", 2)
        return Ioctx(self)


class Completion:
    """An operation, on a thread where it takes time; one that fails does so in what it returns."""

    def __init__(self, operation: Callable[[], int], takes_time: bool) -> None:
        self._operation = operation
        self._code = 0
        self._thread = threading.Thread(target=self._carry_out)
        self._thread.start() if takes_time else self._thread.run()

    def _carry_out(self) -> None:
        try:
            self._code = int(self._operation())
        except Error as error:
            self._code = -(error.errno or 5)

    def is_complete(self) -> bool:
        return not self._thread.is_alive()

    def wait_for_complete(self) -> None:
        if self._thread.ident is not None:
            self._thread.join()

    wait_for_complete_and_cb = wait_for_complete

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
        def read() -> int:
            with self._linked() as objects:
                if (self._namespace, object_name) not in objects:
                    oncomplete(self, None)
                    raise ObjectNotFound(f"no object {object_name}", 2)
                part = objects[self._namespace, object_name][offset : offset + length]
            # At the end the real one hands over a buffer of so many bytes.
            oncomplete(self, part or bytes(length))
            return len(part)

        return self._flying(read)

    def aio_setxattr(self, object_name: str, xattr_name: str, xattr_value: bytes) -> Completion:
        return self._flying(lambda: not self.set_xattr(object_name, xattr_name, xattr_value))

    def aio_write(self, object_name: str, to_write: bytes, offset: int = 0) -> Completion:
        return self._flying(lambda: self.write(object_name, to_write, offset))

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

    def _flying(self, operation: Callable[[], int]) -> Completion:
        return Completion(operation, self._meeting.latency > 0)

    def _check_write(self, grows: bool) -> None:
        if self._client.name in self._meeting.barred:
            raise Error("RADOS permission error", 1)
        if self._meeting.full and not self._full_try:
            raise TimedOut("no answer", 110)
        if self._meeting.full and grows:
            raise Error("no room", self._meeting.full)

    @contextmanager
    def _linked(self) -> Iterator[dict[tuple[str, str], bytes]]:
        time.sleep(self._meeting.latency)
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
