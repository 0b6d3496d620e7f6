"""Caches the newest results of rounds and what they wrote, as read from the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Callable, Optional

from ..model.bench import Step
from ..model.client_impact import PastRound
from ..model.profile import SMALL_WRITES
from ..model.round import OsdResult, Round, RoundLine, Verdict
from ..model.wear import WearLedger
from ..ports import RoundStore
from .admission.wear import book
from .compare.client_impact import past_round
from .compare.summary import is_slow
from .context import SAVE_WAIT, RoundContext

Result = tuple[RoundLine, OsdResult]
# By OSD and profile.
Latest = Mapping[tuple[int, str], Result]
# Of the newest rounds of small writes so many are looked at: valid ones are among them.
_RECENT = 6
# Of a profile's rounds so many are looked at for what clients felt: 1 MiB at 10,000 OSDs.
_PAST = 10


class Results:
    """The newest results of OSDs, and the bytes that rounds wrote to them."""

    def __init__(self, context: RoundContext) -> None:
        self._context = context
        self.latest: Latest = {}
        # Those of them that are slow against their peers, the slowest first.
        self.slow: Sequence[Result] = ()
        # By OSD the IOPS of its newest valid rounds of small writes by their IDs, newest first.
        self.small_writes: Mapping[int, Mapping[int, float]] = {}
        # The bytes that rounds wrote; None until the database has been read.
        self.ledger: Optional[WearLedger] = None
        # By profile its newest ended rounds, newest first; read when they are asked for.
        self._past: dict[str, Sequence[PastRound]] = {}

    def past(self, profile: str) -> Sequence[PastRound]:
        """Return the newest ended rounds of a profile. Raises StoreUnavailable."""
        known = self._past.get(profile)
        return known if known is not None else self._context.store_thread.call(self._looks(profile))

    def _looks(self, profile: str) -> Callable[[RoundStore], Sequence[PastRound]]:
        def look(store: RoundStore) -> Sequence[PastRound]:
            # Kept on the store's thread: what a round that ends meanwhile changes is read after it.
            self._past[profile] = found = [past_round(one) for one in store.past(profile, _PAST)]
            return found

        return look

    def read(self) -> None:
        """Read the results and wait for them. Raises StoreUnavailable."""
        self._context.store_thread.call(self._read, SAVE_WAIT)

    def refresh(self) -> None:
        """Read the results without waiting for them."""
        self._context.store_thread.submit(
            self._read, self._context.or_say("read the latest results")
        )

    def _read(self, store: RoundStore) -> None:
        self.latest = store.latest()
        self.slow = sorted(
            (entry for entry in self.latest.values() if is_slow(entry[1])),
            key=lambda entry: entry[1].percent_of_peers or 0.0,
        )
        self.small_writes = _small_writes(store)
        self.ledger = store.wear()
        self._past = {}

    def book(self, round_: Round) -> None:
        """Book a round's writes in memory; the store has booked them with the round."""
        planned = round_.plan.bytes_by_osd(round_.plan.most)
        if self.ledger is not None:
            self.ledger = book(self.ledger, round_.token, planned, round_.created_at)

    def newest(self, profile: Optional[str] = None) -> dict[int, Result]:
        """Return the newest result by OSD, of one profile or of any."""
        newest: dict[int, Result] = {}
        for (osd, name), entry in self.latest.items():
            if profile in (None, name) and (osd not in newest or newest[osd][0].id < entry[0].id):
                newest[osd] = entry
        return newest

    def seconds(self, profile: str, step: Step) -> dict[int, float]:
        """Return by OSD the seconds of a call of exactly this step in its newest result."""
        return {
            osd: result.median_call_seconds
            for (osd, name), (line, result) in self.latest.items()
            if name == profile and line.step == step and result.median_call_seconds
        }

    def rates(self, profile: str, block_size: int) -> dict[int, float]:
        """Return by OSD its newest result in this profile, in bytes/s."""
        return {
            osd: result.median_bytes_per_second
            for (osd, name), (line, result) in self.latest.items()
            if (name, line.step.block_size) == (profile, block_size)
            and result.median_bytes_per_second
        }


def _small_writes(store: RoundStore) -> dict[int, dict[int, float]]:
    """By OSD the IOPS of its newest valid rounds of small writes by their IDs, newest first."""
    found: dict[int, dict[int, float]] = {}
    for round_ in store.past(SMALL_WRITES, _RECENT):
        if round_.verdict is Verdict.VALID:
            for result in store.results(round_.id)[0]:
                if result.median_iops is not None:
                    found.setdefault(result.osd, {})[round_.id] = result.median_iops
    return found
