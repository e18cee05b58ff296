// Job: its schedule in words, where it is defined, its calendar, how long it takes and how late it starts, and its slots
// with their why. From here it is triggered, paused and resumed.
import { html, useEffect, useMemo, useState, useRef, update, link } from './html.js';
import { ask, query, now, usePoll } from './api.js';
import { Time, Ago, Elapsed, DAY, parse, duration, zoneOf, zoneChoice, dayStart, dayKey, fields, instant, written, here } from './time.js';
import { Act, quoted } from './act.js';
import { Calendar, calendarDays, SlotList } from './job-slots.js';
import { Asked, Definitions, Paused, useDefinitions } from './asked.js';
import { Section, Name, NodeName, RunLink, Gaps, Trouble, Empty, Loading, Copy, LastStatus, Status } from './parts.js';
import { clip, plural, silence, scheduleText, scheduleWords, person, statusOf, statusWord, isBad, BAD } from './words.js';
import { noteJob, learnZone, lateOf, lacksLeader, nodeOf, pausesOf } from './job-index.js';
import { slowdown, isSlower, paceText, learnUsual } from './lists.js';

const PLOTTED = 200, HELD = 1000, STAMP = (ms) => new Date(ms).toISOString().slice(0, 19) + 'Z';

// Of a job that is paused slots to come are those after its pause, which `next` has.
async function askCalendar(name, zone, paused, abort) {
  const days = calendarDays(zone), path = 'jobs/' + encodeURIComponent(name);
  const [summary, ahead] = await Promise.all([
    ask('history/summary' + query({ job: name, since: STAMP(days[0]) }), { signal: abort }),
    ask(paused ? 'next' + query({ job: name, for_ms: days.at(-1) - Math.floor(now()), limit: 1000 }) : `${path}/slots` + query({ from: STAMP(now()), to: STAMP(days.at(-1)), limit: 1000 }), { signal: abort }),
  ]);
  return { ...summary, planned: ahead.planned ?? ahead.slots, plannedMore: ahead.planned_more ?? ahead.left_out };
}

async function askPoints(path, abort) {
  const { rows } = await ask(path, { signal: abort });
  if (rows.length) await learnUsual([rows[0].job], abort).catch(() => {});
  return rows.filter((row) => row.started_at && row.attempt > 0).reverse().map((row) => ({ at: parse(row.slot), duration: row.duration_ms, late: lateOf(row), status: row.status, run: row.run_id, attempt: row.attempt, node: row.node }));
}

