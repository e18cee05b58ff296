// What people asked for, and what became of it: rows of `requests`; and how definitions of jobs have changed.
import { html, useState } from './html.js';
import { query, usePoll } from './api.js';
import { Section, JobLink, RunLink, NodeName, Name, Empty, Loading, More, Prose } from './parts.js';
import { Time, Ago } from './time.js';
import { clip, plural, person, silence } from './words.js';
import { zoneOfJob } from './job-index.js';

const SHOWN = 3;

// Some jobs, each by its name where they are few; `what` became of them.
export function Jobs({ jobs, what }) {
  const [open, setOpen] = useState(false), links = (some) => some.map((job, i) => html`${i ? ', ' : ''}<${JobLink} job=${job} />`);
  if (jobs.length <= SHOWN) return html`${links(jobs)} ${what}`;
  return html`<strong>${plural(jobs.length, 'job')}</strong> ${what} <details class="inline" onToggle=${(event) => setOpen(event.currentTarget.open)}><summary class="small">which</summary>${open ? html`${links(jobs.slice(0, 200))}${jobs.length > 200 ? ` and ${plural(jobs.length - 200, 'other')}` : ''}` : null}</details>`;
}

// What one has asked for alike in one minute of many jobs is one row.
export function requestRows(answer) {
  const rows = new Map();
  for (const one of answer?.requests ?? []) {
    const key = one.job ? JSON.stringify([one.at.slice(0, 16), one.kind, one.by, one.result]) : one;
    rows.set(key, [...(rows.get(key) ?? []), one]);
  }
  return [...rows.values()].flatMap((all) => (new Set(all.map(({ job }) => job)).size > SHOWN ? [all] : all.map((one) => [one])));
}
export const AskedRows = ({ all: [row, ...more], all }) => (!more.length ? html`<${AskedRow} row=${row} />` : html`<li class="row tall"><span class="row-time"><${Time} at=${row.at} /></span>
  <span class="row-main"><${Jobs} jobs=${[...new Set(all.map(({ job }) => job))]} what=${`asked for: ${row.kind}`} /> <span class="muted">by <bdi>${clip(person(row.by), 100)}</bdi>: ${row.result ?? 'under way'}</span></span></li>`);

const AskedRow = ({ row }) => html`<li class="row tall">
  <span class="row-time"><${Time} at=${row.at} zone=${zoneOfJob(row.job)} /></span>
  <span class="row-main">${row.kind} ${row.job ? html`<${JobLink} job=${row.job} />` : row.group ? html`group <${Name} text=${row.group} />` : ''} ${row.run_id ? html`<${RunLink} id=${row.run_id} /> ` : ''}<span class="muted">by <bdi>${clip(person(row.by), 100)}</bdi>: ${row.result ?? 'under way'}${row.text ? html`, <${Prose} text=${clip(row.text, 400)} zone=${zoneOfJob(row.job)} />` : ''}</span></span></li>`;

// Of a pause that stands: since when, who asked for it, until when, and why.
export const Paused = ({ pause: { since, by, until, reason }, zone }) => html`paused${since ? html` since <${Time} at=${since} zone=${zone} /> (<${Ago} at=${since} />)` : ''} by <bdi>${clip(person(by), 120)}</bdi>, ${until ? html`until <${Time} at=${until} zone=${zone} />` : 'until somebody resumes it'}${reason ? html`: <bdi>${clip(reason, 300)}</bdi>` : ''}`;

export function Asked({ requests, id = 'asked', title = 'What people asked for' }) {
  const rows = requests.data?.requests ?? [];
  return html`<${Section} id=${id} title=${title}>
    ${!requests.data ? html`<${Loading} />` : !rows.length ? html`<${Empty}>${silence(requests.data) ? `No request of seven days is known: ${silence(requests.data)}.` : 'Nobody has asked for anything in seven days.'}<//>` : html`<ul class="rows">${rows.map((row, i) => html`<${AskedRow} key=${row.request_id ?? i} row=${row} />`)}</ul>`}
  <//>`;
}

// Definitions that began, newest first; those that began alike in one minute are one row of many jobs, and of a job on many nodes. So
// are those that were added, or removed, within a minute, whatever they say.
export const useDefinitions = (filters, on = true, merge = null) => usePoll(on ? 'history/definitions' + query(filters) : null, { every: 20_000, live: false, hold: 45_000, keep: true, merge });
export function definitionRows(answer) {
  const rows = new Map();
  for (const one of answer?.definitions ?? []) {
    const key = JSON.stringify([one.at.slice(0, 16), one.at_latest, one.change, one.change === 'changed' && one.text]);
    if (rows.has(key)) rows.get(key).push(one);
    else rows.set(key, [one]);
  }
  return [...rows.values()];
}

// `own`: on the page of the job, which needs not be named.
export function DefinitionRow({ all, own }) {
  const nodes = [...new Set(all.flatMap((one) => one.nodes))], text = all.every((one) => one.text === all[0].text) && all[0].text, jobs = [...new Set(all.map((one) => one.job))];
  return html`<li class="row tall">
  <span class="row-time">${all[0].at_latest ? 'by ' : ''}<${Time} at=${all[0].at} zone=${zoneOfJob(all[0].job)} />${all[0].at_latest ? ' at the latest' : ''}</span>
  <span class="row-main">${own ? clip(all[0].change, 20) : html`<${Jobs} jobs=${jobs} what=${`${jobs.length > 1 ? 'were' : 'was'} ${clip(all[0].change, 20)}`} />`} <span class="muted">${text ? html`<bdi>${clip(text, 300)}</bdi>, ` : ''}on ${nodes.slice(0, SHOWN).map((node, i) => html`${i ? ', ' : ''}<${NodeName} node=${node} />`)}${nodes.length > SHOWN ? ` and ${plural(nodes.length - SHOWN, 'other')}` : ''}</span></span></li>`;
}

export function Definitions({ of }) {
  const rows = (of.data?.definitions ?? []).map((one) => [one]);
  if (!of.data && of.problem) return null;
  return html`<${Section} id="job-definitions" title="How its definition changed">
    ${!of.data ? html`<${Loading} />` : !rows.length ? html`<${Empty}>${silence(of.data) ? `No change of it is known: ${silence(of.data)}.` : 'No change of it is on record.'}<//>` : html`<ul class="rows"><${More} list=${rows} first=${4} step=${20} what="change">${(all) => html`<${DefinitionRow} key=${all[0].at + all[0].digest} all=${all} own=${true} />`}<//></ul>`}
    ${of.data?.next ? html`<p class="muted small">Older ones: <code>ballot history --definitions</code>.</p>` : null}
  <//>`;
}
