// Week: the load to come, hour by day, as the schedules say; where slots went wrong a week before; and where jobs clash.
import { html, useLayoutEffect, useMemo, useRef, useState } from './html.js';
import { ask, query, now } from './api.js';
import { daemon, usePoll } from './live.js';
import { update } from './router.js';
import { Time, MINUTE, HOUR, DAY, parse, fields, dayKey, dayStart, zoneOf, zoneChoice } from './time.js';
import { Section, JobLink, Trouble, Gaps, Empty, Loading } from './parts.js';
import { count, plural, BAD } from './words.js';

const DAYS = 8, STEPS = 5, MOST = 50, FEW = 2000;  // jobs of which a week is summed

export default function Week({ query: shown }) {
  const zone = zoneOf(null), start = fields(now(), zone);
  const from = Math.floor(now() / HOUR) * HOUR, to = dayStart(zone, start.year, start.month, start.day + DAYS);
  const load = usePoll('load' + query({ from: new Date(from).toISOString(), to: new Date(to).toISOString() }), { every: 600_000, live: false, keep: true });
  const known = daemon.use(), past = usePoll(!(known?.jobs <= FEW) ? null : 'history/summary' + query({ since: new Date(from - 7 * DAY).toISOString(), status: BAD.join(',') }), { every: 600_000, live: false, keep: true, read: askBad });
  const { days, steps } = useMemo(() => grid(load.data, past.data, zone, start), [load.data, past.data, zone, start.day]);
  const hour = shown.get('hour');
  // Of an hour that is chosen all clashes are asked for; the week has the heaviest ones alone.
  const within = usePoll(hour && parse(hour) ? 'load' + query({ from: new Date(Math.max(now(), parse(hour))).toISOString(), to: new Date(parse(hour) + HOUR).toISOString() }) : null, { every: 600_000, live: false });
  const shownOf = hour ? within : load, cut = shownOf.data?.clashes.length >= MOST, clashes = useMemo(() => alike(shownOf.data?.clashes ?? [], zone), [shownOf.data, zone]);
  const total = (load.data?.hours ?? []).reduce((sum, one) => sum + one.slots, 0);
  return html`
    <div class="view-head"><h1>Week</h1><p class="muted" role="status">${load.data ? `${plural(total, 'slot')} to come in ${DAYS} days` : ''}</p></div>
    <${Trouble} of=${[load]} /><${Gaps} of=${[load.data, known]} />
        <${Section} id="load" title="Slots by hour" aside=${html`<span>${zone}${zoneChoice() === 'job' ? html`<span class="muted">, as jobs have different zones</span>` : ''}</span>`}>
      ${load.data ? html`<${Heat} days=${days} chosen=${hour} />
        <p class="small muted legend">${steps.map(([low, high], i) => html`<span key=${i} class=${'swatch heat-' + (i + 1)} /> ${low === high ? count(low) : `${count(low)} to ${count(high)}`} `)}slots. ${past.data ? html`<b class="bad-text" aria-hidden="true">\u25a0</b> seven days before, one slot in twenty of that hour, or more, was missed or failed. ` : ''}<b class="clash-key" aria-hidden="true">\u25c6</b> ${load.data.clashes.length ? plural(leastOf(load.data), 'job') : 'jobs'} or more are due in one minute. An hour shows its clashes below. Of a job that runs on each node one instance is counted.${load.data.left_out ? ' Not all jobs could be counted.' : ''}</p>` : html`<${Loading} />`}
    <//>
    <${Section} id="clashes" title=${hour ? html`Clashes in the hour from <${Time} at=${hour} zone=${null} />` : 'Clashes'} aside=${hour ? html`<button type="button" class="quiet small" onClick=${() => update({ hour: null })}>all hours</button>` : load.data?.clashes.length >= MOST ? `the heaviest ${MOST} minutes, the worst first` : 'the worst first'}>
      ${!shownOf.data ? html`<${Loading} />` : !clashes.length ? html`<${Empty}>${hour ? 'No jobs clash in that hour.' : 'No jobs clash.'}<//>` : html`<ul class="rows">${clashes.slice(0, 30).map((one) => html`<li key=${one.minute} class="row tall clash">
        <span class="row-time">${one.clock ? html`<${Time} at=${one.minute} zone=${null} date="never" />` : html`<${Time} at=${one.minute} zone=${null} date="always" />`}${one.times === 1 ? '' : one.clock ? ` on ${one.times} days` : one.step ? `, then every ${one.step === 1 ? 'minute' : `${one.step} minutes`}` : ` and ${plural(one.times - 1, 'minute')}${cut ? ' or' : ''} more`}</span><strong class="num clash-count" title=${plural(one.slots, 'slot')}>${plural(one.jobs, 'job')}</strong>
        <span class="row-main"><${Jobs} names=${one.first_jobs} all=${one.jobs} /></span></li>`)}</ul>`}
    <//>`;
}

// By hour, how many slots went wrong.
async function askBad(path, abort) {
  const found = Object.create(null);
  for (const { hour, slots } of (await ask(path, { signal: abort })).hours ?? []) found[parse(hour)] = (found[parse(hour)] ?? 0) + slots;
  return found;
}

