"""The module as ceph-mgr runs it, on each release: loaded, served, asked, shut down, taken over."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import errno
import gc
import json
import logging
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import threads
from fakes.ceph import RELEASES, MgrWorld, installed
from fakes.ceph.libcephsqlite import FakeLibrary, sqlite_of_16
from perf_bench.answers import command as cli
from perf_bench.bench import osd_benches
from perf_bench.model.round import RoundState

if TYPE_CHECKING:
    from perf_bench.module import Module, StandbyModule

NAME = "ceph-mgr"


class ProgressModule:
    """The progress module, as far as others call it."""

    def __init__(self) -> None:
        self.ended: list[str] = []

    def update(self, ev_id: str, **_told: Any) -> None:
        pass

    def complete(self, ev_id: str) -> None:
        self.ended.append(ev_id)

    def fail(self, ev_id: str, message: str) -> None:
        self.ended.append(f"{ev_id}: {message}")


class Mgr:
    """One ceph-mgr process with our module in it."""

    def __init__(self, world: MgrWorld) -> None:
        from perf_bench.module import Module

        self.module: Module = Module("perf_bench", object(), world)
        self._serving = threading.Thread(target=self.module.serve, name=NAME, daemon=True)

    def serve(self) -> None:
        """Begin to serve; returns when the module has read its database."""
        self._serving.start()
        threads.until(lambda: self.module._application.rounds.bench.ready)

    def begin(self) -> None:
        """Begin to serve, whether there is a database or not."""
        self._serving.start()

    def ask(self, words: str, **arguments: Any) -> tuple[int, str, str]:
        """A command, the way that ceph-mgr brings it."""
        order = {"prefix": f"perf-bench {words}", "target": ["mon-mgr", ""], **arguments}
        answer: tuple[int, str, str] = self.module._handle_command("", order)  # type: ignore[attr-defined]
        return answer

    def json(self, words: str, **arguments: Any) -> Any:
        code, out, err = self.ask(words, format="json", **arguments)
        assert (code, err) == (0, "")
        return json.loads(out)

    def ended(self) -> None:
        threads.until(lambda: not self.module._application.rounds.bench.occupied)

    def stop(self) -> None:
        self.module.shutdown()
        self._serving.join(threads.PATIENCE)
        assert not self._serving.is_alive()
        threads.join()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(osd_benches, "_LOOK_SECONDS", 0.002)


@pytest.fixture(params=RELEASES)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MgrWorld]:
    """A cluster of each release that keeps its database in a file."""
    made = MgrWorld.captured(request.param)
    made.settle()
    made.database = tmp_path / "main.db"
    made.modules["progress"] = ProgressModule()
    with ExitStack() as stack:
        stack.enter_context(installed(made))
        if request.param == "pacific":
            stack.enter_context(sqlite_of_16(FakeLibrary(), tmp_path))
        yield made


@pytest.fixture
def mgr(world: MgrWorld, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mgr]:
    from perf_bench import wiring

    monkeypatch.setattr(wiring, "_GUARD_SECONDS", 0.01)
    made = Mgr(world)
    yield made
    made.module.shutdown()
    threads.join()
    threads.join(NAME)


def test_the_package_offers_both_modules(world: MgrWorld) -> None:
    from mgr_module import MgrModule, MgrStandbyModule

    from perf_bench.module import Module, StandbyModule

    assert issubclass(Module, MgrModule)
    assert issubclass(StandbyModule, MgrStandbyModule)


def test_its_commands_are_those_of_the_table(mgr: Mgr) -> None:
    assert cli.descriptors() == mgr.module.COMMANDS
    assert mgr.module.NOTIFY_TYPES == []


def test_its_options(mgr: Mgr) -> None:
    """One of those on the page that is made of them."""
    name, default = "keep_rounds", 200
    (option,) = (option for option in mgr.module.MODULE_OPTIONS if option["name"] == name)
    assert (option["default"], option["min"], option["max"]) == (default, 20, 100_000)
    assert option["runtime"]
    assert option["desc"]
    assert mgr.module.get_module_option(name) == default


def test_loading_it_opens_nothing(mgr: Mgr, world: MgrWorld) -> None:
    assert world.registered == []
    assert world.connected == 0


def test_a_round_from_the_command_to_the_result(mgr: Mgr, world: MgrWorld) -> None:
    mgr.serve()
    assert mgr.ask("round start", profile="osd-throughput", repeats=2, osds="0,2") == (
        0,
        "round 1 started: 'ceph perf-bench round show 1' follows it",
        "",
    )
    mgr.ended()
    shown = mgr.json("round show", id="1")
    assert (shown["state"], shown["verdict"]) == ("done", "valid")
    assert [(row["osd"], row["samples"]) for row in shown["per_osd"]] == [(0, 2), (2, 2)]
    assert shown["environment"]["release"].endswith(world.release)
    assert {osd for osd, _ in world.osd_asked} == {0, 2}
    progress = world.modules["progress"]
    assert isinstance(progress, ProgressModule)
    assert progress.ended == ["perf_bench-round-1"]
    mgr.stop()
    # no client of a round is left, and the database is let go
    assert world.connected == 0
    assert len(world.registered) == 1


def test_status_names_the_release_and_the_pool(mgr: Mgr, world: MgrWorld) -> None:
    mgr.serve()
    status = mgr.json("status")
    assert status["release"].split()[1] == world.release
    pool = "device_health_metrics" if world.release == "pacific" else ".mgr"
    assert status["store"]["backend"] == f"sqlite in pool {pool}"
    assert status["watch"]["osds"] == 3


def _clients_of(world: MgrWorld, limit: str) -> list[Any]:
    """The clients with this time limit: others are opened beside the round's."""
    return [one for one in world.clients if one.get("rados_osd_op_timeout") == limit]


def test_the_options_count_when_a_round_starts(mgr: Mgr, world: MgrWorld) -> None:
    mgr.serve()
    world.module_options["perf_bench", "bench_timeout"] = 77
    world.module_options["perf_bench", "max_parallel"] = 2
    plan = mgr.json("round start", profile="osd-throughput", dry_run=True)
    assert plan["waves"] == [[0, 2], [1]]
    mgr.json("round start", profile="osd-throughput", repeats=1)
    mgr.ended()
    (client,) = _clients_of(world, "77")
    assert client["name"] == "mgr.x"
    assert client["keyring"] == "/var/lib/ceph/mgr/ceph-x/keyring"
    address = world.data["mon_map"]["mons"][0]["public_addrs"]["addrvec"][0]["addr"]
    assert client["mon_host"] == f"[v2:{address}]"


def test_a_text_where_an_option_is_a_number_is_as_if_it_were_not_set(
    mgr: Mgr, world: MgrWorld
) -> None:
    """What `ceph config set --force` does; ceph-mgr raises an error where it is read."""
    world.module_options["perf_bench", "metrics_port"] = "all"
    world.module_options["perf_bench", "bench_timeout"] = "1 min"
    mgr.serve()
    mgr.json("round start", profile="osd-throughput", repeats=1)
    mgr.ended()
    assert _clients_of(world, "300")
    values = {one["name"]: one["value"] for one in mgr.module.answer("option_ls", {})["answer"]}
    assert (values["metrics_port"], values["bench_timeout"]) == (0, 300)


def test_no_way_to_the_mons_fails_the_round(mgr: Mgr, world: MgrWorld) -> None:
    mgr.serve()
    world.reachable = False
    mgr.json("round start", profile="osd-throughput")
    mgr.ended()
    assert mgr.json("round show", id="1")["reasons"] == [
        "cannot connect to the cluster: [errno 110] error connecting to the cluster"
    ]


def test_the_next_mgr_carries_the_round_on(world: MgrWorld, mgr: Mgr) -> None:
    gate = threading.Event()

    def hang() -> tuple[int, bytes, str]:
        gate.wait()
        return -110, b"", ""

    mgr.serve()
    world.osd_acts[1] = hang
    mgr.json("round start", profile="osd-throughput", repeats=1, osds="0,1")
    benches = [(1, "bench"), (0, "bench")]
    threads.until(lambda: {(osd, o["prefix"]) for osd, o in world.osd_asked} >= set(benches))
    # its successor must not wait for an OSD that does not answer
    stopper = threading.Thread(target=mgr.module.shutdown, name=NAME, daemon=True)
    stopper.start()
    threads.until(lambda: mgr.module._application.rounds.bench._leaving)
    gate.set()
    stopper.join(threads.PATIENCE)
    threads.join()

    del world.osd_acts[1]
    successor = Mgr(world)
    successor.serve()
    successor.ended()
    shown = successor.json("round show", id="1")
    assert shown["state"] == RoundState.DONE.value
    assert shown["resumed"] == 1
    assert {sample["target"] for sample in shown["samples"]} == {"osd.0", "osd.1"}
    successor.stop()


# --- the database is not there ---------------------------------------------------------------


