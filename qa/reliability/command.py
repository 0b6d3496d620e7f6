"""Run the parts, keep what each found, print the table."""

from __future__ import annotations

import argparse
import random
import signal
import sys
import time
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path

from . import results
from .parts import PARTS
from .results import FOLDER, Kept
from .trials import Order, Part

_MINUTES = 10.0


def main(words: list[str]) -> int:
    """Returns 0 if no part found a fault, 1 if one did or could not run."""
    given = _parser().parse_args(words)
    seed = given.seed if given.seed is not None else random.SystemRandom().randrange(1 << 31)
    chosen = [part for part in PARTS if not given.part or part.name in given.part]
    found: list[Kept] = []
    for part in () if given.docs else chosen:
        minutes = part.short_minutes if given.short else given.minutes or _MINUTES
        if minutes:
            found += _run(part, _order(part, seed, minutes, given))
    ours = {part.name for part in chosen}
    kept = [one for one in results.read() if one.part in ours]
    print(results.text(kept))
    if given.docs:
        results.commit()
        results.write_docs(results.read())
    faults = [f"{one.trial.what}: {fault}" for one in found for fault in one.trial.faults]
    for told in faults:
        print(f"\n{told}")
    return 1 if faults else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="reliability", description=__doc__)
    names = [part.name for part in PARTS]
    parser.add_argument("--part", action="append", choices=names, help="only this one; repeat it")
    parser.add_argument("--seed", type=int, help="of all chance; without it another each time")
    parser.add_argument("--minutes", type=float, help=f"for each part ({_MINUTES:g})")
    parser.add_argument("--release", default="native", help="of the cluster, where a part has one")
    parser.add_argument("--folder", action="append", help="only mutants of this one; repeat it")
    parser.add_argument(
        "--only", action="append", metavar="WORD",
        help="of crash trials with this word, and those of further ones, again and again",
    )  # fmt: skip
    parser.add_argument("--traces", type=Path, help="folder of labelled recordings, of detection")
    parser.add_argument("--again", action="store_true", help="also what passed already")
    parser.add_argument(
        "--share", type=_share, default=(1, 1), metavar="K/N",
        help="the K-th of N runs of a seed at once, which share what there is to try",
    )  # fmt: skip
    parser.add_argument("--short", action="store_true", help="all parts in less than 20 minutes")
    parser.add_argument("--docs", action="store_true", help="only commit results, and their table")
    return parser


def _order(part: Part, seed: int, minutes: float, given: argparse.Namespace) -> Order:
    found, release = results.read(), given.release
    held = frozenset() if given.again else results.held(found, part.name, release)
    tried = results.tried(found, part.name, release)
    failing = results.failing(found, part.name, release)
    return Order(
        seed,
        minutes * 60,
        FOLDER,
        release,
        held,
        tried,
        failing,
        share=given.share,
        folders=frozenset(given.folder or ()),
        only=frozenset(given.only or ()),
        traces=given.traces,
    )


def _share(text: str) -> tuple[int, int]:
    """Of "2/3"; argparse tells the user what a ValueError is about."""
    number, count = (int(word) for word in text.split("/"))
    if not 1 <= number <= count:
        raise ValueError(text)
    return number, count


def _run(part: Part, order: Order) -> Sequence[Kept]:
    """Run a part and keep each of its trials; a run that breaks off keeps those before."""
    print(f"── {part.name}: {part.about}; seed {order.seed}", flush=True)
    began, at = time.monotonic(), datetime.now(timezone.utc)
    run = f"{at:%Y-%m-%dT%H:%M:%SZ} {order.seed}"
    found = []
    FOLDER.mkdir(exist_ok=True)
    for trial in part.run(order):
        moment = f"{datetime.now(timezone.utc):%Y-%m-%dT%H:%M:%SZ}"
        kept = Kept(part.name, order.release, run, order.seed, moment, trial)
        results.keep(kept)
        found.append(kept)
        said = f"FAILED: {'; '.join(trial.faults)}" if trial.faults else trial.note or "passed"
        print(f"{trial.seconds:6.1f} s  {trial.what}: {said}", flush=True)
    print(f"── {part.name} ended after {time.monotonic() - began:.0f} s", flush=True)
    return found


if __name__ == "__main__":
    # Started in the background of a shell, we and all below us would be deaf to SIGINT.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main(sys.argv[1:]))
