"""Whether the evidence of claims can be stored."""

from __future__ import annotations

import json
from collections.abc import Sequence

from perf_bench.model.finding import Claim


def checked(claims: Sequence[Claim]) -> list[Claim]:
    """The claims; fails if their evidence is not JSON-ready."""
    for claim in claims:
        json.dumps(claim.evidence)
    return list(claims)
