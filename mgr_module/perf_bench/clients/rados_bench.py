"""Run the clients of an order on this host, each a ``rados bench``, until the last has ended.

Only ``rados bench`` with the fields of a LoadOrder is run. When the thread that started the clients
ends for any reason, the kernel kills them.
"""

from __future__ import annotations

import ctypes
import errno
import os
import re
import selectors
import shutil
import signal
import subprocess
import time
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Callable

from ..errors import CommandFailed
from ..model.rados import OPERATIONS, ClientRun, LoadOrder, Row

# Seconds that clients may run after their time.
_GRACE = 15.0
# Seconds without a completed operation after which the clients are ended.
_STALLED = 10.0
# Seconds between two checks whether they may go on.
_POLL = 0.2
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)

_NUMBER = r"-?[\d.]+(?:e[-+]?\d+)?"
# sec, in flight, started, finished, mean MB/s, MB/s, last latency, mean latency
_ROW = re.compile(rf"\s*(\d+)\s+\d+\s+\d+\s+(\d+)\s+{_NUMBER}\s+{_NUMBER}\s+\S+\s+({_NUMBER})\s*$")
_TOTAL = re.compile(r"([A-Z][\w /()]+?):\s+(\S+)\s*$")
_SHOWN = 80

# Who connects, and where: ``name``, ``keyring``, ``mon_host`` and, where it is not the host's own,
# the path of a ``conf``.
Access = Mapping[str, str]
# What is told, JSON-ready: ``client`` with a new ``row``, or at its end with its ``run``.
Tell = Callable[[Mapping[str, Any]], None]


class Client:
    """One ``rados bench`` and its output so far."""

    def __init__(self, number: int, argv: list[str], ahead: float) -> None:
        """Times are monotonic ones plus ``ahead`` seconds."""
        self.number = number
        self._ahead = ahead
        self.output = RadosOutput()
        self.complaints: deque[str] = deque(maxlen=5)
        self._parts = {"out": b"", "err": b""}
        self.process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=_die_with_parent,  # noqa: PLW1509 - two C calls, no lock is taken
        )
        self.moved_at = time.monotonic()

    def take(self, stream: str, data: bytes) -> bool:
        """Read new output; returns whether there is a new row."""
        before = self.output.rows[-1].finished if self.output.rows else 0
        count = len(self.output.rows)
        *lines, self._parts[stream] = (self._parts[stream] + data).split(b"\n")
        for line in lines:
            text = line.decode(errors="replace")
            if stream == "out":
                self.output.feed(text, self._ahead + time.monotonic())
            elif text.strip():
                self.complaints.append(text.strip())
        if len(self.output.rows) == count:
            return False
        if self.output.rows[-1].finished > before:
            self.moved_at = time.monotonic()
        return True


class Clients:
    """The clients of an order that run on this host, by their ``numbers`` in the order."""

    def __init__(
        self,
        order: LoadOrder,
        numbers: Sequence[int],
        access: Access,
        tell: Tell,
        check: Callable[[], None],
        ahead: float,
    ) -> None:
        """``check`` raises CommandFailed if they must end; called five times a second.

        Times are monotonic ones plus ``ahead`` seconds. Use a thread that does not end before the
        clients: they would be killed with it.
        """
        self._order = order
        self._numbers = numbers
        self._access = access
        self._tell = tell
        self._check = check
        self._selector = selectors.DefaultSelector()
        self._clients: list[Client] = []
        self._ahead = ahead

    def run(self) -> None:
        """Run the clients. Raises CommandFailed. No client is left in any case."""
        try:
            for number in self._numbers:
                self._start(number)
            self._watch()
        finally:
            for client in self._clients:
                client.process.kill()
            for client in self._clients:
                client.process.wait()
            for key in list(self._selector.get_map().values()):
                self._drop(key.fileobj)
            self._selector.close()

    def _start(self, number: int) -> None:
        argv = bench_argv(self._order, self._access, number)
        try:
            client = Client(number, argv, self._ahead)
        except OSError as error:  # as at the limit of a container's processes
            where = self._access["where"]
            raise CommandFailed(
                error.errno or errno.EIO, f"cannot start rados {where}: {error.strerror}"
            ) from error
        self._clients.append(client)
        for stream, pipe in (("out", client.process.stdout), ("err", client.process.stderr)):
            if pipe is not None:
                os.set_blocking(pipe.fileno(), False)
                self._selector.register(pipe, selectors.EVENT_READ, (client, stream))

    def _watch(self) -> None:
        until = time.monotonic() + self._order.seconds + _GRACE
        while self._selector.get_map():
            for key, _ in self._selector.select(_POLL):
                self._read(key.fileobj, *key.data)
            self._check()
            now = time.monotonic()
            self._check_stalled(now)
            if now > until:
                raise CommandFailed(errno.ETIMEDOUT, f"clients still ran {_GRACE:.0f} s too long")
        for client in self._clients:
            self._result(client)

    def _read(self, pipe: Any, client: Client, stream: str) -> None:
        data = os.read(pipe.fileno(), 65536)
        if not data:
            self._drop(pipe)
        elif client.take(stream, data):
            row = client.output.rows[-1]
            self._tell(
                {"client": client.number, "row": [row.second, row.finished, row.mean_latency]}
            )

    def _drop(self, pipe: Any) -> None:
        self._selector.unregister(pipe)
        pipe.close()

    def _check_stalled(self, now: float) -> None:
        running = [client for client in self._clients if client.process.poll() is None]
        still = min((now - client.moved_at for client in running), default=0.0)
        if still > _STALLED:
            raise CommandFailed(
                errno.ETIMEDOUT,
                f"no operation ended for {_STALLED:.0f} s: see 'ceph health detail'",
            )

    def _result(self, client: Client) -> None:
        code = client.process.wait()
        if code:
            said = client.complaints[-1] if client.complaints else f"it ended with {code}"
            raise CommandFailed(errno.EIO, f"rados bench failed: {said}")
        totals = {**vars(client.output.result())}
        del totals["rows"], totals["worker"]  # its rows were told before
        self._tell({"client": client.number, "run": totals})


