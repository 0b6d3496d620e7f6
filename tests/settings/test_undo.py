"""What becomes of changes in the journal: made, put back, left as they are, or watched."""

from __future__ import annotations

import logging
from typing import Any, Optional

import pytest

from fakes.clock import FakeClock
from fakes.settings import FakeAuthority, FakeKeys, FakeSettings, an_access
from perf_bench.errors import CommandFailed, NotNow
from perf_bench.model.quiesce import Entry, Left, Restored, SettingChange, Waiting
from perf_bench.model.said import packed, say
from perf_bench.settings.journal import JOURNAL
from perf_bench.settings.undo import LATE, Fate, Undoer, fate

OPTION, SCRUB, POOL = "config/osd/osd_bench_duration", "flag/noscrub", "pool/3/pg_autoscale_mode"
HOLDER = "round-7"


@pytest.mark.parametrize(
    ("value", "settled", "expected"),
    [
        ("120", True, Fate.UNDO),
        ("120", False, Fate.UNDO),
        ("120.000000", True, Fate.UNDO),  # monitors write numbers as they like
        ("30", True, Fate.NOTHING),
        ("30.0", True, Fate.NOTHING),
        ("30", False, Fate.WATCH),  # it may still be carried out
        ("60", True, Fate.LEAVE),
        ("60", False, Fate.WATCH),  # and what is on its way would be over it
        (None, True, Fate.LEAVE),
        (None, False, Fate.WATCH),
    ],
)
def test_fate(value: Optional[str], settled: bool, expected: Fate) -> None:
    assert (
        fate(SettingChange("config/osd/osd_bench_duration", "30", "120"), value, settled)
        is expected
    )


class Place:
    """A cluster with its journal, and a process, 4100, that changes its settings."""

    def __init__(self) -> None:
        self.settings, self.keys, self.clock = FakeSettings(), FakeKeys(), FakeClock()
        self.authority = FakeAuthority("4100")
        self.undoer = Undoer(self._access(self.authority))

    def another(self, writer: str = "4200") -> Undoer:
        """A process that begins and has read the journal."""
        made = Undoer(self._access(FakeAuthority(writer)))
        made.refresh()
        return made

    def _access(self, authority: FakeAuthority) -> Any:
        return an_access(self.settings, self.keys, self.clock, authority=authority)

    def adds(self, what: str, want: str, undoer: Optional[Undoer] = None) -> Entry:
        now = self.clock.now()
        change = SettingChange(what, self.settings.read(what), want, now)
        return (undoer or self.undoer).add(HOLDER, now, now + 3600, change)

    def makes(self, what: str, want: str, undoer: Optional[Undoer] = None) -> Entry:
        entry = self.adds(what, want, undoer)
        assert (undoer or self.undoer).make(entry, entry.change.was)
        return entry

    def reads_take(self, *seconds: float) -> None:
        """How long the next readings of settings take."""
        left, read = list(seconds), self.settings.read

        def slow(what: str) -> Optional[str]:
            self.clock.advance(left.pop(0) if left else 0.0)
            return read(what)

        self.settings.read = slow  # type: ignore[method-assign]


@pytest.fixture
def place() -> Place:
    return Place()


# --- entries ---------------------------------------------------------------------------------


def test_a_change_is_written_down_with_who_holds_it_and_how_long(place: Place) -> None:
    now = place.clock.now()
    entry = place.adds(SCRUB, "set")
    assert (entry.holder, entry.writer, entry.since, entry.until) == (
        HOLDER, "4100", now, now + 3600,
    )  # fmt: skip
    assert place.undoer.entries == place.another().entries == (entry,)
    assert (place.undoer.is_made(entry), place.settings.values[SCRUB]) == (False, "unset")


