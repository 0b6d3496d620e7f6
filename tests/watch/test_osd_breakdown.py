"""Asking OSDs where their operations spend their time."""

from __future__ import annotations

import errno
import json
import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Optional

import pytest

import threads
from fakes.clock import FakeClock
from fakes.cluster import FakeCluster
from fakes.operation_dumps import IDLE, FakeOperationDumps, breakdowns
from nouns import some_osds
from operations import STALLED, recorded
from perf_bench.bench.active_round import OsdsUnderBench
from perf_bench.core.failing_parts import LASTING_SECONDS, FailingParts
from perf_bench.errors import CommandFailed, NotFound, NotNow
from perf_bench.model.breakdown import EVIDENCE, Breakdown
from perf_bench.model.finding import Finding, Severity, Target
from perf_bench.model.osd import Osd
from perf_bench.watch import osd_breakdown
from perf_bench.watch.osd_breakdown import ASKS, EVERY, FRESH, MOST_AT_ONCE, MOST_WAITING


class Asking:
    """The service on fakes; ``step`` is what its thread does."""

    def __init__(
        self, answers: Mapping[int, Mapping[str, Any]], osds: int = 6, **more: Any
    ) -> None:
        self.clock = FakeClock()
        self.cluster = FakeCluster(some_osds(osds))
        self.dumps = FakeOperationDumps(answers)
        self.failing = FailingParts(self.clock.monotonic, logging.getLogger("why"))
        self.service = breakdowns(
            self.cluster, self.clock, self.dumps, failing=self.failing, **more
        )
        self.workers = ThreadPoolExecutor(4)
        self._stop = threading.Event()

    @contextmanager
    def running(self) -> Iterator[threading.Thread]:
        """With its thread."""
        thread = threading.Thread(target=self.service.run, args=(self._stop,), daemon=True)
        thread.start()
        yield thread
        self._stop.set()
        self.service.wake()
        thread.join(threads.PATIENCE)
        assert not thread.is_alive()

    def told(self) -> list[str]:
        """The parts of the module that fail for long."""
        return [str(one.message) for one in self.failing.claims(0.0, lambda _part: None)]

    def step(self) -> Optional[float]:
        return self.service.step(self.workers, self._stop)

    def why(self, osd: int) -> Breakdown:
        """Ask, and let the thread do one step before the answer."""
        found: list[Any] = []

        def ask() -> None:
            try:
                found.append(self.service.why(osd))
            except Exception as error:  # noqa: BLE001 - raised below
                found.append(error)

        asker = threading.Thread(target=ask)
        asker.start()
        while asker.is_alive() and not found:
            self.step()
            asker.join(0.01)
        asker.join()
        if isinstance(found[0], Exception):
            raise found[0]
        answer: Breakdown = found[0]
        return answer

    def ends(self) -> None:
        """Let all sessions come to their end."""
        closed = self.dumps.closed
        while self.dumps.closed == closed:  # it disconnects when there is nobody left to ask
            self.step()
            self.clock.advance(EVERY)

    def osds_asked(self) -> list[int]:
        return sorted({osd for osd, _ in self.dumps.asked})


def _finding(osd: int, code: str = "PERF_BENCH_SLOW_OSD") -> Finding:
    return Finding(1, code, Severity.WARNING, Target("osd", str(osd)), "")


@pytest.fixture
def stalled() -> Iterator[Asking]:
    answers = {osd: recorded("pacific", STALLED).get(osd, IDLE) for osd in range(6)}
    made = Asking(answers)
    yield made
    made.workers.shutdown()


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(osd_breakdown, "_PATIENCE", threads.PATIENCE)


def test_the_first_answer_names_the_replica_and_more_follow(stalled: Asking) -> None:
    found = stalled.why(1)
    assert found.sentences[0] == "The slowest operations of osd.1 are held up by osd.3."
    assert (found.asks, found.asks_left) == (1, ASKS - 1)
    assert not found.is_complete
    assert stalled.osds_asked() == [1, 2, 3]
    stalled.ends()
    again = stalled.service.why(1)
    assert (again.asks, again.asks_left) == (ASKS, 0)
    assert len(stalled.dumps.asked) == 3 * 3 * ASKS
    assert stalled.dumps.closed > 0


