// Long lists: only the rows in sight are there, and only of those the last outcomes are asked for.
import { html, useLayoutEffect, useMemo, useRef, useState, useEffect } from './html.js';
import { ask, nameList, now, changed } from './api.js';
import { zoneChoice, zoneOf, written, parse, duration, MINUTE, DAY } from './time.js';
import { middle } from './words.js';
import { lateOf, lateAfter } from './job-index.js';

export function useNarrow(query = '(max-width: 760px)') {
  const [narrow, setNarrow] = useState(() => matchMedia(query).matches);
  useLayoutEffect(() => {
    const list = matchMedia(query), follow = () => setNarrow(list.matches);
    list.addEventListener('change', follow);
    return () => list.removeEventListener('change', follow);
  }, [query]);
  return narrow;
}

// A long list of which only the rows in sight are in the document. All rows have one height, so that ten thousand of them
// cost no more than thirty; rows keep their elements while they are in sight, and with them the focus.
// What is scrolled to comes AT_ONCE rows a frame at most, so that a frame is as long in a tall window as in a low one.
// `onSight(from, to)` hears which rows are in sight. A row in sight is made anew only when the list or what `row` shows beside
// its item, `extra`, is another.
// `head`: names of columns, or of such by which is sorted [name, order, whether it is]; `onSort` hears of them.
const AT_ONCE = 10;
export function Rows({ list, height, row, extra, label, head, onSort, onSight, rowKey }) {
  const box = useRef(null), [sight, setSight] = useState(() => [0, Math.ceil(innerHeight / height)]), shown = useRef(sight), first = useRef(true);
  useLayoutEffect(() => {
    let frame = 0;
    const look = () => {
      frame = 0;
      if (!box.current) return;
      const top = -box.current.getBoundingClientRect().top;
      const from = Math.max(0, Math.floor(top / height) - 3), to = Math.max(0, Math.min(list.length, Math.ceil((top + innerHeight) / height) + 3));
      const [first, last] = shown.current, beside = first < to && from < last;
      const next = beside ? [Math.max(from, first - AT_ONCE), Math.min(to, last + AT_ONCE)] : [from, Math.min(to, from + AT_ONCE)];
      if (next[0] !== first || next[1] !== last) setSight((shown.current = next));
      if (next[0] !== from || next[1] !== to) later();
      else onSight?.(from, to);
    };
    const later = () => { frame ||= requestAnimationFrame(look); };
    // Where the rows lie is known once the view is laid out: to ask for it sooner has all of it laid out twice.
    if (first.current) look();
    else later();
    first.current = false;
    addEventListener('scroll', later, { passive: true });
    addEventListener('resize', later);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener('scroll', later);
      removeEventListener('resize', later);
    };
  }, [list, height]);
  const zone = zoneChoice(), made = useMemo(() => new Map(), [list, height, zone]);
  const rowAt = (one, index) => {
    const shown = extra?.(one), old = made.get(one);
    if (old && old.shown === shown) return old.row;
    if (made.size > 300) made.clear();
    const fresh = html`<div key=${rowKey(one)} class="grid-row" role="row" aria-rowindex=${index + 2} style=${{ transform: `translateY(${index * height}px)`, height: height + 'px' }}>${row(one)}</div>`;
    made.set(one, { shown, row: fresh });
    return fresh;
  };
  const [from, to] = [Math.min(sight[0], Math.max(0, list.length - 1)), Math.min(sight[1], list.length)];
  return html`<div class="grid" role="table" aria-label=${label} aria-rowcount=${list.length + 1}>
    <div role="rowgroup"><div class="grid-head" role="row" aria-rowindex="1">${head.map((one) => (typeof one === 'string' ? html`<span key=${one} role="columnheader">${one}</span>` : html`<span key=${one[0]} role="columnheader" aria-sort=${one[2] ? 'other' : 'none'}><button type="button" class="quiet small" onClick=${() => onSort(one[1])}>${one[0]}${one[2] ? ' \u25be' : ''}</button></span>`))}</div></div>
    <div ref=${box} class="grid-body" role="rowgroup" style=${{ height: list.length * height + 'px' }}>
      ${list.slice(from, to).map((one, i) => rowAt(one, from + i))}
    </div>
  </div>`;
}

// The last outcomes of jobs, asked for a hundred jobs at a time and only of those in sight; and how their durations
// compare with what was usual before.
const KEPT = 600, FRESH = 8000;
const strips = new Map();  // job: { rows, at }

const lean = ({ status, reason, slot, duration_ms, run_id, attempt }) => ({ status, reason, slot, duration_ms, run_id, attempt });

let gaps = null;  // what the last answer about strips could not say
async function fetchStrips(names, last, abort) {
  const list = nameList('job', names);
  if (!list) return [];
  const { strips, ...more } = await ask(`history/strips?${list}&last=${last}`, { signal: abort });
  gaps = more;
  return strips;
}

