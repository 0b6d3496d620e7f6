"""Proofs of who wrote an order, an answer or a result: HMACs with the worker's own secret.

The secret of each worker lies at the monitors (``model.worker.secret_key``), where the mgr reads
all and a worker's key its own. Whoever can only write to the pool has none.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any, Optional

# What a proof is for: one of an order proves no answer.
ORDER, ANSWER, LINE, STATUS = "order", "answer", "line", "status"
# The name under which values carry their own.
PROOF = "proof"
_LETTERS = 64


def proof(secret: str, *about: object) -> str:
    """Return the proof of these words, which JSON must be able to hold."""
    text = json.dumps(about, sort_keys=True, separators=(",", ":"))
    return hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()


def digest(values: Mapping[str, Any]) -> str:
    """Return what stands for values in proofs of several workers."""
    text = json.dumps(values, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def proves(given: object, secret: str, *about: object) -> bool:
    """Whether ``given`` is the proof of these words."""
    good = isinstance(given, str) and given.isascii()
    return good and hmac.compare_digest(str(given), proof(secret, *about))


def signed(secret: str, values: Mapping[str, Any], *about: object) -> dict[str, Any]:
    """Return the values with their proof, which is about these words, too."""
    return {**values, PROOF: proof(secret, *about, values)}


def is_signed(secret: str, found: Mapping[str, Any], *about: object) -> bool:
    """Whether values carry a proof of themselves and these words."""
    values = {key: value for key, value in found.items() if key != PROOF}
    return proves(found.get(PROOF), secret, *about, values)


def signed_line(secret: str, text: str, *about: object) -> str:
    """Return a line with its proof in front."""
    return f"{proof(secret, *about, text)} {text}"


def line_of(secret: str, line: bytes, *about: object) -> Optional[bytes]:
    """Return the text of such a line; None where the proof is another's."""
    given, text = line[:_LETTERS], line[_LETTERS + 1 :]
    try:
        good = proves(given.decode(), secret, *about, text.decode())
    except UnicodeDecodeError:
        return None
    return text if good else None
