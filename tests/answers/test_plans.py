"""Admission of a dry run as JSON and as text."""

from __future__ import annotations

import pytest

from perf_bench.answers.plans import admission_facts
from perf_bench.answers.shape import to_json
from perf_bench.answers.text import facts
from perf_bench.model.admission import Admission, AdmissionRefusal, Unknown

FORCEABLE = AdmissionRefusal("osd-down", "osd.3 is down and still in")
NEVER = AdmissionRefusal("osd-full", "osd.4 is full, and a bench writes", forceable=False)
UNKNOWN = Unknown("wear", "it is not known how much rounds wrote in the last 24 h")


@pytest.mark.parametrize(
    ("decision", "lines"),
    [
        (Admission(), ["  may start  yes"]),
        (
            Admission((), (UNKNOWN,)),
            [
                "  may start  yes",
                "  unchecked  it is not known how much rounds wrote in the last 24 h",
            ],
        ),
        (
            Admission((FORCEABLE,)),
            ["  may start  only with --force", "  because    osd.3 is down and still in"],
        ),
        (
            Admission((FORCEABLE, NEVER)),
            [
                "  may start  no",
                "  because    osd.3 is down and still in",
                "  because    osd.4 is full, and a bench writes (--force does not override it)",
            ],
        ),
    ],
)
def test_admission(decision: Admission, lines: list[str]) -> None:
    assert facts(admission_facts(decision)).splitlines() == lines


def test_admission_as_json() -> None:
    assert to_json(Admission((FORCEABLE,), (UNKNOWN,))) == {
        "allowed": False,
        "reasons": ["osd.3 is down and still in"],
        "refusals": [
            {"code": "osd-down", "message": "osd.3 is down and still in", "forceable": True}
        ],
        "forceable": True,
        "unknown": [
            {
                "code": "wear",
                "message": "it is not known how much rounds wrote in the last 24 h",
                "essential": False,
            }
        ],
        "tolerated": [],
    }
    assert Admission().forceable is False  # there is nothing to force
