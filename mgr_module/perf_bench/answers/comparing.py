"""Rounds against each other, over time, and against published figures."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, Optional, Union

from ..bench.compare import reference
from ..errors import InvalidValue
from ..model.phrases import plural
from ..model.round import Baseline, Change, ChangePoint, Comparison, Figure, History, Latency
from .api import Api
from .paging import page_of
from .question import Argument, Question, RoundId, Use
from .text import GAP, NOTHING, Column, facts, figure_text, filled, listing, signed, size, table

# The OSDs of a comparison, as many as ``round show`` shows.
_COMPARED = 200
_WORKLOAD = 42


def compare(
    api: Api,
    a: RoundId,
    b: RoundId,
    limit: Optional[int] = None,
    offset: Optional[int] = None,
    fail_on: Optional[str] = None,
) -> tuple[Comparison, int]:
    """Show whether round B is better or worse than round A; --fail-on worse for an exit code."""
    _verdicts(fail_on)
    first, count = page_of(_COMPARED if limit is None else limit, offset)
    found = api.comparisons.rounds(a, b)
    return replace(found, per_osd=found.per_osd[first : first + count]), found.osds


def set_baseline(api: Api, id_: RoundId, profile: Optional[str] = None) -> Baseline:
    """Hold the later rounds of its profile against this one."""
    return api.comparisons.set_baseline(id_, profile)


def baselines(api: Api) -> list[Baseline]:
    """List the baselines of profiles."""
    return api.comparisons.baselines()


def profile_history(api: Api, name: str) -> History:
    """Show a profile's rounds in a row, and where their level changed."""
    return api.comparisons.history(name)


def published(_api: Api) -> list[Figure]:
    """List published figures with their hardware and source."""
    return list(reference.published())


def _verdicts(fail_on: Optional[str]) -> Collection[str]:
    """The verdicts that --fail-on names, as "worse,not-comparable". Raises InvalidValue."""
    named = [name.strip() for name in (fail_on or "").split(",") if name.strip()]
    known = [change.value for change in Change]
    if any(name not in known for name in named) or (fail_on is not None and not named):
        raise InvalidValue(
            f"--fail-on {fail_on}: one or more of {', '.join(known)} are needed, with commas",
            field="fail_on",
        )
    return named


def named_verdict(of: Comparison, args: Mapping[str, Any]) -> str:
    """What is told of a verdict that --fail-on names; empty for another."""
    if of.verdict.value not in _verdicts(args.get("fail_on")):
        return ""
    figure = of.why[0] if of.change_percent is None else f"{of.change_percent:+.1f} %"
    return f"round {of.b} against round {of.a} is {of.verdict.value}: {figure}"


# --- as text ---------------------------------------------------------------------------------


def _p_value(p_value: Optional[float]) -> str:
    if p_value is None:
        return NOTHING
    return "<0.0001" if p_value < 0.0001 else f"{p_value:.2g}"


CHANGES = (
    Column("OSD", "osd", "osd"),
    Column("HOST", "host", "word", 24),
    Column("VERDICT", "verdict", "word"),
    Column("CHANGE %", "change_percent", "signed"),
    Column("FROM %", lambda one: (one.interval_percent or (None,))[0], "signed"),
    Column("TO %", lambda one: (one.interval_percent or (None,))[-1], "signed"),
    Column("p", "p_value", _p_value),
)


def comparison_facts(of: Comparison) -> list[tuple[str, str]]:
    """The verdict in figures, and why, as pairs."""
    least, latency = of.least_percent, of.latency
    return [
        ("change", _percent(of)),
        ("counts", "" if least is None else f"{least:.1f} % and more"),
        ("p", "" if of.p_value is None else _p_value(of.p_value)),
        ("latency", f"{latency.verdict.value}: {_percent(latency)}" if latency else ""),
        ("osds", _counts_text(of.counts)),
        *[("because", why) for why in of.why],
    ]


def comparison_text(of: Comparison) -> str:
    """Text of ``round compare``: the verdict, why, and the OSDs with the worst change first."""
    text = f"round {of.b} against round {of.a}: {of.verdict.value}\n{facts(comparison_facts(of))}"
    return f"{text}{GAP}{table(CHANGES, of.per_osd)}" if of.per_osd else text


def _percent(of: Union[Comparison, Latency]) -> str:
    """A change, and between which it surely is; empty if it is not known."""
    if of.change_percent is None:
        return ""
    room = ""
    if of.interval_percent is not None:
        low, high = map(signed, of.interval_percent)
        room = f", between {low} and {high} % (95 % sure)"
    return f"{signed(of.change_percent)} %{room}"


