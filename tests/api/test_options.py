"""Options of the module: seen, checked, set."""

from __future__ import annotations

import pytest

from asked import ask, asking
from fakes.options import FakeOptions
from perf_bench.answers.api import Api
from perf_bench.errors import InvalidValue, NotFound
from perf_bench.model.admission import Threshold


@pytest.fixture
def api() -> Api:
    return asking(options=FakeOptions())


def _value(api: Api, name: str) -> object:
    return next(one.value for one in ask(api, "option ls") if one.name == name)


def test_every_option_has_a_group_and_its_bounds(api: Api) -> None:
    watch, tick, detector = ask(api, "option ls")
    assert (watch.group, tick.min, tick.max) == ("watch", 1, 60)
    assert (detector.group, detector.at_once) == ("thresholds", False)
    assert Threshold("acute_ratio", 2.4, 2.4) in ask(api, "option thresholds")


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("watch", "false", False),
        ("watch_tick_seconds", " 10 ", 10),
        ("detector", "acute_ratio=3", "acute_ratio=3"),
    ],
)
def test_an_option_is_set_and_goes_back(api: Api, name: str, text: str, value: object) -> None:
    before = _value(api, name)
    assert ask(api, "option set", name=name, value=text).value == value
    assert _value(api, name) == value
    assert ask(api, "option set", name=name, value=None).value == before == _value(api, name)


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("watch", "yes", "watch is true or false, not 'yes'"),
        ("watch_tick_seconds", "0", "watch_tick_seconds is a whole number from 1 to 60, not '0'"),
        ("watch_tick_seconds", "61", "from 1 to 60, not '61'"),
        ("watch_tick_seconds", "soon", "not 'soon'"),
        ("detector", "a b", "is not KEY=VALUE"),
    ],
)
def test_nonsense_is_refused_and_changes_nothing(
    api: Api, name: str, text: str, sentence: str
) -> None:
    before = _value(api, name)
    with pytest.raises(InvalidValue, match=sentence) as refused:
        ask(api, "option set", name=name, value=text)
    assert refused.value.field == "value"
    assert _value(api, name) == before


def test_what_is_no_option_is_not_found(api: Api) -> None:
    with pytest.raises(NotFound, match="perf_bench has no option 'build'"):
        ask(api, "option set", name="build", value="1")
