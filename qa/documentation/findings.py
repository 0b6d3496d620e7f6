"""What is written into the docs from the table of finding kinds: alert rules, and a page.

`tests/monitoring/test_documents.py` compares both with the files, and writes these anew when
WRITE_GOLDEN is set.
"""

from __future__ import annotations

import json
import re

from documentation.causes import CAUSES
from perf_bench.model.finding_kinds import KINDS, FindingKind, steps_in

# The page of health checks as it is built, below the address that users give for the docs.
HEALTH_CHECKS = "health-checks.html"
SERIES = "ceph_perf_bench_finding_first_seen_timestamp_seconds"
_BEGIN, _END = "  - name: ceph-perf-bench-findings\n", "  - name: ceph-perf-bench-module\n"
# Of alerts about kinds that this version does not have, or of any kind: Prometheus fills it in.
_ANY = "{{ $labels.code | toLower }}"


def alert_rules(document: str) -> str:
    """The file of alert rules with its group of findings made from the table."""
    before, rest = document.split(_BEGIN)
    _, after = rest.split(_END)
    rules = [_rule(kind) for kind in KINDS]
    return f"{before}{_BEGIN}    rules:\n{''.join([*rules, _others(), _errors()])}{_END}{after}"


def _rule(kind: FindingKind) -> str:
    return _alert(
        kind.alert,
        f'max by (kind, target) ({SERIES}{{code="{kind.code}", severity="warning"}}) > 0',
        "warning",
        f"{kind.title}: {{{{ $labels.kind }}}} {{{{ $labels.target }}}}",
        f"{kind.meaning} First seen {{{{ $value | humanizeTimestamp }}}}. {kind.action}",
        kind.code.lower(),
    )


def _others() -> str:
    """For kinds that a newer module has."""
    known = "|".join(kind.code for kind in KINDS)
    return _alert(
        "CephPerfBenchFinding",
        f'max by (code, kind, target) ({SERIES}{{code!~"{known}", severity="warning"}}) > 0',
        "warning",
        "{{ $labels.code }}: {{ $labels.kind }} {{ $labels.target }}",
        "Found by perf_bench, first seen {{ $value | humanizeTimestamp }}. "
        "'ceph perf-bench finding ls' has the figures.",
        _ANY,
    )


def _errors() -> str:
    return _alert(
        "CephPerfBenchErrorFinding",
        f'max by (code, kind, target) ({SERIES}{{severity="error"}}) > 0',
        "critical",
        "{{ $labels.code }}: {{ $labels.kind }} {{ $labels.target }}",
        "Found by perf_bench as an error, first seen {{ $value | humanizeTimestamp }}. "
        "'ceph perf-bench finding ls' has the figures.",
        _ANY,
    )


def _alert(
    name: str, expression: str, severity: str, summary: str, description: str, anchor: str
) -> str:
    return (
        f"      - alert: {name}\n"
        f"        expr: {expression}\n"
        "        labels:\n"
        f"          severity: {severity}\n"
        "          type: ceph_perf_bench\n"
        "        annotations:\n"
        f"          summary: {json.dumps(summary)}\n"
        f"          description: {json.dumps(description)}\n"
        f"          runbook_url: {json.dumps(f'{HEALTH_CHECKS}#{anchor}')}\n"
        "\n"
    )


def health_checks() -> str:
    """The page of health checks, as Markdown."""
    head = (
        "# Health checks\n\n"
        "Made from `mgr_module/perf_bench/model/finding_kinds.py`; do not edit.\n\n"
        "Each check stands for findings of one kind: `ceph perf-bench finding ls` lists them, "
        "`ceph perf-bench finding show ID` has the evidence, "
        "`ceph perf-bench finding mute ID 1d` leaves one out of health for a time.\n\n"
        "`ceph perf-bench finding ack ID 'disk ordered'` notes what is known or done about one: "
        "the text, when, and who (the user of the dashboard, or `--by NAME`; Ceph does not tell a "
        "module whose key a command came with). An acknowledged finding stays open and keeps its "
        "health check; a muted one is left out of health for its time. Both survive the mgr, and a "
        "finding that closes and is back within a day has them still, unless its OSD was made anew "
        "since, as with a new drive. "
        "`finding ack ID --remove` removes the note.\n"
    )
    return "\n".join([head, *(_section(kind) for kind in KINDS)])


def _section(kind: FindingKind) -> str:
    off = "also while the watch is off" if kind.while_off else "while the watch is on"
    return (
        f"## {kind.code}\n\n"
        f"**Meaning.** {kind.title}. {kind.meaning}\n\n"
        f"**Usual causes.** {CAUSES[kind.code]}\n\n"
        f"**What to do.** {kind.action}\n\n"
        f"{_steps('Check', kind.check)}"
        f"{_steps('Relieve now', kind.relieve)}"
        f"{_steps('Stop or replace safely', kind.replace)}"
        f"Worst severity: {kind.severity.value}. Looked for {off}. "
        f"Option: `{kind.switch}`. Alert: `{kind.alert}`.\n"
    )


def _steps(title: str, steps: str) -> str:
    """What is said instead, if a name is not known, is left out."""
    if not steps:
        return ""
    lines = "".join(f"- {_named(step.partition(' ELSE ')[0])}\n" for step in steps_in(steps))
    return f"{title}:\n\n{lines}\n"


def _named(step: str) -> str:
    """The step with OSD for {osd}, and HOST for {host}."""
    step = step.replace(" `", ": `")
    return re.sub(r"{(\w+)}", lambda name: name[1].upper().replace("_", "-"), step)
