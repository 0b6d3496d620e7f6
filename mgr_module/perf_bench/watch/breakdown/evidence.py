"""What of a breakdown is kept with a finding: about 2 kB, in the keys of ``finding_kinds``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...model.breakdown import EVIDENCE, Breakdown, Wait

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
    )
    return {key: value for key, value in zip(EVIDENCE, values) if value}


def _cut(sentences: Sequence[str]) -> list[str]:
    return [sentence[:_LONGEST_SENTENCE] for sentence in sentences[:_MOST_SENTENCES]]


def _waits(waits: Sequence[Wait]) -> list[Mapping[str, Any]]:
    return [
        {
            "waits_osd": wait.osd,
            "waits_seconds": round(wait.seconds, 3),
            "waits_share": round(wait.share, 3),
        }
        for wait in waits[:_MOST_WAITS]
    ]
