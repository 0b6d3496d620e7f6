"""The database of rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Optional, Protocol

from ..model.bench import Done, Sample
from ..model.comparison import Baseline
from ..model.damage import UnreadableRow
from ..model.json_fields import Json
from ..model.osd import Osd
from ..model.round import OsdResult, Round, RoundLine, RoundState
from ..model.schedule import Schedule, ScheduleState
from ..model.wear import WearLedger

# By name a schedule and its state, if it has one yet.
SavedSchedules = Mapping[str, tuple[Schedule, Optional[ScheduleState]]]

# The columns that a list of rounds can be searched in, and sorted by.
ROUND_SEARCH = ("id", "profile", "kind", "state", "verdict", "label")
ROUND_SORTS = (*ROUND_SEARCH, "created_at", "started_at", "ended_at", "took_seconds")
# The same of a round's OSDs; an OSD is searched by its name.
RESULT_SEARCH = ("osd", "host", "class", "model")
RESULT_SORTS = (
    *RESULT_SEARCH, "samples", "median_bytes_per_second", "median_iops", "cv_percent", "robust_z",
    "percent_of_peers",
)  # fmt: skip


class RoundStore(Protocol):
    """Rounds and their samples. Every method is one transaction.

    Raises NotFound for a round that does not exist and StoreUnavailable when the database
    cannot be reached or written.
    """

    @property
    def backend(self) -> str:
        """The kind of database, e.g. ``sqlite:.mgr`` or ``memory``."""

    def schema_version(self) -> int: ...

    def add_round(self, draft: Round, osds: Sequence[Osd]) -> Round:
        """Store a new round; returns it with its ID. IDs are never used twice.

        ``osds`` are those that it measures; each gets a result without figures. The bytes that its
        plan writes are booked as wear under its token.
        """

    def save_round(self, round_: Round) -> None:
        """Store the changed state of a round (its plan and its OSDs stay)."""

    def end_round(
        self,
        round_: Round,
        results: Sequence[OsdResult],
        written: Optional[Mapping[int, int]] = None,
    ) -> None:
        """Store the end of a round and its results.

        ``written`` has by OSD the bytes that it wrote; the booking of any other OSD stays.
        """

    def add_samples(self, round_id: int, samples: Sequence[Sample]) -> None:
        """Store samples; an existing one (same phase, repeat, OSD) is kept."""

    def remove_round(self, round_id: int) -> str:
        """Remove a round, readable or not, and all it has; returns its profile."""

    def unreadable(self) -> Sequence[UnreadableRow]:
        """The rows that could not be read, as far as they were met since this mgr is active.

        Every method passes over such rows, but ``rounds``, which marks them, and ``round``.
        """

    def raw_sizes(self, round_id: int) -> Mapping[str, int]:
        """How many rows a round, readable or not, has by table."""

    def raw(self, round_id: int, table: str, limit: int, offset: int) -> Sequence[Json]:
        """A page of a round's rows in a table, as they are stored; bytes are base64."""

    def discard(self, token: str) -> None:
        """Remove the round with that token, which has not started, if it exists."""

    def round(self, round_id: int) -> Round:
        """Raises Unreadable, too."""

    def rounds(
        self,
        kind: Optional[str] = None,
        state: Optional[RoundState] = None,
        limit: int = 50,
        offset: int = 0,
        search: str = "",
        sort: str = "-id",
    ) -> tuple[list[RoundLine], int]:
        """A page of the list of rounds, and how many match in all.

        ``search`` is a text in one of ROUND_SEARCH, ignoring case. ``sort`` is one of ROUND_SORTS,
        descending with "-" before it; rounds without a value come last, equal ones newest first.
        """

    def unfinished(self) -> list[Round]:
        """Rounds that are queued or running, oldest first."""

    def samples(self, round_id: int, osds: Optional[Sequence[int]] = None) -> list[Sample]:
        """A round's samples (of these OSDs), by repeat and OSD."""

    def sampled(self, round_id: int) -> Done:
        """The samples that a round has, and when the last of each phase ended."""

    def results(
        self,
        round_id: int,
        limit: Optional[int] = None,
        offset: int = 0,
        search: str = "",
        sort: str = "",
        osds: Optional[Sequence[int]] = None,
    ) -> tuple[list[OsdResult], int]:
        """A page of a round's OSDs, slowest against their peers first, and how many match in all.

        With ``osds`` only these.
        ``search`` is a text in one of RESULT_SEARCH, ignoring case. ``sort`` is one of
        RESULT_SORTS, descending with "-" before it; OSDs without a value come last.
        """

    def history(self, osd: int, limit: int = 50) -> list[tuple[RoundLine, OsdResult]]:
        """The ended rounds that measured this OSD, newest first."""

    def latest(self) -> dict[tuple[int, str], tuple[RoundLine, OsdResult]]:
        """By (OSD, profile) the newest ended round that has a result of it."""

    def past(self, profile: str, limit: int, before: Optional[int] = None) -> list[Round]:
        """The newest ended rounds of a profile with IDs under ``before``, newest first.

        Read only a few at a time: a whole round of 10,000 OSDs is 100 KiB.
        """

    def set_baseline(self, round_id: int, set_at: float) -> None:
        """Make a round its profile's only baseline; removing the round removes the baseline.

        The caller checks that the round is fit for it.
        """

    def baselines(self) -> list[Baseline]:
        """All baselines, by profile."""

    def wear(self) -> WearLedger:
        """The bytes that rounds wrote to OSDs in the last day or more, also removed rounds."""

    def round_of_token(self, token: str) -> Optional[int]:
        """The ID of the round with this token, if it exists."""

    def put_schedule(self, schedule: Schedule) -> None:
        """Store a schedule; one of that name is replaced and keeps its state."""

    def remove_schedule(self, name: str) -> None:
        """Remove a schedule and its state. Raises NotFound."""

    def put_schedule_states(self, states: Mapping[str, ScheduleState]) -> None:
        """Store how far schedules are; that of a schedule which is gone is passed over."""

    def schedules(self) -> SavedSchedules:
        """All schedules by name."""

    def close(self) -> None: ...
