"""Commands to OSDs through librados, with real return codes and a time limit.

``MgrModule.send_command`` would return 0 whatever the OSD returned.
"""

from __future__ import annotations

import errno
import json
import math
from collections.abc import Mapping
from typing import Any, Callable

from ..errors import CommandFailed
from ..model.bench import READ, BenchAnswer, Step
from ..model.rados import Groups
from .client import SharedClient
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