def _counts_text(counts: Mapping[str, int]) -> str:
    """How many OSDs changed how; empty without OSDs."""
    return ", ".join(f"{count} {word}" for word, count in counts.items()) * any(counts.values())


_BASELINES = (
    Column("PROFILE", "round.profile", "word"),
    Column("ROUND", "round.id", "word"),
    Column("STARTED (UTC)", "round.started_at", "time"),
    Column(
        "MEDIAN",
        lambda one: figure_text(one.round.step.block_size, one.bytes_per_second, one.iops),
        "count",
    ),
    Column("SET (UTC)", "set_at", "time"),
    Column("LABEL", "round.label", "word", 12),
)


_POINTS = (
    Column("ROUND", "round", "word"),
    Column("STARTED (UTC)", "at", "time"),
    Column("MiB/s", "bytes_per_second", "rate"),
    Column("IOPS", "iops", "0"),
    Column("MEAN ms", "mean_latency", "ms"),
)


def history_text(of: History) -> str:
    """Text of a profile's history: where its level changed, and a row for each round."""
    spread, least = of.cv_percent, of.least_percent
    pairs = [
        ("spread", "" if spread is None else f"{spread:.1f} % from round to round (CV)"),
        ("counts", "" if least is None else f"{least:.1f} % and more, over 3 rounds"),
        ("baseline", "" if of.baseline is None else f"round {of.baseline}"),
        ("regression", of.regression.message if of.regression else ""),
        *[("change", _changed(change)) for change in of.changes],
        *[("left out", why) for why in of.left_out],
    ]
    rounds = plural(len(of.points), "round") if of.points else "no valid round yet"
    head = f"{of.profile}: {rounds}\n{facts(pairs)}".rstrip()
    return f"{head}{GAP}{table(_POINTS, of.points)}" if of.points else head


def _changed(change: ChangePoint) -> str:
    """Where a level changed, and what explains it."""
    reasons = "; ".join(map(str, change.explained_by))
    because = f", explained by {reasons}" if reasons else ""
    return f"{change.change_percent:+.1f} % from round {change.round} on{because}"


# --- published figures -----------------------------------------------------------------------


def _workload(of: Figure) -> str:
    return ", ".join(part for part in (of.workload, of.redundancy) if part)


def _value(of: Figure) -> str:
    value, unit = of.value, of.unit
    if unit == "B/s":
        return f"{size(value)}/s"
    if unit == "1/s":
        return f"{value:.0f} {'per core' if 'per_core' in of.metric else 'IOPS'}"
    return f"{value:g} {unit}"


_FIGURES = (
    Column("ID", "id", "word"),
    Column("WHAT", _workload, "word", _WORKLOAD),
    Column("OSDS", "osds", "0"),
    Column("FIGURE", _value, "count"),
)


def figures_text(found: Sequence[Figure]) -> str:
    """Text of ``reference ls``: a table for the figures of one hardware in one source."""
    blocks = [
        f"{filled(above)}\n{table(_FIGURES, list(rows), lambda one: [one.note])}"
        for above, rows in groupby(found, key=_above)
    ]
    return GAP.join(blocks)


def _above(of: Figure) -> str:
    release = f" (Ceph {of.ceph})" if of.ceph else ""
    return f"{of.hardware}{release}: {of.source}"


QUESTIONS = (
    Question(
        "profile history",
        profile_history,
        (Argument("name", cli=Use.NEEDED, rest=Use.NEEDED, rest_name="profile"),),
        history_text,
        rest="GET profile/history",
    ),
    Question(
        "round compare",
        compare,
        (Argument("fail_on", rest=Use.ABSENT),),
        comparison_text,
        fails=named_verdict,
        rest="GET round/compare",
        rows="per_osd",
    ),
    Question(
        "baseline set",
        set_baseline,
        text=lambda answer: (
            f"round {answer.round.id} is the baseline of {answer.round.profile} now"
        ),
        rest="POST baseline",
        writes=True,
    ),
    Question(
        "baseline ls",
        baselines,
        text=listing(
            _BASELINES,
            "no baselines yet: 'ceph perf-bench baseline set ID' makes a valid round one",
        ),
        rest="GET baseline",
    ),
    Question("reference ls", published, text=figures_text, rest="GET reference"),
)
