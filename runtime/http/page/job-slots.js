// A job's slots, past and planned: by day in a calendar, and one below the other with their why.
import { html, useMemo, useEffect, useRef, useState, link } from './html.js';
import { now, ask, query } from './api.js';
import { HOUR, dayKey, dayStart, fields, parse, Time, Ago, duration } from './time.js';
import { statusOf, statusWord, isBad, rowWords, untilWords, person, silence, holes, TRIGGER, count, plural, clip } from './words.js';
import { lateOf, zoneOfJob } from './job-index.js';
import { RunLink, NodeName, Empty, Status, Mark, Prose } from './parts.js';

// A job's days: what became of its slots, and how many are planned, weeks below each other, in the zone that is chosen. A
// day on which the clocks change says how long it is.
const BACK = 5, AHEAD = 2;
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

// The weeks that are shown: the first instant of each day.
export function calendarDays(zone) {
  const today = fields(now(), zone), weekday = WEEKDAYS.indexOf(today.weekday);
  const first = today.day - weekday - (BACK - 1) * 7;
  return Array.from({ length: (BACK + AHEAD) * 7 + 1 }, (_, i) => dayStart(zone, today.year, today.month, first + i));
}

function sums(days, zone, hours, planned) {
  const byDay = new Map(days.slice(0, -1).map((start, i) => [dayKey(start, zone), { start, end: days[i + 1], statuses: {}, slots: 0, planned: 0, retried: 0 }]));
  for (const one of hours) {
    const day = byDay.get(dayKey(parse(one.hour), zone));
    if (!day) continue;
    if (one.slots) day.statuses[one.status] = (day.statuses[one.status] ?? 0) + one.slots;
    day.slots += one.slots;
    day.retried += Math.max(0, one.attempts - one.slots);
  }
  for (const one of planned) {
    const day = byDay.get(dayKey(parse(one.slot), zone));
    if (day) day.planned++;
  }
  return [...byDay];
}

export function Calendar({ job, zone, hours, planned, plannedMore, chosen }) {
  const today = dayKey(now(), zone);
  const days = useMemo(() => sums(calendarDays(zone), zone, hours, planned), [zone, hours, planned, today]);
  // Weeks that say nothing are one line.
  const weeks = [];
  for (let i = 0; i < days.length; i += 7) {
    const week = days.slice(i, i + 7), none = week.every(([key, day]) => !day.slots && !day.planned && key !== today);
    if (!none) weeks.push(week);
    else if (typeof weeks.at(-1) === 'number') weeks.push(weeks.pop() + 1);
    else weeks.push(1);
  }
  const last = planned.length ? dayKey(parse(planned.at(-1).slot), zone) : null;
  return html`<table class="calendar"><caption class="hush">Slots by day, ${zone}</caption>
    <thead><tr>${WEEKDAYS.map((name) => html`<th key=${name} scope="col">${name}</th>`)}</tr></thead>
    <tbody>${weeks.map((week, i) => typeof week === 'number' ? html`<tr key=${i} class="none"><td colspan="7">${plural(week, 'week')} ${plannedMore && i && i === weeks.length - 1 ? 'more than slots were asked for' : 'without a slot'}</td></tr>` : html`<tr key=${week[0][0]}>${week.map(([key, day]) => html`<${Day} key=${key} ...${{ job, day, zone, name: key, today: key === today, chosen: key === chosen, cut: plannedMore && key === last, unknown: plannedMore && last && key > last }} />`)}</tr>`)}</tbody>
  </table>`;
}

