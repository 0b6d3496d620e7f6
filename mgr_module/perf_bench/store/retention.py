"""Decides which rounds are removed, removes them, and gives unused space back to RADOS.

Rounds are removed beyond the operator's limits: rounds of a profile, days, size of the database.
Always kept are unfinished rounds, baselines, the newest round of each schedule and profile, and
NEEDED_ROUNDS valid rounds of each profile. A round with the newest result of an OSD in its profile
is removed only because of the size.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import astuple, replace
from typing import NamedTuple, Optional

from ..model.finding import CLOSED_KEPT_SECONDS
from ..model.json_fields import decode
from ..model.phrases import plural
from ..model.round import RoundState, Verdict
from ..model.store import (
    NEEDED_ROUNDS,
    REMEMBERED,
    RemovedRound,
    RetentionRules,
    StoreUsage,
    Tended,
)
from . import tables
from .database import Database, usage_of
from .unreadable import UnreadableRows
from .watch import EPISODES_KEPT_SECONDS

_DAY = 86400.0
_UNFINISHED = {state.value for state in RoundState if not state.ended}
# This much unused space stays in the file, for the next rows. RADOS has objects of 4 MiB.
SLACK_BYTES = 1 << 20
# Space that one step gives back. SQLite moves pages from the end of the file into the unused ones,
# and writes each of them twice (journal and file), with the page that refers to it.
STEP_BYTES = 1 << 20
# From the index alone: the rows have long columns.
_ROUNDS = "SELECT id, profile, state, verdict, created_at FROM rounds INDEXED BY rounds_by_profile"
_PINNED = """
    SELECT round_id FROM baselines UNION
    SELECT json_extract(state, '$.last_round') FROM schedules
    WHERE state IS NOT NULL AND json_valid(state)"""
_HELD = "SELECT DISTINCT round_id FROM newest"


# Bounds of other tables, kept once a day. Facts are kept of hosts that had OSDs at some time.
MOST_HOSTS, MOST_EPISODES = 10_000, 2_000
_WEAR_SECONDS = 2 * _DAY
_ROUND = """
    SELECT CAST(profile AS BLOB), CAST(label AS BLOB), created_at FROM rounds WHERE id = ?"""
_FORGET = f"""
    DELETE FROM removed_rounds WHERE round_id NOT IN (
        SELECT round_id FROM removed_rounds ORDER BY removed_at DESC, round_id DESC
        LIMIT {REMEMBERED})"""  # noqa: S608 - a number
_OLD_EPISODES = """
    DELETE FROM episodes WHERE start <= ? OR start <
    (SELECT start FROM episodes ORDER BY start DESC LIMIT 1 OFFSET ?)"""
# Of findings only those that cannot be read: the watch does not know of them, and removes others.
_OLD_FINDING = "DELETE FROM findings WHERE id = ? AND CAST(last_seen AS REAL) < ?"
_OLD_HOSTS = """
    DELETE FROM host_facts WHERE host IN
    (SELECT host FROM host_facts ORDER BY received_at DESC, host LIMIT -1 OFFSET ?)"""


class StoredLine(NamedTuple):
    """What retention needs of a round. ``created_at`` is None in a damaged row."""

    id: int
    profile: str
    ended: bool
    valid: bool
    created_at: Optional[float]


class Kept(NamedTuple):
    """IDs of rounds that are kept always, and of those removed only because of the size."""

    always: frozenset[int]
    held: frozenset[int]


def always_kept(rounds: Iterable[StoredLine], pinned: Collection[int]) -> frozenset[int]:
    """Return the IDs of rounds that nothing removes; ``pinned`` are baselines and the like."""
    found = set(pinned)
    valid: dict[str, int] = {}
    seen: set[str] = set()
    for line in sorted(rounds, key=lambda one: -one.id):
        if not line.ended:
            found.add(line.id)
            continue
        count = valid.get(line.profile, 0)
        if line.profile not in seen or (line.valid and count < NEEDED_ROUNDS):
            found.add(line.id)
        seen.add(line.profile)
        valid[line.profile] = count + line.valid
    return frozenset(found)


def outdated(
    rounds: Iterable[StoredLine], rules: RetentionRules, now: float, kept: Kept
) -> list[tuple[int, str]]:
    """Return the rounds beyond the limits of number and age, oldest first, each with the reason."""
    found = []
    counts: dict[str, int] = {}
    stays = kept.always | kept.held
    for line in sorted(rounds, key=lambda one: -one.id):
        if not line.ended:
            continue
        counts[line.profile] = counts.get(line.profile, 0) + 1
        why = _why(line, counts[line.profile], rules, now)
        if why is not None and line.id not in stays:
            found.append((line.id, why))
    return found[::-1]


def _why(line: StoredLine, place: int, rules: RetentionRules, now: float) -> Optional[str]:
    """Return why a round is removed; ``place`` counts its profile's rounds, the newest is 1."""
    if place > rules.rounds:
        return f"keep_rounds: {plural(rules.rounds, 'newer round')} of its profile"
    old = line.created_at is not None and now - line.created_at > rules.days * _DAY
    if rules.days and old:
        return f"keep_round_days: older than {plural(rules.days, 'day')}"
    return None


