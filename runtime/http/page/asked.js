// What people asked for, and what became of it: rows of `requests`.
import { html } from './html.js';
import { Section, JobLink, RunLink, Name, Empty, Loading } from './parts.js';
import { Time } from './time.js';
import { clip, person } from './words.js';
import { zoneOfJob } from './job-index.js';

export const AskedRow = ({ row }) => html`<li class="row tall">
  <span class="row-time"><${Time} at=${row.at} zone=${row.job ? zoneOfJob(row.job) : null} /></span>
  <span class="row-main">${row.kind} ${row.job ? html`<${JobLink} job=${row.job} />` : row.group ? html`group <${Name} text=${row.group} />` : ''} ${row.run_id ? html`<${RunLink} id=${row.run_id} /> ` : ''}<span class="muted">by <bdi>${clip(person(row.by), 100)}</bdi>: ${row.result ?? 'under way'}${row.text ? `, ${clip(row.text, 160)}` : ''}</span></span></li>`;

export function Asked({ requests, id = 'asked', title = 'What people asked for' }) {
  const rows = requests.data?.requests ?? [];
  return html`<${Section} id=${id} title=${title}>
    ${!requests.data ? html`<${Loading} />` : !rows.length ? html`<${Empty}>Nobody has asked for anything in seven days.<//>` : html`<ul class="rows">${rows.map((row, i) => html`<${AskedRow} key=${row.request_id ?? i} row=${row} />`)}</ul>`}
  <//>`;
}
