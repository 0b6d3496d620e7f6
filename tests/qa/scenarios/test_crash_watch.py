"""A scenario that fails while the distribution's ceph-mgr crashes is run once more."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from cluster.crashes import Crash
from scenarios import crash_watch
from scenarios.crash_watch import CrashWatch

if TYPE_CHECKING:
    from cluster.api import DevCluster

pytest_plugins = ["pytester"]

CONFTEST = """
from types import SimpleNamespace
import pytest
from cluster.crashes import Crash
from scenarios.crash_watch import *
from scenarios.crash_watch import WATCH, CrashWatch

class Played(CrashWatch):
    fresh = []
    def news(self):
        found, Played.fresh = Played.fresh, []
        self.seen += found
        return found

def pytest_configure(config):
    config.stash[WATCH] = Played()

@pytest.fixture
def crash():
    return lambda known: Played.fresh.append(Crash("mgr.x", 1, "Aborted", known))
"""


@pytest.mark.parametrize(
    ("known", "good_after", "outcome"),
    [
        ("reef", 1, {"passed": 1}),
        ("reef", 2, {"failed": 1}),
        (None, 1, {"failed": 1}),
    ],
    ids=["good then", "fails again", "unknown"],
)
def test_what_it_does_then_counts(
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    known: str | None,
    good_after: int,
    outcome: dict[str, int],
) -> None:
    monkeypatch.setenv("RUN_AGAIN", "1")
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(
        f"""
        runs = []
        def test_it(crash):
            runs.append(1)
            if len(runs) <= {good_after}:
                crash({known!r})
                assert False, "the round has gone"
        """
    )
    done = pytester.runpytest("-p", "no:cacheprovider")
    done.assert_outcomes(**outcome)
    if known:
        done.stdout.fnmatch_lines(["*distribution's own*", "RERUN *::test_it (call)*"])


UNSTEADY = """
runs = {}
@pytest.mark.parametrize("name", ["a", "b"])
def test_it(name):
    runs[name] = runs.get(name, 0) + 1
    assert runs[name] > %d, "too slow"
"""


@pytest.mark.parametrize(
    ("allowed", "good_after", "outcome", "named"),
    [
        ("", 1, {"failed": 2}, ""),
        ("1", 1, {"passed": 1, "failed": 1}, "a"),
        ("2", 1, {"passed": 2}, "ab"),
        ("2", 2, {"failed": 2}, "ab"),
    ],
)
def test_one_that_fails_without_a_crash_is_run_again_where_that_is_allowed(
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    allowed: str,
    good_after: int,
    outcome: dict[str, int],
    named: str,
) -> None:
    monkeypatch.delenv("RUN_AGAIN", raising=False)
    if allowed:
        monkeypatch.setenv("RUN_AGAIN", allowed)
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(f"import pytest\n{UNSTEADY % good_after}")
    done = pytester.runpytest("-p", "no:cacheprovider")
    done.assert_outcomes(**outcome)
    said = [line for line in done.outlines if line.startswith("RERUN ")]
    assert [line.partition("[")[2][0] for line in said] == list(named)


CLUSTERS = """
import pytest
clusters, gone = [], []
@pytest.fixture(scope="session")
def cluster():
    clusters.append([])
    yield clusters[-1]
    gone.append(1)
    assert len(gone) != {bad_end}, "a traceback is in the log"
@pytest.fixture(scope="module")
def round_(cluster):
    cluster.append("round")
def test_before(round_):
    pass
def test_it(cluster, round_):
    assert "nightly" not in cluster, "there is already a schedule"
    cluster.append("nightly")
    assert len(clusters) > 1, "too slow"
def test_after(cluster, round_):
    assert cluster == ["round", "nightly"]
    assert (len(clusters), len(gone)) == (2, 1)
"""


@pytest.mark.parametrize(
    ("bad_end", "outcome"), [(0, {"passed": 3}), (1, {"passed": 3, "errors": 1})]
)
def test_the_second_run_has_a_new_cluster(
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    bad_end: int,
    outcome: dict[str, int],
) -> None:
    """A schedule that the first run left behind made the second one fail."""
    monkeypatch.setenv("RUN_AGAIN", "1")
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(CLUSTERS.format(bad_end=bad_end))
    pytester.runpytest("-p", "no:cacheprovider").assert_outcomes(**outcome)


def test_crashes_of_each_cluster_count(monkeypatch: pytest.MonkeyPatch) -> None:
    crash = Crash("mgr.x", 1, "Aborted", "reef")
    monkeypatch.setattr(crash_watch, "crashes_of", lambda _spec, _daemon: [crash])
    watch = CrashWatch()
    for name in ("first", "second"):
        spec = SimpleNamespace(dir=Path(name), daemons=("mgr.x",))
        watch.begin(cast("DevCluster", SimpleNamespace(spec=spec)))
        assert watch.news() == [crash]
        assert watch.news() == []
        watch.close()
    assert len(watch.known()) == 2
