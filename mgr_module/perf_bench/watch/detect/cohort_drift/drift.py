"""What is known of one cohort: when a drift opens and ends, its setup, and what changed in it.

Pure: time comes from the hours only.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Optional, Union

from ....model.cohort import CohortSetup, SetupChange, changes, remembered
from .compare import (
    CALM_RATIO,
    RECENT_SECONDS,
    SETTLED_SECONDS,
    WARNING_CALM_RATIO,
    WARNING_RATIO,
    Comparison,
    Point,
    Reference,
    Shortage,
    compare,
    onset,
    past_end,
)

# By channel its points, in order of time.
Points = Mapping[str, Sequence[Point]]
Outcome = Union[Comparison, Shortage]
_TOLERANCE = 1e-9
# Changes of setup: the newest are kept, and that long.
_MOST_CHANGES = 64
_CHANGES_KEPT_SECONDS = 400 * 86400.0
# Characters of a value, such as the options of RocksDB.
_WIDTH = 200


@dataclass
class Drift:
    """An open drift. ``until`` is where its past ends: it stays there while the drift is open.

    ``ratios`` are the newest by channel, of those that are slower. Times are unix seconds.
    """

    since: float
    until: float
    opened_at: float
    warning: bool
    ratios: dict[str, float]

    @property
    def channel(self) -> str:
        """The channel with the largest ratio."""
        return max(self.ratios, key=lambda name: (self.ratios[name], name))

    @property
    def ratio(self) -> float:
        """That of its channel."""
        return self.ratios[self.channel]


@dataclass
class CohortDrift:
    """What is known of one cohort. What began before ``level_since`` is no past of it any more.

    ``accepted`` is the ratio of the drift that became the level then, None if there was none.
    ``outcomes`` are the newest, by channel.
    """

    level_since: float = -math.inf
    accepted: Optional[float] = None
    drift: Optional[Drift] = None
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    _pasts: dict[str, tuple[Any, Reference]] = field(default_factory=dict)

    def step(self, points: Points, end: float, hold: bool) -> bool:
        """Judge the newest hours; returns whether a drift has opened or ended.

        ``end`` is that of the newest hour. With ``hold`` no drift opens: another finding tells it.
        """
        before = self.drift
        until = past_end(end)
        if self.drift is not None:
            until = min(until, self.drift.until)
        pasts = {name: self._past(name, one, until) for name, one in points.items()}
        self.outcomes = {
            name: compare(pasts[name], one, end, self.level_since) for name, one in points.items()
        }
        if self.drift is not None:
            self._go_on(self.drift, end)
        elif not hold:
            self._open(points, pasts, end)
        return self.drift is not before

    def _past(self, channel: str, points: Sequence[Point], until: float) -> Reference:
        """The past of a channel; the same while it is, because it caches much."""
        found = [one for one in points if self.level_since <= one.start < until]
        mark = len(found), hash(tuple(found))
        if channel not in self._pasts or self._pasts[channel][0] != mark:
            self._pasts[channel] = mark, Reference(found)
        return self._pasts[channel][1]

    def _open(self, points: Points, pasts: Mapping[str, Reference], end: float) -> None:
        found = {
            name: one
            for name, one in self.outcomes.items()
            if isinstance(one, Comparison) and one.drifted
        }
        if not found:
            return
        worst = max(found, key=lambda name: (found[name].excess, name))
        excess = found[worst].excess
        since = onset(pasts[worst], points[worst], excess)
        since = end - RECENT_SECONDS if since is None else since
        # The past ends where the drift began, if enough is left of it.
        until = min(since, past_end(end))
        rest = [one for one in points[worst] if self.level_since <= one.start < until]
        if Reference(rest).shortage is not None:
            until = past_end(end)
        ratios = {name: one.ratio for name, one in found.items()}
        warning = excess >= math.log(WARNING_RATIO) - _TOLERANCE
        self.drift = Drift(since, until, end, warning, ratios)

    def _go_on(self, drift: Drift, end: float) -> None:
        """Follow an open drift; it ends where the cohort is back, or where it is the level now."""
        if end - drift.opened_at >= SETTLED_SECONDS:
            self.level_since, self.accepted = drift.opened_at, drift.ratio
            self.drift = None
            return
        for name, one in self.outcomes.items():
            if not isinstance(one, Comparison):
                continue  # what cannot be judged now stays as it was
            slower = one.drifted or (name in drift.ratios and one.ratio >= CALM_RATIO - _TOLERANCE)
            if slower:
                drift.ratios[name] = one.ratio
            else:
                drift.ratios.pop(name, None)
        if not drift.ratios:
            self.drift = None
            return
        least = WARNING_CALM_RATIO if drift.warning else WARNING_RATIO
        drift.warning = drift.ratio >= least - _TOLERANCE

    def best(self) -> Optional[Outcome]:
        """A comparison if there is any, else the shortage that is nearest to its end."""
        found = list(self.outcomes.values())
        if any(isinstance(one, Comparison) for one in found):
            return next(one for one in found if isinstance(one, Comparison))
        short = [one for one in found if isinstance(one, Shortage)]
        return max(short, key=lambda one: (one.code != "past", one.have)) if short else None

    # --- across mgrs -------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        """What the store's hours do not tell, JSON-ready."""
        return {
            "level_since": None if math.isinf(self.level_since) else self.level_since,
            "accepted": self.accepted,
            "drift": None if self.drift is None else asdict(self.drift),
        }

    @classmethod
    def restored(cls, state: Mapping[str, Any], now: float) -> CohortDrift:
        """What another mgr saved; ``now`` is unix seconds."""
        since, accepted, drift = state["level_since"], state["accepted"], state["drift"]
        return cls(
            -math.inf if since is None else min(float(since), now),
            None if accepted is None else float(accepted),
            None if drift is None else _drift(drift, now),
        )


