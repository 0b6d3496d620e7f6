# ceph-perf-bench: 'ceph-perf-bench install' puts this file here, 'uninstall' removes it.
"""The tab's files under /perf-bench/, and one script tag on the host's index.html."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import cherrypy
from cherrypy._cprequest import Hook

from . import BaseController, Endpoint, Proxy, Router
from . import _perf_bench_files as files
from .home import HomeController

# Beside the dashboard: they are installed with the module.
FOLDER = Path(__file__).resolve().parents[2] / "perf_bench" / "tab" / "static"
logger = logging.getLogger(__name__)


@Router("/perf-bench", secure=False)
class PerfBenchPage(BaseController):
    """Nothing secret is here: the page shows data only to whom the API gives it."""

    # Files are compressed when they are installed, not at each request.
    _cp_config = {"tools.gzip.on": False, "request.show_tracebacks": False}  # noqa: RUF012

    @Endpoint("GET", path="/", json_response=False, version=None)
    def index(self, **_: Any) -> bytes:
        if not cherrypy.request.path_info.endswith("/"):
            cherrypy.response.status = 302
            cherrypy.response.headers["Location"] = "perf-bench/"
            return b""
        return _send(files.page(FOLDER))

    @Proxy()
    def file(self, path: str, **_: Any) -> bytes:
        if cherrypy.request.method not in ("GET", "HEAD"):
            raise cherrypy.HTTPError(405)
        headers = cherrypy.request.headers
        encoding, known = headers.get("Accept-Encoding", ""), headers.get("If-None-Match", "")
        return _send(files.find(FOLDER, path, encoding, known))


def _send(found: files.File | None) -> bytes:
    if found is None:
        raise cherrypy.HTTPError(404, "there is no such file")
    cherrypy.response.status = found.status
    cherrypy.response.headers.update(found.headers)
    return found.body


def _is_index() -> bool:
    return cherrypy.request.params.get("path") in ("", "index.html")


def _forget_age() -> None:
    """A browser may have kept the page from before our tag: it gets it anew, a few KiB."""
    if _is_index():
        cherrypy.request.headers.pop("If-Modified-Since", None)


def _add_tag() -> None:
    """Give the host's page our script; whatever goes wrong, the host gets its page."""
    response = cherrypy.response
    try:
        kind = response.headers.get("Content-Type", "")
        if _is_index() and str(response.status or "200").startswith("200") and "html" in kind:
            html = response.collapse_body()
            response.body = files.with_tag(html)
            for name in ("Content-Length", "Last-Modified", "Accept-Ranges"):
                response.headers.pop(name, None)
    except Exception:
        logger.exception("the dashboard's page goes out without perf_bench's entry")


# On this controller alone; before the host compresses the page (80).
HomeController._cp_config = {
    **HomeController._cp_config,
    "hooks.before_handler.perf_bench": _forget_age,
    "hooks.before_finalize.perf_bench": Hook(_add_tag, priority=60),
}
