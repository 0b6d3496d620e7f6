"""The stages know the nouns and the interfaces, one folder knows Ceph, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from toolchain.import_rule import circles, strays, violations


def test_no_arrow_in_the_house_is_forbidden(root: Path) -> None:
    house = root / "mgr_module" / "perf_bench"
    files = sorted(house.rglob("*.py"))
    assert house / "errors.py" in files, "the walk does not see the house"
    found = [
        problem
        for file in files
        for problem in violations(file.relative_to(house).as_posix(), file.read_text())
    ]
    assert not found, "\n".join(found)


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


def test_no_file_is_in_a_circle(root: Path) -> None:
    assert circles(root / "mgr_module" / "perf_bench") == []


def test_no_program_reaches_the_mgr(root: Path) -> None:
    assert strays(root / "mgr_module" / "perf_bench") == []


def test_a_planted_circle_and_a_planted_way_are_seen(tmp_path: Path) -> None:
    for name, source in {
        "store/a.py": "if TYPE_CHECKING:\n    from .b import B",
        "store/b.py": "def f():\n    from .c import C",
        "store/c.py": "from . import a",
        "store/d.py": "from .a import A",
        "programs/a.py": "from ..ceph import b",
        "programs/c.py": "from ..model.osd import Osd",
        "ceph/b.py": "from .c import C",
        "ceph/c.py": "from mgr_module import MgrModule",
        "model/osd.py": "",
        # what every import of the package tries, and forgives
        "__init__.py": "from .module import Module",
        "module.py": "import mgr_module",
    }.items():
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(source)
    assert circles(tmp_path) == [("store/a.py", "store/b.py", "store/c.py")]
    assert strays(tmp_path) == ["programs/a.py reaches mgr_module through ceph/c.py"]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        # a stage: nouns, interfaces, its own folder, the library, what every mgr has
        ("store/rows.py", "from ..model.round import Round"),
        ("store/rows.py", "from .. import core, errors"),
        ("store/rows.py", "from .schema import VERSION"),
        ("store/deep/down.py", "from ...model import round"),
        ("store/rows.py", "import sqlite3, json"),
        # the adapter and the wiring know Ceph
        ("ceph/database.py", "import ctypes\nfrom mgr_module import MgrModule"),
        ("module.py", "import rados\nfrom .answers import command"),
        ("__init__.py", "try:\n    from .module import Module\nexcept ImportError:\n    pass"),
        # the commands call the use cases
        ("answers/rounds.py", "from .schedules import x\nfrom ..bench import service"),
        ("tool/main.py", "from ..model.round import Round\nimport argparse"),
        ("tool/main.py", "import importlib\nimportlib.import_module('json')"),
        # who leads a journey composes its stages
        ("bench/osd_round.py", "from .run.osd_runner import Runner"),
        ("bench/admission.py", "from .times import opens"),
        ("watch/slow_osd/judge.py", "from .detector import x\nfrom ..blame import blame"),
    ],
)
def test_what_is_allowed_passes(path: str, source: str) -> None:
    assert violations(path, source) == []


@pytest.mark.parametrize(
    ("path", "source", "verdict"),
    [
        # a stage knows no other stage, in any spelling
        ("store/rows.py", "from ..bench import rounds", "'store' may not import 'bench'"),
        ("store/rows.py", "from .. import bench", "'store' may not import 'bench'"),
        ("store/rows.py", "import perf_bench.bench", "'store' may not import 'bench'"),
        ("store/rows.py", "def f():\n    from ..bench import a", "'store' may not import 'bench'"),
        (
            "store/rows.py",
            "if TYPE_CHECKING:\n    from ..bench import a",
            "'store' may not import 'bench'",
        ),
        # the nouns know nothing but errors, the errors nothing at all
        ("model/osd.py", "from ..core.clock import Clock", "'model' may not import 'core'"),
        ("errors.py", "from .model import osd", "'errors' may not import 'model'"),
        # the answers know no Ceph, the adapter no stage
        ("answers/a.py", "from ..ceph import clock", "'answers' may not import 'ceph'"),
        (
            "answers/a.py",
            "from ..bench.compare import x",
            "'answers' may not import 'bench/compare'",
        ),
        (
            "answers/a.py",
            "from ..hardware.rules import x",
            "'answers' may not import 'hardware/rules'",
        ),
        ("ceph/clock.py", "from ..store import rows", "'ceph' may not import 'store'"),
        ("tool/main.py", "from ..bench import text", "'tool' may not import 'bench'"),
        # nobody but the package itself imports the wiring
        ("answers/a.py", "from ..module import Module", "'answers' may not import 'module'"),
        ("__init__.py", "from .store import rows", "'__init__' may not import 'store'"),
        # a stage knows neither its journey nor the other stages of it
        ("bench/plan/a.py", "from ..record import x", "'bench/plan' may not import 'bench/record'"),
        ("bench/plan/a.py", "from .. import service", "'bench/plan' may not import 'bench'"),
        (
            "hardware/rules/a.py",
            "from ..checksums import x",
            "'hardware/rules' may not import 'hardware'",
        ),
        (
            "doctor/checks/a.py",
            "from perf_bench.doctor import service",
            "'doctor/checks' may not import 'doctor'",
        ),
        # programs run where mgr_module is not
        (
            "programs/a.py",
            "import mgr_module",
            "'programs' may not know Ceph: it imports 'mgr_module'",
        ),
        # what is decided on the loop needs no lock
        (
            "bench/round.py",
            "import threading",
            "'bench' is decided on the loop: it may start no thread and take no lock",
        ),
        (
            "bench/held.py",
            "from concurrent.futures import ThreadPoolExecutor",
            "'bench/held' is decided on the loop: it may start no thread and take no lock",
        ),
        # one folder knows Ceph
        ("store/rows.py", "import ctypes", "'store' may not know Ceph: it imports 'ctypes'"),
        ("answers/a.py", "import rados", "'answers' may not know Ceph: it imports 'rados'"),
        # nothing that an ordinary ceph-mgr lacks, nothing that pulls in PyO3
        ("store/a.py", "import numpy as np", "'numpy' is not in every ceph-mgr"),
        ("ceph/a.py", "import bcrypt", "'bcrypt' is not in every ceph-mgr"),
        ("answers/a.py", "__import__('jwt')", "'jwt' is not in every ceph-mgr"),
        # the host tool runs where Ceph is not installed
        (
            "tool/main.py",
            "import yaml",
            "'tool' may import the standard library only, not 'yaml'",
        ),
        (
            "store/rows.py",
            "import_module(name)",
            "'store' imports by a computed name: nobody can check that",
        ),
        ("util.py", "", "'util' has no row in ARROWS: say there what it may import"),
    ],
)
def test_a_planted_violation_is_caught(path: str, source: str, verdict: str) -> None:
    assert [problem.split(": ", 1)[1] for problem in violations(path, source)] == [verdict]


def test_a_violation_names_file_and_line() -> None:
    source = "import json\n\nimport rados\n"
    assert violations("answers/a.py", source) == [
        "answers/a.py:3: 'answers' may not know Ceph: it imports 'rados'"
    ]
