"""The fakes of Ceph's modules are like the real ones, as far as that can be held against them."""

# Ceph's Python modules are in place only while a world is installed.
# ruff: noqa: PLC0415

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fakes.ceph import RELEASES, MgrWorld, installed, mgr_in, rados
from fakes.ceph import mgr as fake
from fakes.ceph.world import answers_of, bench

if TYPE_CHECKING:
    from mgr_module import MgrModule

Signatures = dict[str, list[str]]


def _methods(path: Path, name: str) -> Signatures:
    """Method -> the names of its arguments, of one class in a file."""
    (found,) = (
        node
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and node.name == name
    )
    return {
        method.name: [a.arg for a in (*method.args.args, *method.args.kwonlyargs)]
        for method in found.body
        if isinstance(method, ast.FunctionDef)
    }


@pytest.mark.parametrize(
    ("file", "name", "stub", "stubbed"),
    [
        (fake, "_Part", "mgr_module.pyi", ("_Part",)),
        (fake, "MgrModule", "mgr_module.pyi", ("MgrModule", "_Part")),
        (fake, "OSDMap", "mgr_module.pyi", ("OSDMap",)),
        (fake, "CLICommandBase", "mgr_module.pyi", ("CLICommandBase",)),
        (rados, "Rados", "rados.pyi", ("Rados",)),
    ],
)
def test_a_fake_has_no_method_that_the_types_of_the_real_one_lack(
    file: Any, name: str, stub: str, stubbed: tuple[str, ...], root: Path
) -> None:
    # tests/house holds the types against Ceph itself, where it is installed.
    stubs = root / "qa" / "toolchain" / "stubs" / stub
    real: Signatures = {}
    for each in stubbed:
        real.update(_methods(stubs, each))
    # what ceph-mgr calls, and what is not written in Python
    own = {"_begin", "_require", "_handle_command", "handle_command", "_ceph_register_client"}
    for method, arguments in _methods(Path(file.__file__), name).items():
        if method in own or method.startswith("__"):
            continue
        # the base of the real one has it: the types say it only where it is needed
        if method in {"get_ceph_option", "shutdown"}:
            continue
        assert arguments == [a for a in real[method] if a in arguments], method


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize(
    ("name", "since"),
    [("open_db", "reef"), ("MGR_POOL_NAME", "reef"), ("get_osdmap", "pacific")],
)
def test_each_release_has_the_names_that_it_has(release: str, name: str, since: str) -> None:
    with installed(MgrWorld.captured(release)):
        there = hasattr(sys.modules["mgr_module"].MgrModule, name)
    assert there == (RELEASES.index(release) >= RELEASES.index(since))


@pytest.mark.parametrize(
    ("release", "there"), [("pacific", False), ("reef", False), ("tentacle", True)]
)
def test_the_registries_of_commands_came_with_20(release: str, there: bool) -> None:
    with installed(MgrWorld.captured(release)):
        assert hasattr(sys.modules["mgr_module"], "CLICommandBase") == there


def test_nothing_stays_installed() -> None:
    before = set(sys.modules)
    with installed(MgrWorld.captured("pacific")):
        import perf_bench.module

        assert perf_bench.module.Module.__mro__[1].__module__.startswith("fakes.")
    assert "perf_bench.module" not in sys.modules
    ours = {name for name in sys.modules if name.startswith("perf_bench.ceph")}
    assert ours <= before, "what a test needs without Ceph may have been there"
    assert {"mgr_module", "rados"} & set(sys.modules) == {"mgr_module", "rados"} & before
    found = importlib.util.find_spec("rados")
    assert found is None or found.origin != rados.__file__


@pytest.mark.parametrize(
    ("ask", "error"),
    [
        (lambda mgr: mgr.get("osd_mpa"), KeyError),
        (lambda mgr: mgr.get_ceph_option("keyrnig"), KeyError),
        (lambda mgr: mgr.get_module_option("bench_timeuot"), RuntimeError),
        (lambda mgr: mgr.get_foreign_ceph_option("osd.0", "osd_bench_druation"), KeyError),
        (lambda mgr: mgr.remote("pgoress", "update"), ImportError),
        (lambda mgr: mgr.rados.mon_command('{"prefix": "osd pool craete"}', b""), KeyError),
        (lambda mgr: mgr.rados.osd_command(0, '{"prefix": "bnech"}', b""), KeyError),
        (lambda mgr: mgr.no_such_thing, AttributeError),
    ],
)
def test_what_is_misspelt_is_an_error(ask: Any, error: type[Exception], mgr: MgrModule) -> None:
    with pytest.raises(error):
        ask(mgr)


def test_a_module_option_has_its_default_until_it_is_set(world: MgrWorld) -> None:
    from mgr_module import MgrModule, Option

    class Module(MgrModule):
        MODULE_OPTIONS = [Option(name="size", type="int", default=4)]  # noqa: RUF012 - as Ceph's

    module = Module("m", object(), world)
    assert module.get_module_option("size") == 4
    world.module_options["m", "size"] = 5
    assert module.get_module_option("size") == 5
    assert module.get_module_option_ex("other", "name", "fallback") == "fallback"


def test_what_another_module_raises_arrives_as_a_runtime_error(world: MgrWorld) -> None:
    class Other:
        def work(self) -> None:
            raise KeyError("x")

    world.modules["other"] = Other()
    mgr = mgr_in(world)
    with pytest.raises(RuntimeError, match="Remote method threw exception: 'x'"):
        mgr.remote("other", "work")
    with pytest.raises(NameError):
        mgr.remote("other", "play")


def test_a_change_of_an_osd_is_a_new_epoch(world: MgrWorld, mgr: MgrModule) -> None:
    before = mgr.get_osdmap().get_epoch()
    world.set_down(1)
    assert mgr.get_osdmap().get_epoch() == before + 1
    assert world.osd(1)["state"] == ["exists"]


@pytest.mark.parametrize("release", RELEASES)
def test_its_osds_say_what_real_ones_said(release: str) -> None:
    real = answers_of(release)
    world = MgrWorld.captured(release)
    over = {"prefix": "bench", "count": 1 << 40, "size": 4096}
    assert world.osd_command(0, over) == real["bench over the limit"]
    assert world.osd_command(99, over) == real["bench of osd.99"]
    code, out, message = bench({"prefix": "bench", "count": 1 << 20, "size": 4096})
    assert (code, message) == (real["bench"][0], real["bench"][2])
    keys = ("bytes_written", "blocksize", "elapsed_sec", "bytes_per_sec", "iops")
    for text in (out, real["bench"][1]):
        places = [text.index(f'"{key}"'.encode()) for key in keys]
        assert places == sorted(places)


def test_a_number_as_text_is_not_understood() -> None:
    assert bench({"prefix": "bench", "count": "4096", "size": 4096})[2] == "invalid command json"


def test_a_client_works_only_while_it_is_connected(world: MgrWorld) -> None:
    client = sys.modules["rados"].Rados(conf={"mon_host": "x"})
    with pytest.raises(rados.RadosStateError):
        client.osd_command(0, "{}", b"")
    client.connect()
    client.shutdown()
    client.shutdown()
    assert world.connected == 0
    with pytest.raises(rados.RadosStateError):
        client.mon_command("{}", b"")


def test_a_setting_that_ceph_does_not_know(world: MgrWorld) -> None:
    with pytest.raises(rados.ObjectNotFound):
        sys.modules["rados"].Rados(conf={"rados_osd_op_timeuot": "3"})
