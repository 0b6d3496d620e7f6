"""What of a breakdown is kept with a finding, in the keys of ``finding_kinds``.

It is some kB: sentences also with their codes and values, below ``said``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...model.breakdown import EVIDENCE, Breakdown, Wait
from ...model.said import packed

_MOST_SENTENCES = 6
_MOST_WAITS = 3
_LONGEST_SENTENCE = 300
_LEAST_SHARE = 0.005


def evidence(found: Breakdown) -> Mapping[str, Any]:
    """The breakdown as evidence, JSON-ready and bounded; what is empty is left out."""
    stages = sorted(found.operations.items(), key=lambda one: -one[1])
    values = (
        _cut(found.sentences),
        [
            {"stage": stage.replace("_", " "), "stage_share": round(share, 3)}
            for stage, share in stages
            if share >= _LEAST_SHARE
        ],
        _waits(found.waits_for),
        _waits(found.waited_for_by),
        found.asked_at,
        _cut(found.not_told),
        _said(why=found.sentences, not_told=found.not_told),
    )
    return {key: value for key, value in zip(EVIDENCE, values) if value}


def _cut(sentences: Sequence[str]) -> list[str]:
    return [sentence[:_LONGEST_SENTENCE] for sentence in sentences[:_MOST_SENTENCES]]


def _said(**texts: Sequence[str]) -> Mapping[str, Any]:
    """By key the sentences with their codes, for other languages; null for one that was cut."""
    found = {
        key: [
            packed(text) if len(text) <= _LONGEST_SENTENCE else None
            for text in those[:_MOST_SENTENCES]
        ]
        for key, those in texts.items()
    }
    return {key: those for key, those in found.items() if any(those)}


def _waits(waits: Sequence[Wait]) -> list[Mapping[str, Any]]:
    return [
        {
            "waits_osd": wait.osd,
            "waits_seconds": round(wait.seconds, 3),
            "waits_share": round(wait.share, 3),
        }
        for wait in waits[:_MOST_WAITS]
    ]
