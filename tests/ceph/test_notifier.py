"""What the module says in health and in the cluster log can be shown by any terminal."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import threading
from typing import Any

import threads
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


def test_of_two_threads_that_show_checks_at_once_the_later_ones_are_known(
    pacific: MgrWorld,
) -> None:
    """Else those that were shown before would not be shown again: they seem to be there."""
    from perf_bench.ceph.notifier import MgrNotifier

    mgr = mgr_in(pacific)
    notifier = MgrNotifier(mgr)
    goes_on = threading.Event()
    notifier._lock = threads.Contended(goes_on)  # type: ignore[assignment]
    one = {"PERF_BENCH_SLOW_OSD": {"severity": "warning", "summary": "a", "count": 1, "detail": []}}

    def both() -> None:
        notifier.health({})
        goes_on.set()

    other, whole = threading.Thread(target=both), mgr.set_health_checks

    def meanwhile(checks: Any) -> None:
        whole(checks)
        if checks:
            mgr.set_health_checks = whole  # type: ignore[method-assign]
            other.start()
            assert goes_on.wait(threads.PATIENCE)

    mgr.set_health_checks = meanwhile  # type: ignore[method-assign]
    notifier.health(one)
    other.join(threads.PATIENCE)
    assert pacific.health_checks == {}
    notifier.health(one)
    assert pacific.health_checks == one
