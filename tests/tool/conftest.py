"""A `ceph` that plays what a test wrote down: called, or a process of its own as the real one."""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple, Optional

import pytest

import fake_ceph
from perf_bench.tool import client


class Play(NamedTuple):
    """The fake client: what it will answer, and what it was asked."""

    play: Path
    noted: Path
    # For the option --ceph.
    command: str = "ceph"

    def run(self, argv: list[str], limit: float, file: Optional[str]) -> tuple[int, str, str]:
        """What a process of the client would answer."""
        line = fake_ceph.answer(self.play, self.noted, argv[1:], file)
        if line.get("hang"):
            time.sleep(limit)
            raise client.NoAnswer(f"'{argv[0]}' gave no answer within {limit:.3g} s")
        return line.get("code", 0), line.get("out", ""), line.get("err", "")

    def write(self, *lines: dict[str, Any]) -> None:
        self.play.write_text("".join(json.dumps(line) + "\n" for line in lines))

    @property
    def calls(self) -> list[tuple[int, list[str]]]:
        """The process and the arguments of each call so far."""
        return [(entry[0], entry[1]) for entry in self._noted()]

    @property
    def files(self) -> list[Any]:
        """The JSON of the files that were handed over."""
        return [json.loads(entry[2]) for entry in self._noted() if entry[2] is not None]

    def _noted(self) -> list[Any]:
        text = self.noted.read_text() if self.noted.exists() else ""
        return [json.loads(line) for line in text.splitlines()]

    @property
    def left(self) -> str:
        """What was never asked for."""
        return self.play.read_text()


@pytest.fixture
def ceph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    """It is called where a process would be started (client.py)."""
    play = Play(tmp_path / "play.jsonl", tmp_path / "calls.jsonl")
    monkeypatch.setattr(client, "_run", play.run)
    return play


@pytest.fixture
def ceph_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    # Without site and environment Python starts in a third of the time.
    command = shlex.join([sys.executable, "-S", "-E", fake_ceph.__file__])
    play = Play(tmp_path / "play.jsonl", tmp_path / "calls.jsonl", command)
    monkeypatch.setenv("FAKE_CEPH_PLAY", str(play.play))
    monkeypatch.setenv("FAKE_CEPH_CALLS", str(play.noted))
    monkeypatch.setenv("FAKE_CEPH_TEST", str(os.getpid()))
    return play
