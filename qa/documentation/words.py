"""What commands and their arguments mean, in more words than the table of questions has.

The page of commands needs them, and the dashboard's documentation of the REST API. A test fails
while an argument has no words, or words are of no argument.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from perf_bench.answers.question import Argument, ArgumentKind, Question


class Words(NamedTuple):
    """How an argument's value is written, and what it means."""

    value: str
    meaning: str


_PROFILE = "a profile: `ceph perf-bench profile ls`"
_OSDS = "the OSDs: an [expression](#osds)"

# By "argument", or by "command argument" where that one differs.
_ARGUMENTS: Mapping[str, Words] = {
    "limit": Words("N", "at most so many rows"),
    "offset": Words("N", "leave out so many rows at the beginning"),
    "sort": Words("KEY", "a key of the JSON answer; `-KEY` for the other direction"),
    "name": Words("NAME", "the schedule's name"),
    "profile show name": Words("NAME", _PROFILE),
    "profile history name": Words("NAME", _PROFILE),
    "schedule add name": Words("NAME", "a name of your own for the schedule"),
    "host show name": Words("NAME", "the host's name in the CRUSH map"),
    "profile": Words("PROFILE", _PROFILE),
    "baseline set profile": Words("PROFILE", "by default the round's own"),
    "osd ls profile": Words("PROFILE", "show the newest bench of this profile"),
    "osds": Words("EXPR", _OSDS),
    "pool": Words("POOL", "where clients read and write; by default `perf_bench`, made if missing"),
    "clients": Words("N", "number of `rados bench`; of a search the most"),
    "threads": Words("N", "operations in flight of each client; of a search the most"),
    "seconds": Words("N", "how long each run takes"),
    "workers": Words("NAMES", "run the clients on [other hosts](workers.md): `all`, or names"),
    "size": Words("BYTES", "size of a write or an object, as `64K`"),
    "repeats": Words("N", "exactly so many repeats; with `--max-repeats` at least so many"),
    "max_repeats": Words("N", "at most so many repeats"),
    "rest": Words("TIME", "length of a rest of `osd-sandwich`, as `20m`"),
    "rests": Words("N", "number of rests of `osd-sandwich`"),
    "solo": Words("EXPR", "the OSDs that `osd-sandwich` measures alone; default: the lowest ID"),
    "label": Words("TEXT", "a note that is kept with the round"),
    "dry_run": Words("", "show the plan and every reason against it, and change nothing"),
    "force": Words("", "override most reasons; the round records them"),
    "foreign_pool": Words("", "use a pool with another application or other objects in it"),
    "kind": Words("KIND", "only rounds of this kind: `osd`, `rados`, `fio`, `elbencho`, `warp`"),
    "state": Words("STATE", "only rounds in this state, as `done` or `running`"),
    "comparable": Words("ID", "of the newest 200 rounds of its profile, those to compare with it"),
    "osd": Words("ID", "only what concerns this OSD, as `3` or `osd.3`"),
    "a": Words("A", "the ID of the earlier round"),
    "b": Words("B", "the ID of the later round"),
    "fail_on": Words(
        "VERDICTS",
        "exit code 34 if the verdict is one of these, with commas: `better`, `worse`, `same`, "
        "`inconclusive`, `not-comparable`",
    ),
    "round export as": Words(
        "FORMAT",
        "`json` (default), `csv`, `openmetrics`, `html`, or `cbt`: the curve of `rados-saturate` "
        "for [CBT](profiles.md#cbt)",
    ),
    "round import as": Words("TOOL", "`fio`, `elbencho` or `warp`"),
    "raw": Words("", "the rows as they are [stored](store.md)"),
    "results": Words(
        "FILE",
        "what `fio --output-format=json`, `elbencho --jsonfile` or `warp analyze --json` wrote",
    ),
    "every": Words("TIME", "the interval, as `1d`"),
    "cron": Words(
        "TEXT",
        "five fields as of cron, in quotes: `'0 3 * * 6'`",
    ),
    "window": Words("HOURS", "start only within these hours, as `01:00-05:00`"),
    "timezone": Words(
        "TZ", "of the window and of cron, as `Europe/Berlin`; default UTC; not `localtime`"
    ),
    "missed": Words("HOW", "what to do with runs that were missed: `once` (default) or `skip`"),
    "backup": Words("FILE", "the name that `ceph perf-bench store status` shows"),
    "yes_i_really_mean_it": Words("", "needed, because it has an effect at once"),
    "apply": Words("", "set the proposed values"),
    "beyond": Words("", "also values out of the range in which Ceph takes figures"),
    "affinity": Words("N", "primary affinity, 0 to 1: clients read from other copies"),
    "reweight": Words("N", "reweight, 0 to 1: data moves to other OSDs"),
    "undo": Words("", "put back exactly what was before"),
    "class": Words("CLASS", "only OSDs of this device class"),
    "osd ls host": Words(
        "NAME", "not with the `ceph` client, see [below](#traps-of-the-ceph-client)"
    ),
    "enclosure show id": Words("ID", "the enclosure: `ceph perf-bench enclosure ls`"),
    "host import host": Words("HOST", "the host's name in the CRUSH map"),
    "since": Words("TIME", "how far back, as `6h`; default `1d`"),
    "report since": Words("TIME", "how far back, `1h` to `30d`; default `30d`"),
    "report as": Words("FORMAT", "`html` (default) or `json`"),
    "all": Words("", "closed ones too"),
    "for": Words("TIME", "for how long, as `1d`"),
    "text": Words("TEXT", "the note, in quotes"),
    "by": Words("NAME", "who says so"),
    "remove": Words("", "remove the note"),
    "no_osds": Words("", "without the metrics of single OSDs"),
    "worker next id": Words("NAME", "the worker's name; caps of a key can name it"),
    "worker tell id": Words("NAME", "the worker's name; caps of a key can name it"),
    "message": Words("FILE", "what the worker sends as JSON, at most 64 KiB"),
    "facts": Words("FILE", "what `ceph-perf-bench facts` printed there"),
}
# Of arguments that only the REST API has.
_REST: Mapping[str, Words] = {
    "search": Words("TEXT", "only entries in which this text stands"),
    "samples": Words("", "also the samples of these OSDs; true where nothing is said"),
    "round show osd": Words("ID", "only this OSD"),
    "part": Words("N", "which part, from 0 on; the answer says how many there are"),
    "channel": Words("CHANNEL", "only this latency: `commit`, `read`, `queue`, …"),
    "begin": Words("N", "the begin in unix seconds"),
    "end": Words("N", "the end in unix seconds"),
    "option set name": Words("NAME", "its name, without mgr/perf_bench/"),
    "value": Words("VALUE", "its value, as in `ceph config set`; without it its default"),
}
_IDS = {
    ArgumentKind.ROUND_ID: Words("ID", "the round's number: `ceph perf-bench round ls`"),
    ArgumentKind.FINDING_ID: Words("ID", "the finding's number: `ceph perf-bench finding ls`"),
    ArgumentKind.OSD_ID: Words("ID", "the OSD, as `3` or `osd.3`"),
}