def test_several_changes_are_written_down_at_once(place: Place) -> None:
    place.clock.advance(50)
    changes = [SettingChange(SCRUB, "unset", "set", 1.0), SettingChange(POOL, "on", "off", 2.0)]
    entries = place.undoer.add_all(HOLDER, changes)
    assert [entry.change for entry in entries] == changes
    assert place.undoer.entries == tuple(entries)
    assert [place.undoer.is_made(entry) for entry in entries] == [False, False]
    assert [place.undoer.seen(entry) for entry in entries] == [place.clock.monotonic()] * 2
    assert len(place.keys.keys) == 1


def test_which_changes_are_made_is_known(place: Place) -> None:
    """A writer writes the next change down, or confirms the last, only after it was made."""
    first, last = place.makes(SCRUB, "set"), place.makes(POOL, "off")
    other = place.another()
    assert [other.is_made(one) for one in (first, last)] == [True, False]
    other.note_made(last)
    other.refresh()
    assert [other.is_made(one) for one in (first, last)] == [True, True]
    assert [place.undoer.is_made(one) for one in (first, last)] == [True, True]


def test_an_entry_is_as_old_as_the_first_reading_of_it(place: Place) -> None:
    place.clock.advance(10)
    entry = place.makes(SCRUB, "set")
    place.clock.advance(90)
    other = place.another()
    place.clock.advance(100)
    other.refresh()
    assert (place.undoer.seen(entry), other.seen(entry)) == (10.0, 100.0)


def test_what_another_process_has_removed_is_gone(place: Place) -> None:
    entry = place.makes(SCRUB, "set")
    other = place.another()
    assert other.undo([entry]) == Restored(put_back=(entry.change,))
    place.undoer.refresh()
    assert place.undoer.entries == ()
    # another thread may still ask
    assert not place.undoer.is_watched(entry)
    assert not place.undoer.is_lagging(entry)
    assert not other.is_watched(entry)
    assert not other.is_lagging(entry)


def test_keys_that_cannot_be_read_are_noted_until_they_are_gone(place: Place) -> None:
    place.keys.keys[f"{JOURNAL}/7.000001"] = "{"
    place.undoer.refresh()
    assert [one.key for one in place.undoer.unreadable] == [f"{JOURNAL}/7.000001"]
    place.keys.keys.clear()
    place.undoer.refresh()
    assert place.undoer.unreadable == ()


def test_a_journal_that_cannot_be_read_changes_nothing(place: Place) -> None:
    entry = place.makes(SCRUB, "set")
    place.keys.fault = CommandFailed(110, "no quorum")
    with pytest.raises(CommandFailed):
        place.undoer.refresh()
    assert place.undoer.entries == (entry,)
    assert place.undoer.is_made(entry)


def test_a_change_of_ours_that_seemed_not_to_be_written_down_was_not_made(place: Place) -> None:
    """The monitors took the entry, and we did not hear of it: an operator has set the same."""
    entry = place.adds(SCRUB, "set", place.another("4100"))
    place.settings.values[SCRUB] = "set"
    place.undoer.refresh()
    assert not place.undoer.is_made(entry)
    assert place.undoer.undo([entry]) == Restored()
    assert (place.settings.values[SCRUB], place.keys.keys) == ("set", {})


def test_an_entry_that_a_reading_did_not_tell_of_is_put_back(place: Place) -> None:
    """A monitor that is behind does not have what was just written."""
    entry = place.makes(SCRUB, "set")
    keys = dict(place.keys.keys)
    place.keys.keys.clear()
    place.undoer.refresh()
    assert place.undoer.entries == ()
    place.keys.keys.update(keys)
    place.undoer.refresh()
    assert place.undoer.undo(place.undoer.entries).put_back == (entry.change,)
    assert (place.settings.values[SCRUB], place.keys.keys) == ("unset", {})


def test_what_is_forgotten_is_not_put_back(place: Place) -> None:
    entries = [place.makes(SCRUB, "set"), place.makes(POOL, "off")]
    place.undoer.forget(*entries)
    assert (place.undoer.entries, place.keys.keys) == ((), {})
    assert (place.settings.values[SCRUB], place.settings.values[POOL]) == ("set", "off")


