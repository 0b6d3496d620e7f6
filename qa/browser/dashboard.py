"""What a person does in the dashboard: logs in, opens an entry, looks where they are."""

from __future__ import annotations

import re

from .chrome import Page, expect
from .sites import Site

APP = "perf-bench-app"
START = "Start a round…"
ENTRY = "#perf-bench-entry a"
# The page on which each release lands, and which of its entries leads there.
LANDING = "nav#sidebar a[href='#/dashboard'], nav#sidebar a[href='#/overview']"
# What folds the side bar away (16 to 19) or makes it narrow (20).
TOGGLE = "[aria-label='toggle sidebar visibility'], cds-hamburger button, .cds--header__menu-toggle"
# An entry whose page is open, in any release's way of showing it.
ACTIVE = "nav#sidebar li.nav-item.active, nav#sidebar a.cds--side-nav__item--active"
# What the open page shows is marked, unless a page of the same kind follows, which shows it anew.
_MARK = """route => {
  const app = document.querySelector('perf-bench-app');
  const kind = (one) => {
    const parts = one.split('?')[0].split('/');
    return `${parts[1]}/${parts.length}`;
  };
  if (kind(app.getAttribute('route') ?? '/') === kind(route)) return;
  const shown = app.shadowRoot.querySelectorAll('.pb-main > :not(h1)');
  for (const one of shown) one.dataset.before = '';
}"""


def log_in(page: Page, site: Site, user: str = "admin") -> None:
    """Fill in the log-in form that shows."""
    page.fill("input[name=username]", user)
    page.fill("input[name=password]", site.password)
    page.press("input[name=password]", "Enter")
    page.wait_for_selector("nav#sidebar")


def open_tab(page: Page, site: Site, route: str = "", user: str = "admin") -> None:
    """Log in by way of an address of ours."""
    page.goto(f"#/perf-bench{route.rstrip('/')}")
    log_in(page, site, user)
    sees_tab(page, route or "/")


def goes(page: Page, route: str) -> None:
    """To another page of the open tab, until that of before is gone: it stays while code loads."""
    page.evaluate(_MARK, route)
    page.evaluate("hash => { location.hash = hash }", f"#/perf-bench{route.rstrip('/')}")
    sees_tab(page, route)
    expect(page.locator(f"{APP} >> .pb-main > [data-before]")).to_have_count(0)


def on_a_phone(page: Page) -> None:
    """Make the window 390 px wide, and fold away the menu of Ceph 20, which leaves 134 px of it."""
    page.set_viewport_size({"width": 390, "height": 900})
    if page.locator(APP).bounding_box()["width"] < 195:
        page.locator(TOGGLE).first.click()
    whole = "name => document.querySelector(name).getBoundingClientRect().width > 350"
    page.wait_for_function(whole, arg=APP)


def sees_tab(page: Page, route: str) -> None:
    """The tab shows at this route, and nothing of the host beside it; our entry is the marked."""
    expect(page.locator(APP)).to_have_attribute("route", route)
    expect(page.locator(f"{APP} >> h1").first).to_be_visible()
    expect(page.locator("#content > .container-fluid > :visible")).to_have_count(1)
    expect(page.locator("#perf-bench-entry [aria-current=page]")).to_have_count(1)
    # The host's router may mark its own entry late.
    expect(page.locator(ACTIVE)).to_have_text(["Perf Bench"], use_inner_text=True)
    expect(page).to_have_url(_ends(f"#/perf-bench{route.rstrip('/')}"))


def sees_round(page: Page) -> int:
    """The number of the round whose page opens."""
    page.wait_for_function(r"location.hash.match(/rounds\/\d+/)")
    return int(page.evaluate(r"location.hash.match(/rounds\/(\d+)/)[1]"))


def sees_host(page: Page, hash_: str) -> None:
    """The host's page shows as if we were not there."""
    expect(page).to_have_url(_ends(hash_))
    expect(page.locator(APP)).to_have_count(0)
    expect(page.locator("#content router-outlet ~ *").first).to_be_visible()
    expect(page.locator("#perf-bench-entry [aria-current]")).to_have_count(0)
    marked = page.locator(ACTIVE)
    expect(marked.first).to_be_attached()
    expect(marked.filter(has_text=re.compile(r"^\s*Perf Bench\s*$"))).to_have_count(0)


def _ends(hash_: str) -> re.Pattern[str]:
    return re.compile(f"/{re.escape(hash_)}$")
