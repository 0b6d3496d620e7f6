"""Say what a file is that cannot become a round, and what makes one that can."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from ...errors import InvalidValue
from ...model.json_fields import not_json

_FLAGS = {"fio": "--output-format=json", "elbencho": "--jsonfile", "warp": "analyze --json"}
# The end of the year 9999: no file is of a later one, but a broken one may say so.
_LATEST = 253402300799.0
# Beginning of a line, what the file is, and the tool that wrote it.
_TEXTS = (
    (r"\d;fio-\d", "terse text of fio (--output-format=terse)", "fio"),
    (r".{1,200}: \(groupid=\d+, jobs=\d+\)", "the text of fio (--output-format=normal)", "fio"),
    (r"\d+, \d+, [0-2], \d+", "a log of fio (as --write_bw_log writes)", "fio"),
    (r"\[global\]", "a job file of fio", "fio"),
    (r"\ufeff?ISO date,", "the CSV of elbencho (--csvfile or --livecsv)", "elbencho"),
    (r"OPERATION +RESULT TYPE", "the text of elbencho (--resfile)", "elbencho"),
    (r"Total time run:", "the text of rados bench", ""),
    (r"Report: \w+", "the text of warp", "warp"),
)
# Some keys of a JSON object, what the file is, and the tool that wrote it.
_OBJECTS = (
    (("jobs", "fio version"), "a report of fio", "fio"),
    (("client_stats",), "a report of fio", "fio"),
    (("jobname",), "a part of a report of fio", "fio"),
    (("phase_type",), "a result of elbencho", "elbencho"),
    (("Total time run",), "what CBT keeps of rados bench", ""),
    (("total_time_run", "bandwidth"), "a result of rados bench", ""),
    (("by_op_type",), "a result of warp", "warp"),
)


def refusal(tool: str, text: str, found: Sequence[Any] = ()) -> InvalidValue:
    """The error for a file without results of ``tool``; ``found`` are its JSON objects."""
    name, wrote = _recognised(text, found)
    if not name and not found:
        return not_json("results", f"import what {_made(tool)} wrote")
    if not name:
        sentence = f"the results are not of {tool}: import what {_made(tool)} wrote"
    elif not wrote:
        sentence = f"this is {name}, which is not imported"
    elif found and wrote != tool:
        sentence = f"this is {name}: import it with --as {wrote}"
    else:
        with_ = "" if wrote == tool else f" with --as {wrote}"
        sentence = f"this is {name}: import what {_made(wrote)} wrote{with_}"
    return InvalidValue(sentence, "results")


def _made(tool: str) -> str:
    return f"{tool} {_FLAGS[tool]}"


def _recognised(text: str, found: Sequence[Any]) -> tuple[str, str]:
    """The name of the file and its tool; empty if they are not known."""
    for keys, name, wrote in _OBJECTS:
        if any(isinstance(one, Mapping) and one.keys() >= set(keys) for one in found):
            return name, wrote
    for begin, name, wrote in _TEXTS if not found else ():
        if re.search(f"^{begin}", text, re.MULTILINE | re.IGNORECASE):
            return name, wrote
    return "", ""


def several_runs(tool: str, times: Sequence[float], line: int) -> InvalidValue:
    """The error for a file of several runs, which began at these ``times`` (unix seconds).

    The last run begins in this ``line`` of the file; 0 if it has no line of its own.
    """
    first, last = (
        datetime.fromtimestamp(min(max(when, 0.0), _LATEST), timezone.utc).strftime(
            "%Y-%m-%d %H:%M:%S"
        )
        for when in (min(times), max(times))
    )
    where = f"; tail -n +{line} prints the last one" if line else ""
    return InvalidValue(
        f"the file has {len(times)} runs of {tool}, from {first} to {last} UTC, and a round is of "
        f"one: give the lines of one{where}",
        "results",
    )
