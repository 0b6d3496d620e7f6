"""Compute each OSD's figures and the round's verdict from its samples."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Optional

from ...model.osd import BENCH_SMALL_MAX_IOPS, Wal
from ...model.phrases import listed, osd_names, plural
from ...model.plan import Plan, Reason, Sample
from ...model.round import Conclusion, OsdResult, Verdict
from ...model.statistics import (
    CONFIDENCE,
    LEAST_VALUES,
    MAD_TO_SIGMA,
    cv_percent,
    mad,
    median,
    medians_of_others,
    percent,
    pooled_cv_percent,
    quantile,
    variance_of_mean,
)
from .parts import by_osd, sandwich_conclusions, wal_conclusions

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
    plan: Plan,
    osds: Sequence[OsdResult],
    samples: Sequence[Sample],
    max_cv_percent: float,
    wals: Optional[Mapping[int, Wal]] = None,
    cut_short: Optional[tuple[Verdict, str]] = None,
) -> Summary:
    """Judge a round; ``osds`` are the rows made before it began, ``wals`` where their logs are.

    One that did not run to its end was ``cut_short``: it gets that verdict with its reason, and no
    conclusions.
    """
    phase = plan.leading.name
    leading = [sample for sample in samples if sample.phase == phase]
    own = by_osd(leading)
    results = _against_peers([_figures(row, own[row.osd]) for row in osds])
    figures = {**_overall(results), "repeats": _repeats_made(samples)}
    if cut_short is not None:
        return Summary(tuple(results), cut_short[0], (cut_short[1],), (), figures)
    failed = _failures(plan, samples)
    verdict, reasons = (
        (Verdict.FAILED, failed) if failed else _verdict(plan, results, own, max_cv_percent)
    )
    reasons = [*reasons, *_not_read(samples)]
    conclusions = _slow(results)
    if len(plan.phases) > 1:
        hosts = {row.osd: row.host for row in osds}
        conclusions += sandwich_conclusions(plan, hosts, samples)
    if verdict in _JUDGED:
        judged = precision(leading, plan.most, plan.repeats)
        if judged.half_width_percent is not None:
            reasons.append(judged.reason)
            figures["repeats"] = judged.repeats
            figures["half_width_percent"] = judged.half_width_percent
        if wals is not None:
            conclusions += wal_conclusions(plan, samples, wals)
    return Summary(tuple(results), verdict, tuple(reasons), tuple(conclusions), figures)


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
    for members in (group for group in groups.values() if len(group) > 1):
        logs = [math.log(row.median_bytes_per_second or 1.0) for row in members]
        scale = max(MAD_TO_SIGMA * mad(logs), SCALE_FLOOR)
        for row, value, others in zip(members, logs, medians_of_others(logs)):
            judged[row.osd] = replace(
                row,
                robust_z=(value - others) / scale,
                percent_of_peers=100 * math.exp(value - others),
            )
    return [judged[row.osd] for row in rows]


def _verdict(
    plan: Plan,
    results: Sequence[OsdResult],
    samples: Mapping[int, Sequence[Sample]],
    max_cv_percent: float,
) -> tuple[Verdict, list[str]]:
    short = [row for row in results if _too_short(row, samples[row.osd])]
    if 2 * len(short) > len(results):
        shown = median([row.seconds for row in results])
        raised = f", or a higher {BENCH_SMALL_MAX_IOPS}" if plan.step.prefilled else ""
        reason = (
            f"an OSD was measured for {shown:.2f} s in all (median): too short to mean anything, "
            f"more --repeats{raised} helps"
        )
        return Verdict.TOO_SHORT, [reason]
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
    notes = [f"median CV {typical:.1f} % over {plural(made, 'repeat')}"]
    # The few OSDs that are no example.
    if short:
        names = [f"osd.{row.osd} ({row.seconds:.2f} s)" for row in short]
        notes.append(f"measured too shortly to mean much: {listed(names)}")
    loud = [row for row in results if (row.cv_percent or 0) > max_cv_percent]
    if loud:
        loud.sort(key=lambda row: -(row.cv_percent or 0))
        names = [f"osd.{row.osd} ({row.cv_percent:.0f} %)" for row in loud]
        notes.append(f"unsteady between repeats: {listed(names)}")
    return Verdict.VALID, notes


def _failures(plan: Plan, samples: Sequence[Sample]) -> list[str]:
    """A sentence for each OSD that has fewer samples than planned, or failed once."""
    planned = Counter(osd for phase in plan.phases for osd in phase.osds)
    found = by_osd(samples)
    lacking: list[str] = []
    for osd, phases in sorted(planned.items()):
        excused = sum(_out_of_reach(s) for s in found[osd])
        missing = [s for s in found[osd] if s.seconds is None and not _out_of_reach(s)]
        there = sum(1 for s in found[osd] if s.seconds is not None) + excused
        if missing or there < phases * plan.repeats:
            asked = max(phases * plan.repeats, len(found[osd]))
            why = missing[0].why if missing else f"osd.{osd} was not measured"
            reasons = [s.reason for s in missing]
            if reasons[:1] == [Reason.SILENT] and Reason.NOT_ASKED in reasons:
                why = f"{why} and was not asked again"
            lacking.append(f"{why} ({there} of {plural(asked, 'sample')})")
    more = len(lacking) - _NAMED
    if more > 0:
        return [*lacking[:_NAMED], f"and {plural(more, 'more OSD')}"]
    return lacking


def _out_of_reach(sample: Sample) -> bool:
    return sample.reason is Reason.OUT_OF_REACH


def _not_read(samples: Sequence[Sample]) -> list[str]:
    """A note that names healthy OSDs that could not be read."""
    osds = sorted({sample.osd for sample in samples if _out_of_reach(sample)})
    only = "written to only, an OSD that is primary of no placement group of the pool perf_bench"
    return [f"{only}, so nothing is read: {osd_names(osds)}"] if osds else []


def _too_short(row: OsdResult, samples: Sequence[Sample]) -> bool:
    return row.seconds < MIN_POOLED_SECONDS or not any(sample.valid for sample in samples)


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
        is_ = plural(more, "more OSD is slow against its", "more OSDs are slow against their")
        found.append(Conclusion("slow-osds", f"{is_} peers", {"more": more}))
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
# What the codes of the guard's alarms begin with.
GUARD = "guard-"
# The alarm of a round whose time is over.
TIME_OVER = f"{GUARD}clock"


def with_alarms(summary: Summary, alarms: Sequence[Conclusion]) -> Summary:
    """The summary with the guard's alarms; a usable verdict becomes contaminated.

    That a round's time was over before it was saved disturbed nothing, unless it was ended for it.
    """
    if summary.verdict is not Verdict.ABORTED:
        alarms = [alarm for alarm in alarms if alarm.code != TIME_OVER]
    if not alarms:
        return summary
    summary = replace(summary, conclusions=(*alarms, *summary.conclusions))
    if summary.verdict not in _SPOILT:
        return summary
    reasons = (*(alarm.message for alarm in alarms), *summary.reasons)
    return replace(summary, verdict=Verdict.CONTAMINATED, reasons=reasons)


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
    usable = by_osd(samples, usable=True).values()
    groups = [[math.log(sample.bytes_per_second or 1.0) for sample in own] for own in usable]
    repeats = int(median([len(group) for group in groups])) if groups else 0
    spreading = [group for group in groups if len(group) >= LEAST_VALUES]
    if not spreading or repeats < LEAST_VALUES:
        reason = (
            f"{plural(repeats, 'repeat is', 'repeats are')} too few for an interval: "
            f"{LEAST_VALUES} are needed"
        )
        return Precision(repeats, more=repeats < most, reason=reason)
    width = median([percent(variance_of_mean(one).half_width()) for one in spreading])
    cv = median([pooled_cv_percent([group]) for group in spreading])
    needed = _needed(cv, most)
    more = repeats < min(planned, most)
    reason = f"figures are precise to {width:.1f} % after {repeats} repeats"
    if width <= ENOUGH_PERCENT:
        reason = f"{reason}: {ENOUGH_PERCENT} % is enough"
    elif repeats >= most:
        reason = f"{reason}, and {most} is the limit"
    elif needed is None:
        reason = f"{reason}: at a CV of {cv:.1f} % {most} would not reach {ENOUGH_PERCENT} %"
    else:
        more = True
        reason = f"{reason}: at a CV of {cv:.1f} % it takes {max(needed, repeats + 1)}"
    return Precision(repeats, more, reason, width, needed)


def _needed(cv_percent: float, most: int) -> Optional[int]:
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
        return replace(judged, more=True, needed=needed, reason=reason)
    return judged


def _repeats_made(samples: Sequence[Sample]) -> int:
    """The repeats that were made: of the median OSD, in the phase with most.

    A round that did not run to its end made fewer than planned, one of short samples more.
    """
    counts: dict[str, Counter[int]] = defaultdict(Counter)
    for sample in samples:
        if sample.seconds is not None:
            counts[sample.phase][sample.osd] += 1
    return max((int(median(list(by_osd.values()))) for by_osd in counts.values()), default=0)


def _pooled_seconds(samples: Sequence[Sample]) -> float:
    """The seconds for which the median OSD was measured by valid samples; 0 without any."""
    seconds = [
        sum(sample.seconds or 0.0 for sample in own if sample.valid)
        for own in by_osd(samples).values()
    ]
    return median(seconds) if seconds else 0.0
