"""The shapes as text for a terminal of 80 columns, units shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..model.json_fields import Json
from ..model.phrases import plural
from . import imported, loads
from .phases import parts_table
from .quiesce import outcome_text
from .schedules import admission_facts
from .text import (
    GAP,
    NOTHING,
    clip,
    clip_front,
    duration,
    facts,
    minute,
    number,
    rate,
    short_time,
    size,
    table,
)

_DOES = {"write": "writes", "read": "reads"}


def status(shape: Json) -> str:
    """Print ``status``."""
    active, watch, store = shape["active_round"], shape["watch"], shape["store"]
    if active:
        done = f"{100 * active['progress']:.0f} %"
        eta = "" if active["eta_seconds"] is None else f", {duration(active['eta_seconds'])} left"
        running = f"{active['id']} ({active['profile']}): {active['phase']}, {done}{eta}"
    else:
        running = "none"
    stored = store["error"] or f"{plural(store['rounds'], 'round')} in {store['backend']}"
    if not (store["ready"] or store["error"]):
        stored += ", not read yet"
    pairs = [
        ("round", running),
        ("findings", _open_findings(shape["findings"])),
        ("watch", _watch(watch)),
        ("store", stored),
    ]
    return f"perf_bench {shape['version']} on {shape['release']}\n{facts(pairs)}"


def _open_findings(counts: Mapping[str, int]) -> str:
    shown = ", ".join(f"{count} {severity}" for severity, count in counts.items() if count)
    return f"{shown}: 'ceph perf-bench finding ls'" if shown else "none"


def _watch(shape: Json) -> str:
    if not shape["on"]:
        return f"off ({plural(shape['osds'], 'OSD')})"
    if shape["last_tick_at"] is None:
        return f"{plural(shape['osds'], 'OSD')}, about to begin"
    trouble = f", but: {shape['problem']}" if shape["problem"] else ""
    looks = f"every {shape['tick_seconds']:g} s, last {short_time(shape['last_tick_at'])} UTC"
    return f"{plural(shape['osds'], 'OSD')} {looks}{trouble}"


def profiles(shapes: Sequence[Json]) -> str:
    """Print ``profile ls``."""
    rows = [
        [s["name"], str(s["repeats"]), size(s["estimate"]["bytes_per_osd"]), s["description"]]
        for s in shapes
    ]
    head = ["PROFILE", "REPEATS", "WRITES/OSD", "WHAT"]
    return table(head, rows)


def profile(shape: Json) -> str:
    """Print ``profile show``."""
    estimate = shape["estimate"]
    if shape["kind"] == "rados":
        return _load_profile(shape)
    pairs = [
        ("what", shape["description"]),
        ("repeats", _repeats(shape)),
        ("noisy over", f"{shape['max_cv_percent']:g} % (median CV)"),
        *[("step", step(s)) for s in shape["steps"]],
        ("writes", f"{size(estimate['bytes_per_osd'])} per OSD"),
        ("takes", f"at most {duration(estimate['seconds'])} per OSD, as osd_bench limits assume"),
    ]
    return f"{shape['name']} ({shape['kind']})\n{facts(pairs)}"


def _load_profile(shape: Json) -> str:
    written = size(shape["estimate"]["bytes_per_osd"])
    pairs = [
        ("what", shape["description"]),
        ("repeats", _repeats(shape)),
        ("noisy over", f"{shape['max_cv_percent']:g} % (CV between repeats)"),
        ("writes", f"{written} per OSD in 30 s a repeat, as fast as osd_bench limits assume"),
        ("takes", "--seconds a repeat, and as much again to fill the pool before reads"),
    ]
    return f"{shape['name']} ({shape['kind']})\n{facts(pairs)}"


def step(shape: Json) -> str:
    """One bench call in words."""
    if shape["operation"] == "read":
        objects = f"{shape['object_count']} objects of {size(shape['object_size'])}"
        return f"{size(shape['total_bytes'])} read from {objects} on each OSD"
    written = f"{size(shape['total_bytes'])} in {size(shape['block_size'])} writes"
    if not shape["prefilled"]:
        return f"{written} onto fresh objects"
    objects = f"{shape['object_count']} prefilled objects of {size(shape['object_size'])}"
    return f"{written} onto {objects}"


def plan(shape: Json) -> str:
    """Print the dry run of a round."""
    admission, load = shape["admission"], shape["load"]
    pairs = [
        ("osds", _osds(shape) if load is None else f"{len(shape['targets'])} at once"),
        ("repeats", _repeats(shape) if load is None or not load["saturates"] else ""),
        *[("sample", step(one)) for one in _steps(shape["phases"]) if load is None],
        *([] if load is None else [("sample", loads.what(load))]),
        ("writes", _writes(shape)),
        ("takes", f"about {duration(shape['seconds'])} (from {shape['seconds_basis']})"),
        ("at most", _at_most(shape)),
        *[("note", note) for note in shape["notes"]],
        ("changes", ", ".join(shape["quiesce"]) or "nothing in the cluster's settings"),
        *admission_facts(admission),
    ]
    if len(shape["phases"]) > 1:
        head = f"{shape['profile']} (dry run, nothing was started)"
        return f"{head}\n{facts(pairs)}{GAP}{_phases(shape['phases'])}"
    rows = [
        [str(number_), _wave(wave)] for number_, wave in enumerate(shape["waves"][:20], start=1)
    ]
    more = len(shape["waves"]) - len(rows)
    tail = f"\n… and {more} more waves" if more else ""
    head = f"{shape['profile']} (dry run, nothing was started)"
    if load is not None:
        return f"{head}\n{facts(pairs)}"
    return f"{head}\n{facts(pairs)}{GAP}{table(['WAVE', 'OSD'], rows)}{tail}"


def _steps(phases: Sequence[Json]) -> list[Json]:
    """The steps of all phases, each once, in their order."""
    found: list[Json] = []
    for phase in phases:
        if phase["step"] not in found:
            found.append(phase["step"])
    return found


def _osds(shape: Json) -> str:
    count, phases = len(shape["targets"]), _by_part(shape["phases"])
    if len(phases) == 1:
        return f"{count} in {plural(len(shape['waves']), 'wave')}"
    return f"{count} in {plural(len(phases), 'phase')}"


def _writes(shape: Json) -> str:
    most = "at most " if len(shape["phases"]) > 1 else ""
    return f"{most}{size(shape['bytes_per_osd'])} per OSD, {size(shape['bytes'])} in all"


def _by_part(shapes: Sequence[Json]) -> Mapping[str, Sequence[Json]]:
    """As people count phases: what is written and what is read after the same rest is one."""
    found: dict[str, list[Json]] = {}
    for shape in shapes:
        found.setdefault(shape["part"] or shape["name"], []).append(shape)
    return found


def _phases(shapes: Sequence[Json]) -> str:
    rows = [
        [
            name,
            duration(first["rest_seconds"]) if first["rest_seconds"] else NOTHING,
            " + ".join(_wave(wave) for wave in first["waves"][:4])
            + (" + …" if len(first["waves"]) > 4 else ""),
            ", ".join(_DOES[one["step"]["operation"]] for one in (first, *others)),
        ]
        for name, (first, *others) in _by_part(shapes).items()
    ]
    return table(["PHASE", "REST BEFORE", "OSD", "DOES"], rows)


def _repeats(shape: Json) -> str:
    least, most = shape["repeats"], shape["max_repeats"]
    return str(least) if most <= least else f"{least} to {most}, until figures are sure"


def _at_most(shape: Json) -> str:
    """What a plan comes to if all repeats are needed that may be."""
    if shape["max_repeats"] <= shape["repeats"]:
        return ""
    return f"{size(shape['most_bytes_per_osd'])} per OSD, {duration(shape['most_seconds'])}"


def _wave(osds: Sequence[int]) -> str:
    shown = ",".join(str(osd) for osd in osds[:12])
    return shown + (f",… ({len(osds)} OSDs)" if len(osds) > 12 else "")


def rounds(shapes: Sequence[Json]) -> str:
    """Print ``round ls``."""
    if not shapes:
        return "no rounds yet: 'ceph perf-bench round start osd-throughput' makes one"
    rows = [
        [
            str(s["id"]),
            s["profile"],
            # A round that has ended is told by its verdict, another by its state.
            s["verdict"] or s["state"],
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
    """The figure a round is made for: bandwidth of large writes, operations of small ones."""
    summary = shape["summary"]
    if summary.get("median_iops") is None:
        return NOTHING
    if shape["block_size"] >= 1 << 20:
        return f"{rate(summary['median_bytes_per_second'])} MiB/s"
    return f"{number(summary['median_iops'], 0)} IOPS"


def round_(shape: Json) -> str:
    """Print ``round show``."""
    took = "" if shape["took_seconds"] is None else f", took {duration(shape['took_seconds'])}"
    repeats = shape["summary"].get("repeats", shape["repeats"])
    load = shape["load"]
    waves, phases = plural(len(shape["waves"]), "wave"), plural(len(shape["phases"]), "phase")
    parts = f"{phases if shape['phases'] else waves} x {plural(repeats, 'repeat')}"
    measured = f"{plural(shape['osds'], 'OSD')} in {parts}"
    if load is not None:
        measured = _load_measured(shape)
    if shape["imported"] is not None:
        return _imported(shape)
    pairs = [
        ("label", shape["label"]),
        ("started", f"{short_time(shape['started_at'])} UTC{took}" if shape["started_at"] else ""),
        ("measured", measured),
        ("sample", step(shape["step"]) if load is None else loads.what(load)),
        ("cluster", _context(shape["environment"])),
        ("put back", _settings(shape["environment"])),
        ("carried on", f"{shape['resumed']} x after its mgr stopped" if shape["resumed"] else ""),
        *[("forced", f"although {reason}") for reason in shape["forced"]],
        *[("because", reason) for reason in shape["reasons"]],
        *[(c["code"], c["message"]) for c in shape["conclusions"]],
        *[("beside", beside["line"]) for beside in shape["context"]],
    ]
    head = f"round {shape['id']}: {shape['profile']}, {shape['state']}"
    if shape["verdict"]:
        head += f", {shape['verdict']}"
    if load is not None:
        return f"{head}\n{facts(pairs)}\n{loads.figures(shape)}"
    text = f"{head}\n{facts(pairs)}{parts_table(shape['phases'])}{GAP}{_per_osd(shape['per_osd'])}"
    more = shape["osds"] - len(shape["per_osd"])
    return text + (f"\n… {plural(more, 'more OSD')}: --limit, --offset" if more > 0 else "")


def _settings(environment: Json) -> str:
    """What became of the settings that the round had changed; rounds of before do not say."""
    found = environment.get("settings")
    return "" if found is None else outcome_text(found)


def _imported(shape: Json) -> str:
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
    """What was true of the cluster, as far as it is known, and the setup's hash."""
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


