// The timeline's rows: how those of a stretch of time come, and where they are drawn. One file, as each costs a first view a
// request.
import { useEffect, useRef, useState } from './html.js';
import { ask, query, signedIn, changed, restAfter } from './api.js';
import { parse } from './time.js';
import { statusOf, isBad, BAD } from './words.js';

// The rows of a stretch of time: the newest page first, older ones behind it at a pace that is no load, up to a hundred
// thousand. While it is live only what is new is asked for. Of a row is kept what the drawing and the list show.
const PAGE = 1000, NEWS = 200, MOST = 100_000, EVERY = 5000;
const words = new Map();
const intern = (text) => {
  if (text === null) return null;
  let found = words.get(text);
  if (found === undefined) {
    if (words.size > 50_000) words.clear();
    words.set(text, (found = text));
  }
  return found;
};

const lean = (row) => ({
  slot: parse(row.slot), begin: parse(row.started_at), end: parse(row.ended_at), status: intern(row.status), reason: intern(row.reason), node: intern(row.node), job: intern(row.job), group: intern(row.group),
  run: row.run_id, attempt: row.attempt, took: row.duration_ms, epoch: row.epoch, fence: row.fence, slots: row.slots, until: parse(row.slot_until), exit_code: row.exit_code, signal: row.signal,
});
const keyOf = (row) => (row.run ? row.run + row.attempt : row.job + ' ' + row.slot);
const OPEN = ['running', 'claimed', 'queued'];
const gaps = ({ missing, as_of, history_failure }) => ({ missing, as_of, history_failure });
const stamp = (ms) => new Date(ms).toISOString();

// filters: parameters of `history`; from, to: what is shown; live: `to` goes on.
export function useHistory(filters, from, to, live) {
  const [state, setState] = useState({ rows: [], done: false, problem: null, missing: null });
  const key = JSON.stringify(filters);
  const range = useRef();
  range.current = { from, to };
  const quantum = live ? 0 : from + to;
  useEffect(() => {
    let abort = new AbortController(), timer = 0, busy = false, took = 0, shownAt = 0;
    const rows = new Map();
    let list = [], added = [];
    setState((old) => (old.done ? { ...old, done: false } : old));
    // Pages come newest first, so that older ones are put behind; what is new is put in front.
    const show = (more) => {
      shownAt = performance.now();
      const { from: first } = range.current;
      if (added.length) {
        const behind = !list.length || added[0].slot <= list.at(-1).slot;
        list = behind ? list.concat(added) : added.concat(list);
        if (!behind && list.length > added.length && list[added.length - 1].slot < list[added.length].slot) list.sort((a, b) => b.slot - a.slot || b.attempt - a.attempt);
        added = [];
      } else list = list.slice();
      while (live && list.length && list.at(-1).slot < first - 6 * 3_600_000 && !OPEN.includes(list.at(-1).status)) rows.delete(keyOf(list.pop()));
      const now = list;
      setState((old) => ({ ...old, rows: now, problem: null, ...more }));
    };
    const page = async (since, until, limit, cursor) => {
      const answer = await ask('history' + query({ ...filters, since: stamp(since), until: stamp(until), limit, cursor }), { signal: abort.signal });
      let known = 0;
      for (const one of answer.rows) {
        const row = lean(one), id = keyOf(row);
        const old = rows.get(id);
        if (old) {
          known++;
          Object.assign(old, row);
        } else {
          rows.set(id, row);
          added.push(row);
        }
      }
      return { answer, known };
    };
    // All pages, the newest first; `fresh`: until one has nothing new.
    const load = async (fresh) => {
      if (busy) return;
      busy = true;
      const began = performance.now();
      try {
        const { from: first, to: last } = range.current;
        const since = first - Math.min(6 * 3_600_000, Math.max(1_800_000, (last - first) * 0.1)), until = last;
        let cursor = null, answer, known;
        for (let i = 0; rows.size < MOST; i++) {
          ({ answer, known } = await page(since, until, fresh || !i ? NEWS : PAGE, cursor));
          if (i === 0) took = performance.now() - began;
          cursor = answer.next;
          if (!cursor || (fresh && known)) break;
          if (i === 0 || performance.now() - shownAt > 1000) show({ done: false, missing: gaps(answer) });
          if (i >= 2) await new Promise((resolve) => setTimeout(resolve, 250));
          if (abort.signal.aborted) return;
        }
        show({ done: fresh ? true : !cursor, cut: rows.size >= MOST, missing: gaps(answer) });
      } catch (problem) {
        if (!abort.signal.aborted) setState((old) => ({ ...old, problem, done: true }));
      }
      busy = false;
      plan();
    };
    const plan = () => {
      clearTimeout(timer);
      if (live && !abort.signal.aborted) timer = setTimeout(() => load(true), Math.max(EVERY, restAfter(took)) * (document.hidden ? 6 : 1));
    };
    load(false);
    const leave = [signedIn.follow(() => { abort.abort(); abort = new AbortController(); busy = false; load(false); })];
    if (live) leave.push(changed.follow(() => { if (!busy && took < 500) load(true); }));
    return () => {
      abort.abort();
      clearTimeout(timer);
      for (const one of leave) one();
    };
  }, [key, live, quantum, live ? Math.round((to - from) / 60_000) : 0]);
  return state;
}

