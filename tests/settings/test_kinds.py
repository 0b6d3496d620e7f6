"""Each kind of setting, as orders to the monitors of three releases."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Optional

import pytest

from fakes.ceph import RELEASES, MgrWorld, installed
from fakes.clock import FakeClock
from fakes.settings import FakeAuthority, FakeKeys, an_access
from perf_bench.errors import CommandFailed, NotFound
from perf_bench.model.quiesce import Left, SettingChange
from perf_bench.model.relief import stored
from perf_bench.settings.kinds import ClusterSettings, Options
from perf_bench.settings.undo import Undoer

if TYPE_CHECKING:
    from perf_bench.ceph.mons import Mons

OPTION = "config/osd/osd_bench_duration"
POOL = "pool/1/pg_autoscale_mode"
AFFINITY, REWEIGHT = "osd/1/primary_affinity", "osd/1/reweight"
# A change of each kind: what it was, and what a round makes of it.
CHANGES = [
    SettingChange("flag/noscrub", "unset", "set"),
    SettingChange("balancer", None, "off"),
    SettingChange(POOL, "on", "off"),
    SettingChange(OPTION, None, "60"),
    SettingChange(AFFINITY, "1.0", "0.0"),
]


@pytest.fixture(params=RELEASES)
def world(request: pytest.FixtureRequest) -> Iterator[MgrWorld]:
    made = MgrWorld.captured(request.param)
    with installed(made):
        yield made


@pytest.fixture
def mons(world: MgrWorld) -> Mons:
    from perf_bench.ceph.client import open_client
    from perf_bench.ceph.mons import Mons

    return Mons(lambda: open_client("mgr.x", "", "[v2:127.0.0.1:1/0]", 15))


@pytest.fixture
def settings(mons: Mons) -> ClusterSettings:
    return ClusterSettings(mons)


def _osds_go_by(world: MgrWorld, value: Optional[str]) -> None:
    """What running OSDs say of the option; None: they are down."""

    def answer() -> tuple[int, bytes, str]:
        if value is None:
            return -6, b"", "osd down"
        return 0, json.dumps({"osd_bench_duration": value}).encode(), ""

    for osd in world.osd_map["osds"]:
        world.osd_acts[osd["osd"]] = answer


def test_there_is_an_example_of_every_kind(settings: ClusterSettings) -> None:
    examples = {change.what.partition("/")[0] for change in CHANGES}
    assert examples == set(settings.kinds)
    assert {kind.example.partition("/")[0] for kind in settings.kinds.values()} == examples


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.what)
def test_there_and_back(change: SettingChange, settings: ClusterSettings, world: MgrWorld) -> None:
    config, flags = dict(world.config), world.osd_map["flags_set"]
    assert settings.read(change.what) == change.was
    settings.set(change.what, change.want)
    assert settings.read(change.what) == change.want
    settings.set(change.what, change.was)
    assert settings.read(change.what) == change.was
    assert world.config == config
    assert world.balancing
    assert sorted(world.osd_map["flags_set"]) == sorted(flags)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.what)
def test_every_kind_says_who_still_goes_by_what_was_changed(
    change: SettingChange, settings: ClusterSettings, world: MgrWorld
) -> None:
    settings.set(change.what, change.want)
    _osds_go_by(world, change.want)
    if change.what == OPTION:  # the record is put back, and the OSDs have not heard of it
        settings.set(change.what, change.was)
    assert settings.lagging(change)
    settings.set(change.what, change.was)
    _osds_go_by(world, "30")
    assert settings.lagging(change) is None


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.what)
def test_every_kind_says_what_an_operator_types(
    change: SettingChange, settings: ClusterSettings
) -> None:
    name = next(iter(_pool_names(settings)))
    assert (
        settings.commands(change)
        == {
            "flag/noscrub": ["ceph osd unset noscrub"],
            "balancer": ["ceph balancer on", "ceph config rm mgr mgr/balancer/active"],
            POOL: [f"ceph osd pool set {name} pg_autoscale_mode on"],
            OPTION: ["ceph config rm osd osd_bench_duration"],
            AFFINITY: ["ceph osd primary-affinity 1 1.0"],
        }[change.what]
    )


def _pool_names(settings: ClusterSettings) -> list[str]:
    pools = settings._monitors.command_json("osd pool ls", detail="detail")
    return [pool["pool_name"] for pool in pools if pool["pool_id"] == 1]


def test_values_are_put_back_by_commands_too(settings: ClusterSettings) -> None:
    assert settings.commands(SettingChange("flag/noscrub", "set", "unset")) == [
        "ceph osd set noscrub"
    ]
    assert settings.commands(SettingChange("balancer", "on", "off")) == ["ceph balancer on"]
    assert settings.commands(SettingChange("balancer", "off", "on")) == ["ceph balancer off"]
    assert settings.commands(SettingChange(OPTION, "a b", "60")) == [
        "ceph config set osd osd_bench_duration 'a b'"
    ]
    gone = SettingChange("pool/77/pg_autoscale_mode", "on", "off")
    assert settings.commands(gone) == ["ceph osd pool set POOL-77 pg_autoscale_mode on"]


# --- the balancer ------------------------------------------------------------------------------


@pytest.mark.parametrize("recorded", [None, "true"])
def test_the_balancer_itself_is_asked(
    recorded: Optional[str], settings: ClusterSettings, world: MgrWorld
) -> None:
    """The option was removed, and the running balancer has not heard of it: it is off."""
    key = "mgr", "mgr/balancer/active"
    was = "on" if recorded else None
    if recorded:
        world.config[key] = recorded
    assert settings.read("balancer") == was
    settings.set("balancer", "off")
    assert (world.balancing, world.config[key]) == (False, "false")
    world.config.pop(key)
    change = SettingChange("balancer", was, "off")
    assert settings.read("balancer") == "off"
    assert settings.lagging(change) == "'ceph balancer status' still says that it is not active"
    settings.set("balancer", was)
    assert (world.balancing, world.config.get(key)) == (True, recorded)
    assert settings.lagging(change) is None


def test_a_balancer_that_the_operator_has_switched_off(
    settings: ClusterSettings, world: MgrWorld
) -> None:
    world.config["mgr", "mgr/balancer/active"] = "false"
    assert settings.read("balancer") == "off"  # within a minute it is
    world.balancing = False
    assert settings.read("balancer") == "off"


@pytest.mark.parametrize(
    ("recorded", "read"),
    [("true", "on"), ("True", "on"), ("1", "on"), ("yes", "on"), ("false", "off"), ("0", "off"),
     ("no", "off")],
)  # fmt: skip
def test_what_ceph_takes_for_true_is_a_balancer_that_is_on(
    recorded: str, read: str, settings: ClusterSettings, world: MgrWorld
) -> None:
    world.config["mgr", "mgr/balancer/active"] = recorded
    assert settings.read("balancer") == read


def test_a_value_for_some_of_the_daemons_is_not_that_of_the_section() -> None:
    def entry(mask: str, value: str) -> dict[str, Any]:
        return {"section": "osd", "name": "osd_max_backfills", "mask": mask, "value": value}

    class Dumps:
        def command_json(self, _prefix: str) -> list[dict[str, Any]]:
            return dumped

    options = Options(Dumps())  # type: ignore[arg-type]
    for masks in (("class:ssd", "", "host:a"), ("", "class:ssd"), ("class:ssd", "")):
        dumped = [entry(mask, mask or "3") for mask in masks]
        assert options.read("osd/osd_max_backfills") == "3"
    dumped = [entry("class:ssd", "9")]
    assert options.read("osd/osd_max_backfills") is None


# --- pools -------------------------------------------------------------------------------------


def test_a_pool_that_is_renamed_is_still_the_same(
    settings: ClusterSettings, world: MgrWorld
) -> None:
    assert settings.read(POOL) == "on"
    pool = world.osd_map["pools"][0]
    pool["pool_name"] = "renamed"
    settings.set(POOL, "off")
    assert (pool["pg_autoscale_mode"], settings.read(POOL)) == ("off", "off")
    # another pool has got its name
    world.osd_map["pools"].append({**pool, "pool": 9, "pg_autoscale_mode": "warn"})
    pool["pool_name"] = "again"
    assert settings.read(POOL) == "off"


def test_what_there_is_not(settings: ClusterSettings) -> None:
    with pytest.raises(NotFound, match="no pool 7"):
        settings.read("pool/7/pg_autoscale_mode")
    for act in (settings.read, lambda what: settings.set(what, "red")):
        with pytest.raises(NotFound, match="no setting 'colour'"):
            act("colour")


def test_pools_that_the_autoscaler_would_change(settings: ClusterSettings, world: MgrWorld) -> None:
    assert settings.moving_pools() == []
    world.moving = {1}
    assert settings.moving_pools() == [1]
    world.osd_map["pools"][0]["pg_autoscale_mode"] = "warn"
    assert settings.moving_pools() == []


# --- options -----------------------------------------------------------------------------------


def test_osds_that_are_down_hold_nothing_up(settings: ClusterSettings, world: MgrWorld) -> None:
    _osds_go_by(world, None)
    assert settings.lagging(SettingChange(OPTION, None, "60")) is None


def test_an_osd_that_the_operator_set_itself_is_not_lagging(
    settings: ClusterSettings, world: MgrWorld
) -> None:
    """`ceph tell osd.0 config set` is over what the monitors have."""
    _osds_go_by(world, "45")
    assert settings.lagging(SettingChange(OPTION, None, "60")) is None
    # what we held it at is what the monitors want of it now
    _osds_go_by(world, "60")
    world.config["osd", "osd_bench_duration"] = "60"
    assert settings.lagging(SettingChange(OPTION, None, "60")) is None


def test_for_hundreds_of_options_the_configuration_is_asked_for_once_a_second(
    mons: Mons, world: MgrWorld
) -> None:
    clock = FakeClock()
    settings = ClusterSettings(mons, clock)
    assert settings.read(OPTION) is None
    world.config["osd", "osd_bench_duration"] = "45"
    assert settings.read(OPTION) is None
    clock.advance(1)
    assert settings.read(OPTION) == "45"
    settings.set(OPTION, "60")  # what this process sets it knows
    assert settings.read(OPTION) == "60"
    settings.set(OPTION, None)
    assert settings.read(OPTION) is None
    # without a clock each look is a look
    world.config["osd", "osd_bench_duration"] = "50"
    assert ClusterSettings(mons).read(OPTION) == "50"


def test_what_somebody_set_a_moment_ago_is_left_though_the_configuration_is_kept_for_a_second(
    mons: Mons, world: MgrWorld
) -> None:
    clock = FakeClock()
    settings = ClusterSettings(mons, clock)
    undoer = Undoer(an_access(settings, FakeKeys(), clock, authority=FakeAuthority("4100")))
    change = SettingChange(OPTION, None, "60")
    entry = undoer.add("mclock", 0.0, 0.0, change)
    assert undoer.make(entry, None)
    world.config["osd", "osd_bench_duration"] = "45"
    undoer.refresh()
    assert undoer.undo([entry]).left == (Left(OPTION, None, "45"),)
    assert world.config["osd", "osd_bench_duration"] == "45"


def test_one_osd_is_asked_for_its_own_option(settings: ClusterSettings, world: MgrWorld) -> None:
    _osds_go_by(world, "60")
    change = SettingChange("config/osd.1/osd_bench_duration", None, "60")
    assert settings.lagging(change) == "osd.1 still uses osd_bench_duration = 60"
    assert [number for number, _ in world.osd_asked] == [1]


# --- weights of OSDs ---------------------------------------------------------------------------


@pytest.mark.parametrize("what", [AFFINITY, REWEIGHT])
def test_a_weight_is_put_back_exactly(
    what: str, settings: ClusterSettings, world: MgrWorld
) -> None:
    settings.set(what, "0.3")
    held = settings.read(what)
    assert held == stored(0.3) == "0.29998779296875"
    settings.set(what, "0.0")
    settings.set(what, held)
    assert settings.read(what) == held


def test_the_weights_of_an_osd_are_two_fields(settings: ClusterSettings, world: MgrWorld) -> None:
    settings.set(REWEIGHT, "0.5")
    settings.set(AFFINITY, "0.25")
    osd = world.osd(1)
    assert (osd["weight"], osd["primary_affinity"]) == (0.5, 0.25)
    assert settings.commands(SettingChange(REWEIGHT, "1.0", "0.5")) == ["ceph osd reweight 1 1.0"]


@pytest.mark.parametrize(
    "what", ["osd/77/primary_affinity", "osd/1/weight", "osd/x/reweight", "osd/²/reweight", "osd/1"]
)
def test_no_such_osd_or_weight(what: str, settings: ClusterSettings) -> None:
    with pytest.raises(NotFound):
        settings.read(what)


def test_another_error_is_not_that_there_is_no_osd(
    settings: ClusterSettings, world: MgrWorld
) -> None:
    world.mon_refuses["osd info"] = (-13, b"", "access denied")
    with pytest.raises(CommandFailed, match="access denied"):
        settings.read(AFFINITY)


@pytest.mark.parametrize(
    ("typed", "author"),
    [
        ({"id": 1, "weight": 0.0}, "client.admin"),
        ({"id": "osd.1", "weight": "0"}, "client.admin"),
        ({"id": 1, "weight": 0.5}, None),
        ({"id": 1}, None),
        ({"id": 2, "weight": 0.0}, None),
    ],
)
def test_who_else_has_set_a_weight(
    typed: dict[str, Any], author: Optional[str], settings: ClusterSettings, world: MgrWorld
) -> None:
    order = {"prefix": "osd primary-affinity", **typed}
    world.audit = _said("client.admin", order)
    assert settings.author(CHANGES[4]) == author
    world.audit += _said("mgr.x", {"prefix": "osd primary-affinity", "id": 1, "weight": 0.0})
    assert settings.author(CHANGES[4]) is None


# --- who set it --------------------------------------------------------------------------------


def _said(entity: str, *orders: dict[str, Any], end: str = "finished") -> list[dict[str, Any]]:
    """Lines of the audit log as monitors write them (captured on 16.2.15)."""
    return [
        {"message": f"from='client.? 127.0.0.1:0/1' entity='{entity}' cmd='{text}': {end}"}
        for text in (json.dumps([order]) for order in orders)
    ]


def _said_on_20(entity: str, order: dict[str, Any]) -> list[dict[str, Any]]:
    """The line of a command that has arrived (captured on 20.2.4): one object, and a space."""
    text = json.dumps(order)
    return [{"message": f"from='client.? 127.0.0.1:0/1' entity='{entity}' cmd={text} : dispatch"}]


SET = {"prefix": "osd set", "key": "noscrub"}
UNSET = {"prefix": "osd unset", "key": "noscrub"}
OTHER = {"prefix": "osd set", "key": "noout"}
OFF, ON = {"prefix": "balancer off"}, {"prefix": "balancer on"}


@pytest.mark.parametrize(
    ("change", "log", "author"),
    [
        (CHANGES[0], [], None),
        (CHANGES[0], _said("mgr.x", SET), None),
        (CHANGES[0], _said("client.admin", SET), "client.admin"),
        (CHANGES[0], _said("client.admin", SET) + _said("mgr.x", SET), None),
        (CHANGES[0], _said("mgr.x", SET) + _said("client.bob", SET), "client.bob"),
        (CHANGES[0], _said("client.admin", SET, UNSET), None),
        (CHANGES[0], _said("client.admin", OTHER), None),
        (CHANGES[0], [{"message": "from='client.?' entity='client.admin' "}, {}], None),
        (CHANGES[0], [{"message": "entity='client.admin' cmd='[{]': finished"}], None),
        (CHANGES[1], _said("client.admin", OFF, end="dispatch"), "client.admin"),
        (CHANGES[1], _said("client.admin", OFF, ON, end="dispatch"), None),
        (CHANGES[0], _said_on_20("client.admin", SET), "client.admin"),
        (CHANGES[0], _said("client.admin", SET) + _said_on_20("mgr.x", SET), None),
        # seen on 16.2.15: what a monitor passes on to the mgr for us has its name
        (CHANGES[1], _said("mon.", OFF, end="dispatch"), None),
    ],
)
def test_who_else_has_set_it(
    change: SettingChange,
    log: list[dict[str, Any]],
    author: Optional[str],
    settings: ClusterSettings,
    world: MgrWorld,
) -> None:
    world.audit = log
    assert settings.author(change) == author


@pytest.mark.parametrize(
    ("was", "value", "log", "half"),
    [
        (None, "on", _said("mgr.x", ON), True),
        (None, "on", _said("mgr.x", OFF, ON), True),
        (None, "on", _said("mgr.x", ON, OFF), False),
        (None, "on", _said("mgr.x", OFF) + _said("client.admin", ON), False),
        (None, "on", [], False),
        (None, "off", _said("mgr.x", OFF), False),
        ("off", "on", _said("mgr.x", ON), False),
    ],
)
def test_a_balancer_that_is_on_with_the_option_still_there(
    was: Optional[str],
    value: str,
    log: list[dict[str, Any]],
    half: bool,
    settings: ClusterSettings,
    world: MgrWorld,
) -> None:
    world.audit = log
    assert settings.is_half_set(SettingChange("balancer", was, "off"), value) is half


def test_what_one_command_sets_is_never_half_set(settings: ClusterSettings) -> None:
    assert not settings.is_half_set(CHANGES[0], "unset")


def test_who_else_has_set_a_pool(settings: ClusterSettings, world: MgrWorld) -> None:
    settings.read(POOL)
    (name,) = _pool_names(settings)
    order = {"prefix": "osd pool set", "pool": name, "var": "pg_autoscale_mode", "val": "off"}
    world.audit = _said("client.admin", order, {**order, "pool": "another", "val": "on"})
    assert settings.author(CHANGES[2]) == "client.admin"
    world.audit = _said("client.admin", {**order, "val": "on"})
    assert settings.author(CHANGES[2]) is None


def _logged(*values: Optional[str]) -> list[dict[str, Any]]:
    """`config log` as monitors tell it, the newest entry first; None is a removal."""
    entries = [
        {
            "version": version,
            "timestamp": "2026-11-22T06:21:05.979192+0000",
            "name": "",
            "changes": [
                {"name": "osd/osd_bench_duration", **({"new_value": value} if value else {})}
            ],
        }
        for version, value in enumerate(values, start=7)
    ]
    return entries[::-1]


@pytest.mark.parametrize(
    ("before", "since", "author"),
    [
        (["60"], [], None),
        (["60"], ["45", "60"], "somebody"),
        (["60"], ["45"], None),
        # rounds before that ended a moment ago
        (["60", None, "60", None, "60"], [], None),
        ([None, "60"], [None, "60"], "somebody"),
        ([], [], None),
    ],
)
def test_an_option_that_was_set_to_the_same_again(
    before: list[Optional[str]],
    since: list[Optional[str]],
    author: Optional[str],
    settings: ClusterSettings,
    world: MgrWorld,
) -> None:
    """The log of the configuration has no names, but every change."""
    world.config_log = _logged(*before)
    settings.set(OPTION, "60")
    world.config_log = _logged(*before, *since)
    assert settings.author(SettingChange(OPTION, None, "60")) == author


def test_who_has_set_an_option_of_another_process_is_not_known(
    settings: ClusterSettings, world: MgrWorld
) -> None:
    world.config_log = _logged("60", "45", "60")
    assert settings.author(SettingChange(OPTION, None, "60")) is None
    settings.set(OPTION, None)
    assert settings.author(SettingChange(OPTION, None, "60")) is None


def test_what_monitors_refuse_is_raised(settings: ClusterSettings, world: MgrWorld) -> None:
    world.reachable = False
    with pytest.raises(CommandFailed):
        settings.read("balancer")
