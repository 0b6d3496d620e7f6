"""What a user can ask: one method a question, answered in public JSON.

The CLI prints these answers; the dashboard's back end gets the very same through
``mgr.remote``. Every method returns within the store's limit and raises one of the error family.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Callable, Optional

from .bench import Bench
from .errors import InvalidValue, NotFound, PerfBenchError
from .model.bench import Sample
from .model.osd import Osd
from .model.profile import PROFILES, profile_named
from .model.request import Request
from .model.round import OsdResult, Round, RoundLine, RoundState
from .model.selection import Selection
from .ports import ROUND_SORTS, Clock, Cluster, RoundStore, StoreDesk
from .report import export, shapes
from .report.listing import matching, ordered, sort_key
from .report.osd_fields import osd_fields
from .report.shapes import Shape
from .version import VERSION

PAGE = 50
MOST = 500
# Of a round more is shown than of a list, slowest first: a cluster of a few racks is whole.
_SHOWN = 200
# Lists show the maps as they were at most this long ago; starting a round reads them anew.
_MAPS_AGE = 10.0
_STORE_AGE = 10.0
_OSD_SEARCH = ("osd", "host", "class", "device", "model", "enclosure")
# How many digits a map needs: the figures of 10,000 OSDs are most of its answer.
_MAP_DIGITS = {
    "bytes_per_second": 4, "iops": 4, "cv_percent": 3, "percent_of_peers": 3, "robust_z": 3,
}  # fmt: skip
_MAP = ("osd", "host", "rack", "class", "up", *_MAP_DIGITS, "round")


class Api:
    """The questions. Built once by ``module.py``; safe to call from any thread."""

    def __init__(
        self,
        bench: Bench,
        cluster: Cluster,
        desk: StoreDesk,
        clock: Clock,
        release: Callable[[], str],
    ) -> None:
        self._bench = bench
        self._cluster = cluster
        self._desk = desk
        self._clock = clock
        self._release = release
        # What the store said of itself last, and when.
        self._stored: tuple[float, Shape] = (-math.inf, {})

    # --- the whole ---------------------------------------------------------------------------

    def status(self) -> Shape:
        """How things stand; answers also while the database does not (``store.error``)."""
        return {
            "version": VERSION,
            "release": self._release(),
            "active_round": self._active_round(),
            "scheduler": {"enabled": False, "next": None},
            "findings": {"error": 0, "warning": 0, "info": 0},
            "watch": {
                "osds": len(self._cluster.osds(_MAPS_AGE)),
                "tick_seconds": None,
                "last_tick_at": None,
            },
            "store": self._store(),
            "quiesce": {"state": "idle"},
        }

    def _active_round(self) -> Optional[Shape]:
        active = self._bench.active
        if active is None:
            return None
        eta = active.eta(self._clock.monotonic())
        return {
            "id": active.round.id,
            "profile": active.round.profile,
            "phase": active.phase,
            "progress": round(active.progress(), 4),
            "eta_seconds": None if eta is None else round(eta, 1),
            "samples": active.done,
            "samples_planned": active.round.plan.samples,
        }

    def _store(self) -> Shape:
        """How the store is; while a round runs, how it was at most ``_STORE_AGE`` ago.

        A look costs the cluster four writes (SQLite's lock on RADOS), and who waits for a round
        looks often: the OSDs that are being measured would feel it.
        """
        asked_at, seen = self._stored
        now = self._clock.monotonic()
        if self._bench.active is not None and now - asked_at < _STORE_AGE:
            return seen

        def read(store: RoundStore) -> Shape:
            return {
                "backend": store.backend,
                "rounds": store.rounds(limit=0)[1],
                "schema_version": store.schema_version(),
                "error": None,
            }

        try:
            self._stored = now, self._desk.ask(read, limit=2.0)
            return self._stored[1]
        except PerfBenchError as error:
            return {"backend": None, "rounds": None, "schema_version": None, "error": str(error)}

    # --- profiles ----------------------------------------------------------------------------

    def profile_ls(self) -> list[Shape]:
        return [shapes.profile(profile) for profile in PROFILES.values()]

    def profile_show(self, name: str) -> Shape:
        return shapes.profile(profile_named(name))

    # --- rounds ------------------------------------------------------------------------------

    def round_plan(self, request: Request) -> Shape:
        """The dry run: what ``round_start`` would do."""
        prepared = self._bench.prepare(request)
        return shapes.plan(prepared.plan, prepared.admission.reasons)

    def round_start(self, request: Request) -> Shape:
        """Start a round; returns once it is stored."""
        return {"id": self._bench.start(request).id}

    def round_ls(
        self,
        kind: Optional[str] = None,
        state: Optional[str] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        search: Optional[str] = None,
        sort: Optional[str] = None,
    ) -> tuple[list[Shape], int]:
        """A page of rounds, newest first unless sorted, and how many there are in all.

        ``search`` is looked for, whatever its case, in what a table of rounds shows of each.
        """
        if kind is not None and kind not in ("osd", "rados"):
            raise InvalidValue(f"--kind {kind}: one of osd, rados is needed", field="kind")
        wanted = _state(state) if state is not None else None
        first, count = _page(limit, offset)
        order = sort or "-id"
        sort_key(order, ROUND_SORTS)
        found, total = self._desk.ask(
            lambda store: store.rounds(kind, wanted, count, first, search or "", order)
        )
        return [shapes.round_line(self._current_line(line)) for line in found], total

    def round_show(
        self,
        round_id: int,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        samples: bool = True,
        osd: Optional[int] = None,
    ) -> Shape:
        """A round with a page of its OSDs, slowest against their peers first; or with one OSD."""
        first, count = _page(limit if limit is not None else _SHOWN, offset)
        if osd is not None:
            return self._round_of(round_id, osd)
        return self._round(round_id, count, first, samples)

    def round_export(self, round_id: int, format_: str) -> str:
        """A whole round as the text of a file."""
        export.checked(format_)
        return export.export(self._round(round_id, None, 0), format_)

    def round_abort(self, round_id: Optional[int]) -> Shape:
        """Ask the running round to end; returns at once."""
        return {"id": self._bench.abort(round_id).id}

    def round_rm(self, round_id: int) -> Shape:
        self._bench.remove(round_id)
        return {"id": round_id}

    def _round(
        self, round_id: int, limit: Optional[int], offset: int, samples: bool = True
    ) -> Shape:
        def read(store: RoundStore) -> tuple[Round, list[OsdResult], list[Sample], int]:
            round_ = store.round(round_id)
            results, total = store.results(round_id, limit, offset)
            whole = len(results) == total
            osds = None if whole else [result.osd for result in results]
            return round_, results, store.samples(round_id, osds) if samples else [], total

        round_, results, measured, total = self._desk.ask(read)
        return shapes.round_whole(self._current(round_), results, measured, total)

    def _round_of(self, round_id: int, osd: int) -> Shape:
        def read(store: RoundStore) -> tuple[Round, list[OsdResult], list[Sample]]:
            results = [row for row in store.results(round_id)[0] if row.osd == osd]
            return store.round(round_id), results, store.samples(round_id, [osd])

        round_, results, measured = self._desk.ask(read)
        return shapes.round_whole(self._current(round_), results, measured, len(results))

    def _current(self, stored: Round) -> Round:
        """The running round as it is now: the store's row may be one step behind."""
        active = self._bench.active
        if active is not None and active.round.id == stored.id and not stored.state.ended:
            return active.round
        return stored

    def _current_line(self, stored: RoundLine) -> RoundLine:
        """The same for a line of a list."""
        active = self._bench.active
        if active is not None and active.round.id == stored.id and not stored.state.ended:
            return active.round.line
        return stored

    # --- OSDs --------------------------------------------------------------------------------

    def osd_ls(
        self,
        sort: Optional[str] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        expression: Optional[str] = None,
        profile: Optional[str] = None,
        search: Optional[str] = None,
    ) -> tuple[list[Shape], int]:
        """A page of OSDs with their newest bench (of ``profile``), and how many there are.

        ``expression`` selects OSDs as ``--osds`` of a round does.

        ``sort`` is a key of the answer, dotted where nested; with "-" before it descending.
        """
        if profile is not None:
            profile_named(profile)
        first, count = _page(limit, offset)
        osds = self._cluster.osds(_MAPS_AGE)
        if expression is not None:
            osds = Selection.parse(expression).select(osds)
        newest = self._newest(profile)
        fields = osd_fields(newest)
        if search:
            osds = matching(osds, fields, _OSD_SEARCH, search)
        page = ordered(osds, fields, sort or "osd")[first : first + count]
        return [shapes.osd(osd, _last_bench(newest.get(osd.id))) for osd in page], len(osds)

    def osd_map(self, profile: Optional[str] = None) -> Shape:
        """Every OSD with its newest bench (of ``profile``), a row of ``columns`` each.

        Figures have as many digits as a map shows: at 10,000 OSDs the digits are the answer.
        """
        if profile is not None:
            profile_named(profile)
        newest = self._newest(profile)
        osds = self._cluster.osds(_MAPS_AGE)
        rows = [_map_row(osd, newest.get(osd.id)) for osd in osds]
        return {"columns": list(_MAP), "rows": rows}

    def osd_show(self, osd_id: int) -> Shape:
        """One OSD with its history of rounds, newest first."""
        osd = next((o for o in self._cluster.osds(_MAPS_AGE) if o.id == osd_id), None)
        if osd is None:
            raise NotFound(f"osd.{osd_id}: no such OSD in this cluster")
        past = self._desk.ask(lambda store: store.history(osd_id))
        history = [shapes.last_bench(line, result) for line, result in past]
        measured = [entry for entry in history if entry["bytes_per_second"] is not None]
        return {
            **shapes.osd(osd, measured[0] if measured else None),
            "history": history,
            "findings": [],
            "explain": _explain(osd, measured),
        }

    def _newest(self, profile: Optional[str]) -> dict[int, tuple[RoundLine, OsdResult]]:
        """By OSD its newest result, of one profile or of any."""
        newest: dict[int, tuple[RoundLine, OsdResult]] = {}
        for (osd, name), entry in self._bench.latest.items():
            if profile in (None, name) and (osd not in newest or newest[osd][0].id < entry[0].id):
                newest[osd] = entry
        return newest


def _page(limit: Optional[int], offset: Optional[int]) -> tuple[int, int]:
    """(offset, limit), checked."""
    count = PAGE if limit is None else limit
    if not 1 <= count <= MOST:
        raise InvalidValue(f"--limit {count} is not within 1 to {MOST}", field="limit")
    first = 0 if offset is None else offset
    if not 0 <= first < 1 << 31:
        raise InvalidValue(f"--offset {first} is not 0 or more", field="offset")
    return first, count


def _state(text: str) -> RoundState:
    try:
        return RoundState(text)
    except ValueError:
        names = ", ".join(state.value for state in RoundState)
        raise InvalidValue(f"--state {text}: one of {names} is needed", field="state") from None


def _last_bench(bench: Optional[tuple[RoundLine, OsdResult]]) -> Optional[Shape]:
    return None if bench is None else shapes.last_bench(*bench)


def _map_row(osd: Osd, bench: Optional[tuple[RoundLine, OsdResult]]) -> list[Any]:
    place = [osd.id, osd.host, osd.location.get("rack"), osd.device_class, osd.up]
    if bench is None:
        return [*place, *[None] * (len(_MAP) - len(place))]
    found = bench[1]
    figures = (
        found.median_bytes_per_second, found.median_iops, found.cv_percent,
        found.percent_of_peers, found.robust_z,
    )  # fmt: skip
    return [*place, *map(_short, figures, _MAP_DIGITS.values()), bench[0].id]


def _short(value: Optional[float], digits: int) -> Optional[float]:
    """So many digits of it, without the ".0" of a whole number."""
    if value is None:
        return None
    short = float(f"{value:.{digits}g}")
    return int(short) if short.is_integer() else short


def _explain(osd: Osd, measured: Sequence[Any]) -> str:
    """What the newest measurement says of this OSD, in a sentence."""
    if not measured:
        return f"no round has measured osd.{osd.id} yet"
    newest = measured[0]
    figures = f"in round {newest['round']} ({newest['profile']}, {newest['verdict']})"
    if newest["percent_of_peers"] is None:
        return f"{figures} it had no peers of its device class and model to compare with"
    cv_percent = newest["cv_percent"]
    spread = "" if cv_percent is None else f", its repeats {cv_percent:.1f} % apart"
    return (
        f"{figures} it reached {newest['percent_of_peers']:.0f} % of the median of its peers "
        f"(z {newest['robust_z']:.1f}{spread})"
    )
