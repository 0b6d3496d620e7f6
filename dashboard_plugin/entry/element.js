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

/** The signed-in user's rights on OSDs as the host keeps them: {read, update, …}. */
export function permissions(storage) {
  try {
    return JSON.parse(storage.getItem('dashboard_permissions'))?.osd ?? {};
  } catch {
    return {};
  }
}

/** Forget the host's session in this browser, so that it asks for the password again. */
export function forgetSession(storage) {
  for (const key of ['dashboard_username', 'dashboard_permissions', 'access_token']) {
    storage.removeItem(key);
  }
}

/** A new element; until its code is there it says that it comes, or why it does not. */
export function create(base, theme) {
  const element = document.createElement(NAME);
  const rights = permissions(localStorage);
  element.setAttribute('base-path', base);
  element.setAttribute('theme', theme);
  element.setAttribute('locale', document.documentElement.lang || 'en-US');
  element.setAttribute(
    'permissions',
    Object.keys(rights)
      .filter((right) => rights[right])
      .join(' '),
  );
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
