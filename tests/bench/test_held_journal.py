"""The journal of held settings: what is read of it, whoever wrote it, and how it is saved."""

from __future__ import annotations

import json
from typing import Any

import pytest

from evidence import checked
from fakes.settings import FakeAuthority, FakeKeys, FakeSettings, an_access
from held_cluster import BEFORE, LIMIT, OPTION, POOL, QUIET, ROUND, WANTED, World, looks_on
from perf_bench.bench.held import EARLIER_KEYS, FORMAT, KEYS, MCLOCK, Held
from perf_bench.bench.held import ROUND as USER
from perf_bench.errors import NotNow
from perf_bench.model.admission import QuiesceState, SettingChange

BELOW, EARLIER = f"{KEYS}/{USER}", EARLIER_KEYS[USER]
MINUTE = 60.0
GOOD: dict[str, Any] = {
    "what": "flag/noscrub",
    "was": "unset",
    "want": "set",
    "at": 1.0,
    "holder": ROUND,
    "until": 2.0,
    "also": [],
    "late_until": 0.0,
}


def _held(keys: FakeKeys, user: str = USER, writer: str = "4100") -> Held:
    return Held(user, an_access(keys=keys, authority=FakeAuthority(writer)))


def _text(*changes: Any, version: Any = FORMAT) -> str:
    return json.dumps({"format": version, "changes": list(changes)})


def test_each_process_takes_over_what_others_have_written() -> None:
    keys = FakeKeys()
    keys.keys[f"{BELOW}/4100.000"] = _text(GOOD)
    other = _held(keys, writer="4200")
    (change,) = other.read_whole()
    assert change == SettingChange(**{**GOOD, "also": ()})
    other.save()
    assert list(keys.keys) == [f"{BELOW}/4200.000"]
    assert _held(keys).read_whole() == [change]


@pytest.mark.parametrize(
    "what",
    ["config/osd.{}/osd_mclock_max_capacity_iops_hdd", "osd/{}/primary_affinity"],
)  # fmt: skip
def test_more_changes_than_one_key_could_have(what: str) -> None:
    """A key has at most 64 KiB, which the fake refuses, too."""
    keys, settings = FakeKeys(), FakeSettings()
    names = [what.format(number) for number in range(1000)]
    settings.values.update(dict.fromkeys(names, "11268.8"))
    held = Held(MCLOCK, an_access(settings, keys))
    held.hold("x" * 32, dict.fromkeys(names, "0.5"))
    assert len(keys.keys) == 10
    assert [one.what for one in _held(keys, MCLOCK).read_whole()] == names
    held.release(lambda one: one.what in names[900:])
    assert len(keys.keys) == 9
    held.release()
    assert keys.keys == {}
    assert set(settings.values.values()) >= {"11268.8"}


# --- what earlier versions have left --------------------------------------------------------------


@pytest.mark.parametrize("at_once", [False, True])
def test_what_an_earlier_version_has_left_is_put_back(at_once: bool) -> None:
    """It had a key for each change and notes beside them, or before that one for all."""
    world = World()
    world.values = dict(QUIET)
    changes = [
        {"what": what, "was": BEFORE[what], "want": WANTED[what], "at": 0.0}
        for what in ("flag/noscrub", "balancer", POOL, OPTION)
    ]
    head = {"holder": ROUND, "writer": "9", "since": 0.0, "until": world.clock.now() + LIMIT}
    if at_once:
        world.keys[EARLIER] = json.dumps({**head, "changes": changes, "colour": "red"})
    else:
        for number, change in enumerate(changes):
            text = json.dumps({"format": 2, **head, **change})
            world.keys[f"{EARLIER}/9.{number:06d}"] = text
        world.keys[f"{EARLIER}/9.000009"] = json.dumps({"format": 2, **head})
    world.running = None
    mgr = world.mgr()
    mgr.step()
    assert world.values == BEFORE
    looks_on(world, mgr)
    assert (world.values, world.keys) == (BEFORE, {})


# --- what cannot be read --------------------------------------------------------------------------


UNREADABLE: list[tuple[str, str]] = [
    ("", "it is no JSON"),
    ("{", "it is no JSON"),
    ("[" * 60000, ""),
    ("[]", "'list' object"),
    ("null", "'NoneType' object"),
    (_text(version=4), "written by a newer version"),
    (_text(version="9" * 5000), "it has format '999"),
    (_text(version=[["x" * 60_000]]), "it has format [['xxx"),
    (_text({**GOOD, "what": "colour"}), "what must be the name of a setting, not 'colour'"),
    (_text({**GOOD, "what": "flag/\x1b[2J"}), "what must be the name of a setting"),
    (_text({**GOOD, "want": 7}), "want must be a text"),
    (_text({**GOOD, "holder": ""}), "holder must be a text that is not empty"),
    (_text({**GOOD, "until": float("nan")}), "until must be a number of 0 or more"),
    (_text({**GOOD, "at": 10**400}), "int too large"),
    (_text({**GOOD, "at": True}), "at must be a number"),
    (_text({key: GOOD[key] for key in GOOD if key != "was"}), "was is missing"),
    (json.dumps({"changes": 3}), "not iterable"),
    (_text(3), "not a mapping"),
]


@pytest.mark.parametrize("key", [f"{BELOW}/7", EARLIER])
def test_what_cannot_be_read_stops_nothing_else_and_is_claimed(key: str) -> None:
    for text, why in UNREADABLE:
        world = World()
        world.mgr().hold(ROUND, WANTED, world.clock.now() + LIMIT)
        world.keys[key] = text
        world.running = None
        mgr = world.mgr()
        looks_on(world, mgr, MINUTE)
        assert world.values == BEFORE
        assert world.keys == {key: text}  # nobody removes what nobody could read
        assert mgr.status().state is QuiesceState.RESTORE_PENDING
        assert key in str(mgr.status().why)
        (claim,) = checked(mgr.claims())
        assert f"{key} (" in claim.message
        assert why in claim.message
        assert len(claim.evidence["unreadable"]) == 1
        done = mgr.restore()  # nothing could be put back, and not all was looked at
        assert not done.complete
        assert key in (done.unsaved or "")
        with pytest.raises(NotNow, match="cannot be read"):
            mgr.hold("round-8", WANTED, world.clock.now() + LIMIT)
        assert world.values == BEFORE
        del world.keys[key]
        looks_on(world, mgr, 2 * MINUTE)
        assert mgr.claims() == []
        assert mgr.status().state is QuiesceState.IDLE


def test_what_is_looked_at_is_told() -> None:
    world = World()
    mgr = world.mgr()

    def gaps() -> list[tuple[str, tuple[str, ...]]]:
        (look,) = mgr.looks()
        return [(gap.code, gap.units) for gap in look.gaps]

    assert gaps() == [("unread", ("journal",))]
    mgr.step()
    assert gaps() == []
    world.keys[f"{BELOW}/7"] = "{"
    world.clock.advance(MINUTE)
    mgr.step()
    assert gaps() == [("unreadable", ("journal",))]
