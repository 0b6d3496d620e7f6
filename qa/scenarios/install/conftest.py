"""A cluster without the module, whose two mgrs have a folder of modules each, as on two hosts."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Optional

import pytest

from cluster.api import DevCluster
from cluster.modules import OURS
from cluster.resident import Reply
from cluster.spec import Order
from perf_bench.tool.install import payload
from scenarios.operator import DEVCLUSTER
from scenarios.throwaway import counted

MGRS = ("x", "y")


def _unpack(folder: Path) -> Path:
    """The module with the tab as a wheel has them; whoever edits sources meanwhile does no harm."""
    for name, content in payload.load(OURS).files.items():
        path = folder / "perf_bench" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder / "perf_bench"


class Hosts:
    """The hosts of the two mgrs, and the tool on each. ``folders`` are those of their modules."""

    def __init__(self, cluster: DevCluster, package: Path) -> None:
        self.cluster = cluster
        self._package = package
        self.folders = {name: cluster.spec.dir / f"modules-{name}" for name in MGRS}
        text = cluster.spec.conf.read_text()
        for name, folder in self.folders.items():
            shutil.copytree(cluster.spec.dir / "modules", folder, symlinks=True)
            text += f"\n[mgr.{name}]\nmgr module path = {folder}\n"
        cluster.spec.conf.write_text(text)
        cluster.restart(*MGRS)

    def tool(self, name: str, *words: str, package: Optional[Path] = None) -> Reply:
        """Run the tool, or that of another package, on the host of a mgr."""
        spec = self.cluster.spec
        ceph = shlex.join([str(DEVCLUSTER), "ceph", "--dir", str(spec.dir), "--"])
        folder = ("--mgr-modules", str(self.folders[name]))
        done = subprocess.run(
            [sys.executable, "-B", "-m", "perf_bench.tool", "--ceph", ceph, *words, *folder],
            cwd="/", env={**os.environ, "PYTHONPATH": str((package or self._package).parent)},
            capture_output=True, text=True, timeout=400, check=False,
        )  # fmt: skip
        return Reply(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="session")
def cluster(request: pytest.FixtureRequest) -> Iterator[DevCluster]:
    base = Path(tempfile.mkdtemp(prefix="perf-bench-"))
    try:
        release = str(request.config.getoption("--release"))
        order = Order(release=release, osds=3, hosts=2, mgrs=2, module=False)
        made = DevCluster.up(str(base / "cluster"), order)
        try:
            with counted(request.config, made):
                yield made
        finally:
            made.down()
    finally:
        shutil.rmtree(base)


@pytest.fixture(scope="session")
def hosts(cluster: DevCluster, tmp_path_factory: pytest.TempPathFactory) -> Hosts:
    return Hosts(cluster, _unpack(tmp_path_factory.mktemp("package")))


@pytest.fixture(autouse=True)
def unchanged() -> None:
    """What is installed here is what the scenarios are about; each ends with what it says."""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The module once more, to be made another version of."""
    return _unpack(tmp_path / "another")


@pytest.fixture
def newer(package: Path) -> Path:
    """The module of another version, which differs in a line."""
    with (package / "errors.py").open("a") as errors:
        errors.write("# newer\n")
    return package
