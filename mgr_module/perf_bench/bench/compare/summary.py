"""Compute each OSD's figures and the round's verdict from its samples."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Optional

from ...model.admission import TIME_OVER, Alarm
from ...model.osd import BENCH_SMALL_MAX_IOPS, Wal
from ...model.phrases import listed, osd_names, plural
from ...model.plan import Plan, Reason, Sample
from ...model.round import Conclusion, OsdResult, Verdict
from ...model.statistics import MAD_TO_SIGMA, cv_percent, mad, median, medians_of_others
from .evidence import (
    CONFIDENCE,
    LEAST_VALUES,
    percent,
    pooled_cv_percent,
    quantile,
    variance_of_mean,
)
from .parts import sandwich_conclusions, wal_conclusions

# pyperf, too, makes every raw value last at least 0.1 s; in shorter samples the clock and the
# network are part of the figure.
MIN_SAMPLE_SECONDS = 0.1
# An OSD's samples together.
MIN_POOLED_SECONDS = 0.5
# The least scale of a peer group (of logarithms): tuned clusters repeat within 1 to 2.5 %
# (Stachecki 2024), so a smaller scale is chance.
SCALE_FLOOR = 0.02
# An OSD is slow from 5 sigmas and 1.2 x on, which separated 53 slow drives from 2,949 normal ones
# in trials. Persistence cannot be judged within one round.
SLOW_Z = -5.0
SLOW_PERCENT = 100 / 1.2
# Or if it reaches less than half of its peers and is an outlier by the usual bound of modified
# z-scores (Iglewicz and Hoaglin 1993): in a small group with a large variation an OSD that hung
# most of the time had a z of -4.6.
HALF_Z = -3.5
HALF_PERCENT = 50.0
_NAMED = 5


@dataclass(frozen=True)
class Summary:
    """A round's result: a row for each OSD, the verdict and its reasons."""

    results: tuple[OsdResult, ...]
    verdict: Verdict
    reasons: tuple[str, ...]
    conclusions: tuple[Conclusion, ...]
    figures: Mapping[str, Any]


def judge_sample(sample: Sample) -> Sample:
    """The sample, made invalid if it is too short."""
    if sample.valid and sample.seconds is not None and sample.seconds < MIN_SAMPLE_SECONDS:
        why = f"too short: {sample.seconds * 1000:.0f} ms, at least 100 ms are needed"
        return replace(sample, valid=False, why=why, reason=Reason.SHORT)
    return sample


def summarize(
    plan: Plan, osds: Sequence[OsdResult], samples: Sequence[Sample], max_cv_percent: float
) -> Summary:
    """Judge a round that ran to its end. ``osds`` are the rows made before it began."""
    by_osd = _by_osd(plan, samples)
    rows = [_figures(row, by_osd[row.osd]) for row in osds]
    results = _against_peers(rows)
    failed = _failures(plan, samples)
    verdict, reasons = (
        (Verdict.FAILED, failed) if failed else _verdict(plan, results, by_osd, max_cv_percent)
    )
    conclusions = _slow(results)
    if len(plan.phases) > 1:
        hosts = {row.osd: row.host for row in osds}
        conclusions += sandwich_conclusions(plan, hosts, samples)
    reasons = [*reasons, *_not_read(samples)]
    return Summary(tuple(results), verdict, tuple(reasons), tuple(conclusions), _overall(results))


def summarize_part(
    plan: Plan,
    osds: Sequence[OsdResult],
    samples: Sequence[Sample],
    verdict: Verdict,
    reason: str,
) -> Summary:
    """The figures of a round that did not run to its end, without conclusions."""
    by_osd = _by_osd(plan, samples)
    results = _against_peers([_figures(row, by_osd[row.osd]) for row in osds])
    return Summary(tuple(results), verdict, (reason,), (), _overall(results))


def _by_osd(plan: Plan, samples: Sequence[Sample]) -> dict[int, list[Sample]]:
    """By OSD its samples of the leading phase."""
    phase = plan.leading.name
    found: dict[int, list[Sample]] = defaultdict(list)
    for sample in samples:
        if sample.phase == phase:
            found[sample.osd].append(sample)
    return found


