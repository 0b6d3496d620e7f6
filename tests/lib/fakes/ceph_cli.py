"""A `ceph` in this process: words of a command line become orders to a cluster of ``fakes.ceph``.

It reads words as the real client does: what stands before "--" are its own options, "--x=y" is an
argument by name, all others come in the order of the command's description.
"""

from __future__ import annotations

import errno
import json
from dataclasses import dataclass, field
from typing import Any, Optional

from fakes.ceph import MgrWorld
from perf_bench.errors import NotNow

# By a command's prefix its arguments, in the order of the real description.
_ARGUMENTS: dict[str, tuple[str, ...]] = {
    "balancer off": (),
    "balancer on": (),
    "balancer status": (),
    "config dump": (),
    "config rm": ("who", "name"),
    "config set": ("who", "name", "value"),
    "config-key dump": ("key",),
    "config-key rm": ("key",),
    "config-key set": ("key", "val"),
    "mgr dump": (),
    "mgr stat": (),
    "osd dump": (),
    "osd info": ("id",),
    "osd pool get": ("pool", "var"),
    "osd pool ls": ("detail",),
    "osd pool set": ("pool", "var", "val"),
    "osd primary-affinity": ("id", "weight"),
    "osd reweight": ("id", "weight"),
    "osd set": ("key",),
    "osd unset": ("key",),
}
# Arguments that the client turns into numbers.
_NUMBERS = {"id": int, "weight": float}
_OF_THE_MGR = ("balancer", "perf-bench")
# Exit code, stdout and stderr.
Ended = tuple[int, str, str]


@dataclass
class FakeCli:
    """Put in the place of ``perf_bench.tool.client._run``.

    ``quiesce`` is what the mgr says of its round: a state, an errno, or None for no answer.
    ``breaks`` are orders that get no answer.
    """

    world: MgrWorld
    quiesce: str | int | None = "idle"
    breaks: set[str] = field(default_factory=set)
    calls: list[list[str]] = field(default_factory=list)

    def run(self, argv: list[str], limit: float, file: Optional[str]) -> Ended:
        cut = argv.index("--")
        options, words = argv[1:cut], argv[cut + 1 :]
        assert options in ([], ["--format", "json"]), "the client's own options stand in front"
        self.calls.append(words)
        if words[0] in _OF_THE_MGR and not self.world.data["mgr_map"]["available"]:
            raise NotNow(f"'ceph' gave no answer within {limit:g} s")
        if words[0] == "perf-bench":
            return self._of_ours(words, limit)
        prefix = next(prefix for prefix in _ARGUMENTS if _begins(words, prefix.split()))
        if prefix in self.breaks:
            raise NotNow(f"'ceph' gave no answer within {limit:g} s")
        given = words[len(prefix.split()) :]
        code, out, message = self.world.mon_command({"prefix": prefix, **_named(prefix, given)})
        return _failed(-code, message) if code else (0, out.decode(), message)

    def _of_ours(self, words: list[str], limit: float) -> Ended:
        assert words == ["perf-bench", "quiesce", "status"]
        if self.quiesce is None:
            raise NotNow(f"'ceph' gave no answer within {limit:g} s")
        if isinstance(self.quiesce, int):
            return _failed(self.quiesce, "as the mgr says")
        return _json({"state": self.quiesce, "holder": "round 7"})

    @property
    def orders(self) -> list[str]:
        """What was ordered, without the questions."""
        asks = {"dump", "get", "ls", "stat", "status"}
        return [" ".join(words) for words in self.calls if not asks & set(words[:3])]


def _named(prefix: str, given: list[str]) -> dict[str, Any]:
    names = _ARGUMENTS[prefix]
    if any(word.startswith("--") for word in given):
        found = dict(word[2:].split("=", 1) for word in given)
        assert set(found) <= set(names), found
        return found
    assert len(given) <= len(names), given
    return {name: _NUMBERS.get(name, str)(word) for name, word in zip(names, given)}


def _begins(words: list[str], prefix: list[str]) -> bool:
    return words[: len(prefix)] == prefix


def _json(document: Any) -> Ended:
    return 0, "\n" + json.dumps(document), ""


def _failed(code: int, message: str) -> Ended:
    return code, "", f"Error {errno.errorcode[code]}: {message}\n"