function Day({ job, day, zone, name, today, chosen, cut, unknown }) {
  const f = fields(day.start, zone), hours = (day.end - day.start) / HOUR;
  const entries = Object.entries(day.statuses).sort((a, b) => statusOf(b[0]).rank - statusOf(a[0]).rank);
  const notable = entries.filter(([status]) => isBad(status) || status === 'skipped');
  const all = day.slots + day.planned;
  const label = `${f.weekday} ${f.day} ${f.monthName}` + (hours !== 24 ? `, a day of ${hours} hours` : '') + ': ' + ([...entries.map(([status, n]) => `${n} ${statusWord(status)}`), ...(day.retried ? [`${plural(day.retried, 'attempt')} retried`] : []), ...(day.planned ? [`${day.planned}${cut ? ' or more' : ''} planned`] : [])].join(', ') || (unknown ? 'not asked' : 'no slot'));
  const body = html`<span class="day-top"><span class="day-number">${f.day}${f.day === 1 || today ? ' ' + f.monthName : ''}</span>${hours !== 24 ? html`<span class="tag warn">${hours} h</span>` : null}</span>
    ${all ? html`<span class="day-bar">${entries.map(([status, n]) => html`<i key=${status} class=${'tone-' + statusOf(status).tone} style=${{ flexGrow: n }} />`)}${day.planned ? html`<i class="tone-planned" style=${{ flexGrow: day.planned }} />` : null}</span>
    <span class="day-text">${notable.slice(0, 2).map(([status, n]) => html`<b key=${status} class=${statusOf(status).tone + '-text'}>${statusOf(status).letter}${count(n)}</b> `)}${day.statuses.succeeded ? html`<span class="muted">\u2713${count(day.statuses.succeeded)}</span> ` : null}${day.retried ? html`<span class="muted">\u21bb${count(day.retried)}</span> ` : null}${day.planned ? html`<span class="muted">P${count(day.planned)}${cut ? '+' : ''}</span>` : null}</span>` : unknown ? html`<span class="day-text muted">\u2026</span>` : null}`;
  return html`<td class=${(today ? 'today' : '') + (chosen ? ' chosen' : '')}>${all ? html`<a href=${link('job', job, { day: chosen ? null : name })} aria-current=${chosen ? 'date' : undefined} title=${label}><span class="hush">${label}</span><span class="day" aria-hidden="true">${body}</span></a>` : html`<span class="day" title=${label}>${body}</span>`}</td>`;
}

// A job's slots one below the other: those to come, and what became of those that have passed, each with its reason; the
// daemon's whole explanation is one press away.
// Rows by slot, each with all its attempts, the last one first.
function bySlot(rows) {
  const found = new Map();
  for (const row of rows) {
    const key = row.run_id ?? 'slot ' + row.slot;
    if (found.has(key)) found.get(key).push(row);
    else found.set(key, [row]);
  }
  return [...found.entries()].map(([key, attempts]) => ({ key, attempts: attempts.sort((a, b) => b.attempt - a.attempt) }));
}

// The daemon's sentences about a slot.
export function Why({ job, row }) {
  const [state, setState] = useState({});
  useEffect(() => {
    const abort = new AbortController();
    ask(`jobs/${encodeURIComponent(job)}/why` + query(row.run_id ? { run: row.run_id } : { slot: row.slot }), { signal: abort.signal })
      .then((answer) => setState({ answer }), (problem) => setState({ problem }));
    return () => abort.abort();
  }, [job, row.run_id, row.slot, row.status]);
  if (state.problem) return html`<p>${rowWords(row) || 'Nothing more is recorded.'} <span class="muted small">(${clip(state.problem.message, 200)})</span></p>`;
  return html`<p class="why" role="status">${state.answer ? html`<${Prose} text=${clip(state.answer.why, 4000)} zone=${zoneOfJob(job)} />` : '\u2026'}</p>`;
}

