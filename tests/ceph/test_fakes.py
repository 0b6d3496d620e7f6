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