def _figures(row: OsdResult, samples: Sequence[Sample]) -> OsdResult:
    """The row with its medians; samples that are too short count only if there is no other."""
    measured = [sample for sample in samples if sample.bytes_per_second and sample.iops]
    usable = [sample for sample in measured if sample.valid] or measured
    if not usable:
        return row
    rates = [sample.bytes_per_second or 0.0 for sample in usable]
    return replace(
        row,
        samples=len(usable),
        seconds=math.fsum(sample.seconds or 0.0 for sample in usable),
        median_call_seconds=median([sample.call_seconds for sample in usable]),
        median_bytes_per_second=median(rates),
        median_iops=median([sample.iops or 0.0 for sample in usable]),
        cv_percent=cv_percent(rates),
    )


def _against_peers(rows: Sequence[OsdResult]) -> list[OsdResult]:
    """Compare each OSD with its peers: same device class and, if known, same model.

    z = (ln x - median of the others' ln) / max(1.4826 MAD of the group's ln, SCALE_FLOOR);
    logarithms because latencies and rates of drives differ by factors.
    """
    groups: dict[tuple[Optional[str], Optional[str]], list[OsdResult]] = defaultdict(list)
    for row in rows:
        if row.median_bytes_per_second:
            groups[(row.device_class, row.model)].append(row)
    judged = {row.osd: row for row in rows}
    for members in groups.values():
        logs = [math.log(row.median_bytes_per_second or 1.0) for row in members]
        scale = max(MAD_TO_SIGMA * mad(logs), SCALE_FLOOR)
        for row, value, others in zip(members, logs, medians_of_others(logs)):
            if others is not None:
                judged[row.osd] = replace(
                    row,
                    robust_z=(value - others) / scale,
                    percent_of_peers=100 * math.exp(value - others),
                )
    return [judged[row.osd] for row in rows]


def _verdict(
    plan: Plan,
    results: Sequence[OsdResult],
    by_osd: Mapping[int, Sequence[Sample]],
    max_cv_percent: float,
) -> tuple[Verdict, list[str]]:
    short = [row for row in results if _too_short(row, by_osd[row.osd])]
    if 2 * len(short) > len(results):
        return Verdict.TOO_SHORT, [_short_reason(plan, results)]
    spreads = [row.cv_percent for row in results if row.cv_percent is not None]
    if not spreads:
        only = "one sample an OSD: the spread between repeats is not known"
        return Verdict.VALID, [only]
    typical = median(spreads)
    if typical > max_cv_percent:
        reason = (
            f"repeats of the same OSD differ by {typical:.1f} % (median CV); at most "
            f"{max_cv_percent:g} % is called valid"
        )
        return Verdict.NOISY, [reason]
    made = round(median([row.samples for row in results if row.samples]))
    reason = f"median CV {typical:.1f} % over {plural(made, 'repeat')}"
    return Verdict.VALID, [reason, *_brief(short), *_loud(results, max_cv_percent)]


def _failures(plan: Plan, samples: Sequence[Sample]) -> list[str]:
    """A sentence for each OSD that has fewer samples than planned, or failed once."""
    planned = Counter(osd for phase in plan.phases for osd in phase.osds)
    by_osd: dict[int, list[Sample]] = defaultdict(list)
    for sample in samples:
        by_osd[sample.osd].append(sample)
    lacking: list[str] = []
    for osd, phases in sorted(planned.items()):
        excused = sum(_out_of_reach(s) for s in by_osd[osd])
        missing = [s for s in by_osd[osd] if s.seconds is None and not _out_of_reach(s)]
        there = sum(1 for s in by_osd[osd] if s.seconds is not None) + excused
        if missing or there < phases * plan.repeats:
            asked = max(phases * plan.repeats, len(by_osd[osd]))
            unasked = f"osd.{osd} was not measured"
            why = missing[0].why if missing else unasked
            reasons = [s.reason for s in missing]
            given_up = reasons[:1] == [Reason.SILENT] and Reason.NOT_ASKED in reasons
            lacking.append(_lacking(why, there, asked, given_up))
    more = len(lacking) - _NAMED
    if more > 0:
        return [*lacking[:_NAMED], f"and {plural(more, 'more OSD')}"]
    return lacking


