/** A host page with the built element in it, over a fake back end: for development and benchmarks. */
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { Answers } from './answers.mjs';
import { FakeCluster } from './cluster.mjs';
import { Refused } from './refused.mjs';

const DIST = new URL('../dist/', import.meta.url);
const HELP = `usage: server.mjs [--port N] [--osds N] [--rounds N] [--seconds S] [--mode MODE]
  --port     0 (the default) takes a free one
  --osds     how many OSDs there are (60); --rounds how many rounds (40)
  --seconds  how long a round takes (30)
  --mode     what all answers are: off, forbidden, read-only, broken, logged-out, silent
POST /fake with {"mode": "...", "seconds": N} changes these while it runs.
Pages: / embeds the element as the dashboard does; /perf-bench/ is the stand-alone page.`;

/** No script but our own files, no inline style: the bundle must live with that. */
const CSP =
  "default-src 'self'; script-src 'self'; style-src 'self'; object-src 'none'; base-uri 'self'";

/** @param {{answers: Answers, port?: number}} options
 * @returns {Promise<{url: string, close: () => Promise<void>, answers: Answers}>} */
export async function serve({ answers, port = 0 }) {
  const server = createServer((request, response) => {
    handle(answers, request, response).catch((error) => {
      response.writeHead(500, { 'Content-Type': 'text/plain' }).end(String(error));
    });
  });
  await new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(undefined)));
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  const close = () =>
    new Promise((/** @type {(nothing: void) => void} */ resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${address.port}`, close, answers };
}

/** @param {Answers} answers @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
async function handle(answers, request, response) {
  const url = new URL(request.url ?? '/', 'http://fake');
  if (url.pathname.startsWith('/api/perf_bench/')) return api(answers, request, response, url);
  if (url.pathname === '/api/grafana/url')
    return void response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end('{"instance": "https://grafana.invalid"}');
  if (url.pathname === '/fake') {
    Object.assign(answers, JSON.parse((await read(request)) || '{}'));
    return void response.writeHead(204).end();
  }
  if (url.pathname === '/' || url.pathname === '/perf-bench/') {
    const page = await hostPage(url.pathname === '/perf-bench/');
    return void response
      .writeHead(200, {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': CSP,
      })
      .end(page);
  }
  if (url.pathname === '/favicon.ico') return void response.writeHead(204).end();
  return file(response, url.pathname.replace(/^\/(perf-bench\/)?/, ''));
}

/** @param {boolean} alone */
async function hostPage(alone) {
  const { main } = JSON.parse(await readFile(new URL('manifest.json', DIST), 'utf8'));
  const attributes = `permissions='{"osd":["read","create","delete"],"config-opt":["update"]}' base-path="/api/perf_bench"${alone ? ' standalone' : ''}`;
  const host = alone ? '' : '<script type="module" src="host.js"></script>';
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>fake host</title>
<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/host.css">
<script type="module" src="${main}"></script>${host}</head>
<body><perf-bench-app ${attributes}></perf-bench-app></body></html>`;
}

/** @param {import('node:http').ServerResponse} response @param {string} name */
async function file(response, name) {
  const types = {
    js: 'text/javascript',
    css: 'text/css',
    json: 'application/json',
    txt: 'text/plain',
  };
  const ending = /** @type {keyof typeof types} */ (name.split('.').at(-1) ?? '');
  const own = name === 'host.js' || name === 'host.css';
  if (!/^[\w.-]+$/.test(name) || !(ending in types)) return void response.writeHead(404).end();
  try {
    const text = await readFile(own ? new URL(name, import.meta.url) : new URL(`${name}.gz`, DIST));
    response.writeHead(200, {
      'Content-Type': `${types[ending]}; charset=utf-8`,
      'Cache-Control': own ? 'no-cache' : 'public, max-age=31536000, immutable',
      ...(own ? {} : { 'Content-Encoding': 'gzip' }),
    });
    response.end(text);
  } catch {
    response.writeHead(404).end();
  }
}

/** What nobody changes is made into bytes once. @type {WeakMap<object, Buffer>} */
const KEPT = new WeakMap();

/** @param {unknown} body */
function zipped(body) {
  if (!body || !Object.isFrozen(body) || typeof body !== 'object')
    return gzipSync(JSON.stringify(body));
  const bytes = KEPT.get(body) ?? gzipSync(JSON.stringify(body));
  KEPT.set(body, bytes);
  return bytes;
}

/** @param {Answers} answers @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response @param {URL} url */
async function api(answers, request, response, url) {
  if (answers.mode === 'silent') return void request.socket.destroy();
  const path = url.pathname.slice('/api/perf_bench/'.length);
  /** @param {number} status @param {unknown} body @param {Record<string, string>} headers */
  const send = (status, body, headers = {}) => {
    const bytes = zipped(body);
    const type = 'application/vnd.ceph.api.v1.0+json';
    response
      .writeHead(status, { 'Content-Type': type, 'Content-Encoding': 'gzip', ...headers })
      .end(bytes);
  };
  try {
    const text = await read(request);
    const question = { method: request.method ?? 'GET', path, query: url.searchParams };
    const answer = answers.answer(text ? { ...question, body: JSON.parse(text) } : question);
    send(
      200,
      answer.body,
      answer.total === undefined ? {} : { 'X-Total-Count': String(answer.total) },
    );
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    send(error.status, error.body);
  }
}

/** @param {import('node:http').IncomingMessage} request */
async function read(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      osds: { type: 'string', default: '60' },
      rounds: { type: 'string', default: '40' },
      seconds: { type: 'string', default: '30' },
      mode: { type: 'string', default: '' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    process.exit(0);
  }
  const cluster = new FakeCluster({ osds: Number(values.osds), rounds: Number(values.rounds) });
  const answers = new Answers(cluster, { seconds: Number(values.seconds) });
  answers.mode = values.mode;
  answers.prepare();
  const { url } = await serve({ answers, port: Number(values.port) });
  console.log(`${url}/ and ${url}/perf-bench/`);
}
