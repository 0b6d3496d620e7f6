/* What the entry script does in the real dashboard: it owns the address, the element the rest. */
const PREFIX = '#/perf-bench';
const app = document.querySelector('perf-bench-app');

function take() {
  const route = location.hash.startsWith(PREFIX) ? location.hash.slice(PREFIX.length) : '';
  app.setAttribute('route', route || '/');
}

app.addEventListener('perf-bench-navigate', ({ detail }) => {
  history.pushState(null, '', PREFIX + (detail.route === '/' ? '' : detail.route));
});
app.addEventListener('perf-bench-title', ({ detail }) => {
  document.title = detail.title;
});
window.addEventListener('popstate', take);
window.addEventListener('hashchange', take);
take();
