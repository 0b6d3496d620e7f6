"""The detector's thresholds and periods, each with its source."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Union

from ....errors import InvalidValue
from ....model.said import say


@dataclass(frozen=True)
class Thresholds:
    """Ratios are "times as slow" (1 = as its peers), z counts robust standard deviations.

    Where no other source is named, the value is DETECTION's and was measured on the labelled
    trace. Numbers of minutes, segments and hours count data, not the calendar: a recording with
    gaps is judged as if the gaps were not there.
    """

    # Minimum data. A window of n operations has a standard error of about cv / sqrt(n).
    min_ops: float = 32.0  # operations a minute below which an OSD is "no data"
    op_cv: float = 1.0  # of single operations within a window; lognormal latencies have 1 to 3
    group_members: int = 6  # the smallest unit with at least so many members is the reference
    # Added to each OSD's latency in `queue` before the comparison. A healthy OSD waits there for
    # 0.1 ms, so noise is a factor of 4 and a delay of 30 ms a factor of 1,000 (docs/traps.md,
    # three releases). Client operations take milliseconds: a smaller delay does not matter.
    queue_floor_ms: float = 1.0

    # Acute: 3 of 5 minutes; hits below `acute_strong_ratio` need 8 of 10. A scrub (x1.6) on the
    # slowest of equal drives, with a compaction (x1.5) or noise, is twice as slow for some
    # minutes. False alarms (simulated): with 3 of 5 one in 3,000 OSD-days, with 4 of 5 one in
    # 20,000, with a strong ratio of 2.25 one in 60,000.
    acute_ratio: float = 2.0
    acute_z: float = 6.0
    acute_need: int = 3
    acute_strong_ratio: float = 2.4
    # Or a mean over some minutes in a row: noise like that of recording B hides single minutes (30
    # of 656 drives at 3 times their peers took longer than 5 minutes without it). Simulated: 2
    # false alarms in 20,000 OSD-days with a mean of 2.0, none in 60,000 with 2.1.
    acute_mean_ratio: float = 2.1
    acute_mean_minutes: int = 4
    acute_weak_need: int = 8
    acute_weak_window: int = 10
    acute_window: int = 5
    # Extreme ratios need a smaller z, and 8 of 10 minutes. If all OSDs share an overloaded
    # machine, healthy queues differ by a factor of 4 from minute to minute (12 real OSDs, load
    # 20): one delayed by 240 ms was at 178 times its peers and z 3.7. By chance z 3 in 8 of 10
    # minutes does not happen, and lasting loads (a hotter OSD, a scrub) are below 10 times.
    acute_extreme_ratio: float = 10.0
    acute_extreme_z: float = 3.0
    acute_calm_ratio: float = 1.5  # chosen halfway down, so that noise around 2.0 does not flap
    acute_clear: int = 5  # minutes below it: an acute finding closes 5 to 10 min after its end

    # Sustained: 3 of 4 segments of 15 minutes.
    sustained_ratio: float = 1.2
    sustained_z: float = 5.0
    sustained_need: int = 3
    sustained_window: int = 4
    sustained_calm_ratio: float = 1.1
    sustained_clear: int = 4
    segment_minutes: int = 8  # minimum minutes with data in a segment: chosen as half of 15
    # The part of a segment's minutes that must exceed the calm ratio. Without it three scrubs of
    # ten minutes within an hour raised the medians of three segments to 1.4 (one in 20,000
    # simulated OSD-days). A drive at 1.3 exceeds it in 97 % of the minutes in the noise of A.
    sustained_share: float = 0.75

    # The median of the last 4 to 12 segments raises a flag at once. It has down to a third of the
    # noise of one, so that a drive at twice its peers is found within 2 h where a segment's z does
    # not reach 5 (in noise of .19: after 1 to 14 h without it). With fewer than `long_sure`
    # segments `sustained_share` is required too. It is for what noise hides: from 1.4 times on,
    # because healthy drives of noisy clusters were at 1.22 to 1.25 for hours (simulated).
    long_ratio: float = 1.4
    long_segments: int = 12
    long_need: int = 4
    long_sure: int = 6
    long_z: float = 5.0

    # The median of a day: state "suspect" by the rule "watch", never a finding.
    watch_ratio: float = 1.1
    watch_z: float = 5.0

    # Bursts: episodes of 15 s frames in a day.
    burst_ratio: float = 2.0
    burst_margin: float = 1.1  # over the typical member's own 99.9th percentile
    # A frame of few operations must be slower by so many standard errors, cv / sqrt(n). The cv is
    # larger than that of a minute, because the operations of one frame are more alike.
    burst_op_cv: float = 2.0
    burst_errors: float = 3.0
    # Minimum minutes between two counted bursts: a scrub of ten minutes with noise crosses the
    # threshold repeatedly and must count once.
    burst_apart_minutes: float = 10.0
    burst_z: float = 6.0  # Anscombe's, of the number of episodes
    burst_episodes: int = 4
    burst_hours: int = 2
    burst_calibration_hours: float = 4.0  # 960 frames: the first with a 99.9th percentile
    burst_hold_hours: float = 24.0  # 85 to 90 % recur on the same day (Hao, FAST'16)

    # Cohorts of 2 to 5 OSDs are also compared with their own past.
    small_ratio: float = 1.3
    small_peer_ratio: float = 1.2
    small_z: float = 5.0
    small_members: int = 5
    small_hours: float = 6.0  # minimum data for a baseline
    small_age_hours: float = 48.0  # minimum time since the first data

    # Hosts, enclosures, racks.
    unit_ratio: float = 1.2  # compared with its own past
    unit_cross_ratio: float = 1.5  # compared with other units, for faults older than the module
    unit_z: float = 5.0
    unit_share: float = 0.6  # a unit is slow if this part of its members is
    unit_members: int = 3

    # A cause in common: so many OSDs on so many hosts at the least, and the chance that so many
    # pairs of them are at the same position or host. Four OSDs at one of twelve positions have
    # 1.4e-5; the trial of ten drives that become slow in the same minute must not reach it.
    common_members: int = 4
    common_hosts: int = 3
    common_chance: float = 1e-4
    common_z: float = 2.5  # of an OSD's excess, to count among the slow ones
    common_memory_days: float = 7.0  # positions with a cause in common are known for so long
    # A flag of more windows has its own cause, if it had none in common before.
    common_young_minutes: int = 30
    common_young_segments: int = 12
    # Flags of at most so many slow minutes can be of the same job as the bursts of others.
    common_brief_minutes: int = 10
    common_hold_minutes: int = 15  # slow without the others for longer: its own cause
    common_hold_segments: int = 8
    common_bursts: float = 4.0  # times the bursts of the others with the cause: its own cause
    # So many other units that are as slow as a unit that was always slow, or slower, are another
    # generation, and so is it; ``unit_ratio`` is the tolerance.
    generation_units: int = 2
    # More units of a kind than so many, and than this part, that become slow within an hour have a
    # cause in common.
    unit_cap: int = 3
    unit_cap_share: float = 0.05

    # Maximum number and part of a cohort's members that are reported one by one.
    cap_members: int = 2
    cap_share: float = 0.05

    # Excluded OSDs are no reference for others and are judged by these thresholds.
    excluded_ratio: float = 2.0
    excluded_z: float = 8.0
    suspend_share: float = 0.3  # excluded part of a cohort that suspends its sustained path

    # Cold start. DETECTION has 15 minutes, here it is 5: the state survives a failover, so this
    # happens once in a cluster's life. In the first hour the excess must be twice as large (a
    # ratio of 3 instead of 2). z stays at 6: OSDs that share a busy disk differ by .18 to .24
    # (ln) per minute, and z 9 would need a ratio of 5 to 8 there (an OSD stalled 90 % of the time
    # was at 6.9, z 8.2). The sustained path needs only its three segments: in the measurement it
    # had no false alarm in the first 45 min.
    cold_minutes: int = 5
    warm_minutes: int = 60
    cold_factor: float = 2.0
    cold_z: float = 6.0

    # Lower bounds of the measured spread, in ln units (DETECTION: .01 to .02).
    segment_floor: float = 0.02
    minute_floor: float = 0.03
    slope_half_life_hours: float = 6.0
    slope_max: float = 1.5
    risk_half_life_hours: float = 24.0

    @classmethod
    def of(cls, pairs: Iterable[str]) -> Thresholds:
        """Return the thresholds with ``KEY=VALUE`` texts applied. Raises InvalidValue."""
        known = {field.name: type(field.default) for field in fields(cls)}
        chosen: dict[str, Union[int, float]] = {}
        for pair in pairs:
            name, equals, text = pair.partition("=")
            if not equals or name not in known:
                raise InvalidValue(
                    say(
                        "threshold-pair",
                        "'{given}' is not KEY=VALUE with KEY one of {known:all}",
                        given=pair,
                        known=sorted(known),
                    ),
                    name,
                )
            chosen[name] = _number(known[name], name, text)
        return cls(**chosen)  # type: ignore[arg-type]  # the kinds are the fields' own


def _number(kind: type, name: str, text: str) -> Union[int, float]:
    try:
        value: Union[int, float] = int(text) if kind is int else float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        if kind is int:
            said = say(
                "threshold-whole",
                "{name} wants a whole number of at least 0, not '{given}'",
                name=name,
                given=text,
            )
        else:
            said = say(
                "threshold-number",
                "{name} wants a number of at least 0, not '{given}'",
                name=name,
                given=text,
            )
        raise InvalidValue(said, name)
    if value < 1 and name.endswith(("_ratio", "_need", "_window", "_clear", "_minutes")):
        raise InvalidValue(
            say("threshold-least", "{name} must be at least 1, not {given}", name=name, given=text),
            name,
        )
    return value