def _lacking(why: Optional[str], there: int, asked: int, given_up: bool) -> str:
    """``given_up``: after the first failure the OSD was not asked for the other samples."""
    if given_up:
        return f"{why} and was not asked again ({there} of {plural(asked, 'sample')})"
    return f"{why} ({there} of {plural(asked, 'sample')})"


def _out_of_reach(sample: Sample) -> bool:
    return sample.reason is Reason.OUT_OF_REACH


def _not_read(samples: Sequence[Sample]) -> list[str]:
    """A note that names healthy OSDs that could not be read."""
    osds = sorted({sample.osd for sample in samples if _out_of_reach(sample)})
    if not osds:
        return []
    return [
        (
            "written to only, an OSD that is primary of no placement group of the pool "
            f"perf_bench, so nothing is read: {osd_names(osds)}"
        )
    ]


def _too_short(row: OsdResult, samples: Sequence[Sample]) -> bool:
    return row.seconds < MIN_POOLED_SECONDS or not any(sample.valid for sample in samples)


def _short_reason(plan: Plan, results: Sequence[OsdResult]) -> str:
    typical = median([row.seconds for row in results])
    if plan.step.prefilled:
        return (
            f"an OSD was measured for {typical:.2f} s in all (median): too short to "
            f"mean anything, more --repeats, or a higher {BENCH_SMALL_MAX_IOPS} helps"
        )
    return (
        f"an OSD was measured for {typical:.2f} s in all (median): too short to "
        "mean anything, more --repeats helps"
    )


def _brief(short: Sequence[OsdResult]) -> list[str]:
    """A note that names the few OSDs of a valid round that were measured too shortly."""
    if not short:
        return []
    names = [f"osd.{row.osd} ({row.seconds:.2f} s)" for row in short]
    return [f"measured too shortly to mean much: {listed(names)}"]


def _loud(results: Sequence[OsdResult], max_cv_percent: float) -> list[str]:
    """A note that names the few OSDs of a valid round whose repeats differ much."""
    loud = sorted(
        (row for row in results if (row.cv_percent or 0) > max_cv_percent),
        key=lambda row: -(row.cv_percent or 0),
    )
    if not loud:
        return []
    names = [f"osd.{row.osd} ({row.cv_percent:.0f} %)" for row in loud]
    return [f"unsteady between repeats: {listed(names)}"]


def is_slow(row: OsdResult) -> bool:
    """Whether the OSD is slow against its peers."""
    z, percent = row.robust_z, row.percent_of_peers
    if z is None or percent is None:
        return False
    return (z <= SLOW_Z and percent <= SLOW_PERCENT) or (z <= HALF_Z and percent <= HALF_PERCENT)


def _slow(results: Sequence[OsdResult]) -> list[Conclusion]:
    slow = [row for row in results if is_slow(row)]
    slow.sort(key=lambda row: row.percent_of_peers or 0.0)
    found = [
        Conclusion(
            "slow-osd",
            (f"osd.{row.osd} on {row.host} reaches {row.percent_of_peers:.0f} % of its peers"),
            {
                "osd": row.osd,
                "percent_of_peers": row.percent_of_peers,
                "robust_z": row.robust_z,
                "cv_percent": row.cv_percent,
            },
        )
        for row in slow[:_NAMED]
    ]
    more = len(slow) - _NAMED
    if more > 0:
        told = (
            "1 more OSD is slow against its peers"
            if more == 1
            else f"{more} more OSDs are slow against their peers"
        )
        found.append(Conclusion("slow-osds", told, {"more": more}))
    return found


def _overall(results: Sequence[OsdResult]) -> dict[str, Any]:
    """The round's main figures: medians over OSDs (None without any)."""
    rates = [row.median_bytes_per_second for row in results if row.median_bytes_per_second]
    iops = [row.median_iops for row in results if row.median_iops]
    spreads = [row.cv_percent for row in results if row.cv_percent is not None]
    compared = [row for row in results if row.percent_of_peers is not None]
    slowest = min(compared, key=lambda row: row.percent_of_peers or 0.0, default=None)
    return {
        "osds": len(results),
        "osds_measured": len(rates),
        "median_bytes_per_second": median(rates) if rates else None,
        "median_iops": median(iops) if iops else None,
        "median_cv_percent": median(spreads) if spreads else None,
        "slowest_osd": slowest.osd if slowest else None,
        "slowest_percent_of_peers": slowest.percent_of_peers if slowest else None,
    }


