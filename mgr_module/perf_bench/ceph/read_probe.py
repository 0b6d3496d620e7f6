"""Read chosen OSDs through a child process, ``programs/read_osds.py``; one for each round."""

from __future__ import annotations

import errno
import json
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, wait
from typing import Any, Callable, Optional

from ..errors import CommandFailed
from ..model.plan import OUT_OF_REACH, BenchAnswer, Step
from ..model.rados import Groups
from .child_process import Child

# Seconds for finding names and writing some GiB.
_MAKE_SECONDS = 600.0
_POLL = 0.2
# With fewer objects an OSD's reads would use only one or two placement groups.
_LEAST_OBJECTS = 4


class ReadProbe:
    """Starts its process on first use. ``read`` is thread-safe."""

    def __init__(self, start: Callable[[], Child], connect: Mapping[str, Any]) -> None:
        """``connect`` has the arguments of the process's ``ObjectReader``."""
        self._start = start
        self._connect = connect
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._child: Optional[Child] = None
        self._closed = False
        self._waiting: dict[int, Future[Any]] = {}
        self._number = 0
        self._names: dict[int, Sequence[str]] = {}
        self._ended: Callable[[], bool] = lambda: False

    def make(
        self, reads: Mapping[int, Step], groups: Groups, token: str, ended: Callable[[], bool]
    ) -> None:
        """Make the objects for reads, after removing those of an earlier round.

        When ``ended`` returns True, this and all reads are given up. Raises CommandFailed.
        """
        self._ended = ended
        self._ask("remove", _MAKE_SECONDS)
        steps = set(reads.values())
        for step in steps:
            osds = sorted(osd for osd, its_step in reads.items() if its_step == step)
            made = self._ask(
                "make",
                _MAKE_SECONDS,
                groups={osd: list(groups.by_primary.get(osd, ())) for osd in osds},
                pg_num=groups.pg_num,
                count=step.object_count,
                size=step.object_size,
                token=token,
            )
            self._names.update((int(osd), names) for osd, names in made.items())

    def read(self, osd: int, step: Step, limit: float) -> BenchAnswer:
        """Read objects of one OSD for one sample. Raises CommandFailed."""
        names = self._names.get(osd, ())
        if len(names) < _LEAST_OBJECTS:
            raise CommandFailed(errno.ENODATA, OUT_OF_REACH)
        size, total = step.object_size, step.total_bytes
        done = self._ask("read", limit, osd=osd, names=names, size=size, total=total)
        seconds = max(done["seconds"], 1e-6)
        return BenchAnswer(
            bytes_written=0,
            block_size=step.block_size,
            seconds=seconds,
            bytes_per_second=done["bytes"] / seconds,
            iops=done["reads"] / seconds,
        )

    def remove(self, limit: float) -> None:
        """Remove all objects for reads. Raises CommandFailed."""
        self._ended = lambda: False
        self._ask("remove", limit)

    def close(self) -> None:
        """End the process; pending calls fail, and so do all later ones."""
        with self._lock:
            self._closed = True
            child, self._child = self._child, None
        if child is not None:
            child.end()

    # --- inside ------------------------------------------------------------------------------

    def _ask(self, what: str, limit: float, **arguments: Any) -> Any:
        answer: Future[Any] = Future()
        number = self._send(answer, {"what": what, **arguments})
        waited = 0.0
        while waited < limit:
            if wait((answer,), _POLL).done:
                return answer.result()
            waited += _POLL
            if self._ended():
                raise CommandFailed(errno.ECANCELED, "the round has ended")
        with self._lock:
            self._waiting.pop(number, None)
        raise CommandFailed(errno.ETIMEDOUT, f"no answer within {limit:.0f} s")

    def _send(self, answer: Future[Any], asked: Mapping[str, Any]) -> int:
        with self._lock:
            if self._closed:  # a call that its round did not wait for
                raise CommandFailed(errno.ECANCELED, "the round has ended")
            child = self._child
            if child is None:
                child = self._child = self._begin()
            self._number += 1
            number = self._number
            self._waiting[number] = answer
        try:
            # Not under the other lock: a process that stands still takes nothing more once its pipe
            # is full, and ``close`` ends it.
            with self._writing:
                child.write({"number": number, **asked})
        except (OSError, ValueError) as error:
            with self._lock:
                self._waiting.pop(number, None)
            raise CommandFailed(errno.EPIPE, f"the reading process: {error}") from error
        return number

    def _begin(self) -> Child:
        try:
            child = self._start()
        except OSError as error:
            raise CommandFailed(
                errno.ECHILD, f"cannot start the reading process: {error}"
            ) from error
        child.write(self._connect)
        threading.Thread(
            target=self._listen, args=(child,), name="perf-bench-reads", daemon=True
        ).start()
        return child

    def _listen(self, child: Child) -> None:
        """Pass answers to the waiting calls until the process ends."""
        try:
            for line in child.lines():
                answer = json.loads(line)
                with self._lock:
                    waiting = self._waiting.pop(answer["number"], None)
                if waiting is not None and "error" in answer:
                    waiting.set_exception(CommandFailed(answer["errno"], answer["error"]))
                elif waiting is not None:
                    waiting.set_result(answer["answer"])
        except (OSError, ValueError):
            pass  # the process was ended within a line
        with self._lock:
            left, self._waiting = self._waiting, {}
            if self._child is child:
                self._child = None
        child.end()
        for waiting in left.values():
            waiting.set_exception(CommandFailed(errno.EPIPE, "the reading process has ended"))
