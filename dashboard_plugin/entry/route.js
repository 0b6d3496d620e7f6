// Which addresses are ours: `#/perf-bench`, `#/perf-bench/osd/3`, `#/perf-bench?x=1`.

export const PREFIX = '#/perf-bench';

/** Whether this hash belongs to the tab. */
export function isOurs(hash) {
  return hash === PREFIX || hash.startsWith(`${PREFIX}/`) || hash.startsWith(`${PREFIX}?`);
}

/** The tab's own route in a hash of ours: '/' or '/osd/3'. */
export function routeOf(hash) {
  const rest = hash.slice(PREFIX.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** The hash that shows a route of the tab. */
export function hashOf(route) {
  const rest = route.replace(/^\/+/, '');
  return rest === '' || rest.startsWith('?') ? `${PREFIX}${rest}` : `${PREFIX}/${rest}`;
}

/** The hash in an address as pushState takes it; '' when it has none. */
export function hashIn(url) {
  const text = String(url ?? '');
  const start = text.indexOf('#');
  return start < 0 ? '' : text.slice(start);
}

/** Whether a hash of the host is its log-in page. */
export function isLogin(hash) {
  return /^#\/login(?![\w-])/.test(hash);
}
