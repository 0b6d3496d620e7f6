"""Decides when a drift opens and when it ends. Pure: its only clock are the spans."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Optional, Union

from .compare import (
    CALM_RATIO,
    HORIZONS,
    WARNING_CALM_RATIO,
    WARNING_RATIO,
    Comparison,
    Horizon,
    Point,
    Reference,
    Shortage,
    compare,
    onset,
    reference,
)

# By channel its points, in order of time.
Points = Mapping[str, Sequence[Point]]
Outcome = Union[Comparison, Shortage]
_TOLERANCE = 1e-9


@dataclass
class Drift:
    """An open drift. ``until`` is where its past ends: it stays there while the drift is open.

    ``ratios`` are the newest by channel, of those that are slower. Times are unix seconds.
    """

    horizon: str
    since: float
    until: float
    opened_at: float
    warning: bool
    ratios: dict[str, float]

    @property
    def channel(self) -> str:
        """The channel with the largest ratio."""
        return max(self.ratios, key=lambda name: (self.ratios[name], name))


@dataclass
class CohortDrift:
    """What is known of one cohort. What began before ``level_since`` is no past of it any more.

    ``accepted`` is the ratio of the drift that became the level then, None if there was none.
    ``outcomes`` are the newest, by name of the horizon and channel.
    """

    level_since: float = -math.inf
    accepted: Optional[float] = None
    drift: Optional[Drift] = None
    outcomes: dict[str, dict[str, Outcome]] = field(default_factory=dict)
    _pasts: dict[tuple[str, str], tuple[Any, Reference]] = field(default_factory=dict)

    def step(self, points: Mapping[str, Points], ends: Mapping[str, float], hold: bool) -> bool:
        """Judge the newest spans; returns whether a drift has opened or ended.

        ``points`` are by name of the horizon, ``ends`` the ends of their newest spans. With
        ``hold`` no drift opens: another finding tells it.
        """
        before = self.drift
        for horizon in HORIZONS:
            end, mine = ends[horizon.name], points[horizon.name]
            until = horizon.until(end)
            if self.drift is not None and self.drift.horizon == horizon.name:
                until = min(until, self.drift.until)
            pasts = {name: self._past(horizon, name, one, until) for name, one in mine.items()}
            self.outcomes[horizon.name] = {
                name: compare(pasts[name], one, end, self.level_since) for name, one in mine.items()
            }
            if self.drift is None:
                if not hold:
                    self._open(horizon, mine, pasts, end)
            elif self.drift.horizon == horizon.name:
                self._go_on(self.drift, horizon, end)
        return self.drift is not before

    def _past(
        self, horizon: Horizon, channel: str, points: Sequence[Point], until: float
    ) -> Reference:
        """The past of a channel; the same while it is, because it caches much."""
        found = [one for one in points if self.level_since <= one.start < until]
        mark = len(found), hash(tuple(found))
        key = horizon.name, channel
        if key not in self._pasts or self._pasts[key][0] != mark:
            self._pasts[key] = mark, Reference(found, horizon)
        return self._pasts[key][1]

    def _open(
        self, horizon: Horizon, points: Points, pasts: Mapping[str, Reference], end: float
    ) -> None:
        found = {
            name: one
            for name, one in self.outcomes[horizon.name].items()
            if isinstance(one, Comparison) and one.drifted
        }
        if not found:
            return
        worst = max(found, key=lambda name: (found[name].excess, name))
        excess = found[worst].excess
        since = onset(pasts[worst], points[worst], excess)
        since = end - horizon.recent if since is None else since
        # The past ends where the drift began, if enough is left of it.
        until = min(since, horizon.until(end))
        rest = reference(points[worst], horizon, self.level_since, until)
        if rest.shortage is not None:
            until = horizon.until(end)
        ratios = {name: one.ratio for name, one in found.items()}
        warning = excess >= math.log(WARNING_RATIO) - _TOLERANCE
        self.drift = Drift(horizon.name, since, until, end, warning, ratios)

    def _go_on(self, drift: Drift, horizon: Horizon, end: float) -> None:
        """Follow an open drift; it ends where the cohort is back, or where it is the level now."""
        if end - drift.opened_at >= horizon.settled:
            self.level_since, self.accepted = drift.opened_at, max(drift.ratios.values())
            self.drift = None
            return
        for name, one in self.outcomes[horizon.name].items():
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
        most = max(drift.ratios.values())
        least = WARNING_CALM_RATIO if drift.warning else WARNING_RATIO
        drift.warning = most >= least - _TOLERANCE

    def best(self, horizon: Horizon) -> Optional[Outcome]:
        """A comparison if there is any, else the shortage that is nearest to its end."""
        found = list(self.outcomes.get(horizon.name, {}).values())
        if any(isinstance(one, Comparison) for one in found):
            return next(one for one in found if isinstance(one, Comparison))
        short = [one for one in found if isinstance(one, Shortage)]
        return max(short, key=lambda one: (one.code != "past", one.have)) if short else None

    # --- across mgrs -------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        """What the store's spans do not tell, JSON-ready."""
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


def _drift(state: Mapping[str, Any], now: float) -> Drift:
    ratios = {str(name): float(ratio) for name, ratio in state["ratios"].items()}
    if state["horizon"] not in {one.name for one in HORIZONS} or not ratios:
        raise ValueError(f"a drift of {state['horizon']!r} with {len(ratios)} channels")
    return Drift(
        state["horizon"],
        min(float(state["since"]), now),
        min(float(state["until"]), now),
        min(float(state["opened_at"]), now),
        bool(state["warning"]),
        ratios,
    )
