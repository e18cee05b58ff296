// Week: the load to come, hour by day, as the schedules say; where slots went wrong a week before; and where jobs clash: long ones
// that run at the same time, and all that are due in one minute.
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState, update, link } from './html.js';
import { ask, query, now, daemon, usePoll } from './api.js';
import { Time, duration, MINUTE, HOUR, DAY, parse, fields, dayKey, dayStart, zoneOf, zoneChoice, useNow } from './time.js';
import { Section, JobLink, NodeName, Trouble, Gaps, Empty, Loading, Choice } from './parts.js';
import { count, plural, clip, middle, scheduleText, BAD } from './words.js';
import { longJobs, useNarrow } from './lists.js';
import { useJobIndex, leaderOf, askMinute } from './job-index.js';

const DAYS = 8, MOST = 50, FEW = 2000;  // jobs of which a week is summed
const RENEWED = 10 * MINUTE, SOON = 12 * HOUR, SHOWN = 20, NAMED = 4;  // clashes of a list, and jobs and nodes of one
const LONG = MINUTE, LONGEST = 20, LOOKED = 200, QUARTER = 15 * MINUTE;  // jobs that count as long, so many of so many

export default function Week({ query: shown }) {
  const zone = zoneOf(null), start = fields(now(), zone);
  const from = Math.floor(now() / HOUR) * HOUR, to = dayStart(zone, start.year, start.month, start.day + DAYS);
  const load = usePoll('load' + query({ from: iso(from), to: iso(to) }), { every: RENEWED, live: false, keep: true, read: (path, abort) => askLoad(path, from, abort) });
  const known = daemon.use(), past = usePoll(!(known?.jobs <= FEW) ? null : iso(from - 7 * DAY), { every: RENEWED, live: false, keep: true, read: askBad });
  const index = useJobIndex(), long = usePoll(load.data && (index.ready || index.jobs.length >= known?.jobs) ? 'long' : null, { every: RENEWED, live: false, keep: true, read: (path, abort, part) => askLong(index.jobs.filter((one) => !one.elsewhere), load.data.clashes, to, abort, part) });
  const pairs = useMemo(() => together(index.jobs, long.data?.takes), [index, long.data]);
  const { days, most } = useMemo(() => grid(load.data, past.data, long.data?.met ?? [], zone, start), [load.data, past.data, long.data, zone, start.day]);
  const hour = shown.get('hour'), order = shown.get('order') === 'most' ? 'most' : '', minute = Math.floor(useNow() / MINUTE);
  // Of an hour that is chosen its own clashes are asked for.
  const within = usePoll(hour && parse(hour) ? 'load' + query({ from: iso(parse(hour)), to: iso(parse(hour) + HOUR) }) : null, { every: RENEWED, live: false });
  const shownOf = hour ? within : load, cut = shownOf.data?.clashes.length >= MOST, clashes = useMemo(() => alike(shownOf.data?.clashes ?? [], zone, minute, order), [shownOf.data, zone, minute, order]);
  const met = useMemo(() => alike((long.data?.met ?? []).filter((one) => !hour || hourOf(one.minute) === hourOf(hour)), zone, minute, order), [long.data, hour, zone, minute, order]);
  const total = (load.data?.hours ?? []).reduce((sum, one) => sum + one.slots, 0);
  return html`
    <div class="view-head"><h1>Week</h1><p class="muted" role="status">${load.data ? `${plural(total, 'slot')} to come in ${DAYS} days` : ''}</p></div>
    <${Trouble} of=${[load]} /><${Gaps} of=${[load.data, known, long.data]} />
        <${Section} id="load" title="Slots by hour" aside=${html`<span>${zone}${zoneChoice() === 'job' ? html`<span class="muted">, as jobs have different zones</span>` : ''}</span>`}>
      ${load.data ? html`<${Heat} ...${{ days, most }} chosen=${hour} />
        <p class="small muted legend">0 <span class="swatch ramp" /> ${count(most)} slots. ${past.data ? html`<b class="bad-text" aria-hidden="true">\u25a0</b> seven days before, one slot in twenty or more was missed or failed. ` : ''}<b class="clash-key" aria-hidden="true">\u25c6</b> more jobs that take a minute or longer run at the same time than in most hours. Of a job that runs on each node one instance is counted.${load.data.left_out ? ' Not all jobs could be counted.' : ''}</p>` : html`<${Loading} />`}
    <//>
    <${Section} id="clashes" title=${hour ? html`Clashes in the hour from <${Time} at=${hour} zone=${null} />` : 'Clashes'} aside=${html`${hour ? html`<a href=${link('timeline', null, { from: iso(parse(hour) - 7 * DAY), to: iso(parse(hour) - 7 * DAY + HOUR) })}>What ran a week before</a> <button type="button" class="quiet small" onClick=${() => update({ hour: null })}>all hours</button>` : null}<${Choice} label="Order" value=${order} options=${[['', 'next first'], ['most', 'most first']]} onChange=${(order) => update({ order })} />`}>
      <h3>Long jobs at the same time${long.data?.rest ? `, of ${LOOKED} jobs that are due when most are` : ''}</h3>
      ${!long.data ? (long.problem ? html`<p class="muted small">How long jobs take is not known: ${clip(long.problem.message, 200)}</p>` : html`<${Loading} />`) : html`<${Clashes} of=${met} none="No jobs that take a minute or longer run at the same time" />`}
      <h3>Most jobs due in one minute${cut ? `, the ${MOST} heaviest minutes${hour ? '' : ' of 12 hours, and of the week'}` : ''}</h3>
      ${!shownOf.data ? html`<${Loading} />` : html`<${Clashes} of=${clashes} none="No jobs are due in one minute" cut=${cut} />`}
    <//>
    ${pairs.length ? html`<${Section} id="together" title="Always due at the same time"><${Clashes} of=${pairs} /><//>` : null}`;
}

