"""The German words of evidence, and of what differs between rounds."""

from __future__ import annotations

import re
from pathlib import Path

from perf_bench.bench.compare.environment import NAMES
from perf_bench.model.finding_kinds import KINDS

FOLDER = Path("dashboard_plugin/frontend/src/app/i18n")


def _keys(file: Path) -> set[str]:
    text = file.read_text(encoding="utf-8")
    found = re.findall(r"^  (?:'([^']+)'|\"([^\"]+)\"|([A-Za-z]+)):", text, re.MULTILINE)
    return {one or other or bare for one, other, bare in found}


def test_every_word_of_evidence_has_a_german_one(root: Path) -> None:
    fields = [field for kind in KINDS for field in kind.evidence.values()]
    words = {text for field in fields for text in (field.words, *field.of)}
    assert _keys(root / FOLDER / "de-evidence.ts") == words


def test_every_difference_between_rounds_has_a_german_word(root: Path) -> None:
    assert _keys(root / FOLDER / "de-environment.ts") == set(NAMES)
