"""A key of the journal that no mgr of ours wrote: set aside with a reason, the others are read.

Found by `make reliability`.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from fakes.settings import FakeKeys
from perf_bench.settings.journal import JOURNAL, Journal

ENTRY: dict[str, Any] = {
    "format": 2,
    "holder": "round 1",
    "writer": "w.1",
    "since": 1.0,
    "until": 2.0,
    "what": "flag/noscrub",
    "was": None,
    "want": "true",
    "at": 1.0,
}


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("at", 10**400, "its at is not a time"),  # no float: OverflowError
        ("since", float("nan"), "its since is not a time"),
        ("until", float("-inf"), "its until is not a time"),
        ("format", "9" * 5000, "it has format '999"),
        ("format", [["x" * 60_000]], "it has format [['xxx"),
        ("what", "flag/\x1b[2J", "its what is not a short text"),
    ],
)
def test_it_is_set_aside(field: str, value: Any, why: str) -> None:
    keys = FakeKeys()
    keys.keys = {
        f"{JOURNAL}/w.1.000001": json.dumps(ENTRY),
        f"{JOURNAL}/w.1.000002": json.dumps({**ENTRY, field: value}),
    }
    contents = Journal(keys).read()
    assert [entry.key for entry in contents.entries] == [f"{JOURNAL}/w.1.000001"]
    (bad,) = contents.unreadable
    assert bad.key == f"{JOURNAL}/w.1.000002"
    assert bad.why.startswith(why)
    assert len(bad.why) < 100