def test_what_could_not_be_removed_is_not_put_back_later(place: Place) -> None:
    entry = place.makes(SCRUB, "set")
    place.keys.fault = CommandFailed(110, "no quorum")
    with pytest.raises(CommandFailed):
        place.undoer.forget(entry)
    place.keys.fault = None
    assert place.undoer.entries == (entry,)
    assert place.undoer.undo([entry]) == Restored()
    assert (place.settings.values[SCRUB], place.keys.keys) == ("set", {})


# --- making a change -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "now", "made"), [("30", "30", True), ("30", "30.000000", True), ("30", "60", False)]
)
def test_a_change_is_made_unless_somebody_was_faster(
    place: Place, before: str, now: str, made: bool
) -> None:
    place.settings.values[OPTION] = before
    entry = place.adds(OPTION, "120")
    place.settings.values[OPTION] = now
    assert place.undoer.make(entry, before) is made
    assert place.settings.values[OPTION] == ("120" if made else now)
    assert place.undoer.is_made(entry) is made


def test_a_mgr_that_was_superseded_makes_no_change(place: Place) -> None:
    entry = place.adds(SCRUB, "set")
    place.authority.superseded = "another mgr is the active one"
    with pytest.raises(NotNow, match="another mgr"):
        place.undoer.make(entry, "unset")
    assert (place.settings.values[SCRUB], place.undoer.is_made(entry)) == ("unset", False)


def test_a_command_without_an_answer_is_not_known_to_be_carried_out(place: Place) -> None:
    """It is watched then, and put back if it comes."""
    entry = place.adds(SCRUB, "set")

    def lost(what: str, value: Optional[str]) -> None:
        raise CommandFailed(110, "no answer")

    set_, place.settings.set = place.settings.set, lost  # type: ignore[method-assign]
    with pytest.raises(CommandFailed):
        place.undoer.make(entry, "unset")
    place.settings.set = set_  # type: ignore[method-assign]
    assert not place.undoer.is_made(entry)
    assert place.undoer.undo([entry]) == Restored()
    assert place.undoer.is_watched(entry)
    assert place.undoer.entries == (entry,)
    # It is tried again, by the round: then it is a change as any other.
    assert place.undoer.make(entry, "unset")
    assert not place.undoer.is_watched(entry)
    assert place.undoer.undo([entry]) == Restored(put_back=(entry.change,))


# --- the reading right before a value is set -------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "set_"),
    [
        ([4.99], True),
        ([5.0, 4.99], True),
        ([5.0, 5.0, 4.99], True),
        ([5.0, 5.0, 5.0, 0.0], False),  # it is read three times, no more
    ],
)
def test_a_value_is_set_only_within_five_seconds_of_its_reading(
    place: Place, seconds: list[float], set_: bool
) -> None:
    """Another mgr may be active by then: monitors wait 30 s for one that is silent."""
    entry = place.adds(SCRUB, "set")
    place.reads_take(*seconds)
    if set_:
        assert place.undoer.make(entry, "unset")
    else:
        why = r"^the monitors take longer than 5 s to return flag/noscrub$"
        with pytest.raises(NotNow, match=why):
            place.undoer.make(entry, "unset")
    assert place.settings.values[SCRUB] == ("set" if set_ else "unset")


def test_who_is_active_is_asked_before_the_value_is_read(place: Place) -> None:
    """Not after it: the value would be of a time before."""
    entry = place.makes(SCRUB, "set")
    steps: list[str] = []

    def reads(what: str) -> Optional[str]:
        steps.append("read")
        return place.settings.values[what]

    place.settings.read = reads  # type: ignore[method-assign]
    place.settings.set = lambda what, value: steps.append("set")  # type: ignore[method-assign]
    place.authority.check = lambda: steps.append("check")  # type: ignore[method-assign]
    place.undoer.undo([entry])
    assert steps == ["check", "read", "check", "read", "set"]


