"""What the last rounds showed the cluster can do for its clients."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Optional

from ...model.admission import Load
from ...model.bench import MIB
from ...model.round import OsdResult


def possible(results: Iterable[tuple[int, OsdResult]], osds: int, copies: float) -> Load:
    """What clients could have at most, from the newest result of each OSD and profile.

    ``results`` are pairs of a block size and a result; ``osds`` is how many are in the cluster,
    and those that were not measured are taken to be like the mean of those that were. A client's
    write is ``copies`` writes of OSDs (the data's size on the devices over its own: 3 for
    replicas, 1.5 for 4+2). Reads cost one, so of clients that read this is on the careful side.
    Bandwidth comes from blocks of 1 MiB and more, operations from smaller ones. It is the sum
    of the OSDs, each measured alone: an upper bound, as of a cluster whose network, CPUs and
    enclosures hold nothing back.
    """
    bandwidths, operations = {}, {}
    for block_size, result in results:
        if block_size >= MIB and result.median_bytes_per_second is not None:
            bandwidths[result.osd] = result.median_bytes_per_second
        elif block_size < MIB and result.median_iops is not None:
            operations[result.osd] = result.median_iops
    return Load(
        _whole(list(bandwidths.values()), osds, copies),
        _whole(list(operations.values()), osds, copies),
    )


def _whole(figures: list[float], osds: int, copies: float) -> Optional[float]:
    if not figures or osds < 1 or copies <= 0:
        return None
    return sum(figures) / len(figures) * osds / copies
