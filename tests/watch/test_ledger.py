"""The life of findings, as an operator sees it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Optional

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perf_bench.errors import NotFound
from perf_bench.model.finding import (
    CLOSED_KEPT_SECONDS,
    Acknowledgement,
    Claim,
    Finding,
    FindingState,
    Severity,
    Target,
)
from perf_bench.model.finding_kinds import COHORT_DRIFT, SLOW_OSD, STANDBY_MGR
from perf_bench.watch.findings import (
    CLOSED_KEPT,
    LIMIT,
    REFRESH_SECONDS,
    REOPENED_SECONDS,
    Changes,
    Ledger,
)

T = 1_700_000_000.0
HOUR = 3600.0
DAY = 24 * HOUR
NOTHING = Changes([], [], [])


def a_claim(osd: int = 7, **named: Any) -> Claim:
    """A warning of a slow OSD, since a minute before T."""
    values: dict[str, Any] = {
        "code": SLOW_OSD.code,
        "severity": Severity.WARNING,
        "target": Target("osd", str(osd)),
        "message": f"osd.{osd} is slow",
        "evidence": {"ratio": 2.0},
        "since": T - 60,
    }
    return Claim(**{**values, **named})


def a_finding(number: int, osd: int = 7, **named: Any) -> Finding:
    """A stored finding of the claim above, seen an hour ago first and a minute ago last."""
    claim = a_claim(osd)
    values: dict[str, Any] = {
        "evidence": claim.evidence,
        "first_seen": T - HOUR,
        "last_seen": T - 60,
    }
    return Finding(
        number, claim.code, claim.severity, claim.target, claim.message, **{**values, **named}
    )


def a_closed(number: int, osd: int = 7, closed_at: float = T - 60, **named: Any) -> Finding:
    return a_finding(number, osd, state=FindingState.CLOSED, closed_at=closed_at, **named)


def loaded(*stored: Finding, next_id: int = 100, now: float = T) -> Ledger:
    """A ledger that has read these."""
    ledger = Ledger()
    ledger.load(stored, next_id, now)
    return ledger


def targets(changes: Changes) -> dict[str, list[str]]:
    """What has changed how, without what has not."""
    found = {how: [str(one.target) for one in of] for how, of in changes._asdict().items()}
    return {how: of for how, of in found.items() if of}


def only(ledger: Ledger) -> Finding:
    (finding,) = ledger.findings()
    return finding


# --- open, go on, close --------------------------------------------------------------------------


def test_a_claim_opens_a_finding() -> None:
    ledger = loaded()
    assert ledger.update(T, [a_claim()]) == ([only(ledger)], [], [])
    assert only(ledger) == a_finding(100, first_seen=T - 60, last_seen=T)


@pytest.mark.parametrize(("ahead", "first_seen"), [(-1.0, T - 1), (1.0, T)])
def test_no_finding_begins_in_the_future(ahead: float, first_seen: float) -> None:
    """Facts may be of a host whose clock is ahead."""
    ledger = loaded()
    ledger.update(T, [a_claim(since=T + ahead)])
    assert only(ledger).first_seen == first_seen


def test_a_claim_that_stays_is_the_same_finding_with_the_newest_figures() -> None:
    ledger = loaded()
    ledger.update(T, [a_claim()])
    newer = a_claim(message="osd.7 is slower", evidence={"ratio": 4.0}, since=T + 1)
    assert ledger.update(T + 5, [newer]) == NOTHING
    found = only(ledger)
    assert (found.id, found.first_seen, found.last_seen) == (100, T - 60, T + 5)
    assert (found.message, found.evidence) == ("osd.7 is slower", {"ratio": 4.0})


def test_a_claim_that_is_gone_closes_its_finding() -> None:
    ledger = loaded()
    ledger.update(T, [a_claim(7), a_claim(8)])
    changes = ledger.update(T + 5, [a_claim(8)])
    assert targets(changes) == {"closed": ["osd.7"]}
    (closed,) = changes.closed
    assert (closed.state, closed.closed_at, closed.last_seen) == (FindingState.CLOSED, T + 5, T)
    assert [found.id for found in ledger.findings()] == [101]
    assert [found.id for found in ledger.findings(closed=True)] == [100, 101]


@pytest.mark.parametrize("back", [HOUR])
def test_a_clock_that_is_set_back_makes_no_finding_end_before_it_began(back: float) -> None:
    ledger = loaded()
    ledger.update(T, [a_claim(7), a_claim(8)])
    (closed,) = ledger.update(T - back, [a_claim(8)]).closed
    for found in (closed, only(ledger)):
        assert found.first_seen <= found.last_seen
    assert (closed.closed_at or 0.0) >= closed.first_seen


def test_another_severity_is_a_change() -> None:
    ledger = loaded()
    ledger.update(T, [a_claim()])
    (changed,) = ledger.update(T + 5, [a_claim(severity=Severity.ERROR)]).changed
    assert changed.severity is Severity.ERROR
    assert ledger.update(T + 10, [a_claim(severity=Severity.ERROR)]) == NOTHING


@pytest.mark.parametrize(
    ("pause", "same"),
    [
        (REOPENED_SECONDS, True),
        (REOPENED_SECONDS + 1, False),
        # a clock that was set back
        (-HOUR, True),
    ],
)
def test_the_same_fault_within_a_day_is_the_same_finding(pause: float, same: bool) -> None:
    ledger = loaded()
    ledger.update(T, [a_claim()])
    ledger.update(T + 5, [])
    (found,) = ledger.update(T + 5 + pause, [a_claim(since=T + pause)]).opened
    assert found.id == (100 if same else 101)
    # the first time stays, also by a clock that is behind it
    first = T - 60 if same else T + pause
    assert (found.first_seen, found.last_seen) == (first, max(first, T + 5 + pause))
    assert (found.state, found.closed_at) == (FindingState.OPEN, None)
    # no second entry of it among the closed ones
    assert len(ledger.findings(closed=True)) == (1 if same else 2)


# --- mute ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("created_at", "same"),
    [
        (None, True),  # not known
        (T - DAY, True),  # it was that OSD already
        (T + 30, False),  # made after the first finding began
        (T + 500, True),  # the clock of its host is ahead
    ],
)
def test_what_was_said_of_an_osd_is_not_said_of_the_next_one_with_its_id(
    created_at: Optional[float], same: bool
) -> None:
    ledger = Ledger(lambda osd: created_at if osd == 7 else None)
    ledger.load((), 100, T)
    ledger.update(T, [a_claim()])
    ledger.mute(100, T + DAY, T)
    ledger.update(T + 40, [])
    ledger.update(T + 300, [a_claim(since=T + 60)])
    found = only(ledger)
    assert (found.id == 100, found.state is FindingState.MUTED) == (same, same)
    assert found.first_seen == (T - 60 if same else T + 60)


def test_a_mute_ends_by_itself() -> None:
    ledger = loaded()
    ledger.update(T, [a_claim()])
    muted = ledger.mute(100, T + HOUR, T)
    assert (muted.state, muted.muted_until) == (FindingState.MUTED, T + HOUR)
    assert ledger.update(T + HOUR - 1, [a_claim()]) == NOTHING
    assert only(ledger).state is FindingState.MUTED
    (unmuted,) = ledger.update(T + HOUR, [a_claim()]).changed
    assert (unmuted.state, unmuted.muted_until) == (FindingState.OPEN, None)


@pytest.mark.parametrize(
    ("again", "state"),
    [(T + HOUR, FindingState.MUTED), (T + 3 * HOUR, FindingState.OPEN)],
)
def test_a_mute_outlives_a_pause_but_not_its_time(again: float, state: FindingState) -> None:
    ledger = loaded()
    ledger.update(T, [a_claim()])
    ledger.mute(100, T + 2 * HOUR, T)
    assert targets(ledger.update(T + 60, [])) == {"closed": ["osd.7"]}
    ledger.update(again, [a_claim()])
    assert (only(ledger).id, only(ledger).state) == (100, state)


@pytest.mark.parametrize("number", [0, 100])
def test_only_what_is_open_can_be_muted(number: int) -> None:
    ledger = loaded()
    ledger.update(T, [a_claim()])
    ledger.update(T + 5, [])
    with pytest.raises(NotFound, match=f"no open finding {number}: 'ceph perf-bench finding ls'"):
        ledger.mute(number, T + HOUR, T)


# --- acknowledgement -----------------------------------------------------------------------------

NOTE = Acknowledgement("disk ordered", T, "alice")


def test_an_acknowledged_finding_stays_open() -> None:
    ledger = loaded()
    ledger.update(T, [a_claim()])
    noted = ledger.acknowledge(100, NOTE, T)
    assert (noted.state, noted.acknowledged) == (FindingState.OPEN, NOTE)
    # it is written at once, and not lost to what the detector says next
    assert [one.acknowledged for one in ledger.take_unsaved(T)[0]] == [NOTE]
    ledger.update(T + 5, [a_claim(severity=Severity.INFO, message="less slow")])
    assert only(ledger).acknowledged == NOTE
    ledger.mute(100, T + HOUR, T + 5)
    assert only(ledger).acknowledged == NOTE


@pytest.mark.parametrize(("pause", "kept"), [(DAY, NOTE), (DAY + 1, None)])
def test_a_note_stays_while_it_is_the_same_finding(
    pause: float, kept: Optional[Acknowledgement]
) -> None:
    ledger = loaded(a_closed(3, closed_at=T, acknowledged=NOTE))
    ledger.update(T + pause, [a_claim()])
    assert only(ledger).acknowledged == kept


# --- many at once --------------------------------------------------------------------------------


def test_more_than_are_kept_are_told_as_an_error_of_the_module() -> None:
    ledger, errors = loaded(), list[Exception]()
    claims = [a_claim(osd) for osd in range(LIMIT + 2)]
    for now in (T, T + 5):
        errors.clear()
        ledger.update(now, claims, refused=errors.append)
        assert len(ledger.findings()) == LIMIT
        assert {str(one) for one in errors} == {
            f"{LIMIT} findings PERF_BENCH_SLOW_OSD are open: no further one is kept"
        }
    # one of those named gets well: another one takes its place
    changes = ledger.update(T + 10, claims[1:])
    assert targets(changes) == {"closed": ["osd.0"]}
    assert targets(ledger.update(T + 15, claims[1:])) == {"opened": [f"osd.{LIMIT}"]}


# --- waking --------------------------------------------------------------------------------------


def test_what_was_open_before_goes_on() -> None:
    ledger = loaded(a_finding(3))
    assert ledger.update(T, [a_claim()]) == NOTHING
    assert (only(ledger).id, only(ledger).first_seen) == (3, T - HOUR)


def test_what_is_not_claimed_yet_closes_when_it_is_known_to_be_over() -> None:
    ledger = loaded(a_finding(3, 7), a_finding(4, 8))
    assert ledger.update(T + DAY, []) == NOTHING
    over = [one.key for one in ledger.inherited if one.target.id == "7"]
    assert targets(ledger.update(T + DAY, [], over)) == {"closed": ["osd.7"]}
    assert [one.target.id for one in ledger.inherited] == ["8"]
    ledger.update(T + DAY + 5, [a_claim(7)])  # it came back, and is none of before any more
    assert targets(ledger.update(T + DAY + 10, [])) == {"closed": ["osd.7"]}


def test_what_was_claimed_since_waking_has_no_grace() -> None:
    ledger = loaded(a_finding(3))
    ledger.update(T + 5, [a_claim()])
    assert targets(ledger.update(T + 10, [])) == {"closed": ["osd.7"]}


class TestBeforeTheStoreWasRead:
    """A store that is away stops no alarm."""

    def test_findings_open_and_close_without_an_id(self) -> None:
        ledger = Ledger()
        opened = ledger.update(T, [a_claim(7), a_claim(8)])
        assert targets(opened) == {"opened": ["osd.7", "osd.8"]}
        assert targets(ledger.update(T + 5, [a_claim(8)])) == {"closed": ["osd.7"]}
        assert [found.id for found in ledger.findings(closed=True)] == [0, 0]
        assert ledger.take_unsaved(T + 5) == ([], [])
        assert not ledger.loaded

    def test_they_get_one_when_it_is_read(self) -> None:
        ledger = Ledger()
        ledger.update(T, [a_claim(7), a_claim(8)])
        ledger.update(T + 5, [a_claim(8)])
        ledger.load([], 12, T + 10)
        assert ledger.loaded
        assert {f.id: str(f.target) for f in ledger.findings(closed=True)} == {
            12: "osd.7",
            13: "osd.8",
        }
        saved, _ = ledger.take_unsaved(T + 10)
        assert sorted(found.id for found in saved) == [12, 13]
        assert ledger.update(T + 15, [a_claim(8)]) == NOTHING

    @pytest.mark.parametrize(
        ("stored", "first_seen", "state"),
        [
            (a_finding(3), T - HOUR, FindingState.OPEN),
            (a_closed(3), T - HOUR, FindingState.OPEN),
            (
                a_finding(3, state=FindingState.MUTED, muted_until=T + HOUR),
                T - HOUR,
                FindingState.MUTED,
            ),
            # a mute that ran out while nobody was there
            (
                a_finding(3, state=FindingState.MUTED, muted_until=T - 5),
                T - HOUR,
                FindingState.OPEN,
            ),
        ],
    )
    def test_they_go_on_what_was_known(
        self, stored: Finding, first_seen: float, state: FindingState
    ) -> None:
        ledger = Ledger()
        ledger.update(T, [a_claim()])
        ledger.load([stored], 12, T + 10)
        found = only(ledger)
        assert (found.id, found.first_seen, found.state) == (3, first_seen, state)
        assert len(ledger.findings(closed=True)) == 1

    def test_they_are_new_when_the_old_one_closed_long_ago(self) -> None:
        ledger = Ledger()
        ledger.update(T, [a_claim()])
        ledger.load([a_closed(3, closed_at=T - 2 * DAY)], 12, T + 10)
        assert [found.id for found in ledger.findings(closed=True)] == [3, 12]

    def test_one_that_closed_meanwhile_closes_what_was_known(self) -> None:
        ledger = Ledger()
        ledger.update(T, [a_claim()])
        ledger.update(T + 5, [])
        ledger.load([a_finding(3)], 12, T + 10)
        assert ledger.findings() == []
        (found,) = ledger.findings(closed=True)
        assert (found.id, found.closed_at, found.first_seen) == (3, T + 5, T - HOUR)


# --- what is written -----------------------------------------------------------------------------


def test_a_change_is_written_and_mere_figures_only_now_and_then() -> None:
    ledger = loaded()
    written: list[float] = []
    for tick in range(200):
        now = T + 5 * tick
        ledger.update(now, [a_claim(evidence={"tick": tick})])
        if ledger.take_unsaved(now)[0]:
            written.append(now - T)
    assert written == [0.0, REFRESH_SECONDS, 2 * REFRESH_SECONDS, 3 * REFRESH_SECONDS]


def test_closed_ones_are_forgotten_in_time() -> None:
    ledger = loaded(a_closed(1, 1, T - CLOSED_KEPT_SECONDS - 1), a_closed(2, 2, T - DAY))
    ledger.update(T, [])
    assert [found.id for found in ledger.findings(closed=True)] == [2]
    assert ledger.take_unsaved(T) == ([], [1])
    assert ledger.take_unsaved(T) == ([], [])


def test_of_too_many_closed_ones_the_oldest_are_forgotten() -> None:
    stored = [a_closed(n, n, T - DAY - n) for n in range(1, CLOSED_KEPT + 4)]
    ledger = loaded(*stored, next_id=5000)
    ledger.update(T, [])
    assert len(ledger.findings(closed=True)) == CLOSED_KEPT
    assert ledger.take_unsaved(T)[1] == [CLOSED_KEPT + 1, CLOSED_KEPT + 2, CLOSED_KEPT + 3]


# --- whatever happens ----------------------------------------------------------------------------

STEPS = st.lists(
    st.tuples(
        st.sampled_from([5.0, 60.0, HOUR, 2 * DAY]),
        st.sets(st.integers(0, 3)),
        st.one_of(st.none(), st.integers(1, 6)),
    ),
    min_size=1,
    max_size=12,
)


def _figures_aside(finding: Finding) -> Finding:
    return replace(finding, last_seen=0.0)


@settings(max_examples=40)
@given(STEPS, st.integers(0, 4))
def test_what_is_written_is_what_there_is(
    steps: list[tuple[float, set[int], Optional[int]]], read_at: int
) -> None:
    ledger, now = Ledger(), T
    stored = {3: a_finding(3, 1), 4: a_closed(4, 2, T - DAY / 2)}
    for place, (pause, osds, muted) in enumerate(steps):
        now += pause
        if place == read_at:
            ledger.load(list(stored.values()), 5, now)
        before = {found.key: found for found in ledger.findings()}
        over = [found.key for found in ledger.inherited]
        changes = ledger.update(now, [a_claim(osd, since=now) for osd in osds], over)
        after = {found.key: found for found in ledger.findings()}
        # those claimed are open, no other
        assert {int(target_id) for _, _, target_id in after} == osds
        opened = {finding.key for finding in changes.opened}
        closed = {finding.key for finding in changes.closed}
        assert (opened, closed) == (after.keys() - before.keys(), before.keys() - after.keys())
        if muted is not None and muted in {found.id for found in ledger.findings()}:
            ledger.mute(muted, now + DAY, now)
        saved, forgotten = ledger.take_unsaved(now)
        stored.update((found.id, found) for found in saved)
        for number in forgotten:
            del stored[number]
        if ledger.loaded:
            everything = ledger.findings(closed=True)
            assert len({found.id for found in everything}) == len(everything)
            assert {f.id: _figures_aside(f) for f in everything} == {
                number: _figures_aside(f) for number, f in stored.items()
            }


# --- evidence that is attached ------------------------------------------------------------------


def _opened(ledger: Ledger, evidence: dict[str, Any], now: float = 0.0) -> Finding:
    claim = Claim("PERF_BENCH_SLOW_OSD", Severity.WARNING, Target("osd", "1"), "", evidence, now)
    ledger.update(now, [claim])
    return ledger.findings()[0]


def test_attached_evidence_stays_beside_the_detectors() -> None:
    ledger = Ledger()
    ledger.load([], 1, 0.0)
    found = _opened(ledger, {"ratio": 3.0})
    ledger.take_unsaved(0.0)
    assert ledger.attach(found.key, {"why": ["it waits"], "asked_at": 5.0, "ratio": 9.0})
    (saved,) = ledger.take_unsaved(1.0)[0]
    assert saved.evidence == {"ratio": 3.0, "why": ["it waits"], "asked_at": 5.0}
    later = _opened(ledger, {"ratio": 4.0}, 10.0)
    assert later.evidence == {"ratio": 4.0, "why": ["it waits"], "asked_at": 5.0}
    ledger.attach(found.key, {"asked_at": 20.0})  # a newer answer replaces the whole of it
    assert ledger.findings()[0].evidence == {"ratio": 4.0, "asked_at": 20.0}


def test_attached_evidence_stays_with_a_closed_finding_and_not_with_its_return() -> None:
    ledger = Ledger()
    ledger.load([], 1, 0.0)
    found = _opened(ledger, {"ratio": 3.0})
    ledger.attach(found.key, {"why": ["it waits"]})
    ledger.update(10.0, [])
    (closed,) = ledger.findings(closed=True)
    assert closed.evidence == {"ratio": 3.0, "why": ["it waits"]}
    assert not ledger.attach(found.key, {"why": ["late"]})
    again = _opened(ledger, {"ratio": 5.0}, 20.0)
    assert (again.id, dict(again.evidence)) == (closed.id, {"ratio": 5.0})


def test_attached_evidence_survives_a_failover() -> None:
    before, after = Ledger(), Ledger()
    before.load([], 1, 0.0)
    found = _opened(before, {"ratio": 3.0})
    before.attach(found.key, {"why": ["it waits"]})
    _opened(after, {"ratio": 4.0}, 30.0)
    after.load(before.take_unsaved(1.0)[0], 2, 31.0)
    assert after.findings()[0].evidence == {"ratio": 4.0, "why": ["it waits"]}


@pytest.mark.parametrize("bad", [{"evidence": None}, {"target": "osd.7"}])
def test_one_bad_claim_does_not_stop_the_others(bad: dict[str, Any]) -> None:
    """What is open about its target stays: nobody knows better."""
    ledger = Ledger()
    ledger.load((), 1, T)
    ledger.update(T, [a_claim(7), a_claim(8)])
    errors: list[Exception] = []
    ledger.update(T + 5, [a_claim(7, **bad), a_claim(9)], refused=errors.append)
    assert len(errors) == 1
    left = {one.target.id for one in ledger.findings()}
    assert left == ({"9"} if "target" in bad else {"7", "9"})


@pytest.mark.parametrize(("held", "raised"), [(599.0, False), (600.0, True)])
def test_a_kind_is_raised_after_its_time_and_stays_once_it_is(held: float, raised: bool) -> None:
    ledger = Ledger()
    claim = a_claim(7, code=STANDBY_MGR.code, since=T)
    ledger.update(T + held, [claim])
    assert bool(ledger.findings()) is raised
    ledger.update(T + 5, [claim])  # the clock was set back
    assert bool(ledger.findings()) is raised


@pytest.mark.parametrize(("gone", "cleared"), [(899.0, False), (900.0, True)])
def test_a_kind_is_cleared_after_its_time(gone: float, cleared: bool) -> None:
    ledger = Ledger()
    ledger.update(T, [a_claim(7, code=COHORT_DRIFT.code)])
    ledger.update(T + gone, [])
    assert (not ledger.findings()) is cleared
