"""Run the parts, keep what each found, print the table."""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Optional

from toolchain.bootstrap import ROOT

from .parts import PARTS
from .tools import TOOLS
from .trials import Order, Part, Trial

RESULTS = ROOT / "build" / "reliability" / "results"
_HEAD = ("part", "trials of", "trials", "seconds", "faults", "note")


def main(words: list[str]) -> int:
    """Returns 0 if no part found a fault, 1 if one did or could not run."""
    given = _parser().parse_args(words)
    seed = given.seed if given.seed is not None else random.SystemRandom().randrange(1 << 31)
    tools = TOOLS.folder / "bin"
    order = Order(seed, given.minutes * 60, tools, RESULTS, given.release)
    RESULTS.mkdir(parents=True, exist_ok=True)
    sources = fingerprint()
    chosen = [part for part in PARTS if not given.part or part.name in given.part]
    found = [
        (part, _done(part, sources, given.again) or _run(part, order, sources)) for part in chosen
    ]
    print(table([(part.name, kept) for part, kept in found]))
    faults = [fault for _, kept in found for trial in kept["trials"] for fault in trial["faults"]]
    for told in faults:
        print(f"\n{told}")
    return 1 if faults else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="reliability", description=__doc__)
    names = [part.name for part in PARTS]
    parser.add_argument("--part", action="append", choices=names, help="only this one; repeat it")
    parser.add_argument("--seed", type=int, help="of all chance; without it another each time")
    parser.add_argument("--minutes", type=float, default=10.0, help="for each part (10)")
    parser.add_argument("--release", default="native", help="of the cluster, where a part has one")
    parser.add_argument("--again", action="store_true", help="also parts that passed already")
    return parser


def fingerprint() -> str:
    """Changes with all that is tried and that tries."""
    git = ["git", "-C", str(ROOT)]
    head = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, check=True).stdout
    changes = subprocess.run([*git, "diff", "HEAD"], capture_output=True, check=True).stdout
    return hashlib.sha256(head + changes).hexdigest()


def _run(part: Part, order: Order, sources: str) -> dict[str, Any]:
    """Run a part and keep its trials; the seed is printed before, for a run that breaks off."""
    print(f"── {part.name}: {part.about}; seed {order.seed}", flush=True)
    began = time.monotonic()
    trials = [asdict(trial) for trial in part.run(order)]
    kept = {"seed": order.seed, "sources": sources, "trials": trials}
    (RESULTS / f"{part.name}.json").write_text(json.dumps(kept, indent=2), encoding="utf-8")
    print(f"── {part.name} ended after {time.monotonic() - began:.0f} s", flush=True)
    return kept


def _done(part: Part, sources: str, again: bool) -> Optional[dict[str, Any]]:
    """What the part found before with these sources, if it passed."""
    path = RESULTS / f"{part.name}.json"
    if again or not path.is_file():
        return None
    kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    passed = kept["sources"] == sources and not any(one["faults"] for one in kept["trials"])
    if passed:
        print(f"── {part.name} has passed with these sources, seed {kept['seed']}; --again")
    return kept if passed else None


def table(found: Sequence[tuple[str, dict[str, Any]]]) -> str:
    """The trials of the parts, a line each."""
    rows = [_HEAD]
    for name, kept in found:
        for one in (Trial(**trial) for trial in kept["trials"]):
            note = f"seed {kept['seed']}" + (f", {one.note}" if one.note else "")
            seconds = f"{one.seconds:.0f}"
            rows.append((name, one.what, f"{one.count:,}", seconds, str(len(one.faults)), note))
    widths = [max(len(row[place]) for row in rows) for place in range(len(_HEAD))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)) for row in rows]
    return "\n".join(line.rstrip() for line in lines)


if __name__ == "__main__":
    # Started in the background of a shell, we and all below us would be deaf to SIGINT.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main(sys.argv[1:]))