def test_it_waits_for_its_database_and_says_so_once(
    mgr: Mgr, world: MgrWorld, caplog: pytest.LogCaptureFixture
) -> None:
    database, world.database = world.database, None
    world.osd_map["pools"].clear()
    for number in (0, 1, 2):
        world.set_down(number)
    with caplog.at_level(logging.WARNING):
        mgr.begin()
        threads.until(lambda: bool(caplog.messages))
        # commands are answered meanwhile
        store = mgr.json("status")["store"]
        assert store["error"]
        assert not store["ready"]
        code, _, err = mgr.ask("round start", profile="osd-throughput")
        assert (code, err.split(":")[0]) == (
            -errno.EAGAIN,
            "perf_bench has not read its database",
        )
        world.database = database
        for number in (0, 1, 2):
            world.change_osd(number, up=1, state=["exists", "up"])
        threads.until(lambda: mgr.module._application.rounds.bench.ready)
        store = mgr.json("status")["store"]
        assert (store["error"], store["ready"]) == (None, True)
    (said,) = caplog.messages
    assert said.startswith("the database is not there yet: ")
    assert mgr.json("round ls") == []


def test_a_mgr_that_stops_meanwhile_stops(mgr: Mgr, world: MgrWorld) -> None:
    world.database = None
    world.osd_map["pools"].clear()
    world.osd_map["osds"].clear()
    mgr.begin()
    mgr.stop()


def test_a_mgr_that_is_stopped_before_it_serves(mgr: Mgr) -> None:
    mgr.module.shutdown()
    mgr.module.serve()


# --- what nobody foresaw ---------------------------------------------------------------------


def test_a_command_that_breaks_is_an_error_and_a_traceback_in_the_log(
    mgr: Mgr, world: MgrWorld, caplog: pytest.LogCaptureFixture
) -> None:
    mgr.serve()
    del world.data["osd_map"]
    code, out, err = mgr.ask("doctor")
    assert (code, out) == (-errno.EIO, "")
    assert err == "internal error: the log of the active mgr says more"
    (record,) = (record for record in caplog.records if record.levelno == logging.ERROR)
    assert record.exc_info is not None


def test_the_dashboard_gets_answers_and_errors_as_data(
    mgr: Mgr, world: MgrWorld, caplog: pytest.LogCaptureFixture
) -> None:
    mgr.serve()
    assert mgr.module.answer("osd_show", {"id": "1"})["answer"]["host"] == "host-1"
    assert mgr.module.answer("osd_show", {"id": "9"})["error"]["errno"] == errno.ENOENT
    # a tab of before does not say what its user may do: it reads
    assert mgr.module.answer("round_rm", {"id": "1"})["error"]["errno"] == errno.EPERM
    rights = {"osd": ["delete"]}
    assert mgr.module.answer("round_rm", {"id": "1"}, rights)["error"]["errno"] == errno.ENOENT
    assert mgr.module.answer("osd_show", {"id": "1"}, rights)["error"]["errno"] == errno.EPERM
    assert caplog.records == []


def test_what_breaks_for_the_dashboard_is_an_error_too(
    mgr: Mgr, world: MgrWorld, caplog: pytest.LogCaptureFixture
) -> None:
    mgr.serve()
    del world.data["osd_map"]
    broken = mgr.module.answer("doctor", {})
    assert broken["error"]["errno"] == errno.EIO
    (record,) = caplog.records
    assert record.exc_info is not None


def test_enclosures_are_looked_at_on_the_thread_that_waits_for_nothing(
    mgr: Mgr, world: MgrWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The database is read while the first tick goes by.
    world.module_options["perf_bench", "watch_tick_seconds"] = 0.1
    seen: list[str] = []
    monkeypatch.setattr(
        mgr.module._application.services.inventory,
        "tick",
        lambda _tick: seen.append(threading.current_thread().name),
    )
    mgr.serve()
    threads.until(lambda: bool(seen))
    assert set(seen) == {"perf-bench-watch"}


# --- standby ---------------------------------------------------------------------------------


@pytest.fixture
def standby(world: MgrWorld) -> StandbyModule:
    from perf_bench.module import StandbyModule

    return StandbyModule("perf_bench", world)


def test_a_standby_waits_until_it_is_told(standby: StandbyModule, world: MgrWorld) -> None:
    serving = threading.Thread(target=standby.serve, name=NAME, daemon=True)
    serving.start()
    assert serving.is_alive()
    standby.shutdown()
    serving.join(threads.PATIENCE)
    assert not serving.is_alive()
    assert world.registered == []
    assert not threads.alive()


def test_the_log_of_the_active_module_outlives_the_standby_module(world: MgrWorld) -> None:
    from perf_bench.module import Module, StandbyModule

    standby = StandbyModule("perf_bench", world)
    active = Module("perf_bench", object(), world)
    del standby
    gc.collect()
    assert world.logs
    active.shutdown()
