// All jobs by name, as far as lists and zones need them: asked for page by page, with the ETag of the page before, once a
// minute while somebody shows them, and where they are few each time that something has happened, or a next slot has passed.
// Ten thousand jobs are ten requests; only what is shown of a job is kept. Of jobs that run on each node the daemon lists its
// own instances: those of other nodes are asked for one by one; of a node that does not answer they are known by their groups.
import { useEffect, signal } from './html.js';
import { ask, send, query, signedIn, now, changed, daemon, restAfter } from './api.js';
import { parse } from './time.js';
import { statusOf, lateness, isAway } from './words.js';

const EVERY = 60_000, PAGE = 1000, SOON = 4000;  // SOON: of each page
const jobIndex = signal({ jobs: [], byName: new Map(), ready: false, missing: null, problem: null });

// Since when no leader of a group is known to this page. An election takes less than 2 T: until then it is no trouble; and
// a node without a session knows of no leader.
const vacant = new Map();
export function noteLeader({ group, leader, leaderless }) {
  if (leader || daemon.get()?.session === 'none') vacant.delete(group);
  else if (leaderless) vacant.set(group, 0);
  else if (!vacant.has(group)) vacant.set(group, now());
}
export const lacksLeader = (group) => now() - vacant.get(group) > 2 * (daemon.get()?.timeout_ms || 10_000);

let users = 0, running = false, at = 0, took = 0, wanted = EVERY, timer = 0, tags = [], elsewhere = { at: 0, jobs: [] };  // wanted: so long after `at`

function plan() {
  clearTimeout(timer);
  if (users && !running) timer = setTimeout(load, at + Math.max(wanted * (document.hidden ? 6 : 1), restAfter(took)) - Date.now());
}

// Pauses that stand, as far as they are known.
const NONE = [];
export const pausesOf = (job) => (job.pauses?.length ? job.pauses : job.state === 'paused' ? [{ of: 'job', since: job.paused_at, by: job.paused_by, until: job.paused_until, reason: job.pause_reason }] : NONE);
const lean = (job) => ({
  job: job.job, group: job.group, leader: job.leader, next: parse(job.next_slot), last: job.last_status, state: job.state, trouble: job.trouble, overdue: job.overdue_since, slow: job.slow, within: job.expect_within_ms, late: job.late_after_ms,
  pauses: pausesOf(job), zone: job.timezone, chained: Boolean(job.slots_of), schedule: job.schedule, lower: job.job.toLowerCase(),
  rank: statusOf(job.last_status?.split(': ')[0]).rank + (job.state === 'halted' ? 20 : 0),
});

// Instances of jobs that run on each node: JOB@NODE, in the group GROUP@NODE.
export const isInstance = (name, group) => group.lastIndexOf('@') > 0 && name.endsWith(group.slice(group.lastIndexOf('@')));
export const nodeOf = (name) => /@([^@]+)$/.exec(name)?.[1];
const INSTANCES = 100, AT_ONCE = 4;
async function askInstances(own) {
  const each = own.filter((job) => isInstance(job.job, job.group)), found = [];
  if (!each.length) return found;
  const { nodes } = await ask('nodes'), known = nodes.some(isAway) ? (await ask('groups?limit=1000')).groups.map(({ group }) => group) : [];
  for (const node of nodes) {
    const away = isAway(node), groups = away ? known : node.leads;
    for (const job of each) {
      const on = (name) => name.slice(0, name.lastIndexOf('@') + 1) + node.node;
      if (on(job.job) !== job.job && groups.includes(on(job.group))) found.push({ ...job, job: on(job.job), lower: on(job.lower), group: on(job.group), leader: away ? null : node.node, next: null, last: null, state: null, pauses: NONE, rank: 1, elsewhere: true, away });
    }
  }
  const there = found.filter(({ away }) => !away);
  for (let i = 0; i < Math.min(there.length, INSTANCES); i += AT_ONCE) {
    const some = there.slice(i, i + AT_ONCE), said = await Promise.all(some.map(({ job }) => ask('jobs/' + encodeURIComponent(job)).catch(() => null)));
    said.forEach((job, k) => { if (job) Object.assign(some[k], lean(job)); });
  }
  return found;
}

