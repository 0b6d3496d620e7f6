"""Parse the operator's options into admission rules."""

from __future__ import annotations

from ...errors import InvalidValue, NotNow
from ...model.admission import Rules
from ...model.options import SafetyOptions
from ...model.phrases import GIB
from ...model.said import say
from ..schedule.timezones import zone
from ..schedule.windows import parse_window


def tolerated_of(options: SafetyOptions) -> tuple[str, ...]:
    """The health checks that do not prevent a round."""
    return tuple(options.tolerated.replace(",", " ").split())


def rules_of(options: SafetyOptions, attended: bool = True) -> Rules:
    """The rules. With ``attended`` False, unknown essentials count as refusals.

    Raises NotNow for an invalid option: then no round starts, not even with ``--force``.
    """
    try:
        window = parse_window(options.window) if options.window.strip() else None
    except InvalidValue as error:
        raise NotNow(
            say(
                "option-window-wrong",
                "the option mgr/perf_bench/admission_window: {why}",
                why=error.message,
            )
        ) from error
    try:
        zone(options.timezone)
    except InvalidValue as error:
        raise NotNow(
            say(
                "option-timezone-wrong",
                "the option mgr/perf_bench/admission_timezone: {why}",
                why=error.message,
            )
        ) from error
    return Rules(
        tolerated=tolerated_of(options),
        client_share=options.client_percent / 100,
        window=window,
        timezone=options.timezone,
        wear_bytes_per_day=options.wear_gib_per_day * GIB or None,
        flap_seconds=float(options.flap_seconds),
        maps_met=options.maps_met or None,
        attended=attended,
        may_raise=options.quiesce,
    )
