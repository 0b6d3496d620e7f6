"""Proofs of who wrote an order, an answer or a result: HMACs with the worker's own secret.

The monitors hold the secret of each worker (``model.worker.secret_key``). The mgr can read all of
them, a worker only its own. A client that can only write to the pool can read none.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any, Optional

# The purpose of a proof is part of it: the proof of an order is invalid for an answer.
ORDER, ANSWER, LINE, STATUS = "order", "answer", "line", "status"
# The key of the proof in signed values.
PROOF = "proof"
_LETTERS = 64


def proof(secret: str, *about: object) -> str:
    """Return the HMAC of ``about``, which must be JSON-ready, as hexadecimal text."""
    text = json.dumps(about, sort_keys=True, separators=(",", ":"))
    return hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()


def digest(values: Mapping[str, Any]) -> str:
    """Return the SHA-256 of values, which stands for them in the proofs for several workers."""
    text = json.dumps(values, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def proves(given: object, secret: str, *about: object) -> bool:
    """Return whether ``given`` is the proof of ``about``."""
    good = isinstance(given, str) and given.isascii()
    return good and hmac.compare_digest(str(given), proof(secret, *about))


def signed(secret: str, values: Mapping[str, Any], *about: object) -> dict[str, Any]:
    """Return the values with a proof of ``about`` and the values."""
    return {**values, PROOF: proof(secret, *about, values)}


def is_signed(secret: str, found: Mapping[str, Any], *about: object) -> bool:
    """Return whether values carry a valid proof of ``about`` and themselves."""
    values = {key: value for key, value in found.items() if key != PROOF}
    return proves(found.get(PROOF), secret, *about, values)


def signed_line(secret: str, text: str, *about: object) -> str:
    """Return the line with its proof in front."""
    return f"{proof(secret, *about, text)} {text}"


def line_of(secret: str, line: bytes, *about: object) -> Optional[bytes]:
    """Return the text of a signed line; None if the proof is invalid."""
    given, text = line[:_LETTERS], line[_LETTERS + 1 :]
    try:
        good = proves(given.decode(), secret, *about, text.decode())
    except UnicodeDecodeError:
        return None
    return text if good else None
