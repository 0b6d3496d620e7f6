"""Wiring only: the parts, ceph-mgr's hooks, and who gives what to whom."""

from __future__ import annotations

import errno
import threading
import time
from typing import Any, ClassVar, Optional, Union

from mgr_module import MgrModule, MgrStandbyModule, NotifyType, Option
from rados import Rados

from . import cli, remote
from .api import Api, Parts
from .bench import Bench
from .bench.world import Loads, World
from .ceph.charts import MgrCharts
from .ceph.checksums import LIMIT as ASK_LIMIT
from .ceph.checksums import MgrOpThreads, RadosAsker
from .ceph.client import open_client
from .ceph.clock import SystemClock
from .ceph.cluster import MgrCluster, mon_hosts, release_of
from .ceph.commands import RadosCommands
from .ceph.counters import MgrCounters
from .ceph.database import backend_of, open_database
from .ceph.defaults import Defaults
from .ceph.endpoint import Endpoint
from .ceph.falls import MgrFalls
from .ceph.health_reports import MgrOsdHealth
from .ceph.loader import ProcessLoader
from .ceph.members import MgrMembers
from .ceph.mons import Mons
from .ceph.options import MgrOptions, options
from .ceph.orchestrator import MgrOrchestrator
from .ceph.outlook import MgrOutlook
from .ceph.pgs import MgrPgStates
from .ceph.pools import MgrPools
from .ceph.probe import LIMIT as PROBE_LIMIT
from .ceph.probe import RadosProber
from .ceph.progress import MgrProgress
from .ceph.reads import reads
from .ceph.registry import command_registry
from .ceph.settings import TUNING_JOURNAL, MonJournal, MonSettings, MonTraces
from .ceph.voice import MgrVoice
from .collect.asking import Asking
from .collect.benched import Benched
from .collect.builds import Builds
from .collect.checksums import ChecksumCollector
from .collect.collector import Collector
from .collect.probing import Probing
from .crc import Crc
from .detect.settings import Settings
from .errors import InvalidValue, StoreUnavailable
from .heir import Heir
from .hosts import Hosts
from .model.finding import Claim
from .orchestrated import Orchestrated
from .ports import Clock, Commands, Prober, Voice
from .practice import Practice
from .report.health import CODES
from .report.metrics_text import CONTENT_TYPE
from .run.load import Traces
from .shelves import HousedCluster, HousedMembers, Shelves
from .store.desk import Desk
from .store.sqlite import SqliteRoundStore
from .timetable import Timetable
from .tuning import Tuning
from .warden import Grounds, Warden
from .watch import Watch
from .watch.around import Around, Senses

# How long serve() waits before it tries again to read the database.
_WAKE_EVERY = 5.0
_CLOSE_LIMIT = 5.0
# How often it is looked after rounds and what they change; a round that does harm is ended within.
_CARE_EVERY = 2.0
# A round of before may be carried on as soon as the database answers; what it changed is not left
# as it is for longer than this.
_ROUND_PATIENCE = 60.0
# Seconds that the monitors have for an answer.
_MON_LIMIT = 15
# A tick that runs when the mgr stops may end first.
_WATCH_LIMIT = 5.0
# A process that reads for a round is not needed for longer: twelve rests of two hours are a day.
_READER_SECONDS = 2 * 86400.0


