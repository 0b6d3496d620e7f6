"""mClock's capacities as JSON and as text."""

from __future__ import annotations

from collections.abc import Sequence

from ..answers.paging import keyed
from ..answers.text import number, table
from ..model.capacity import Capacity
from ..model.json_fields import Json
from ..model.phrases import plural

SEARCHED = ("osd", "class", "source", "verdict")
FIELDS = keyed("osd", "class", "configured_iops", "measured_iops", "source", "verdict", "proposed")
_UNIT = "IOPS of random writes of 4 KiB"
_HEAD = ["OSD", "CLASS", "CONFIGURED", "MEASURED", "PROPOSED", "SOURCE", "VERDICT"]


def capacity(one: Capacity) -> Json:
    """An OSD's capacity; IOPS are those of random writes of 4 KiB."""
    return {
        "osd": one.osd,
        "class": one.device_class,
        "option": one.option,
        "configured_iops": one.configured,
        "measured_iops": one.measured,
        "round": one.round,
        "plausible": list(one.range),
        "source": one.source,
        "verdict": one.verdict,
        "proposed": one.proposed,
        "consent": one.consent,
        "rounds": one.rounds,
    }


def capacities(shapes: Sequence[Json]) -> str:
    """Text of ``mclock ls``."""
    rows = [
        [
            f"osd.{shape['osd']}",
            shape["class"] or "-",
            number(shape["configured_iops"], 0),
            number(shape["measured_iops"], 0),
            number(shape["proposed"], 0),
            shape["source"],
            shape["verdict"],
        ]
        for shape in shapes
    ]
    return f"{_UNIT}\n{table(_HEAD, rows)}"


def proposals(shapes: Sequence[Json]) -> str:
    """Text of ``mclock propose``."""
    if not shapes:
        return "nothing to propose for the OSDs whose small writes rounds have measured"
    asks = any(shape["consent"] for shape in shapes)
    beyond = "\nthose that are 'rejected' are out of Ceph's range: --apply --beyond" if asks else ""
    changes = "nothing is changed: --apply sets it, 'mclock restore' undoes it"
    return f"{capacities(shapes)}\n{changes}{beyond}"


def applied(shape: Json) -> str:
    """Text of ``mclock propose --apply``."""
    kept = len(shape["needs_consent"])
    out = f"\n{plural(kept, 'OSD')} out of Ceph's range left as they are: --beyond sets them too"
    done = f"{_done('set', shape)}; 'ceph perf-bench mclock restore' puts back what was"
    return done + (out if kept else "")


def restored(shape: Json) -> str:
    """Text of ``mclock restore``."""
    theirs = [
        f"{one['what']} is {one['now'] or 'not set'} by somebody else: it stays"
        for one in shape["theirs"]
    ]
    waiting = [f"{one['what']} is not put back yet: {one['why']}" for one in shape["waiting"]]
    return "\n".join((_done("put back", shape), *theirs, *waiting))


def _done(verb: str, shape: Json) -> str:
    left = f" ({shape['left']} are left: do it again)" if shape["left"] else ""
    return f"{verb} the capacity of {plural(len(shape['changed']), 'OSD')}{left}"
