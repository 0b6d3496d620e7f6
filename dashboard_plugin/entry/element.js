// The tab's element: loaded when it is first wanted, the same in the host's page and alone.

export const NAME = 'perf-bench-app';
const GONE = 'The pages of perf_bench could not be loaded';
let bundle = null;

/** Load the bundle once; a failed try is forgotten, the next one tries again. */
function load(files) {
  bundle ??= (async () => {
    const answer = await fetch(`${files}manifest.json`, { cache: 'no-cache' });
    if (answer.status === 404) throw new Error('they are not installed on this mgr');
    if (!answer.ok) throw new Error(`the dashboard answered ${answer.status}`);
    await import(`${files}${(await answer.json()).main}`);
    await customElements.whenDefined(NAME);
  })();
  bundle.catch(() => (bundle = null));
  return bundle;
}

// The host's names of the scopes whose permissions the tab's questions need.
const SCOPES = { osd: 'osd', pool: 'pool', configOpt: 'config-opt' };

/** What the signed-in user may do, by scope, as the host keeps it: {osd: ['read', …], …}. */
function permissions() {
  try {
    const held = JSON.parse(localStorage.getItem('dashboard_permissions')) ?? {};
    return Object.fromEntries(
      Object.entries(SCOPES).map(([key, scope]) => {
        const words = Object.entries(held[key] ?? {}).filter(([, may]) => may === true);
        return [scope, words.map(([word]) => word)];
      }),
    );
  } catch {
    return {};
  }
}

/** Whether somebody has logged in with this browser; the session may have ended since. */
export function hasSession() {
  return localStorage.getItem('dashboard_username') !== null;
}

/** Forget the host's session in this browser, so that it asks for the password again. */
export function forgetSession() {
  for (const key of ['dashboard_username', 'dashboard_permissions', 'access_token']) {
    localStorage.removeItem(key);
  }
}

/** A new element; until its code is there it says that it comes, or why it does not. */
export function create(base, attributes) {
  const element = document.createElement(NAME);
  const all = {
    'base-path': `${base}api/perf_bench`,
    locale: document.documentElement.lang || 'en-US',
    permissions: JSON.stringify(permissions()),
    ...attributes,
  };
  for (const [name, value] of Object.entries(all)) element.setAttribute(name, value);
  const notice = document.createElement('p');
  notice.setAttribute('role', 'status');
  notice.style.cssText = 'padding: 2rem; margin: 0';
  notice.textContent = 'Loading …';
  element.append(notice);
  load(`${base}perf-bench/`).then(
    () => notice.remove(),
    (error) => (notice.textContent = `${GONE}: ${error.message}.`),
  );
  return element;
}
