// What needs attention, computed from what the daemon says: pure functions over counts, strips, nodes and groups.
import { ask, query, nameList, now } from './api.js';
import { signal } from './html.js';
import { parse, MINUTE } from './time.js';
import { isBad, holes, middle, silence } from './words.js';

const DAY = 86_400_000, JUDGED = 50, STOPPED = 30, FLAPS = 3;  // times that a job failed after a success
export const LAST = 15;
export const FAILED = 'failed,timed_out,killed,lost,missed', WANTED = FAILED + ',skipped';
const MEANT = ['paused', 'dry_run', 'calendar'];  // skipped because somebody wants it so
export const isWanted = (row) => row.status === 'killed' && row.reason === 'operator';  // somebody ended it, so it does not fail
export const OPEN = ['running', 'claimed', 'queued'];

// How many slots have failed, by job.
async function countBad(jobs, since, signal) {
  const sums = new Map(), { counts } = await ask(`history/summary?${nameList('job', jobs)}&${query({ since, status: FAILED, per: 'all' }).slice(1)}`, { signal });
  for (const row of counts) if (!isWanted(row)) sums.set(row.job, (sums.get(row.job) ?? 0) + row.slots);
  return sums;
}

// How many of 30 days. Counting takes long where there are many rows, so nothing waits for it; it is done anew for a job that is
// not counted, and after five minutes.
export const failures = signal(new Map());
let counted = { at: 0, jobs: [] };
function countFailures(jobs, since) {
  if (now() - counted.at < 5 * MINUTE && jobs.every((job) => counted.jobs.includes(job))) return;
  const mine = (counted = { at: now(), jobs });
  countBad(jobs, since).then(failures.set, () => { mine.at = 0; });
}

// Of the nodes that do not answer those that may know more of a job: of an instance its own alone.
const knowing = (job, missing = []) => missing.filter(({ node }) => !job.includes('@') || job.endsWith('@' + node));

// Since when jobs fail, by job: of one that does so on all the slots that are looked at its last success is asked for; and
// where none is known, on how many slots it does at least. What was known once stays so while a node does not answer.
const known = new Map();
async function settleSince(list, missing, abort) {
  const since = new Date(now() - 30 * DAY).toISOString(), vague = [];
  for (const job of known.keys()) if (!list.some((one) => one.job === job)) known.delete(job);
  let asked = 0;
  await Promise.all(list.map(async (one) => {
    let found = known.get(one.job);
    const away = knowing(one.job, missing);
    if (parse(one.before) > parse(found?.since) || (found && !found.sure && !away.length)) found = null;
    if (!found && !one.all) found = { since: one.since, sure: true };
    if (!found && asked++ < 10) {
      const { rows: [row], ...answer } = await ask('history' + query({ job: one.job.includes(',') ? null : one.job, status: 'succeeded', since, limit: 1 }), { signal: abort });
      found = { since: one.since, success: row?.job === one.job ? row.slot : null, sure: !knowing(one.job, answer.missing).length };
    }
    if (found && parse(one.since) > parse(found.since)) one.since = found.since;
    if (found) known.set(one.job, { ...found, since: one.since });
    Object.assign(one, { success: found?.success, unsure: !found?.sure, least: !found || found.success === null ? one.inRow : 0 });
    if (found?.success === null) vague.push(one.job);
    // The last slots that are looked at are not all of them.
    if (one.all && found?.success && found.sure && asked++ < 10) Object.assign(one, { inRow: (await countBad([one.job], found.success, abort)).get(one.job) ?? one.inRow, more: false });
  }));
  if (vague.length) countFailures(vague, since);
  list.sort((a, b) => parse(a.success ?? a.since) - parse(b.success ?? b.since) || (a.job < b.job ? -1 : 1));
}

