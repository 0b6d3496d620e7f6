"""The cluster's own mgr module path: the release's modules, ours, the dashboard with our tab."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from .errors import ClusterError
from .namespaces import REPO
from .spec import Spec

STOCK = Path("/usr/share/ceph/mgr")
OURS = REPO / "mgr_module" / "perf_bench"
_DASHBOARD_EXTRAS = ("frontend", "tests", "ci")


def check_module() -> None:
    """ClusterError when there is no module to enable."""
    if not (OURS / "__init__.py").is_file():
        raise ClusterError("there is no mgr_module/perf_bench in this repository: use --no-module")


def make_module_path(spec: Spec) -> None:
    """Links to every stock module, and ours installed; the packaged files stay as they are."""
    folder = spec.dir / "modules"
    if folder.exists():  # of the release before
        shutil.rmtree(folder)
    folder.mkdir()
    stock = Path(spec.root) / STOCK.relative_to("/")
    for entry in stock.iterdir():
        if entry.name not in ("dashboard", "__pycache__"):
            (folder / entry.name).symlink_to(STOCK / entry.name)
    if (stock / "dashboard").is_dir():
        _copy_dashboard(stock / "dashboard", folder / "dashboard")
    install_module(spec)


def _copy_dashboard(stock: Path, copy: Path) -> None:
    # Its loader takes only regular files as controllers, so a link would not do.
    shutil.copytree(
        stock, copy, symlinks=True, ignore=shutil.ignore_patterns(*_DASHBOARD_EXTRAS, "__pycache__")
    )
    (copy / "frontend").symlink_to(STOCK / "dashboard" / "frontend")


def install_module(spec: Spec) -> None:
    """Install our module and its tab from this repository; done again at every start of a mgr."""
    if spec.module:
        folder = str(spec.dir / "modules")
        done = subprocess.run(
            [sys.executable, "-m", "perf_bench.tool", "install", "--mgr-modules", folder],
            cwd="/", env={**os.environ, "PYTHONPATH": str(OURS.parent)},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise ClusterError(done.stderr.strip())
