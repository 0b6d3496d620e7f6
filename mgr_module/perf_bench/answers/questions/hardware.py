"""Questions about what OSDs stand on: hosts, enclosures, paths, links and media."""

from __future__ import annotations

from .. import hardware, hosts
from ..paging import Page
from ..text import GAP
from .question import LIST, PAGE, ArgumentKind, Question, needed, optional, rest_only

QUESTIONS = (
    Question(
        "host ls",
        "List hosts and how old their facts are",
        lambda api, args: api.hosts.ls(Page.asked(args)),
        LIST,
        hosts.hosts_text,
        rest="GET host",
        answer="[Host]",
        paged=True,
    ),
    Question(
        "host show",
        "Show a host: what it tells of itself, its findings, rounds of its OSDs",
        lambda api, args: api.hosts.show(args["name"]),
        needed("name", missing="the name of a host is needed"),
        hosts.host_text,
        rest="GET host/NAME",
        answer="HostDetail",
    ),
    Question(
        "host import",
        "Take over what ceph-perf-bench facts printed on that host, from -i FILE",
        lambda api, args: api.hosts.take(args["host"], args["facts"]),
        (*needed("host"), *needed("facts", kind=ArgumentKind.FILE)),
        hosts.taken_text,
        writes=True,
    ),
    Question(
        "enclosure ls",
        "List enclosures, their OSDs, and what is wrong with them",
        lambda api, args: api.hardware.enclosures(Page.asked(args)),
        LIST,
        hardware.enclosures_text,
        covers=("enclosures",),
        rest="GET enclosure",
        answer="[Enclosure]",
        paged=True,
    ),
    Question(
        "enclosure show",
        "Show an enclosure slot by slot",
        lambda api, args: api.hardware.enclosure(args["id"]),
        needed("id", missing="the ID of an enclosure is needed"),
        hardware.enclosure_text,
        rest="GET enclosure/ID",
        answer="Enclosure",
    ),
    Question(
        "multipath ls",
        "List disks of several paths, and how many carry data",
        lambda api, args: api.hardware.multipaths(Page.asked(args)),
        LIST,
        hardware.multipaths_text,
        covers=("multipath",),
        rest="GET multipath",
        answer="[Multipath]",
        paged=True,
    ),
    Question(
        "crc ls",
        "List what OSDs spend on checksums, and what links and media count of errors",
        lambda api, args: api.hardware.crc(Page.asked(args)),
        (*PAGE, *optional("sort"), *rest_only(optional("search"))),
        hardware.crc_text,
        covers=("checksums", "link_errors", "media_errors"),
        rest="GET crc",
        answer="Crc",
        paged=True,
        more=f"{GAP}… {{}} more OSDs: --limit, --offset",
    ),
)
