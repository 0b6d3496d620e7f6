"""Which tests a change concerns: those of its place, and of who imports what all share."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from toolchain import changes

PERF = "mgr_module/perf_bench"
HOUSE = "tests/house/test_tree.py"
TESTS = [
    HOUSE,
    "tests/test_module.py",
    "tests/bench/plan/test_osd_round.py",
    "tests/bench/plan/test_waves.py",
    "tests/bench/test_service.py",
    "tests/model/test_plan.py",
    "tests/watch/slow_osd/test_paths.py",
    "tests/watch/test_service.py",
    "tests/dashboard/test_ask.py",
    "tests/monitoring/test_metrics.py",
    "tests/qa/cluster/test_boot.py",
    "tests/qa/detector_trials/test_cli.py",
    "tests/cli/test_crc.py",
]
IMPORTS = {
    f"{PERF}/bench/plan/osds.py": {f"{PERF}/model/plan.py", f"{PERF}/core/__init__.py"},
    f"{PERF}/bench/service.py": {f"{PERF}/bench/plan/osds.py", f"{PERF}/model/plan.py"},
    f"{PERF}/watch/service.py": {f"{PERF}/core/__init__.py"},
    f"{PERF}/core/__init__.py": {f"{PERF}/core/clock.py"},
    "tests/watch/test_service.py": {f"{PERF}/bench/plan/osds.py", "tests/lib/stage.py"},
    "tests/lib/stage.py": {"tests/lib/fakes/clock.py", f"{PERF}/bench/plan/osds.py"},
    "tests/conftest.py": {"tests/lib/stage.py"},
    "tests/cli/test_crc.py": {"tests/lib/golden.py"},
}


@pytest.mark.parametrize(
    ("path", "concerned"),
    [
        # a stage: its own tests, and a test of another place that imports the very file
        (
            f"{PERF}/bench/plan/osds.py",
            {
                "tests/bench/plan/test_osd_round.py",
                "tests/bench/plan/test_waves.py",
                "tests/watch/test_service.py",
            },
        ),
        # beside stages: not the stages' tests
        (f"{PERF}/bench/service.py", {"tests/bench/test_service.py"}),
        # the folder nearest to it that has tests, data and deleted files as well
        (
            f"{PERF}/watch/slow_osd/gone.csv",
            {"tests/watch/slow_osd/test_paths.py"},
        ),
        (f"{PERF}/module.py", {"tests/test_module.py"}),
        # what all share: its own tests and those of every place that imports it
        (
            f"{PERF}/model/plan.py",
            {
                "tests/model/test_plan.py",
                "tests/bench/plan/test_osd_round.py",
                "tests/bench/plan/test_waves.py",
                "tests/bench/test_service.py",
            },
        ),
        # the same, through the package that hands it on
        (
            f"{PERF}/core/clock.py",
            {
                "tests/bench/plan/test_osd_round.py",
                "tests/bench/plan/test_waves.py",
                "tests/watch/test_service.py",
            },
        ),
        # helpers of tests: who imports them, also through another helper, not through a fixture
        ("tests/lib/fakes/clock.py", {"tests/watch/test_service.py"}),
        ("tests/golden/crc-ls.txt", {"tests/cli/test_crc.py"}),
        ("tests/cli/test_crc.py", {"tests/cli/test_crc.py"}),
        ("tests/bench/plan/test_deleted.py", {"tests/bench/plan/test_osd_round.py"}),
        ("tests/watch/conftest.py", {"tests/watch/test_service.py"}),
        ("tests/conftest.py", set(TESTS)),
        ("qa/cluster/boot.py", {"tests/qa/cluster/test_boot.py"}),
        ("qa/replay", {"tests/qa/detector_trials/test_cli.py"}),
        ("qa/demo", set()),
        ("dashboard_plugin/backend/ask.py", {"tests/dashboard/test_ask.py"}),
        ("dashboard_plugin/frontend/src/main.ts", set()),
        ("docs/monitoring/README.md", {"tests/monitoring/test_metrics.py"}),
        ("docs/architecture.md", set()),
    ],
)
def test_which_tests_a_file_concerns(path: str, concerned: set[str]) -> None:
    found = changes.tests_of([path], IMPORTS, TESTS)
    assert HOUSE in found  # the shape of the repository: always
    if path in ("tests/bench/plan/test_deleted.py", "tests/watch/conftest.py"):
        assert concerned <= found
    else:
        assert found - {HOUSE} == concerned - {HOUSE}


def test_the_imports_are_those_of_the_sources(root: Path) -> None:
    found = changes.imports(root)
    guard = f"{PERF}/bench/plan/osds.py"
    assert f"{PERF}/model/plan.py" in found[guard]
    assert guard in found["tests/bench/plan/test_osd_round.py"]
    assert "qa/cluster/spec.py" in found["qa/cluster/api.py"]
    assert "qa/toolchain/changes.py" in found["tests/qa/toolchain/test_changes.py"]
    assert {"model", "core", "errors"} <= changes.SHARED


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    _git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    for name in ("kept.py", "changed.py", "deleted.py", "old.py"):
        (tmp_path / name).write_text(f"# {name}\n")
    (tmp_path / ".gitignore").write_text("*.log\n")
    _commit(tmp_path)
    return tmp_path


def test_changes_are_counted_from_where_the_branch_left_main(repository: Path) -> None:
    _git(repository, "checkout", "--quiet", "-b", "topic")
    (repository / "changed.py").write_text("# another\n")
    _git(repository, "mv", "old.py", "new.py")
    _commit(repository)
    _git(repository, "checkout", "--quiet", "main")
    (repository / "kept.py").write_text("# main went on\n")
    _commit(repository)
    _git(repository, "checkout", "--quiet", "topic")
    (repository / "deleted.py").unlink()
    (repository / "untracked ä.py").touch()
    (repository / "a.log").touch()
    expected = ["changed.py", "deleted.py", "new.py", "old.py", "untracked ä.py"]
    assert changes.changed(repository) == expected
    assert changes.changed(repository, "HEAD") == ["deleted.py", "untracked ä.py"]


def _commit(repository: Path) -> None:
    _git(repository, "add", "--all")
    who = ("-c", "user.name=Jane", "-c", "user.email=jane@example.com")
    _git(repository, *who, "commit", "--quiet", "--message", "A step")


def _git(repository: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=repository, check=True, capture_output=True)
