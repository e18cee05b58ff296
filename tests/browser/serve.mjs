// The page without its daemon: serves runtime/http/page with the headers that the daemon sends, and answers the API either
// from a daemon (--daemon http://127.0.0.1:8780) or with made-up data (--fake JOBS).
//
//   node tests/browser/serve.mjs --fake 10000 --port 8790
//   --base /ballot          the path below which everything lies
//   --now 2026-10-25T00:30:00Z   the clock of the made-up fleet (its Date header says so, and the page believes it)
//   --token SECRET          requests need this bearer token; without one they are answered 401
//   --role viewer           of whom whoami speaks: viewer, operator (unless said), admin
//   --burst 1000            so many events a second
//   --hostile               names, texts and output that try to break the page
import http from 'node:http';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { FakeFleet } from './fake.mjs';

const FOLDER = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../runtime/http/page');
const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8', '.svg': 'image/svg+xml' };
const HEADERS = {
  'Content-Security-Policy': "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
};

export function options(argv) {
  const found = { port: 8790, base: '', role: 'operator', burst: 0 };
  for (let i = 0; i < argv.length; i++) {
    const name = argv[i].replace(/^--/, '');
    if (name === 'hostile') found[name] = true;
    else found[name] = argv[++i];
  }
  return found;
}

function serveFile(response, name) {
  const file = path.join(FOLDER, path.normalize('/' + name));
  fs.readFile(file, (error, bytes) => {
    if (error) return response.writeHead(404, HEADERS).end('not found\n');
    response.writeHead(200, { ...HEADERS, 'Content-Type': TYPES[path.extname(file)] ?? 'text/plain; charset=utf-8' });
    response.end(bytes);
  });
}

function passOn(daemon, request, response, target) {
  const url = new URL(target, daemon);
  const outgoing = http.request(url, { method: request.method, headers: { ...request.headers, host: url.host, origin: url.origin } }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  outgoing.on('error', (error) => {
    if (!response.headersSent) response.writeHead(502, { 'Content-Type': 'application/problem+json' });
    response.end(JSON.stringify({ type: 'about:blank', title: 'Bad Gateway', status: 502, detail: error.message }));
  });
  response.on('close', () => outgoing.destroy());
  request.pipe(outgoing);
}

export function start(wanted) {
  const base = wanted.base ? '/' + wanted.base.replace(/^\/|\/$/g, '') : '';
  const fleet = wanted.daemon ? null : new FakeFleet(wanted);
  const server = http.createServer((request, response) => {
    if (!request.url.startsWith(base + '/')) return response.writeHead(404).end();
    const target = request.url.slice(base.length);
    const name = target.split('?')[0];
    if (/^\/(api\/|healthz$|readyz$|metrics$)/.test(name)) {
      return fleet ? fleet.answer(request, response, target) : passOn(wanted.daemon, request, response, target);
    }
    if (name === '/') serveFile(response, 'index.html');
    else if (name.startsWith('/page/')) serveFile(response, name.slice('/page/'.length));
    else response.writeHead(404, HEADERS).end('not found\n');
  });
  server.fleet = fleet;
  return new Promise((resolve) => server.listen(Number(wanted.port), '127.0.0.1', () => resolve(server)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const wanted = options(process.argv.slice(2));
  if (!wanted.daemon && !wanted.fake) {
    console.error('usage: serve.mjs --fake JOBS | --daemon URL   [--port 8790] [--base /ballot] ...');
    process.exit(2);
  }
  const server = await start(wanted);
  console.log(`http://127.0.0.1:${server.address().port}/${wanted.base ? wanted.base.replace(/^\/|\/$/g, '') + '/' : ''}`);
}
