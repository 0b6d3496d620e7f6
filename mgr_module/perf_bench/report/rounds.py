"""Rounds as JSON and as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Optional

from ..answers.paging import Fields
from ..answers.text import (
    GAP,
    NOTHING,
    clip,
    duration,
    facts,
    iso,
    minute,
    number,
    rate,
    rest_of_osds,
    short_time,
    table,
)
from ..model.bench import Sample
from ..model.json_fields import Json
from ..model.phrases import plural
from ..model.plan import Imported
from ..model.round import OsdResult, Round, RoundLine
from . import imported, loads
from .phases import parts_table
from .profiles import step, step_text
from .quiesce import outcome_text

# Of reasons in the environment, for the guard; earlier versions kept whole sentences.
_CODES = ("forced_codes", "forced_said")


def round_line(line: RoundLine) -> Json:
    """A round in a list."""
    return {
        "id": line.id,
        "profile": line.profile,
        "kind": line.kind,
        "state": line.state.value,
        "verdict": line.verdict.value if line.verdict else None,
        "label": line.label,
        "block_size": line.step.block_size,
        "created_at": iso(line.created_at),
        "started_at": iso(line.started_at),
        "ended_at": iso(line.ended_at),
        "took_seconds": _took(line),
        "summary": dict(line.summary),
        "unreadable": line.unreadable,
    }


def _took(line: RoundLine) -> Optional[float]:
    if line.started_at is None or line.ended_at is None:
        return None
    return round(line.ended_at - line.started_at, 3)


# What a list of rounds is searched and sorted by where the database does not do it; the same keys
# as ``ROUND_SORTS``.
LINE_FIELDS: Fields[RoundLine] = {
    "id": lambda line: line.id,
    "profile": lambda line: line.profile,
    "kind": lambda line: line.kind,
    "state": lambda line: line.state.value,
    "verdict": lambda line: line.verdict.value if line.verdict else None,
    "label": lambda line: line.label,
    "created_at": lambda line: line.created_at,
    "started_at": lambda line: line.started_at,
    "ended_at": lambda line: line.ended_at,
    "took_seconds": _took,
}


def round_whole(
    round_: Round,
    results: Sequence[OsdResult],
    samples: Sequence[Sample],
    osds: int,
    context: Sequence[Json] = (),
    phases: Sequence[Json] = (),
) -> Json:
    """A round with a page of its OSDs and their samples; ``osds`` counts all of its OSDs.

    ``context`` is what its figures are beside, by medium (``report.reference``), ``phases`` its
    parts where it has several (``report.parts``). See ``clients`` for a round of clients.
    """
    return {
        **round_line(round_.line),
        "reasons": list(round_.reasons),
        "forced": list(round_.environment.get("forced", ())),
        "conclusions": [asdict(one) for one in round_.conclusions],
        "resumed": round_.resumed,
        "tolerated": list(round_.environment.get("tolerated", ())),
        "repeats": round_.plan.repeats,
        "max_repeats": round_.plan.most,
        "step": step(round_.plan.step),
        "waves": [list(wave) for wave in round_.plan.waves],
        "phases": list(phases),
        "environment": {
            key: value for key, value in round_.environment.items() if key not in _CODES
        },
        "context": list(context),
        "osds": osds,
        "per_osd": [osd_result(result) for result in results],
        "samples": [sample(sample_) for sample_ in samples],
        "load": None if round_.plan.load is None else asdict(round_.plan.load),
        "imported": _imported(round_.plan.imported),
        **loads.clients(()),
        "saturation": None,
    }


def _imported(found: Optional[Imported]) -> Optional[Json]:
    """The jobs that another tool reported; None for rounds that perf_bench measured."""
    if found is None:
        return None
    jobs = [asdict(job) for job in found.jobs]
    return {"tool": found.tool, "version": found.version, "jobs": jobs}


def osd_result(result: OsdResult) -> Json:
    """One OSD of a round."""
    return {
        "osd": result.osd,
        "host": result.host,
        "class": result.device_class,
        "model": result.model,
        "samples": result.samples,
        "seconds": result.seconds,
        "median_call_seconds": result.median_call_seconds,
        "median_bytes_per_second": result.median_bytes_per_second,
        "median_iops": result.median_iops,
        "cv_percent": result.cv_percent,
        "robust_z": result.robust_z,
        "percent_of_peers": result.percent_of_peers,
    }


def sample(sample_: Sample) -> Json:
    """A sample. Figures that were not measured are null; ``why`` gives the reason."""
    return {
        "target": f"osd.{sample_.osd}",
        "phase": sample_.phase,
        "repeat": sample_.repeat,
        "wave": sample_.wave,
        "started_at": iso(sample_.started_at),
        "call_seconds": sample_.call_seconds,
        "bytes": sample_.bytes_written,
        "block_size": sample_.block_size,
        "seconds": sample_.seconds,
        "bytes_per_second": sample_.bytes_per_second,
        "iops": sample_.iops,
        "valid": sample_.valid,
        "why": sample_.why,
    }


# --- as text ---------------------------------------------------------------------------------


def rounds_text(shapes: Sequence[Json]) -> str:
    """Text of ``round ls``."""
    if not shapes:
        return "no rounds yet: 'ceph perf-bench round start osd-throughput' makes one"
    rows = [
        [
            str(s["id"]),
            s["profile"],
            # The verdict of an ended round, the state of another.
            "unreadable" if s["unreadable"] else s["verdict"] or s["state"],
            minute(s["started_at"]),
            number(s["summary"].get("osds"), 0),
            _figure(s),
            clip(s["label"], 10),
        ]
        for s in shapes
    ]
    head = ["ID", "PROFILE", "VERDICT", "STARTED (UTC)", "OSDS", "MEDIAN", "LABEL"]
    return table(head, rows)


def _figure(shape: Json) -> str:
    """The median that matters: bandwidth for large writes, operations for small ones."""
    summary = shape["summary"]
    if summary.get("median_iops") is None:
        return NOTHING
    if shape["block_size"] >= 1 << 20:
        return f"{rate(summary['median_bytes_per_second'])} MiB/s"
    return f"{number(summary['median_iops'], 0)} IOPS"


def round_text(shape: Json) -> str:
    """Text of ``round show``."""
    took = "" if shape["took_seconds"] is None else f", took {duration(shape['took_seconds'])}"
    repeats = shape["summary"].get("repeats", shape["repeats"])
    load = shape["load"]
    waves, phases = plural(len(shape["waves"]), "wave"), plural(len(shape["phases"]), "phase")
    parts = f"{phases if shape['phases'] else waves} x {plural(repeats, 'repeat')}"
    measured = f"{plural(shape['osds'], 'OSD')} in {parts}"
    if load is not None:
        measured = _load_measured(shape)
    if shape["imported"] is not None:
        return _imported_text(shape)
    pairs = [
        ("label", shape["label"]),
        ("started", f"{short_time(shape['started_at'])} UTC{took}" if shape["started_at"] else ""),
        ("measured", measured),
        ("sample", step_text(shape["step"]) if load is None else loads.what(load)),
        ("cluster", _context(shape["environment"])),
        ("put back", _settings(shape["environment"])),
        ("carried on", f"{shape['resumed']} x after its mgr stopped" if shape["resumed"] else ""),
        *[("forced", f"although {reason}") for reason in shape["forced"]],
        *[("tolerated", check) for check in shape["tolerated"]],
        *[("because", reason) for reason in shape["reasons"]],
        *[(c["code"], c["message"]) for c in shape["conclusions"]],
        *[("beside", beside["line"]) for beside in shape["context"]],
    ]
    head = f"round {shape['id']}: {shape['profile']}, {shape['state']}"
    if shape["verdict"]:
        head += f", {shape['verdict']}"
    if load is not None:
        return f"{head}\n{facts(pairs)}\n{loads.figures(shape)}"
    return f"{head}\n{facts(pairs)}{parts_table(shape['phases'])}{GAP}{_per_osd(shape['per_osd'])}"


def rest_of_round(shape: Json, offset: int) -> str:
    """What ``round show`` prints below a page of OSDs that begins after so many."""
    if shape["load"] is not None or shape["imported"] is not None:
        return ""  # it has no table of OSDs
    return rest_of_osds(offset, len(shape["per_osd"]), shape["osds"])


def _settings(environment: Json) -> str:
    """The outcome of restoring settings; empty for rounds of versions that did not record it."""
    found = environment.get("settings")
    return "" if found is None else outcome_text(found)


def _imported_text(shape: Json) -> str:
    pairs = [
        ("label", shape["label"]),
        ("started", f"{short_time(shape['started_at'])} UTC"),
        ("measured", imported.what(shape["imported"])),
        *[("because", reason) for reason in shape["reasons"]],
    ]
    head = f"round {shape['id']}: {shape['profile']}, {shape['state']}, {shape['verdict']}"
    return f"{head}\n{facts(pairs)}{GAP}{imported.jobs(shape['imported'])}"


def _load_measured(shape: Json) -> str:
    found = shape["saturation"]
    if found is not None:
        return f"{plural(len(found['runs']), 'run')}, at most {found['most_runs']}"
    repeats = shape["summary"].get("repeats", shape["repeats"])
    return f"{repeats} of {plural(shape['repeats'], 'repeat')}"


def _context(environment: Json) -> str:
    """The recorded state of the cluster, and the setup's hash."""
    fill, up = environment.get("fill_percent"), environment.get("osds_up")
    parts = [
        environment.get("release", ""),
        environment.get("health", ""),
        "" if up is None else f"{up} of {plural(environment.get('osds', up), 'OSD')} up",
        "" if fill is None else f"{number(fill, 0)} % full",
        f"setup {environment['hash']}" if "hash" in environment else "",
    ]
    return ", ".join(part for part in parts if part)


def _per_osd(shapes: Sequence[Json]) -> str:
    head = ["OSD", "HOST", "CLASS", "MiB/s", "IOPS", "CV %", "z", "% OF PEERS", "SAMPLES"]
    rows = [
        [
            f"osd.{s['osd']}",
            clip(s["host"], 20),
            s["class"] or NOTHING,
            rate(s["median_bytes_per_second"]),
            number(s["median_iops"], 0),
            number(s["cv_percent"]),
            number(s["robust_z"]),
            number(s["percent_of_peers"], 0),
            str(s["samples"]),
        ]
        for s in shapes
    ]
    return table(head, rows)