function Jobs({ names, all }) {
  const few = names.slice(0, 4), more = names.slice(4), [open, setOpen] = useState(false);
  const item = (job, i) => html`${i ? ', ' : ''}<${JobLink} job=${job} />`;
  const rest = all - names.length;
  return html`${few.map(item)}${more.length || rest > 0 ? html`<details class="inline" onToggle=${(event) => setOpen(event.currentTarget.open)}><summary class="small">${count(all - few.length)} more</summary>${open ? more.map(item) : null}${open && rest > 0 ? html` <span class="muted">and ${plural(rest, 'other')}</span>` : null}</details>` : null}`;
}

// Clashes of the same jobs are one line; the worst come first. `clock`: all are at one time of the day; `step`: minutes from one
// to the next, all alike.
function alike(clashes, zone) {
  const found = new Map();
  for (const one of clashes) {
    const f = fields(parse(one.minute), zone), at = f.hour + f.minute, key = `${one.jobs} ${one.first_jobs}`, known = found.get(key), minute = parse(one.minute) / MINUTE;
    if (known) {
      known.times++;
      known.clock &&= known.at === at;
      known.all.push(minute);
      known.slots = Math.max(known.slots, one.slots);
      if (one.minute < known.minute) known.minute = one.minute;
    } else found.set(key, { ...one, at, times: 1, clock: true, all: [minute] });
  }
  for (const one of found.values()) {
    const steps = new Set(one.all.sort((a, b) => a - b).slice(1).map((at, i) => at - one.all[i]));
    one.clock &&= one.times > 1;
    one.step = steps.size === 1 && one.times > 2 ? [...steps][0] : 0;
  }
  return [...found.values()].sort((a, b) => b.jobs - a.jobs || b.slots - a.slots || (a.minute < b.minute ? -1 : 1));
}

// How many jobs the least of the clashes has that are listed: any hour with so many in a minute is marked.
const leastOf = (load) => Math.min(...load.clashes.map((one) => one.jobs));

// Days of 24 columns by the clock on the wall: an hour that is skipped has no cell, one that comes twice has both in one.
function grid(load, past, zone, start) {
  if (!load) return { days: [], steps: [] };
  const least = leastOf(load), clashing = new Set(load.clashes.map((one) => Math.floor(parse(one.minute) / HOUR) * HOUR));
  // Each step has as many of the counts as any other, so that a few full hours do not make all others look alike.
  const all = [...new Set(load.hours.map((one) => one.slots))].sort((a, b) => a - b), stepOf = (slots) => Math.ceil(((all.indexOf(slots) + 1) / all.length) * STEPS);
  const steps = [];
  for (const slots of all) (steps[stepOf(slots) - 1] ??= [slots, slots])[1] = slots;
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
    cell.clash ||= one.most_jobs >= least || clashing.has(Math.floor(at / HOUR) * HOUR);
    cell.most = Math.max(cell.most, one.most_slots);
    cell.bad = past?.[at - 7 * DAY] >= one.slots / 20 ? past[at - 7 * DAY] : 0;
    cell.step = stepOf(one.slots);
  }
  return { days: [...days], steps };
}

const short = (n) => (n < 1000 ? String(n) : n < 10_000 ? (n / 1000).toFixed(1) + 'k' : Math.round(n / 1000) + 'k');

function Heat({ days, chosen }) {
  const box = useRef(null), from = days.find(([, day]) => day.cells.some((cell) => cell?.slots))?.[0];
  // Where not all hours are in sight, those to come are.
  useLayoutEffect(() => {
    const first = box.current?.querySelector('td:has(button)');
    if (first) box.current.scrollLeft = first.offsetLeft - 88;
  }, [from]);
  return html`<div ref=${box} class="scroll" tabindex="0" role="region" aria-label="Table of hours"><table class="heat"><caption class="hush">Slots to come by day and hour</caption>
    <thead><tr><th scope="col"><span class="hush">Day</span></th>${Array.from({ length: 24 }, (_, i) => html`<th key=${i} scope="col">${String(i).padStart(2, '0')}</th>`)}</tr></thead>
    <tbody>${days.map(([key, day]) => {
    const f = fields(day.begin, zoneOf(null));
    return html`<tr key=${key}><th scope="row">${f.weekday} ${f.day} ${f.monthName}${day.hours !== 24 ? html` <span class="tag warn">${day.hours} h</span>` : null}</th>
      ${day.cells.map((cell, column) => !day.there.has(column) ? html`<td key=${column} class="gone" title="The clock skips this hour."><span class="hush">skipped</span></td>` : !cell ? html`<td key=${column}></td>` : html`<td key=${column} class=${'heat-' + cell.step + (cell.hour === chosen ? ' chosen' : '')}>${cell.slots ? html`<button type="button" aria-pressed=${String(cell.hour === chosen)} title=${`${plural(cell.slots, 'slot')} of ${plural(cell.jobs, 'job')}; at most ${cell.most} in a minute${cell.bad ? `; ${cell.bad} went wrong seven days before` : ''}${cell.times > 1 ? '; this hour comes twice' : ''}`} onClick=${() => update({ hour: cell.hour === chosen ? null : cell.hour })}>${short(cell.slots)}${cell.times > 1 ? '\u00b2' : ''}${cell.clash ? html`<span class="clash-mark"><span class="hush">, clash</span></span>` : null}${cell.bad ? html`<span class="bad-mark"><span class="hush">, ${cell.bad} bad a week before</span></span>` : null}</button>` : null}</td>`)}</tr>`;
  })}</tbody>
  </table></div>`;
}
