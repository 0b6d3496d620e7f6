"""What axe finds in our element that keeps somebody out."""

from __future__ import annotations

from importlib.resources import files

from browser.chrome import Page, expect
from browser.dashboard import APP

_AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")

# Again when an element that it found fault with has left the page meanwhile.
_RUN = """async name => {
  for (let left = 5; ; left--) {
    const run = await axe.run(name, {resultTypes: ['violations'], elementRef: true});
    const nodes = run.violations.flatMap(
      ({id, help, nodes}) => nodes.map(node => ({id, help, ...node})));
    if (left <= 1 || nodes.every(({element}) => element?.isConnected))
      return nodes.map(({id, help, target, html}) => `${id}: ${help}: ${target}: ${html}`);
  }
}"""


def axe_findings(page: Page) -> list[str]:
    """All findings of axe in our element, once what loads is there."""
    # A sentence that just fades in has little contrast for a moment.
    page.emulate_media(reduced_motion="reduce")
    expect(page.locator(f"{APP} >> .pb-main > :not(h1)").first).to_be_attached()
    expect(page.locator(f"{APP} >> .pb-loading")).to_have_count(0)
    page.evaluate(_AXE)
    return list(page.evaluate(_RUN, APP))