export default function Job({ name, query: shown }) {
  const path = 'jobs/' + encodeURIComponent(name);
  const detail = usePoll(path), job = detail.data;
  if (job) noteJob(job);
  useEffect(() => { for (const one of [].concat(job?.after ?? [])) learnZone(one).catch(() => {}); }, [String(job?.after)]);
  const zone = job?.timezone, inZone = zoneOf(zone), paused = job?.state === 'paused';
  const day = /^\d{4}-\d\d-\d\d$/.test(shown.get('day') ?? '') ? shown.get('day') : null, opened = day ? null : Date.parse(shown.get('slot')) || null;
  const calendar = usePoll(job ? `calendar ${name} ${inZone} ${paused}` : null, { every: 30_000, live: 10_000, read: (_, abort) => askCalendar(name, inZone, paused, abort), keep: true });
  const points = usePoll('history' + query({ job: name, limit: PLOTTED }), { every: 15_000, live: 8000, read: askPoints });
  const requests = usePoll('requests' + query({ job: name, limit: 8 }), { every: 15_000, live: false });
  const definitions = useDefinitions({ job: name, since: '2000-01-01T00:00:00Z', limit: 100 });
  const running = usePoll('history' + query({ job: name, status: 'running,claimed', limit: 5 }));
  if (detail.problem?.status === 404) return html`<h1><${Name} text=${name} /></h1><${Empty}>${nodeOf(name) ? html`An instance of a job of each node: <${NodeName} node=${nodeOf(name)} /> alone runs it and knows how it is defined.` : 'No file defines such a job.'} <a href=${link('timeline', null, { job: name, last: '7d' })}>Its history of the last seven days</a> may still be there.<//>`;
  const open = (running.data?.rows ?? []).filter((row) => row.job === name);
  const slots = html`<${Slots} name=${name} zone=${zone} inZone=${inZone} day=${day} opened=${opened} ready=${Boolean(job)} pauses=${day || opened ? null : job?.pauses} resumed=${paused && (calendar.data?.planned ?? [])} />`;
  return html`
    <div class="view-head"><p class="crumb"><a href=${link('jobs')}>Jobs</a> / ${job ? html`<a href=${link('jobs', null, { group: job.group })}><${Name} text=${job.group} /></a>` : '\u2026'}</p>
      <h1><${Name} text=${name} most=${120} /></h1>${job ? html`${paused ? html`<span class="tag warn">paused</span> <span class="muted">last slot</span>` : null}<${LastStatus} text=${job.last_status} silent=${silence(job)} /><div class="actions"><${Act} kind="trigger" job=${name} concurrency=${job.concurrency} names=${job.trigger_env} paused=${paused} /><${Act} kind=${paused ? 'resume' : 'pause'} job=${name} />${job.schedule?.length && !job.backfill ? html`<${Act} kind="backfill" job=${name} />` : null}</div>` : null}
    </div>
    <${Trouble} of=${[detail, calendar, points, running]} /><${Gaps} of=${[job, calendar.data, definitions.data]} />
    ${job ? html`<${Banner} job=${job} />` : html`<${Loading} />`}
    ${open.length ? html`<div class="banner live-banner">${open.map((row) => html`<span key=${row.run_id}><${Status} status=${row.status} /> on <${NodeName} node=${row.node} />${row.started_at ? html` for <${Elapsed} since=${row.started_at} heard=${running.heard} />` : ''}: <${RunLink} id=${row.run_id} /></span>`)}</div>` : null}
    ${opened ? slots : null}
    ${job ? html`<div class="columns thirds">
      <div class="stack"><${Section} id="calendar" title="Calendar" aside=${inZone}>${calendar.data ? html`<div class="scroll"><${Calendar} ...${{ ...calendar.data, job: name, zone: inZone, chosen: day }} /></div>
        <p class="small muted legend">${['succeeded', ...BAD, 'skipped'].map((status) => html`<b key=${status} class=${statusOf(status).tone + '-text'}>${statusOf(status).letter}</b>\u00a0${statusWord(status)} `)}<b>\u21bb</b>\u00a0attempts retried <b>P</b>\u00a0planned. A day opens its slots below.</p>` : html`<${Loading} />`}<//>
        <${Plots} points=${points.data} zone=${zone} chained=${job.slots_of} /></div>
      <div class="stack"><${Facts} job=${job} points=${points.data} /><${Asked} requests=${requests} id="job-asked" title="What people asked for" /><${Definitions} of=${definitions} /></div>
      ${opened ? null : slots}
    </div>` : null}`;
}

function Banner({ job }) {
  return html`
    ${pausesOf(job).map((pause) => html`<p key=${pause.of} class="banner"><span class="tag warn">paused</span><span>${pause.of === 'group' ? html`Its group <${Name} text=${job.group} />` : 'It'} ${pause.since ? 'has been' : 'is'} <${Paused} pause=${pause} zone=${job.timezone} />.</span></p>`)}
    ${(job.backfill ?? []).map((one) => html`<p key=${one.since} class="banner"><span class="tag">backfill</span><span>${plural(one.begun, 'slot')} begun${one.next_slot ? html`, next <${Time} at=${one.next_slot} zone=${job.timezone} />, up to <${Time} at=${one.last_slot} zone=${job.timezone} />` : ''}, by <bdi>${clip(person(one.by), 120)}</bdi>.</span> <${Act} kind="backfill" job=${job.job} stop=${true} /></p>`)}
    ${job.state === 'halted' ? html`<p class="banner bad"><span class="tag bad">halted</span><span>${job.halted_at ? html`Since <${Time} at=${job.halted_at} zone=${job.timezone} />: ` : ''}${clip(job.trouble ?? 'its register cannot be read', 300)}.</span> <${Copy} text=${'ballot repair ' + quoted(job.job)} /></p>` : null}
    ${job.overdue_since ? html`<p class="banner bad"><span class="tag bad">overdue</span><span>No run has succeeded in time, since <${Time} at=${job.overdue_since} zone=${job.timezone} />.</span></p>` : null}
    ${job.slow ? html`<p class="banner"><span class="tag warn">slow</span><span>A run takes longer than expected.</span></p>` : null}
    ${job.leader ? null : lacksLeader(job.group) ? html`<p class="banner bad"><span class="tag bad">no leader</span><span>No node is known to lead <${Name} text=${job.group} />: nothing of it runs until one does.</span></p>` : html`<p class="gaps">No node is known yet to lead <${Name} text=${job.group} />: one is being elected, or this node has no session with its store.</p>`}
    ${job.state && !['active', 'paused', 'halted'].includes(job.state) ? html`<p class="banner"><span class="tag">${clip(job.state, 60).replace(/_/g, ' ')}</span><span>${job.state === 'disabled' ? 'Its file says enabled = false: it is never due; a trigger works.' : job.state === 'drift' ? 'Nodes define it differently.' : job.state === 'clock_skew' ? 'Its register is ahead of the clock, and its slots wait.' : ''}</span></p>` : null}`;
}