def removable(rounds: Iterable[StoredLine], kept: Kept) -> list[int]:
    """Return the IDs of rounds that the limit of the size may remove, in that order.

    The oldest is first, but rounds with the newest result of an OSD are last.
    """
    ids = [line.id for line in rounds if line.id not in kept.always]
    return sorted(ids, key=lambda number: (number in kept.held, number))


class RetentionStore:
    """Keeps the history within the operator's limits."""

    def __init__(self, database: Database) -> None:
        self._database = database
        # Whether objects beyond the end of the file may be left, also by the mgr before.
        self._untrimmed = True
        self._bounded_at: Optional[float] = None

    def tend(self, rules: RetentionRules, now: float) -> Tended:
        """Do one short step of removing rounds and giving space back, while there is ``more``."""

        def look(db: sqlite3.Connection) -> tuple[StoreUsage, Optional[tuple[int, str]]]:
            rounds, kept = _read(db)
            size = removable(rounds, kept)
            usage = replace(usage_of(db), rounds=len(rounds), removable=len(size))
            return usage, _next(rounds, rules, now, kept, size, usage)

        usage, going = self._database.read(look)
        if going is not None:
            return Tended(usage, True, self.remove(*going, now))
        if self._give_back(usage):
            return Tended(usage, True)
        self._bound(now)
        return Tended(usage, history=self.removed(REMEMBERED))

    def remove(self, round_id: int, why: str, now: float) -> Optional[RemovedRound]:
        """Remove a round with all its rows; None if it does not exist."""
        unreadable = self._database.unreadable

        def work(db: sqlite3.Connection) -> Optional[RemovedRound]:
            row = db.execute(_ROUND, (round_id,)).fetchone()
            if row is None:
                # Where the connection broke after the commit, it is gone already.
                before = removed_round(db, round_id, unreadable)
                return before if before and before.removed_at == now else None
            profile, label, created_at = row
            if not isinstance(created_at, float):  # of a damaged row
                created_at = 0.0
            made = RemovedRound(round_id, _text(profile), _text(label), created_at, now, why)
            tables.step_back(db, round_id)
            db.execute(
                "INSERT OR REPLACE INTO removed_rounds VALUES (?, ?, ?, ?, ?, ?)", astuple(made)
            )
            db.execute("DELETE FROM rounds WHERE id = ?", (round_id,))
            db.execute(_FORGET)
            unreadable.forget_gone(db)
            return made

        return self._database.write(work)

    def removed(self, limit: int) -> Sequence[RemovedRound]:
        """The rounds that were removed last, newest first."""
        unreadable = self._database.unreadable
        query = "SELECT * FROM removed_rounds ORDER BY removed_at DESC, round_id DESC LIMIT ?"
        return self._database.read(
            lambda db: unreadable.all(
                "removed_rounds", db.execute(query, (limit,)), _id, _removed_of
            )
        )

    def _bound(self, now: float) -> None:
        """Keep the bounds of tables that rounds and the watch do not keep themselves."""
        if self._bounded_at is not None and 0 <= now - self._bounded_at < _DAY:
            return
        unreadable = self._database.unreadable

        def work(db: sqlite3.Connection) -> None:
            db.execute("DELETE FROM wear WHERE at <= ?", (now - _WEAR_SECONDS,))
            db.execute(_OLD_EPISODES, (now - EPISODES_KEPT_SECONDS, MOST_EPISODES - 1))
            db.execute(_OLD_HOSTS, (MOST_HOSTS,))
            unread = [row.key for row in unreadable.rows() if row.table == "findings"]
            old = now - CLOSED_KEPT_SECONDS
            db.executemany(_OLD_FINDING, [(*key, old) for key in unread])

        self._database.write(work)
        self._bounded_at = now

    def _give_back(self, usage: StoreUsage) -> bool:
        """Shorten the file by a step; returns whether there may be more to do."""
        database = self._database
        if usage.shrinkable and usage.free > SLACK_BYTES:

            def shorten(db: sqlite3.Connection) -> None:
                (size,) = db.execute("PRAGMA page_size").fetchone()
                pages = max(1, min(STEP_BYTES, usage.free - SLACK_BYTES) // size)
                # One by one: SQLite frees a page each time that the statement is stepped, and
                # Python steps a statement without columns only once.
                for _ in range(pages):
                    db.execute("PRAGMA incremental_vacuum(1)")

            database.write(shorten)
            self._untrimmed = True
            return True
        if self._untrimmed:
            # The lock of a write transaction keeps another mgr from making the file longer.
            database.write(lambda _db: database.place.trim(database.file))
            self._untrimmed = False
        return False


def removed_round(
    db: sqlite3.Connection, round_id: int, unreadable: UnreadableRows
) -> Optional[RemovedRound]:
    """What is remembered of a removed round."""
    row = db.execute("SELECT * FROM removed_rounds WHERE round_id = ?", (round_id,)).fetchone()
    return (
        None
        if row is None
        else unreadable.one("removed_rounds", _id(row), lambda: _removed_of(row))
    )


def _removed_of(row: sqlite3.Row) -> RemovedRound:
    return decode(RemovedRound, dict(row))


def _id(row: sqlite3.Row) -> tuple[int]:
    return (row["round_id"],)


def _text(value: Optional[bytes]) -> str:
    return "" if value is None else value.decode("utf-8", "replace")


def _read(db: sqlite3.Connection) -> tuple[list[StoredLine], Kept]:
    rounds = [
        StoredLine(
            id=row["id"],
            profile=str(row["profile"]),
            ended=row["state"] not in _UNFINISHED,
            valid=row["verdict"] == Verdict.VALID.value,
            created_at=row["created_at"] if isinstance(row["created_at"], float) else None,
        )
        for row in db.execute(_ROUNDS)
    ]
    pinned = {number for (number,) in db.execute(_PINNED) if isinstance(number, int)}
    held = frozenset(number for (number,) in db.execute(_HELD))
    return rounds, Kept(always_kept(rounds, pinned), held)


def _next(
    rounds: Sequence[StoredLine],
    rules: RetentionRules,
    now: float,
    kept: Kept,
    size: Sequence[int],
    usage: StoreUsage,
) -> Optional[tuple[int, str]]:
    """Return the round to remove next, with the reason."""
    for found in outdated(rounds, rules, now, kept):
        return found
    if size and usage.used > rules.bytes:
        return size[0], f"keep_store_mib: the database took more than {rules.mebibytes} MiB"
    return None
