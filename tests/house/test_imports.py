"""What the module imports, and that a ceph-mgr can import it; pyproject.toml has the layers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import grimp
import pytest


def test_every_import_is_in_every_ceph_mgr(monkeypatch: pytest.MonkeyPatch, root: Path) -> None:
    monkeypatch.syspath_prepend(str(root / "mgr_module"))
    graph = grimp.build_graph("perf_bench", include_external_packages=True, cache_dir=None)
    others = {name for name in graph.modules if not name.startswith("perf_bench")}
    assert others - {*sys.stdlib_module_names} == {"mgr_module", "rados", "yaml"}


_IN_TWO_SUB_INTERPRETERS = """
import sys
import _xxsubinterpreters as interpreters

for _ in range(2):
    path = f"import sys; sys.path[:0] = {sys.argv[2:]}; "
    interpreters.run_string(interpreters.create(), path + sys.argv[1])
"""
_THE_MODULE = """
from fakes.ceph import MgrWorld, installed

with installed(MgrWorld.captured("reef")):
    import perf_bench.module, perf_bench.wiring
"""


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="Ceph 16 and 18 run on older Pythons")
def test_the_module_is_imported_by_a_second_sub_interpreter(root: Path, tmp_path: Path) -> None:
    # A character's name in a string, as "\\N{EN DASH}", crashed Python 3.11.2 when compiled there.
    folders = [str(root / "mgr_module"), str(root / "tests" / "lib"), str(root)]
    child = subprocess.run(
        [sys.executable, "-B", "-c", _IN_TWO_SUB_INTERPRETERS, _THE_MODULE, *folders],
        env={**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path)},  # else nothing is compiled
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr
