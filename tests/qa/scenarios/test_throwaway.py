"""A throwaway cluster is taken down whatever is typed meanwhile, on a cluster that is none."""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cluster.spec import Order
from scenarios import throwaway
from scenarios.throwaway import pytest_keyboard_interrupt


class StubCluster:
    """Ctrl-C is pressed while it is taken down."""

    def __init__(self) -> None:
        self.is_there = True

    @contextlib.contextmanager
    def staying(self) -> Iterator[None]:
        yield

    def down(self) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        self.is_there = False


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[StubCluster]:
    made = StubCluster()

    class Stub:
        @staticmethod
        def up(_folder: str, _order: Order) -> StubCluster:
            return made

    ready: Any = type("Ready", (), {"__init__": lambda *_: None, "sees_it_ready": lambda _: None})
    monkeypatch.setattr(throwaway, "DevCluster", Stub)
    monkeypatch.setattr(throwaway, "unhurried", lambda _cluster: None)
    monkeypatch.setattr(throwaway, "Operator", ready)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield made
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("interrupted", [False, True])
def test_a_cluster_is_taken_down_though_ctrl_c_is_pressed_meanwhile(
    cluster: StubCluster, interrupted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def tests() -> None:
        with throwaway.throwaway(Order()):
            if interrupted:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):  # it is not lost: the tests end
        tests()
    assert not cluster.is_there
    assert not list(tmp_path.iterdir())
    with pytest.raises(KeyboardInterrupt):  # as before
        signal.raise_signal(signal.SIGINT)


def test_a_second_ctrl_c_breaks_off_no_cleaning_up(cluster: StubCluster) -> None:
    pytest_keyboard_interrupt()
    signal.raise_signal(signal.SIGINT)