// The week's load: of its clashes the heaviest, as the daemon has them, and where these are not all the heaviest of the next hours.
async function askLoad(path, from, abort) {
  const week = await ask(path, { signal: abort }), soon = week.clashes.length < MOST ? [] : (await ask('load' + query({ from: iso(from), to: iso(from + SOON) }), { signal: abort })).clashes;
  return { ...week, clashes: [...new Map([...week.clashes, ...soon].map((one) => [one.minute, one])).values()] };
}

function Clashes({ of, none, cut }) {
  const [all, showAll] = useState(false), shown = all ? of : of.slice(0, SHOWN), many = shown.filter((one) => one.jobs > one.first_jobs.length).map((one) => one.minute), known = useRef({});
  const on = usePoll(many.length ? 'who leads' : null, { every: RENEWED, live: false, keep: true, read: (path, abort, part) => askNodes(many, known, abort, part) });
  useEffect(() => on.again(), [String(many)]);
  if (!of.length) return html`<${Empty}>${none}.<//>`;
  return html`<ul class="rows">${shown.map((one) => html`<li key=${one.key} class="row tall clash">
    <span class="row-time"><${Time} at=${one.minute} zone=${null} date="always" />${one.schedule ? `, ${one.schedule}` : one.times === 1 ? '' : one.clock ? `, on ${one.times} days` : one.step ? `, then ${one.nearly ? 'mostly ' : ''}every ${one.step === 1 ? 'minute' : duration(one.step * MINUTE)}` : ` and ${plural(one.times - 1, 'other such minute')}${cut ? ' or more' : ''}`}</span><strong class="num clash-count">${plural(one.jobs, 'job')}</strong>
    <span class="row-main"><${Nodes} of=${one.jobs > one.first_jobs.length ? on.data?.[one.minute] : one.jobs > NAMED ? countNodes(one.first_jobs.map(leaderOf)) : null} /><${Jobs} names=${one.first_jobs} all=${one.jobs} takes=${one.takes} minute=${one.minute} /></span></li>`)}
    ${shown.length === of.length ? null : html`<li class="more"><button type="button" class="quiet" onClick=${() => showAll(true)}>show all ${count(of.length)}</button></li>`}</ul>`;
}