def test_a_mgr_that_is_superseded_meanwhile_puts_nothing_back(place: Place) -> None:
    entry = place.makes(SCRUB, "set")
    read = place.settings.read

    def superseded(what: str) -> Optional[str]:
        place.authority.superseded = "another mgr is the active one"
        return read(what)

    place.settings.read = superseded  # type: ignore[method-assign]
    done = place.undoer.undo([entry])
    assert done.waiting == (Waiting(entry.change, "another mgr is the active one"),)
    assert place.settings.values[SCRUB] == "set"


@pytest.mark.parametrize(
    ("value", "put_back", "left"),
    [
        ("60", 0, [Left(OPTION, "30", "60")]),
        (None, 0, [Left(OPTION, "30", None)]),
        ("30", 0, []),
        ("120.0", 1, []),  # monitors write numbers as they like
    ],
)
def test_what_an_operator_sets_between_two_readings_stays(
    place: Place, value: Optional[str], put_back: int, left: list[Left]
) -> None:
    place.settings.values[OPTION] = "30"
    entry = place.makes(OPTION, "120")
    read, looks = place.settings.read, [0]

    def changed(what: str) -> Optional[str]:
        looks[0] += 1
        if looks[0] == 2:
            place.settings.values[OPTION] = value
        return read(what)

    place.settings.read = changed  # type: ignore[method-assign]
    done = place.undoer.undo([entry])
    assert done == Restored((entry.change,) * put_back, tuple(left))
    assert place.settings.values[OPTION] == ("30" if put_back else value)
    assert place.keys.keys == {}


# --- undoing ---------------------------------------------------------------------------------


