"""Short recordings made up to the figures of real ones, with labelled slow drives.

The recordings of the public fail-slow data set cannot be part of this repository: its licence is
not known. These have what was measured on four of its clusters: noise and its memory, differences
between drives and hosts, how latency follows load, how slow the labelled drives were; and its shape
of three hours a day. Same cluster and seed, same frames.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from farm import deviates
from perf_bench.model.finding import COMMIT, FRAME_SECONDS, Frame, Roster, Watched

DISKS = 12
DAY_FRAMES = 720  # three hours
_BEGAN = 1_700_006_400.0
_NAN = math.nan


@dataclass(frozen=True, eq=False)
class Cluster:
    """Standard deviations are of ln values; ``memory`` is from one frame to the next.

    ``noise`` is that of a frame's latency of a drive against its host, ``host_noise`` of the
    host; ``drives`` that of the lasting differences between drives. Load comes and goes by
    ``load``, and latency follows it with ``slope``; ``share`` is its lasting difference between
    drives, which latency does not follow. ``hosts_slow`` are hosts of another generation.
    """

    name: str
    hosts: int
    noise: float
    memory: float
    host_noise: float
    drives: float
    slow: Mapping[str, float]  # by drive how many times as slow
    load: float = 0.2
    slope: float = 0.1
    share: float = 0.1
    heavier: float = 1.0  # load of the slow drives
    hosts_slow: Mapping[int, float] = field(default_factory=dict)

    @property
    def roster(self) -> Roster:
        """Its drives; their numbers are their places."""
        return Roster(
            tuple(
                Watched(DISKS * host + disk, f"host_{host}/disk{disk + 1}", f"host_{host}", "drive")
                for host in range(self.hosts)
                for disk in range(DISKS)
            )
        )

    def frames(self, days: int, seed: int) -> Iterator[Frame]:
        """The first so many days; only the means are known, as in the recordings."""
        chance = deviates(random.Random(seed))  # noqa: S311  # a simulation
        roster = self.roster
        size = len(roster.members)
        ratio = [math.log(self.slow.get(member.name, 1.0)) for member in roster.members]
        own = [self.drives * next(chance) + more for more in ratio]
        lasting = [
            self.share * next(chance) + (math.log(self.heavier) if more else 0.0) for more in ratio
        ]
        host_level = [
            math.log(self.hosts_slow.get(host, 1.0)) + 0.1 * next(chance)
            for host in range(self.hosts)
        ]
        new = math.sqrt(1 - self.memory**2) * self.noise
        drift, weather, busy = [0.0] * size, [0.0] * self.hosts, [0.0] * size
        nothing, unmarked = [_NAN] * size, [0] * size
        for number in range(days * DAY_FRAMES):
            day, at = divmod(number, DAY_FRAMES)
            start = _BEGAN + 86400.0 * day + FRAME_SECONDS * at
            drift = [self.memory * old + new * next(chance) for old in drift]
            weather = [0.7 * old + 0.7 * self.host_noise * next(chance) for old in weather]
            busy = [0.6 * old + 0.8 * self.load * next(chance) for old in busy]
            latency = [
                math.exp(
                    host_level[place // DISKS]
                    + weather[place // DISKS]
                    + own[place]
                    + drift[place]
                    + self.slope * busy[place]
                )
                for place in range(size)
            ]
            load = [1e7 * math.exp(lasting[place] + busy[place]) for place in range(size)]
            yield Frame(
                start,
                start + FRAME_SECONDS,
                roster,
                {COMMIT: latency},
                {COMMIT: nothing},
                load,
                unmarked,
            )


CLUSTERS = (
    Cluster(
        "e-commerce", 4, 0.126, 0.45, 0.08, 0.022, {"host_1/disk11": 2.06, "host_3/disk8": 2.09}
    ),
    Cluster("block", 5, 0.113, 0.5, 0.06, 0.03, {"host_2/disk5": 183.0}, hosts_slow={4: 1.37}),
    # The noisy one: z of a segment is about 5.
    Cluster(
        "log",
        8,
        0.40,
        0.32,
        0.3,
        0.059,
        {
            "host_0/disk2": 1.98,
            "host_2/disk7": 2.07,
            "host_5/disk4": 2.17,
        },
        load=0.36,
        slope=0.5,
        share=0.36,
    ),
    # Much of its noise comes from load, and the slow drives have eight times the usual load,
    # which does not explain them: latency follows what comes and goes, not what lasts.
    Cluster(
        "log, more load",
        8,
        0.25,
        0.32,
        0.3,
        0.059,
        {"host_1/disk3": 2.0, "host_6/disk9": 2.1},
        load=0.36,
        slope=1.0,
        share=0.3,
        heavier=8.0,
    ),
    # Mild: 1.28 to 1.70 times, two drives on each host of another generation.
    Cluster(
        "mild",
        6,
        0.052,
        0.28,
        0.05,
        0.016,
        {
            "host_0/disk1": 1.28,
            "host_0/disk6": 1.48,
            "host_3/disk2": 1.35,
            "host_3/disk10": 1.7,
        },
        hosts_slow={0: 1.45, 3: 1.45},
    ),
)
