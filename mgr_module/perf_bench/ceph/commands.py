"""Commands to OSDs through librados, with real return codes and a time limit, and their clients.

``MgrModule.send_command`` would return 0 whatever the OSD returned.
"""

from __future__ import annotations

import errno
import json
import math
import time
from collections.abc import Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NoAnswer
from functools import partial
from typing import Any, Callable, Optional

from mgr_module import MgrModule
from rados import Rados

from ..core.workers import Workers
from ..errors import CommandFailed
from ..model.hardware import ChecksumAnswer
from ..model.plan import READ, BenchAnswer, Step
from ..model.rados import Groups
from .child_process import Child, Program
from .client import SharedClient, open_client
from .cluster import mon_hosts
from .read_probe import ReadProbe

# Commands before a bench. An OSD runs one command after the other and cancels none. If one before
# hangs, these wait behind it and do no harm later; benches would all run then, and nobody guards.
# And while a bench runs, the OSD must not get a new OSD map: since 15.2 both are written into one
# sequence of BlueStore without a lock. If a map takes its place in it, and writes of the bench
# behind it take all of BlueStore's throttle before the map does, the OSD hangs for good. A round
# sets flags in the map right before its first benches, so each OSD gets the newest map first;
# "status" waits for the lock under which the OSD writes it.
_BEFORE_A_BENCH = ({"prefix": "get_latest_osdmap"}, {"prefix": "status"})


class RadosCommands:
    """Implements Commands with a librados client and a process for reads, for one round."""

    def __init__(self, client: SharedClient, limit: float, reads: ReadProbe) -> None:
        """``close`` closes both; ``limit`` is the time limit of each command in seconds."""
        self._client = client
        self._reads = reads
        self._limit = limit

    @property
    def limit(self) -> float:
        return self._limit

    def make_objects(
        self, reads: Mapping[int, Step], groups: Groups, token: str, ended: Callable[[], bool]
    ) -> None:
        self._reads.make(reads, groups, token, ended)

    def remove_objects(self) -> None:
        self._reads.remove(self._limit)

    def measure(self, osd: int, step: Step) -> BenchAnswer:
        """Run a read or Ceph's bench on one OSD and wait for it. Raises CommandFailed."""
        if step.operation == READ:
            return self._reads.read(osd, step, self._limit)
        return self._bench(osd, step)

    def _bench(self, osd: int, step: Step) -> BenchAnswer:
        for order in _BEFORE_A_BENCH:
            self._client.osd(osd, order)
        command: dict[str, Any] = {
            "prefix": "bench",
            "count": step.total_bytes,
            "size": step.block_size,
        }
        if step.prefilled:
            command["object_size"] = step.object_size
            command["object_num"] = step.object_count
        answer = parse_bench(self._client.osd(osd, command))
        # An OSD takes the time of day before and after, as 32 bits: 4,294,967,295 s are -1 s.
        if answer.seconds > self._limit:
            raise CommandFailed(
                errno.EPROTO,
                f"it measured {answer.seconds:.0f} s in a command that may take "
                f"{self._limit:.0f} s: the clock of its host was set meanwhile",
            )
        return answer

    def option(self, osd: int, name: str) -> str:
        out = self._client.osd(osd, {"prefix": "config get", "var": name})
        try:
            return str(json.loads(out)[name])
        except (ValueError, KeyError, TypeError) as error:
            raise CommandFailed(errno.EPROTO, f"config get gave {error!r}") from error

    def close(self) -> None:
        """Disconnect; returns at once."""
        self._reads.close()
        self._client.close()


def parse_bench(out: bytes) -> BenchAnswer:
    """Parse the output of ``osd bench``. Raises CommandFailed (EPROTO)."""
    try:
        fields: Mapping[str, Any] = json.loads(out)
        answer = BenchAnswer(
            bytes_written=int(fields["bytes_written"]),
            block_size=int(fields["blocksize"]),
            seconds=float(fields["elapsed_sec"]),
            bytes_per_second=float(fields["bytes_per_sec"]),
            iops=float(fields["iops"]),
        )
        figures = answer.seconds, answer.bytes_per_second, answer.iops
        if not all(0 <= figure < math.inf for figure in figures):
            raise ValueError("a figure that is no number of 0 or more")
    except (ValueError, KeyError, TypeError) as error:
        raise CommandFailed(errno.EPROTO, f"osd bench gave an unknown answer: {error}") from error
    return answer