function Facts({ job, points }) {
  const zone = job.timezone, words = scheduleText(job.schedule), said = job.schedule_words ? [].concat(job.schedule_words).join('; ') : words;
  const pace = points && slowdown(job.job, [...points].reverse().map((one) => ({ status: one.status, duration_ms: one.duration, slot: new Date(one.at).toISOString() })));
  return html`<${Section} id="facts" title="Schedule and definition"><dl class="facts">
    <dt>Runs</dt><dd>${job.schedule === undefined ? html`<span class="muted">not known here</span>` : clip(said, 300)}${job.schedule?.some((one) => scheduleWords(one)) ? html`<div class="small muted">${job.schedule.slice(0, 8).map((one) => html`<code key=${one}>${clip(one, 80)}</code> `)}</div>` : null}</dd>
    ${job.expects ? html`<dt>Expected</dt><dd>${clip(job.expects, 200)}</dd>` : null}
    ${job.calendars ? html`<dt>Calendars</dt><dd>${clip(job.calendars, 300)}</dd>` : null}
    <dt>Zone</dt><dd>${zone ?? html`<span class="muted">not known</span>`}</dd>
    <dt>Next slot</dt><dd>${job.next_slot ? html`<${Time} at=${job.next_slot} zone=${zone} /> <span class="muted"><${Ago} at=${job.next_slot} /></span>${zoneChoice() === 'job' && zone && zone !== here() ? html`<div class="small muted">${written(parse(job.next_slot), here(), { offset: true })} for you</div>` : null}` : html`<span class="muted">${job.state === 'paused' ? 'none while it is paused' : 'none is known'}</span>`}</dd>
    <dt>Led by</dt><dd>${job.leader ? html`<a href=${link('timeline', null, { node: job.leader, last: '24h' })}><${NodeName} node=${job.leader} /></a>` : 'nobody'}, group <${Name} text=${job.group} /></dd>
    ${pace ? html`<dt>Takes</dt><dd>${isSlower(pace) ? html`<strong class="warn-text">${paceText(pace, zone)}</strong>` : html`${duration(pace.usual)} <span class="muted">as usual</span>`}</dd>` : points && silence(job) ? html`<dt>Takes</dt><dd class="muted">not compared: ${silence(job)}</dd>` : null}
    ${job.after ? html`<dt>Comes after</dt><dd>${[].concat(job.after).map((one, i) => html`${i ? ', ' : ''}<a key=${one} href=${link('job', one)}><${Name} text=${one} /></a>`)}${job.after_status === 'succeeded' ? ', once it has succeeded' : job.after_status === 'failed' ? ', where it has failed' : ', once it has ended'}</dd>` : null}
    ${job.concurrency ? html`<dt>Overlap</dt><dd>${clip(job.concurrency, 20)}</dd>` : null}
    ${job.description ? html`<dt>About</dt><dd>${clip(job.description, 500)}</dd>` : null}
    <dt>File</dt><dd>${job.file ? html`<code>${clip(job.file, 200)}${job.line ? ':' + job.line : ''}</code>` : html`<span class="muted">none here</span>`}</dd>
    <dt>Definition</dt><dd><code title="Nodes whose files say the same have the same digest.">${clip(job.digest, 24)}</code></dd>
    ${job.refused ? html`<dt>Refused</dt><dd><strong class="bad-text">The file as it is</strong> since <${Time} at=${job.refused_since} zone=${zone} />: <bdi>${clip(job.refused, 400)}</bdi>. Its last good version is in force.</dd>` : null}
  </dl><//>`;
}