// Asks for the counts of a time, and for the strips of the jobs that had most trouble.
export async function askAttention(window, abort, part) {
  // The last day's are under way since before the modules were there, if this machine's clock is right.
  const early = globalThis.begun?.day, begun = window === DAY && Math.abs(now() - Date.now()) < 5000 && Date.now() - DAY - parse(early) < 5000;
  const since = begun ? early : new Date(now() - window).toISOString().slice(0, 19) + 'Z';
  const summary = await ask('history/summary' + query({ since, status: WANTED, per: 'all' }), { signal: abort });
  const jobs = new Map(), missed = new Map(), lost = { slots: 0 };
  for (const { job, status, reason, slots, attempts } of summary.counts) {
    if (isWanted({ status, reason })) continue;
    let one = jobs.get(job);
    if (!one) jobs.set(job, (one = { job, failed: 0, retried: 0, missed: 0, skipped: 0, strip: null }));
    if (status === 'missed') {
      one.missed += slots;
      const cause = missed.get(reason) ?? { reason, slots: 0, jobs: new Map() };
      cause.slots += slots;
      cause.jobs.set(job, (cause.jobs.get(job) ?? 0) + slots);
      missed.set(reason, cause);
    } else if (status === 'skipped') {
      if (!MEANT.includes(reason)) one.skipped += slots;
    } else {
      one.failed += slots;
      one.retried += attempts - slots;
      if (status === 'lost') lost.slots += slots;
    }
  }
  let missing = summary.missing ?? [];
  const counts = { since, missed: [...missed.values()].map((one) => ({ ...one, jobs: [...one.jobs].sort((a, b) => b[1] - a[1]).slice(0, 100), jobCount: one.jobs.size })).sort((a, b) => b.slots - a.slots), lost: [], missing: summary.missing, as_of: summary.as_of, history_failure: summary.history_failure };
  counts.healed = [...jobs.values()].filter((one) => one.retried > 0 && !one.failed);
  part({ ...sort([], [], missing), ...counts, partial: true });
  const failed = [...jobs.values()].filter((one) => one.failed).sort((a, b) => b.failed - a.failed);
  const skipping = [...jobs.values()].filter((one) => one.skipped >= 3).sort((a, b) => b.skipped - a.skipped).slice(0, STOPPED);
  // Of jobs of which slots were missed alone those that flap.
  const misses = [...jobs.values()].filter((one) => !one.failed && one.missed >= FLAPS).sort((a, b) => b.missed - a.missed).slice(0, STOPPED);
  const asked = [...new Set([...failed.slice(0, JUDGED), ...skipping, ...misses])];
  if (asked.length) {
    try {
      const { strips, missing: later } = await ask(`history/strips?${nameList('job', asked.map((one) => one.job))}&last=${LAST}`, { signal: abort });
      // A node may have gone between the questions.
      if (later?.length > missing.length) missing = counts.missing = later;
      for (const { job, rows } of strips) if (jobs.has(job)) jobs.get(job).strip = rows.map(({ status, slot, slot_until, run_id, node, epoch, reason, duration_ms, attempt }) => ({ status, slot, slot_until, run_id, node, epoch, reason, duration_ms, attempt }));
    } catch (problem) {
      if (problem.status !== 404) throw problem;
      // a node that knew one of the jobs does not answer any more
    }
  }
  const sorted = sort(failed, skipping, missing, misses);
  part({ ...sorted, ...counts, partial: true });
  const [lostAnswer] = await Promise.all([lost.slots ? ask('history' + query({ since, status: 'lost', limit: 100 }), { signal: abort }) : null, settleSince(sorted.failing, missing, abort)]);
  const lostRows = lostAnswer ? lostAnswer.rows.map(({ job, node, reason, run_id, slot }) => ({ job, node, reason, run_id, slot })) : [];
  return { ...sorted, ...counts, lost: byNode(lostRows) };
}

function byNode(rows) {
  const nodes = new Map();
  for (const row of rows) {
    const key = `${row.node} ${row.reason}`;
    if (!nodes.has(key)) nodes.set(key, { node: row.node, reason: row.reason, rows: [] });
    nodes.get(key).rows.push(row);
  }
  return [...nodes.values()];
}

// Of slots that ended, the newest first: how many went wrong in a row, which did, and whether the job fails and recovers again and again.
export function course(ran) {
  let inRow = 0;
  while (inRow < ran.length && isBad(ran[inRow].status)) inRow++;
  return { inRow, bad: ran.filter(({ status }) => isBad(status)), flaps: ran.filter(({ status }, i) => isBad(status) && ran[i + 1] && !isBad(ran[i + 1].status)).length >= FLAPS };
}

// How it stands by its last slots, as far as they are known without a gap: failing (since when, how often in a row),
// recovered, without any success, or passing over many slots.
function judge({ job, strip }, missing) {
  const away = knowing(job, missing), settled = strip.filter((row) => !OPEN.includes(row.status)), [hole] = holes(settled, away), rows = settled.slice(0, hole?.index);
  const ran = rows.filter((row) => row.status !== 'skipped' && !isWanted(row)), skipped = rows.filter((row) => row.status === 'skipped' && !MEANT.includes(row.reason));
  const { inRow, bad, flaps } = course(ran);
  const took = rows.filter((row) => row.status === 'succeeded' && row.duration_ms !== null).map((row) => row.duration_ms);
  const before = ran[inRow]?.slot, all = inRow === ran.length;
  // A node that has lived since the last success may have runs between those that are known.
  const silent = silence(away.filter((node) => (parse(node.last_heard) ?? Infinity) >= parse(before)));
  return {
    failing: inRow > 0, flaps, bad, inRow, all, silent, more: all || silent,
    since: inRow ? ran[inRow - 1].slot : null, before, newest: ran[0] ?? rows[0] ?? null,
    never: rows.length >= 5 && !rows.some((row) => row.status === 'succeeded'), count: rows.length,
    passes: skipped.length, passed: skipped[0]?.reason, takes: middle(took), every: middle(rows.slice(1).map((row, i) => parse(rows[i].slot) - parse(row.slot))),
  };
}

function sort(failed, skipping, missing, misses = []) {
  const failing = [], flapping = [], recovered = [], stopped = [], passing = [], others = [];
  for (const one of failed) {
    if (!one.strip) others.push(one);
    else {
      const found = { ...one, ...judge(one, missing) };
      (found.flaps ? flapping : found.failing ? failing : recovered).push(found);
    }
  }
  for (const one of misses) {
    const found = one.strip && { ...one, ...judge(one, missing) };
    if (found?.flaps) flapping.push(found);
  }
  for (const one of skipping) {
    if (!one.strip) continue;
    const found = { ...one, ...judge(one, missing) };
    if (found.never && !one.failed) stopped.push(found);
    else if (!found.failing && found.count >= 8 && found.passes * 4 >= found.count) passing.push(found);
  }
  return { failing, flapping, recovered, stopped, passing, others };
}
