"""The command line of qa/replay."""

from __future__ import annotations

import argparse
import json
import math
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

from perf_bench.errors import InvalidValue
from perf_bench.model.finding import CHANNELS, FRAME_SECONDS, Frame, Mark
from perf_bench.watch.slow_osd.thresholds import Thresholds

from .counters import counted_frames
from .errors import TraceError
from .frames import frames
from .replay import Replay
from .trace import Trace, read, told

_HELP = f"""\
The detector of slow OSDs on a recording: the module's own code, at the recorded times.
Prints one JSON object: findings, per_osd, cohorts, cost, and trace (what was read).

columns, in any order and by these names; those in [] may be missing:
  ts, osd, host, [class], [cohort], [enclosure], [rack], [device]
      ts in unix seconds. OSDs are compared within their cohort; without one, within their class.
      Without osd, a column disk makes the OSD host/disk.
and one of these shapes:
  latency, throughput, [ops], [marks]
      means over an interval: latency in any unit, bytes/s, operations in the interval.
  latency_CHANNEL…, throughput, [ops_CHANNEL…], [marks]
      as ceph perf-bench trace export writes it; CHANNEL is {", ".join(CHANNELS)}.
      Plain latency is taken as {CHANNELS[0]}. marks are joined by "+":
      {", ".join(mark.name.lower() for mark in Mark if mark.name)}.
  read_sum_s, read_count, write_sum_s, write_count, [bytes], [csum_sum_s]
      cumulative counters; they go through the module's collector, which ticks every 5 s.
An empty cell is "no data". Rows may be in any order. Rows that are not sound are left out and
counted under trace.skipped; of rows with the same ts and osd the first one counts.
"""
_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


class _UsageError(Exception):
    """A bad argument."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _UsageError(message)


def main(argv: Sequence[str] | None = None) -> int:
    """Returns 0, or 2 when the trace or an argument is not usable."""
    for number in _SIGNALS:
        signal.signal(number, _end)  # so that the temporary folder goes
    try:
        return _run(_parse(argv))
    except (_UsageError, TraceError, InvalidValue) as error:
        print(f"replay: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"replay: {error.filename or 'the output'}: {error.strerror}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("replay: interrupted", file=sys.stderr)
        return 130


def _end(number: int, _frame: object) -> NoReturn:
    raise SystemExit(128 + number)


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = _Parser(
        prog="replay", description=_HELP, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("trace", metavar="TRACE.csv[.gz|.xz]", type=Path)
    parser.add_argument(
        "--config",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="a threshold or span of the detector; a wrong KEY tells which there are",
    )
    parser.add_argument("--speed", choices=("max",), default="max", help="as fast as it goes")
    parser.add_argument("--format", choices=("json", "json-pretty"), default="json")
    return parser.parse_args(argv)


def _run(args: argparse.Namespace) -> int:
    replay = Replay(Thresholds.of(args.config))
    with tempfile.TemporaryDirectory(prefix="perf-bench-replay-") as folder:
        trace = read(args.trace, Path(folder))
        if trace.skipped:
            print(f"replay: rows left out: {told(trace.skipped)}", file=sys.stderr)
        replay.run(_frames(trace))
    shape = {**replay.result(trace.roster), "trace": _told(trace)}
    indent = 2 if args.format == "json-pretty" else None
    print(json.dumps(_finite(shape), indent=indent, allow_nan=False))
    return 0


def _frames(trace: Trace) -> Iterator[Frame]:
    rows = trace.spool.rows()
    if trace.layout.cumulative:
        return counted_frames(rows, trace.layout, trace.roster)
    seconds = max(FRAME_SECONDS, trace.interval)
    return frames(rows, trace.layout, trace.roster, seconds)


def _told(trace: Trace) -> dict[str, Any]:
    return {
        "rows": trace.rows,
        "skipped": dict(trace.skipped),
        "duplicates": trace.spool.duplicates,
        "osds": len(trace.roster.members),
        "interval_seconds": trace.interval,
    }


def _finite(value: Any) -> Any:
    """JSON has no NaN: what is not known is null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(inner) for inner in value]
    return value
