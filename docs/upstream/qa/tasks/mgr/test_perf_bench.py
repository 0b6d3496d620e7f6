"""perf_bench: a round on real OSDs, what it changes, and a failover of the mgr."""

import json
import logging

from .mgr_test_case import MgrTestCase

log = logging.getLogger(__name__)

ENDED = ("done", "failed", "aborted")


class TestPerfBench(MgrTestCase):
    MGRS_REQUIRED = 2

    def setUp(self):
        super().setUp()
        self._load_module("perf_bench")
        self.wait_until_true(self._is_ready, timeout=120)

    def test_dry_run_changes_nothing(self):
        before = self._flags()
        plan = self._perf_bench("round", "start", "osd-throughput", "--dry-run")
        self.assertEqual(plan["profile"], "osd-throughput")
        self.assertGreater(plan["bytes"], 0)
        self.assertEqual(self._perf_bench("status")["active_round"], None)
        self.assertEqual(self._flags(), before)

    def test_round(self):
        before = self._flags()
        number = self._start("osd-throughput", "--osds", "0", "--repeats", "1")
        self.wait_until_true(lambda: self._state(number) in ENDED, timeout=300)
        shown = self._perf_bench("round", "show", str(number))
        self.assertEqual(shown["state"], "done")
        self.assertEqual([osd["osd"] for osd in shown["per_osd"]], [0])
        self.assertGreater(shown["per_osd"][0]["median_bytes_per_second"], 0)
        # What the round has stopped is put back.
        self.wait_until_true(lambda: self._flags() == before, timeout=60)

    def test_round_survives_failover(self):
        number = self._start("osd-throughput", "--osds", "0,1", "--repeats", "2")
        self.mgr_cluster.mgr_fail(self.mgr_cluster.get_active_id())
        self.wait_until_true(self._is_ready, timeout=120)
        self.wait_until_true(lambda: self._state(number) in ENDED, timeout=300)
        self.assertEqual(self._state(number), "done")

    def test_bad_arguments(self):
        for words in (("round", "show", "999999"), ("round", "start", "nothing")):
            status = self.mgr_cluster.mon_manager.raw_cluster_cmd_result("perf-bench", *words)
            self.assertNotEqual(status, 0)

    def _perf_bench(self, *words):
        out = self.mgr_cluster.mon_manager.raw_cluster_cmd("perf-bench", *words, "--format", "json")
        return json.loads(out)

    def _start(self, *words):
        # A cluster that was just made may have to settle before admission lets a round start.
        started = []

        def start():
            result = self.mgr_cluster.mon_manager.raw_cluster_cmd_result(
                "perf-bench", "round", "start", *words
            )
            if result == 0:
                started.append(self._perf_bench("round", "ls")[0]["id"])
            return result == 0

        self.wait_until_true(start, timeout=120)
        return started[0]

    def _state(self, number):
        return self._perf_bench("round", "show", str(number))["state"]

    def _is_ready(self):
        mon = self.mgr_cluster.mon_manager
        if mon.raw_cluster_cmd_result("perf-bench", "status") != 0:
            return False
        return self._perf_bench("status")["store"]["ready"]

    def _flags(self):
        out = self.mgr_cluster.mon_manager.raw_cluster_cmd("osd", "dump", "--format=json")
        return sorted(json.loads(out)["flags_set"])