def osds(shapes: Sequence[Json]) -> str:
    """Print ``osd ls``: what the watch sees now, then the newest bench against its peers."""
    rows: list[list[str]] = []
    for s in shapes:
        bench = s["last_bench"] or {}
        rows.append(
            [
                f"osd.{s['osd']}",
                clip_front(s["host"].partition(".")[0], 10),
                s["class"] or NOTHING,
                s["state"] if s["up"] else "down",
                number(s["commit_ms"]),
                number(s["read_ms"]),
                number(s["ratio"], 2),
                rate(bench.get("bytes_per_second")),
                number(bench.get("percent_of_peers"), 0),
            ]
        )
    head = ["OSD", "HOST", "CLASS", "STATE", "COMMIT ms", "READ ms", "RATIO", "MiB/s", "BENCH %"]
    return table(head, rows)


def _latencies(shape: Json) -> str:
    names = ("commit", "read", "write", "queue")
    known = [(name, shape[f"{name}_ms"]) for name in names if shape[f"{name}_ms"] is not None]
    return ", ".join(f"{name} {number(value, 2)} ms" for name, value in known)


def cohorts(shapes: Sequence[Json]) -> str:
    """Print ``cohort ls``."""
    if not shapes:
        return "no cohorts yet: the watch has not seen the OSDs long enough"
    rows = [
        [
            clip(s["name"], 40),
            str(s["members"]),
            str(s["judged"]),
            s["channel"] or NOTHING,
            number(s["minimum_detectable_ratio"], 2),
        ]
        for s in shapes
    ]
    return table(["COHORT", "OSDS", "JUDGED", "CHANNEL", "SEEN FROM (x PEERS)"], rows)


