"""The detector's thresholds and spans, each with where it comes from."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Union

from ....errors import InvalidValue


@dataclass(frozen=True)
class Thresholds:
    """Ratios are "times as slow" (1 = as its peers), z counts robust standard deviations.

    Where no other source is named, the value is DETECTION's and was measured on the labelled
    trace. Numbers of minutes, segments and hours count data, not the calendar: a recording with
    gaps is judged as if the gaps were not there.
    """

    # Who can be judged. A window of n operations has a standard error of about cv / sqrt(n).
    min_ops: float = 32.0  # operations a minute below which an OSD is "no data"
    op_cv: float = 1.0  # of single operations within a window; lognormal latencies have 1 to 3
    group_members: int = 6  # the finest place with so many members is the reference
    # Added to each OSD's latency in `queue` before they are compared: a healthy one waits there
    # for 0.1 ms, so noise is a factor of 4 and a delay of 30 ms one of 1,000 (docs/traps.md,
    # three releases). Client operations take milliseconds; less than this nobody feels.
    queue_floor_ms: float = 1.0

    # A minute, 3 of 5; weaker than `acute_strong_ratio`, 8 of 10. A scrub (x1.6) on the slowest
    # of equal drives, with a compaction (x1.5) in it or noise on it, is twice as slow for some
    # minutes: 3 of 5 accused one in 3,000 OSD-days (simulated), 4 of 5 one in 20,000, and 2.25 for
    # strong one in 60,000.
    acute_ratio: float = 2.0
    acute_z: float = 6.0
    acute_need: int = 3
    acute_strong_ratio: float = 2.4
    acute_weak_need: int = 8
    acute_weak_window: int = 10
    acute_window: int = 5
    # The extreme needs less surety, and 8 of 10. Where all OSDs share a machine with too much work,
    # healthy queues differ by a factor of 4 from minute to minute (12 real OSDs, load 20): one
    # delayed by 240 ms stood at 178 times its peers and z 3.7. By chance alone z 3 in 8 of 10
    # minutes does not happen; what lasts (a hotter OSD, a scrub) is not ten times as slow.
    acute_extreme_ratio: float = 10.0
    acute_extreme_z: float = 3.0
    acute_calm_ratio: float = 1.5  # half way down; a choice, so that noise at 2.0 does not flap
    acute_clear: int = 5  # minutes below it: an acute fault is gone 5 to 10 min after its end

    # A segment of 15 minutes, 3 of 4.
    sustained_ratio: float = 1.2
    sustained_z: float = 5.0
    sustained_need: int = 3
    sustained_window: int = 4
    sustained_calm_ratio: float = 1.1
    sustained_clear: int = 4
    segment_minutes: int = 8  # of its 15, to count: half of them; a choice
    # Slow for most of it, not for eight minutes: three scrubs of ten minutes within an hour made
    # the medians of three segments 1.4 (one in 20,000 simulated OSD-days). This part of its
    # minutes must be over the calm ratio; of a drive at 1.3 in the noise of A 97 % are.
    sustained_share: float = 0.75

    # The median of a day: "watch", never a finding.
    watch_ratio: float = 1.1
    watch_z: float = 5.0

    # Bursts: episodes of 15 s frames in a day.
    burst_ratio: float = 2.0
    burst_margin: float = 1.1  # over the typical member's own 99.9th percentile
    # A frame of few operations must be so much slower that it is no chance: its mean has a
    # standard error of cv / sqrt(n), and a frame's operations have fewer causes than a minute's.
    burst_op_cv: float = 2.0
    burst_errors: float = 3.0
    # From one counted burst to the next: a scrub of ten minutes with noise on it crosses the
    # threshold again and again. Bursts that come more often still are counted so often.
    burst_apart_minutes: float = 10.0
    burst_z: float = 6.0  # Anscombe's, of the number of episodes
    burst_episodes: int = 4
    burst_hours: int = 2
    burst_calibration_hours: float = 4.0  # 960 frames: the first with a 99.9th percentile
    burst_hold_hours: float = 24.0  # 85 to 90 % come again the same day (Hao, FAST'16)

    # Cohorts of 2 to 5: against the own past as well.
    small_ratio: float = 1.3
    small_peer_ratio: float = 1.2
    small_z: float = 5.0
    small_members: int = 5
    small_hours: float = 6.0  # of data behind a baseline
    small_age_hours: float = 48.0  # since the first of it

    # Hosts, enclosures, racks.
    unit_ratio: float = 1.2  # against the own past
    unit_cross_ratio: float = 1.5  # against the other hosts, for what was there before us
    unit_z: float = 5.0
    unit_share: float = 0.6  # of a unit's members slow: the unit is
    unit_members: int = 3

    # Never accuse more than this of a cohort one by one.
    cap_members: int = 2
    cap_share: float = 0.05

    # Excluded OSDs are no reference and are judged by these.
    excluded_ratio: float = 2.0
    excluded_z: float = 8.0
    suspend_share: float = 0.3  # of a cohort excluded: its sustained path rests

    # Cold start. 5 minutes where DETECTION has 15: what is known survives a failover, so this
    # happens once in a cluster's life. Until the hour is full the slowdown must be twice as
    # large (3 times for 2). It must not be surer too: OSDs that share a busy disk differ by .18
    # to .24 a minute, and of them z 9 would ask to be 5 to 8 times as slow (an OSD stalled 90 %
    # of the time stood at 6.9, z 8.2). The sustained path needs no more start than its own three
    # segments: so it was measured, 45 min with no false alarm.
    cold_minutes: int = 5
    warm_minutes: int = 60
    cold_factor: float = 2.0
    cold_z: float = 6.0

    # The least that a spread is believed to be, in ln units (DETECTION: .01 to .02).
    segment_floor: float = 0.02
    minute_floor: float = 0.03
    slope_half_life_hours: float = 6.0
    slope_max: float = 1.5
    risk_half_life_hours: float = 24.0

    @classmethod
    def of(cls, pairs: Iterable[str]) -> Thresholds:
        """Settings from ``KEY=VALUE`` texts; raises InvalidValue with the text that is wrong."""
        known = {field.name: type(field.default) for field in fields(cls)}
        chosen: dict[str, Union[int, float]] = {}
        for pair in pairs:
            name, equals, text = pair.partition("=")
            if not equals or name not in known:
                names = ", ".join(sorted(known))
                raise InvalidValue(f"'{pair}' is not KEY=VALUE with KEY one of {names}", name)
            chosen[name] = _number(known[name], name, text)
        return cls(**chosen)  # type: ignore[arg-type]  # the kinds are the fields' own


def _number(kind: type, name: str, text: str) -> Union[int, float]:
    try:
        value: Union[int, float] = int(text) if kind is int else float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        wanted = "a whole number" if kind is int else "a number"
        raise InvalidValue(f"{name} wants {wanted} of at least 0, not '{text}'", name)
    if value < 1 and name.endswith(("_ratio", "_need", "_window", "_clear", "_minutes")):
        raise InvalidValue(f"{name} must be at least 1, not {text}", name)
    return value
