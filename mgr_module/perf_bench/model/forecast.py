"""What a round would do to the cluster, beyond its plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from .client_impact import ClientImpact
from .quiesce import SettingChange
from .wear import ClassWear


@dataclass(frozen=True)
class Forecast:
    """Wear by device class, what clients will feel, and the settings that are held meanwhile.

    ``holds`` is None if the settings cannot be read now. They are put back at the end, and after
    ``held_seconds`` in any case.
    """

    wear: tuple[ClassWear, ...]
    clients: ClientImpact
    holds: Optional[tuple[SettingChange, ...]]
    held_seconds: float
