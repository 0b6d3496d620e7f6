"""`ceph-perf-bench restore`: what it shows, does and leaves, with no more than a `ceph`."""

from __future__ import annotations

import errno
import json
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Optional

import pytest

from fakes.ceph import RELEASES, MgrWorld
from fakes.ceph_cli import FakeCli
from golden import compare
from perf_bench.bench.held import FORMAT, KEYS, LATE, MCLOCK, RELIEF, ROUND
from perf_bench.tool import client as client_module
from perf_bench.tool.client import CephClient
from perf_bench.tool.main import main

if TYPE_CHECKING:
    from tests.tool.conftest import Play

Captured = pytest.CaptureFixture[str]
NOW = 1_795_256_412.0
HOLDER = "4f3c2a1b4f3c2a1b4f3c2a1b4f3c2a1b"
OPTION = "osd_bench_small_size_max_iops"
CAPACITY = "osd_mclock_max_capacity_iops_ssd"
# What a round changes, in its order: setting, before, while it is held.
HELD: list[tuple[str, Optional[str], Optional[str]]] = [
    ("flag/noscrub", "unset", "set"),
    ("flag/nodeep-scrub", "unset", "set"),
    ("balancer", None, "off"),
    ("pool/1/pg_autoscale_mode", "on", "off"),
    (f"config/osd/{OPTION}", None, "3200"),
]


@pytest.fixture
def world(request: pytest.FixtureRequest) -> MgrWorld:
    """A cluster whose mgr was ended while a round held all that one may hold."""
    made = MgrWorld.captured(getattr(request, "param", "reef"))
    made.data["mgr_map"]["modules"] = ["perf_bench"]
    hold(made, *HELD)
    return made


@pytest.fixture
def cli(world: MgrWorld, monkeypatch: pytest.MonkeyPatch) -> FakeCli:
    made = FakeCli(world)
    monkeypatch.setattr(client_module, "_run", made.run)
    monkeypatch.setattr(time, "time", lambda: NOW)
    return made


def hold(
    world: MgrWorld,
    *changes: tuple[str, Optional[str], Optional[str]],
    age: float = 740.0,
    made: bool = True,
) -> None:
    """Change settings as a round does, with the journal; those not ``made`` are doubtful."""
    late = 0.0 if made else NOW - age + LATE
    head = {"at": NOW - age, "holder": HOLDER, "until": NOW + 3600, "late_until": late}
    found = [{"what": what, "was": was, "want": want, **head} for what, was, want in changes]
    journal(world, ROUND, *found)
    for what, _, want in changes:
        put(world, what, want)


def journal(world: MgrWorld, user: str, *changes: dict[str, Any]) -> None:
    """Write the journal of a user."""
    text = json.dumps({"format": FORMAT, "changes": changes})
    world.keys = {f"{KEYS}/{user}/4100": text}


def named(world: MgrWorld) -> list[str]:
    """The settings that the journals name."""
    return [one["what"] for text in world.keys.values() for one in json.loads(text)["changes"]]


def put(world: MgrWorld, what: str, value: Optional[str]) -> None:
    kind, _, name = what.partition("/")
    if kind == "flag":
        word = "osd set" if value == "set" else "osd unset"
        world.mon_command({"prefix": word, "key": name})
    elif kind == "balancer":
        world.mon_command({"prefix": f"balancer {value}"})
    elif kind == "pool":
        number, _, field = name.partition("/")
        (pool,) = [pool for pool in world.osd_map["pools"] if str(pool["pool"]) == number]
        pool[field] = value
    else:
        section, _, option = name.partition("/")
        if value is None:
            world.config.pop((section, option), None)
        else:
            world.config[section, option] = value


def restore(*words: str) -> int:
    return main(["restore", *words])


def restored(capsys: Captured, *words: str) -> tuple[int, Any]:
    """The exit code, and by setting what became of it."""
    code = restore("--format", "json", *words)
    shape = json.loads(capsys.readouterr().out)
    return code, {one["what"]: one["fate"] for one in shape["settings"]}


def with_no_mgr(world: MgrWorld) -> None:
    world.data["mgr_map"].update(available=False, active_name="", active_gid=0)


