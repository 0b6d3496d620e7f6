"""The helper process of a round."""

from __future__ import annotations

import logging

import pytest

from perf_bench.bench.round_helper import RoundHelper


class _Helper:
    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.dismissed = 0

    def dismiss(self) -> None:
        self.dismissed += 1


class _Helpers(RoundHelper):
    """Those that were started."""

    def __init__(self) -> None:
        self.started: list[_Helper] = []
        self.fault = False
        super().__init__(self._make, logging.getLogger(__name__))

    def _make(self, _holder: str, seconds: float) -> _Helper:
        if self.fault:
            raise OSError("no more processes")
        self.started.append(_Helper(seconds))
        return self.started[-1]


def test_a_round_that_holds_again_keeps_its_helper() -> None:
    helpers = _Helpers()
    helpers.start("r1", 60.0)
    helpers.start("r1", 61.0)
    assert [(one.seconds, one.dismissed) for one in helpers.started] == [(60.0, 0)]


def test_the_next_round_has_a_helper_with_its_own_time() -> None:
    """That of the round before would put settings back while this round holds them."""
    helpers = _Helpers()
    helpers.start("r1", 60.0)
    helpers.start("r2", 900.0)
    assert [(one.seconds, one.dismissed) for one in helpers.started] == [(60.0, 1), (900.0, 0)]
    assert helpers.holder == "r2"


def test_the_end_of_the_round_before_does_not_end_the_helper_of_this_one() -> None:
    helpers = _Helpers()
    helpers.start("r1", 60.0)
    helpers.start("r2", 60.0)
    helpers.dismiss("r1")
    assert [one.dismissed for one in helpers.started] == [1, 0]
    helpers.dismiss("r2")
    helpers.dismiss("r2")
    assert [one.dismissed for one in helpers.started] == [1, 1]
    assert helpers.holder == ""


def test_without_a_helper_nothing_is_ended() -> None:
    helpers = _Helpers()
    helpers.dismiss("")
    assert helpers.started == []


def test_a_helper_that_cannot_be_started_is_told(caplog: pytest.LogCaptureFixture) -> None:
    helpers = _Helpers()
    helpers.start("r1", 60.0)
    helpers.fault = True
    helpers.start("r2", 60.0)
    assert "if the module is disabled during this round: no more processes" in caplog.text
    assert (helpers.holder, helpers.started[0].dismissed) == ("r1", 0)
