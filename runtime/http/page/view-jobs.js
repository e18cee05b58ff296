// Jobs: all of them, to be searched, filtered and compared; each with its last outcomes and its next slot.
import { html, useEffect, useMemo, update } from './html.js';
import { usePoll } from './api.js';
import { Time, Ago, duration, parse, useNow } from './time.js';
import { Act } from './act.js';
import { useJobIndex, refreshJobs, lacksLeader, isInstance, nodeOf, askMinute } from './job-index.js';
import { useStrips, useSlowdowns, slowdown, isSlower, lastTook, paceText, timesText, Rows, useNarrow } from './lists.js';
import { JobLink, Name, Gaps, Trouble, Empty, Loading, Search, Select, LastStatus, Strip, rowLink } from './parts.js';
import { plural, count, clip, silence, scheduleText, person } from './words.js';

const STATES = [['', 'any state'], ['bad', 'last run bad'], ['active', 'active'], ['paused', 'paused'], ['halted', 'halted'], ['disabled', 'disabled'], ['leaderless', 'no leader'], ['other', 'other states']];
const SORTS = [['', 'name'], ['bad', 'worst first'], ['next', 'next slot'], ['slower', 'slower than usual']];
const PLAIN = ['active', 'paused', 'halted', 'disabled'];

const fits = {
  bad: (job) => job.rank >= 5, leaderless: (job) => !job.leader, other: (job) => job.state && !PLAIN.includes(job.state),
};

export default function Jobs({ query }) {
  const index = useJobIndex(0, true), narrow = useNarrow();
  const [stripOf, see, gaps] = useStrips();
  const search = query.get('q') ?? '', group = query.get('group') ?? '', state = query.get('state') ?? '', order = query.get('sort') ?? '', minute = parse(query.get('due')) ? query.get('due') : null;
  const poll = usePoll(minute && 'due ' + minute, { every: 600_000, live: false, keep: true, read: (path, abort) => askMinute(minute, abort) }), due = minute && poll.data, asks = minute && !due && !poll.problem;
  const groups = useMemo(() => [...new Set([...index.jobs.map((job) => job.group), ...(group ? [group] : [])])].sort(), [index, group]);
  const silent = silence(index.missing, gaps), gone = group && index.ready && !index.jobs.some((job) => job.group === group);
  // Nodes that alone have jobs which would be listed.
  const away = (index.missing?.missing ?? []).filter(({ node }) => !index.jobs.some((one) => one.away && nodeOf(one.job) === node) && (group ? group.endsWith('@' + node) : state === 'leaderless' && index.jobs.some((one) => isInstance(one.job, one.group))));
  const filtered = useMemo(() => {
    const words = search.toLowerCase().split(/\s+/).filter(Boolean);
    const names = due && new Set(due.jobs.map(([job]) => job));
    return index.jobs.filter((job) => (!minute || names?.has(job.job)) && (!group || job.group === group) && (!state || (fits[state] ? fits[state](job) : job.state === state)) && words.every((word) => job.lower.includes(word)));
  }, [index, search, group, state, minute, due]);
  const [slow, done] = useSlowdowns(filtered, order === 'slower');
  const compared = order === 'slower' ? filtered.filter((job) => slow.get(job.job)?.usual).length : 0, comparing = order === 'slower' && done < filtered.length;
  const list = useMemo(() => {
    if (order === 'bad') return [...filtered].sort((a, b) => b.rank - a.rank);
    if (order === 'next') return [...filtered].sort((a, b) => (a.next ?? Infinity) - (b.next ?? Infinity));
    if (order === 'slower') return filtered.filter((job) => isSlower(slow.get(job.job))).sort((a, b) => slow.get(b.job).times - slow.get(a.job).times);
    return filtered;
  }, [filtered, order, done]);
  const row = (job) => html`<${narrow ? Narrow : Wide} job=${job} rows=${stripOf(job.job)} silent=${silent} pace=${order === 'slower' ? slow.get(job.job) : null} />`;
  return html`
    <div class="view-head"><h1>Jobs</h1><p class="muted" role="status">${!index.ready && !index.jobs.length ? '' : order === 'slower' ? `${comparing ? 'Comparing: ' : ''}${count(list.length)} slower than usual, ${count(compared)} of ${plural(filtered.length, 'job')} compared` : filtered.length === index.jobs.length ? plural(index.jobs.length, 'job') : `${count(filtered.length)} of ${plural(index.jobs.length, 'job')}`}</p>
      ${group && !gone ? html`<div class="actions"><${Act} kind="pause" group=${group} /><${Act} kind="resume" group=${group} /></div>` : null}</div>
    <div class="bar" role="search">
      <${Search} label="Search" value=${search} placeholder="part of a name" onChange=${(value) => update({ q: value })} />
      <${Select} label="Group" value=${group} options=${[['', 'all groups'], ...groups.map((name) => [name, clip(name, 40)])]} onChange=${(value) => update({ group: value })} />
      <${Select} label="State" value=${state} options=${STATES} onChange=${(value) => update({ state: value })} />
      <${Select} label="Sort by" value=${order} options=${SORTS} onChange=${(value) => update({ sort: value })} />
      ${minute ? html`<button type="button" onClick=${() => update({ due: null })} title="Whenever they are due">due at <${Time} at=${minute} /> \u00d7</button>` : null}
    </div>
    <${Trouble} of=${[index, poll]} /><${Gaps} of=${[index.missing, gaps]} />
    ${away[0] && html`<p class="gaps">${silence(away)}: the instances there of jobs of each node are not listed, and nobody else runs them.</p>`}
    ${due?.cut ? html`<p class="gaps">More than 1,000 slots are due in that minute: these are the jobs of the first ones.</p>` : null}
    ${order === 'slower' && !comparing && compared < filtered.length ? html`<p class="gaps">Of ${plural(filtered.length - compared, 'job')} too few runs from before are known to compare with${silent ? `: ${silent}` : ''}.</p>` : null}
    ${(!index.jobs.length && !index.ready) || asks ? html`<${Loading} />` : !list.length ? html`<${Empty}>${comparing ? 'The last successes of each job are being compared with those before\u2026' : order === 'slower' ? 'None of those compared takes longer than usual, by half as much again and a second.' : gone && !away[0] ? 'No file defines a job of that group.' : due?.over ? 'That minute has passed.' : index.jobs.length ? 'No job fits these filters.' : 'The files define no job.'}<//>` : html`
    <${Rows} list=${list} height=${narrow ? 102 : 44} row=${row} extra=${(job) => stripOf(job.job)} label="Jobs" rowKey=${(job) => job.job} onSight=${(from, to) => see(list.slice(from, to).map((job) => job.job))}
      onSort=${(key) => update({ sort: key })}
      head=${narrow ? ['Job'] : [['Job', '', !order], ['Last', 'bad', order === 'bad'], 'Last 30 slots', ['Usual time', 'slower', order === 'slower'], ['Next slot', 'next', order === 'next'], 'Schedule']} />`}`;
}