def osd(shape: Json) -> str:
    """Print ``osd show``."""
    where = " ".join(f"{kind}={name}" for kind, name in shape["location"].items())
    up = ("up" if shape["up"] else "down") + (", in" if shape["in"] else ", out")
    pairs = [
        ("state", f"{shape['state']}, {up}"),
        ("host", shape["host"]),
        ("class", shape["class"] or NOTHING),
        ("device", " ".join(part for part in (shape["device"], shape["model"]) if part)),
        ("crush", where),
        ("latency", _latencies(shape)),
        *[("finding", f"{f['id']} ({f['state']}): {f['message']}") for f in shape["findings"][:5]],
        ("explain", shape["explain"]),
    ]
    rows = [
        [
            str(h["round"]),
            h["profile"],
            h["verdict"] or NOTHING,
            minute(h["at"]),
            rate(h["bytes_per_second"]),
            number(h["iops"], 0),
            number(h["cv_percent"]),
            number(h["percent_of_peers"], 0),
        ]
        for h in shape["history"]
    ]
    head = ["ROUND", "PROFILE", "VERDICT", "ENDED (UTC)", "MiB/s", "IOPS", "CV %", "% PEERS"]
    listed = table(head, rows) if rows else "no round has measured it yet"
    return f"osd.{shape['osd']}\n{facts(pairs)}{GAP}{listed}"