// Where everything lies in the timeline: pure functions from rows to paths. Few rows are drawn as bars, each job's below
// those of the job before; many are summed, column by column. A lane has one path for each tone, whatever its rows.
const TRACK = 13, GAP = 3, TRACKS = 16, AT_ONCE = 4, MARKS = 14, BAND = 6, HEAD = 20, SUMMED = 44, COLUMN = 6;
export const BARS_AT_MOST = 900;
export const LANES_AT_MOST = 14;

const ranAt = (row) => row.begin !== null && row.attempt > 0;

// lanes: [{ node, rows, terms, planned }]; x: ms to pixel. Each gets top, height, paths, and what `find` needs.
export function layOut(lanes, { from, to, wide, now, bars }) {
  const scale = wide / (to - from), x = (ms) => (ms - from) * scale;
  let top = 0;
  for (const lane of lanes) {
    lane.top = top;
    lane.bands = lane.terms.length ? new Map([...new Set(lane.terms.map((term) => term.group))].map((group, i) => [group, i])) : null;
    const body = HEAD + (lane.bands ? lane.bands.size * BAND + 3 : 0);
    lane.paths = {};
    lane.hits = [];
    lane.letters = [];
    lane.names = [];
    const tall = bars ? layBars(lane, { x, body, from, to, now }) : layColumns(lane, body);
    lane.height = body + tall + MARKS + 4;
    layMarks(lane, { x, at: body + tall, from, to, summed: !bars });
    lane.rows = lane.sums = null;
    top += lane.height;
  }
  return { height: top, x };
}

const add = (lane, tone, d) => { lane.paths[tone] = (lane.paths[tone] ?? '') + d; };
const round = (n) => Math.round(n * 10) / 10;

function layBars(lane, { x, body, from, to, now }) {
  const ran = lane.rows.filter((row) => ranAt(row) && row.begin < to && (row.end ?? now) > from), jobs = new Map();
  for (const row of ran.sort((a, b) => a.begin - b.begin)) jobs.set(row.job, [...(jobs.get(row.job) ?? []), row]);
  // Each job has tracks of its own, by name; where there are too many jobs, those with most rows have, and the rest share one.
  const most = [...jobs.values()].sort((a, b) => b.length - a.length), own = [...jobs].filter(([, rows]) => jobs.size <= TRACKS || most.indexOf(rows) < TRACKS - 1).sort(([a], [b]) => (a < b ? -1 : 1));
  const shared = jobs.size > TRACKS ? ran.filter((row) => !own.some(([job]) => job === row.job)) : [];
  let top = 0, over = 0;
  for (const [job, rows] of shared.length ? [...own, ['', shared]] : own) {
    const tracks = [];
    for (const row of rows) {
      const start = Math.max(0, x(row.begin)), end = row.end ?? now;
      let track = tracks.findIndex((one) => one.end <= row.begin);
      if (track < 0) {
        if (tracks.length >= AT_ONCE) { over++; continue; }
        track = tracks.push({ end: 0, right: -1, tone: null }) - 1;
      }
      const last = tracks[track], y = body + (top + track) * (TRACK + GAP), { tone, letter } = statusOf(row.status);
      last.end = end;
      // What begins where the one before is drawn is left out, or is drawn over that where it is bad and the one before was not.
      let left = Math.max(start, last.right + 0.5);
      if (left - start > 2) {
        if (tone === last.tone || !isBad(row.status)) continue;
        left = start;
      }
      left = Math.min(left, x(now) - 2);
      const right = Math.max(left + 2, Math.min(x(end), x(to)));
      Object.assign(last, { right: Math.max(right, last.right), tone });
      add(lane, tone, `M${round(left)} ${y}H${round(right)}v${TRACK}H${round(left)}z`);
      lane.hits.push({ row, left, right, top: y, bottom: y + TRACK });
      if (isBad(row.status) && right - left > 12 && lane.letters.length < 120) lane.letters.push({ x: round(left + 3), y: y + 10, letter });
      // Over a bar it has a ground of its own.
      if (track === 0 && rows[0] === row) lane.names.push({ x: 6, y: y + 10, job, over: left <= 7 * job.length + 12 });
    }
    top += tracks.length;
  }
  lane.over = over;
  return Math.max(1, top) * (TRACK + GAP);
}

