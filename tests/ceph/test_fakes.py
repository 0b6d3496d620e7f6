"""The fakes of Ceph's modules are like the real ones, as far as that can be held against them."""

# Ceph's Python modules are in place only while a world is installed.

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fakes.ceph import mgr as fake
from fakes.ceph import rados

if TYPE_CHECKING:
    pass

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