def test_the_last_change_is_put_back_first_and_each_is_told(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    entries = [place.makes(*one) for one in ((SCRUB, "set"), (OPTION, "120"), (POOL, "off"))]
    done = place.undoer.undo(entries)
    assert done == Restored(put_back=tuple(entry.change for entry in reversed(entries)))
    assert [record.getMessage() for record in caplog.records] == [
        f"{POOL} is on again", f"{OPTION} is not set again", f"{SCRUB} is unset again",
    ]  # fmt: skip
    assert place.keys.keys == {}
    assert place.undoer.undo([]) == Restored()


def test_what_is_gone_left_or_waits_keeps_no_other_from_being_put_back(place: Place) -> None:
    place.settings.values.update({"pool/8/pg_autoscale_mode": "on", "flag/nodown": "unset"})
    wanted = {
        "balancer": "off", "flag/nodown": "set", "pool/8/pg_autoscale_mode": "off",
        "flag/nodeep-scrub": "set", POOL: "off", OPTION: "120", SCRUB: "set",
    }  # fmt: skip
    entries = {what: place.makes(what, want) for what, want in wanted.items()}
    del place.settings.values["pool/8/pg_autoscale_mode"]
    place.settings.values.update({POOL: "warn", "flag/nodown": "other"})
    place.settings.slow = {OPTION: "osd.2 has 120", SCRUB: "osd.3 scrubs"}
    done = place.undoer.undo(list(entries.values()))
    put_back = tuple(entries[what].change for what in ("flag/nodeep-scrub", "balancer"))
    left = (
        Left(POOL, "on", "warn"),
        Left("pool/8/pg_autoscale_mode", "on", None, gone=True),
        Left("flag/nodown", "unset", "other"),
    )
    waiting = tuple(Waiting(entries[what].change, place.settings.slow[what])
                    for what in (SCRUB, OPTION))  # fmt: skip
    assert done == Restored(put_back, left, waiting)
    assert [entry.what for entry in place.undoer.entries] == [OPTION, SCRUB]
    assert len(place.keys.keys) == 2


def test_daemons_that_do_not_have_the_old_value_yet_are_waited_for(place: Place) -> None:
    entry = place.makes(OPTION, "120")
    assert not place.undoer.is_lagging(entry)
    place.settings.slow = {OPTION: "osd.2 has 120"}
    place.undoer.undo([entry])
    assert place.undoer.is_lagging(entry)
    place.settings.slow = {}
    assert place.undoer.undo([entry]) == Restored(put_back=(entry.change,))
    assert (place.undoer.entries, place.keys.keys) == ((), {})


def test_an_operator_who_sets_it_while_daemons_are_waited_for_keeps_it(place: Place) -> None:
    entry = place.makes(OPTION, "120")
    place.settings.slow = {OPTION: "osd.2 has 120"}
    place.undoer.undo([entry])
    place.settings.values[OPTION] = "60"
    assert place.undoer.undo([entry]) == Restored(left=(Left(OPTION, None, "60"),))
    assert place.settings.values[OPTION] == "60"


def test_what_was_put_back_and_could_not_be_removed_is_not_put_back_again(place: Place) -> None:
    """An operator may set the same value meanwhile, and keeps it."""
    entries = [place.makes(SCRUB, "set"), place.makes(POOL, "off")]
    place.keys.fault = CommandFailed(110, "no quorum")
    done = place.undoer.undo(entries)
    assert done == Restored(
        put_back=(entries[1].change, entries[0].change), unsaved="no quorum"
    )  # fmt: skip
    place.keys.fault = None
    assert place.undoer.entries == tuple(entries)
    assert [place.undoer.is_lagging(entry) for entry in entries] == [False, False]
    place.settings.values[SCRUB] = "set"
    place.undoer.refresh()
    assert place.undoer.undo(entries) == Restored()
    assert (place.settings.values[SCRUB], place.keys.keys) == ("set", {})


def test_what_is_left_is_told_once_though_its_entry_could_not_be_removed(place: Place) -> None:
    entries = [place.makes(SCRUB, "set"), place.makes(POOL, "off"), place.makes(OPTION, "120")]
    del place.settings.values[POOL]
    place.settings.values[OPTION] = "60"
    place.settings.authors = {SCRUB: "client.admin"}
    place.keys.fault = CommandFailed(110, "no quorum")
    done = place.undoer.undo(entries)
    assert [left.what for left in done.left] == [OPTION, POOL, SCRUB]
    place.keys.fault = None
    assert place.undoer.undo(entries) == Restored()
    assert place.keys.keys == {}


def test_a_value_that_could_not_be_set_is_not_waited_for(place: Place) -> None:
    entry = place.makes(SCRUB, "set")

    def broken(what: str, value: Optional[str]) -> None:
        raise CommandFailed(5, "the monitor is ill")

    set_, place.settings.set = place.settings.set, broken  # type: ignore[method-assign]
    done = place.undoer.undo([entry])
    assert done == Restored(waiting=(Waiting(entry.change, "the monitor is ill"),))
    assert not place.undoer.is_lagging(entry)
    place.settings.set = set_  # type: ignore[method-assign]
    assert place.undoer.undo([entry]) == Restored(put_back=(entry.change,))


@pytest.mark.parametrize("at_once", [False, True])
def test_entries_are_removed_one_by_one_or_all_at_the_end(place: Place, at_once: bool) -> None:
    """Those that a mgr that takes over would undo by itself are removed as soon as they are."""
    entries = [place.makes(SCRUB, "set"), place.makes(POOL, "off")]
    steps: list[str] = []
    set_, command = place.settings.set, place.keys.command

    def sets(what: str, value: Optional[str]) -> None:
        steps.append(f"set {what}")
        set_(what, value)

    def removes(prefix: str, **arguments: Any) -> bytes:
        steps.append(prefix)
        return command(prefix, **arguments)

    place.settings.set, place.keys.command = sets, removes  # type: ignore[method-assign]
    assert place.undoer.undo(entries, at_once).complete
    remove = "config-key rm"
    assert steps == (
        [f"set {POOL}", f"set {SCRUB}", remove, remove]
        if at_once
        else [f"set {POOL}", remove, f"set {SCRUB}", remove]
    )


def test_without_the_right_to_nothing_is_undone(place: Place) -> None:
    entry = place.makes(SCRUB, "set")
    place.authority.superseded = "another mgr is the active one"
    assert place.undoer.undo([entry]) == Restored(unsaved="another mgr is the active one")
    assert (place.settings.values[SCRUB], len(place.keys.keys)) == ("set", 1)


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (CommandFailed(110, "no answer"), "no answer"),
        (ValueError("no number"), "no number"),
        (RuntimeError(), "RuntimeError()"),
    ],
)
def test_why_it_is_not_put_back_is_told(place: Place, error: Exception, why: str) -> None:
    entry = place.makes(SCRUB, "set")
    place.settings.fault = error
    assert place.undoer.undo([entry]) == Restored(waiting=(Waiting(entry.change, why),))
    place.settings.fault = None
    assert place.undoer.undo([entry]) == Restored(put_back=(entry.change,))


