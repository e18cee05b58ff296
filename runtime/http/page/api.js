// Requests to the daemon, relative to where the page lies. The token stays in sessionStorage and goes into a header, never
// into a URL. A request that is refused for want of one opens the form (`tokenWanted`), and the view stays as it is. And what
// views ask anew, and when.
import { signal, useEffect, useRef, useState } from './html.js';

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

// When nodes were there last, by the runs that were read: one that ended there by itself was heard of at its end, one that did not at its slot.
export const seen = new Map();
function see(answer) {
  const rows = [answer.rows, answer.attempts, ...(answer.strips ?? []).map((one) => one.rows)].flatMap((list) => (Array.isArray(list) ? list : []));
  for (const { node, run_id, attempt, slot, ended_at, exit_code } of rows) {
    const at = typeof exit_code === 'number' && ended_at ? ended_at : slot;
    if (run_id && attempt && at > (seen.get(node) ?? '')) seen.set(node, at);
  }
  return answer;
}
export const ask = async (path, options) => see(await (await send(path, options)).json());

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

// What happens on the node, as a stream of events. Its rows are not read: that there were some is all that is taken from
// it, and views then ask anew, each 2 s at most. Cut off, it comes back by itself, later and later; the polls go on.
export const liveState = signal('off');  // off, live, cut
export const daemon = signal(null);  // its `status`, which the frame asks for,
export const answers = signal(true);  // and whether it answers
export const changed = signal(0);  // grows when something has happened, each 2 s at most
const acted = signal(0);  // grows when what somebody asked for by this page is done

// All that is shown is asked anew: at once, and when the nodes have written what comes of it.
export function noteAction() {
  const tell = () => { acted.set(acted.get() + 1); changed.set(changed.get() + 1); };
  tell();
  setTimeout(tell, 1500);
}

let last = null, wait = 1000, stop = null, pending = false, spoken = 0;

function happened() {
  if (pending) return;
  pending = true;
  setTimeout(() => {
    pending = false;
    spoken = Date.now();
    if (!document.hidden) changed.set(changed.get() + 1);
  }, Math.max(50, spoken + 2000 - Date.now()));
}

async function read(abort) {
  const response = await send('events' + (last === null ? '' : '?after=' + encodeURIComponent(last)), { signal: abort });
  const reader = response.body.getReader(), text = new TextDecoder();
  liveState.set('live');
  wait = 1000;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const end = text.decode(value.length > 8192 ? value.subarray(-8192) : value);
    const at = end.lastIndexOf('\nid: ');
    const id = at >= 0 ? /^[^\n]*(?=\n)/.exec(end.slice(at + 5)) : /^id: ([^\n]*)\n/.exec(end);
    if (id) last = id[1] ?? id[0];
    if (/^(id|event|data):/m.test(end)) happened();
  }
}

async function keep(abort) {
  while (!abort.aborted) {
    try {
      await read(abort);
    } catch (problem) {
      if (abort.aborted) return;
      if (problem.status === 401 || problem.status === 403 || problem.status === 404) {
        liveState.set('cut');
        return;
      }
    }
    liveState.set('cut');
    await new Promise((resolve) => setTimeout(resolve, wait + Math.random() * 500));
    wait = Math.min(wait * 2, 30_000);
  }
}

export function startLive() {
  stop?.abort();
  stop = new AbortController();
  keep(stop.signal);
}
document.addEventListener('visibilitychange', () => { if (!document.hidden) happened(); });

