"""How Sphinx builds these pages: `make docs`."""

import re
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive

_ROOT = Path(__file__).resolve().parent.parent
_VERSION = (_ROOT / "mgr_module" / "perf_bench" / "version.py").read_text(encoding="utf-8")

project = "ceph-perf-bench"
author = "the authors of ceph-perf-bench"
copyright = "LGPL-2.1-or-later"  # noqa: A001 - Sphinx's name
(release,) = re.findall(r'^VERSION = "(.+)"$', _VERSION, re.MULTILINE)
version = release

extensions = ["myst_parser"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
myst_heading_anchors = 4
# Every reference that leads nowhere is a warning, and warnings are errors.
nitpicky = True
# Options begin with two hyphens, not with a dash.
smartquotes = False

html_theme = "furo"
html_title = f"ceph-perf-bench {release}"
html_show_sphinx = False
html_copy_source = False
# Nothing is loaded from elsewhere: the pages work without a network.
html_theme_options = {"sidebar_hide_name": False}

man_pages = [
    ("tool", "ceph-perf-bench", "the host tool of the ceph-mgr module perf_bench", "", 8),
    ("commands", "ceph-perf-bench-commands", "commands of ceph perf-bench", "", 8),
]


def _without_links(app, doctree, _name):
    """A manual page has nowhere to go: only the words of a link stay."""
    if app.builder.name == "man":
        for link in list(doctree.findall(nodes.reference)):
            link.replace_self(link.children)


def setup(app):
    """Stand-ins for directives of Ceph's own documentation, for docs/upstream/perf_bench.rst."""
    app.connect("doctree-resolved", _without_links)

    class Shown(Directive):
        has_content, optional_arguments, final_argument_whitespace = True, 2, True

        def run(self):
            """Show commands as they are, and an option by its name."""
            if self.content:
                return [nodes.literal_block(text="\n".join(self.content), language="console")]
            return [nodes.paragraph("", "", nodes.literal(text=" ".join(self.arguments)))]

    for name in ("prompt", "mgr_module", "confval"):
        app.add_directive(name, Shown)
