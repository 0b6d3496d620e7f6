"""A round's progress in ``ceph -s``, through the progress module."""

from __future__ import annotations

from typing import Optional

from mgr_module import MgrModule

from ..ports import Clock

# Seconds between updates, for which people who watch ``ceph -s`` need no more.
_EVERY_SECONDS = 1.0


class MgrProgress:
    """Implements Progress. Ignores errors of the progress module, which may be off."""

    def __init__(self, mgr: MgrModule, clock: Clock) -> None:
        self._mgr = mgr
        self._clock = clock
        self._told: dict[int, float] = {}

    def update(self, round_id: int, message: str, fraction: float) -> None:
        now = self._clock.monotonic()
        if now - self._told.get(round_id, -_EVERY_SECONDS) < _EVERY_SECONDS:
            return
        self._told[round_id] = now
        self._call(
            "update",
            _event(round_id),
            ev_msg=message,
            ev_progress=fraction,
            # Pairs: the dashboard makes a dict of them, and its summary fails on anything else.
            refs=[("mgr", "perf_bench")],
            add_to_ceph_s=True,
        )

    def end(self, round_id: int, failure: Optional[str] = None) -> None:
        if self._told.pop(round_id, None) is None:
            return
        if failure:
            self._call("fail", _event(round_id), failure)
        else:
            self._call("complete", _event(round_id))

    def _call(self, method: str, *args: object, **named: object) -> None:
        try:
            self._mgr.remote("progress", method, *args, **named)
        except Exception as error:  # noqa: BLE001 - remote() raises whatever the other did
            self._mgr.log.debug("progress.%s: %s", method, error)


def _event(round_id: int) -> str:
    return f"perf_bench-round-{round_id}"
