"""The doctor's advice, sorted by how bad it is, and searched by the word for that."""

from __future__ import annotations

from typing import Any

import pytest

from past import Past
from perf_bench.answers import dashboard
from perf_bench.model.doctor_snapshot import Advice
from perf_bench.model.finding import Severity, Target
from roles import ADMINISTRATOR


def _advice(number: int, severity: Severity) -> Advice:
    osd = frozenset({number})
    return Advice(
        f"CODE_{number}", severity, Target("osd", str(number)), "says", "fix", "source", osd
    )


@pytest.fixture
def advised(past: Past, monkeypatch: pytest.MonkeyPatch) -> Past:
    found = [
        _advice(0, Severity.INFO),
        _advice(1, Severity.ERROR),
        _advice(2, Severity.WARNING),
    ]
    monkeypatch.setattr(past.api.doctor, "advice", lambda *_, **__: found)
    return past


def _asked(past: Past, **wish: Any) -> list[str]:
    reply = dashboard.answer(past.api, "doctor", wish, ADMINISTRATOR)
    return [row["severity"] for row in reply["answer"]]


def test_the_worst_is_first_or_last(advised: Past) -> None:
    assert _asked(advised, sort="severity") == ["error", "warning", "info"]
    assert _asked(advised, sort="-severity") == ["info", "warning", "error"]


def test_the_word_is_searched(advised: Past) -> None:
    assert _asked(advised, search="Warning") == ["warning"]
    assert _asked(advised, search="0", sort="severity") == ["info"]
