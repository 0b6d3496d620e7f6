"""An interval that is refused: the field that is named is an argument of the question."""

from __future__ import annotations

import errno

import pytest

from past import Past
from perf_bench.answers import dashboard
from roles import ADMINISTRATOR

DAY = 86400


@pytest.mark.parametrize(
    ("begin", "end", "field"),
    [
        (0, 60, "begin"),
        (-31 * DAY, -31 * DAY + 60, "begin"),
        (2 * DAY, 2 * DAY + 60, "begin"),
        (-60, -120, "end"),
        (-60, 2 * DAY, "end"),
        (-3 * DAY, -60, "end"),
    ],
)
def test_the_field_is_the_one_that_is_wrong(begin: int, end: int, field: str, past: Past) -> None:
    now = int(past.clock.now())
    given = {"begin": begin + now * (begin != 0), "end": end + now}
    error = dashboard.answer(past.api, "cluster_interval", given, ADMINISTRATOR)["error"]
    assert (error["errno"], error["field"]) == (errno.EINVAL, field)
