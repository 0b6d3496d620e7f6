"""Estimate the load that the cluster can take, from the last rounds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Optional

from ...model.admission import Load
from ...model.bench import MIB
from ...model.round import OsdResult


def possible(results: Iterable[tuple[int, OsdResult]], osds: int, copies: float) -> Load:
    """The highest load of clients, from the newest result of each OSD.

    ``results`` are pairs of a block size and a result, the newest round last; ``osds`` is the
    number of OSDs in the cluster. OSDs without a result count as the mean of the others. A client's
    write is ``copies`` writes of OSDs (3 for three replicas, 1.5 for 4+2); a read is only one, so
    the figure is low for clients that read. Bandwidth comes from blocks of 1 MiB and more,
    operations from smaller ones. The sum of OSDs measured alone is an upper bound: network, CPUs
    and enclosures are ignored.
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
