// The tab on a page of its own, /perf-bench/: the same element, the same addresses.

import * as element from './element.js';
import { hashOf, isOurs, routeOf } from './route.js';

const BASE = new URL('..', import.meta.url).pathname;
const dark = matchMedia('(prefers-color-scheme: dark)');
const app = element.create(BASE, dark.matches ? 'dark' : 'light');

const follow = () =>
  app.setAttribute('route', isOurs(location.hash) ? routeOf(location.hash) : '/');

app.addEventListener('perf-bench-navigate', ({ detail: { route, title } }) => {
  const hash = hashOf(route);
  if (hash !== location.hash && !(route === '/' && !location.hash)) {
    history.pushState(null, '', hash);
    follow();
  }
  document.title = title ? `${title} · Perf bench` : 'Perf bench';
});
app.addEventListener('perf-bench-unauthorized', () => {
  // The log-in is the host's; its tab then opens what was wanted here.
  sessionStorage.setItem('perf-bench-wanted', isOurs(location.hash) ? location.hash : hashOf('/'));
  element.forgetSession(localStorage);
  location.assign(`${BASE}#/login`);
});
dark.addEventListener('change', () => app.setAttribute('theme', dark.matches ? 'dark' : 'light'));
for (const name of ['popstate', 'hashchange']) window.addEventListener(name, follow);

follow();
document.body.append(app);