// Of the jobs that take longest, as a rule, the slots to come, and where their runs meet. Beyond what is listed of one it goes on
// at its pace.
async function askLong(jobs, clashes, to, abort, part) {
  const rest = jobs.length > LOOKED, from = now(), all = [];
  const { long, missing } = await longJobs(rest ? [...new Set(clashes.flatMap((one) => one.first_jobs))].slice(0, LOOKED) : jobs.map((one) => one.job), LONG, LONGEST, abort, part);
  // When a job is due this node knows by itself; jobs that are always due together are asked for once.
  const found = new Map();
  for (const { job, takes } of long) {
    part();
    const known = jobs.find((one) => one.job === job), key = known && pairOf(known);
    if (!key) continue;
    if (!found.has(key)) found.set(key, await ask('next' + query({ job, for_ms: to - from, limit: 1000, scope: 'node' }), { signal: abort }));
    const { slots, left_out } = found.get(key), at = slots.map((one) => parse(one.slot)).filter((one) => one >= known.next), step = at[1] - at[0];
    if (left_out && at.every((one, i) => !i || one - at[i - 1] === step)) while (at.at(-1) + step < to) at.push(at.at(-1) + step);
    at.forEach((begin, i) => all.push([begin, { job, takes }], [Math.min(begin + takes, at[i + 1] ?? Infinity), null, job]));
  }
  return { met: meetings(all), takes: Object.fromEntries(long.map(({ job, takes }) => [job, takes])), rest, missing };
}

const pairOf = ({ schedule, zone, next }) => next && [schedule, zone, next].join();

// Jobs of one schedule, with one next slot: those that take long first, then the fewest.
function together(jobs, takes = {}) {
  const found = new Map(), areLong = ({ first_jobs }) => first_jobs.filter((job) => takes[job]).length > 1;
  for (const one of jobs) {
    const key = !one.elsewhere && pairOf(one), known = found.get(key);
    if (known) known.first_jobs.push(one.job), known.jobs++;
    else if (key) found.set(key, { key, minute: iso(one.next), schedule: scheduleText(one.schedule), jobs: 1, first_jobs: [one.job], takes });
  }
  return [...found.values()].filter((one) => one.jobs > 1).sort((a, b) => areLong(b) - areLong(a) || a.jobs - b.jobs || (a.minute < b.minute ? -1 : 1));
}

// Each time that jobs run together which do so at no time before or after with more: when the last of them begins. Of a quarter
// of an hour the fullest.
function meetings(all) {
  const running = new Map(), found = new Map();
  let last = 0;
  for (const [at, begins, ends] of all.sort((a, b) => a[0] - b[0] || Boolean(a[1]) - Boolean(b[1]))) {
    if (begins) running.set(begins.job, begins.takes), last = at;
    else {
      const quarter = Math.floor(last / QUARTER);
      if (last && running.size > 1 && !(found.get(quarter)?.jobs >= running.size)) {
        const some = [...running].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
        found.set(quarter, { minute: iso(Math.floor(last / MINUTE) * MINUTE), jobs: some.length, first_jobs: some.map(([job]) => job), takes: Object.fromEntries(some), slots: some.reduce((sum, one) => sum + one[1], 0) });
      }
      running.delete(ends);
      last = 0;
    }
  }
  return [...found.values()];
}
const iso = (ms) => new Date(ms).toISOString();
const hourOf = (text) => Math.floor(parse(text) / HOUR) * HOUR;

// By hour, how many slots went wrong. A row of many slots is counted where it begins: they are put into the hours that it covers.
async function askBad(since, abort) {
  const found = Object.create(null), add = (hour, slots) => { found[hour] = (found[hour] ?? 0) + slots; };
  for (const { hour, slots } of (await ask('history/summary' + query({ since, status: BAD.join(',') }), { signal: abort })).hours ?? []) add(parse(hour), slots);
  for (const { slot, slot_until, slots } of (await ask('history' + query({ since, status: 'missed', limit: 1000 }), { signal: abort })).rows) {
    const first = parse(slot), last = parse(slot_until);
    if (slots > 1) add(hourOf(slot), -slots);
    for (let hour = hourOf(slot); hour < last; hour += HOUR) add(hour, (slots * (Math.min(last, hour + HOUR) - Math.max(first, hour))) / (last - first));
  }
  return found;
}

