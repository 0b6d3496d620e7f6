"""OSDs that are asked for their checksums, and their op threads."""

from __future__ import annotations

import errno
from typing import Optional

from perf_bench.errors import CommandFailed
from perf_bench.model.hardware import ChecksumAnswer
from perf_bench.model.osd import Osd


class FakeOpThreads:
    """The OpThreads port: 16 threads each."""

    def __init__(self, threads: Optional[int] = 16) -> None:
        self.threads = threads

        self.forgot: list[int] = []

    def of(self, osd: Osd) -> Optional[int]:
        return self.threads

    def forget(self, osd: int) -> None:
        self.forgot.append(osd)


class FakeAsker:
    """The Asker port: OSDs answer what they were given, once they were given anything."""

    def __init__(self) -> None:
        self.answers: dict[int, ChecksumAnswer] = {}
        self.asked: list[int] = []
        self.no_way: Optional[CommandFailed] = None
        self.closed = False

    def open(self) -> None:
        if self.no_way is not None:
            raise self.no_way

    def ask(self, osd: int) -> ChecksumAnswer:
        self.asked.append(osd)
        if osd not in self.answers:
            raise CommandFailed(errno.ETIMEDOUT, "no answer")
        return self.answers[osd]

    def close(self) -> None:
        self.closed = True
