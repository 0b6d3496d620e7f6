"""The task for teuthology in docs/upstream, on a real cluster, with a stand-in for its base."""

from __future__ import annotations

import importlib.util
import sys
import unittest
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, Callable, ClassVar

import pytest

from cluster.api import DevCluster
from cluster.errors import ClusterError
from cluster.waiting import wait_for

pytestmark = [pytest.mark.cluster, pytest.mark.long]

TASK = Path(__file__).resolve().parents[2] / "docs/upstream/qa/tasks/mgr/test_perf_bench.py"


class MonManager:
    """Of teuthology's `CephManager` what the task uses."""

    def __init__(self, cluster: DevCluster) -> None:
        self._cluster = cluster

    def raw_cluster_cmd(self, *words: str) -> str:
        """All that the task does with it may be done twice, and a busy cluster answers late."""
        return wait_for(lambda: self._answer(*words), 180.0, lambda: f"no answer to {words}", 0.5)

    def _answer(self, *words: str) -> str:
        with suppress(ClusterError):
            return self._cluster.ceph(*words)
        return ""

    def raw_cluster_cmd_result(self, *words: str) -> int:
        return self._cluster.types(*words).code


class MgrCluster:
    """Of teuthology's what the task uses."""

    def __init__(self, cluster: DevCluster) -> None:
        self.mon_manager = MonManager(cluster)
        self._cluster = cluster
        self.mgr_ids = [self.get_active_id(), *self._standbys()]

    def get_active_id(self) -> str:
        return str(self._map()["active_name"])

    def mgr_fail(self, mgr_id: str) -> None:
        self._cluster.ceph("mgr", "fail", mgr_id)

    def _standbys(self) -> list[str]:
        return [str(one["name"]) for one in self._map()["standbys"]]

    def _map(self) -> Any:
        return self._cluster.ceph_json("mgr", "dump")


class MgrTestCase(unittest.TestCase):
    """The stand-in: the module is enabled already, and the mgrs are not restarted."""

    MGRS_REQUIRED: ClassVar[int] = 1
    mgr_cluster: ClassVar[MgrCluster]

    @classmethod
    def setUpClass(cls) -> None:
        assert len(cls.mgr_cluster.mgr_ids) >= cls.MGRS_REQUIRED

    @classmethod
    def _load_module(cls, name: str) -> None:
        enabled = cls.mgr_cluster.mon_manager.raw_cluster_cmd("mgr", "module", "ls")
        assert name in enabled

    @classmethod
    def wait_until_true(cls, condition: Callable[[], bool], timeout: float) -> None:
        # For a machine that is slow and busy.
        wait_for(lambda: condition() or None, 3.0 * timeout, lambda: "it did not come true")


@pytest.fixture
def task(cluster: DevCluster) -> Iterator[ModuleType]:
    """The task's module, imported as in Ceph's repository."""
    base = ModuleType("tasks.mgr.mgr_test_case")
    MgrTestCase.mgr_cluster = MgrCluster(cluster)
    base.MgrTestCase = MgrTestCase  # type: ignore[attr-defined] # a module of this moment
    package = ModuleType("tasks.mgr")
    package.__path__ = []
    made = {"tasks": ModuleType("tasks"), package.__name__: package, base.__name__: base}
    sys.modules.update(made)
    try:
        spec = importlib.util.spec_from_file_location("tasks.mgr.test_perf_bench", TASK)
        assert spec is not None
        assert spec.loader is not None
        loaded = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded)
        yield loaded
    finally:
        for name in made:
            del sys.modules[name]


@pytest.mark.usefixtures("operator")
def test_the_task_for_teuthology_passes(task: ModuleType) -> None:
    suite = unittest.defaultTestLoader.loadTestsFromModule(task)
    result = unittest.TestResult()
    suite.run(result)
    problems = [text for _, text in (*result.failures, *result.errors)]
    assert problems == []
    assert result.testsRun == 4
