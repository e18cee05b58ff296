// A made-up fleet: jobs, slots, runs and what became of them are computed from a job's number and a minute, so that each
// question about the same slot has the same answer. Three nodes, of which one is dead; groups, one without a leader; jobs
// that fail, recover, stop, are paused, grow slow.
const MINUTE = 60_000, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
const ZONES = ['Europe/Berlin', 'America/New_York', 'UTC', 'Australia/Lord_Howe'];
const NODES = ['host-1', 'host-2', 'host-3'];
const DEAD = 'host-3';
const KINDS = ['backup', 'rotate-logs', 'report', 'sync-ldap', 'reindex', 'invoice', 'mail-digest', 'vacuum', 'certs', 'metrics-rollup', 'thumbnail', 'export'];
const TEAMS = ['db', 'web', 'billing', 'search', 'mail', 'infra', 'ml', 'media'];
const PERIODS = [5, 15, 30, 60, 60, 360, 1440, 1440, 1440];
const HOSTILE = [
  '<img src=x onerror=alert(1)>', '\u202egnp.exe-reversed', 'a\u0000b\u0007c\u001b[31mred', 'x'.repeat(100_000), '"><script>alert(1)</script>', '../../etc/passwd?a=b&c=d#e',
  'שלום-backup', 'emoji-👩‍👩‍👧-job', '   blanks   ', '%2F%00', 'constructor', '__proto__',
];

function hash(...numbers) {
  let h = 2166136261;
  for (const n of numbers) {
    h = Math.imul(h ^ (n & 0xffff), 16777619);
    h = Math.imul(h ^ ((n / 65536) | 0), 16777619);
    h ^= h >>> 13;
  }
  h = Math.imul(h ^ (h >>> 16), 0x45d9f3b);
  return ((h ^ (h >>> 16)) >>> 0) / 4294967296;
}