// Many rows, in one pass and without a list for each lane: what ran is summed by column, what did not is kept for its mark.
const SUM = { succeeded: 'good', ...Object.fromEntries(BAD.map((status) => [status, 'bad'])) };
export function sumRows(rows, laneOf, { from, to, wide, now }) {
  const columns = Math.max(1, Math.ceil(wide / COLUMN)), scale = wide / (to - from) / COLUMN;
  let lane = null, node;
  for (const row of rows) {
    if (!lane || row.node !== node) {
      lane = laneOf((node = row.node) ?? '');
      lane.sums ??= { good: new Uint32Array(columns), bad: new Uint32Array(columns), live: new Uint32Array(columns) };
    }
    lane.count++;
    if (!ranAt(row)) {
      lane.rows.push(row);
      continue;
    }
    const first = Math.floor((row.begin - from) * scale), last = Math.min(columns - 1, row.end === null ? Math.floor((now - from) * scale) : first), where = lane.sums[SUM[row.status] ?? 'live'];
    for (let i = Math.max(0, first); i <= last; i++) where[i]++;
  }
}

function layColumns(lane, body) {
  const { good, bad, live } = lane.sums ?? { good: [], bad: [], live: [] }, columns = good.length;
  let most = 1;
  for (let i = 0; i < columns; i++) most = Math.max(most, good[i] + bad[i] + live[i]);
  const high = (n) => (n ? Math.max(2, Math.sqrt(n / most) * SUMMED) : 0), floor = body + SUMMED;
  for (let i = 0; i < columns; i++) {
    const all = high(good[i] + bad[i] + live[i]), below = all * (good[i] / (good[i] + bad[i] + live[i] || 1));
    if (good[i]) add(lane, 'good', `M${i * COLUMN} ${floor}v-${round(below)}h${COLUMN - 1}v${round(below)}z`);
    if (live[i]) add(lane, 'live', `M${i * COLUMN} ${round(floor - below)}v-${round(Math.max(2, (all - below) * (live[i] / (live[i] + bad[i]))))}h${COLUMN - 1}V${round(floor - below)}z`);
    if (bad[i]) add(lane, 'bad', `M${i * COLUMN} ${round(floor - Math.max(all, 3))}v${round(Math.max(3, (all - below) * (bad[i] / (live[i] + bad[i]))))}h${COLUMN - 1}V${round(floor - Math.max(all, 3))}z`);
  }
  lane.columns = { good, bad, live, most, body };
  lane.over = 0;
  return SUMMED + 4;
}

