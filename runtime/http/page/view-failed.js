// Failed: all jobs of which slots went wrong since a time: how many, the first and the last one, and whether the job is well again.
// What is there keeps its place while numbers are renewed; a job that fails meanwhile comes last.
import { html, useRef, update, link } from './html.js';
import { ask, nameList, now, query, usePoll } from './api.js';
import { Time, HOUR, DAY, parse, fields, dayStart, zoneOf } from './time.js';
import { FAILED, LAST, OPEN, course, isWanted } from './attention.js';
import { JobLink, Gaps, Trouble, Empty, Loading, Choice, Mark, Status, rowLink } from './parts.js';
import { Rows, useNarrow } from './lists.js';
import { useJobIndex, zoneOfJob } from './job-index.js';
import { isBad, plural, silence, statusOf, statusWord } from './words.js';

const SPANS = { __proto__: null, yesterday: 'since yesterday', '24h': 'in 24 hours', '7d': 'in 7 days' };
const LOOKED = 100, MOST = 500;  // slots of a job, and jobs of which slots are looked at

function beginOf(span) {
  const today = fields(now(), zoneOf());
  return span === 'yesterday' ? dayStart(zoneOf(), today.year, today.month, today.day - 1) : Math.floor(now() / 60_000) * 60_000 - (span === '7d' ? 7 : 1) * DAY;
}

// Counts are of all slots; which were the first and the last one is known to the slot among the last hundred, else to the hour.
async function askFailed(span, abort) {
  const from = beginOf(span), since = new Date(from).toISOString(), jobs = new Map(), answer = await ask('history/summary' + query({ since, status: FAILED, per: 'hour' }), { signal: abort });
  for (const { hour, job, status, reason, slots } of answer.hours) {
    if (!slots || isWanted({ status, reason })) continue;
    let one = jobs.get(job);
    if (!one) jobs.set(job, (one = { job, slots: 0, of: {}, first: hour, last: hour }));
    one.slots += slots;
    one.of[status] = (one.of[status] ?? 0) + slots;
    if (hour < one.first) one.first = hour;
    if (hour > one.last) one.last = hour;
  }
  const all = [...jobs.values()].sort((a, b) => (a.last < b.last ? 1 : -1)), names = all.slice(0, MOST).map((one) => one.job);
  for (let i = 0; i < names.length; i += LOOKED) {
    const list = nameList('job', names.slice(i, i + LOOKED));
    if (list) for (const { job, rows } of (await ask(`history/strips?${list}&last=${LOOKED}&since=${since}`, { signal: abort })).strips) Object.assign(jobs.get(job), judge(rows, rows.length === LOOKED && jobs.get(job).slots));
  }
  all.sort((a, b) => RANK(b) - RANK(a) || parse((b.lastRow ?? { slot: b.last }).slot) - parse((a.lastRow ?? { slot: a.last }).slot) || (a.job < b.job ? -1 : 1));
  return { all, from, missing: answer.missing, as_of: answer.as_of, history_failure: answer.history_failure };
}

const RANK = ({ state }) => ['flaps', 'bad'].indexOf(state);
// By its last slots, the newest first: the first and the last bad one of them, and since when it is well. `all`: so many are bad, of which
// there may be some before.
function judge(rows, all) {
  const lean = (row) => row && { slot: row.slot, run_id: row.run_id, status: row.status };
  const settled = rows.filter((row) => !OPEN.includes(row.status) && row.status !== 'skipped' && !isWanted(row)), bad = settled.filter(({ status }) => isBad(status)), since = settled[settled.indexOf(bad[0]) - 1], last = settled.slice(0, LAST), { flaps, bad: { length: n } } = course(last);
  return { firstRow: bad.length < all ? null : lean(bad.at(-1)), lastRow: lean(bad[0]), state: !settled[0] ? null : flaps ? 'flaps' : settled[0] === bad[0] ? 'bad' : 'well', since: lean(since), inRow: course(settled).inRow, share: last.length > 1 ? `${n} of its last ${last.length}` : 'its only slot in this time' };
}

