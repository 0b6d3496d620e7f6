"""What the module says in health and in the cluster log can be shown by any terminal."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

from fakes.ceph import MgrWorld, mgr_in
from perf_bench.model.finding import Severity


def test_control_characters_are_written_out(pacific: MgrWorld) -> None:
    from perf_bench.ceph.notifier import MgrNotifier

    notifier = MgrNotifier(mgr_in(pacific))
    check = {"severity": "warning", "summary": "on a\x1b[2J", "count": 1, "detail": ["b\nc"]}
    notifier.health({"PERF_BENCH_SLOW_OSD": check})
    notifier.log(Severity.WARNING, "host \x07\nERR forged")
    printed = {**check, "summary": "on a\\x1b[2J", "detail": ["b\\nc"]}
    assert pacific.health_checks == {"PERF_BENCH_SLOW_OSD": printed}
    assert pacific.cluster_log == [("cluster", "WARN", "host \\x07\\nERR forged")]
