// The tab on a page of its own, /perf-bench/: the same element, which then owns the address itself.

import * as element from './element.js';
import { hashOf } from './route.js';

const BASE = new URL('..', import.meta.url).pathname;
const app = element.create(BASE, { standalone: '', theme: 'auto' });

for (const name of ['perf-bench-navigate', 'perf-bench-title']) {
  app.addEventListener(name, ({ detail }) => (document.title = detail.title || 'Perf Bench'));
}
app.addEventListener('perf-bench-unauthorized', logIn);

/** The log-in is the host's; its tab then opens what was wanted here. */
function logIn() {
  sessionStorage.setItem('perf-bench-wanted', hashOf(location.hash.slice(1)));
  element.forgetSession();
  location.assign(`${BASE}#/login`);
}

if (element.hasSession()) document.body.append(app);
else logIn();
