"""Whether the evidence of claims has its words in the table of kinds."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from perf_bench.model.finding import Claim
from perf_bench.model.finding_kinds import BY_CODE


def checked(claims: Sequence[Claim]) -> list[Claim]:
    """The claims; fails if a key of their evidence, also a nested one, has no words."""
    for claim in claims:
        assert set(_keys(claim.evidence)) <= BY_CODE[claim.code].evidence.keys()
        json.dumps(claim.evidence)
    return list(claims)


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield key
            if isinstance(one, (list, tuple)):  # of entries; a mapping has names of devices as keys
                for entry in one:
                    yield from _keys(entry)