# --- questions to single OSDs ------------------------------------------------------------------


class OsdQueries:
    """Implements OsdQuery and OperationDumps.

    An OSD answers in a millisecond unless it runs a bench or hangs.
    """

    def __init__(self, client: SharedClient) -> None:
        """``client`` is shared with others, and stays open when it is not used here any more."""
        self._client = client

    def open(self) -> None:
        self._client.open()

    def ask(self, osd: int) -> ChecksumAnswer:
        out = self._client.osd(osd, {"prefix": "perf dump", "logger": "bluestore"})
        return parsed(osd, time.time(), out)

    def slowest(self, osd: int) -> bytes:
        return self._json(osd, "dump_historic_ops_by_duration")

    def in_flight(self, osd: int) -> bytes:
        return self._json(osd, "dump_ops_in_flight")

    def counters(self, osd: int) -> bytes:
        return self._json(osd, "perf dump")

    def close(self) -> None:
        """Nothing: others use the client."""

    def _json(self, osd: int, prefix: str) -> bytes:
        return self._client.osd(osd, {"prefix": prefix, "format": "json"})


def parsed(osd: int, answered_at: float, out: bytes) -> ChecksumAnswer:
    """Parse the output of ``perf dump bluestore``; 16 has other names. Raises CommandFailed."""
    try:
        counters: Mapping[str, Any] = json.loads(out)["bluestore"]
        return ChecksumAnswer(
            osd,
            answered_at,
            seconds=float(counters["csum_lat"]["sum"]),
            bytes=int(_either(counters, "buffer_miss_bytes") or 0),
            retries=_either(counters, "reads_with_retries"),
            errors=_either(counters, "read_eio"),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise CommandFailed(errno.EPROTO, f"perf dump gave an unknown answer: {error!r}") from error


def _either(counters: Mapping[str, Any], name: str) -> Optional[int]:
    value = counters.get(name, counters.get(f"bluestore_{name}"))
    return None if value is None else int(value)


# --- connections with the mgr's credentials ----------------------------------------------------


# Seconds after which a round's reading process is killed: the longest round takes about a day.
_READER_SECONDS = 2 * 86400.0
# Seconds for one's turn and for connecting, which takes up to 15 s without monitors.
_OPEN_SECONDS = 20.0


class Connections:
    """Opens connections; each method raises CommandFailed without the monitors."""

    def __init__(self, mgr: MgrModule) -> None:
        self._mgr = mgr
        # glibc keeps what a thread has freed for threads with the same arena, of which there are
        # eight for each core. A client takes more than 1 MiB for its options, so clients of threads
        # that come and go, as those of rounds do, would leave that in each arena.
        self._opener = Workers("perf-bench-client", 1, idle_seconds=None)
        self._closed = False

    def credentials(self) -> dict[str, str]:
        """The credentials for a client or a helper process."""
        return {
            "name": f"mgr.{self._mgr.get_mgr_id()}",
            "keyring": str(self._mgr.get_ceph_option("keyring") or ""),
            "mon_host": mon_hosts(self._mgr),
        }

    def client(self, limit: float) -> Rados:
        """A client whose calls take at most ``limit`` seconds; waits at most 20 s for it."""
        if self._closed:
            raise CommandFailed(errno.ESHUTDOWN, "perf_bench is being stopped")
        opening = self._opener.submit(partial(open_client, limit=limit, **self.credentials()))
        try:
            return opening.result(_OPEN_SECONDS)
        except NoAnswer:
            if not opening.cancel():
                opening.add_done_callback(_shut_down)
            raise CommandFailed(
                errno.ETIMEDOUT,
                f"cannot connect to the cluster within {_OPEN_SECONDS:.0f} s: others wait for the "
                "monitors, too",
            ) from None

    def commands(self, limit: float) -> RadosCommands:
        """A round's connection to the OSDs."""
        client = SharedClient(lambda: self.client(limit), "the round has ended")
        client.open()
        process = ReadProbe(
            lambda: Child(Program.READ_OSDS, (), _READER_SECONDS),
            {**self.credentials(), "limit": limit},
        )
        return RadosCommands(client, limit, process)

    def close(self) -> None:
        """Open nothing any more; later calls raise CommandFailed."""
        self._closed = True
        self._opener.close()


def _shut_down(opening: Future[Rados]) -> None:
    """Shut down a client that came after nobody waited for it any more."""
    if not opening.cancelled() and opening.exception() is None:
        opening.result().shutdown()
