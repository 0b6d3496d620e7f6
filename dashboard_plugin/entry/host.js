// What is known of the host's page, release by release; found by its parts, never by a version.

import { NAME } from './element.js';
import { PREFIX } from './route.js';

const LABEL = 'Perf bench';
export const ID = 'perf-bench-entry';

// `sample` is an entry of the host's that leads to a page: ours is made in its image, so that it
// has the look, the scoped style attributes and the keyboard behaviour of its neighbours.
const LOOKS = [
  {
    // Ceph 16 to 19
    list: 'nav#sidebar ul.cd-navbar-primary',
    sample: ':scope > li.nav-item:not(#perf-bench-entry) > a.nav-link[href^="#/"]',
    item: (link) => link.parentElement,
    active: ['active'],
  },
  {
    // Ceph 20: Carbon
    list: 'nav#sidebar nav.cds--side-nav__items > div, nav#sidebar .cds--side-nav__items',
    sample: 'cds-sidenav-item:not(#perf-bench-entry) > a.cds--side-nav__link[href^="#/"]',
    item: (link) => link.parentElement,
    active: ['active', 'cds--side-nav__link--current', 'cds--side-nav__item--active'],
  },
];
const CONTENT = '#content > .container-fluid';

/** The parts of the host's page: {list, sample, item, active, content}; null while not there. */
export function find(page) {
  const content = page.querySelector(CONTENT);
  if (!content?.querySelector(':scope > router-outlet')) return null;
  for (const look of LOOKS) {
    const list = page.querySelector(look.list);
    const sample = list?.querySelector(look.sample);
    if (sample) return { ...look, list, sample, content };
  }
  return null;
}

/** Put our entry behind the host's own, unless it is there; answers its item. */
export function addEntry(host) {
  const there = document.getElementById(ID);
  if (there && host.list.contains(there)) return there;
  there?.remove();
  const model = host.item(host.sample);
  const item = bare(model);
  item.id = ID;
  const link = bare(host.sample);
  link.setAttribute('href', PREFIX);
  link.append(...labelLike(host.sample));
  item.append(link);
  setActive(host, item, false);
  model.parentElement.append(item);
  return item;
}

/** A copy without children, test hooks and the attributes by which Angular wires it. */
function bare(element) {
  const copy = element.cloneNode(false);
  for (const name of copy.getAttributeNames()) {
    if (/^(routerlink|ng-reflect|id$|title$|aria-current)/i.test(name)) copy.removeAttribute(name);
  }
  for (const name of [...copy.classList]) {
    if (name.startsWith('tc_')) copy.classList.remove(name);
  }
  return copy;
}

/** The sample's inner boxes around its text, with our text; its icons stay the host's. */
function labelLike(sample) {
  const text = [...sample.querySelectorAll('span')].find(
    (span) => span.textContent.trim() && !span.querySelector('span'),
  );
  const label = text ? text.cloneNode(false) : document.createElement('span');
  label.textContent = LABEL;
  return [label];
}

/** Show or hide on an entry that its page is the one open. */
export function setActive(host, item, on) {
  const link = item.querySelector('a');
  const marks = host.active;
  item.classList.toggle(marks[0], on);
  for (const name of marks.slice(1)) link.classList.toggle(name, on);
  if (on) link.setAttribute('aria-current', 'page');
  else link.removeAttribute('aria-current');
}

/** Take the host's own active marks away; answers what puts them back. */
export function takeMarks(host, item) {
  const taken = [];
  for (const name of host.active) {
    for (const element of host.list.querySelectorAll(`.${name}`)) {
      if (!item.contains(element)) {
        element.classList.remove(name);
        taken.push(() => element.classList.add(name));
      }
    }
  }
  for (const element of host.list.querySelectorAll('[aria-current]')) {
    if (!item.contains(element)) {
      const was = element.getAttribute('aria-current');
      element.removeAttribute('aria-current');
      taken.push(() => element.setAttribute('aria-current', was));
    }
  }
  return () => taken.forEach((putBack) => putBack());
}

/** While ours is shown, the host's page stays where it is, unseen. */
export function addStyles() {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(
    `[data-perf-bench] > :not(${NAME}) { display: none !important }
     [data-perf-bench] > ${NAME} { display: block }`,
  );
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}

/** On a page we do not know: a link to the page of our own, in a corner. */
export function addFloatingLink(base) {
  if (document.getElementById(ID)) return;
  const link = document.createElement('a');
  link.id = ID;
  link.href = `${base}perf-bench/`;
  link.textContent = LABEL;
  link.style.cssText =
    'position:fixed;right:1rem;bottom:1rem;z-index:2000;padding:.5rem 1rem;border-radius:4px;' +
    'background:#25406b;color:#fff;font:14px sans-serif;text-decoration:underline';
  document.body.append(link);
}
