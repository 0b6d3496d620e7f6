"""The command line of qa/benchmarks/run: which benchmarks, on what, and where the figures go."""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from cluster.errors import ClusterError, UsageError
from cluster.provide import provide
from cluster.spec import Order

from . import fidelity, large_map, overhead, tab
from .bed import HOSTS, OSDS, bed
from .figures import Figure, table
from .machine import ROOT, describe, sentence

# In this order: what needs no cluster first, a fault there shows at once.
SIMULATED = ("pages", "watch")
REAL = ("fidelity", "overhead", "workers")
LARGE = "large_map"
NAMES = (*SIMULATED, "tab", *REAL, LARGE)
RELEASES = ("native", "pacific", "reef", "tentacle")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def main(argv: Sequence[str] | None = None) -> int:
    """Returns 0, also when a target is missed unless --strict; 1 for a fault, 2 for bad usage."""
    try:
        return _run(_parse(argv))
    except ClusterError as error:
        print(f"bench: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("bench: interrupted", file=sys.stderr)
        return 130


def _end(number: int, _frame: object) -> NoReturn:
    raise SystemExit(128 + number)


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = _Parser(prog="qa/benchmarks/run", description="The project's own benchmarks.")
    parser.add_argument("--only", type=_names, default=NAMES, help=f"of {', '.join(NAMES)}")
    parser.add_argument("--release", choices=RELEASES, default="native", help="of the real cluster")
    parser.add_argument("--dir", help="the real cluster's folder (default: a new one in /tmp)")
    parser.add_argument("--pairs", type=int, default=10, help="of a round and by hand (10)")
    parser.add_argument(
        "--json", type=Path, default=ROOT / "build" / "bench.json", help="file for all figures"
    )
    parser.add_argument("--strict", action="store_true", help="exit code 1 when a target is missed")
    return parser.parse_args(argv)


def _names(text: str) -> tuple[str, ...]:
    chosen = [name.strip() for name in text.split(",")]
    unknown = [name for name in chosen if name not in NAMES]
    if unknown:
        raise argparse.ArgumentTypeError(f"'{unknown[0]}' is not one of {', '.join(NAMES)}")
    return tuple(name for name in NAMES if name in chosen)


def _run(args: argparse.Namespace) -> int:
    signal.signal(signal.SIGTERM, _end)  # or the cluster would stay
    # ceph-mgr's Python libraries come with Ceph's packages, and the module cannot do without.
    provide("native", None, _say)
    machine = describe()
    print(sentence(machine), flush=True)
    report = _Report(args.json, {"machine": machine, "release": args.release})
    for name in args.only:
        if name in SIMULATED:
            # Imported only now: they import the module, which provide() made possible.
            report.add(name, import_module(f".{name}", __package__).run)
    if "tab" in args.only:
        report.add("tab", tab.run)
    real = [name for name in args.only if name in REAL]
    if real:
        _measure_real(real, args, report)
    if LARGE in args.only:
        with _folder(args.dir) as folder:
            report.add(LARGE, partial(large_map.run, folder, args.release, _say))
    print(f"\n{table(report.groups)}\n\nall figures are in {args.json}")
    missed = [figure for group in report.groups.values() for figure in group if figure.met is False]
    return 1 if missed and args.strict else 0


def _measure_real(names: Sequence[str], args: argparse.Namespace, report: _Report) -> None:
    # Imported only now, as above.
    workers = import_module(".workers", __package__)
    runs = {"fidelity": fidelity.run, "overhead": overhead.run, "workers": workers.run}
    # A round of clients may take a fifth of the room: on a fast disk of 5 GiB it ends early.
    size = 20 << 30
    order = Order(args.release, OSDS, HOSTS, osd_bytes=size, dashboard=False)
    with _folder(args.dir) as folder, bed(folder, order) as cluster:
        report.head["ceph"] = cluster.cluster.ceph("--version").strip()
        for name in names:
            report.add(name, partial(runs[name], cluster, args.pairs, _say))


@contextmanager
def _folder(chosen: str | None) -> Iterator[str]:
    """The cluster's folder; one of our own is gone afterwards."""
    if chosen:
        yield chosen
        return
    own = tempfile.mkdtemp(prefix="perf-bench-")
    try:
        yield f"{own}/cluster"
    finally:
        shutil.rmtree(own, ignore_errors=True)


class _Report:
    """The figures so far; written after each benchmark, so that a fault costs no other's."""

    def __init__(self, file: Path, head: dict[str, Any]) -> None:
        self.head = {"format": 1, "started_at": time.time(), **head}
        self.groups: dict[str, list[Figure]] = {}
        self._file = file
        self._write()

    def add(self, name: str, measure: Callable[[], list[Figure]]) -> None:
        _say(f"── {name}")
        self.groups[name] = measure()
        self._write()

    def _write(self) -> None:
        figures = {name: [f.shape for f in group] for name, group in self.groups.items()}
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            text = json.dumps({**self.head, "benchmarks": figures}, indent=2)
            self._file.write_text(text + "\n", encoding="utf-8")
        except OSError as error:
            raise ClusterError(f"{self._file} cannot be written: {error.strerror}") from error


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