def without_the_module(world: MgrWorld) -> None:
    world.data["mgr_map"]["modules"] = []


# --- all of it, and nothing -----------------------------------------------------------------------


@pytest.mark.parametrize("world", RELEASES, indirect=True)
def test_all_is_put_back_without_the_module(
    cli: FakeCli, world: MgrWorld, capsys: Captured
) -> None:
    without_the_module(world)
    assert restore() == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert world.keys == {}
    assert world.balancing
    assert not {"noscrub", "nodeep-scrub"} & set(world.osd_map["flags_set"])
    assert world.config == {}
    assert world.osd_map["pools"][0]["pg_autoscale_mode"] == "on"
    if world.release == "pacific":
        compare("restore.txt", out)


def test_a_dry_run_changes_nothing(cli: FakeCli, world: MgrWorld, capsys: Captured) -> None:
    without_the_module(world)
    assert restore("--dry-run") == 1
    assert cli.orders == []
    out = capsys.readouterr().out
    assert out.startswith("flag/noscrub: pending, was unset, is set\n    ceph osd unset noscrub\n")
    assert out.endswith("Dry run: nothing was changed.\n")


# --- who may --------------------------------------------------------------------------------------


def test_while_a_round_holds_them_it_is_refused(
    cli: FakeCli, world: MgrWorld, capsys: Captured
) -> None:
    cli.quiesce = "held"
    assert restore() == 2
    assert capsys.readouterr() == (
        "",
        (
            "ceph-perf-bench: round 7 is running and holds these settings: end it with 'ceph "
            "perf-bench round abort', which puts them back, or add --force to put them back now\n"
        ),
    )
    assert cli.orders == []
    assert restore("--force") == 0
    assert world.keys == {}


def test_a_module_that_does_not_work_is_not_there(cli: FakeCli, capsys: Captured) -> None:
    cli.quiesce = errno.EOPNOTSUPP
    assert restore() == 0
    assert sum(words[0] == "perf-bench" for words in cli.calls) == 1, "it is asked once"


def test_a_mgr_of_ours_that_does_not_say_is_waited_for(cli: FakeCli, capsys: Captured) -> None:
    for answer in (None, errno.EAGAIN):
        cli.quiesce = answer
        assert restore() == 2
        err = capsys.readouterr().err
        assert " does not say whether a round holds these settings (" in err
        assert err.endswith("or add --force\n")
    assert cli.orders == []
    assert restore("--force") == 0