function Slots({ name, zone, inZone, day, opened, ready, pauses, resumed }) {
  const [older, setOlder] = useState({ rows: [], next: undefined });
  const range = useMemo(() => {
    if (opened) return { from: STAMP(opened - 31 * DAY), to: STAMP(opened + 1000) };
    if (!day) return { to: STAMP(Math.ceil(now() / DAY) * DAY + 2 * DAY) };
    const [year, month, date] = day.split('-').map(Number);
    return { from: STAMP(dayStart(inZone, year, month, date)), to: STAMP(dayStart(inZone, year, month, date + 1)) };
  }, [day, opened, inZone]);
  const path = `jobs/${encodeURIComponent(name)}/slots` + query({ limit: day ? 300 : 40, ...range });
  const slots = usePoll(ready ? path : null, { live: 4000, keep: true });
  useEffect(() => setOlder({ rows: [], next: undefined }), [path]);
  const next = older.next === undefined ? slots.data?.next : older.next;
  const more = async () => {
    const page = await ask(path + '&cursor=' + encodeURIComponent(next));
    setOlder((old) => ({ rows: [...old.rows, ...page.past].slice(0, HELD), next: old.rows.length + page.past.length >= HELD ? null : page.next }));
  };
  const planned = (resumed ? resumed.filter(({ slot }) => slot < range.to && !(slot < range.from)) : slots.data?.planned ?? []).slice(0, day ? 300 : 5);
  return html`<${Section} id="slots" title=${day ? `Slots of ${day}` : opened ? html`Slots up to <${Time} at=${opened} zone=${zone} date="always" seconds=${true} />` : 'Slots'} aside=${html`<${Jump} at=${opened} zone=${inZone} /> ${day || opened ? html`<button type="button" class="quiet small" onClick=${() => update({ day: null, slot: null })}>newest slots</button>` : html`<a href=${link('timeline', null, { job: name, status: 'bad', last: '7d' })}>Only what failed</a>`}`}>
    ${slots.data ? html`<${SlotList} job=${name} zone=${zone} rows=${[...slots.data.past, ...older.rows]} planned=${[...planned].reverse()} plannedKnown=${slots.data.planned_known} opened=${opened} missing=${slots.data.missing} ends=${!next} pauses=${pauses} />
      ${next ? html`<button type="button" class="quiet" onClick=${more}>older slots</button>` : null}` : slots.problem ? html`<${Empty}>${clip(slots.problem.message, 200)}<//>` : html`<${Loading} />`}
  <//>`;
}

// Which slots are shown, by a time in the zone of the view. The field is the browser's own, with the browser's form of a date, as it
// takes no time that there is not and has a picker; above the slots the time is written as all others.
function Jump({ at, zone }) {
  const clock = at && fields(at, zone);
  const go = (event) => {
    event.preventDefault();
    const wall = Date.parse(event.target.at.value + 'Z');
    if (wall) update({ day: null, slot: new Date(instant(wall, zone)).toISOString() }, true);
  };
  return html`<form class="jump" onSubmit=${go}><label class="field"><span>Up to</span><input type="datetime-local" name="at" step="1" required defaultValue=${clock ? `${dayKey(at, zone)}T${clock.hour}:${clock.minute}:${clock.second}` : ''} /></label><button type="submit" class="small">Go</button></form>`;
}