// Before a question is asked again whose answer took so long: it takes a fifth of a daemon's time, or waits a minute.
export const restAfter = (took) => Math.min(4 * took, 60_000);
// Asks for something again and again, as long as a component is there that shows it: each `every` ms, sooner when events
// say that something has happened, six times less often while nobody looks. One request is under way at a time; leaving
// the view aborts it. What was answered stays in place until there is something else, so that nothing jumps.
// path null: nothing is asked. `live`: how soon, in ms, events may lead to another request; false: not at all. `read` may take the answer apart or make further requests, and
// tells `part` of answers, with what can be shown by then if nothing is: each may take its time.
// `hold`: for so many ms an answer is not taken in place of one in which fewer nodes were missing; later `merge(data, full, at)` has what
// to show of it and of the last one in which they were not. `heard.at`: when the last answer was taken.
const NONE = { data: null, problem: null }, PATIENCE = 40_000;
const lacks = (data, before) => data.missing?.some(({ node }) => !before.missing?.some((one) => one.node === node));
// Whoever comes back to a view sees what was there, until there is something else.
const kept = new Map(), KEPT = 24, LASTS = 600_000;  // path: { data, at }
signedIn.follow(() => kept.clear());
const keptOf = (path) => (now() - kept.get(path)?.at < LASTS ? kept.get(path) : null);
const stateOf = (path) => ({ ...NONE, data: keptOf(path)?.data ?? null });
function keepOf(path, answer) {
  kept.delete(path);
  kept.set(path, answer);
  if (kept.size > KEPT) kept.delete(kept.keys().next().value);
}
export function usePoll(path, { every = 5000, live = 2000, read = null, keep = false, hold = 0, merge = null } = {}) {
  const [state, setState] = useState(() => stateOf(path)), heard = useRef({ at: 0, every });
  const again = useRef(() => {});
  const given = useRef();
  given.current = { read, merge };
  useEffect(() => {
    if (path === null) {
      setState(NONE);
      return;
    }
    let { data: full = null, at: fullAt = 0 } = keptOf(path) ?? {}, abort = null, timer = 0, began = 0, took = 0, last = null, stopped = false, soon = false, next = false, gone = false;
    if (full || !keep) setState((old) => (old.data === full && !old.problem ? old : stateOf(path)));
    heard.current = { at: fullAt, every };
    const plan = (ms) => {
      clearTimeout(timer);
      timer = setTimeout(run, ms);
    };
    const run = async () => {
      if (stopped || abort) return;
      const mine = (abort = new AbortController());
      let late = 0;
      const wait = () => {
        clearTimeout(late);
        late = setTimeout(() => mine.abort(new Error('The daemon has not answered for 40 s.')), PATIENCE);
      };
      wait();
      began = performance.now();
      let pause = every;
      const part = (data) => {
        if (stopped || abort !== mine) return;
        wait();
        if (full || !data) return;
        heard.current.at = now();
        setState({ data, problem: null });
      };
      try {
        let data = given.current.read ? await given.current.read(path, mine.signal, part) : await ask(path, { signal: mine.signal });
        const less = full && lacks(data, full);
        if (!stopped && !(less && now() - fullAt < hold)) {
          heard.current.at = now();
          if (less && given.current.merge) data = given.current.merge(data, full, fullAt);
          else keepOf(path, { data: (full = data), at: (fullAt = now()) });
          const text = JSON.stringify(data);
          setState((old) => (text === last && !old.problem && old.data ? old : { data: text === last && old.data ? old.data : data, problem: null }));
          last = text;
        }
      } catch (problem) {
        if (stopped || abort !== mine) return;
        setState((old) => ({ ...old, problem }));
        gone = problem.status === 404;
        pause = gone ? Math.max(every, 60_000) : Math.max(Math.min(every, 60_000), (problem.again || 0) * 1000);
      }
      clearTimeout(late);
      if (abort !== mine) return;
      abort = null;
      took = performance.now() - began;
      if (stopped) return;
      const wanted = next ? 0 : soon ? Math.max(live || every, restAfter(took)) : Math.max(pause, restAfter(took)) * (document.hidden ? 6 : 1);
      soon = next = false;
      plan(wanted);
    };
    const poke = () => {
      if (abort) soon = true;
      else if (!gone && performance.now() - began > Math.max(live - 100, took + restAfter(took))) plan(0);
    };
    again.current = () => (abort ? (next = true) : plan(0));
    const leave = [signedIn.follow(() => { abort?.abort(); abort = null; plan(0); }), acted.follow(() => again.current())];
    if (live) leave.push(changed.follow(poke));
    run();
    return () => {
      stopped = true;
      clearTimeout(timer);
      abort?.abort();
      for (const one of leave) one();
    };
  }, [path, every]);
  return { ...state, heard: heard.current, again: () => again.current() };
}
