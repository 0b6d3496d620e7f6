"""Decides which rounds are removed, removes them, and gives unused space back to RADOS.

Rounds are removed beyond the operator's limits: rounds of a profile, days, size of the database.
Always kept are unfinished rounds, baselines, the newest round of each schedule and profile, and
NEEDED_ROUNDS valid rounds of each profile. A round with the newest result of an OSD in its profile
is removed only because of the size.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
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
# Episodes of a quarter are enough to see whether they recur.
_EPISODES_SECONDS = 90 * _DAY
_ROUND = "SELECT profile, label, created_at FROM rounds WHERE id = ?"
_REMEMBER = "INSERT OR REPLACE INTO removed_rounds VALUES (?, ?, ?, ?, ?, ?)"
_FORGET = f"""
    DELETE FROM removed_rounds WHERE round_id NOT IN (
        SELECT round_id FROM removed_rounds ORDER BY removed_at DESC, round_id DESC
        LIMIT {REMEMBERED})"""  # noqa: S608 - a number
# By what they bound: statements with one parameter. Of findings only those that cannot be read: the
# watch does not know of them, and removes others.
_OLD_EPISODES = "DELETE FROM episodes WHERE start <= ?"
_MORE_EPISODES = """
    DELETE FROM episodes WHERE start <
    (SELECT start FROM episodes ORDER BY start DESC LIMIT 1 OFFSET ?)"""
_OLD_FINDING = "DELETE FROM findings WHERE id = ? AND CAST(last_seen AS REAL) < ?"
_MORE_HOSTS = """
    DELETE FROM host_facts WHERE host IN
    (SELECT host FROM host_facts ORDER BY received_at DESC, host LIMIT -1 OFFSET ?)"""


class StoredLine(NamedTuple):
    """What retention needs of a round. ``created_at`` is None in a damaged row."""

    id: int
    profile: str
    ended: bool
    valid: bool
    created_at: Optional[float]


def removable(
    rounds: Iterable[StoredLine],
    pinned: Collection[int],
    newest: Collection[int],
    rules: RetentionRules,
    now: float,
) -> list[tuple[int, Optional[str]]]:
    """Return the IDs of rounds that may be removed, in that order, each with the reason.

    The reason is None for those that only the limit of the size removes: the oldest first, then
    those with the newest result of an OSD. ``pinned`` are baselines and the like.
    """
    found = []
    counts: Counter[str] = Counter()
    valid: Counter[str] = Counter()
    for line in sorted(rounds, key=lambda one: -one.id):
        if not line.ended:
            continue
        counts[line.profile] += 1
        place = counts[line.profile]
        needed = place == 1 or (line.valid and valid[line.profile] < NEEDED_ROUNDS)
        valid[line.profile] += line.valid
        if not needed and line.id not in pinned:
            held = line.id in newest
            why = None if held else _why(line, place, rules, now)
            found.append((why is None, held, line.id, why))
    return [(number, why) for _, _, number, why in sorted(found, key=lambda one: one[:3])]


def _why(line: StoredLine, place: int, rules: RetentionRules, now: float) -> Optional[str]:
    """Return why a round is removed; ``place`` counts its profile's rounds, the newest is 1."""
    if place > rules.rounds:
        return f"keep_rounds: {plural(rules.rounds, 'newer round')} of its profile"
    old = line.created_at is not None and now - line.created_at > rules.days * _DAY
    if rules.days and old:
        return f"keep_round_days: older than {plural(rules.days, 'day')}"
    return None


class RetentionStore:
    """Keeps the history within the operator's limits."""

    def __init__(self, database: Database) -> None:
        self._database = database
        # Whether objects beyond the end of the file may be left, also by the mgr before.
        self._untrimmed = True
        self._bounded_at: Optional[float] = None

    def tend(self, rules: RetentionRules, now: float) -> Tended:
        """Do one short step of removing rounds and giving space back, while there is ``more``."""

        def look(db: sqlite3.Connection) -> tuple[StoreUsage, list[tuple[int, Optional[str]]]]:
            rounds = [_line(row) for row in db.execute(_ROUNDS)]
            pinned = {number for (number,) in db.execute(_PINNED) if isinstance(number, int)}
            newest = {number for (number,) in db.execute(_HELD)}
            gone = removable(rounds, pinned, newest, rules, now)
            return replace(usage_of(db), rounds=len(rounds), removable=len(gone)), gone

        usage, gone = self._database.read(look)
        full = f"keep_store_mib: the database took more than {rules.mebibytes} MiB"
        for number, outdated in gone[:1]:
            why = outdated or (full if usage.used > rules.bytes else None)
            if why is not None:
                return Tended(usage, True, self.remove(number, why, now))
        if self._give_back(usage):
            return Tended(usage, True)
        self._bound(now)
        return Tended(usage)

    def remove(self, round_id: int, why: str, now: float) -> Optional[RemovedRound]:
        """Remove a round with all its rows; None if it does not exist."""
        found = self._database.rows(_ROUND, (round_id,))
        if not found:
            return None
        profile, label, created_at = found[0]  # which may be damaged
        at = created_at if isinstance(created_at, float) else 0.0
        made = RemovedRound(round_id, str(profile), str(label), at, now, why)

        def work(db: sqlite3.Connection) -> None:
            tables.step_back(db, round_id)
            db.execute(_REMEMBER, astuple(made))
            db.execute("DELETE FROM rounds WHERE id = ?", (round_id,))
            db.execute(_FORGET)

        self._database.write(work)
        return made

    def removed(self, limit: int, round_id: Optional[int] = None) -> Sequence[RemovedRound]:
        """The rounds that were removed last, newest first; with ``round_id`` only that one."""
        one = "" if round_id is None else f"WHERE round_id = {int(round_id)} "
        query = f"SELECT * FROM removed_rounds {one}ORDER BY removed_at DESC, round_id DESC LIMIT ?"  # noqa: S608
        return self._database.load(
            "removed_rounds", query, (limit,), lambda row: decode(RemovedRound, dict(row))
        )

    def _bound(self, now: float) -> None:
        """Keep the bounds of tables that rounds and the watch do not keep themselves."""
        if self._bounded_at is not None and 0 <= now - self._bounded_at < _DAY:
            return
        unread = [row.key for row in self._database.unreadable.rows() if row.table == "findings"]

        def work(db: sqlite3.Connection) -> None:
            db.execute(_OLD_EPISODES, (now - _EPISODES_SECONDS,))
            db.execute(_MORE_EPISODES, (MOST_EPISODES - 1,))
            db.execute(_MORE_HOSTS, (MOST_HOSTS,))
            db.executemany(_OLD_FINDING, [(*key, now - CLOSED_KEPT_SECONDS) for key in unread])

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


def _line(row: sqlite3.Row) -> StoredLine:
    return StoredLine(
        row["id"],
        str(row["profile"]),
        ended=row["state"] not in _UNFINISHED,
        valid=row["verdict"] == Verdict.VALID.value,
        created_at=row["created_at"] if isinstance(row["created_at"], float) else None,
    )
