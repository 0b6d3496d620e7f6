"""A page without rows says so; only a list without rows says that there is nothing at all."""

from __future__ import annotations

import pytest

from asked import prints
from past import Past
from perf_bench.model.finding import Finding, Severity, Target

BEYOND = 400
SLOW_OSD = "PERF_BENCH_SLOW_OSD"


def test_a_page_after_the_last_round_does_not_say_that_there_are_none(past: Past) -> None:
    text = prints(past.api, "round ls", offset=BEYOND)
    assert text.startswith(f"nothing from --offset {BEYOND} on: the list ends after 5")
    assert "no rounds yet" not in text


def test_rounds_that_a_filter_leaves_out_are_there_all_the_same(past: Past) -> None:
    assert prints(past.api, "round ls", state="queued") == "nothing matches --state"
    both = prints(past.api, "round ls", state="queued", kind="rados")
    assert both == "nothing matches --kind and --state"


def test_a_page_after_the_last_finding_is_not_green(
    past: Past, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Finding(1, SLOW_OSD, Severity.WARNING, Target("osd", "3"), "osd.3 is slow")
    monkeypatch.setattr(past.api.watch, "findings", lambda: [made])
    assert SLOW_OSD in prints(past.api, "finding ls")
    text = prints(past.api, "finding ls", offset=BEYOND)
    assert "no findings" not in text
    assert text.startswith(f"nothing from --offset {BEYOND} on: the list ends after 1")


def test_a_list_without_rows_says_what_it_said(past: Past) -> None:
    assert "no findings" in prints(past.api, "finding ls", offset=BEYOND)
    assert prints(past.api, "enclosure ls").startswith("no enclosure is known")