NOTES: Mapping[str, str] = {
    "status": "The running round with its progress and the OSDs whose bench takes longer than 30 "
    "s, the watch, the database. No round can start before `store.ready` (JSON) is true.",
    "profile history": "Its rounds in order, where their level changed, and known causes.",
    "round start": "For OSDs (`osd-…`) and for clients (`rados-…`); [profiles](profiles.md) has "
    "what each does, [safety](safety.md) what it changes in the cluster.\n\n"
    "- `rados-write`, `rados-seq`, `rados-rand`: several `rados bench` at the same time, on the "
    "host of the active mgr or, with `--workers`, on other hosts. The objects have a namespace of "
    "the round and are removed at its end, also after a crash.\n"
    "- `rados-saturate`, `rados-saturate-rand`: finds the load at which throughput stops rising, "
    "with at most a third of the runs of a full grid, and shows the curve, the knee and the "
    "recommended load.",
    "round export": "A whole round; the page of a round in the tab saves the same files.",
    "round import": "As a round of kind `fio`, `elbencho` or `warp`, which is compared only with "
    "rounds of its kind.",
    "round compare": "Better, worse, the same or inconclusive, in all and for each OSD, with "
    "interval and p; or why they cannot be compared: [statistics](statistics.md). The exit code is "
    "for [pipelines](monitoring/README.md#in-a-pipeline); the comparison is printed in any case.",
    "worker ls": "With their state and clock difference.",
    "schedule add": "One of `--every` and `--cron` is needed.",
    "osd why": "What is asked and how it is read: [why an OSD is slow](why.md).",
    "finding ls": "Ends with what could not be looked at. Ceph's own alerts are in `alert ls`.",
    "finding show": "With its evidence, and with the next steps as commands: what to check, how to "
    "relieve it, how to replace the drive safely.",
    "finding ack": "Its health check stays; to leave it out of health, mute it. The tab notes the "
    "user by itself.",
    "osd relieve": "Nothing is relieved or put back by itself. What somebody has changed since "
    "stays.",
    "alert ls": "Which OSDs they name, and whether these are slower than their peers now.",
    "coverage ls": "Other lists end with the part of it that concerns them.",
    "doctor": "Worst first, with the value, the reason, the command and the source. Advice on a "
    "risk to the cluster (databases, memory, mClock capacities, debug builds) raises "
    "`PERF_BENCH_CONFIG_RISK` once two checks in a row, ten minutes apart, have found it.",
    "mclock propose": "`--beyond` needs three valid rounds that agree.",
    "crc ls": "The share of op thread time that OSDs spend on checksums (now, over the last hour, "
    "in bursts), and error counters of links and media.",
    "store status": "Its size, what takes it, backups, what was set aside or removed: "
    "[the database](store.md).",
    "report": "One file. Of rounds it looks at the newest 500. A part that cannot be read is named "
    "in it, and the others are there.",
    "metrics": "All [metrics](monitoring/README.md).",
    "trace export": "For `qa/replay`. Too large for one answer: ask in parts, by `--osds`.",
}


def words_of(question: Question, argument: Argument) -> Words:
    """Its words. Raises KeyError if it has none."""
    for name in (f"{question.name} {argument.name}", argument.name):
        for words in (_ARGUMENTS, _REST):
            if name in words:
                return words[name]
    return _IDS[argument.kind]


def unused(questions: Sequence[Question]) -> set[str]:
    """Words that are of no argument, and notes that are of no command."""
    questions = [one for one in questions if one.is_command]
    arguments = {one.name for question in questions for one in question.arguments}
    both = {f"{one.name} {argument.name}" for one in questions for argument in one.arguments}
    names = {one.name for one in questions}
    return {key for key in _ARGUMENTS if key not in arguments | both} | (NOTES.keys() - names)