# Verdicts that become CONTAMINATED; those of failed and aborted rounds stay.
_SPOILT = (Verdict.VALID, Verdict.NOISY, Verdict.TOO_SHORT)
# What the codes of conclusions that tell alarms begin with.
_GUARD = "guard-"


def conclusions_of(alarms: Sequence[Alarm]) -> tuple[Conclusion, ...]:
    """The conclusions that tell alarms."""
    return tuple(
        Conclusion(f"{_GUARD}{alarm.code}", alarm.message, dict(alarm.evidence)) for alarm in alarms
    )


def alarms_of(conclusions: Sequence[Conclusion]) -> tuple[Alarm, ...]:
    """The alarms that conclusions of a running round tell; none of them ends it any more."""
    return tuple(
        Alarm(one.code[len(_GUARD) :], one.message, one.evidence, ends=False)
        for one in conclusions
        if one.code.startswith(_GUARD)
    )


def with_alarms(summary: Summary, alarms: Sequence[Alarm]) -> Summary:
    """The summary with a conclusion for each alarm; a usable verdict becomes contaminated.

    That a round's time was over before it was saved disturbed nothing, unless it was ended for it.
    """
    if summary.verdict is not Verdict.ABORTED:
        alarms = [alarm for alarm in alarms if alarm.code != TIME_OVER]
    if not alarms:
        return summary
    summary = replace(summary, conclusions=(*conclusions_of(alarms), *summary.conclusions))
    if summary.verdict not in _SPOILT:
        return summary
    reasons = (*(alarm.message for alarm in alarms), *summary.reasons)
    return replace(summary, verdict=Verdict.CONTAMINATED, reasons=reasons)


_CONCLUDED = (Verdict.VALID, Verdict.NOISY)


def with_wal(
    summary: Summary, plan: Plan, samples: Sequence[Sample], wals: Mapping[int, Wal]
) -> Summary:
    """The summary of a round that ran to its end, with conclusions about logs."""
    if summary.verdict not in _CONCLUDED:
        return summary
    said = wal_conclusions(plan, samples, wals)
    return replace(summary, conclusions=(*summary.conclusions, *said))


# --- whether another repeat is worth it -----------------------------------------------------------
#
# The figure is an OSD's mean rate. Its interval (95 %, Student's t on logarithms) narrows with the
# repeats, its CV does not. A round has the interval and the CV of the median OSD.

# Half of the least change that is reported in a profile's history (5 %), so that two rounds that
# differ by it do not overlap; tuned clusters repeat within it (Stachecki 2024). It takes 3 repeats
# at a CV of 0.9 %, 6 at 2 %, 9 at 3 %.
ENOUGH_PERCENT = 2.5
_JUDGED = (Verdict.VALID, Verdict.NOISY)


@dataclass(frozen=True)
class Precision:
    """The precision of a round's figures so far. ``repeats`` are those of the median OSD.

    ``more``: another repeat is worth its wear. ``half_width_percent`` is half the interval of the
    median OSD, None if unknown. ``needed`` is the number of repeats that would be enough, by the
    CV. ``reason`` is a sentence.
    """

    repeats: int
    enough: bool
    more: bool
    reason: str
    half_width_percent: Optional[float] = None
    needed: Optional[int] = None