def test_who_is_waited_for_is_asked_too(stalled: Asking) -> None:
    found = stalled.why(5)  # beside osd.0 and osd.1
    assert [(peer.osd, peer.role) for peer in found.peers] == [
        (0, "peer"), (1, "peer"), (3, "suspect"),
    ]  # fmt: skip
    assert any(one.startswith("osd.3 itself takes") for one in found.sentences)


def test_who_is_waited_for_only_later_is_asked_then(stalled: Asking) -> None:
    """At first the slowest operations of ten minutes may be those from before the trouble."""
    later = stalled.dumps.answers[5]
    stalled.dumps.answers[5] = IDLE
    stalled.why(5)
    stalled.dumps.answers[5] = later
    stalled.ends()
    found = stalled.service.why(5)
    assert [(peer.osd, peer.role) for peer in found.peers] == [
        (0, "peer"), (1, "peer"), (3, "suspect"),
    ]  # fmt: skip


def test_a_slow_osd_is_no_peer(stalled: Asking) -> None:
    service = Asking(stalled.dumps.answers, slow=(2, 5))
    assert [peer.osd for peer in service.why(1).peers if peer.role == "peer"] == [3, 4]


@pytest.mark.parametrize(("later", "again"), [(FRESH - 20.0, False), (FRESH + 1.0, True)])
def test_an_answer_is_given_again_for_a_minute(stalled: Asking, later: float, again: bool) -> None:
    stalled.why(1)
    stalled.ends()
    asked = len(stalled.dumps.asked)
    # From the begin of the asking on.
    begun = stalled.service.why(1).asked_at if not again else stalled.clock.now()
    stalled.clock.advance(max(0.0, begun + later - stalled.clock.now()))
    if again:
        stalled.why(1)
    assert (len(stalled.dumps.asked) > asked) is again


def test_an_osd_that_does_not_exist_or_is_down_is_not_asked(stalled: Asking) -> None:
    with pytest.raises(NotFound):
        stalled.service.why(99)
    stalled.cluster.set_down(4)
    with pytest.raises(NotNow, match=r"osd\.4 is down"):
        stalled.service.why(4)
    assert stalled.dumps.asked == []


def test_an_osd_that_hangs_is_told_and_not_asked_again(stalled: Asking) -> None:
    del stalled.dumps.answers[1]
    found = stalled.why(1)
    assert found.operations == {}
    assert found.is_complete
    assert "osd.1 did not answer: no answer." in found.not_told
    assert found.sentences[0] == "osd.1 did not answer: no answer."
    assert [one for one in stalled.dumps.asked if one[0] == 1] == [(1, "historic")]


def test_a_peer_that_hangs_leaves_the_answer(stalled: Asking) -> None:
    del stalled.dumps.answers[2]
    found = stalled.why(1)
    assert found.waits_for[0].osd == 3
    (problem,) = next(peer.problems for peer in found.peers if peer.osd == 2)
    assert "did not answer" in problem
    stalled.ends()
    assert [one for one in stalled.dumps.asked if one[0] == 2] == [(2, "historic")]


