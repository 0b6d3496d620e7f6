"""What a fault may be aimed at: words of the command line to names of daemons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Callable

from .errors import UsageError
from .spec import Spec

# Kind -> the kinds of daemons that it can be played on.
KINDS: dict[str, tuple[str, ...]] = {
    "stall": ("osd", "mgr"),
    "pause": ("osd", "mgr"),
    "slow": ("osd",),
    "down": ("osd",),
    "kill-mgr": ("mgr",),
    "kill-mon": ("mon",),
    "host-down": ("osd",),
    "power-loss": ("osd", "mgr", "mon"),
    "clear": ("osd", "mgr", "mon"),
}
# What `all` means where a kind could be played on both.
_ALL = {"stall": ("osd",), "pause": ("osd",)}
_OF_HOSTS = ("host-down", "power-loss")


def resolve(
    spec: Spec, kind: str, words: Sequence[str], active: Callable[[], str]
) -> tuple[str, ...]:
    """The daemons meant by `words`, each once; `active` is asked for the active mgr."""
    if kind not in KINDS:
        raise UsageError(f"there is no fault '{kind}': it is one of {', '.join(KINDS)}")
    found: list[str] = []
    for word in words:
        for daemon in _daemons(spec, kind, word, active):
            if daemon.partition(".")[0] not in KINDS[kind]:
                raise UsageError(f"'{kind}' cannot be played on {word}: it takes {_takes(kind)}")
            found += [] if daemon in found else [daemon]
    return tuple(found)


def _daemons(spec: Spec, kind: str, word: str, active: Callable[[], str]) -> Sequence[str]:
    if word == "all":
        return [d for d in spec.daemons if d.partition(".")[0] in _ALL.get(kind, KINDS[kind])]
    if kind in _OF_HOSTS and not word.startswith("host-"):
        raise UsageError(f"'host-down' cannot be played on {word}: it takes {_takes(kind)}")
    if word.startswith("host-"):
        if word not in spec.host_names:
            raise UsageError(
                f"there is no {word} in this cluster: its hosts are {_span(spec.host_names)}"
            )
        return spec.daemons_of(word) if kind == "power-loss" else spec.osds_of(word)
    if word.startswith("osd."):
        if word not in spec.osd_names:
            raise UsageError(
                f"there is no {word} in this cluster: its OSDs are {_span(spec.osd_names)}"
            )
        return [word]
    if word in spec.mon_daemons:
        return [word]
    name = word.removeprefix("mgr.")
    if name == "active":
        return [f"mgr.{active()}"]
    if name not in spec.mgrs:
        raise UsageError(
            f"'{word}' is no target: it is osd.N, host-N, active, all,"
            f" a mgr ({', '.join(spec.mgrs)}) or a mon ({', '.join(spec.mon_daemons)})"
        )
    return [f"mgr.{name}"]


def _takes(kind: str) -> str:
    if kind in _OF_HOSTS:
        return "host-N or all"
    words = {"osd": "osd.N, host-N", "mgr": "active, a mgr's name", "mon": "mon.X"}
    return ", ".join(words[each] for each in KINDS[kind]) + " or all"


def _span(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"