function Plots({ points, zone, chained }) {
  const lasts = useMemo(() => (points ?? []).filter((one) => one.duration !== null).map((one) => ({ at: one.at, value: one.duration, status: one.status })), [points]);
  const lates = useMemo(() => (points ?? []).filter((one) => one.late !== null).map((one) => ({ at: one.at, value: one.late, status: one.status })), [points]);
  const range = (list) => (list.length ? `from ${duration(Math.min(...list.map((one) => one.value)))} to ${duration(Math.max(...list.map((one) => one.value)))}` : '');
  if (points && points.length < 2) return null;
  return html`<div class="columns">
    <${Section} id="durations" title="How long it took">${points ? html`<${Plot} points=${lasts} zone=${zone} label=${`Duration of the last ${plural(lasts.length, 'attempt')}, ${range(lasts)}; the table below has them`} /><${Table} list=${lasts} zone=${zone} what="Duration" />` : html`<${Loading} />`}<//>
    ${chained ? null : html`<${Section} id="lateness" title="How late it started">${points ? html`<${Plot} points=${lates} zone=${zone} label=${`Lateness of the last ${plural(lates.length, 'start')}, ${range(lates)}; the table below has them`} /><${Table} list=${lates} zone=${zone} what="Lateness" />` : html`<${Loading} />`}<//>`}
  </div>`;
}

function Table({ list, zone, what }) {
  const [open, setOpen] = useState(false);
  return html`<details onToggle=${(event) => setOpen(event.currentTarget.open)}><summary class="small">As a table</summary>${open ? html`<div class="scroll high" tabindex="0" role="region" aria-label=${what}><table><thead><tr><th scope="col">Slot</th><th scope="col" class="n">${what}</th><th scope="col">Status</th></tr></thead>
    <tbody>${list.slice(-100).reverse().map((one) => html`<tr key=${one.at + one.status + one.value}><td><${Time} at=${one.at} zone=${zone} /></td><td class="n">${duration(one.value)}</td><td><${Status} status=${one.status} /></td></tr>`)}</tbody></table></div>` : null}</details>`;
}

// Points over time, drawn by uPlot: what succeeded and what did not, in the colours and the zone of the page. What stands
// below the pointer is said in words; the table beside each plot has the same points.
const HIGH = 150;
const dayName = (ms, zone) => written(ms, zone, { date: 'always', offset: false }).replace(/ \d\d:\d\d$/, '').slice(4);
// A colour or font of the style sheet, as a canvas takes it.
function styled(box, property, name) {
  box.style[property] = `var(${name})`;
  const found = getComputedStyle(box)[property];
  box.style[property] = '';
  return found;
}

// points: [{ at, value, status }] oldest first, values in ms
function Plot({ points, zone, label }) {
  const box = useRef(null), plot = useRef(null), [said, say] = useState(null), [theme, turned] = useState(0);
  const shown = zoneOf(zone);
  useEffect(() => {
    const turn = () => turned((n) => n + 1), dark = matchMedia('(prefers-color-scheme: dark)');
    addEventListener('themechange', turn);
    dark.addEventListener('change', turn);
    return () => {
      removeEventListener('themechange', turn);
      dark.removeEventListener('change', turn);
    };
  }, []);
  useEffect(() => {
    let gone = false, watch = null;
    if (!document.querySelector('link[href$="uplot.css"]')) document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: 'page/vendor/uplot/uplot.css' }));
    import('./vendor/uplot/uplot.js').then(({ default: uPlot }) => {
      if (gone || !box.current) return;
      const colour = (name) => styled(box.current, 'color', name);
      const muted = colour('--muted'), line = colour('--line'), font = '11px ' + styled(box.current, 'fontFamily', '--font');
      const dots = (name, size) => ({ stroke: colour(name), paths: () => null, points: { show: true, size, width: 0, fill: colour(name) } });
      const axis = { stroke: muted, font, ticks: { show: false }, grid: { stroke: line, width: 1 } };
      plot.current = new uPlot({
        width: box.current.clientWidth, height: HIGH, legend: { show: false }, padding: [8, 20, 0, 0],
        cursor: { y: false, points: { size: 9 } },
        tzDate: (ts) => uPlot.tzDate(new Date(ts * 1000), shown),
        scales: { y: { range: (u, low, high) => [0, Math.max(high * 1.08, 10)] } },
        axes: [{ ...axis, grid: { show: false }, size: 28, values: (u, list, _, space, step) => list.map((at) => (step >= 86400 ? dayName(at * 1000, shown) : written(at * 1000, shown, { date: 'never', offset: false }))) }, { ...axis, size: 64, values: (u, list) => list.map(duration) }],
        series: [{}, dots('--good', 5), dots('--bad', 7)],
        hooks: { setCursor: [(u) => say(u.cursor.idx ?? null)] },
      }, dataOf(points), box.current);
      watch = new ResizeObserver(() => { if (box.current?.clientWidth) plot.current?.setSize({ width: box.current.clientWidth, height: HIGH }); });
      watch.observe(box.current);
    }, () => {});
    return () => {
      gone = true;
      watch?.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [theme, shown]);
  useEffect(() => plot.current?.setData(dataOf(points)), [points]);
  const point = said === null ? null : points[said];
  return html`<figure class="plot"><div class="plot-box" role="img" aria-label=${label}><div ref=${box} /></div>
    <figcaption class="small muted">${point ? `${written(point.at, shown)}: ${duration(point.value)}, ${statusWord(point.status)}` : html`<span class="key good" /> succeeded <span class="key bad" /> not`}</figcaption></figure>`;
}

const dataOf = (points) => [points.map((one) => one.at / 1000), points.map((one) => (isBad(one.status) ? null : one.value)), points.map((one) => (isBad(one.status) ? one.value : null))];
