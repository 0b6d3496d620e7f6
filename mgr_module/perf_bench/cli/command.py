"""What a command is: name, arguments, one line of help, one call; and how its answer is printed.

A table of our own instead of the decorators of ``mgr_module``: those were renamed in Ceph 20,
and they cannot have arguments called ``class`` or ``as``, which INTERFACE promises. The plain
descriptors below are what every release's decorators produce in the end.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Callable, Optional, Union

import yaml

from ..api import Api

Args = Mapping[str, Any]

FORMATS = ("plain", "json", "json-pretty", "yaml")
_TYPES = {
    "Str": "CephString",
    "Int": "CephInt",
    "Bool": "CephBool",
    "Format": f"CephChoices,strings={'|'.join(FORMATS)}",
}


@dataclass(frozen=True)
class Answer:
    """A command's answer: ``shape`` for machines, ``plain`` makes of it what people read.

    Made only when asked for: a table of 500 rows takes longer than its JSON.
    """

    shape: Any
    plain: Callable[[Any], str]


@dataclass(frozen=True)
class Raw:
    """An answer that is a file of its own and ignores ``--format``."""

    text: str


@dataclass(frozen=True)
class Command:
    """``args`` are words "name:Type", with "?" after the names that may be absent."""

    name: str
    perm: str
    help: str
    args: str
    call: Callable[[Api, Args], Union[Answer, Raw]]
    # Whether it reads the file of -i, as the argument "file".
    reads: bool = False

    def descriptor(self) -> dict[str, Any]:
        """As ``MgrModule.COMMANDS`` takes it."""
        words = [f"perf-bench {self.name}"]
        for arg in f"{self.args} format?:Format".split():
            name, type_ = arg.split(":")
            words.append(
                f"name={name.rstrip('?')},type={_TYPES[type_]}"
                + (",req=false" if name.endswith("?") else "")
            )
        return {"cmd": " ".join(words), "desc": self.help, "perm": self.perm}


def render(answer: Union[Answer, Raw], format_: Optional[str]) -> str:
    """The answer in the format asked for; "plain" when none is."""
    if isinstance(answer, Raw):
        return answer.text
    if format_ == "json":
        return json.dumps(answer.shape)
    if format_ == "json-pretty":
        return json.dumps(answer.shape, indent=2)
    if format_ == "yaml":
        return str(yaml.safe_dump(answer.shape, sort_keys=False, default_flow_style=False))
    return answer.plain(answer.shape)


def paged(
    table: Callable[[Sequence[Any]], str], total: int, args: Args
) -> Callable[[Sequence[Any]], str]:
    """The table of a page, and below it how many rows come after the page."""

    def plain(shown: Sequence[Any]) -> str:
        more = total - (args.get("offset") or 0) - len(shown)
        tail = f"\n… {more} more: --limit, --offset" if more > 0 else ""
        return table(shown) + tail

    return plain