def test_why_it_is_not_put_back_keeps_its_code(place: Place) -> None:
    entry = place.makes(SCRUB, "set")
    place.settings.fault = NotNow(say("mgr-stopping", "perf_bench is being stopped on this mgr"))
    (waiting,) = place.undoer.undo([entry]).waiting
    assert packed(waiting.why) is not None


def test_notes_of_a_round_that_cannot_be_removed_are_told_and_removed_later(place: Place) -> None:
    access = place._access(place.authority)
    journal, undoer = access.journal, Undoer(access)
    entry = place.makes(SCRUB, "set", undoer)
    journal.confirm("4100", HOLDER, place.clock.now() + 3600)
    command = place.keys.command

    def broken(prefix: str, **arguments: Any) -> bytes:
        if arguments["key"] != entry.key:
            raise CommandFailed(110, "no quorum")
        return command(prefix, **arguments)

    place.keys.command = broken  # type: ignore[method-assign]
    assert undoer.undo([entry]) == Restored(put_back=(entry.change,), unsaved="no quorum")
    undoer.refresh()  # it does not fail for that
    place.keys.command = command  # type: ignore[method-assign]
    assert len(place.keys.keys) == 1
    undoer.refresh()
    assert place.keys.keys == {}


# --- who else has set it ---------------------------------------------------------------------


def test_who_has_set_the_same_keeps_it(place: Place) -> None:
    entry = place.makes(SCRUB, "set")
    place.settings.authors = {SCRUB: "client.admin"}
    assert place.undoer.undo([entry]) == Restored(
        left=(Left(SCRUB, "unset", "set", by="client.admin"),)
    )
    assert (place.settings.values[SCRUB], place.keys.keys) == ("set", {})


def test_who_has_set_a_held_value_is_noted_before_the_log_forgets_it(place: Place) -> None:
    entries = [place.makes(SCRUB, "set"), place.adds(POOL, "off")]
    place.settings.authors = {SCRUB: "client.admin", POOL: "client.other"}
    place.undoer.look_for_authors(entries)
    place.settings.authors = {SCRUB: "client.later"}
    place.undoer.look_for_authors(entries)
    place.settings.authors = {}
    assert place.undoer.make(entries[1], "on")  # who set it before says nothing
    assert place.undoer.undo(entries) == Restored(
        put_back=(entries[1].change,), left=(Left(SCRUB, "unset", "set", by="client.admin"),)
    )


def test_a_log_that_cannot_be_read_keeps_nothing_from_being_put_back(place: Place) -> None:
    entry = place.makes(SCRUB, "set")

    def unread(change: SettingChange) -> Optional[str]:
        raise CommandFailed(13, "no caps")

    place.settings.author = unread  # type: ignore[method-assign]
    place.undoer.look_for_authors([entry])
    assert place.undoer.undo([entry]) == Restored(put_back=(entry.change,))