// What did not run, below the bars: a point for missed, a line for skipped; and the slots that are planned.
function layMarks(lane, { x, at, from, to, summed }) {
  const taken = new Map();
  for (const row of lane.rows) {
    if (ranAt(row) || row.slot < from || row.slot > to) continue;
    const left = x(row.slot), key = Math.round(left / 5) * 16 + statusOf(row.status).index, there = taken.get(key);
    if (there) {
      there.more += row.slots || 1;
      continue;
    }
    const right = row.until ? Math.min(x(row.until), x(to)) : left, hit = { row, left: left - 5, right: right + 5, top: at, bottom: at + MARKS, more: 0 };
    taken.set(key, hit);
    lane.hits.push(hit);
    if (row.status === 'missed') add(lane, 'warn', `M${round(left)} ${at + 1}l5 10h-10z` + (right - left > 6 ? `M${round(left)} ${at + 9}H${round(right)}v2H${round(left)}z` : ''));
    else if (row.status === 'lost') add(lane, 'bad', `M${round(left - 4)} ${at + 2}h8v8h-8z`);
    else if (row.status === 'skipped') add(lane, 'mute', `M${round(left - 3)} ${at + 5}H${round(Math.max(right, left) + 3)}v3H${round(left - 3)}z`);
    else add(lane, statusOf(row.status).tone, `M${round(left - 3)} ${at + 3}h6v6h-6z`);
  }
  const planned = new Map();
  for (const one of lane.planned) {
    if (one.slot < from || one.slot > to) continue;
    const left = Math.round(x(one.slot) / (summed ? 4 : 1)) * (summed ? 4 : 1);
    if (planned.has(left)) planned.get(left).more++;
    else planned.set(left, { planned: one, left: left - 4, right: left + 4, top: summed ? at - SUMMED - 4 : HEAD, bottom: at + MARKS, more: 0 });
  }
  const most = Math.max(1, ...[...planned.values()].map((one) => one.more + 1));
  const dense = planned.size > 24;  // lines through the whole lane would hide it
  lane.plannedPath = summed ? '' : [...planned.keys()].map((left) => `M${left + 0.5} ${dense ? at + 2 : HEAD}V${at + MARKS - 3}`).join('');
  lane.plannedSums = summed ? [...planned].map(([left, one]) => { const high = Math.max(2, Math.round(Math.sqrt((one.more + 1) / most) * SUMMED)); return `M${left} ${at - 4}v-${high}h3v${high}z`; }).join('') : '';
  lane.hits.push(...planned.values());
  lane.markTop = at;
}

// What lies at a point: a row, a planned slot, a column's sums, or nothing.
export function find(lanes, px, py, { columnOf = COLUMN } = {}) {
  const lane = lanes.find((one) => py >= one.top && py < one.top + one.height);
  if (!lane) return null;
  const y = py - lane.top;
  let best = null;
  for (const hit of lane.hits) {
    if (y < hit.top - 1 || y > hit.bottom + 1 || px < hit.left - 2 || px > hit.right + 2) continue;
    if (!best || (best.planned && !hit.planned)) best = hit;
  }
  if (best) return { lane, ...best };
  if (lane.columns && y >= lane.columns.body) {
    const i = Math.floor(px / columnOf), { good, bad, live } = lane.columns;
    if (good[i] || bad[i] || live[i]) return { lane, column: i, good: good[i], bad: bad[i], live: live[i] };
  }
  const band = lane.bands && y >= HEAD && y < HEAD + lane.bands.size * BAND ? [...lane.bands.entries()].find(([, i]) => Math.floor((y - HEAD) / BAND) === i) : null;
  return { lane, band: band?.[0] };
}

export const bandTop = (lane, group) => HEAD + lane.bands.get(group) * BAND;
export const BAND_HIGH = BAND - 2;
export const COLUMN_WIDE = COLUMN;

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10080].map((minutes) => minutes * 60_000);
// Instants for the axis: round by the clock of the zone, also on days on which it is changed.
export function ticks(from, to, wide, offsetAt) {
  const step = STEPS.find((one) => ((to - from) / one) * 76 < wide) ?? STEPS.at(-1), found = [];
  const base = offsetAt(from) * 60_000;
  for (let wall = Math.ceil((from + base - 7_200_000) / step) * step; found.length < 60 && from < to; wall += step) {
    let at = wall - base;
    at = wall - offsetAt(at) * 60_000;
    if (at > to) break;
    if (at >= from && found.at(-1)?.at !== at) found.push({ at });
  }
  return { step, list: found };
}

// The instant at which the clock is changed between two, and by how many minutes; null: it is not.
export function clockChange(from, to, offsetAt) {
  const before = offsetAt(from), after = offsetAt(to);
  if (before === after) return null;
  let [low, high] = [from, to];
  while (high - low > 60_000) {
    const middle = (low + high) / 2;
    if (offsetAt(middle) === before) low = middle;
    else high = middle;
  }
  return { at: Math.round(high / 900_000) * 900_000, minutes: after - before };
}
