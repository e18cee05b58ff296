// Requests to the daemon, relative to where the page lies. The token stays in sessionStorage and goes into a header, never
// into a URL. A request that is refused for want of one opens the form (`tokenWanted`), and the view stays as it is.
import { signal } from './html.js';

const KEY = 'ballot.token', LONGEST = 12_000, LONGEST_LIST = 8000;
let token = sessionStorage.getItem(KEY);
let skew = 0;  // by how many ms the daemon's clock is ahead of this machine's

export const tokenWanted = signal(null);  // null, or why a token is asked for
export const signedIn = signal(token ? 1 : 0);  // grows with each new token: who asks, asks again
export const who = signal(null);  // what whoami says; false: nothing is said without a token

// What begin.js has asked for by now, once each.
const begun = globalThis.begun ?? new Map();
setTimeout(() => begun.clear(), 5000);
function take(path, method) {
  const found = method === 'GET' ? begun.get(path) : undefined;
  begun.delete(path);
  return found;
}

export const now = () => Date.now() + skew;

class Problem extends Error {
  constructor(status, title, detail) {
    super(detail || title);
    this.status = status;
    this.title = title;
  }
}

export function setToken(text) {
  begun.clear();
  token = text || null;
  if (token) sessionStorage.setItem(KEY, token);
  else {
    sessionStorage.removeItem(KEY);
    who.set(null);
  }
  tokenWanted.set(null);
  signedIn.set(signedIn.get() + 1);
}
export const hasToken = () => token !== null;

function noteClock(response) {
  const said = Date.parse(response.headers.get('Date') ?? '');
  if (Number.isNaN(said)) return;
  const found = said + 500 - Date.now();  // the header has whole seconds
  if (Math.abs(found - skew) > 1500) skew = Math.abs(found) > 2000 ? found : 0;
}

// The response, whatever its body; a Problem is thrown for what is no success.
export async function send(path, { method = 'GET', body, signal: abort, headers = {} } = {}) {
  // As a segment of a path "." and ".." lead elsewhere, however they are written.
  if (/(^|\/)(\.|%2e){1,2}(?![^/?])/i.test(path)) throw new Problem(404, 'not found', 'Nothing is called so.');
  if (path.length > LONGEST) throw new Problem(414, 'too long', 'The name is too long to be asked for.');
  const all = { ...headers };
  if (token) all.Authorization = 'Bearer ' + token;
  if (body !== undefined) all['Content-Type'] = 'application/json';
  const sent = token;
  let response;
  try {
    response = await (take(path, method) ?? fetch('api/v1/' + path, { method, headers: all, body: body === undefined ? undefined : JSON.stringify(body), signal: abort, cache: 'no-store', credentials: 'same-origin' }));
  } catch (error) {
    if (abort?.aborted) throw error;
    throw new Problem(0, 'no answer', 'The daemon does not answer.');
  }
  noteClock(response);
  if (response.ok) return response;
  let said = {};
  try {
    said = await response.json();
  } catch {
    // not the daemon's answer
  }
  if (response.status === 401 && sent === token) tokenWanted.set(token ? 'The token is not known, or not any more.' : 'This daemon asks for a token.');
  const problem = new Problem(response.status, said.title ?? 'HTTP ' + response.status, said.detail);
  problem.again = Number(response.headers.get('Retry-After')) || 0;
  throw problem;
}

export const ask = async (path, options) => (await send(path, options)).json();

export function query(values) {
  const parts = [];
  for (const [key, value] of Object.entries(values)) {
    if (value === null || value === undefined || value === '') continue;
    parts.push(key + '=' + encodeURIComponent(value));
  }
  return parts.length ? '?' + parts.join('&') : '';
}

// As many names as fit into the head of a request; one that is longer than any job's name can be is left out.
export function nameList(key, names) {
  const parts = [];
  let long = 0;
  for (const name of names) {
    const part = key + '=' + encodeURIComponent(name);
    if (part.length > 1000) continue;
    if ((long += part.length + 1) > LONGEST_LIST) break;
    parts.push(part);
  }
  return parts.join('&');
}

export async function askWho() {
  try {
    who.set(await ask('whoami'));
  } catch (problem) {
    if (problem.status === 401) who.set(false);
    throw problem;
  }
}
export const mayAct = () => ['operator', 'admin'].includes(who.get()?.role);