// How many jobs each node leads of those of a minute, the most first: of minutes of which not all jobs are named.
const countNodes = (nodes) => [...nodes.reduce((found, node) => found.set(node ?? '', (found.get(node ?? '') ?? 0) + 1), new Map())].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
async function askNodes(minutes, known, abort, part) {
  if (!(now() - known.current.at < RENEWED)) known.current = { at: now() };
  const found = known.current;
  for (const minute of minutes) {
    found[minute] ??= countNodes((await askMinute(minute, abort)).jobs.map(([job, node]) => node ?? leaderOf(job)));
    part({ ...found });
  }
  return { ...found };
}
const Nodes = ({ of }) => of?.length ? html`<span class="muted small">${of.slice(0, NAMED).map(([node, n], i) => html`${i ? ', ' : ''}${node ? html`<${NodeName} node=${node} />` : 'no leader'} <b>${count(n)}</b>`)}${of.length > NAMED ? ` and ${plural(of.length - NAMED, 'other node')}` : ''}</span><br />` : null;

// Each node that leads them comes before its jobs. Where not all are named the list of jobs has them.
function Jobs({ names, all, takes, minute }) {
  const few = names.slice(0, NAMED), more = names.slice(NAMED), [open, setOpen] = useState(false);
  const item = (job, i, some) => html`${i ? ', ' : ''}${leaderOf(job) && leaderOf(job) !== leaderOf(some[i - 1]) && html`<span class="muted small"><${NodeName} node=${leaderOf(job)} />: </span>`}<${JobLink} job=${job} />${takes?.[job] ? html` <span class="muted small">${duration(takes[job])}</span>` : ''}`;
  const rest = all - names.length;
  return html`${few.map(item)}${rest > 0 ? html` <a class="small" href=${link('jobs', null, { due: minute })}>and ${count(all - few.length)} more</a>` : more.length ? html`<details class="inline" onToggle=${(event) => setOpen(event.currentTarget.open)}><summary class="small">${count(more.length)} more</summary>${open ? more.map(item) : null}</details>` : null}`;
}

// Clashes to come: those of the same jobs are one line; the next come first, or those of most jobs. `clock`: all are at one time of
// the day; `step`: minutes from one to the next, all or nearly all alike.
function alike(all, zone, from, order) {
  const clashes = all.filter((one) => parse(one.minute) >= from * MINUTE);
  const found = new Map();
  for (const one of clashes) {
    const f = fields(parse(one.minute), zone), at = f.hour + f.minute, key = `${one.jobs} ${one.first_jobs}`, known = found.get(key), minute = parse(one.minute) / MINUTE;
    if (known) {
      known.times++;
      known.clock &&= known.at === at;
      known.all.push(minute);
      known.slots = Math.max(known.slots, one.slots);
      if (one.minute < known.minute) known.minute = one.minute;
    } else found.set(key, { ...one, key, at, times: 1, clock: true, all: [minute] });
  }
  // What clashes most comes first in each, too.
  const times = new Map();
  for (const { first_jobs } of clashes) for (const job of first_jobs) times.set(job, (times.get(job) ?? 0) + 1);
  for (const one of found.values()) {
    one.first_jobs = [...one.first_jobs].sort((a, b) => times.get(b) - times.get(a));
    const steps = one.all.sort((a, b) => a - b).slice(1).map((at, i) => at - one.all[i]), step = middle(steps), same = steps.filter((one) => one === step).length;
    one.clock &&= one.times > 1;
    one.step = one.times > 2 && same >= 0.8 * steps.length ? step : 0;
    one.nearly = same < steps.length;
  }
  return [...found.values()].sort((a, b) => (order && (b.jobs - a.jobs || b.slots - a.slots)) || (a.minute < b.minute ? -1 : 1));
}

