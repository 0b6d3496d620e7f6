"""Which tests a change concerns: those of its place, and those that import it."""

from __future__ import annotations

import pytest

from toolchain import changes

PERF = "mgr_module/perf_bench"
HOUSE = "tests/house/test_tree.py"
TESTS = {
    HOUSE: "",
    "tests/test_module.py": "",
    "tests/bench/plan/test_waves.py": "from perf_bench.bench.plan.osds import prepare",
    "tests/bench/test_service.py": "from perf_bench.model import osd, plan",
    "tests/watch/test_service.py": "from perf_bench.bench.plan import osds\nfrom stage import A",
    "tests/dashboard/test_ask.py": "from fakes.clock import FakeClock",
    "tests/monitoring/test_metrics.py": "",
    "tests/qa/cluster/test_crashes.py": "",
    "tests/qa/detector_trials/test_cli.py": "",
}


@pytest.mark.parametrize(
    ("path", "concerned"),
    [
        (
            f"{PERF}/bench/plan/osds.py",
            {"tests/bench/plan/test_waves.py", "tests/watch/test_service.py"},
        ),
        # the folder nearest to it that has tests, data and deleted files as well
        (f"{PERF}/watch/slow_osd/gone.csv", {"tests/watch/test_service.py"}),
        (f"{PERF}/model/plan.py", {"tests/bench/test_service.py"}),
        (f"{PERF}/module.py", {"tests/test_module.py"}),
        ("tests/lib/fakes/clock.py", {"tests/dashboard/test_ask.py"}),
        ("tests/lib/stage.py", {"tests/watch/test_service.py"}),
        ("tests/bench/plan/test_waves.py", {"tests/bench/plan/test_waves.py"}),
        ("tests/watch/conftest.py", {"tests/watch/test_service.py"}),
        ("tests/conftest.py", {*TESTS}),
        ("qa/cluster/boot.py", {"tests/qa/cluster/test_crashes.py"}),
        ("qa/replay", {"tests/qa/detector_trials/test_cli.py"}),
        ("qa/demo", set()),
        ("dashboard_plugin/backend/ask.py", {"tests/dashboard/test_ask.py"}),
        ("dashboard_plugin/frontend/src/main.ts", set()),
        ("docs/monitoring/README.md", {"tests/monitoring/test_metrics.py"}),
    ],
)
def test_which_tests_a_file_concerns(path: str, concerned: set[str]) -> None:
    assert changes.tests_of([path], TESTS) == {HOUSE} | concerned
