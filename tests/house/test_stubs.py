"""What mypy is told of Ceph is what Ceph has, where Ceph is installed."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

REAL = Path("/usr/share/ceph/mgr/mgr_module.py")
# The part that the stub gives to both modules, and where Ceph itself keeps more of it.
SHARED, MIXIN = "_Part", "MgrModuleLoggingMixin"

pytestmark = pytest.mark.skipif(not REAL.is_file(), reason="Ceph's packages are not installed")

Signatures = dict[str, list[str]]


def _methods(source: str) -> dict[str, Signatures]:
    """Class -> method -> the names of its arguments."""
    return {
        node.name: {
            method.name: [a.arg for a in (*method.args.args, *method.args.kwonlyargs)]
            for method in node.body
            if isinstance(method, ast.FunctionDef)
        }
        for node in ast.parse(source).body
        if isinstance(node, ast.ClassDef)
    }


@pytest.fixture(scope="module")
def stub(root: Path) -> dict[str, Signatures]:
    return _methods((root / "qa" / "toolchain" / "stubs" / "mgr_module.pyi").read_text())


@pytest.fixture(scope="module")
def real() -> dict[str, Signatures]:
    return _methods(REAL.read_text())


def _lies(said: Signatures, true: Signatures) -> list[str]:
    """Methods that Ceph lacks, or that take other arguments there; Ceph may take more."""
    return [
        name
        for name, arguments in said.items()
        if not name.startswith(("__", "_ceph_"))  # _ceph_* are not written in Python
        and arguments != [a for a in true.get(name, []) if a in arguments]
    ]


@pytest.mark.parametrize(
    "name", ["CommandResult", "OSDMap", "CRUSHMap", "MgrModule", "MgrStandbyModule"]
)
def test_every_method_of_the_stub_is_real(
    name: str, stub: dict[str, Signatures], real: dict[str, Signatures]
) -> None:
    assert stub[name]
    assert not _lies(stub[name], real[name])


@pytest.mark.parametrize("name", ["MgrModule", "MgrStandbyModule"])
def test_both_modules_have_the_shared_part(
    name: str, stub: dict[str, Signatures], real: dict[str, Signatures]
) -> None:
    assert stub[SHARED]
    assert not _lies(stub[SHARED], {**real[MIXIN], **real[name]})


def test_a_lie_is_seen() -> None:
    true = {"get": ["self", "name"], "serve": ["self"]}
    assert _lies({"get": ["self", "name"]}, true) == []
    assert _lies({"get": ["self", "data"], "put": ["self"]}, true) == ["get", "put"]