const zoneOffsets = new Map(), formats = new Map();
function zoneOffset(zone, ms) {  // minutes east of UTC, cached by half an hour
  if (zone === 'UTC') return 0;
  if (!zoneOffsets.has(zone)) {
    zoneOffsets.set(zone, new Map());
    formats.set(zone, new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' }));
  }
  const known = zoneOffsets.get(zone), key = Math.floor(ms / (30 * MINUTE));
  let found = known.get(key);
  if (found === undefined) {
    const parts = /GMT([+-])(\d+):(\d+)/.exec(formats.get(zone).format(ms));
    found = parts ? (parts[1] === '-' ? -1 : 1) * (Number(parts[2]) * 60 + Number(parts[3])) : 0;
    known.set(key, found);
  }
  return found;
}
const iso = (ms) => (ms === null || ms === undefined ? null : new Date(ms).toISOString().replace(/\.000Z$/, 'Z'));
function local(zone, ms) {
  const minutes = zoneOffset(zone, ms);
  const shown = new Date(ms + minutes * MINUTE).toISOString().slice(0, 19);
  const two = (n) => String(n).padStart(2, '0');
  return shown + (minutes < 0 ? '-' : '+') + two(Math.floor(Math.abs(minutes) / 60)) + ':' + two(Math.abs(minutes) % 60);
}

export class FakeFleet {
  constructor(wanted) {
    this.wanted = wanted;
    this.faults = {};  // history: why the fleet's history does not answer; asOf: it answers; store: the daemon's session; away: a node that does not answer, and its rows are not there; heard: until when it led; electing: a group that elects a leader; starts: the daemon's first session is not open; deaf: no events; down: nothing
    this.said = {};  // of jobs, by name, what is said otherwise in the list
    this.streams = new Set();
    this.streamed = [];  // when events were asked for, and after which one
    this.shift = wanted.now ? Date.parse(wanted.now) - Date.now() : 0;
    this.pauses = new Map();
    this.backfills = new Map();
    this.asked = [];
    this.byHand = [];
    this.events = 0;
    const count = Number(wanted.fake || 200);
    this.jobs = [];
    for (let i = 0; i < count; i++) {
      const team = TEAMS[i % TEAMS.length], period = PERIODS[Math.floor(hash(i, 1) * PERIODS.length)];
      let name = `${team}-${KINDS[Math.floor(i / TEAMS.length) % KINDS.length]}` + (i >= TEAMS.length * KINDS.length ? `-${Math.floor(i / (TEAMS.length * KINDS.length)) + 1}` : '');
      if (wanted.hostile && i < HOSTILE.length) name = HOSTILE[i];
      const temper = ['good', 'good', 'good', 'good', 'good', 'flaky', 'good', 'good', 'slowing', 'good', 'good', 'overlap'][Math.floor(hash(i, 2) * 12)];
      const special = { 3: 'broken', 12: 'broken', 17: 'recovered', 21: 'paused', 30: 'stuck', 5: 'running', 9: 'running', 14: 'running', 37: 'disabled', 44: 'halted', 50: 'trigger' }[i];
      const offset = period === 1440 ? (i % 5 === 0 ? 150 : Math.floor(hash(i, 3) * 24) * 60 + (hash(i, 4) < 0.6 ? 0 : 30)) : hash(i, 3) < 0.5 ? 0 : Math.floor(hash(i, 5) * Math.min(period, 60));
      this.jobs.push({ index: i, name, group: count > 40 || i % 2 ? team : 'web', zone: ZONES[Math.floor(hash(i, 6) * ZONES.length)], period: special === 'running' ? 30 : special === 'broken' ? 15 : period, offset: special ? 0 : offset, temper: special ?? temper });
    }
    // A job that runs on each node, of which the daemon lists its own instance.
    this.instances = wanted.each ? NODES.map((node, i) => ({ index: count + i, name: `trim@${node}`, group: `infra@${node}`, node, zone: 'UTC', period: 5, offset: 1, temper: 'good' })) : [];
    this.jobs.push(...this.instances.slice(0, 1));
    // Jobs of which nothing older than 150 minutes is known, and which are slower since 80: by 8 s, and by 2 ms; since 120; and one
    // that takes longer than until its next slot.
    if (wanted.young) for (const [i, name] of ['young', 'quick', 'slid', 'tight'].entries()) this.jobs.push({ index: count + 10 + i, name, group: 'db', zone: 'UTC', period: 5, offset: 0, temper: name });
    this.began = this.now() - 150 * MINUTE;
    this.jobs.sort((a, b) => (a.name < b.name ? -1 : 1));
    this.byName = new Map([...this.jobs, ...this.instances].map((job) => [job.name, job]));
    this.byIndex = new Map(this.jobs.map((job) => [job.index, job]));
    this.due = new Map();
    for (const job of this.jobs) {
      const key = job.period === 1440 ? `${job.zone} ${job.offset}` : `${job.period} ${job.offset}`;
      if (!this.due.has(key)) this.due.set(key, []);
      this.due.get(key).push(job);
    }
    this.killed = wanted.killed;  // a job whose newest run somebody has killed
    const start = this.now();
    this.deadSince = start - (wanted.whole ? 60 * DAY : 95 * MINUTE);  // whole: so long ago that nothing is known of it
    for (const [name, by, before] of [['paused', 'host-1 token oncall from 10.0.0.7', 26 * HOUR]]) {
      for (const job of this.jobs) if (job.temper === name) this.pauses.set(job.name, { since: start - before, by });
    }
    this.asked.push({ request_id: null, at: iso(start - 26 * HOUR), kind: 'pause', job: this.jobs.find((j) => j.temper === 'paused')?.name ?? null, group: null, run_id: null, by: 'host-1 token oncall from 10.0.0.7', node: 'host-1', result: 'done', text: 'paused until 2025-03-09T08:00:00.471Z', answered_at: iso(start - 26 * HOUR + 300) });
    this.asked.push({ request_id: null, at: iso(start - 5 * HOUR), kind: 'kill', job: this.jobs[0].name, group: null, run_id: null, by: 'host-2 user anna%20b by the proxy at 127.0.0.1', node: 'host-2', result: 'refused', text: 'the run has ended', answered_at: iso(start - 5 * HOUR + 200) });
  }
  now() { return Date.now() + this.shift; }
  isDue(job, minute) {
    if (job.temper === 'trigger' || job.temper === 'disabled') return false;
    if (job.period !== 1440) return minute % job.period === job.offset % job.period;
    const at = minute * MINUTE, wall = (minute + zoneOffset(job.zone, at)) % 1440;
    if (wall === job.offset) return zoneOffset(job.zone, at - HOUR) <= zoneOffset(job.zone, at) || (minute - 60 + zoneOffset(job.zone, at - HOUR)) % 1440 !== job.offset;
    const before = zoneOffset(job.zone, at - MINUTE), after = zoneOffset(job.zone, at);
    return after > before && wall - (after - before) <= job.offset && job.offset < wall && wall - job.offset <= after - before;
  }
  dueAt(minute) {
    const found = [];
    for (const period of [5, 15, 30, 60, 360]) found.push(...(this.due.get(`${period} ${minute % period}`) ?? []));
    for (const zone of ZONES) {
      const before = zoneOffset(zone, (minute - 1) * MINUTE), after = zoneOffset(zone, minute * MINUTE), wall = (minute + after) % 1440;
      if (after > before) for (let label = wall - (after - before); label < wall; label++) found.push(...(this.due.get(`${zone} ${label}`) ?? []));
      found.push(...(this.due.get(`${zone} ${wall}`) ?? []).filter((job) => this.isDue(job, minute)));
    }
    return found.filter((job) => job.temper !== 'trigger' && job.temper !== 'disabled');
  }
  nodeAt(job, at) {
    if (job.node) return job.node;
    const groups = hash(job.group.length, job.group.charCodeAt(0), job.group.charCodeAt(1));
    const wanted = NODES[Math.floor(groups * 3)];
    const node = wanted === DEAD && at >= this.deadSince ? NODES[job.group.length % 2] : wanted;
    return node === this.faults.away && at >= (this.faults.heard ?? Infinity) ? NODES.find((one) => one !== node && one !== DEAD) : node;
  }
  epochAt(job, at) { return this.wanted.gap ? 3 : 12 + (job.group.length % 5) + (at >= this.deadSince ? 1 : 0) + (at >= (this.faults.heard ?? Infinity) ? 1 : 0); }
  runId(job, slot) {
    const time = slot.toString(16).padStart(12, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${Math.floor(hash(job.index, slot / MINUTE, 9) * 0xffffff).toString(16).padStart(6, '0')}${job.index.toString(16).padStart(6, '0')}`;
  }
  row(job, slot, more) {
    return { run_id: null, job: job.name, group: job.group, slot: iso(slot), slot_until: null, slots: 1, trigger: 'schedule', attempt: 0, status: null, reason: null, exit_code: null, signal: null, started_at: null, ended_at: null, duration_ms: null, node: this.nodeAt(job, slot), epoch: this.epochAt(job, slot), fence: null, output_bytes: 0, leftover: null, triggered_by: null, ended_by: null, paused_by: null, resumed_by: null, ...more };
  }
  attempts(job, slot) {  // of a slot, the last attempt first
    const now = this.now(), h = hash(job.index, Math.floor(slot / MINUTE)), pause = this.pauses.get(job.name);
    if (pause && slot >= pause.since) return [this.row(job, slot, { status: 'skipped', reason: 'paused', paused_by: pause.by })];
    if (job.temper === 'halted' && slot > now - 3 * HOUR) return [this.row(job, slot, { status: 'missed', reason: 'halted' })];
    if (job.temper === 'stuck' && slot > now - 40 * HOUR) return [this.row(job, slot, { status: 'skipped', reason: 'overlap' })];
    if (slot > this.deadSince && slot < this.deadSince + 12 * MINUTE && this.nodeAt(job, this.deadSince - 1) === DEAD) return [this.row(job, slot, { status: 'missed', reason: this.wanted.unclaimed ? 'unclaimed' : 'no_leader', epoch: null })];
    if (job.temper === 'overlap' && h < 0.12) return [this.row(job, slot, { status: 'skipped', reason: 'overlap' })];
    const usual = 2_000 + hash(job.index, 7) * (job.period > 60 ? 20 : 2) * MINUTE;
    let duration = usual * (0.8 + 0.4 * hash(job.index, slot / MINUTE, 3));
    if (job.temper === 'slowing' && slot > now - 2 * DAY) duration *= 1 + 2.5 * (1 - (now - slot) / (2 * DAY));
    if (job.temper === 'running') duration = 35 * MINUTE;
    if (job.temper === 'young' || job.temper === 'quick') duration = (slot > this.began + 70 * MINUTE ? [9000, 3] : [1000, 1])[job.temper === 'young' ? 0 : 1];
    if (job.temper === 'slid') duration = slot > this.began + 32 * MINUTE ? 9000 : 1000;
    if (job.temper === 'tight') {
      if (slot / (5 * MINUTE) % 2) return [this.row(job, slot, { status: 'skipped', reason: 'overlap' })];
      duration = 8 * MINUTE;
    }
    if (job.name === this.killed && slot > now - 6 * MINUTE) return [this.row(job, slot, { run_id: this.runId(job, slot), attempt: 1, status: 'killed', reason: 'operator', ended_by: 'host-1 token ci', started_at: iso(slot), ended_at: iso(slot + 10), duration_ms: 10 })];
    const late = job.temper === 'quick' ? 2100 : 8 + hash(job.index, slot / MINUTE, 4) * 60 + (h > 0.985 ? 4_000 : 0);
    const run = (attempt, start, more) => this.row(job, slot, { run_id: this.runId(job, slot), attempt, fence: Math.floor(slot / MINUTE / job.period) % 9000 + attempt, trigger: h > 0.99 ? 'catch_up' : 'schedule', started_at: iso(start), output_bytes: 1200, ...more });
    const ended = (attempt, start, lasts, more) => start + lasts > now
      ? run(attempt, start, { status: 'running' })
      : run(attempt, start, { ended_at: iso(start + lasts), duration_ms: Math.round(lasts), status: 'succeeded', exit_code: 0, ...more });
    const begin = slot + late;
    if (begin > now) return [run(1, null, { status: 'claimed', started_at: null })];
    if (job.temper === 'broken' && slot > now - 6 * HOUR * (1 + job.index % 3)) {
      const second = ended(2, begin + 31_000, 900, { status: 'failed', reason: 'exit_code', exit_code: 1 });
      return [second, run(1, begin, { ended_at: iso(begin + 800), duration_ms: 800, status: 'failed', reason: 'exit_code', exit_code: 1 })];
    }
    if (job.temper === 'recovered' && slot < now - HOUR && slot > now - 9 * HOUR) return [ended(1, begin, duration, { status: 'timed_out', reason: 'deadline', exit_code: null, signal: 15 })];
    if (slot < this.deadSince && slot + duration > this.deadSince && this.nodeAt(job, slot) === DEAD) return [run(1, begin, { status: 'lost', reason: 'node_died', ended_at: iso(this.deadSince), evidence: 'store' })];
    if (job.temper === 'flaky' && h < 0.08) {
      const which = [['failed', 'exit_code', 2, null], ['failed', 'oom', null, 9], ['timed_out', 'deadline', null, 15], ['failed', 'cannot_start', null, null], ['failed', 'signal', null, 11]][Math.floor(h * 60)];
      if (which) return [ended(1, begin, duration, { status: which[0], reason: which[1], exit_code: which[2], signal: which[3] })];
    }
    if (job.temper === 'flaky' && h < 0.2) return [ended(2, begin + 40_000, duration, {}), run(1, begin, { ended_at: iso(begin + 900), duration_ms: 900, status: 'failed', reason: 'exit_code', exit_code: 75 })];
    if (h > 0.998) return [ended(1, begin, duration, { status: 'killed', reason: 'operator', exit_code: null, signal: 15, ended_by: 'host-1 token oncall from 10.0.0.7' })];
    return [ended(1, begin, duration, {})];
  }
  slotsBack(job, from, limit, until = 0) {  // instants that were due, newest first
    const found = [];
    if (['young', 'quick', 'slid', 'tight'].includes(job.temper)) until = Math.max(until, this.began);
    let minute = Math.floor((from - 1) / MINUTE);
    if (job.period < 1440) {
      minute -= (((minute - job.offset) % job.period) + job.period) % job.period;
      if (job.temper === 'trigger' || job.temper === 'disabled') return found;
      for (; found.length < limit && minute * MINUTE >= until && minute * MINUTE > from - 60 * DAY; minute -= job.period) found.push(minute * MINUTE);
    } else {
      const take = (m) => { if (m * MINUTE < from && m * MINUTE >= until && this.isDue(job, m)) found.push(m * MINUTE); };
      const seek = (day) => {
        const east = zoneOffset(job.zone, day * DAY);
        if (east === zoneOffset(job.zone, day * DAY + DAY)) return take(day * 1440 + ((job.offset - east + 2880) % 1440));
        for (let m = day * 1440 + 1439; m >= day * 1440; m--) take(m);
      };
      for (let day = Math.floor(minute / 1440); found.length < limit && day * DAY + DAY > until && day > minute / 1440 - 60; day--) seek(day);
    }
    return found.slice(0, limit);
  }
  slotsAhead(job, from, to, limit) {
    const pause = this.pauses.get(job.name), found = [];
    if (pause) from = Math.max(from, pause.until ?? to);
    if (job.period < 1440) {
      for (let m = Math.ceil(from / MINUTE); found.length < limit && m * MINUTE < to; m += found.length ? job.period : 1) if (this.isDue(job, m)) found.push(m * MINUTE); else if (found.length) break;
      return found;
    }
    for (let m = Math.ceil(from / MINUTE); found.length < limit && m * MINUTE < to; m++) if (this.isDue(job, m)) found.push(m * MINUTE);
    return found;
  }
  next(job) {
    const now = this.now();
    const pause = this.pauses.get(job.name);
    if (pause?.until) return this.slotsAhead(job, now, pause.until + 2 * DAY, 1)[0] ?? null;
    if (pause || job.temper === 'trigger' || job.temper === 'disabled') return null;
    if (job.period < 1440) return Math.floor(now / MINUTE / job.period) * job.period * MINUTE + (job.offset % job.period) * MINUTE + (Math.floor(now / MINUTE / job.period) * job.period * MINUTE + (job.offset % job.period) * MINUTE > now ? 0 : job.period * MINUTE);
    const cached = job.nextCached;
    if (cached > now) return cached;
    return (job.nextCached = this.slotsAhead(job, now, now + 2 * DAY, 1)[0] ?? null);
  }
  last(job, count, since, until) { return this.slotsBack(job, until ? Date.parse(until) : this.now(), count, since ? Date.parse(since) : 0).map((slot) => this.attempts(job, slot)[0]); }
  // How long it takes as a rule: by the week before the last day, or by what it did at first.
  usual(name) {
    const job = this.byName.get(name), ago = (days) => iso(this.now() - days * DAY);
    const took = (...of) => (job ? this.last(job, ...of) : []).filter((row) => this.knows(row) && row.status === 'succeeded').map((row) => row.duration_ms);
    const week = [1, 3, 5].flatMap((days) => took(12, ago(days + 2), ago(days))), last = took(100), all = week.length > 2 ? week : last.slice(Math.floor(last.length * 0.75));
    const since = job?.temper === 'young' ? { slower_since: iso(Math.ceil((this.began + 70 * MINUTE + 1) / (5 * MINUTE)) * 5 * MINUTE) } : {};
    return { job: name, basis: all.length < 3 ? 'few' : all === week ? 'week' : 'recent', usual_ms: all.length < 3 ? null : all.sort((a, b) => a - b)[all.length >> 1], runs: all.length, ...since };
  }
  schedule(job) {
    if (job.temper === 'trigger') return [];
    if (job.period === 1440) return [`${job.offset % 60} ${Math.floor(job.offset / 60)} * * *`];
    if (job.period === 360) return [`${job.offset % 60} */6 * * *`];
    return [job.period === 60 ? `${job.offset} * * * *` : `${job.offset % job.period}-59/${job.period} * * * *`];
  }
  jobRow(job) {
    const pause = this.pauses.get(job.name), last = this.last(job, 1).filter((row) => this.knows(row))[0];
    const leaderless = this.lacksLeader(job.group);
    return {
      job: job.name, group: job.group, leader: leaderless ? null : this.nodeAt(job, this.now()), next_slot: iso(this.next(job)),
      last_status: last ? last.status + (last.reason ? ': ' + last.reason : '') : null,
      state: pause ? 'paused' : job.temper === 'disabled' ? 'disabled' : job.temper === 'halted' ? 'halted' : leaderless ? null : 'active',
      trouble: job.temper === 'halted' ? 'the register has a newer format (3) than this version reads (2)' : null, halted_at: job.temper === 'halted' ? iso(this.now() - 3 * HOUR) : null,
      paused_at: pause ? iso(pause.since) : null, paused_by: pause?.by ?? null, digest: 'd' + job.index.toString(16).padStart(15, '0'),
      timezone: job.zone, schedule: this.schedule(job), description: job.index % 3 ? null : `${KINDS[job.index % KINDS.length]} of team ${job.group}, see the run book`,
      ...(pause ? { pauses: [{ of: 'job', since: iso(pause.since), by: pause.by, until: iso(pause.until), reason: pause.reason ?? null }] } : {}),
      ...(this.backfills.has(job.name) ? { backfill: [this.backfills.get(job.name)] } : {}), ...this.said[job.name],
    };
  }
  missing() {
    const { history, asOf } = this.faults;
    const away = this.faults.away ? [{ node: this.faults.away, why: 'no answer within 2 s', last_heard: iso(this.faults.heard ?? this.now() - 900), heard_by: 'election' }] : [];
    return { scope: 'fleet', missing: [...away, ...(this.wanted.whole ? [] : [{ node: DEAD, why: 'connection refused', last_heard: iso(this.deadSince), heard_by: 'election' }])], ...(history ? { history_failure: history } : {}), ...(asOf ? { as_of: iso(asOf) } : {}) };
  }
  knows(row) { return row.node !== this.faults.away || (row.attempt === 0 && !this.faults.heard); }
  // Ends the streams of events as a network does.
  reset() { for (const response of this.streams) response.socket.destroy(); }
  history(query) {
    const now = this.now(), limit = Math.min(Number(query.get('limit') ?? 50), 1000);
    const list = (name) => (query.get(name) ? query.getAll(name).flatMap((text) => text.split(',')) : null);
    const statuses = list('status') ?? (query.get('failed') === 'true' ? ['failed', 'timed_out', 'killed', 'lost'] : null), names = list('job'), groups = list('group'), nodes = list('node'), reasons = list('reason');
    const only = (words) => statuses?.every((status) => words.includes(status));
    let since = Date.parse(query.get('since') ?? iso(now - 7 * DAY)), until = Math.min(Date.parse(query.get('until') ?? iso(now)), now);
    // What is open or lost is of a known time; looking through all slots for it would take long.
    if (only(['running', 'claimed', 'queued'])) since = Math.max(since, now - 90 * MINUTE);
    if (only(['lost'])) [since, until] = [Math.max(since, this.deadSince - 90 * MINUTE), Math.min(until, this.deadSince)];
    const fits = (row) => this.knows(row) && (!statuses || statuses.includes(row.status)) && (!nodes || nodes.includes(row.node)) && (!groups || groups.includes(row.group)) && (!reasons || reasons.includes(row.reason));
    // What a daemon has an index for.
    if (nodes && groups?.every((group) => !nodes.includes(this.nodeAt({ group }, now)) && !nodes.includes(this.nodeAt({ group }, this.deadSince - 1)))) return { rows: [], next: null, ...this.missing() };
    const rows = [], [at, passed] = (query.get('cursor') ?? '').split('.').map(Number);
    if (names) {
      const all = names.flatMap((name) => { const job = this.byName.get(name); return job ? this.slotsBack(job, until + 1, 5000, since).map((slot) => [slot, job]) : []; }).sort((a, b) => b[0] - a[0]);
      let index = at || 0;
      for (; index < all.length && rows.length < limit; index++) rows.push(...this.attempts(all[index][1], all[index][0]).filter(fits));
      return { rows, next: index < all.length ? `${index}.0` : null, ...this.missing() };
    }
    let minute = at || Math.floor(until / MINUTE), skip = passed || 0, looked = 0;
    for (; minute * MINUTE >= since; minute--) {
      const jobs = this.dueAt(minute);
      for (let i = skip; i < jobs.length; i++) {
        rows.push(...this.attempts(jobs[i], minute * MINUTE).filter(fits));
        if (rows.length >= limit || ++looked > 400_000) return { rows, next: `${minute}.${i + 1}`, ...this.missing() };
      }
      skip = 0;
    }
    return { rows, next: null, ...this.missing() };
  }
  summary(query) {
    const now = this.now(), per = query.get('per') ?? 'hour', since = Date.parse(query.get('since') ?? iso(now - 7 * DAY)), until = Math.min(Date.parse(query.get('until') ?? iso(now)), now);
    const key = per + Math.floor(since / MINUTE) + Math.floor(until / MINUTE) + query.get('status') + query.get('job') + this.faults.away + [...this.pauses.keys()];
    if (this.summaryKey === key) return this.summaryCached;
    const statuses = query.get('status')?.split(','), counts = new Map();
    const jobs = query.get('job') ? query.get('job').split(',').map((name) => this.byName.get(name)).filter(Boolean) : this.jobs;
    const unit = per === 'all' ? null : per === 'day' ? DAY : HOUR;
    for (const job of jobs) {
      for (const slot of this.slotsBack(job, until, jobs.length > 2000 ? 8 : 5000, since)) {
        for (const [i, row] of this.attempts(job, slot).entries()) {
          if (!this.knows(row) || (statuses && !statuses.includes(row.status))) continue;
          const from = unit ? Math.floor(slot / unit) * unit : since, id = `${from} ${job.index} ${row.status} ${row.reason}`;
          const count = counts.get(id) ?? { [unit === HOUR ? 'hour' : 'from']: iso(from), job: job.name, status: row.status, reason: row.reason, slots: 0, attempts: 0 };
          if (!i) count.slots += row.slots;
          if (row.attempt) count.attempts++;
          counts.set(id, count);
        }
      }
    }
    const answer = { [unit === HOUR ? 'hours' : 'counts']: [...counts.values()].slice(0, 20_000), ...this.missing() };
    this.summaryKey = key; this.summaryCached = answer;
    return answer;
  }
  load(query) {
    const now = this.now(), from = Math.max(Date.parse(query.get('from') ?? iso(now)), now), to = Date.parse(query.get('to') ?? iso(now + 7 * DAY));
    const hours = [], clashes = [];
    for (let hour = Math.floor(from / HOUR) * HOUR; hour < to; hour += HOUR) {
      let slots = 0, most = null; const names = new Set();
      for (let m = 0; m < 60; m++) {
        if (hour + (m + 1) * MINUTE <= from) continue;
        const jobs = this.dueAt(hour / MINUTE + m).filter((job) => !this.pauses.has(job.name));
        slots += jobs.length;
        for (const job of jobs) names.add(job.name);
        if (jobs.length && (!most || jobs.length > most.most_slots)) most = { most_at: iso(hour + m * MINUTE), most_slots: jobs.length };
        if (jobs.length >= (this.wanted.clash ?? 5)) clashes.push({ minute: iso(hour + m * MINUTE), slots: jobs.length, jobs: jobs.length, first_jobs: jobs.slice(0, 20).map((job) => job.name) });
      }
      if (slots) hours.push({ hour: iso(hour), slots, jobs: names.size, ...most, most_jobs: most.most_slots });
    }
    clashes.sort((a, b) => b.slots - a.slots);
    return { from: iso(from), to: iso(to), hours, clashes: clashes.slice(0, 50), unknown: [], left_out: 0 };
  }
  why(job, slot) {
    const rows = this.attempts(job, slot), row = rows[0];
    const text = { succeeded: this.wanted.prose ? 'It is due at 2025-03-09T08:00:00.000Z after job young (run 0123456789ab on host-1); this job is well; see `ballot why`.' : 'It was claimed by the term that led the group, started in time and exited with 0.', failed: `Attempt ${row.attempt} of ${row.attempt} exited with ${row.exit_code}. retry.attempts is 2: no attempt follows.`, skipped: row.reason === 'paused' ? `The job was paused by ${row.paused_by}.` : 'The run before it had not ended, and concurrency is "skip".', missed: row.reason === 'no_leader' ? `No term covered the slot: ${DEAD}, which led ${job.group}, died, and nobody led the group until 12 minutes later. start_deadline (5m) had passed by then.` : 'The job was halted: its register cannot be read.', timed_out: 'It ran longer than its timeout, got TERM, and ended within the grace.', lost: `${DEAD} ran it and died. Whether it ended is not known. guarantee is at-most-once: it is not repeated.`, killed: `${row.ended_by} asked for it.`, running: 'It runs.', claimed: 'It is claimed and about to start.' }[row.status];
    return { job: job.name, slot: iso(slot), status: row.status, reason: row.reason, run_id: row.run_id, why: text, rows, ...this.missing() };
  }
  findRun(id) {
    const hand = this.byHand.find((run) => run.run_id === id || run.run_id.endsWith(id));
    if (hand) return { job: this.byName.get(hand.job), rows: [hand] };
    const parts = /^(\w{8})-(\w{4})-7000-8000-(\w{12})$/.exec(id);
    if (!parts) return null;
    const job = this.byIndex.get(parseInt(parts[3].slice(6), 16)), slot = parseInt(parts[1] + parts[2], 16);
    if (!job) return null;
    const rows = this.attempts(job, slot);
    return rows[0].run_id ? { job, rows, slot } : null;
  }
  definitions(now) {
    const of = (job, hours, more) => ({ at: iso(now - (now % DAY) - hours * HOUR), job: job.name, group: job.group, change: 'changed', nodes: ['host-1', 'host-2'], digest: 'd' + hours, digest_before: 'e' + hours, keys: [], text: 'other keys, of which the ledger keeps no values', ...more });
    return [
      of(this.jobs[0], 3, { keys: [{ key: 'retries', before: '0', after: '2' }], text: 'retries: 0 -> 2, and perhaps other keys, of which the ledger keeps no values' }),
      ...this.jobs.slice(1, 30).map((job) => of(job, 9, { change: 'added', digest_before: null, text: 'schedule: 0 3 * * *' })),
      ...[['host-1'], ['host-2']].map((nodes) => of(this.jobs.at(-1), 20, { change: 'removed', nodes, digest: null, text: 'no file defines it' })),
    ];
  }
  outputText(row) {
    let text = '';
    for (let i = 1; i <= 24; i++) text += `${row.started_at ?? ''} step ${i} of 24: ${row.job.slice(0, 40)} wrote ${Math.floor(hash(i, 5) * 9000)} rows\n`;
    if (this.wanted.hostile) text += '\u001b[31mred\u001b[0m <script>alert(1)</script>\u202e reversed\u0000\u0007\n' + 'w'.repeat(100_000) + '\n';
    return text + (row.status === 'failed' ? 'error: connection to db-2 refused\n' : row.status === 'succeeded' ? 'done\n' : '');
  }
  answer(request, response, target) {
    const now = this.now(), url = new URL(target, 'http://x'), query = url.searchParams;
    response.setHeader('Date', new Date(now).toUTCString());
    const problem = (status, title, detail) => response.writeHead(status, { 'Content-Type': 'application/problem+json' }).end(JSON.stringify({ type: 'about:blank', title, status, detail }));
    const send = (body, status = 200) => response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    if (this.faults.down) return problem(502, 'Bad Gateway', 'The daemon does not answer.');
    if (query.size > 128) return problem(400, 'Bad Request', 'the query has more than 128 values');
    if (url.pathname === '/healthz') return response.end('ok\n');
    if (this.wanted.token && request.headers.authorization !== 'Bearer ' + this.wanted.token) return problem(401, 'Unauthorized', 'This takes a token: Authorization: Bearer TOKEN.');
    const route = url.pathname.replace(/^\/api\/v1\//, '').split('/').map(decodeURIComponent);
    const job = route[0] === 'jobs' && route[1] !== undefined ? this.byName.get(route[1]) : null;
    if (route[0] === 'jobs' && route[1] !== undefined && !job) return problem(404, 'Not Found', `There is no job ${route[1].slice(0, 60)}.`);
    if (request.method !== 'GET') return this.act(request, response, route, job, send, problem);
    switch (route[0]) {
      case 'whoami': return send({ name: this.wanted.token ? 'token ci' : 'anonymous', role: this.wanted.role ?? 'operator' });
      case 'status': return send({ node: 'host-1', backend: 'etcd', session: this.faults.starts ? 'none' : this.faults.store ?? 'open', timeout_ms: this.faults.starts ? 0 : this.wanted.timeout ?? 10000, jobs: this.jobs.length, open_runs: 3, groups: [], next_slots: [], degraded: this.faults.store ? ['store: no answer for 12 s'] : [], more_next_slots: 0, state: this.faults.starts ? 'starting' : this.faults.store ? 'not scheduling' : 'degraded', missing: this.missing().missing });
      case 'nodes': return send({ state: this.faults.starts ? 'starting' : 'degraded', nodes: NODES.map((node) => ({ node, state: this.faults.starts ? (node === 'host-1' ? 'starting' : 'unknown') : node === (this.wanted.whole ? this.faults.away : DEAD) ? 'gone' : node === this.faults.away ? 'silent' : this.wanted.finding ? 'degraded' : 'up', last_heard: node === DEAD && !this.wanted.whole ? iso(this.deadSince) : iso((node === this.faults.away && this.faults.heard) || now - 800), version: '0.1.0', host: node + '.example.net', leads: node === DEAD ? [] : [...this.groupNames().filter((g) => g !== 'ml' && !g.includes('@') && this.nodeAt({ group: g }, now) === node), ...this.instances.filter((one) => one.node === node).map((one) => one.group)], reasons: this.wanted.finding && node !== DEAD ? [`config: 1 error in the job files (\`ballot check\` lists them): /etc/${node}/jobs.d/late.toml:3:15: error: schedule: hour is 0 to 23, not '25'`] : node === DEAD ? ['its session is over since ' + iso(this.deadSince)] : [], heard_by: node === DEAD ? 'election' : 'answer' })) });
      case 'groups':
        if (route[2] === 'terms') return send({ terms: this.terms(route[1]), ...this.missing() });
        return send({ groups: this.groupNames().map((group) => ({ group, leader: this.lacksLeader(group) ? null : this.nodeAt({ group }, now), state: this.faults.starts ? 'idle' : this.nodeAt({ group }, now) === 'host-1' && !this.lacksLeader(group) ? 'leading' : 'candidate', epoch: this.epochAt({ group }, now), paused: false, halted: null, drift: [], leaderless: group === 'ml' && !this.faults.starts })).concat(this.wanted.gone ? [{ group: this.wanted.gone, leader: null, state: 'idle', epoch: null, paused: null, halted: null, drift: [], leaderless: false }] : []), next: null });
      case 'terms': {
        const since = Date.parse(query.get('since') ?? iso(now - 7 * DAY)), gone = this.wanted.gone ? [this.wanted.gone] : [];
        const terms = [...new Set([...this.groupNames(), ...gone])].flatMap((group) => this.terms(group)).concat(this.wanted.elsewhere ?? []).filter((one) => !(Date.parse(one.ended_at) < since)).sort((a, b) => (a.elected_at < b.elected_at ? 1 : -1));
        return send({ terms, left_out: false, ...this.missing() });
      }
      case 'requests': return send({ requests: [...this.asked].reverse().filter((row) => (!query.get('job') || row.job === query.get('job')) && (!query.get('run') || row.run_id === query.get('run'))), next: null, ...this.missing() });
      case 'next': {
        const from = Math.max(now, Date.parse(query.get('from') ?? iso(now))), to = from + Number(query.get('for_ms') ?? HOUR), slots = [], of = this.byName.get(query.get('job'));
        if (of) return send({ slots: this.slotsAhead(of, from, to, 1000).map((at) => ({ slot: iso(at), job: of.name, group: of.group, node: this.nodeAt(of, now) })), left_out: false, unknown: [] });
        // Those that are due each few seconds, if they are wanted.
        for (const [job, seconds] of this.wanted.often ?? []) for (let at = Math.ceil(from / 1000) * 1000; at < to; at += seconds * 1000) slots.push({ slot: iso(at), job, group: 'db', node: 'host-1' });
        const own = slots.length;
        for (let m = Math.ceil(from / MINUTE); m * MINUTE < to && slots.length < 1000 + own; m++) for (const one of this.dueAt(m)) {
          if (this.pauses.has(one.name) || (query.get('group') && one.group !== query.get('group')) || (query.get('job') && one.name !== query.get('job'))) continue;
          const node = this.lacksLeader(one.group) ? null : this.nodeAt(one, now);
          if (!query.get('node') || node === query.get('node')) slots.push({ slot: iso(m * MINUTE), job: one.name, group: one.group, node });
        }
        for (const one of this.instances) if (one.node === query.get('node') && one.node !== 'host-1') slots.push(...this.slotsAhead(one, from, to, 100).map((at) => ({ slot: iso(at), job: one.name, group: one.group, node: one.node })));
        slots.sort((a, b) => (a.slot < b.slot ? -1 : a.slot > b.slot ? 1 : 0));
        return send({ slots: slots.slice(0, 500), left_out: slots.length >= 500, unknown: [] });
      }
      case 'load': return send(this.load(query));
      case 'runs': {
        if (!route[1]) return send({ runs: this.jobs.slice(0, 200).filter((one) => one.period < 1440).map((one) => this.last(one, 1)[0]).filter((row) => row?.status === 'running').concat(this.byHand.filter((row) => row.status === 'running')).map((row) => ({ run_id: row.run_id, job: row.job, attempt: row.attempt, slot: row.slot, trigger: row.trigger, node: row.node, state: 'running' })) });
        const found = this.findRun(route[1]);
        if (!found) return problem(404, 'Not Found', 'There is no such run.');
        if (route[2] === 'output') return this.output(request, response, found, query);
        // Of one that only a node has which is away the store has the outcome.
        const rows = found.rows.map((row) => (this.knows(row) ? row : { ...row, started_at: null, duration_ms: null, output_bytes: 0, evidence: 'store' }));
        return send({ ...rows[0], attempts: rows, ...this.missing() });
      }
      case 'history':
        if (route[1] === 'summary') return send(this.summary(query));
        if (route[1] === 'definitions') return send({ definitions: this.definitions(now).filter((one) => !query.get('job') || one.job === query.get('job')).slice(0, Number(query.get('limit') ?? 50)), next: null, ...this.missing() });
        if (route[1] === 'usual') return send({ usual: query.getAll('job').flatMap((text) => text.split(',')).slice(0, 100).map((name) => this.usual(name)), ...this.missing() });
        if (route[1] === 'strips') return send({ strips: query.getAll('job').flatMap((text) => text.split(',')).slice(0, 100).map((name) => ({ job: name, rows: this.byName.has(name) ? this.last(this.byName.get(name), Number(query.get('last') ?? 30), query.get('since'), query.get('until')).filter((row) => this.knows(row)) : [] })), ...this.missing() });
        if (query.get('run')) { const found = this.findRun(query.get('run')); return send({ rows: found?.rows ?? [], next: null, ...this.missing() }); }
        return send(this.history(query));
      case 'jobs': {
        if (!job) {
          const limit = Math.min(Number(query.get('limit') ?? 100), 1000), after = query.get('after');
          const from = after === null ? 0 : this.jobs.findIndex((one) => one.name === after) + 1;
          const jobs = this.jobs.slice(from, from + limit);
          return send({ jobs: jobs.map((one) => this.jobRow(one)), next: from + limit < this.jobs.length ? jobs.at(-1).name : null, ...this.missing() });
        }
        if (route[2] === 'why') {
          const found = query.get('run') ? this.findRun(query.get('run')) : null;
          return send(this.why(job, found?.slot ?? Date.parse(query.get('slot') ?? this.last(job, 1)[0]?.slot)));
        }
        if (route[2] === 'slots') {
          const from = Date.parse(query.get('from') ?? iso(now - 7 * DAY)), to = Date.parse(query.get('to') ?? iso(now + 7 * DAY)), limit = Math.min(Number(query.get('limit') ?? 100), 1000);
          const until = query.get('cursor') ? Number(query.get('cursor')) : Math.min(now, to);
          const past = this.slotsBack(job, until, limit, from);
          // Of a job that is paused the daemon has none here; they are in `next`.
          const ahead = this.pauses.has(job.name) ? [] : this.slotsAhead(job, now, to, limit + 1);
          return send({ job: job.name, timezone: job.zone, past: [...(query.get('cursor') ? [] : this.byHand.filter((row) => row.job === job.name)), ...past.flatMap((slot) => this.attempts(job, slot).filter((row) => this.knows(row)).map((row) => ({ ...row, slot_local: local(job.zone, slot) })))], next: past.length === limit ? String(past.at(-1)) : null, planned: ahead.slice(0, limit).map((slot) => ({ slot: iso(slot), slot_local: local(job.zone, slot) })), planned_known: true, planned_more: ahead.length > limit, ...this.missing() });
        }
        return send({ ...this.jobRow(job), enabled: job.temper !== 'disabled', file: `/etc/ballot/jobs.d/${job.group}.toml`, line: 3 + job.index, concurrency: job.index % 4 === 1 ? 'queue' : 'skip', ...this.missing() });
      }
      case 'events':
        this.streamed.push({ at: Date.now(), after: query.get('after') });
        return this.faults.deaf ? problem(503, 'Service Unavailable', 'The node is busy.') : this.stream(request, response);
    }
    problem(404, 'Not Found', 'There is nothing.');
  }
  lacksLeader(group) { return this.faults.starts || group === 'ml' || group === this.faults.electing; }
  groupNames() { return [...new Set(this.jobs.map((job) => job.group))].sort(); }
  terms(group) {
    if (group === this.wanted.gone) return [{ group, node: 'host-2', epoch: 5, elected_at: iso(this.now() - 3 * DAY), ended_at: iso(this.now() - 2 * HOUR), cause: 'resigned' }];
    if (this.wanted.gap === 'handed') return [3, 1].map((epoch) => ({ group, node: 'host-1', epoch, elected_at: iso(this.deadSince - (epoch === 1 ? HOUR : 0)), ended_at: epoch === 3 ? null : iso(this.deadSince - 200), cause: epoch === 3 ? null : 'resigned' }));
    if (this.wanted.gap === 'first') return [{ group, node: 'host-1', epoch: 3, elected_at: iso(this.deadSince), ended_at: null, cause: null }];
    if (this.wanted.gap) return (this.wanted.gap === 'ran' ? [4] : [4, 1]).map((epoch) => ({ group, node: 'host-1', epoch, elected_at: iso(this.deadSince - (5 - epoch) * HOUR), ended_at: epoch === 4 ? null : iso(this.deadSince - 3 * HOUR), cause: epoch === 4 ? null : 'resigned' }));
    const epoch = this.epochAt({ group }, this.now()), wanted = this.nodeAt({ group }, this.deadSince - 1), start = this.now() - 3 * DAY;
    const died = wanted === DEAD;
    const first = { group, node: wanted, epoch: epoch - 1, elected_at: iso(start), ended_at: died ? iso(this.deadSince) : iso(this.deadSince - 6 * HOUR), cause: died ? 'expired' : 'resigned' };
    return [{ group, node: this.nodeAt({ group }, this.now()), epoch, elected_at: died ? iso(this.deadSince + 12 * MINUTE) : first.ended_at, ended_at: null, cause: null }, first];
  }
  output(request, response, found, query) {
    const row = found.rows.find((one) => one.attempt === Number(query.get('attempt'))) ?? found.rows[0];
    const bytes = Buffer.from(this.outputText(row)), from = Number(query.get('from') ?? 0), live = row.status === 'running';
    response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Ballot-Attempt': row.attempt, 'Ballot-Total': bytes.length, 'Ballot-Ended': String(!live) });
    response.write(bytes.subarray(from));
    if (!live || query.get('follow') !== 'true') return response.end();
    let line = 0;
    const timer = setInterval(() => response.write(`${iso(this.now())} still at it, line ${++line}\n`), 700);
    response.on('close', () => clearInterval(timer));
  }
  act(request, response, route, job, send, problem) {
    if (this.wanted.role === 'viewer') return problem(403, 'Forbidden', 'This takes the role operator; "token ci" has viewer.');
    let text = '';
    request.on('data', (part) => (text += part));
    request.on('end', () => setTimeout(() => {
      const body = text ? JSON.parse(text) : {}, by = 'host-1 token ci from 127.0.0.1', at = iso(this.now());
      const log = (kind, more) => this.asked.push({ request_id: null, at, kind, job: null, group: null, run_id: null, by, node: 'host-1', result: 'done', text: null, answered_at: at, ...more });
      if (request.method === 'PUT' && route[0] === 'runs') {
        const wanted = this.byName.get(body.job);
        if (!wanted) return problem(404, 'Not Found', `There is no job ${body.job}.`);
        const slot = this.now();
        this.byHand.push({ ...this.row(wanted, slot, { run_id: route[1], attempt: 1, status: 'running', trigger: 'manual', started_at: iso(slot), fence: 9, triggered_by: by }) });
        log('trigger', { job: wanted.name, run_id: route[1] });
        return send({ done: true, run_id: route[1], created: true }, 201);
      }
      if (route[2] === 'kill') {
        const run = this.byHand.find((one) => one.run_id === route[1]);
        if (run) Object.assign(run, { status: 'killed', reason: 'operator', ended_at: at, signal: 15, ended_by: by });
        log('kill', { run_id: route[1] });
        return send({ done: true, run_id: route[1] });
      }
      if (job && route[2] === 'pause') { this.pauses.set(job.name, { since: this.now(), by }); log('pause', { job: job.name }); return send({ done: true }); }
      if (job && route[2] === 'resume') { this.pauses.delete(job.name); log('resume', { job: job.name }); return send({ done: true }); }
      if (job && route[2] === 'backfill') {
        if (body.stop) this.backfills.delete(job.name);
        else this.backfills.set(job.name, { since: at, by, parallel: 1, begun: 1, running: 1, next_slot: body.since, last_slot: at });
        log(body.stop ? 'backfill_stop' : 'backfill', { job: job.name });
        return send({ done: true, text: body.stop ? 'the backfill is stopped' : `backfill of 6 slots, ${body.which ?? 'unsuccessful'}` });
      }
      problem(404, 'Not Found', 'There is nothing.');
    }, 400));
  }
  stream(request, response) {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    this.streams.add(response);
    response.write(`id: ${this.events}\nevent: begin\ndata: {}\n\n`);
    const rate = Number(this.wanted.burst || 0.5), job = this.jobs[0], data = JSON.stringify(this.attempts(job, this.slotsBack(job, this.now(), 1)[0] ?? this.now())[0]);
    const timer = setInterval(() => {
      let text = rate < 1 ? (Math.random() < rate / 10 ? 'x' : '') : 'x'.repeat(Math.round(rate / 10));
      text = [...text].map(() => `id: ${++this.events}\nevent: row\ndata: ${data}\n\n`).join('');
      if (text && response.writableLength < 1 << 20) response.write(text);
    }, 100);
    const alive = setInterval(() => response.write(': alive\n\n'), 15_000);
    response.on('close', () => { this.streams.delete(response); clearInterval(timer); clearInterval(alive); });
  }
}
