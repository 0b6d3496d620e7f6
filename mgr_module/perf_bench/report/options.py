"""Options of the module as public JSON."""

from __future__ import annotations

from ..model.json_fields import Json
from ..model.options import ModuleOption, Threshold

# What the first letters of a name say of what the option is about; the first that fits counts.
_GROUPS = (
    ("watch", ("watch",)),
    ("thresholds", ("detector", "crc_")),
    ("rounds", ("bench_", "max_", "admission_", "guard", "quiesce")),
    ("history", ("keep_",)),
    ("metrics", ("metrics_",)),
)


def option(one: ModuleOption) -> Json:
    """An option with its group; those of no other group raise health checks."""
    return {
        "name": one.name,
        "group": group(one.name),
        "type": one.kind,
        "value": one.value,
        "default": one.default,
        "min": one.least,
        "max": one.most,
        "help": one.help,
        "at_once": one.at_once,
    }


def group(name: str) -> str:
    """What an option is about."""
    return next((word for word, starts in _GROUPS if name.startswith(starts)), "health")


def threshold(one: Threshold) -> Json:
    """A threshold with its default."""
    return {"name": one.name, "value": one.value, "default": one.default}