function State({ job, rows }) {
  if (job.away) return html`<span class="tag bad" title=${`${nodeOf(job.job)} does not answer, and nobody else runs it`}>node away</span>`;
  if (job.state === 'paused') return html`<span class="tag warn" title=${job.pauses[0]?.by ? `by ${person(job.pauses[0].by)}` : undefined}>paused</span>`;
  if (job.state === 'halted') return html`<span class="tag bad" title=${job.trouble ? clip(job.trouble, 300) : undefined}>halted</span>`;
  if (!job.leader) return lacksLeader(job.group) ? html`<span class="tag bad">no leader</span>` : html`<span class="tag">no leader known yet</span>`;
  if (job.overdue) return html`<span class="tag bad">overdue</span>`;
  if (job.slow || lastTook(rows) > job.within) return html`<span class="tag warn" title=${job.slow ? 'A run goes on for longer than its expect_within' : 'Its last run took longer than its expect_within'}>over ${duration(job.within) || 'expect_within'}</span>`;
  if (job.state && job.state !== 'active') return html`<span class="tag">${clip(job.state, 40).replace(/_/g, ' ')}</span>`;
  return null;
}

function Next({ job }) {
  const at = useNow(1000), passed = job.next && job.next <= at;
  useEffect(() => { if (passed) refreshJobs(); });
  if (!job.next) return html`<span class="muted">${job.away ? `not while ${clip(nodeOf(job.job), 24)} is away` : job.state === 'paused' ? 'paused' : job.schedule?.length === 0 ? 'by trigger' : 'none known'}</span>`;
  return html`<span class="two"><${Time} at=${job.next} zone=${job.zone} /><span class="muted small">${passed ? 'due now' : html`<${Ago} at=${job.next} />`}</span></span>`;
}

// As the newest cell of the strip beside it, where that is there.
function Last({ job, rows, silent }) {
  const row = rows?.[0];
  return html`<span class="two"><${LastStatus} text=${row ? row.status + (row.reason ? ': ' + row.reason : '') : job.last} silent=${silent} />${row ? html`<a class="small" href=${rowLink(row, job.job)}><${Time} at=${row.slot} zone=${job.zone} /></a>` : null}</span>`;
}

// `pace`: as by which it is sorted.
function Pace({ job, rows, pace }) {
  const found = pace ?? (rows && slowdown(job.job, rows));
  if (!found) return html`<span class="muted">\u2013</span>`;
  return isSlower(found) ? html`<span class="two" title=${paceText(found, job.zone)}><span>${duration(found.usual)}</span><strong class="small warn-text">now ${timesText(found.times)}</strong></span>` : html`${duration(found.usual)}`;
}

const Wide = ({ job, rows, pace, silent }) => html`
  <span role="cell" class="cell-name"><${JobLink} job=${job.job} /> ${job.away ? null : html`<span class="muted small"><${Name} text=${job.group} most=${24} /></span> `}<${State} ...${{ job, rows }} /></span>
  <span role="cell"><${Last} ...${{ job, rows, silent }} /></span>
  <span role="cell"><${Strip} rows=${rows} /></span>
  <span role="cell" class="num"><${Pace} ...${{ job, rows, pace }} /></span>
  <span role="cell"><${Next} job=${job} /></span>
  <span role="cell" class="muted small">${clip(scheduleText(job.schedule), 90)}</span>`;

const Narrow = ({ job, rows, pace, silent }) => html`<span role="cell" class="cell-stack">
  <span class="line"><${JobLink} job=${job.job} /> <${State} ...${{ job, rows }} /></span>
  <span class="line small"><${Last} ...${{ job, rows, silent }} /> <span class="push"><span class="muted">next</span> <${Next} job=${job} /></span></span>
  <span class="line small"><${Strip} rows=${rows} places=${20} /><span class="push"><span class="muted">takes</span> <${Pace} ...${{ job, rows, pace }} /></span></span>
</span>`;
