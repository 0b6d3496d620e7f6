"""Questions about OSDs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional

from ..answers.findings import FindingAnswers
from ..answers.paging import MAPS_AGE, matching, ordered, page_of
from ..answers.shape import to_json
from ..answers.text import rounded
from ..bench.planning import Result
from ..bench.service import Bench
from ..model.cluster import Cluster
from ..model.comparison import ClassRatios
from ..model.frame import CLIENT_READ, CLIENT_WRITE, COMMIT
from ..model.history import DAY
from ..model.json_fields import Json
from ..model.osd import Osd
from ..model.phrases import time_text
from ..model.profile import profile_named
from ..model.round import OsdResult, RoundLine
from ..model.selection import Selection, no_such_osd
from ..model.verdict import NoData, OsdSnapshot, OsdState
from ..report import osds as shapes
from ..store.sqlite import StoreThread
from ..watch.service import Watch
from .relief import ReliefApi

_OSD_SEARCH = ("osd", "host", "class", "device", "model", "enclosure", "serial")
# Significant digits in a map: the figures of 10,000 OSDs are most of its answer.
_MAP_DIGITS = {
    "bytes_per_second": 4, "iops": 4, "cv_percent": 3, "percent_of_peers": 3, "robust_z": 3,
}  # fmt: skip
# In whole percent, for the same reason.
_RATIOS = ("class_throughput_percent", "class_iops_percent")
_MAP = ("osd", "host", "rack", "class", "up", *_MAP_DIGITS, *_RATIOS, "round")
# For so many seconds a round's results are news, and so many slow OSDs of them are named.
_NEWS, _WORST = 7 * DAY, 5
_SEEN = ("osd", "state", "ratio", "risk", "commit_ms", "read_ms", "write_ms")


class OsdApi:
    """``ceph perf-bench osd …``."""

    def __init__(  # noqa: PLR0913, PLR0917 - as many as an OSD is known from
        self,
        bench: Bench,
        watch: Watch,
        cluster: Cluster,
        store_thread: StoreThread,
        seen: FindingAnswers,
        relief: ReliefApi,
        serials: Callable[[], Mapping[int, str]] = dict,
    ) -> None:
        """``serials`` returns by OSD the serial number of its drive, as hosts tell it."""
        self._bench = bench
        self._serials = serials
        self._watch = watch
        self._seen = seen
        self._relief = relief
        self._cluster = cluster
        self._store_thread = store_thread

    def ls(
        self,
        sort: Optional[str] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        expression: Optional[str] = None,
        profile: Optional[str] = None,
        search: Optional[str] = None,
    ) -> tuple[list[Json], int]:
        """A page of OSDs with their newest bench (of ``profile``), and how many there are.

        ``expression`` selects OSDs as ``--osds`` of a round does.

        ``sort`` is a key of the answer, dotted where nested; with "-" before it descending.
        """
        if profile is not None:
            profile_named(profile)
        first, count = page_of(limit, offset)
        osds = self._cluster.osds(MAPS_AGE)
        if expression is not None:
            osds = Selection.parse(expression).select(osds)
        newest = self._bench.results.newest(profile)
        osd_snapshot = self._watch.osd_snapshot()
        fields = shapes.osd_fields(newest, osd_snapshot, self._no_data)
        if search:
            serials = self._serials()
            fields = {**fields, "serial": lambda osd: serials.get(osd.id) or osd.device_id}
            osds = matching(osds, fields, _OSD_SEARCH, search)
        page = ordered(osds, fields, sort or "osd")[first : first + count]
        shown = [
            shapes.osd(osd, _last_bench(newest.get(osd.id)), osd_snapshot, self._no_data(osd))
            for osd in page
        ]
        return shown, len(osds)

    def map(self, profile: Optional[str] = None) -> Json:
        """Every OSD with its newest bench (of ``profile``), a row of ``columns`` each.

        Figures have as many digits as a map shows: at 10,000 OSDs the digits are the answer.
        """
        if profile is not None:
            profile_named(profile)
        newest = self._bench.results.newest(profile)
        osds = self._cluster.osds(MAPS_AGE)
        ratios = self._bench.results.class_ratios(
            {osd.id: osd.device_class for osd in osds}, profile
        )
        none = ClassRatios()
        rows = [_map_row(osd, newest.get(osd.id), ratios.get(osd.id, none)) for osd in osds]
        return {"columns": list(_MAP), "rows": rows}

    def slow_in_rounds(self, now: float) -> Json:
        """The OSDs that rounds of the last week measured as slow and that no open finding is about.

        Their number and the slowest. A single round leads to no finding, and the watch sees an OSD
        that is slow only under load when it has load. ``now`` is unix seconds.
        """
        since = now - _NEWS
        found = [one for one in self._bench.results.slow if (one[0].ended_at or 0.0) >= since]
        slowest: dict[int, Result] = {}
        if found:
            known = {osd.id for osd in self._cluster.osds(MAPS_AGE)} - self._seen.named()
            for line, result in found:
                if result.osd in known:
                    slowest.setdefault(result.osd, (line, result))
        worst = [
            {
                "osd": result.osd,
                "round": line.id,
                "percent_of_peers": rounded(result.percent_of_peers, 1),
            }
            for line, result in list(slowest.values())[:_WORST]
        ]
        return {"osds": len(slowest), "worst": worst}

    def latency(self) -> Json:
        """Every OSD with its latencies and its state, a row of ``columns`` each.

        ``states`` are named by their place; an answer of its own beside the map's, because 10,000
        OSDs with both are too much for one.
        """
        osd_snapshot, states = (
            self._watch.osd_snapshot(),
            {state: i for i, state in enumerate(OsdState)},
        )
        rows = [
            [osd.id, states[osd_snapshot.verdict(osd.id).state], *_seen(osd.id, osd_snapshot)]
            for osd in self._cluster.osds(MAPS_AGE)
        ]
        return {"columns": list(_SEEN), "states": [one.value for one in states], "rows": rows}

    def show(self, osd_id: int) -> Json:
        """One OSD with its history of rounds, newest first."""
        osd = next((o for o in self._cluster.osds(MAPS_AGE) if o.id == osd_id), None)
        if osd is None:
            raise no_such_osd(osd_id)
        past = self._store_thread.call(lambda store: store.history(osd_id))
        history = [shapes.last_bench(line, result) for line, result in past]
        # The history is that of the ID, which other OSDs had before.
        others = [line.id for line, _ in past if line.is_before(osd.created_at)]
        measured = [
            entry
            for entry in history
            if entry["bytes_per_second"] is not None and entry["round"] not in others
        ]
        unseen = self._slow_unseen(osd_id)
        sentences = [
            *([_unseen(*unseen)] if unseen else []),
            *self._watch.explain(osd_id),
            _explain(osd, measured),
            *_before(osd, others),
        ]
        return {
            **shapes.osd(
                osd,
                measured[0] if measured else None,
                self._watch.osd_snapshot(),
                self._no_data(osd),
            ),
            "primary_affinity": osd.primary_affinity,
            "reweight": osd.reweight,
            "relieved": self._relief.of(osd_id),
            "history": history,
            "findings": to_json(self._seen.of_osd(osd_id, osd.host)),
            "explain": " ".join(sentences),
            "slow_in_round": unseen[0].id if unseen else None,
            "sentences": sentences,
        }

    def _slow_unseen(self, osd_id: int) -> Optional[tuple[RoundLine, OsdResult]]:
        """What a round measured of an OSD that the watch finds as fast as its peers."""
        if self._watch.osd_snapshot().verdict(osd_id).state is not OsdState.OK:
            return None
        return next((one for one in self._bench.results.slow if one[1].osd == osd_id), None)

    def _no_data(self, osd: Osd) -> Optional[NoData]:
        """Why the watch has no verdict on it; None if it has one."""
        verdict = self._watch.osd_snapshot().verdict(osd.id)
        return self._watch.no_data(osd.id) if verdict.state is OsdState.NO_DATA else None


def _unseen(line: RoundLine, result: OsdResult) -> str:
    return (
        f"Round {line.id} measured osd.{result.osd} as slow, at "
        f"{result.percent_of_peers:.0f} % of its peers; in what clients do the "
        "watch does not see it."
    )


def _last_bench(bench: Optional[tuple[RoundLine, OsdResult]]) -> Optional[Json]:
    return None if bench is None else shapes.last_bench(*bench)


def _map_row(
    osd: Osd, bench: Optional[tuple[RoundLine, OsdResult]], ratios: ClassRatios
) -> list[Any]:
    place = [osd.id, osd.host, osd.location.get("rack"), osd.device_class, osd.up]
    if bench is None:
        return [*place, *[None] * (len(_MAP) - len(place))]
    found = bench[1]
    figures = (
        found.median_bytes_per_second, found.median_iops, found.cv_percent,
        found.percent_of_peers, found.robust_z,
    )  # fmt: skip
    shown = map(_short, figures, _MAP_DIGITS.values())
    return [
        *place,
        *shown,
        *(None if ratio is None else round(ratio) for ratio in ratios),
        bench[0].id,
    ]


def _seen(osd: int, osd_snapshot: OsdSnapshot) -> list[Any]:
    verdict = osd_snapshot.verdict(osd)
    figures = (
        verdict.ratio, verdict.risk or None, osd_snapshot.latency_ms(osd, COMMIT),
        osd_snapshot.latency_ms(osd, CLIENT_READ), osd_snapshot.latency_ms(osd, CLIENT_WRITE),
    )  # fmt: skip
    return [_short(figure, 3) for figure in figures]


def _short(value: Optional[float], digits: int) -> Optional[float]:
    """Round to ``digits`` significant digits, without the ".0" of whole numbers."""
    if value is None:
        return None
    short = float(f"{value:.{digits}g}")
    return int(short) if short.is_integer() else short


def _before(osd: Osd, rounds: Sequence[int]) -> list[str]:
    """A sentence about the rounds that measured another OSD with its ID, if any did."""
    if not rounds or osd.created_at is None:
        return []
    another = f"Rounds up to {max(rounds)} measured another OSD with the ID {osd.id}"
    return [f"{another}: this one was made at {time_text(osd.created_at)}."]


def _explain(osd: Osd, measured: Sequence[Any]) -> str:
    """A sentence about the OSD's newest measurement."""
    if not measured:
        return f"No round has measured osd.{osd.id} yet."
    newest = measured[0]
    number, profile, verdict = (newest[key] for key in ("round", "profile", "verdict"))
    where = f"In round {number} ({profile}, {verdict})"
    if newest["percent_of_peers"] is None:
        return f"{where} it had no peers of its device class and model to compare with."
    percent, z, cv_percent = (newest[key] for key in ("percent_of_peers", "robust_z", "cv_percent"))
    apart = "" if cv_percent is None else f", its repeats {cv_percent:.1f} % apart"
    return f"{where} it reached {percent:.0f} % of the median of its peers (z {z:.1f}{apart})."