// Strips of the jobs that `sight` names, by job; renewed while they stay in sight.
export function useStrips() {
  const [, again] = useState(0), names = useRef([]), timer = useRef(0), abort = useRef(null);
  const fill = async () => {
    if (abort.current) return;
    const old = performance.now() - FRESH;
    const wanted = names.current.filter((name) => !strips.has(name) || strips.get(name).at < old).slice(0, 100);
    if (!wanted.length) return;
    abort.current = new AbortController();
    try {
      for (const { job, rows } of await fetchStrips(wanted, 30, abort.current.signal)) {
        strips.delete(job);
        strips.set(job, { rows: rows.map(lean), at: performance.now() });
      }
      if (!strips.has(wanted[0])) strips.set(wanted[0], { rows: [], at: performance.now() });
      while (strips.size > KEPT) strips.delete(strips.keys().next().value);
      again((n) => n + 1);
      await learnUsual(wanted, abort.current.signal).catch(() => {});
      for (const name of wanted) if (strips.has(name)) strips.set(name, { ...strips.get(name), rows: [...strips.get(name).rows] });
      again((n) => n + 1);
      // Long names did not all fit into one request.
      if (names.current.some((name) => !strips.has(name))) timer.current = setTimeout(fill, 200);
    } catch {
      // asked again with the next poll
    }
    abort.current = null;
  };
  useEffect(() => {
    const leave = changed.follow(fill), poll = setInterval(() => { if (!document.hidden) fill(); }, 10_000);
    return () => {
      leave();
      clearInterval(poll);
      clearTimeout(timer.current);
      abort.current?.abort();
    };
  }, []);
  const see = (seen) => {
    names.current = seen;
    clearTimeout(timer.current);
    timer.current = setTimeout(fill, 90);
  };
  return [(job) => strips.get(job)?.rows, see, gaps];
}

const durations = (rows) => rows.filter((row) => row.status === 'succeeded' && row.duration_ms !== null);

// How long jobs take as a rule, as the node says it, which has one rule for all who ask. Learned once an hour, of young jobs each
// five minutes.
const LEARNED = 60 * MINUTE, YOUNG = 5 * MINUTE, usuals = new Map();  // job: { ms, of: how many, since, until }
export async function learnUsual(names, abort) {
  const list = nameList('job', names.filter((name) => !(usuals.get(name)?.until > Date.now())));
  if (!list) return;
  const { usual } = await ask('history/usual?' + list, { signal: abort });
  if (usuals.size > 20_000) usuals.clear();
  for (const { job, basis, usual_ms: ms, runs: of, slower_since: since, slower_since_failure: failure } of usual) usuals.set(job, { ms, of, since, failure, until: Date.now() + (basis === 'week' ? LEARNED : YOUNG) });
}

// Those of these jobs that take as long as a rule, or did so the last times where too few runs are known for a rule, the longest
// first; so many at most. And which nodes may know more. What is usual takes long to find: of jobs whose last runs took less than
// half of that it is not asked for.
export async function longJobs(names, least, most, abort, told) {
  const lasts = new Map();
  for (let i = 0; i < names.length; i += 100) {
    for (const { job, rows } of await fetchStrips(names.slice(i, i + 100), 12, abort)) lasts.set(job, middle(durations(rows).map((row) => row.duration_ms)));
    told();
  }
  const some = names.filter((job) => lasts.get(job) >= least / 2), missing = gaps?.missing;
  for (let i = 0; i < some.length; i += 100, told()) await learnUsual(some.slice(i, i + 100), abort);
  return { missing, long: some.map((job) => ({ job, takes: usuals.get(job)?.ms ?? lasts.get(job) })).filter((one) => one.takes >= least).sort((a, b) => b.takes - a.takes).slice(0, most) };
}

// How many times longer the last runs took, three of the last day, than is usual; null where there are too few to say.
export function slowdown(job, rows) {
  const all = durations(rows).map((row) => [row.duration_ms, parse(row.slot) > now() - DAY]), { ms: usual, ...more } = usuals.get(job) ?? {};
  if (!usual) return null;
  const last = all.slice(0, 3).filter(([, fresh], i) => fresh || !i).map(([ms]) => ms), recent = middle(last) ?? usual;
  return { times: recent / usual, recent, usual, last: last.length, ...more };
}
// How long the last run took that has ended.
export const lastTook = (rows) => rows?.find((row) => row.duration_ms !== null)?.duration_ms;
// Less is noise: a job of some milliseconds is not slow.
export const isSlower = (found) => found?.times >= 1.5 && found.recent - found.usual >= 1000;
export const timesText = (times) => `${times >= 10 ? Math.round(times) : times.toFixed(1).replace('.0', '')}\u00d7`;

// What is compared with what. "Usual" is what `ballot slow` calls so.
export const paceText = ({ times, recent, usual, last, of, since, failure }, zone) => `${last === 1 ? 'its last success' : `its last ${last} successes`} took ${duration(recent)}, ${timesText(times)} the usual ${duration(usual)} of ${of} before${since ? `, since ${written(parse(since), zoneOf(zone))}` : failure ? ', since when is not known' : ''}`;

// By its file, else by a minute.
const isLate = (row) => parse(row.slot) > now() - DAY && lateOf(row) > lateAfter(row.job);

// A hundred at a time, slowly enough to be no load; what is answered is kept for minutes, but for what is not known for want of an answer.
const compared = new Map();  // job: { times, recent, usual, last, of, since, took, late, at }
export async function compare(names, abort, told) {
  const old = Date.now() - 3 * MINUTE;
  for (let i = 0; i < names.length && !abort.aborted; i += 100) {
    const wanted = names.slice(i, i + 100).filter((name) => !(compared.get(name)?.at > old));
    if (wanted.length) {
      if (i) await new Promise((resolve) => setTimeout(resolve, 300));
      const [learned, strips] = await Promise.all([learnUsual(wanted, abort).then(() => true, () => false), fetchStrips(wanted, 12, abort)]);
      for (const { job, rows } of strips) compared.set(job, { ...slowdown(job, rows), took: lastTook(rows), late: rows.find(isLate), at: learned && Date.now() });
    }
    told(Math.min(i + 100, names.length));
  }
  return compared;
}

// Compares all of these jobs; `done` of them are compared.
export function useSlowdowns(jobs, on) {
  const [done, setDone] = useState(0);
  useEffect(() => {
    if (!on || !jobs.length) return;
    const abort = new AbortController();
    compare(jobs.map((one) => one.job), abort.signal, setDone).catch(() => {});
    return () => abort.abort();
  }, [on, jobs.length]);
  return [compared, done];
}