function Slot({ job, slot, zone, chosen, open }) {
  const [shown, setShown] = useState(open), place = useRef(null);
  useEffect(() => {
    if (!chosen) return;
    setShown(open);
    place.current.scrollIntoView({ block: 'center' });
    place.current.focus({ preventScroll: true });
  }, [chosen]);
  const row = slot.attempts[0], late = lateOf(slot.attempts.at(-1)), words = rowWords(row), id = 'why-' + slot.key.replace(/\W/g, '-');
  return html`<li ref=${place} tabindex=${chosen ? '-1' : undefined} aria-current=${chosen ? 'true' : undefined} class=${'slot' + (isBad(row.status) ? ' bad' : '') + (chosen ? ' chosen' : '')}>
    <div class="slot-line">
      <span class="slot-time"><${Time} at=${row.slot} zone=${zone} /></span>
      <span class="slot-status"><${Status} status=${row.status} /></span>
      <span class="slot-words">${words ? html`${words} <span class="muted">${untilWords(row, zone)}</span>` : row.trigger && row.trigger !== 'schedule' ? html`<span class="muted">by ${row.triggered_by ? html`<bdi>${clip(person(row.triggered_by), 100)}</bdi>` : TRIGGER[row.trigger] ?? row.trigger}</span>` : null}</span>
      <span class="slot-facts muted">${row.duration_ms !== null ? html`<span>${duration(row.duration_ms)}</span>` : null}${late !== null && late >= 1000 ? html`<span class="warn-text">${duration(late)} late</span>` : null}${row.attempt > 1 ? html`<span>attempt ${row.attempt}</span>` : null}${row.node ? html`<${NodeName} node=${row.node} />` : null}${row.epoch ? html`<span title="The term's epoch, and the fence of the claim">e${row.epoch}${row.fence ? ` f${row.fence}` : ''}</span>` : null}</span>
      <span class="slot-links">${row.run_id ? html`<${RunLink} id=${row.run_id} />` : null}<button type="button" class="quiet small" aria-expanded=${String(shown)} aria-controls=${id} onClick=${() => setShown(!shown)}>why</button></span>
    </div>
    <div id=${id} hidden=${!shown}>${shown ? html`<${Why} job=${job} row=${row} />` : null}</div>
  </li>`;
}

export function SlotList({ job, zone, rows, planned, opened, plannedKnown, pauses, missing, ends }) {
  const [open, setOpen] = useState(false), folded = planned.length > 8;
  const slots = bySlot(rows), silent = silence(missing), unknown = new Map(holes(slots.map((one) => one.attempts[0]), missing).map((one) => [one.index, one]));
  // The last one that had come by then.
  const chosen = opened && slots.find(({ attempts: [row] }) => parse(row.slot) <= opened);
  const line = (key, time, text) => html`<li key=${key} class="slot unknown"><div class="slot-line"><span class="slot-time">${time}</span><span class="slot-words muted">${text}</span></div></li>`;
  return html`<ol class="slots">
    ${folded ? html`<li class="slot"><details onToggle=${(event) => setOpen(event.currentTarget.open)}><summary>${plural(planned.length, 'planned slot')}</summary></details></li>` : null}
    ${(folded && !open ? [] : planned).map((one) => html`<li key=${'planned ' + one.slot} class="slot planned"><div class="slot-line"><span class="slot-time"><${Time} at=${one.slot} zone=${zone} /></span><span class="slot-status"><span class="status"><${Mark} status="planned" /> planned</span></span><span class="slot-words muted"><${Ago} at=${one.slot} period=${1000} passed="due now" /></span></div></li>`)}
    ${plannedKnown === false ? html`<li class="slot muted">Only the node that leads the job knows its slots to come: its @every counts from there.</li>` : null}
    ${pauses?.map((one) => line('pause ' + one.of, html`since <${Time} at=${one.since} zone=${zone} />`, html`paused${one.of === 'group' ? ' with its group' : ''}${one.until ? html` until <${Time} at=${one.until} zone=${zone} />` : ''}: slots of that time are skipped`))}
    ${slots.map((slot, i) => [unknown.has(i) ? line('hole ' + slot.key, html`<${Time} at=${unknown.get(i).from} zone=${zone} date="auto" offset=${false} />\u2013<${Time} at=${unknown.get(i).to} zone=${zone} />`, `${plural(unknown.get(i).slots, 'slot')}, not known here: ${silent}`) : null, html`<${Slot} key=${slot.key} job=${job} slot=${slot} zone=${zone} chosen=${slot === chosen} open=${slot === chosen} />`])}
    ${ends && silent ? line('end', 'before', `earlier slots may not be known here: ${silent}`) : null}
    ${!slots.length ? html`<li><${Empty}>${silent ? 'No slot of this time is known.' : 'No slot in this time.'}<//>${opened ? html`<${Why} job=${job} row=${{ slot: new Date(opened).toISOString().replace('.000', '') }} />` : null}</li>` : null}
  </ol>`;
}