def _drift(state: Mapping[str, Any], now: float) -> Optional[Drift]:
    if state.get("horizon", "hours") != "hours":  # an earlier version also compared days
        return None
    ratios = {str(name): float(ratio) for name, ratio in state["ratios"].items()}
    if not ratios:
        raise ValueError("a drift without channels")
    return Drift(
        min(float(state["since"]), now),
        min(float(state["until"]), now),
        min(float(state["opened_at"]), now),
        bool(state["warning"]),
        ratios,
    )


class SetupLog:
    """The setup of one cohort since ``since`` (unix seconds, None before the first)."""

    def __init__(self) -> None:
        self.since: Optional[float] = None
        self._setup = CohortSetup(0)
        self._changes: list[SetupChange] = []

    def add(self, setup: CohortSetup, now: float) -> None:
        """Note the setup as it is now."""
        if self.since is None:
            self.since, self._setup = now, setup
            return
        found = [
            change._replace(was=change.was[:_WIDTH], now=change.now[:_WIDTH])
            for change in changes(self._setup, setup, now)
        ]
        self._setup = remembered(self._setup, setup)
        kept = [one for one in self._changes if now - _CHANGES_KEPT_SECONDS <= one.at <= now]
        self._changes = [*kept, *found][-_MOST_CHANGES:]

    def after(self, begin: float) -> Sequence[SetupChange]:
        """What has changed from ``begin`` on, in order."""
        return [change for change in self._changes if change.at >= begin]

    def save(self) -> dict[str, Any]:
        return {
            "since": self.since,
            "setup": {**asdict(self._setup), "words": dict(self._setup.words)},
            "changes": [list(change) for change in self._changes],
        }

    @classmethod
    def restored(cls, state: Mapping[str, Any], now: float) -> SetupLog:
        made = cls()
        made.since = None if state["since"] is None else min(float(state["since"]), now)
        setup = state["setup"]
        fill = setup["fill_percent"]
        made._setup = CohortSetup(
            int(setup["osds"]),
            None if fill is None else float(fill),
            {str(name): str(value) for name, value in setup["words"].items()},
        )
        made._changes = [
            SetupChange(min(float(at), now), str(name), str(was), str(is_))
            for at, name, was, is_ in state["changes"][-_MOST_CHANGES:]
        ]
        return made
