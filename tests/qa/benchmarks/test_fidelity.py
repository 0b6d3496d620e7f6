"""The benchmark of fidelity: what a figure is made of, and what a round that was aborted costs."""

from __future__ import annotations

from collections.abc import Collection
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks import fidelity
from benchmarks.bed import RoundAborted
from benchmarks.figures import Figure


class FakeBed:
    """Rounds of 100, 100, 400 and 400 bytes/s, and tells of 100; some rounds are aborted."""

    def __init__(self, aborted: Collection[int] = ()) -> None:
        self.cluster = SimpleNamespace(
            ceph=lambda *_words, **_: "",
            ceph_json=lambda *_words, **_: {"bytes_per_sec": 100.0},
        )
        self._aborted = aborted
        self._rounds = 0

    def plan(self, _profile: str, **_: Any) -> dict[str, Any]:
        return {"step": {"total_bytes": 8, "block_size": 4, "prefilled": False}}

    def round(self, _profile: str, osds: str, repeats: int) -> dict[str, Any]:
        self._rounds += 1
        if self._rounds in self._aborted:
            raise RoundAborted(f"round {self._rounds} is aborted: slow, on osd.{osds}")
        return {"samples": [{"bytes_per_second": rate} for rate in (100, 100, 400, 400)[:repeats]]}


def measured(aborted: Collection[int] = ()) -> Figure:
    bed: Any = FakeBed(aborted)
    return fidelity._profile(bed, "osd-iops", 40, lambda _text: None)


def test_a_figure_of_small_writes_is_the_mean_of_four_benches() -> None:
    figure = measured()
    assert figure.value == pytest.approx(2.0)
    assert "without" not in figure.note


def test_one_pair_in_twenty_may_be_without_a_figure() -> None:
    figure = measured(aborted=(3, 9))
    assert "38 pairs, 2 without a figure, as their rounds were aborted" in figure.note
    with pytest.raises(RoundAborted, match=r"^round 12 is aborted: "):
        measured(aborted=(3, 9, 12))