export default function Failed({ query: shown }) {
  const span = SPANS[shown.get('since')] ? shown.get('since') : 'yesterday', narrow = useNarrow(), places = useRef({});
  useJobIndex(1500);
  const poll = usePoll(`failed ${span} ${zoneOf()}`, { every: 20_000, live: false, hold: 45_000, read: (path, abort) => askFailed(span, abort) }), found = poll.data;
  if (places.current.span !== span) places.current = { span, of: new Map() };
  const { of } = places.current;
  for (const { job } of found?.all ?? []) if (!of.has(job)) of.set(job, of.size);
  const list = [...(found?.all ?? [])].sort((a, b) => of.get(a.job) - of.get(b.job)), many = (wanted) => list.filter(({ state }) => state === wanted).length, bad = many('bad'), flaps = many('flaps');
  const at = (one, row, hour) => (row ? html`<a href=${rowLink(row, one.job)}><${Time} at=${row.slot} zone=${zoneOfJob(one.job)} /></a>` : html`<a class=${narrow ? '' : 'two'} href=${link('timeline', null, { job: one.job, status: 'bad', from: hour, to: new Date(parse(hour) + HOUR).toISOString() })}><${Time} at=${hour} zone=${zoneOfJob(one.job)} /> <span class="muted small">${narrow ? 'or later' : 'or in the hour after'}</span></a>`);
  const times = (one) => plural(one.slots, 'time'), kinds = (one) => html`<span class="muted small">${Object.entries(one.of).sort((a, b) => statusOf(b[0]).rank - statusOf(a[0]).rank).map(([status, slots]) => `${slots} ${statusWord(status)}`).join(', ')}</span>`;
  const state = (one) => (one.state === 'bad' || one.state === 'flaps' ? html`<span class=${narrow ? '' : 'two'}><${Status} status=${one.lastRow.status} /> <span class="muted small">${one.state === 'flaps' ? `${narrow ? '' : 'again and again, '}${one.share}` : one.inRow === 1 ? one.share : `fails still, ${one.inRow}${one.inRow === LOOKED ? ' or more' : ''} in a row`}</span></span>` : one.state === 'well' ? html`<span class="status"><${Mark} status="succeeded" /> <span class="muted small">well again ${one.since ? 'since' : `for ${LOOKED} slots or more`}</span> ${one.since ? at(one, one.since) : ''}</span>` : html`<span class="muted">not known</span>`);
  const row = (one) => narrow
    ? html`<span role="cell" class="cell-stack"><span class="line"><${JobLink} job=${one.job} /><span class="push">${times(one)}</span></span><span class="line small"><span class="muted">first</span> ${at(one, one.firstRow, one.first)} <span class="muted">last</span> ${at(one, one.lastRow, one.last)}</span><span class="line small">${state(one)}<span class="push">${kinds(one)}</span></span></span>`
    : html`<span role="cell"><${JobLink} job=${one.job} /></span><span role="cell"><span class="two"><span>${times(one)}</span>${kinds(one)}</span></span><span role="cell">${at(one, one.firstRow, one.first)}</span><span role="cell">${at(one, one.lastRow, one.last)}</span><span role="cell">${state(one)}</span>`;
  return html`
    <div class="view-head"><h1>What failed ${SPANS[span]}</h1>
      <p class="muted">${found ? html`${plural(list.length, 'job')}, ${bad} of which failed at the last slot${flaps ? `, ${flaps} again and again` : ''}; from <${Time} at=${found.from} date="always" />, as of <${Time} at=${poll.heard.at} />` : ''}</p>
      <${Choice} label="Since" value=${span} options=${Object.entries(SPANS)} onChange=${(key) => update({ since: key === 'yesterday' ? null : key }, true)} />
    </div>
    <${Trouble} of=${[poll]} /><${Gaps} of=${[found]} />
    ${!found ? html`<${Loading} />` : !list.length ? html`<${Empty}>${silence(found) ? `Nothing is known to have failed; ${silence(found)}.` : 'Nothing has failed.'}<//>` : html`<div class="history failed"><${Rows} list=${list} height=${narrow ? 102 : 44} row=${row} label="Jobs that failed" rowKey=${(one) => one.job} head=${narrow ? ['Job'] : ['Job', 'How often', 'First', 'Last', 'Now']} /></div>
      <p class="muted small line">Slots that failed, timed out, were killed or lost by no one's wish, or were missed; none that a retry has healed. A time opens its slot. <a href=${link('timeline', null, { status: 'bad', last: span === '7d' ? '7d' : '24h' })}>Each of them in Timeline</a></p>`}`;
}
