// The tab inside the dashboard: runs before the host's own scripts, which stand behind it.
//
// The host's router sends addresses that it does not know to its 404 page. So it never sees ours:
// their events are stopped on the way, and for an address of ours at load the host boots on its
// landing page, over which ours is then shown.

import * as element from './element.js';
import * as hosts from './host.js';
import { PREFIX, hashIn, hashOf, isLogin, isOurs, routeOf } from './route.js';

const BASE = new URL('..', import.meta.url).pathname;
// Where to go once the host's page stands; kept for the log-in in between, also by another site.
const WANTED = 'perf-bench-wanted';
// A page that has not become one we know by then is one we do not know.
const UNKNOWN_AFTER_MS = 5000;

const push = history.pushState.bind(history);
const replace = history.replaceState.bind(history);
let shown = null; // {app, host, item, putBack, titles} while ours is on the screen
let hostAt = { hash: location.hash, state: history.state }; // where the host's router stands

function want(hash) {
  sessionStorage.setItem(WANTED, hash);
}

function show(hash) {
  const host = hosts.find(document);
  if (!host) {
    want(hash);
    return;
  }
  sessionStorage.removeItem(WANTED);
  shown ??= open(host);
  shown.app.setAttribute('route', routeOf(hash));
}

function open(host) {
  const item = hosts.addEntry(host);
  const putBack = hosts.takeMarks(host, item);
  hosts.setActive(host, item, true);
  const app = element.create(BASE, {
    theme: 'light',
    look: hosts.look(host),
    'route-prefix': PREFIX,
  });
  app.addEventListener('perf-bench-navigate', navigated);
  app.addEventListener('perf-bench-title', navigated);
  app.addEventListener('perf-bench-unauthorized', logIn);
  host.content.setAttribute('data-perf-bench', '');
  host.content.append(app);
  return { app, host, item, putBack, titles: { host: document.title, ours: document.title } };
}

function hide() {
  const { app, host, item, putBack, titles } = shown;
  shown = null;
  app.remove();
  host.content.removeAttribute('data-perf-bench');
  hosts.setActive(host, item, false);
  putBack();
  if (document.title === titles.ours) document.title = titles.host;
}

/** Our pages went somewhere, or told their title. */
function navigated({ detail: { route, title } }) {
  if (!shown) return;
  const hash = hashOf(route);
  if (routeOf(hash) !== routeOf(location.hash)) {
    push(null, '', hash);
    shown.app.setAttribute('route', routeOf(hash));
  }
  if (title) {
    // "Ceph Dashboard: Cluster > OSDs" on 20: its page is not the one that shows.
    const [host] = shown.titles.host.split(':');
    shown.titles.ours = document.title = `${title} · ${host}`;
  }
}

/** The session has ended: to the host's log-in, and back here after it. */
function logIn() {
  if (!isOurs(location.hash)) return; // another request was refused, too, and we are on our way
  want(location.hash);
  element.forgetSession();
  replace(null, '', '#/login');
  location.reload();
}

/** The address changed under us: by a link, by hand, by back and forward. */
function addressChanged(event) {
  if (isOurs(location.hash)) {
    event.stopImmediatePropagation();
    show(location.hash);
  } else if (shown) {
    hide();
  }
}

/** The host's router has set the address; without one its state alone (its scroll keeper does). */
function hostMoved(state, url) {
  const hash = hashIn(url);
  if (url == null || isOurs(hash)) return;
  if (shown) {
    if (isLogin(hash)) want(hashOf(shown.app.getAttribute('route')));
    hide();
  }
  hostAt = { hash, state };
}

function watchRouter() {
  for (const name of ['pushState', 'replaceState']) {
    const original = history[name];
    history[name] = function (state, title, url) {
      original.call(history, state, title, url);
      hostMoved(state, url);
    };
  }
}

/** A link to where the host's router stands already: it would do nothing, and ours would stay. */
function clicked(event) {
  const link = event.target.closest?.('a[href*="#/"]');
  const plain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey);
  if (shown && plain && link && hashIn(link.getAttribute('href')) === hostAt.hash) {
    push(hostAt.state, '', hostAt.hash);
    hide();
  }
}

/** The host's page was built or rebuilt: our entry belongs into it, and ours to where it was. */
function refresh() {
  const host = hosts.find(document);
  if (!host) return;
  if (shown && shown.host.content !== host.content) {
    want(hashOf(shown.app.getAttribute('route')));
    hide();
  }
  const item = hosts.addEntry(host);
  const wanted = sessionStorage.getItem(WANTED);
  // Only when the host has come to rest on a page: it still moves while it boots.
  if (wanted && host.content.querySelector(':scope > router-outlet ~ *') && !shown) {
    replace(null, '', wanted);
    show(wanted);
  } else if (shown && shown.item !== item) {
    shown.item = item;
    hosts.setActive(host, item, true);
  }
}

function watchPage() {
  let planned = false;
  const plan = () => {
    if (planned) return;
    planned = true;
    requestAnimationFrame(() => {
      planned = false;
      refresh();
    });
  };
  new MutationObserver(plan).observe(document.documentElement, { childList: true, subtree: true });
  setTimeout(() => {
    if (!hosts.find(document) && !isLogin(location.hash)) hosts.addFloatingLink(BASE);
  }, UNKNOWN_AFTER_MS);
}

function start() {
  hosts.addStyles();
  if (isOurs(location.hash)) {
    want(location.hash);
    replace(history.state, '', '#/');
    hostAt.hash = '#/';
  }
  for (const name of ['popstate', 'hashchange']) window.addEventListener(name, addressChanged, true);
  document.addEventListener('click', clicked, true);
  watchRouter();
  watchPage();
}

start();
