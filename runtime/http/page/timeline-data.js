// The rows of a stretch of time: the newest page first, older ones behind it at a pace that is no load, up to a hundred
// thousand. While it is live only what is new is asked for. Of a row is kept what the drawing and the list show.
import { useEffect, useRef, useState } from './html.js';
import { ask, query, signedIn } from './api.js';
import { changed } from './live.js';
import { parse } from './time.js';

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
          ({ answer, known } = await page(since, until, fresh ? NEWS : PAGE, cursor));
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
      if (live && !abort.signal.aborted) timer = setTimeout(() => load(true), Math.max(EVERY, 4 * took) * (document.hidden ? 6 : 1));
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
