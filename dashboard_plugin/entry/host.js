// What is known of the host's page, release by release; found by its parts, never by a version.

import { NAME } from './element.js';
import { PREFIX } from './route.js';

const LABEL = 'Perf Bench';
// A gauge, on 32 by 32.
const GAUGE =
  'M16 5A13 13 0 0 0 4.7 24.5h2.4a11 11 0 1 1 17.8 0h2.4A13 13 0 0 0 16 5zm5.8 7.2-6.3 6.4a2.6 2.6 0 1 0 1.5 1.5z';
export const ID = 'perf-bench-entry';

// `sample` is an entry of the host's that leads to a page: ours is made in its image, so that it
// has the look, the scoped style attributes and the keyboard behaviour of its neighbours. The
// marks are the classes by which the host shows which page is open.
const LOOKS = [
  {
    // Ceph 16 to 19
    list: 'nav#sidebar ul.cd-navbar-primary',
    sample: ':scope > li.nav-item:not(#perf-bench-entry) > a.nav-link[href^="#/"]',
    marks: { item: ['active'], link: [] },
  },
  {
    // Ceph 20: Carbon
    list: 'nav#sidebar nav.cds--side-nav__items > div',
    sample:
      ':scope > cds-sidenav-item:not(#perf-bench-entry) > a.cds--side-nav__link[href^="#/"]',
    marks: { item: [], link: ['cds--side-nav__item--active', 'cds--side-nav__link--current'] },
  },
];
const CONTENT = '#content > .container-fluid';

/** The parts of the host's page: {list, sample, marks, content}; null while not there. */
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
  const item = bare(host.sample.parentElement);
  item.id = ID;
  const link = bare(host.sample);
  link.setAttribute('href', PREFIX);
  link.append(...contentLike(host.sample));
  item.append(link);
  setActive(host, item, false);
  host.list.append(item);
  return item;
}

/** A copy without children, test hooks and the attributes by which Angular wires it. */
function bare(element) {
  const copy = element.cloneNode(false);
  for (const name of copy.getAttributeNames()) {
    if (/^(route|ng-reflect|id$|aria-current|ariacurrent)/i.test(name)) copy.removeAttribute(name);
    if (name === 'title') copy.title = LABEL;
  }
  for (const name of [...copy.classList]) {
    if (name.startsWith('tc_')) copy.classList.remove(name);
  }
  return copy;
}

/** The sample's text box with our text, behind its icon box with our icon where it has one. */
function contentLike(sample) {
  const content = [];
  const icon = sample.querySelector(':scope > div:has(svg)');
  if (icon) content.push(iconLike(icon));
  const text = sample.querySelector(':scope > span');
  const label = text ? text.cloneNode(false) : document.createElement('span');
  label.textContent = LABEL;
  content.push(label);
  return content;
}

function iconLike(sample) {
  const box = sample.cloneNode(false);
  const svg = sample.querySelector('svg').cloneNode(false);
  svg.setAttribute('viewBox', '0 0 32 32');
  const gauge = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  gauge.setAttribute('d', GAUGE);
  svg.append(gauge);
  box.append(svg);
  return box;
}

/** Show or hide on our entry that its page is the one open. */
export function setActive(host, item, on) {
  const link = item.querySelector('a');
  for (const name of host.marks.item) item.classList.toggle(name, on);
  for (const name of host.marks.link) link.classList.toggle(name, on);
  if (on) link.setAttribute('aria-current', 'page');
  else link.removeAttribute('aria-current');
}

/** Take the host's own active marks away; answers what puts them back. */
export function takeMarks(host, item) {
  const taken = [];
  for (const name of [...host.marks.item, ...host.marks.link]) {
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

/** How the host's pages look: font, size and colours as the browser has computed them, as JSON. */
export function look(host) {
  const probe = document.createElement('div');
  probe.style.cssText = 'position: absolute; visibility: hidden';
  const button = document.createElement('button');
  button.className = 'btn btn-accent'; // what the host's own main buttons are, on all releases
  const link = document.createElement('a');
  link.href = '#/';
  probe.append(button, link);
  host.content.append(probe);
  const { fontFamily, fontSize, color } = getComputedStyle(host.content);
  const found = {
    font: fontFamily,
    size: fontSize,
    text: color,
    ground: groundOf(host.content),
    accent: getComputedStyle(button).backgroundColor,
    link: getComputedStyle(link).color,
  };
  probe.remove();
  return JSON.stringify(found);
}

/** The background that shows behind the element: the first one outwards that is not see-through. */
function groundOf(element) {
  for (let one = element; one; one = one.parentElement) {
    const { backgroundColor } = getComputedStyle(one);
    if (backgroundColor !== 'transparent' && !/, 0\)$/.test(backgroundColor)) return backgroundColor;
  }
  return 'rgb(255, 255, 255)';
}

/** While ours is shown, the host's page stays where it is, unseen. */
export function addStyles() {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(
    `[data-perf-bench] > :not(${NAME}) { display: none !important }`,
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
