"""Words after `fault KIND` mean daemons, or are refused in one sentence."""

from __future__ import annotations

import pytest

from cluster.errors import UsageError
from cluster.spec import Spec
from cluster.targets import resolve

OSDS = tuple(f"osd.{i}" for i in range(6))


def active() -> str:
    return "y"


@pytest.mark.parametrize(
    ("kind", "words", "daemons"),
    [
        ("stall", ["osd.1"], ("osd.1",)),
        ("stall", ["host-1"], ("osd.1", "osd.4")),
        ("stall", ["osd.4", "host-1"], ("osd.4", "osd.1")),  # each once
        ("stall", ["active"], ("mgr.y",)),
        ("stall", ["all"], OSDS),  # the mgrs only when named
        ("pause", ["active"], ("mgr.y",)),
        ("pause", ["x", "osd.2"], ("mgr.x", "osd.2")),
        ("pause", ["all"], OSDS),  # the mgrs only when named
        ("slow", ["all"], OSDS),
        ("down", ["host-2", "osd.0"], ("osd.2", "osd.5", "osd.0")),
        ("kill-mgr", ["active"], ("mgr.y",)),
        ("kill-mgr", ["x"], ("mgr.x",)),
        ("kill-mgr", ["mgr.x"], ("mgr.x",)),
        ("kill-mgr", ["all"], ("mgr.x", "mgr.y")),
        ("host-down", ["host-0"], ("osd.0", "osd.3")),
        ("host-down", ["all"], OSDS),
        ("kill-mon", ["mon.a"], ("mon.a",)),
        ("power-loss", ["host-1"], ("mgr.y", "osd.1", "osd.4")),
        ("power-loss", ["host-0"], ("mon.a", "mgr.x", "osd.0", "osd.3")),
        ("clear", ["all"], ("mon.a", "mgr.x", "mgr.y", *OSDS)),
        ("clear", ["x", "osd.2"], ("mgr.x", "osd.2")),
    ],
)
def test_words_mean_daemons(
    spec: Spec, kind: str, words: list[str], daemons: tuple[str, ...]
) -> None:
    assert resolve(spec, kind, words, active) == daemons


@pytest.mark.parametrize(
    ("kind", "word", "sentence"),
    [
        ("explode", "osd.1", "there is no fault 'explode'"),
        ("stall", "osd.6", "there is no osd.6 in this cluster: its OSDs are osd.0 to osd.5"),
        ("stall", "osd.01", "there is no osd.01"),
        ("stall", "osd.", "there is no osd."),
        ("stall", "host-3", "there is no host-3 in this cluster: its hosts are host-0 to host-2"),
        ("stall", "z", "'z' is no target"),
        ("stall", "", "'' is no target"),
        ("stall", "mon.a", "'stall' cannot be played on mon.a"),
        ("clear", "mon.b", "'mon.b' is no target"),
        ("kill-mon", "active", "'kill-mon' cannot be played on active: it takes mon.X or all"),
        ("power-loss", "osd.1", "it takes host-N or all"),
        ("slow", "active", "'slow' cannot be played on active: it takes osd.N, host-N or all"),
        ("down", "x", "'down' cannot be played on x"),
        ("kill-mgr", "osd.1", "it takes active, a mgr's name or all"),
        ("kill-mgr", "host-1", "'kill-mgr' cannot be played on host-1"),
        ("host-down", "osd.1", "'host-down' cannot be played on osd.1: it takes host-N or all"),
        ("host-down", "active", "'host-down' cannot be played on active"),
    ],
)
def test_what_does_not_fit_is_refused(spec: Spec, kind: str, word: str, sentence: str) -> None:
    with pytest.raises(UsageError) as error:
        resolve(spec, kind, ["osd.0", word] if kind == "stall" else [word], active)
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


def test_the_active_mgr_is_asked_for_only_when_meant(spec: Spec) -> None:
    def unreachable() -> str:
        raise AssertionError

    assert resolve(spec, "clear", ["x", "host-0"], unreachable) == ("mgr.x", "osd.0", "osd.3")