// Days of 24 columns by the clock on the wall: an hour that is skipped has no cell, one that comes twice has both in one.
function grid(load, past, met, zone, start) {
  if (!load) return { days: [], most: 0 };
  const most = new Map();  // by hour, of long jobs at the same time
  for (const one of met) most.set(hourOf(one.minute), Math.max(most.get(hourOf(one.minute)) ?? 0, one.jobs));
  const usual = middle(load.hours.map((one) => most.get(hourOf(one.hour)) ?? 0));
  const days = new Map();
  for (let i = 0; i < DAYS; i++) {
    const begin = dayStart(zone, start.year, start.month, start.day + i), end = dayStart(zone, start.year, start.month, start.day + i + 1);
    const cells = Array.from({ length: 24 }, () => null), there = new Set();
    for (let at = begin; at < end; at += HOUR / 2) there.add(Number(fields(at, zone).hour));
    days.set(dayKey(begin, zone), { begin, hours: (end - begin) / HOUR, cells, there });
  }
  for (const one of load.hours) {
    const at = parse(one.hour), day = days.get(dayKey(at, zone)), column = Number(fields(at, zone).hour);
    if (!day) continue;
    const cell = (day.cells[column] ??= { hour: one.hour, slots: 0, jobs: 0, times: 0, most: 0, clash: false });
    cell.slots += one.slots;
    cell.jobs = Math.max(cell.jobs, one.jobs);
    cell.times++;
    cell.clash ||= most.get(hourOf(one.hour)) > usual;
    cell.most = Math.max(cell.most, one.most_slots);
    cell.bad = past?.[at - 7 * DAY] >= one.slots / 20 ? Math.round(past[at - 7 * DAY]) : 0;
  }
  return { days: [...days], most: Math.max(1, ...[...days.values()].flatMap(({ cells }) => cells.map((cell) => cell?.slots ?? 0))) };
}

const short = (n) => (n < 1000 ? String(n) : n < 10_000 ? (n / 1000).toFixed(1) + 'k' : Math.round(n / 1000) + 'k');

// The shade of a cell is its share of the fullest one. On a telephone a day is a column, so that all of them are in sight.
const HOURS = Array.from({ length: 24 }, (_, i) => i), two = (i) => String(i).padStart(2, '0');
function Heat({ days, most, chosen }) {
  const box = useRef(null), narrow = useNarrow('(max-width: 640px)'), from = days.find(([, day]) => day.cells.some((cell) => cell?.slots))?.[0];
  // Where not all hours are in sight, those to come are.
  useLayoutEffect(() => {
    const first = box.current?.querySelector('td:has(button)');
    if (first) box.current.scrollLeft = first.offsetLeft - 88;
  }, [from]);
  const head = ([key, day]) => {
    const f = fields(day.begin, zoneOf(null));
    return html`<th key=${key} scope=${narrow ? 'col' : 'row'}>${f.weekday} ${f.day} ${narrow ? '' : f.monthName}${day.hours !== 24 ? html` <span class="tag warn">${day.hours} h</span>` : null}</th>`;
  };
  const cellOf = ([key, day], hour) => {
    const cell = day.cells[hour];
    if (!day.there.has(hour)) return html`<td key=${key + hour} class="gone" title="The clock skips this hour."><span class="hush">skipped</span></td>`;
    return html`<td key=${key + hour} style=${{ '--share': (cell?.slots ?? 0) / most }} class=${cell && cell.hour === chosen ? 'chosen' : ''}>${cell?.slots ? html`<button type="button" aria-pressed=${String(cell.hour === chosen)} title=${`${plural(cell.slots, 'slot')} of ${plural(cell.jobs, 'job')}; at most ${cell.most} in a minute${cell.bad ? `; ${cell.bad} went wrong seven days before` : ''}${cell.times > 1 ? '; this hour comes twice' : ''}`} onClick=${() => update({ hour: cell.hour === chosen ? null : cell.hour })}>${short(cell.slots)}${cell.times > 1 ? '\u00b2' : ''}${cell.clash ? html`<span class="clash-mark"><span class="hush">, clash</span></span>` : null}${cell.bad ? html`<span class="bad-mark"><span class="hush">, ${cell.bad} bad a week before</span></span>` : null}</button>` : null}</td>`;
  };
  const name = (hour) => html`<th key=${hour} scope=${narrow ? 'row' : 'col'}>${two(hour)}</th>`;
  return html`<div ref=${box} class="scroll" tabindex="0" role="region" aria-label="Table of hours"><table class="heat"><caption class="hush">Slots to come by day and hour</caption>
    <thead><tr><th scope="col"><span class="hush">${narrow ? 'Hour' : 'Day'}</span></th>${narrow ? days.map(head) : HOURS.map(name)}</tr></thead>
    <tbody>${narrow ? HOURS.map((hour) => html`<tr key=${hour}>${name(hour)}${days.map((day) => cellOf(day, hour))}</tr>`) : days.map((day) => html`<tr key=${day[0]}>${head(day)}${HOURS.map((hour) => cellOf(day, hour))}</tr>`)}</tbody>
  </table></div>`;
}
