"""`mgr_module` is Ceph's module, and our folder of that name never takes its place."""

from __future__ import annotations

import importlib.util
from pathlib import Path


def test_the_folder_is_no_package(root: Path) -> None:
    assert (root / "mgr_module").is_dir()
    assert not (root / "mgr_module" / "__init__.py").exists()


def test_every_folder_with_code_is_a_package(root: Path) -> None:
    # setuptools leaves the others out of the wheel, without a word
    house = root / "mgr_module" / "perf_bench"
    bare = {file.parent for file in house.rglob("*.py")} - {
        file.parent for file in house.rglob("__init__.py")
    }
    assert not bare


def test_our_folder_is_not_imported_here(root: Path) -> None:
    spec = importlib.util.find_spec("mgr_module")
    places = list(spec.submodule_search_locations or []) if spec else []
    assert str(root / "mgr_module") not in places, (
        "the repository's root is on the path: call pytest, not python -m pytest"
    )
