"""The words for a round's verdict and state, as the tab says them in its language."""

from __future__ import annotations

from collections.abc import Mapping

from .said import say

ROUND_WORDS: Mapping[str, str] = {
    "queued": say("state-queued", "queued"),
    "running": say("state-running", "running"),
    "valid": say("verdict-valid", "valid"),
    "noisy": say("verdict-noisy", "noisy"),
    "too-short": say("verdict-too-short", "too-short"),
    "contaminated": say("verdict-contaminated", "contaminated"),
    "aborted": say("verdict-aborted", "aborted"),
    "failed": say("verdict-failed", "failed"),
}
