"""The German words of evidence."""

from __future__ import annotations

import re
from pathlib import Path

from perf_bench.model.finding_kinds import KINDS

WORDS = Path("dashboard_plugin/frontend/src/app/i18n/de-evidence.ts")


def test_every_word_of_evidence_has_a_german_one(root: Path) -> None:
    text = (root / WORDS).read_text(encoding="utf-8")
    keys = {
        one or other or bare
        for one, other, bare in re.findall(
            r"^  (?:'([^']+)'|\"([^\"]+)\"|([A-Za-z]+)):", text, re.MULTILINE
        )
    }
    fields = [field for kind in KINDS for field in kind.evidence.values()]
    assert keys == {text for field in fields for text in (field.words, *field.of)}
