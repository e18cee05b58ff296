// The words of the ledger in plain sentences: statuses, reasons, triggers, causes of a term's end, schedules. And text of
// others, as it may be shown.
import { now, seen } from './api.js';
import { parse, written, zoneOf, SILENT } from './time.js';

// Each status: its letter, its shape, and how bad it is.
export const STATUS = {
  succeeded: { letter: '\u2713', tone: 'good', shape: 'round', rank: 0 },
  failed: { letter: 'F', tone: 'bad', shape: 'square', rank: 9 },
  timed_out: { letter: 'T', tone: 'bad', shape: 'square', rank: 8 },
  lost: { letter: 'L', tone: 'bad', shape: 'hollow', rank: 7 },
  missed: { letter: 'M', tone: 'warn', shape: 'point', rank: 6 },
  killed: { letter: 'K', tone: 'warn', shape: 'square', rank: 5 },
  skipped: { letter: 'S', tone: 'mute', shape: 'hollow', rank: 2 },
  running: { letter: 'R', tone: 'live', shape: 'round', rank: 1 },
  claimed: { letter: 'C', tone: 'live', shape: 'hollow', rank: 1 },
  queued: { letter: 'Q', tone: 'live', shape: 'hollow', rank: 1 },
  planned: { letter: 'P', tone: 'mute', shape: 'dots', rank: 0 },
};
const UNKNOWN = { letter: '?', tone: 'mute', shape: 'hollow', rank: 1 };
[...Object.values(STATUS), UNKNOWN].forEach((one, index) => { one.index = index; });
export const statusOf = (status) => STATUS[status] ?? UNKNOWN;
export const BAD = ['failed', 'timed_out', 'killed', 'lost', 'missed'];
export const isBad = (status) => BAD.includes(status);
export const statusWord = (status) => (status ?? 'not recorded').replace(/_/g, ' ');

const REASON = {
  exit_code: 'it exited with a code that is no success',
  signal: 'a signal ended it',
  cannot_start: 'it could not be started',
  oom: 'it ran out of memory',
  lost_limit: 'it was lost too often, and is not tried again',
  deadline: 'it ran past its deadline',
  operator: 'somebody had it killed',
  replaced: 'a newer slot took its place',
  leadership_lost: 'its node no longer led the group',
  shutdown: 'its node was stopped',
  node_died: 'its node died; whether it ended is not known',
  runner_died: 'the runner of its node died',
  forgotten: 'somebody closed it by hand',
  evidence_lost: 'what was known of it is gone with its node',
  overlap: 'the run before it had not ended',
  queue_full: 'as many slots waited as may wait',
  paused: 'the job was paused',
  dry_run: 'the job is on trial: nothing is run',
  upstream: 'a job that it follows did not succeed',
  calendar: 'its calendar excludes that day',
  misfire: 'it was passed, and a newer slot ran instead',
  start_deadline: 'it could not start in time',
  unclaimed: 'no node could claim it in time: its leader had died and none led yet, or the store did not answer',
  stale: 'it was claimed, and could not start before the term might have ended',
  dst_gap: 'the clock skipped that time',
  no_leader: 'no node led the group then',
  no_definition: 'no file defined the job any more',
  halted: 'the job was halted',
};
export const reasonWords = (reason) => (reason ? REASON[reason] ?? reason.replace(/_/g, ' ') : '');

// Why a row is what it is, by the row alone.
export function rowWords(row) {
  if (row.reason === 'exit_code' && row.exit_code !== null) return `it exited with ${row.exit_code}`;
  if (row.reason === 'signal' && row.signal !== null) return `signal ${row.signal} ended it`;
  if (row.reason === 'paused' && row.paused_by) return `paused by ${person(row.paused_by)}`;
  if (row.reason === 'operator' && row.ended_by) return `killed by ${person(row.ended_by)}`;
  if (row.reason === 'forgotten' && row.ended_by) return `closed by ${person(row.ended_by)}`;
  if (row.reason === 'node_died' && row.node) return `${row.node} died; whether the run ended is not known`;
  if (row.reason === 'no_leader' && row.group) return `no node led ${row.group} then`;
  return reasonWords(row.reason);
}

// `NODE token NAME from ADDRESS` and the like, for people.
export function person(by) {
  if (!by) return 'nobody known';
  const plain = by.replace(/%(20|2C|22|27|25)/g, (code) => decodeURIComponent(code));
  let found = /^(\S+) token (\S+)(?: from (\S+))?$/.exec(by);
  if (found) return `token ${found[2]}` + (found[3] ? ` from ${found[3]}` : '') + `, at ${found[1]}`;
  found = /^(\S+) user (\S+) by the proxy at (\S+)$/.exec(by);
  if (found) return `${found[2].replace(/%(20|2C|22|27|25)/g, (code) => decodeURIComponent(code))}, by the proxy`;
  found = /^(\S+) uid (\d+)$/.exec(by);
  if (found) return (found[2] === '0' ? 'root' : `user ${found[2]}`) + ` on ${found[1]}`;
  return plain;
}