def precision(samples: Sequence[Sample], most: int, planned: int = LEAST_VALUES) -> Precision:
    """Judge the samples of a round so far, between two repeats.

    ``planned`` repeats are always made (LEAST_VALUES give a CV), and never more than ``most``. In
    between another one is worth it while the interval is too wide and, by the CV, ``most`` repeats
    can make it narrow enough.
    """
    groups = _logs(samples)
    repeats = int(median([len(group) for group in groups])) if groups else 0
    spreading = [group for group in groups if len(group) >= LEAST_VALUES]
    if not spreading or repeats < LEAST_VALUES:
        reason = (
            f"{plural(repeats, 'repeat is', 'repeats are')} too few for an interval: "
            f"{LEAST_VALUES} are needed"
        )
        return Precision(repeats, enough=False, more=repeats < most, reason=reason)
    width = median([percent(variance_of_mean(one).half_width()) for one in spreading])
    cv = median([pooled_cv_percent([group]) for group in spreading])
    needed = needed_repeats(cv, most)
    enough = width <= ENOUGH_PERCENT
    reached = f"figures are precise to {width:.1f} % after {repeats} repeats"
    if enough:
        more = repeats < min(planned, most)
        reason = f"{reached}: {ENOUGH_PERCENT} % is enough"
    elif repeats >= most:
        more = False
        reason = f"{reached}, and {most} is the limit"
    elif needed is None:
        more = repeats < min(planned, most)
        reason = f"{reached}: at a CV of {cv:.1f} % {most} would not reach {ENOUGH_PERCENT} %"
    else:
        more = True
        reason = f"{reached}: at a CV of {cv:.1f} % it takes {max(needed, repeats + 1)}"
    return Precision(repeats, enough, more, reason, width, needed)


def needed_repeats(cv_percent: float, most: int) -> Optional[int]:
    """The number of repeats that reach ENOUGH_PERCENT at this CV; None if over ``most``."""
    for repeats in range(LEAST_VALUES, most + 1):
        width = quantile(CONFIDENCE, repeats - 1) * cv_percent / 100 / math.sqrt(repeats)
        if percent(width) <= ENOUGH_PERCENT:
            return repeats
    return None


def another(plan: Plan, samples: Sequence[Sample]) -> Precision:
    """Judge the samples of a round so far, and decide whether another repeat is made.

    Short samples are pooled: while the median OSD was measured for less than MIN_POOLED_SECONDS in
    all, another repeat is made whatever the interval. If no sample is long enough, or an OSD did
    not answer, no repeat helps.
    """
    judged = precision(samples, plan.most, plan.repeats)
    pooled = _pooled_seconds(samples)
    failed = any(sample.seconds is None for sample in samples)
    if failed or not pooled or judged.repeats >= plan.most:
        return replace(judged, more=False)
    if pooled < MIN_POOLED_SECONDS:
        needed = math.ceil(judged.repeats * MIN_POOLED_SECONDS / pooled)
        reason = f"measured for {pooled:.2f} s in all (median): {MIN_POOLED_SECONDS} s are needed"
        return replace(judged, enough=False, more=True, needed=needed, reason=reason)
    return judged


def with_precision(summary: Summary, plan: Plan, samples: Sequence[Sample]) -> Summary:
    """The summary of a round that ran to its end, with the precision of its figures."""
    leading = [sample for sample in samples if sample.phase == plan.leading.name]
    judged = precision(leading, plan.most, plan.repeats)
    if summary.verdict not in _JUDGED or judged.half_width_percent is None:
        return summary
    figures = {"repeats": judged.repeats, "half_width_percent": judged.half_width_percent}
    return replace(
        summary, reasons=(*summary.reasons, judged.reason), figures={**summary.figures, **figures}
    )


def with_repeats(summary: Summary, samples: Sequence[Sample]) -> Summary:
    """The summary with the repeats that were made: of the median OSD, in the phase with most.

    A round that did not run to its end made fewer than planned, one of short samples more.
    """
    if "repeats" in summary.figures:
        return summary
    counts: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for sample in samples:
        if sample.seconds is not None:
            counts[sample.phase][sample.osd] += 1
    made = max((int(median(list(by_osd.values()))) for by_osd in counts.values()), default=0)
    return replace(summary, figures={**summary.figures, "repeats": made})


def _logs(samples: Sequence[Sample]) -> list[list[float]]:
    """The logarithms of the valid rates of each OSD that has any."""
    by_osd: dict[int, list[float]] = defaultdict(list)
    for sample in samples:
        if sample.valid and sample.bytes_per_second:
            by_osd[sample.osd].append(math.log(sample.bytes_per_second))
    return list(by_osd.values())


def _pooled_seconds(samples: Sequence[Sample]) -> float:
    """The seconds for which the median OSD was measured by valid samples; 0 without any."""
    seconds: dict[int, float] = defaultdict(float)
    for sample in samples:
        seconds[sample.osd] += sample.seconds or 0.0 if sample.valid else 0.0
    return median(list(seconds.values())) if seconds else 0.0