// What is due over the fleet: of jobs that run on each node each node's instances, of which the daemon says its own unless asked.
export async function askDue(filters, nodes, abort) {
  const answer = await ask('next' + query(filters), { signal: abort }), slots = new Map(answer.slots.map((one) => [one.job + one.slot, one])), last = answer.left_out && answer.slots.at(-1)?.slot;
  for (const node of nodes) {
    const more = await ask('next' + query({ ...filters, node }), { signal: abort });
    for (const one of more.slots) if (isInstance(one.job, one.group) && !(one.slot > last)) slots.set(one.job + one.slot, one);
  }
  return { ...answer, slots: [...slots.values()].sort((a, b) => (a.slot < b.slot ? -1 : a.slot > b.slot ? 1 : a.job < b.job ? -1 : 1)) };
}
// The jobs that are due in a minute, each with the node that leads it, as far as this one knows; `cut`: not all of them.
export async function askMinute(minute, abort) {
  const end = parse(minute) + 60_000, from = Math.max(parse(minute), now());
  if (!(from < end)) return { jobs: [], over: true };
  const { slots, left_out: cut } = await ask('next' + query({ from: new Date(from).toISOString(), for_ms: Math.ceil(end - from), limit: 1000, scope: 'node' }), { signal: abort });
  return { jobs: [...new Map(slots.filter((one) => parse(one.slot) < end).map((one) => [one.job, one.node]))], cut };
}
// Nodes, but for this one, that have such instances.
export const nodesOfInstances = (nodes, own) => nodes.filter((one) => own && one.node !== own && one.leads.some((group) => group.endsWith('@' + one.node))).map((one) => one.node).slice(0, 20);

async function load() {
  if (running) return;
  running = true;
  clearTimeout(timer);
  wanted = EVERY;
  const began = Date.now();
  const pages = [], fresh = [];
  let after = null, missing = null;
  try {
    for (let i = 0; i < 100; i++) {
      const known = tags[i]?.after === after ? tags[i] : null;
      let page;
      try {
        const response = await send('jobs' + query({ limit: PAGE, after }), { headers: known?.etag ? { 'If-None-Match': known.etag } : {} });
        const body = await response.json();
        page = { after, etag: response.headers.get('ETag'), jobs: body.jobs.map(lean), next: body.next };
        page.jobs.forEach(noteLeader);
        missing = body.missing ?? missing;
      } catch (problem) {
        if (problem.status !== 304 || !known) throw problem;
        page = known;
      }
      fresh.push(page);
      pages.push(page.jobs);
      // What there is is shown from the first page on.
      if (!jobIndex.get().ready && i % 3 === 0) publish(pages, false, missing);
      if (!page.next) break;
      after = page.next;
    }
    tags = fresh;
    if (Date.now() - elsewhere.at >= EVERY) elsewhere = { at: Date.now(), jobs: await askInstances(pages.flat()).catch(() => []) };
    const more = elsewhere.jobs;
    publish(more.length ? [[...pages.flat(), ...more].sort((a, b) => (a.job < b.job ? -1 : 1))] : pages, true, missing);
  } catch (problem) {
    jobIndex.set({ ...jobIndex.get(), problem });
  }
  running = false;
  at = Date.now();
  took = at - began;
  plan();
}

function publish(pages, ready, missing) {
  const jobs = pages.flat(), byName = new Map(jobs.map((job) => [job.job, job]));
  jobIndex.set({ jobs, byName, ready, missing: missing ? { missing } : null, problem: null });
}

// Asks again before the minute is over, as soon as it is not too soon; `surely`: however many jobs there are. What is wanted while
// they are asked for is for the next time.
export function refreshJobs(surely) {
  if (!users || !(at || running)) return;
  wanted = Math.min(wanted, surely === true ? 0 : SOON * tags.length || EVERY);
  plan();
}
signedIn.follow(() => setTimeout(refreshJobs, 0, true));

// Follows all jobs; `wait`: not before so many ms, as something else has to be shown first; `live`: also what happens to them.
export function useJobIndex(wait = 0, live = false) {
  useEffect(() => {
    users++;
    const begin = at || running ? plan() : setTimeout(load, wait), leave = live ? changed.follow(refreshJobs) : null;
    return () => {
      leave?.();
      clearTimeout(begin);
      if (!--users) clearTimeout(timer);
    };
  }, []);
  return jobIndex.use();
}

// The zone of a job, where it is known; asked for alone where there is no list yet. And whether it has the slots of another.
const zones = new Map(), chained = new Set();
export const zoneOfJob = (name) => jobIndex.get().byName.get(name)?.zone ?? zones.get(name);
export async function learnZone(name) {
  if (!zoneOfJob(name)) noteJob(await ask('jobs/' + encodeURIComponent(name)));
}
export function noteJob({ job, timezone, slots_of, ...more }) {
  noteLeader(more);
  if (timezone && zones.size < 5000) zones.set(job, timezone);
  if (slots_of) chained.add(job);
}
// Where it begins when another has ended it is not late.
export const lateOf = (row) => (jobIndex.get().byName.get(row.job)?.chained || chained.has(row.job) ? null : lateness(row));
export const lateAfter = (job) => jobIndex.get().byName.get(job)?.late ?? 60_000;
export const leaderOf = (job) => jobIndex.get().byName.get(job)?.leader;