class Module(MgrModule):
    """The active module."""

    COMMANDS: ClassVar[list[dict[str, Any]]] = cli.descriptors()
    CLICommand = command_registry()
    NOTIFY_TYPES: ClassVar[list[NotifyType]] = []
    MODULE_OPTIONS: ClassVar[list[Option]] = options(CODES)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._stopped = threading.Event()
        self._trouble = ""
        self._options = MgrOptions(self, CODES)
        clock = SystemClock()
        store = SqliteRoundStore(lambda: open_database(self), backend_of(self))
        self._desk = Desk(store, self.log)
        self._hosts = Hosts(self._desk, clock, self.log)
        benched = Benched()
        maps = MgrCluster(self, clock)
        self._mons = Mons(lambda: self._open_client(_MON_LIMIT))
        outlook = MgrOutlook(self, clock, MgrOsdHealth(self, clock), self._mons)
        self._shelves = Shelves(
            self._hosts, maps, MgrFalls(self, outlook, self._mons, clock), clock
        )
        cluster = HousedCluster(maps, self._shelves)
        grounds = Grounds(
            outlook,
            MonJournal(self._mons),
            MonSettings(self._mons),
            self._appoint,
            self._client_seconds,
            clock,
            self.log,
        )
        self._warden = Warden(grounds, self._options.care)
        loader = ProcessLoader(self._access)
        world = World(
            cluster=cluster,
            open_commands=self._open_commands,
            desk=self._desk,
            progress=MgrProgress(self, clock),
            clock=clock,
            log=self.log,
            warden=self._warden,
            loads=Loads(
                loader,
                MgrPools(self, self._mons),
                Traces(MonTraces(self._mons), loader, self.log),
            ),
            benched=benched,
        )
        self._bench = Bench(world, lambda: self._options.max_parallel)
        voice = MgrVoice(self)
        self._timetable = Timetable(self._bench, self._desk, voice, clock, self.log)
        builds = Builds(self.log)
        self._practice = Practice(
            MgrCharts(self, cluster, self._mons, builds.seen),
            self._bench,
            self._hosts,
            clock,
            self.log,
            self._watch_tick,
        )
        members = HousedMembers(MgrMembers(self, clock), self._shelves)
        self._orchestrated = Orchestrated(
            MgrOrchestrator(self, self.log), self._hosts, cluster, clock, self.log
        )
        self._crc = Crc(
            ChecksumCollector(
                MgrCounters(self), members, MgrOpThreads(self, clock.monotonic), clock, benched
            ),
            self._hosts,
            self._shelves,
            self._desk,
            clock,
            self.log,
        )
        self._watch = self._make_watch(clock, benched, voice, members)
        asking = Asking(
            RadosAsker(lambda: self._open_client(ASK_LIMIT)),
            self._crc,
            lambda: self._options.crc_asked,
            benched,
            clock,
            self.log,
        )
        asking.also(builds.ask)
        self._asking = threading.Thread(
            target=asking.run, args=(self._stopped,), name="perf-bench-crc", daemon=True
        )
        self.api = Api(
            Parts(
                timetable=self._timetable,
                watch=self._watch,
                hosts=self._hosts,
                practice=self._practice,
                shelves=self._shelves,
                crc=self._crc,
                tuning=Tuning(self._practice, MonSettings(self._mons), self._tuning_journal),
                cluster=cluster,
                desk=self._desk,
                clock=clock,
                release=lambda: release_of(self),
            )
        )
        self._endpoint = Endpoint(self._metrics, CONTENT_TYPE, self.log)
        self._defaults = Defaults(self, self._mons, clock, self.log, self.config_notify)
        self._watcher = threading.Thread(
            target=self._watch.run, args=(self._stopped,), name="perf-bench-watch", daemon=True
        )

    def _make_watch(
        self, clock: Clock, benched: Benched, voice: Voice, members: HousedMembers
    ) -> Watch:
        senses = Senses(
            collector=Collector(MgrCounters(self), members, clock, benched),
            pgs=MgrPgStates(self),
            health=MgrOsdHealth(self, clock),
            probing=Probing(self._open_prober, clock, self.log),
            regressions=self._bench.regressions,
            others=self._claims,
        )
        around = Around(self._desk, voice, clock, self.log)
        return Watch(senses, around, self._settings(), self._options.watch, self._running_round)

    def _settings(self) -> Settings:
        try:
            return Settings.of(self._options.detector)
        except InvalidValue as error:
            self.log.warning("mgr/perf_bench/detector is left aside: %s", error)
            return Settings()

    def _tuning_journal(self, shard: int) -> MonJournal:
        return MonJournal(self._mons, f"{TUNING_JOURNAL}/{shard}")

    def _watch_tick(self) -> Optional[tuple[float, float]]:
        took = self._watch.pulse.seconds
        return None if took is None else (took, self._watch.options().tick_seconds)

    def _client_seconds(self) -> Optional[float]:
        return self._watch.client_seconds()

    def _running_round(self) -> Optional[int]:
        active = self._bench.active
        return None if active is None else active.round.id

    def serve(self) -> None:
        """Read the database as soon as it answers; then the round's own thread does the work."""
        self._watcher.start()
        self._asking.start()
        self.config_notify()
        said, began = "", time.monotonic()
        while not self._stopped.is_set():
            try:
                self._bench.wake()
                break
            except Exception as error:  # noqa: BLE001 - whatever it is, it may pass
                if str(error) != said:  # once, not every few seconds through an outage
                    self.log.warning("the database is not there yet: %s", error)
                    said = str(error)
            if time.monotonic() - began > _ROUND_PATIENCE:
                self._care()
            self._stopped.wait(_WAKE_EVERY)
        while not self._stopped.is_set():
            self._care()
            self._keep_time()
            self._guarded(self._practice)
            self._guarded(self._defaults)
            self._guarded(self._orchestrated)
            self._stopped.wait(_CARE_EVERY)

    def _care(self) -> None:
        """One tick of what looks after the cluster; whatever goes wrong, the next one comes."""
        try:
            self._warden.tick()
            self._trouble = ""
        except Exception as error:
            if str(error) != self._trouble:
                self.log.exception("a look at the cluster failed")
                self._trouble = str(error)

    def _keep_time(self) -> None:
        """The same of the schedules."""
        try:
            self._timetable.tick()
        except StoreUnavailable as error:
            self.log.warning("schedules wait for the database: %s", error)
        except Exception:
            self.log.exception("a look at the schedules failed")

    def _guarded(self, looker: Union[Practice, Shelves, Crc, Defaults, Orchestrated]) -> None:
        """The same of all else that looks now and then, as the doctor does."""
        try:
            looker.tick()
        except Exception:
            self.log.exception("%s failed", type(looker).__name__)

    def _claims(self) -> list[Claim]:
        """What is told beside what the watch sees.

        On its thread enclosures are looked at, too: that waits for nothing, and the threads that
        wait for the database are held up just when an enclosure takes placement groups with it.
        """
        self._guarded(self._shelves)
        options = self._options.watch()
        self._crc.on, self._crc.hot_share = options.on, options.crc_hot_share
        self._guarded(self._crc)
        return [
            *self._warden.claims(),
            *self._timetable.claims(),
            *self._practice.claims(),
            *self._shelves.claims(),
            *self._crc.claims(),
        ]

    def shutdown(self) -> None:
        """Leave a running round to the next active mgr and let go of the database."""
        self._stopped.set()
        self._endpoint.stop()
        if self._watcher.ident is not None:
            self._watcher.join(_WATCH_LIMIT)
            self._watch.leave()
        self._bench.leave()
        self._warden.leave()
        self._mons.close()
        self._desk.close(_CLOSE_LIMIT)

    def config_notify(self) -> None:
        """ceph-mgr's word that an option was changed; most are read where they are used."""
        if self._stopped.is_set():
            return
        problem = self._endpoint.configure(self._options.metrics_at)
        if problem:
            self.log.error("%s", problem)

    def handle_command(self, inbuf: str, cmd: dict[str, Any]) -> tuple[int, str, str]:
        """ceph-mgr's way in for every command of ``COMMANDS``."""
        try:
            return cli.dispatch(self.api, cmd, inbuf or "")
        except Exception:
            self.log.exception("%s failed", cmd)
            return -errno.EIO, "", "internal error: the log of the active mgr says more"

    def answer(self, question: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The dashboard's way in, by ``mgr.remote``; an exception would not survive the way."""
        try:
            return remote.answer(self.api, question, arguments)
        except Exception:
            self.log.exception("no answer to %s %s", question, arguments)
            return remote.crash()

    def load_schema(self, db: Any) -> None:
        """Ceph 17+ would make its own tables here; our migrations do (see store/schema)."""

    def _metrics(self) -> str:
        return self.api.metrics.text(per_osd=self._options.metrics_per_osd)

    def _open_commands(self) -> Commands:
        limit = self._options.bench_timeout
        name, keyring, mons = f"mgr.{self.get_mgr_id()}", self._keyring(), mon_hosts(self)
        client = open_client(name, keyring, mons, limit)
        return RadosCommands(client, limit, reads(name, keyring, mons, limit, _READER_SECONDS))

    def _open_prober(self) -> Prober:
        return RadosProber(self, self._open_client(PROBE_LIMIT))

    def _appoint(self) -> Heir:
        return Heir(f"mgr.{self.get_mgr_id()}", self._keyring(), mon_hosts(self))

    def _access(self) -> dict[str, str]:
        """As whom, and where, a process of ours connects."""
        return {
            "name": f"mgr.{self.get_mgr_id()}",
            "keyring": self._keyring(),
            "mon_host": mon_hosts(self),
        }

    def _keyring(self) -> str:
        return str(self.get_ceph_option("keyring") or "")

    def _open_client(self, limit: float) -> Rados:
        return open_client(f"mgr.{self.get_mgr_id()}", self._keyring(), mon_hosts(self), limit)


class StandbyModule(MgrStandbyModule):
    """On standby there is nothing to do: the database belongs to the active mgr alone."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._stopped = threading.Event()

    def serve(self) -> None:
        self._stopped.wait()

    def shutdown(self) -> None:
        self._stopped.set()