export const middle = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

// Why something may be known elsewhere: "host-1 does not answer"; null: all nodes have answered. Of answers, or one's `missing`.
export function silence(...of) {
  const nodes = [...new Set(of.flatMap((one) => (Array.isArray(one) ? one : one?.missing ?? [])).map(({ node }) => clip(node, 40)))];
  return nodes.length ? `${nodes.slice(0, 3).join(', ')}${nodes.length > 3 ? ` and ${nodes.length - 3} more` : ''} ${nodes.length === 1 ? 'does' : 'do'} not answer` : null;
}

// Of rows, the newest first: where slots lie between two of which only nodes know that do not answer, by how often it is due as
// a rule. { index: of the row after it, from, to, slots }
export function holes(rows, missing) {
  const away = new Set(missing?.map(({ node }) => node)), step = (row, i) => (i ? parse(rows[i - 1].slot) - parse(row.slot_until ?? row.slot) : 0);
  const usual = away.size ? middle(rows.map(step).filter((ms) => ms > 0)) : 0;
  return !usual ? [] : rows.map((row, index) => ({ index, slots: Math.round(step(row, index) / usual) - 1, from: parse(row.slot_until ?? row.slot) + usual, to: parse(rows[index - 1]?.slot) - usual }))
    .filter(({ index, slots }) => slots > 0 && (rows[index - 1].epoch - rows[index].epoch > 1 || away.has(rows[index].node) || away.has(rows[index - 1].node)));
}

// Of a node that does not answer, which may have lived longer than who tells of it knows: until the last that was read of it.
export const lastHeard = (one) => (!/ledger|history/.test(one.heard_by) && seen.get(one.node) > (one.last_heard ?? '') ? { ...one, last_heard: seen.get(one.node), heard_by: one.heard_by ?? 'record' } : one);
// Of a node whose record in the store is the last that is known of it.
export const orLater = ({ heard_by }) => (heard_by === 'record' ? ' or later' : '');
// What was heard of a moment ago may be heard again at once.
export const isAway = (node) => !['up', 'healthy', 'degraded', 'starting', 'not scheduling'].includes(node.state) && !(node.state === 'silent' && now() - parse(node.last_heard) < SILENT);
export const TRIGGER = { schedule: 'its schedule', catch_up: 'its schedule, caught up later', reboot: 'the boot of its node', manual: 'somebody, by hand', rerun: 'the run before, as its file says', chain: 'a trigger of a job before it' };
export const CAUSE = { resigned: 'handed back', expired: 'the session expired', superseded: 'another took over', unreachable: 'the store was out of reach', evicted: 'evicted', auth_failed: 'the store refused it', shutdown: 'the node was stopped', unfit: 'the node was unfit' };

export function lateness(row) {
  const start = parse(row.started_at), slot = parse(row.slot);
  return start === null || row.attempt > 1 || /manual|chain/.test(row.trigger) ? null : Math.max(0, start - slot);
}

// Several rows of one reason: "240 slots of 75 jobs".
export const slotsOfJobs = (slots, jobs) => `${plural(slots, 'slot')} of ${plural(jobs, 'job')}`;

const DAYS = { 0: 'Sunday', 1: 'Monday', 2: 'Tuesday', 3: 'Wednesday', 4: 'Thursday', 5: 'Friday', 6: 'Saturday', 7: 'Sunday', sun: 'Sunday', mon: 'Monday', tue: 'Tuesday', wed: 'Wednesday', thu: 'Thursday', fri: 'Friday', sat: 'Saturday' };
const NAMED = { '@hourly': 'every hour', '@daily': 'every day at 00:00', '@midnight': 'every day at 00:00', '@weekly': 'every Sunday at 00:00', '@monthly': 'on the 1st of every month at 00:00', '@yearly': 'on 1 January at 00:00', '@annually': 'on 1 January at 00:00', '@reboot': 'at each boot of the node that leads' };

function days(text) {
  const names = text.toLowerCase().split(',').map((part) => {
    const range = part.split('-').map((one) => DAYS[one]);
    if (range.some((one) => !one)) return null;
    return range.length === 2 ? `${range[0]} to ${range[1]}` : range[0];
  });
  return names.includes(null) ? null : names.join(', ');
}

