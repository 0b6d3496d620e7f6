"""Schedules from what is typed."""

from __future__ import annotations

import errno
from dataclasses import replace

import pytest

from perf_bench.bench.schedules import make_schedule, resume
from perf_bench.errors import PerfBenchError
from perf_bench.model.plan import (
    ScheduleRequest,
)

NOW = 1_700_000_000.4
DAILY = ScheduleRequest("nightly", "osd-throughput", every="1d")
WEEKLY = ScheduleRequest("weekly", "osd-iops", cron="0 3 * * 6")


EITHER = "give either --every, as 1d, or --cron, as '0 3 * * 6'"


def test_what_is_refused() -> None:
    for request_, code, field, sentence in [
        (replace(DAILY, cron="0 3 * * 6"), errno.EINVAL, "cron", EITHER),
        (replace(DAILY, every=None), errno.EINVAL, "every", EITHER),
        (replace(DAILY, every="5m"), errno.EINVAL, "every", "--every 5m is not within 10m to"),
        (replace(WEEKLY, cron="0 25 * * *"), errno.EINVAL, "cron", "--cron: '25' is not a valid"),
        (replace(DAILY, window="1-5"), errno.EINVAL, "window", "'1-5' is not a window"),
        (replace(DAILY, timezone="X/Y"), errno.EINVAL, "timezone", "'X/Y' is not a time zone"),
        (replace(DAILY, missed="twice"), errno.EINVAL, "missed",
         "--missed twice: one of once, skip is needed"),
        (replace(DAILY, osds="host="), errno.EINVAL, "osds", "'host=' does not select OSDs"),
        (replace(DAILY, profile="fast"), errno.ENOENT, "", "no profile 'fast'"),
        (replace(DAILY, name="there"), errno.EINVAL, "name",
         "there is already a schedule 'there': remove it first with"),
        *(
            (replace(DAILY, name=name), errno.EINVAL, "name",
             f"'{name}' is not a name of a schedule: use up to 63 letters, digits, ")
            for name in ("", "a b", "-a", ".a", "a/b", "a\n", "ä", "x" * 64, "a\0")
        ),
    ]:  # fmt: skip
        with pytest.raises(PerfBenchError) as caught:
            make_schedule(request_, ["there"], NOW)
        assert caught.value.errno == code
        assert str(caught.value).startswith(sentence)
        assert getattr(caught.value, "field", "") == field


def test_names() -> None:
    for name in ["a", "A.b_c-9", "7", "x" * 63]:
        assert make_schedule(replace(DAILY, name=name), ["there"], NOW).name == name


def test_there_is_an_end_to_schedules() -> None:
    make_schedule(DAILY, [f"s{n}" for n in range(99)], NOW)
    with pytest.raises(
        PerfBenchError, match=r"^there are already 100 schedules, which is the limit"
    ):
        make_schedule(DAILY, [f"s{n}" for n in range(100)], NOW)


def test_paused_and_resumed() -> None:
    schedule = make_schedule(DAILY, [], NOW)
    paused = replace(schedule, paused=True)
    resumed = resume(paused, NOW + 500)
    assert resumed == replace(schedule, since=1_700_000_500.0)
    assert resume(resumed, NOW + 900) == resumed  # what runs is not resumed
    assert resume(replace(resumed, paused=True), NOW + 900).anchor == schedule.anchor
