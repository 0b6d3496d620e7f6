"""Packed rows: what was put in comes out, and bytes that are damaged are said to be."""

from __future__ import annotations

import math
import sys
from array import array
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latencies import NAN, columns
from perf_bench.model.finding import CHANNELS, COMMIT, READ
from perf_bench.model.history import BINS, CHUNK, LOAD
from perf_bench.model.json_fields import FAULTS
from perf_bench.store import encoding
from perf_bench.store.encoding import (
    UNKNOWN,
    Block,
    Columns,
    operations,
    pack,
    shrink,
    unpack,
    widen,
)

# From a tenth of a microsecond to a day, and bytes/s.
FIGURES = st.floats(1e-7, 1e12)
CHUNKS = st.integers(0, 200)

# osd.5 and osd.7 at 10 and 20 ms, as encoding 1 wrote them. Data: never edited, never made anew.
WRITTEN_BY_1 = (
    "0101a000000000000000007801535eacbc98814144840109d800011217cc4c49818800006cce036d54464d88"
)


@given(st.lists(FIGURES))
def test_a_figure_keeps_its_size_to_four_in_a_thousand(figures: list[float]) -> None:
    for figure, kept in zip(figures, widen(shrink(figures))):
        assert kept == pytest.approx(figure, rel=0.004)


def test_no_data_stays_no_data() -> None:
    assert all(map(math.isnan, widen(shrink([NAN, float("inf")]))))
    assert len(widen(shrink([]))) == 0


@pytest.mark.parametrize(
    ("figures", "stored"),
    [
        ([0.0, 9.6, NAN], [0, 10, UNKNOWN]),
        # more than fits is not "not known"
        ([1e30, float("inf"), UNKNOWN], [UNKNOWN - 1] * 3),
    ],
)
def test_operations(figures: list[float], stored: list[int]) -> None:
    assert list(operations(figures)) == stored


@st.composite
def blocks(draw: st.DrawFn, chunk: int) -> Block:
    slots = sorted(draw(st.sets(st.integers(0, CHUNK - 1), min_size=1, max_size=4)))
    size = len(slots)
    channels = draw(st.sets(st.sampled_from([*CHANNELS, LOAD]), min_size=1, max_size=3))
    halves, whole = (
        # Drawn as bytes: many small lists are slow to draw.
        st.binary(min_size=width * size, max_size=width * size).map(partial(array, kind))
        for kind, width in (("H", 2), ("I", 4))
    )
    return Block(
        [chunk * CHUNK + slot for slot in slots],
        {
            name: Columns(
                draw(halves),
                draw(halves),
                draw(whole),
                [draw(halves) for _ in range(BINS)],
            )
            for name in sorted(channels)
        },
    )


@given(CHUNKS.flatmap(lambda chunk: st.tuples(st.just(chunk), blocks(chunk))))
def test_what_was_packed_comes_out(pair: tuple[int, Block]) -> None:
    chunk, block = pair
    assert unpack(pack(block), chunk) == block


def test_rows_of_old_are_read_for_ever() -> None:
    block = unpack(bytes.fromhex(WRITTEN_BY_1), 0)
    assert block == Block([5, 7], {COMMIT: columns([0.01, 0.02])})


def test_a_host_with_the_other_order_of_bytes_has_the_same_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As s390x, whose memory has the highest byte first."""
    here = array("I", [1, 0x01020304, UNKNOWN])
    there = array("I", here)
    there.byteswap()
    stored = encoding._planes(here)
    other = "big" if sys.byteorder == "little" else "little"
    monkeypatch.setattr(sys, "byteorder", other)
    assert encoding._planes(there) == stored
    assert encoding._from_planes("I", stored) == there


def test_a_newer_encoding_is_not_guessed_at() -> None:
    packed = pack(Block([0], {READ: columns([0.1])}))
    with pytest.raises(FAULTS, match="its encoding is 09, not 01"):
        unpack(b"\x09" + packed[1:], 0)
