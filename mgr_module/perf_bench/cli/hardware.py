"""Commands of what OSDs stand on: hosts, enclosures, paths, links and media."""

from __future__ import annotations

from ..api import Api
from ..api.paging import Page
from ..report import crc, enclosures, hosts
from .command import Answer, Args, Command, paged


def _host_ls(api: Api, args: Args) -> Answer:
    shape, total = api.hosts.ls(Page.asked(args))
    return Answer(shape, paged(hosts.hosts, total, args))


def _host_import(api: Api, args: Args) -> Answer:
    return Answer(api.hosts.take(args["host"], args["file"]), hosts.taken)


def _enclosure_ls(api: Api, args: Args) -> Answer:
    shape, total = api.enclosures.ls(Page.asked(args))
    return Answer(shape, paged(enclosures.enclosures, total, args))


def _enclosure_show(api: Api, args: Args) -> Answer:
    return Answer(api.enclosures.show(args["id"]), enclosures.sheet)


def _multipath_ls(api: Api, args: Args) -> Answer:
    shape, total = api.enclosures.multipaths(Page.asked(args))
    return Answer(shape, paged(enclosures.multipaths, total, args))


def _crc_ls(api: Api, args: Args) -> Answer:
    shape, total = api.crc.ls(args.get("limit"), args.get("offset"), sort=args.get("sort"))
    return Answer(shape, crc.sheet_of(total - (args.get("offset") or 0)))


COMMANDS = (
    Command(
        "host ls", "r", "List hosts and how old their facts are", "limit?:Int offset?:Int", _host_ls
    ),
    Command(
        "host import",
        "rw",
        "Take over what ceph-perf-bench facts printed on that host, from -i FILE",
        "host:Str",
        _host_import,
        reads=True,
    ),
    Command(
        "enclosure ls",
        "r",
        "List enclosures, their OSDs, and what is wrong with them",
        "limit?:Int offset?:Int",
        _enclosure_ls,
    ),
    Command("enclosure show", "r", "Show an enclosure slot by slot", "id:Str", _enclosure_show),
    Command(
        "multipath ls",
        "r",
        "List disks of several paths, and how many carry data",
        "limit?:Int offset?:Int",
        _multipath_ls,
    ),
    Command(
        "crc ls",
        "r",
        "List what OSDs spend on checksums, and what links and media count of errors",
        "limit?:Int offset?:Int sort?:Str",
        _crc_ls,
    ),
)