def test_an_answer_that_cannot_be_read_is_none(
    cli: FakeCli, world: MgrWorld, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(argv: list[str], limit: float, file: Optional[str]) -> tuple[int, str, str]:
        return (0, "[]", "") if "perf-bench" in argv else cli.run(argv, limit, file)

    monkeypatch.setattr(client_module, "_run", run)
    assert restore() == 2
    assert "(unknown answer: " in capsys.readouterr().err
    assert cli.orders == []


@pytest.mark.parametrize("absent", [with_no_mgr, without_the_module])
def test_a_round_that_begins_meanwhile_stops_it(
    absent: Callable[[MgrWorld], None],
    cli: FakeCli,
    world: MgrWorld,
    capsys: Captured,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    absent(world)
    before = cli.run

    def run(argv: list[str], limit: float, file: Optional[str]) -> tuple[int, str, str]:
        done = before(argv, limit, file)
        if argv[-3:] == ["rm", "osd", OPTION]:
            world.data["mgr_map"].update(available=True, modules=["perf_bench"], epoch=8)
            cli.quiesce = "held"
        return done

    monkeypatch.setattr(client_module, "_run", run)
    code, fates = restored(capsys)
    assert code == 1
    assert list(fates.values()) == ["put-back"] + ["waiting"] * 4
    assert "noscrub" in world.osd_map["flags_set"]


@pytest.mark.parametrize(
    ("code", "text"), [(errno.EACCES, "access denied"), (errno.ETIMEDOUT, "no answer")]
)
def test_without_a_way_in_nothing_can_be_told(
    code: int, text: str, cli: FakeCli, world: MgrWorld, capsys: Captured
) -> None:
    without_the_module(world)
    world.mon_refuses["config-key dump"] = (-code, b"", text)
    assert restore() == 2
    assert capsys.readouterr() == ("", f"ceph-perf-bench: {text}\n")


# --- each outcome ---------------------------------------------------------------------------------


def test_with_no_mgr_at_all_only_the_balancer_waits(
    cli: FakeCli, world: MgrWorld, capsys: Captured
) -> None:
    with_no_mgr(world)
    assert restore() == 1
    out = capsys.readouterr().out
    assert (
        "balancer: waiting, was -, is -: no mgr is active, and the balancer is a part of the "
        "active mgr\n"
    ) in out
    assert out.endswith("Not all is back: run this again.\n")
    assert named(world) == ["balancer"]
    assert all(words[0] != "balancer" for words in cli.calls), "nobody waits for a mgr"
    # a mgr is back, without the module
    world.data["mgr_map"].update(available=True, modules=[], epoch=9)
    assert restore() == 0
    assert world.balancing
    assert world.keys == {}


def test_what_somebody_else_set_stays(cli: FakeCli, world: MgrWorld, capsys: Captured) -> None:
    put(world, f"config/osd/{OPTION}", "500")
    assert restore() == 0
    assert f"config/osd/{OPTION}: left, was -, is 500\n" in capsys.readouterr().out
    assert world.config["osd", OPTION] == "500"
    assert world.keys == {}


def test_an_order_that_may_still_come_is_looked_at_later(
    cli: FakeCli, world: MgrWorld, capsys: Captured
) -> None:
    hold(world, *HELD[:2], age=30, made=False)
    put(world, "flag/nodeep-scrub", "unset")  # its mgr died between writing and doing
    assert restore() == 1
    assert (
        "flag/nodeep-scrub: later, was unset, is unset: a mgr that ended may still change it until "
        "2026-11-21 10:30 UTC\n"
    ) in capsys.readouterr().out
    assert "flag/nodeep-scrub" in named(world)
    # it comes, and is undone at the next look
    put(world, "flag/nodeep-scrub", "set")
    assert restore() == 1
    assert not {"noscrub", "nodeep-scrub"} & set(world.osd_map["flags_set"])


def test_a_journal_that_cannot_be_written_is_told(
    cli: FakeCli, world: MgrWorld, capsys: Captured
) -> None:
    world.mon_refuses["config-key rm"] = (-errno.EPERM, b"", "not permitted")
    assert restore() == 1
    out = capsys.readouterr().out
    assert "flag/noscrub: put-back, was unset, is unset\n" in out
    assert "the journal could not be updated: not permitted\n" in out
    assert out.endswith("run this again.\n")


# --- capacities -----------------------------------------------------------------------------------


def _capacity(osd: int, was: Optional[str]) -> dict[str, Any]:
    what = f"config/osd.{osd}/{CAPACITY}"
    return {"what": what, "was": was, "want": "9000.0", "at": NOW - 60, "holder": MCLOCK}


@pytest.fixture
def capacities(world: MgrWorld) -> None:
    """Two that 'mclock propose --apply' set, in place of a round's settings."""
    journal(world, MCLOCK, *(_capacity(osd, was) for osd, was in ((0, None), (1, "450.0"))))
    for osd in (0, 1):
        put(world, f"config/osd.{osd}/{CAPACITY}", "9000.0")


def test_reliefs_stay_unless_it_is_said(
    capacities: None, cli: FakeCli, world: MgrWorld, capsys: Captured
) -> None:
    what = "osd/1/primary_affinity"
    change = {"what": what, "was": "1.0", "want": "0.0", "at": NOW - 60, "holder": RELIEF}
    journal(world, RELIEF, change)
    world.change_osd(1, primary_affinity=0.0)
    assert restore() == 0
    assert "Nothing is left to do without --mclock and --relief.\n" in capsys.readouterr().out
    assert world.osd(1)["primary_affinity"] == 0.0
    assert restore("--relief") == 0
    out = capsys.readouterr().out
    assert f"{what}: put-back, was 1.0, is 1.0" in out
    assert (world.osd(1)["primary_affinity"], world.keys) == (1.0, {})


@pytest.fixture
def reweighted(world: MgrWorld) -> None:
    """An OSD that 'osd relieve --reweight' gave half, in place of a round's settings."""
    change = {"what": "osd/1/reweight", "was": "1.0", "want": "0.5", "at": NOW - 60}
    journal(world, RELIEF, {**change, "holder": RELIEF})
    world.change_osd(1, weight=0.5)


def test_the_way_back_of_a_relieved_osd_is_kept_while_it_is_out(
    reweighted: None, cli: FakeCli, world: MgrWorld, capsys: Captured
) -> None:
    # "osd out": the monitors keep 0.5 as osd_xinfo.old_weight, and give it that when it is in.
    world.change_osd(1, weight=0.0)
    assert restore("--relief") == 1
    out = capsys.readouterr().out
    assert "osd/1/reweight: waiting, was 1.0, is 0.0: osd.1 is out, and has reweight 0.5" in out
    assert "ceph osd reweight 1 1.0" not in out  # it would take the OSD in
    assert (world.osd(1)["weight"], named(world)) == (0.0, ["osd/1/reweight"])
    assert restore("--relief", "--dry-run", "--format", "json") == 1
    (setting,) = json.loads(capsys.readouterr().out)["settings"]
    assert setting["why"].startswith("osd.1 is out, and has reweight 0.5")
    world.change_osd(1, weight=0.5)
    assert restore("--relief") == 0
    assert (world.osd(1)["weight"], world.keys) == (1.0, {})


def test_capacities_stay_unless_it_is_said(
    capacities: None, cli: FakeCli, world: MgrWorld, capsys: Captured
) -> None:
    before = dict(world.keys)
    assert restore() == 0
    assert capsys.readouterr().out == "Nothing is left to do without --mclock and --relief.\n"
    assert world.keys == before


def test_capacities_are_put_back(
    capacities: None, cli: FakeCli, world: MgrWorld, capsys: Captured
) -> None:
    assert restore("--mclock", "--dry-run") == 1
    out = capsys.readouterr().out
    assert f"    ceph config set osd.1 {CAPACITY} 450.0\n" in out
    assert restore("--mclock") == 0
    assert world.keys == {}
    assert ("osd.0", CAPACITY) not in world.config
    assert world.config["osd.1", CAPACITY] == "450.0"


# --- the client's words ---------------------------------------------------------------------------


def _client(ceph: Play) -> CephClient:
    return CephClient([*ceph.command.split(), "--name", "client.x"])


@pytest.mark.parametrize(
    ("prefix", "arguments", "words"),
    [
        ("config-key rm", {"key": "a b"}, ["config-key", "rm", "a b"]),
        ("config-key set", {"key": "a", "val": "{}"}, ["config-key", "set", "a", "{}"]),
        ("osd set", {"key": "noscrub"}, ["osd", "set", "noscrub"]),
        (
            "osd pool set",
            {"pool": "-n", "var": "pg_autoscale_mode", "val": "on"},
            ["osd", "pool", "set", "-n", "pg_autoscale_mode", "on"],
        ),
        (
            "osd pool set",
            {"pool": "--help", "var": "pg_autoscale_mode", "val": "on"},
            ["osd", "pool", "set", "--pool=--help", "--var=pg_autoscale_mode", "--val=on"],
        ),
        (
            "config set",
            {"who": "osd", "name": "x", "value": "-1"},
            ["config", "set", "osd", "x", "-1"],
        ),
        ("config get", {"who": "osd.0", "key": "x"}, ["config", "get", "osd.0", "x"]),
    ],
)
def test_arguments_become_words(
    ceph: Play, prefix: str, arguments: dict[str, Any], words: list[str]
) -> None:
    ceph.write({"on": "--", "out": "as it is\n"}, {"on": "--", "out": '\n{"a": 1}\n'})
    assert _client(ceph).command(prefix, **arguments) == b"as it is\n"
    assert _client(ceph).command_json(prefix, **arguments) == {"a": 1}
    own = ["--name", "client.x"]
    assert [call for _, call in ceph.calls] == [
        [*own, "--", *words],
        [*own, "--format", "json", "--", *words],
    ]
