"""The files in which trials are kept, a line of JSON each, and the table that is made of them.

A run adds to ``RESULTS``, which is not committed; ``commit`` moves its lines to ``COMMITTED``.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from perf_bench.version import VERSION
from toolchain.bootstrap import ROOT

from .trials import Trial

# Beside build/, which is removed with every wheel.
FOLDER = ROOT / ".reliability"
RESULTS = FOLDER / "results.jsonl"
COMMITTED = Path(__file__).with_name("results.jsonl")
DOCS = ROOT / "docs" / "reliability.md"
_BEGIN, _END = "<!-- results -->", "<!-- end of results -->"
_HEAD = ("part", "trials", "failed", "still fail", "hours")
# In the note of a mutant that a test noticed, before the test.
KILLED = ": killed by "
# Characters of a fault that are committed.
_MOST_FAULT = 300


@dataclass(frozen=True)
class Kept:
    """A trial with how it was run.

    ``run`` is the same for the trials of one run of a part, ``version`` the module's.
    """

    part: str
    release: str
    run: str
    seed: int
    at: str
    trial: Trial
    version: str = VERSION

    @property
    def row(self) -> str:
        """The line of the table that it is counted in."""
        return self.trial.row or self.trial.what


def keep(kept: Kept, path: Path = RESULTS) -> None:
    """Add a trial to the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # A line that was cut off before must not take this one with it.
    cut = path.is_file() and path.stat().st_size and not path.read_bytes().endswith(b"\n")
    with path.open("a", encoding="utf-8") as file:
        file.write(("\n" if cut else "") + json.dumps(_fields(kept)) + "\n")


def _fields(kept: Kept) -> dict[str, Any]:
    """What differs from the defaults, so that thousands of lines stay small."""
    told = asdict(kept)
    standard = {"count": 1, "faults": (), "note": "", "row": ""}
    told["trial"] = {
        name: value for name, value in told["trial"].items() if value != standard.get(name)
    }
    return {name: value for name, value in told.items() if value != ""}


def read(*paths: Path) -> list[Kept]:
    """All trials, the committed ones first. A line that was cut off is passed over."""
    found = []
    for path in paths or (COMMITTED, RESULTS):
        for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else ():
            try:
                fields = json.loads(line)
            except ValueError:
                continue
            own = fields["trial"]
            trial = Trial(**{"count": 1, **own, "faults": tuple(own.get("faults", ()))})
            fields.pop("sources", None)  # which older lines have
            found.append(Kept(**{"at": "", **fields, "trial": trial}))
    return found


def commit(source: Path = RESULTS, target: Path = COMMITTED) -> None:
    """Move what was kept to the file that is committed, in short.

    That is with the first line of each fault, and without what killed a mutant.
    """
    for one in read(source):
        faults = tuple(fault.partition("\n")[0][:_MOST_FAULT] for fault in one.trial.faults)
        note = one.trial.note.partition(KILLED)
        short = replace(
            one.trial,
            faults=faults,
            note="" if note[1] else one.trial.note,
            seconds=round(one.trial.seconds, 2),
        )
        keep(replace(one, trial=short), target)
    source.unlink(missing_ok=True)


def held(found: Iterable[Kept], part: str, release: str) -> frozenset[str]:
    """The trials of a part that passed when they were tried last."""
    return frozenset(what for what, passed in _last(found, part, release).items() if passed)


def failing(found: Iterable[Kept], part: str, release: str) -> frozenset[str]:
    """The trials of a part that failed when they were tried last."""
    return frozenset(what for what, passed in _last(found, part, release).items() if not passed)


def _last(found: Iterable[Kept], part: str, release: str) -> dict[str, bool]:
    return {
        one.trial.what: not one.trial.faults
        for one in found
        if (one.part, one.release) == (part, release) and one.trial.count
    }


def tried(found: Iterable[Kept], part: str, release: str) -> frozenset[str]:
    """The rows of the table that have a trial of a part."""
    return frozenset(
        one.row for one in found if (one.part, one.release) == (part, release) and one.trial.count
    )


def rows(found: Iterable[Kept]) -> list[tuple[str, ...]]:
    """The table, its head first: of each part how many trials were made, and what failed."""
    by_part: dict[str, list[Kept]] = {}
    for one in found:
        if one.trial.count:  # else a step that was not met
            by_part.setdefault(one.part, []).append(one)
    return [_HEAD, *((part, *_cells(kept)) for part, kept in sorted(by_part.items()))]


def _cells(kept: Sequence[Kept]) -> tuple[str, ...]:
    last = {(one.release, one.trial.what): one for one in kept}
    counts: Counter[str] = Counter()
    for one in kept:
        counts[one.release] += one.trial.count
    return (
        ", ".join(f"{release} {count:,}" for release, count in sorted(counts.items())),
        str(sum(bool(one.trial.faults) for one in kept)),
        str(sum(bool(one.trial.faults) for one in last.values())),
        f"{sum(one.trial.seconds for one in kept) / 3600:.1f}",
    )


def text(found: Iterable[Kept]) -> str:
    """The table for a terminal."""
    lines = rows(found)
    widths = [max(len(row[place]) for row in lines) for place in range(len(_HEAD))]
    padded = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)) for row in lines]
    return "\n".join(line.rstrip() for line in padded)


def write_docs(found: Iterable[Kept], path: Path = DOCS) -> None:
    """Put the table into the document, in the place of the one before."""
    head, *others = rows(found)
    lines = [head, tuple("---" for _ in head), *others]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    before, _, rest = path.read_text(encoding="utf-8").partition(_BEGIN)
    after = rest.partition(_END)[2]
    path.write_text(f"{before}{_BEGIN}\n\n{table}\n\n{_END}{after}", encoding="utf-8")
