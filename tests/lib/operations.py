"""Recorded and made-up answers of OSDs about their operations."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Optional

from perf_bench.model.verdict import Answers
from perf_bench.watch.breakdown import parsing

_FOLDER = Path(__file__).resolve().parents[1] / "captured"
RELEASES = ("pacific", "reef", "tentacle")
# Recordings of real OSDs, trimmed: osd.3 of six was stopped for 0.45 s of every half second, then
# for good until groups were laggy; meanwhile clients wrote to pools of three copies, and of 2+1.
STALLED, LAGGY, ERASURE_CODED = "stalled replica", "laggy", "erasure-coded"
_SECONDS = 30.0


def recorded(release: str, scene: str) -> dict[int, dict[str, Any]]:
    """By OSD what it answered: ``historic``, ``in_flight``, ``counters``, and ``earlier`` ones."""
    found = json.loads((_FOLDER / f"operations-{release}.json").read_text(encoding="utf-8"))
    return {int(osd): answers for osd, answers in found[scene].items()}


def answers(release: str, scene: str, osd: int) -> Answers:
    """The recorded answers of one OSD, parsed."""
    told = recorded(release, scene)[osd]
    historic, unread = parsing.operations(text(told["historic"]), in_flight=False)
    in_flight, also_unread = parsing.operations(text(told["in_flight"]), in_flight=True)
    assert unread == also_unread == 0
    last = parsing.counters(text(told["counters"]))
    return Answers(
        osd,
        {one.key: one for one in (*historic, *in_flight)},
        parsing.counters(text(told["earlier"])) if "earlier" in told else {},
        last,
        seconds=_SECONDS if "earlier" in told else 0.0,
    )


def text(document: Any) -> bytes:
    return json.dumps(document).encode()


def stamp(seconds: float) -> str:
    """An OSD's stamp, so many seconds after a full hour."""
    minutes, rest = divmod(seconds, 60)
    return f"2026-11-22T21:{int(minutes):02d}:{rest:09.6f}+0000"


def operation(
    *events: tuple[float, str],
    kind: str = "osd_op",
    flags: str = "ondisk+write+known_if_redirected",
    age: Optional[float] = None,
    number: int = 1,
) -> dict[str, Any]:
    """An entry of a dump, its events at these seconds; ``age`` is what the OSD tells."""
    described = f"{kind}(client.4146.0:{number} 2.1f 2:ab::: [write 0~8192] snapc 0=[] {flags} e30)"
    return {
        "description": described,
        "initiated_at": stamp(events[0][0]),
        "age": age if age is not None else 10.0,
        "duration": events[-1][0] - events[0][0],
        "type_data": {"events": [{"time": stamp(at), "event": name} for at, name in events]},
    }


def dump(entries: Sequence[Any], **more: Any) -> bytes:
    return text({"size": 20, "duration": 600, "ops": list(entries), **more})
