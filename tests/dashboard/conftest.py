"""The plugin's parts that know no web server, loaded from where they are installed from."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem.strip("_"), path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def plugin(root: Path) -> Path:
    return root / "dashboard_plugin"


@pytest.fixture(scope="session")
def asking(plugin: Path) -> ModuleType:
    return _load(plugin / "backend" / "_perf_bench_ask.py")


@pytest.fixture(scope="session")
def files(plugin: Path) -> ModuleType:
    return _load(plugin / "backend" / "_perf_bench_files.py")