def bench_argv(order: LoadOrder, access: Access, number: int) -> list[str]:
    """The command line of one client. Raises CommandFailed without ``rados``."""
    program = shutil.which("rados")
    if program is None:
        raise CommandFailed(
            errno.ENOENT,
            f"there is no program 'rados' {access['where']}: install ceph-common there",
        )
    if order.operation not in OPERATIONS:
        raise CommandFailed(errno.EINVAL, f"'{order.operation}' is no operation of rados bench")
    writes = ["-b", str(order.size), "--max-objects", str(order.max_objects)]
    return [
        program, *(["-c", access["conf"]] if access.get("conf") else []),
        "-n", access["name"], "-m", access["mon_host"],
        *(["-k", access["keyring"]] if access["keyring"] else []),
        # On a mgr's host it has the mgr's name, so these would collide with the mgr's.
        "--admin-socket=", "--log-file=",
        "-p", order.pool, "-N", order.namespace,
        "bench", str(order.seconds), order.operation, "-t", str(order.threads),
        *(writes if order.operation == "write" else []),
        "--run-name", f"client-{number}", "--no-cleanup",
    ]  # fmt: skip


def _die_with_parent() -> None:
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class RadosOutput:
    """Parses what ``rados bench`` of Ceph 16, 18 and 20 prints of one run, line by line.

    Only those totals are read that cannot be computed from its rows.
    """

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.prefix = ""
        self._totals: dict[str, str] = {}
        self._started: list[float] = []
        self._last = ""

    def feed(self, line: str, at: float = 0.0) -> None:
        """Take a line that came ``at`` (unix seconds)."""
        self._last = line.strip() or self._last
        row = _ROW.match(line)
        if row:
            self.rows.append(Row(int(row[1]), int(row[2]), float(row[3])))
            self._started.append(at - int(row[1]))
            return
        total = _TOTAL.match(line)
        if total and total[1] == "Object prefix":
            self.prefix = total[2]
        elif total:
            self._totals[total[1]] = total[2]

    def result(self) -> ClientRun:
        """The run, after the last line. Raises CommandFailed if the output is not complete."""
        if not self._totals and not self.rows:
            raise _unknown(self._last)
        if "Average Latency(s)" not in self._totals or "Min latency(s)" not in self._totals:
            second = self.rows[-1].second if self.rows else 0
            last = self._last[:_SHOWN]
            why = f"rados bench ended before its totals, after second {second}: '{last}'"
            raise CommandFailed(errno.EPROTO, why)
        return ClientRun(
            op_size=int(self._number("Write size", "Read size")),
            seconds=self._number("Total time run"),
            operations=int(self._number("Total writes made", "Total reads made")),
            mean_latency=self._number("Average Latency(s)"),
            min_latency=self._number("Min latency(s)"),
            max_latency=self._number("Max latency(s)"),
            rows=tuple(self.rows),
            # A line may be read late, but never early.
            started_at=max(0.0, min(self._started, default=0.0)),
            prefix=self.prefix,
        )

    def _number(self, *names: str) -> float:
        """The first existing total of these names. Raises CommandFailed."""
        for name in names:
            if name in self._totals:
                try:
                    return float(self._totals[name])
                except ValueError:
                    raise _unknown(f"{name}: {self._totals[name]}") from None
        raise _unknown(self._last)


def _unknown(text: str) -> CommandFailed:
    return CommandFailed(
        errno.EPROTO, f"this is not what rados bench prints: '{text.strip()[:_SHOWN]}'"
    )
