"""Change a JSON text in its structure: bytes changed blindly are hardly ever JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any, Callable

# What readers stumble over: limits of types, lookalikes, control characters, wrong kinds.
HOSTILE: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**31, 2**53, 2**63 - 1, 2**63, -(2**63),
    10**39, 10**400, 1e308,
    -0.0, 0.1, 5e-324, float("nan"), float("inf"), float("-inf"), "", " ", "0",
    "-1", "1e9", "9" * 20,
    "9" * 5000, "NaN", "²", "\u0661", "true", "\x00", "\x1b[2J", "a\nb", "\u202e", "\ud800",
    "é" * 300, "x" * 5000, "../..", "%s{}", "'; --", "=1+1", "osd.0", "host-0", "all", "1d", "0s",
    "9999999999d",
    "2026-11-20T12:00:00Z", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00+23:59", [], {}, [[]],
    [None], {"": None}, [0] * 300,
)  # fmt: skip
_DEEP = 100


def mutated(data: bytes, size: int, seed: int, blindly: Callable[[bytes, int], bytes]) -> bytes:
    """Another input of at most ``size`` bytes; now and then the bytes are changed ``blindly``."""
    random = Random(seed)  # noqa: S311 - chance that can be repeated
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return blindly(data, size)
    if random.random() < 0.1:
        return blindly(data, size)
    try:
        for _ in range(random.choice((1, 1, 1, 2, 4))):
            document = _changed(document, random)
        changed = json.dumps(document).encode("utf-8", "surrogatepass")
    except (ValueError, OverflowError, RecursionError):
        return blindly(data, size)
    return changed if len(changed) <= size else blindly(data, size)


def _changed(document: Any, random: Random) -> Any:
    """The document with one change at a place of chance."""
    if not isinstance(document, (dict, list)) or not document or random.random() < 0.02:
        return _another(document, random)
    key = random.choice(list(document) if isinstance(document, dict) else range(len(document)))
    change = random.random()
    if isinstance(document[key], (dict, list)) and change < 0.75:
        document[key] = _changed(document[key], random)
    elif change < 0.85:
        document[key] = _another(document[key], random)
    elif change < 0.92:
        del document[key]
    elif isinstance(document, list):
        document.insert(key, random.choice((document[key], _another(document[key], random))))
    else:
        document[_key(document, random)] = document[key]
    return document


def _key(document: dict[str, Any], random: Random) -> str:
    other = random.choice(HOSTILE)
    return other if isinstance(other, str) else random.choice(list(document))


def _another(value: Any, random: Random) -> Any:
    """A hostile value, or the same one turned a little."""
    turn = random.random()
    if turn < 0.15 and isinstance(value, (int, float)) and not isinstance(value, bool):
        return random.choice((value + 1, value - 1, -value, value * 1000, str(value), value // 3))
    if turn < 0.25 and isinstance(value, str) and value:
        place = random.randrange(len(value))
        return (
            value[:place]
            + random.choice(("", " ", "\x07", "9", "-", "é", value))
            + value[place + 1 :]
        )
    if turn < 0.30:
        return [value]
    if turn < 0.32:
        for _ in range(_DEEP):
            value = [value]
        return value
    return deepcopy(random.choice(HOSTILE))  # what is in a document is changed later


def smaller(data: bytes, still: Callable[[bytes], bool], most: int = 400) -> bytes:
    """A small input for which ``still`` holds, found by leaving out parts of the JSON.

    At most ``most`` inputs are tried.
    """
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return data
    best, left = data, most
    while left > 0:
        for candidate in _reduced(found):
            left -= 1
            text = json.dumps(candidate).encode("utf-8", "surrogatepass")
            if len(text) < len(best) and still(text):
                best, found = text, candidate
                break
            if left <= 0:
                break
        else:
            break
    return best


def _reduced(document: Any) -> Iterator[Any]:
    """The document with one part left out or made shorter, the largest parts first."""
    if isinstance(document, str) and len(document) > 1:
        yield document[: len(document) // 2]
    if not isinstance(document, (dict, list)):
        return
    keys = list(document) if isinstance(document, dict) else list(range(len(document)))
    for key in keys:
        rest = document.copy()
        del rest[key]
        yield rest
    for key in keys:
        for part in _reduced(document[key]):
            whole = document.copy()
            whole[key] = part
            yield whole