def test_nobody_waits_longer_than_a_moment(
    stalled: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(osd_breakdown, "_PATIENCE", 0.01)
    found = stalled.service.why(1)  # no thread asks
    assert found.sentences[0] == "osd.1 is being asked: ask again in a few seconds."
    assert (found.asks, found.asks_left) == (0, ASKS)


def test_an_osd_that_runs_a_bench_is_not_asked() -> None:
    benched = OsdsUnderBench()
    made = Asking(dict.fromkeys(range(6), IDLE), benched=benched)
    benched.began(1, made.clock.now() - 5)
    found = made.why(1)
    assert 1 not in made.osds_asked()
    assert any("runs a bench" in one for one in found.not_told)


@pytest.mark.parametrize(
    ("key", "out", "told"),
    [
        ("historic", b"op_tracker tracking is not enabled now", "gave no operations"),
        ("in_flight", b"[]", "gave no operations"),
        ("in_flight", b"", "the answer is empty"),
        ("counters", b'{"osd": NaN}', "gave no counters"),
        ("historic", json.dumps({"ops": [7]}).encode(), "osd.1 gave 1 operation more, not read"),
    ],
)
def test_what_cannot_be_read_is_told(stalled: Asking, key: str, out: bytes, told: str) -> None:
    stalled.dumps.answers[1] = {**recorded("pacific", STALLED)[1], key: out}
    found = stalled.why(1)
    assert any(told in one for one in found.not_told), found.not_told
    stalled.ends()
    assert sum(told in one for one in stalled.service.why(1).not_told) == 1


def test_an_osd_without_an_op_tracker_tells_its_counters(stalled: Asking) -> None:
    refusal = CommandFailed(
        errno.EINVAL,
        "op_tracker tracking is not enabled now, so no ops are tracked currently, even those get "
        'stuck. Please enable "osd_enable_op_tracker"',
    )
    told = recorded("pacific", STALLED)[1]
    stalled.dumps.answers[1] = {**told, "historic": refusal, "in_flight": refusal}
    found = stalled.why(1)
    assert found.operations == {}
    assert found.figures
    assert found.sentences[0].startswith("osd.1 refused to tell: op_tracker tracking is not")
    stalled.ends()
    assert sum("refused" in one for one in stalled.service.why(1).not_told) == 1
    assert len([one for one in stalled.dumps.asked if one == (1, "counters")]) == ASKS


def test_counters_are_those_between_the_first_and_the_last_answer(stalled: Asking) -> None:
    told = recorded("pacific", STALLED)[1]
    stalled.dumps.answers[1] = {**told, "counters": told["earlier"]}
    assert stalled.why(1).counter_seconds is None
    stalled.dumps.answers[1] = told
    stalled.ends()
    assert stalled.service.why(1).counter_seconds == pytest.approx(EVERY * (ASKS - 1), abs=EVERY)


def test_no_more_than_a_few_are_asked_about_at_once() -> None:
    made = Asking(dict.fromkeys(range(12), IDLE), osds=12)
    for osd in range(MOST_AT_ONCE):
        made.why(osd)
    with pytest.raises(NotNow, match=r"osd\.0, osd\.1.* are being asked"):
        made.service.why(11)
    made.ends()
    assert made.why(11).asks == 1


# --- findings -----------------------------------------------------------------------------------


def test_a_finding_gets_its_evidence_when_all_was_asked(stalled: Asking) -> None:
    finding = _finding(1)
    stalled.service.opened(finding)
    stalled.step()
    assert stalled.service.take() == []
    stalled.ends()
    ((key, evidence),) = stalled.service.take()
    assert key == finding.key
    assert set(evidence) <= set(EVIDENCE)
    assert evidence["waits_for"][0]["waits_osd"] == 3
    assert evidence["time_spent"][0]["stage"] == "sub operations"
    assert evidence["time_spent"][0]["stage_share"] > 0.8
    assert "held up by osd.3" in evidence["why"][0]
    codes = [one and one["code"] for one in evidence["said"]["why"]]
    assert len(codes) == len(evidence["why"])
    assert codes[:2] == ["why-held-up", "why-clients"]
    assert len(json.dumps(evidence)) < 8000
    assert stalled.service.take() == []


def test_two_findings_on_one_osd_are_one_asking(stalled: Asking) -> None:
    one, other = _finding(1), _finding(1, "PERF_BENCH_LAGGY_PGS")
    stalled.service.opened(one)
    stalled.step()
    stalled.service.opened(other)
    stalled.ends()
    assert {key for key, _ in stalled.service.take()} == {one.key, other.key}
    assert len(stalled.dumps.asked) == 3 * 3 * ASKS


@pytest.mark.parametrize(
    "target", [Target("host", "host-0"), Target("osd", "all"), Target("cluster", "osds")]
)
def test_findings_on_other_things_are_not_asked_about(stalled: Asking, target: Target) -> None:
    stalled.service.opened(Finding(1, "PERF_BENCH_SLOW_OSD", Severity.WARNING, target, ""))
    stalled.ends()
    assert stalled.dumps.asked == []


def test_many_findings_wait_and_too_many_are_left() -> None:
    count = MOST_WAITING + 5
    made = Asking(dict.fromkeys(range(count), IDLE), osds=count)
    for osd in range(count):
        made.service.opened(_finding(osd))
    made.ends()
    assert len(made.service.take()) == MOST_WAITING


def test_a_finding_on_an_osd_that_went_away_is_forgotten(stalled: Asking) -> None:
    stalled.cluster.set_down(1)
    stalled.service.opened(_finding(1))
    stalled.service.opened(_finding(99))
    stalled.step()
    stalled.ends()
    assert stalled.service.take() == []


def test_a_finding_whose_place_a_question_takes_meanwhile_waits_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = Asking(dict.fromkeys(range(12), IDLE), osds=12)
    for osd in range(MOST_AT_ONCE - 1):
        made.why(osd)
    finding = _finding(11)
    made.service.opened(finding)
    osds, between = made.cluster.osds, [10]

    def asked_between(max_age: float = 0.0) -> Sequence[Osd]:
        """Another thread asks while the map is read for the finding."""
        if between:
            made.service.why(between.pop())
        return osds(max_age)

    monkeypatch.setattr(osd_breakdown, "_PATIENCE", 0.0)
    monkeypatch.setattr(made.cluster, "osds", asked_between)
    made.ends()
    assert [key for key, _ in made.service.take()] == [finding.key]


def test_an_error_at_the_begin_of_a_session_does_not_end_the_thread(
    stalled: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_osd: Osd) -> Sequence[Osd]:
        raise KeyError(7)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(stalled.service, "_peers", broken)
        stalled.service.opened(_finding(1))
        stalled.step()
    assert stalled.why(2).sampled.operations > 0


def test_an_error_ends_one_session_and_not_the_thread(
    stalled: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_osd: int) -> bytes:
        raise RuntimeError("no memory")

    monkeypatch.setattr(stalled.dumps, "slowest", broken)
    found = stalled.why(1)
    assert any("no memory" in one for one in found.not_told)
    monkeypatch.undo()
    assert stalled.why(2).sampled.operations > 0


def test_its_thread_asks_and_ends(stalled: Asking) -> None:
    with stalled.running():
        assert stalled.service.why(1).waits_for[0].osd == 3


def test_a_thread_that_has_nobody_to_ask_shows_that_it_lives(
    stalled: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(osd_breakdown, "_LIFE_SECONDS", 0.001)
    stalled.failing.alive("why")
    stalled.clock.advance(LASTING_SECONDS)
    assert stalled.failing.stalled("why")
    with stalled.running():
        threads.until(lambda: not stalled.failing.stalled("why"))
        stalled.clock.advance(LASTING_SECONDS)
        threads.until(lambda: not stalled.failing.stalled("why"))


def test_a_thread_that_hangs_is_told(stalled: Asking) -> None:
    stalled.dumps.gate.clear()
    stalled.service.opened(_finding(1))
    with stalled.running():
        threads.until(lambda: bool(stalled.service._sessions))
        stalled.clock.advance(LASTING_SECONDS)
        assert stalled.told() == [
            "'why' fails: OSDs that are slow are not asked why (no sign of life for 5 min)"
        ]
        stalled.dumps.gate.set()
        threads.until(lambda: not stalled.failing.stalled("why"))


def test_an_error_of_the_thread_is_told_and_does_not_end_it(
    stalled: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise RuntimeError("no memory")

    monkeypatch.setattr(osd_breakdown, "EVERY", 0.001)
    with stalled.running():
        with monkeypatch.context() as meanwhile:
            meanwhile.setattr(stalled.dumps, "close", broken)
            stalled.service.wake()
            threads.until(lambda: "why" in stalled.failing.problems())
            stalled.clock.advance(LASTING_SECONDS)
            threads.until(lambda: any("no memory" in one for one in stalled.told()))
        assert stalled.service.why(1).waits_for[0].osd == 3