# --- a command that may still come -----------------------------------------------------------


@pytest.mark.parametrize(
    ("later", "over", "watched"),
    [(0.0, False, True), (599.0, False, True), (600.0, False, False), (0.0, True, False)],
)
def test_a_command_of_a_dead_mgr_is_waited_for_ten_minutes(
    place: Place, later: float, over: bool, watched: bool
) -> None:
    """From the first reading on, or until it is known that it cannot come any more."""
    entry = place.adds(SCRUB, "set")
    other = place.another()
    place.clock.advance(later)
    if over:
        other.note_over(entry)
    assert other.undo([entry]) == Restored()
    assert other.is_watched(entry) is watched
    assert len(place.keys.keys) == watched
    place.settings.values[SCRUB] = "set"
    if watched:
        assert other.undo([entry]) == Restored(put_back=(entry.change,))
        assert place.settings.values[SCRUB] == "unset"


def test_a_change_that_was_made_again_is_watched_for_the_first_command(place: Place) -> None:
    """A mgr died after it sent the command; the next one sent it anew, and the first comes late."""
    entry = place.adds(SCRUB, "set")
    other = place.another()
    assert other.make(entry, "unset")
    assert other.undo([entry]) == Restored(put_back=(entry.change,))
    assert (other.is_watched(entry), other.is_lagging(entry)) == (True, False)
    place.settings.values[SCRUB] = "set"
    assert other.undo([entry]) == Restored(put_back=(entry.change,))
    place.clock.advance(LATE)
    assert other.undo([entry]) == Restored()
    assert (place.settings.values[SCRUB], place.keys.keys) == ("unset", {})


@pytest.mark.parametrize(("later", "left"), [(LATE - 1, 1), (LATE, 0)])
def test_a_change_that_was_made_again_is_watched_no_longer_than_that(
    place: Place, later: float, left: int
) -> None:
    entry = place.adds(SCRUB, "set")
    other = place.another()
    assert other.make(entry, "unset")
    place.clock.advance(later)
    assert other.undo([entry]) == Restored(put_back=(entry.change,))
    assert len(place.keys.keys) == left


def test_what_an_operator_set_over_a_change_that_was_made_again_is_watched(place: Place) -> None:
    """The first command may still come, over what the operator has set."""
    entry = place.adds(OPTION, "120")
    other = place.another()
    assert other.make(entry, None)
    place.settings.values[OPTION] = "60"
    assert other.undo([entry]) == Restored()
    assert other.is_watched(entry)


@pytest.mark.parametrize("confirmed", [False, True])
def test_what_an_operator_set_over_a_command_that_may_still_come(
    place: Place, confirmed: bool
) -> None:
    """It is left at once only where the command is known to be carried out."""
    place.settings.values[OPTION] = "30"
    entry = place.makes(OPTION, "120")
    if confirmed:
        place.adds(SCRUB, "set")
    other = place.another()
    place.settings.values[OPTION] = "60"
    done = other.undo([entry])
    assert done == Restored(left=(Left(OPTION, "30", "60"),) if confirmed else ())
    assert other.is_watched(entry) is not confirmed


# --- two changes of one setting --------------------------------------------------------------


def test_of_two_changes_of_a_setting_the_later_one_is_undone_first(place: Place) -> None:
    first = place.makes(OPTION, "120")
    other = place.makes(SCRUB, "set")  # of another setting: nothing waits for it
    place.clock.advance(1)
    second = place.makes(OPTION, "120.0")
    assert place.undoer.undo([first]) == Restored()
    assert place.undoer.is_watched(first)
    assert place.settings.values[OPTION] == "120.0"
    assert place.undoer.undo([other]).put_back == (other.change,)
    assert place.undoer.undo([first, second]).put_back == (second.change, first.change)
    assert place.settings.values[OPTION] is None


