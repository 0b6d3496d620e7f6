"""The nouns as JSON: the public keys, in one place (INTERFACE: more may come, none is renamed)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Optional

from ..model.bench import READ, BenchLimits, Sample, Step
from ..model.frame import CLIENT_READ, CLIENT_WRITE, COMMIT, QUEUE
from ..model.imported import Imported
from ..model.json_fields import Json
from ..model.osd import Osd
from ..model.osd_snapshot import OsdSnapshot
from ..model.plan import Phase, Plan
from ..model.profile import Profile
from ..model.rados import CombinedRun, LoadPlan, LoadSample, Row
from ..model.round import OsdResult, Round, RoundLine
from . import text


def step(step_: Step) -> Json:
    """One bench call: its sizes in bytes, and whether it writes onto prefilled objects."""
    return {**asdict(step_), "prefilled": step_.prefilled}


def profile(profile_: Profile) -> Json:
    """A profile. The estimate is for one OSD, at most: the rate its limits assume."""
    limits = BenchLimits()
    times = profile_.repeats * profile_.parts
    worst = times * sum(limits.worst_seconds(step_) for step_ in profile_.steps)
    written = profile_.writings * sum(step_.bytes_written for step_ in profile_.steps)
    kept = sum(step_.prepared_bytes for step_ in profile_.steps if step_.operation == READ)
    return {
        "name": profile_.name,
        "kind": profile_.kind,
        "description": profile_.description,
        "repeats": profile_.repeats,
        "max_repeats": profile_.max_repeats,
        "max_cv_percent": profile_.max_cv_percent,
        "steps": [step(step_) for step_ in profile_.steps],
        "estimate": {
            "seconds": round(worst + profile_.rests * profile_.rest_seconds, 1),
            "bytes_per_osd": written + kept,
        },
    }


def plan(plan_: Plan, admission: Json, quiesce: Sequence[str]) -> Json:
    """The answer to a dry run. ``quiesce`` lists what would be changed in the cluster."""
    return {
        "profile": plan_.profile,
        "step": step(plan_.step),
        "phases": [planned_phase(phase) for phase in plan_.phases],
        "repeats": plan_.repeats,
        "max_repeats": plan_.most,
        "waves": [list(wave) for wave in plan_.waves],
        "targets": [f"osd.{osd}" for osd in plan_.osds],
        "samples": plan_.samples,
        "bytes": sum(plan_.bytes_by_osd(plan_.repeats).values()),
        "bytes_per_osd": plan_.bytes_per_osd,
        "most_bytes_per_osd": plan_.most_bytes_per_osd,
        "most_seconds": plan_.most_seconds,
        "seconds": plan_.seconds,
        "seconds_basis": plan_.basis,
        "notes": list(plan_.notes),
        "load": None if plan_.load is None else asdict(plan_.load),
        "quiesce": list(quiesce),
        "admission": admission,
    }


def planned_phase(phase: Phase) -> Json:
    """One phase of a plan; ``rest_seconds`` are those before it."""
    return {
        "name": phase.name,
        "part": phase.part,
        "rest_seconds": phase.rest_seconds,
        "step": step(phase.step),
        "waves": [list(wave) for wave in phase.waves],
    }


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
        "created_at": text.iso(line.created_at),
        "started_at": text.iso(line.started_at),
        "ended_at": text.iso(line.ended_at),
        "took_seconds": _took(line),
        "summary": dict(line.summary),
    }


def _took(line: RoundLine) -> Optional[float]:
    if line.started_at is None or line.ended_at is None:
        return None
    return round(line.ended_at - line.started_at, 3)


def round_whole(
    round_: Round,
    results: Sequence[OsdResult],
    samples: Sequence[Sample],
    osds: int,
    context: Sequence[Json] = (),
    phases: Sequence[Json] = (),
) -> Json:
    """A round with a page of its OSDs and their samples; ``osds`` is how many it has in all.

    ``context`` is what its figures are beside, by medium (``report.reference``), ``phases`` its
    parts where it has several (``report.parts``). See ``clients`` for a round of clients.
    """
    return {
        **round_line(round_.line),
        "reasons": list(round_.reasons),
        "conclusions": [asdict(conclusion) for conclusion in round_.conclusions],
        "resumed": round_.resumed,
        "forced": list(round_.environment.get("forced", ())),
        "repeats": round_.plan.repeats,
        "max_repeats": round_.plan.most,
        "step": step(round_.plan.step),
        "waves": [list(wave) for wave in round_.plan.waves],
        "phases": list(phases),
        "environment": dict(round_.environment),
        "context": list(context),
        "osds": osds,
        "per_osd": [osd_result(result) for result in results],
        "samples": [sample(sample_) for sample_ in samples],
        "load": None if round_.plan.load is None else asdict(round_.plan.load),
        "imported": _imported(round_.plan.imported),
        **clients(()),
        "saturation": None,
    }


def _imported(found: Optional[Imported]) -> Optional[Json]:
    """What another tool reported, job by job; None for rounds of our own."""
    if found is None:
        return None
    jobs = [asdict(job) for job in found.jobs]
    return {"tool": found.tool, "version": found.version, "jobs": jobs}


def clients(repeats: Sequence[LoadSample]) -> Json:
    """What a round of clients has beside the rest: each client of each repeat."""
    return {
        "clients": [client for sample_ in repeats for client in _clients(sample_)],
        "unmeasured": [
            {"repeat": sample_.repeat, "why": sample_.why} for sample_ in repeats if sample_.why
        ],
    }


def live(
    round_id: int, phase: Optional[str], repeat: Optional[int], rows: Mapping[int, Sequence[Row]]
) -> Json:
    """The clients of the repeat that runs, with their seconds so far as ``clients`` has them."""
    return {
        "id": round_id,
        "phase": phase,
        "repeat": repeat,
        "clients": [{"client": client, "series": _series(rows[client])} for client in sorted(rows)],
    }


def _series(rows: Sequence[Row]) -> list[list[float]]:
    """Of each second what had been finished by then, and the mean latency."""
    return [[row.second, row.finished, row.mean_latency] for row in list(rows)]


def _clients(sample_: LoadSample) -> list[Json]:
    """Each client of a repeat, with its seconds."""
    return [
        {
            "repeat": sample_.repeat,
            "client": number,
            "worker": "" if run.worker is None else run.worker.id,
            "started_at": text.iso(run.started_at),
            "seconds": run.seconds,
            "operations": run.operations,
            "bytes_per_second": run.bytes_per_second,
            "mean_latency": run.mean_latency,
            "min_latency": run.min_latency,
            "max_latency": run.max_latency,
            "series": _series(run.rows),
        }
        for number, run in enumerate(sample_.runs)
    ]


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
    """A sample; figures that were not measured are null, ``why`` says what happened."""
    return {
        "target": f"osd.{sample_.osd}",
        "phase": sample_.phase,
        "repeat": sample_.repeat,
        "wave": sample_.wave,
        "started_at": text.iso(sample_.started_at),
        "call_seconds": sample_.call_seconds,
        "bytes": sample_.bytes_written,
        "block_size": sample_.block_size,
        "seconds": sample_.seconds,
        "bytes_per_second": sample_.bytes_per_second,
        "iops": sample_.iops,
        "valid": sample_.valid,
        "why": sample_.why,
    }


def load_sample(load: LoadPlan, sample_: LoadSample, done: Optional[CombinedRun], why: str) -> Json:
    """A repeat of a round of clients, all of them together while all ran, as ``sample`` has it.

    ``done`` is None where nothing was measured, and ``why`` says why. ``bytes`` are of that time
    alone; ``clients`` has the whole run of each.
    """
    under = sample_.load or load.most
    return {
        "target": f"pool.{load.pool}",
        "phase": load.operation,
        "repeat": sample_.repeat,
        "wave": 1,
        "started_at": text.iso(sample_.started_at),
        "call_seconds": None if done is None else done.last_done,
        "bytes": 0 if done is None else round(done.bytes_per_second * done.seconds),
        "block_size": load.size,
        "seconds": None if done is None else done.seconds,
        "bytes_per_second": None if done is None else done.bytes_per_second,
        "iops": None if done is None else done.iops,
        "latency_ms": None if done is None else 1000 * done.mean_latency,
        "valid": done is not None,
        "why": why or None,
        "clients": under.clients,
        "threads": under.threads,
    }


def last_bench(line: RoundLine, result: OsdResult) -> Json:
    """What one round found of one OSD."""
    return {
        "round": line.id,
        "profile": line.profile,
        "verdict": line.verdict.value if line.verdict else None,
        "at": text.iso(line.ended_at),
        "bytes_per_second": result.median_bytes_per_second,
        "iops": result.median_iops,
        "cv_percent": result.cv_percent,
        "robust_z": result.robust_z,
        "percent_of_peers": result.percent_of_peers,
    }


def osd(osd_: Osd, bench: Optional[Json], sight: OsdSnapshot) -> Json:
    """An OSD in a list. What nobody has data of is null; ``robust_z`` is positive for slower."""
    verdict = sight.verdict(osd_.id)
    return {
        "osd": osd_.id,
        "host": osd_.host,
        "class": osd_.device_class,
        "up": osd_.up,
        "in": osd_.in_cluster,
        "location": dict(osd_.location),
        "enclosure": osd_.location.get("enclosure"),
        "device": osd_.device,
        "model": osd_.model,
        "commit_ms": sight.latency_ms(osd_.id, COMMIT),
        "apply_ms": sight.apply_ms(osd_.id),
        "read_ms": sight.latency_ms(osd_.id, CLIENT_READ),
        "write_ms": sight.latency_ms(osd_.id, CLIENT_WRITE),
        "queue_ms": sight.latency_ms(osd_.id, QUEUE),
        "ratio": _rounded(verdict.ratio),
        "robust_z": _rounded(verdict.robust_z),
        "risk": _rounded(verdict.risk),
        "state": verdict.state.value,
        "since": text.iso(verdict.since),
        "last_bench": bench,
    }


def _rounded(value: Optional[float]) -> Optional[float]:
    return None if value is None else round(value, 3)