// A schedule in words, for the plain ones; null: the expression has to speak for itself.
export function scheduleWords(expression) {
  const text = expression.trim();
  if (NAMED[text]) return NAMED[text];
  if (text.startsWith('@every ')) return 'every ' + text.slice(7);
  let parts = text.split(/\s+/), seconds = null;
  if (parts.length === 6) [seconds, ...parts] = parts;
  if (parts.length !== 5) return null;
  const [minute, hour, day, month, weekday] = parts;
  if (seconds && seconds !== '0') {
    const each = /^\*\/(\d+)$/.exec(seconds);
    return (each || seconds === '*') && parts.every((part) => part === '*') ? `every ${each ? plural(Number(each[1]), 'second') : 'second'}` : null;
  }
  if (month !== '*' || (day !== '*' && weekday !== '*')) return null;
  const on = weekday !== '*' ? days(weekday) : day !== '*' ? (/^\d+(,\d+)*$/.test(day) ? `day ${day.replace(/,/g, ', ')} of every month` : null) : '';
  if (on === null) return null;
  const tail = on ? `, on ${on}` : '';
  const every = /^(?:\*|(\d+)-59)\/(\d+)$/.exec(minute), hours = /^\*\/(\d+)$/.exec(hour), number = /^\d+$/;
  if (every && hour === '*') return `every ${every[2]} minutes${Number(every[1]) ? `, from minute ${Number(every[1])}` : ''}${tail}`;
  if (minute === '*' && hour === '*') return `every minute${tail}`;
  if (!/^\d+(,\d+)*$/.test(minute)) return null;
  const minutes = minute.split(',').map((one) => one.padStart(2, '0'));
  if (hour === '*') return `every hour at ${minutes.map((one) => ':' + one).join(', ')}${tail}`;
  if (hours && minutes.length === 1) return `every ${hours[1]} hours at :${minutes[0]}${tail}`;
  const range = /^(\d+)-(\d+)$/.exec(hour);
  if (range && minutes.length === 1) return `every hour from ${range[1].padStart(2, '0')}:${minutes[0]} to ${range[2].padStart(2, '0')}:${minutes[0]}${tail}`;
  if (!hour.split(',').every((one) => number.test(one))) return null;
  const clock = hour.split(',').flatMap((one) => minutes.map((two) => `${one.padStart(2, '0')}:${two}`));
  return clock.length > 6 ? null : `${on ? '' : 'every day '}at ${clock.join(', ')}${tail}`;
}

export const scheduleText = (list) => (!list ? '' : list.length ? list.map((one) => scheduleWords(one) ?? one).join('; ') : 'by trigger only');

// What a trigger would do beside runs that go on, by the job's `concurrency`.
export function overlapWords(concurrency, running) {
  const beside = running ? `${plural(running, 'run')} of it ${running === 1 ? 'goes' : 'go'} on now. ` : 'No run of it goes on now, so it starts at once. ';
  const rule = {
    skip: running ? 'Its concurrency is "skip": a run that you ask for now is not started, and the answer will say so.' : '',
    queue: running ? 'Its concurrency is "queue": the new run waits until that one has ended, if there is room in the queue.' : '',
    replace: running ? 'Its concurrency is "replace": that run is killed, and the new one starts when it is gone.' : '',
    allow: running ? 'Its concurrency is "allow": both run side by side, up to its max_running.' : '',
  }[concurrency];
  return beside + (rule ?? '');
}

export const untilWords = (row, zone) => (row.slots > 1 ? `to ${written(row.until ?? parse(row.slot_until), zoneOf(zone))}, ${plural(row.slots, 'slot')}` : '');

// Text of others (job names, output, errors) as it may be shown: control characters become visible signs, and what turns
// the direction of writing does too. What is long is cut. It is put into the document as text only, never as markup.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const BIDI = /[\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c\ufeff\u2028\u2029]/g;

export function visible(text) {
  return String(text)
    .replace(CONTROL, (sign) => {
      const code = sign.charCodeAt(0);
      return code < 32 ? String.fromCharCode(0x2400 + code) : code === 127 ? '\u2421' : '\ufffd';
    })
    .replace(BIDI, (sign) => '<U+' + sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0') + '>');
}

export function clip(text, most = 120) {
  const all = String(text);
  return visible(all.length > most ? all.slice(0, most) + '\u2026' : all).replace(/[\n\t]/g, ' ');
}

export const plural = (n, one, many = one + 's') => `${count(n)} ${n === 1 ? one : many}`;
export const count = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ',');

export function size(bytes) {
  if (bytes < 1000) return plural(bytes, 'byte');
  for (const unit of ['kB', 'MB', 'GB']) {
    bytes /= 1000;
    if (bytes < 1000) return (bytes < 10 ? bytes.toFixed(1) : Math.round(bytes)) + ' ' + unit;
  }
  return Math.round(bytes / 1000) + ' TB';
}
