"""A stand-in for the tab's pages, for trying the way in while they are not built."""

from __future__ import annotations

import json
from pathlib import Path

_CODE = """
class Stub extends HTMLElement {
  static observedAttributes = ['route'];
  connectedCallback() {
    this.attachShadow({ mode: 'open' }).innerHTML = '<h1></h1><button>go</button>';
    this.shadowRoot.querySelector('button').onclick = () =>
      this.dispatchEvent(new CustomEvent('perf-bench-navigate',
        { detail: { route: '/osds/3', title: 'osd.3' }, bubbles: true, composed: true }));
    this.attributeChangedCallback();
  }
  attributeChangedCallback() {
    const head = this.shadowRoot?.querySelector('h1');
    if (head) head.textContent = `stub at ${this.getAttribute('route')}`;
  }
}
customElements.define('perf-bench-app', Stub);
"""


def put_stub(folder: Path) -> None:
    """Put it among the installed files."""
    (folder / "main-STUBSTUB.js").write_text(_CODE, encoding="utf-8")
    (folder / "manifest.json").write_text(json.dumps({"main": "main-STUBSTUB.js"}))
