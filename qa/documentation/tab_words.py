"""The fixed texts of the module that the tab shows in other languages, by the English ones."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from perf_bench.bench.compare.environment import NAMES
from perf_bench.bench.plan.phases import ASSUMED, LAST_ROUND
from perf_bench.model.finding_kinds import KINDS
from perf_bench.model.profile import PROFILES
from perf_bench.report.next_steps import SAME_FOR, SAME_FOR_MORE, SECTIONS, UNNAMED

FILE = Path("dashboard_plugin") / "schema" / "words.json"


def written() -> str:
    """Every text once, in the order of the tables, as the front end reads it."""
    return json.dumps(list(dict.fromkeys(_all())), indent=2, ensure_ascii=False) + "\n"


def _all() -> Iterator[str]:
    for kind in KINDS:
        yield from (kind.title, kind.meaning, kind.action)
        for field in kind.evidence.values():
            yield from (field.words, *field.of)
        for section in SECTIONS:
            for step in getattr(kind, section):
                yield from (words for words in (step.words, step.unknown) if words)
    yield from (UNNAMED, SAME_FOR, SAME_FOR_MORE)
    yield from (LAST_ROUND, ASSUMED)
    yield from NAMES
    yield from (profile.description for profile in PROFILES.values())