@pytest.mark.parametrize(
    ("writers", "seconds", "set_by", "read"),
    [
        (("4100", "4200"), 1.0, 0.0, False),
        (("4200", "4100"), 1.0, 0.0, False),  # by when they were made, not by their keys
        (("4100", "4200"), 0.0, 0.0, False),  # in the same moment: by their keys
        (("4100", "4200"), 1.0, -3600.0, True),  # by when each was read: the clock was set back
        (("4200", "4100"), 1.0, -3600.0, True),
    ],
)
def test_which_of_two_changes_is_the_later_one(
    place: Place, writers: tuple[str, str], seconds: float, set_by: float, read: bool
) -> None:
    third = place.another("5000")
    first = place.makes(OPTION, "120", place.another(writers[0]))
    if read:
        third.refresh()
    place.clock.advance(seconds)
    place.clock.set_by(set_by)
    second = place.makes(OPTION, "120.0", place.another(writers[1]))
    third.refresh()
    assert third.undo([first, second]).put_back == (second.change, first.change)
    assert place.settings.values[OPTION] is None


def test_a_second_change_that_was_not_made_is_nobody_elses(place: Place) -> None:
    """The value is that of the first change, which puts it back. Both go back to the same."""
    first = place.makes(OPTION, "40")
    place.clock.advance(1)
    second = SettingChange(OPTION, first.change.was, "50", place.clock.now())
    place.undoer.note_over(place.undoer.add(HOLDER, 0.0, 0.0, second))
    done = place.undoer.undo(place.undoer.entries)
    assert (done.put_back, done.left, done.waiting) == ((first.change,), (), ())
    assert (place.settings.read(OPTION), place.keys.keys) == (None, {})


def test_of_two_changes_in_one_moment_the_later_key_is_undone_first(place: Place) -> None:
    first, second = place.makes(OPTION, "120"), place.makes(OPTION, "120.0")
    other = place.another()
    assert other.undo([first]) == Restored()
    assert other.is_watched(first)
    assert other.undo([second]).put_back == (second.change,)


def test_a_later_change_that_is_put_back_and_not_removed_holds_no_earlier_one_back(
    place: Place,
) -> None:
    first = place.makes(OPTION, "120")
    place.clock.advance(1)
    second = place.makes(OPTION, "120.0")
    place.keys.fault = CommandFailed(110, "no quorum")
    assert place.undoer.undo([second]).put_back == (second.change,)
    place.keys.fault = None
    assert place.undoer.undo([first]).put_back == (first.change,)
    assert place.settings.values[OPTION] is None


def test_a_later_change_that_only_may_come_holds_no_earlier_one_back(place: Place) -> None:
    first = place.makes(OPTION, "120")
    second = place.adds(OPTION, "60")
    other = place.another()
    assert other.undo([second]) == Restored()
    assert other.is_watched(second)
    assert other.undo([first]).put_back == (first.change,)
    assert place.settings.values[OPTION] is None


# --- what takes several commands -------------------------------------------------------------


@pytest.mark.parametrize(("value", "put_back"), [("half", True), ("other", False)])
def test_what_was_set_back_by_half_is_set_back(place: Place, value: str, put_back: bool) -> None:
    entry = place.makes("balancer", "off")
    place.settings.half_set = {"balancer": "half"}
    place.settings.values["balancer"] = value
    done = place.undoer.undo([entry])
    if put_back:
        assert done == Restored(put_back=(entry.change,))
    else:
        assert done == Restored(left=(Left("balancer", None, "other"),))
    assert place.settings.values["balancer"] == (None if put_back else "other")


def test_what_is_as_it_was_already_is_no_change_that_is_told(place: Place) -> None:
    entry = place.makes(SCRUB, "set")
    place.settings.values[SCRUB] = "unset"
    place.settings.half_set = {SCRUB: "unset"}
    assert place.undoer.undo([entry]) == Restored()
    assert (place.undoer.entries, place.keys.keys) == ((), {})
