"""A `ceph` that plays what a test wrote down, in a process of its own as the real one."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

FAKE = Path(__file__).with_name("fake_ceph.py")


class Play(NamedTuple):
    """The fake client: what it will answer, and what it was asked."""

    play: Path
    noted: Path

    @property
    def command(self) -> str:
        """For the option --ceph."""
        # Without site and environment Python starts in a third of the time.
        return shlex.join([sys.executable, "-S", "-E", str(FAKE)])

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
    play = Play(tmp_path / "play.jsonl", tmp_path / "calls.jsonl")
    monkeypatch.setenv("FAKE_CEPH_PLAY", str(play.play))
    monkeypatch.setenv("FAKE_CEPH_CALLS", str(play.noted))
    return play
