"""The table of the doctor's checks, made from the checks themselves."""

from __future__ import annotations

from perf_bench.doctor.checks import CHECKS


def page() -> str:
    """A row for each check: what is wrong, how bad that is, and where it is published."""
    rows = ["| code | what is wrong | severity | source |", "| --- | --- | --- | --- |"]
    for one in sorted(CHECKS, key=lambda check: check.code):
        wrong = (one.find.__doc__ or "").split("\n\n")[0].strip().replace("``", "`")
        severity = f"{one.severity.value}, in health" if one.risk else one.severity.value
        rows.append(f"| `{one.code}` | {wrong} | {severity} | {one.source} |")
    return "\n".join(rows) + "\n"
