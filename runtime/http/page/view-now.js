// Now: what needs attention, then what runs, what is due next on which node, who leads, and what people asked for.
import { html, useEffect, useMemo, useRef, update, link } from './html.js';
import { ask, nameList, query, now, daemon, usePoll } from './api.js';
import { Time, Ago, Elapsed, MINUTE, HOUR, DAY, parse, duration, useNow, until } from './time.js';
import { askAttention, failures } from './attention.js';
import { AskedRows, Jobs, DefinitionRow, Paused, definitionRows, requestRows, useDefinitions } from './asked.js';
import { Section, JobLink, NodeName, Name, Gaps, Trouble, Empty, Loading, Choice, Select, More, Copy, Letters, Mark, Prose, Strip, rowLink } from './parts.js';
import { plural, count, clip, silence, isAway, lastHeard, orLater, rowWords, reasonWords, scheduleText, slotsOfJobs, statusWord, CAUSE } from './words.js';
import { useJobIndex, lateOf, zoneOfJob, askDue, nodesOfInstances, noteLeader, lacksLeader, refreshJobs } from './job-index.js';
import { quoted } from './act.js';
import { compare, paceText, timesText } from './lists.js';

const SLOW = 3;  // a run that takes so many times its usual time needs attention
const WINDOWS = { __proto__: null, '6h': 6 * HOUR, '24h': DAY, '7d': 7 * DAY };
const WINDOW_NAMES = [['6h', '6 hours'], ['24h', '24 hours'], ['7d', '7 days']];

const NO_PACE = { usual: Object.create(null), slower: [], vague: [], took: {}, late: {} };
// Why nodes are not well: what several say in the same words is one of these. Of a job file its name is enough, and which finding.
const FINDING = /^config: (?:1 error|(\d+ errors)) in the job files \([^)]*\): (?:the first is )?(?:[^:]*\/)?([^:]*:[\d:]+ )(?:error: )?/;
function whySick(nodes) {
  const found = new Map();
  for (const { node, state, reasons, leads } of nodes) {
    const degraded = state === 'degraded';
    for (const reason of degraded ? reasons : [reasons.join('; ')]) {
      const text = reason.replace(FINDING, (all, many, place) => `${many ? `${many} in the job files (\`ballot check\`), the first` : 'an error in the job files'}: ${place}`), key = degraded ? text : node;
      if (found.has(key)) found.get(key).nodes.push(node);
      else found.set(key, { key, nodes: [node], state, text, leads: degraded ? [] : leads });
    }
  }
  return [...found.values()];
}

const NOTHING = { failing: [], flapping: [], stopped: [], passing: [], missed: [], lost: [], others: [], recovered: [], healed: [] };

async function askOpen(path, abort) {
  const [rows, here] = await Promise.all([
    ask('history' + query({ status: 'running,claimed,queued', limit: 200 }), { signal: abort }),
    ask('runs', { signal: abort }),
  ]);
  const found = new Map();
  // A row of another node may have ended it meanwhile.
  for (const { run_id, job, slot, node, status, started_at, attempt, trigger } of rows.rows) if (/running|claimed|queued/.test(status)) found.set(run_id ?? job + slot, { run_id, job, slot, node, status, started_at, attempt, trigger });
  for (const run of here.runs) {
    if (!found.has(run.run_id)) found.set(run.run_id, { ...run, status: run.state === 'running' || run.state === 'foreign' ? 'running' : run.state === 'waiting' ? 'queued' : 'claimed', started_at: null });
  }
  return { runs: [...found.values()].sort((a, b) => parse(a.started_at ?? a.slot) - parse(b.started_at ?? b.slot)), more: rows.next !== null, missing: rows.missing };
}

let electing = false;  // a group in which this node is a candidate: asked again sooner
async function askGroups(path, abort) {
  const answer = await ask(path, { signal: abort });
  answer.groups.forEach(noteLeader);
  electing = answer.groups.some((group) => !group.leader && group.state !== 'idle' && !lacksLeader(group.group));
  return answer;
}

// Who led groups, with who had led them before: of a run on a node that does not answer others may know, and of which term it was.
async function askElections(path, abort) {
  const { terms, missing, left_out: cut } = await ask(path, { signal: abort }), seen = new Map();
  for (const term of terms) {
    const later = seen.get(term.group);
    if (later) later.before = term;
    seen.set(term.group, Object.assign(term, { newest: !later, until: term.ended_at ?? later?.elected_at ?? '~', away: missing?.length > 0, cut }));
  }
  const vague = [...seen.values()].filter(({ group, epoch }) => missing?.length && epoch > 1 && !group.includes(',')), names = nameList('group', vague.map(({ group }) => group));
  const rows = names ? (await ask(`history?${names}&` + query({ node: missing.map(({ node }) => node).join(','), limit: 200 }).slice(1), { signal: abort })).rows : [];
  for (const term of vague) term.before = rows.find(({ group, epoch }) => group === term.group && epoch === term.epoch - 1);
  return { terms };
}

const causeText = ({ cause }) => (cause ? `: ${CAUSE[cause] ?? cause}` : '');
// Who led before, as far as terms are known. An epoch may be of nobody: of epochs in between only nodes that do not answer can have
// terms, and no term fits into the moment of a hand-over.
function Before({ term: { before, epoch, elected_at, away, cut } }) {
  const first = (before?.epoch ?? 0) + 1, last = epoch - 1;
  if (away && first <= last && (before ? parse(elected_at) - parse(before.ended_at) > MINUTE : !cut)) return `; before it ${first === last ? `epoch ${last}` : `epochs ${first} ${first + 1 === last ? 'and' : 'to'} ${last}`}: of nodes that do not answer`;
  return before && html`; before it <${NodeName} node=${before.node} />${causeText(before)}`;
}

// How long jobs take as a rule, and which take longer now: all jobs, where they are few, else those that ran last.
const FEW = 200, SLOWER = 2;
async function askPace(running, all, abort, told) {
  const names = all.length && all.length <= FEW ? all.map((one) => one.job) : [...new Set((await ask('history' + query({ status: 'succeeded', limit: FEW }), { signal: abort })).rows.map((row) => row.job))];
  const wanted = [...new Set([...running, ...names])], found = await compare(wanted, abort, () => told()), slower = [], vague = [], took = new Map(), late = Object.create(null), usual = Object.create(null);
  for (const job of wanted) {
    const one = found.get(job);
    if (one) took.set(job, one.took), late[job] = one.late;
    if (!one?.usual) {
      vague.push(job);
      continue;
    }
    usual[job] = one.usual;
    if (one.times >= SLOWER && one.recent - one.usual >= 2000) slower.push({ job, ...one, at: 0 });
  }
  return { usual, vague, late, took: Object.fromEntries(took), slower: slower.sort((a, b) => b.times - a.times || (a.job < b.job ? -1 : 1)) };
}

// Of what a node knows that lives and has not answered, as it was known before.
const keyOf = (one) => one.run_id ?? one.request_id ?? [one.job, one.node, one.reason, one.at].join();
const merged = (isGone, ...lists) => (data, before, at) => {
  if (!data.missing.some(({ node }) => !isGone(node) && !before.missing?.some((one) => one.node === node))) return data;
  const fresh = new Map(lists.flatMap((name) => data[name].map((one) => [keyOf(one), one])));
  const both = (name) => {
    const old = before[name].filter((one) => !fresh.has(keyOf(one)) || fresh.get(keyOf(one)).slots < one.slots), keys = new Set(old.map(keyOf));
    return [name, [...old.map((one) => ({ ...one, asOf: at })), ...data[name].filter((one) => !keys.has(keyOf(one)))]];
  };
  return { ...data, ...Object.fromEntries(lists.map(both)) };
};

// Pauses that stand, the oldest first; one of a group once.
function pausesIn(jobs) {
  const found = new Map();
  for (const { job, group, zone, pauses } of jobs) for (const pause of pauses) found.set(pause.of === 'group' ? 'group ' + group : job, pause.of === 'group' ? { pause, group } : { pause, job, zone });
  return [...found.values()].sort((a, b) => parse(a.pause.since) - parse(b.pause.since));
}

export default function Now({ query: shown }) {
  const window = WINDOWS[shown.get('since')] ? shown.get('since') : '24h';
  const index = useJobIndex(1500);
  const status = daemon.use(), nodes = usePoll('nodes', { live: false }), groups = usePoll('groups?limit=1000', { every: electing ? 2000 : 10_000, live: false, keep: true, read: askGroups });
  const keeps = (...lists) => merged((node) => nodes.data?.nodes.find((one) => one.node === node)?.state === 'gone', ...lists);
  const attention = usePoll('attention ' + window, { every: 20_000, hold: 45_000, live: 8000, merge: keeps('failing', 'flapping', 'stopped', 'passing', 'missed', 'lost', 'others', 'recovered', 'healed'), read: (path, abort, part) => askAttention(WINDOWS[window], abort, part) }), found = attention.data, asked = found && !found.partial;
  // What is asked for once the rest is there, as that would wait for its answers.
  const settled = useRef(false);
  settled.current ||= asked || attention.problem;
  const open = usePoll('open', { read: askOpen, hold: 12_000, merge: keeps('runs') });
  const others = nodesOfInstances(nodes.data?.nodes ?? [], status?.node);
  const due = usePoll('due ' + others.join(' '), { every: 15_000, live: 8000, keep: true, read: (path, abort) => askDue({ for_ms: HOUR, limit: 1000 }, others, abort) });
  const at = until(useNow(15_000), open.heard), slots = useSlots(due, open, at);
  const dueJobs = useMemo(() => due.data && dueByJob({ ...due.data, slots }, index.jobs, index.byName), [slots, index]);
  const requests = usePoll('requests?limit=100', { every: 6000, live: 6000, merge: keeps('requests') }), definitions = useDefinitions({ limit: 200 }, settled.current, keeps('definitions'));
  // The stream of events has rows of runs alone: that a job is paused, or not any more, is known by who asked for it.
  const pausing = requests.data?.requests.find(({ kind }) => /pause|resume/.test(kind)), change = pausing && pausing.at + pausing.result;
  useEffect(() => refreshJobs(true), [change]);
  const allGroups = groups.data?.groups ?? [];
  const elections = usePoll(settled.current ? 'terms?limit=500' : null, { every: 30_000, live: false, keep: true, read: askElections });
  const names = useMemo(() => [...new Set((open.data?.runs ?? []).map((run) => run.job))].sort().slice(0, 60), [open.data]);
  const pace = usePoll(index.ready && settled.current ? 'pace' : null, { every: 60_000, live: false, keep: true, read: (path, abort, part) => askPace(names, index.jobs, abort, part) }), compared = pace.data, { usual, slower, vague, took, late } = compared ?? NO_PACE;
  const slow = (open.data?.runs ?? []).map((run) => ({ ...run, usual: usual[run.job], took: run.started_at ? at - parse(run.started_at) : 0 })).filter((run) => run.took > MINUTE && run.took > SLOW * run.usual && run.usual);
  const away = nodes.data && nodes.data.state !== 'starting' ? nodes.data.nodes.filter(isAway).map(lastHeard) : [], sick = whySick((nodes.data?.nodes ?? []).filter((node) => ['degraded', 'not scheduling'].includes(node.state)));
  // Of what goes on there.
  const heardOf = (node) => {
    const one = away.find((it) => it.node === node);
    return one?.last_heard ? { at: Math.min(parse(one.last_heard), open.heard.at) } : open.heard;
  };
  const over = index.jobs.filter((job) => job.overdue || job.slow || late[job.job] || took[job.job] > job.within);
  const paused = useMemo(() => pausesIn(index.jobs), [index]);
  const defined = useMemo(() => new Set(index.jobs.map((job) => job.group)), [index]);
  // Nothing defines it any more, null: not known so far; and of one with jobs, that nobody leads it for longer than an election takes.
  // An instance's, which no other node leads.
  const isOfAway = ({ group }) => away.some(({ node }) => group.endsWith('@' + node));
  const isGone = (group) => !isOfAway(group) && group.state === 'idle' && !group.leader && !group.leaderless && !group.halted && (index.ready ? !defined.has(group.group) : null);
  const isLeaderless = (group) => lacksLeader(group.group) && !isOfAway(group) && (group.leaderless || defined.has(group.group));
  const troubled = allGroups.filter((group) => isLeaderless(group) || group.halted || group.drift?.length);
  const ready = nodes.data && groups.data && asked, to = shown.get('at');
  useEffect(() => { if (ready && to) go(to); }, [Boolean(ready), to]);
  const { hard, soft } = troubles({ all: nodes.data?.nodes.length, away, sick, troubled, slow, slower, over, found: found ?? NOTHING, isLeaderless }), urgent = hard.length + soft.length;
  return html`
    <div class="view-head"><h1>Now</h1>
      <${Choice} label="How far back" value=${window} options=${WINDOW_NAMES} onChange=${(key) => update({ since: key === '24h' ? null : key }, true)} />
    </div>
    <p class=${'verdict ' + (ready ? (hard.length ? 'warn' : 'good') : '')} role="status">${hard.length ? html`<${Mark} status="failed" /><span><strong>Not healthy:</strong> ${hard}${soft.length ? html`; to look at: ${soft}` : ''}${ready ? '.' : ', so far.'}</span>` : !ready ? 'Asking the fleet\u2026' : html`<${Mark} status="succeeded" /><span><strong>Healthy:</strong> each node answers, each group has a leader, and no job fails${soft.length ? html`; to look at: ${soft}` : ''}.</span>`}</p>
    <${Trouble} of=${[nodes, attention, open]} />
    <${Gaps} of=${[found, open.data, definitions.data]} />
    <${Figures} ...${{ status, nodes, groups, open, due, dueJobs, index, isGone }} />
    <${Section} id="attention" title="Attention" aside=${html`${asked && html`<span class="muted">counted at <${Time} at=${attention.heard.at} /></span> `}<a href=${link('failed')}>What failed since yesterday</a> <a href=${link('jobs', null, { sort: 'slower' })}>Jobs slower than usual</a>`}>
      ${ready && !urgent && !found.recovered.length && !found.others.length ? html`<${Empty}>Nothing is missed, failing or stopped; each group has a leader, and each node answers.<//>` : null}
      <${Attention} ...${{ away, sick, troubled, slow, slower, over, took, late, vague, paused, heardOf, found: found ?? NOTHING, window, isLeaderless, silent: silence(found) }} />
      <${Asking} of=${{ nodes: nodes.data, groups: groups.data, 'what failed': asked }} />
      ${compared || pace.problem ? null : html`<p class="muted small">How long jobs take is being compared with what is usual\u2026</p>`}
      <${Letters} />
    <//>
    <div class="columns">
      <div class="stack"><${Running} ...${{ open, heardOf, usual }} /><${Leaders} ...${{ nodes, groups, isGone, isOfAway }} /></div>
      <div class="stack"><${Due} due=${due} all=${dueJobs} node=${shown.get('due')} nodes=${nodes.data?.nodes ?? []} /><${Changes} ...${{ requests, definitions, elections, away, ended: allGroups.filter((group) => isGone(group) || isOfAway(group) || isLeaderless(group)), isGone, defined: index.ready && defined, byName: index.ready && index.byName }} /></div>
    </div>`;
}

// Names of what no answer has come of.
const Asking = ({ of }) => {
  const names = Object.keys(of).filter((name) => !of[name]);
  return names.length ? html`<p class="muted small asking">Being asked for: ${names.join(', ')}\u2026</p>` : null;
};

function Figures({ status, nodes, groups, open, due, dueJobs, index, isGone }) {
  const all = nodes.data?.nodes ?? [], led = groups.data?.groups.filter((group) => isGone(group) !== true);
  const figures = [
    ['Nodes that answer', nodes.data && `${all.filter((node) => !isAway(node)).length} of ${all.length}`],
    ['Groups with a leader', led?.every((group) => isGone(group) !== null) ? `${led.filter((group) => group.leader).length} of ${led.length}${led.some((group) => !group.leader && !lacksLeader(group.group)) ? ' so far' : ''}` : null],
    ['Going on', open.data && count(open.data.runs.length) + (open.data.more ? '+' : '')],
    ['Due within the hour', dueJobs && plural(dueJobs.length, 'job') + (due.data.left_out && !index.ready ? ' or more' : '')],
    ['Jobs', index.ready ? count(index.jobs.length) : null, 'One that runs on each node counts once for each that answers.'],
    ['You ask', status && html`<${NodeName} node=${status.node} />`, status && `${status.backend}, session ${status.session}`],
  ];
  return html`<dl class="figures">${figures.map(([name, value, note]) => html`<div key=${name}><dt>${name}</dt><dd title=${note}>${value ?? '\u2013'}</dd></div>`)}</dl>`;
}

// What is wrong, in words, each a link to where it is: what makes the fleet not healthy, and what has to be looked at beside.
function troubles({ all, away, sick, troubled, slow, slower, over, found, isLeaderless }) {
  const parts = (list) => list.filter(([n]) => n).map(([, to, text], i) => html`${i ? '; ' : ''}<a key=${to + text} href=${link('now', null, { at: to })} onClick=${(event) => { event.preventDefault(); go(to); }}>${text}</a>`);
  const some = (list, to, one, many) => [list.length, to, plural(list.length, one, many)], leaderless = troubled.filter(isLeaderless), halted = troubled.filter((group) => !isLeaderless(group) && group.halted), names = (list) => list.slice(0, 3).join(', ') + (list.length > 3 ? '\u2026' : '');
  const nodes = away.map((one, i) => html`${i ? ', ' : ''}<${NodeName} node=${one.node} />${one.last_heard ? html` since <${Time} at=${one.last_heard} />${orLater(one)}` : ''}`), slots = (list, size) => list.reduce((sum, one) => sum + size(one), 0);
  const missed = slots(found.missed, (one) => one.slots), lost = slots(found.lost, (one) => one.rows.length), ill = [...new Set(sick.flatMap((one) => one.nodes))];
  return {
    hard: parts([
      [away.length, 'at-nodes', html`${away.length} of ${plural(all, 'node')} ${away.length === 1 ? 'does' : 'do'} not answer: ${nodes}`],
      [ill.length, 'at-nodes', `${names(ill)} ${ill.length === 1 ? 'is' : 'are'} not well`],
      [leaderless.length, 'at-groups', `${plural(leaderless.length, 'group has', 'groups have')} no leader: ${names(leaderless.map(({ group }) => clip(group, 30)))}`],
      some(halted, 'at-groups', 'group is halted', 'groups are halted'),
      some(found.failing, 'at-failing', 'job fails', 'jobs fail'), some(found.flapping, 'at-flapping', 'job flaps', 'jobs flap'),
      some(found.stopped, 'at-without-a-success', 'job is without a success', 'jobs are without a success'),
    ]),
    soft: parts([
      [missed, 'at-missed', `${plural(missed, 'slot')} missed`], [lost, 'at-lost', `${plural(lost, 'run')} lost`],
      some(troubled.filter((group) => !isLeaderless(group) && !group.halted), 'at-groups', 'group is defined in two ways', 'groups are defined in two ways'),
      some(found.passing, 'at-passing-over-slots', 'job passes over slots', 'jobs pass over slots'), some(slow, 'at-running-long', 'run goes on long', 'runs go on long'),
      some(slower, 'at-slower-than-usual', 'job is slower than usual', 'jobs are slower than usual'), some(over, 'at-not-as-expected', 'job is not as expected', 'jobs are not as expected'),
    ]),
  };
}
// To a part of this view, which is no entry of the history.
function go(to) {
  const place = document.getElementById(to);
  place?.scrollIntoView({ block: 'center' });
  place?.focus({ preventScroll: true });
}
const Head = ({ title }) => html`<h3 id=${'at-' + title.toLowerCase().replace(/ /g, '-')} tabindex="-1">${title}</h3>`;

const AsOf = ({ at }) => at && html` <span class="silent small">as of <${Time} at=${at} /></span>`;
const Item = ({ status, title, children, strip, action, asOf }) => html`<li class="item"><${Mark} status=${status} /><div class="item-text"><strong>${title}</strong> <span>${children}</span><${AsOf} at=${asOf} /></div>${strip ? html`<${Strip} rows=${strip} places=${15} />` : null}${action ? html`<div class="item-action">${action}</div>` : null}</li>`;

const its = ({ job }, row, text) => row && html`<a href=${rowLink(row, job)}>${text ?? (row.run_id ? 'Last output' : 'Why')}</a>`;
const tooLong = ({ takes, every }) => `it takes ${duration(takes)}, and is due every ${duration(every)}`;
const theirs = ({ job }, last) => html`<a href=${link('timeline', null, { job, status: 'bad', last })}>Show them</a>`;

// Groups of a node in trouble, with the command that has another node lead them.
const Evict = ({ groups }) => html`${groups.slice(0, 3).map((group, i) => html`${i ? ', ' : ''}<${Name} text=${group} most=${40} /> <${Copy} text=${`ballot election evict ${quoted(group)}`} />`)}${groups.length > 3 ? ` and ${groups.length - 3} more` : ''}`;

// Since when, or where nobody who answers knows that, for how long at least; and why.
function Failing({ one, one: { least, silent, unsure, success, newest } }) {
  const slots = plural(Math.max(least, failures.use().get(one.job) ?? 0), 'slot'), why = newest?.reason ? `: ${statusWord(newest.status)}, ${rowWords({ ...newest, exit_code: null, signal: null })}` : '';
  if (least) return unsure ? `for at least ${slots}${why}${silent ? `; its last success is not known, as ${silent}` : ''}` : `not one success on record, in ${slots}${why}`;
  return html`${success ? `not one success ${unsure && silent ? 'known ' : ''}since` : 'since'} <${Time} at=${success ?? one.since} zone=${zoneOfJob(one.job)} />, ${one.more ? 'at least ' : ''}${one.inRow === 1 ? 'once' : one.inRow + ' in a row'}${why}${silent ? `; ${silent}` : ''}`;
}

function Part({ title, list, what = 'job', folded, children }) {
  const item = (one) => {
    const made = children(one);
    made.props.asOf = one.asOf;
    return made;
  };
  if (!list.length) return null;
  const items = html`<ul class="items"><${More} list=${list} what=${what}>${item}<//></ul>`;
  return folded ? html`<details><summary>${plural(list.length, folded)} ${title}</summary>${items}</details>` : html`<${Head} title=${title} />${items}`;
}

function Attention({ away, sick, troubled, slow, slower, over, took, late, vague, paused, heardOf, found, window, isLeaderless, silent }) {
  const ranThere = (node, last) => html`<a href=${link('timeline', null, { node, last })}>What ran there</a>`;
  return html`<div class="attention">
    ${away.length + sick.length ? html`<${Head} title="Nodes" /><ul class="items">
      ${away.map((node) => html`<${Item} key=${node.node} status="lost" title=${html`<${NodeName} node=${node.node} />`} action=${ranThere(node.node, window)}>does not answer (${node.state})${node.last_heard ? html`, last heard <${Ago} at=${node.last_heard} />${orLater(node)}` : ''}${node.leads.length ? html`; leads <${Evict} groups=${node.leads} /> until its session is over` : ''}<//>`)}
      ${sick.map(({ key, nodes, state, text, leads }) => html`<${Item} key=${key} status="missed" title=${nodes.map((node, i) => html`${i ? ', ' : ''}<${NodeName} node=${node} />`)} action=${nodes[1] ? null : ranThere(nodes[0], window)}>${nodes[1] ? 'are' : 'is'} ${state}: <${Prose} text=${clip(text, 400)} />${leads.length ? html`; leads <${Evict} groups=${leads} />` : ''}<//>`)}
    </ul>` : null}
    <${Part} title="Groups" list=${troubled} what="group">${(group) => html`<${Item} key=${group.group} status=${isLeaderless(group) || group.halted ? 'failed' : 'missed'} title=${html`<${Name} text=${group.group} />`} action=${html`<a href=${link('jobs', null, { group: group.group })}>Its jobs</a>`}>
      ${isLeaderless(group) ? 'has no leader: none of its jobs runs' : group.halted ? html`is halted: ${clip(group.halted, 200)} <${Copy} text=${`ballot repair --group ${quoted(group.group)}`} />` : `is defined otherwise on ${clip(group.drift.join(', '), 100)}: no voluntary hand-over across that`}<//>`}<//>
    <${Part} title="Failing" list=${found.failing}>${(one) => html`<${Item} key=${one.job} status=${one.newest?.status} strip=${one.strip} title=${html`<${JobLink} job=${one.job} />`} action=${its(one, one.newest)}><${Failing} one=${one} /><//>`}<//>
    <${Part} title="Flapping" list=${found.flapping}>${(one) => html`<${Item} key=${one.job} status=${one.bad[0].status} strip=${one.strip} title=${html`<${JobLink} job=${one.job} />`} action=${its(one, one.bad[0])}>${one.bad.every(({ status }) => status === 'missed') ? `misses slots again and again: ${one.bad.length} of its last ${one.count}` : `fails and recovers again and again: ${one.bad.length} of its last ${one.count} slots failed`}, last <${Ago} at=${one.bad[0].slot} />${one.bad[0].status === 'missed' && one.takes > one.every && `; ${tooLong(one)}`}<//>`}<//>
    <${Part} title="Without a success" list=${found.stopped}>${(one) => html`<${Item} key=${one.job} status="skipped" strip=${one.strip} title=${html`<${JobLink} job=${one.job} />`} action=${its(one, one.newest)}>not one success in its last ${plural(one.count, 'slot')}: ${reasonWords(one.newest?.reason ?? 'overlap')}<//>`}<//>
    <${Part} title="Passing over slots" list=${found.passing}>${(one) => html`<${Item} key=${one.job} status="skipped" strip=${one.strip} title=${html`<${JobLink} job=${one.job} />`} action=${its(one, one.strip.find(({ status }) => status === 'skipped'))}>skips ${one.passes} of its last ${plural(one.count, 'slot')}: ${one.passed === 'overlap' && one.takes > one.every ? tooLong(one) : reasonWords(one.passed)}<//>`}<//>
    <${Part} title="Running long" list=${slow} what="run">${(run) => html`<${Item} key=${run.run_id} status="running" title=${html`<${JobLink} job=${run.job} />`} action=${html`<a href=${link('run', run.run_id)}>Its output</a>`}>has run for <${Elapsed} since=${run.started_at} heard=${heardOf(run.node)} />, ${Math.round(run.took / run.usual)}\u00d7 its usual ${duration(run.usual)}, on <${NodeName} node=${run.node} /><//>`}<//>
    <${Part} title="Slower than usual" list=${slower}>${(one) => html`<${Item} key=${one.job} status="running" title=${html`<${JobLink} job=${one.job} />`}>${paceText(one, zoneOfJob(one.job))}<//>`}<//>
    <${Part} title="Not as expected" list=${over}>${({ job, overdue, slow, within, zone }) => {
    const long = slow ? 'a run goes on for longer' : took[job] > within && `its last run took ${duration(took[job])}`;
    return html`<${Item} key=${job} status=${overdue ? 'missed' : 'running'} title=${html`<${JobLink} job=${job} />`} action=${its({ job }, late[job], 'Late run')}>${late[job] && html`began ${duration(lateOf(late[job]))} after its slot <${Time} at=${late[job].slot} zone=${zone} />${(overdue || long) && '; '}`}${overdue && html`overdue: no run has succeeded in time, since <${Time} at=${overdue} zone=${zone} />${long && '; '}`}${long && `${long}: ${within ? `expected within ${duration(within)}` : 'than its file expects'}`}<//>`;
  }}<//>
    ${silent && vague.length ? html`<p class="muted small">Not compared with what is usual: ${vague.slice(0, 3).map((job, i) => html`${i ? ', ' : ''}<${Name} text=${job} most=${40} />`)}${vague.length > 3 ? ` and ${count(vague.length - 3)} more` : ''}, of which too few runs are known here: ${silent}.</p>` : null}
    <${Part} title="Missed" list=${found.missed} what="reason">${(one) => html`<${Item} key=${one.reason} status="missed" title=${slotsOfJobs(one.slots, one.jobCount)} action=${html`<a href=${link('timeline', null, { last: window, status: 'missed', reason: one.reason })}>Show them</a>`}>
      ${reasonWords(one.reason)} (<code>${one.reason}</code>): ${one.jobs.slice(0, 3).map(([job, slots], i) => html`${i ? ', ' : ''}<${JobLink} job=${job} />${slots > 1 ? ` (${slots})` : ''}`)}${one.jobCount > 3 ? ` and ${count(one.jobCount - 3)} more` : ''}<//>`}<//>
    <${Part} title="Lost" list=${found.lost} what="node">${(one) => html`<${Item} key=${one.node + one.reason} status="lost" title=${html`${plural(one.rows.length, 'run')} on <${NodeName} node=${one.node} />`} action=${html`<a href=${link('timeline', null, { last: window, status: 'lost', node: one.node })}>Show them</a>`}>
      ${reasonWords(one.reason)}: ${one.rows.slice(0, 3).map((row, i) => html`${i ? ', ' : ''}<${JobLink} job=${row.job} />`)}${one.rows.length > 3 ? ` and ${one.rows.length - 3} more` : ''}<//>`}<//>
    <${Part} title="Paused" list=${paused} what="pause">${({ pause, group, job, zone }) => html`<${Item} key=${pause.of + group + job} status="skipped" title=${group ? html`<a href=${link('jobs', null, { group })}>group <${Name} text=${group} /></a>` : html`<${JobLink} job=${job} />`}><${Paused} pause=${pause} zone=${zone} /><//>`}<//>
    <${Part} folded="other job" title="had failures" list=${found.others}>${(one) => html`<${Item} key=${one.job} status="failed" title=${html`<${JobLink} job=${one.job} />`} action=${theirs(one, window)}>${plural(one.failed, 'slot')}<//>`}<//>
    <${Part} folded="job" title=${`failed, and ${found.recovered.length === 1 ? 'has' : 'have'} recovered`} list=${found.recovered}>${(one) => html`<${Item} key=${one.job} status="succeeded" strip=${one.strip} title=${html`<${JobLink} job=${one.job} />`} action=${its(one, one.bad[0], 'Last failure') ?? theirs(one, window)}>${plural(one.failed, 'bad slot')}${one.bad[0] && html`, last <${Time} at=${one.bad[0].slot_until ?? one.bad[0].slot} zone=${zoneOfJob(one.job)} />`}<//>`}<//>
    <${Part} folded="job" title="recovered by retry" list=${found.healed}>${(one) => html`<${Item} key=${one.job} status="succeeded" title=${html`<${JobLink} job=${one.job} />`} action=${theirs(one, window)}>${plural(one.retried, 'attempt')} failed, and no slot<//>`}<//>
  </div>`;
}

function Slower({ run, usual, heard }) {
  const at = until(useNow(5000), heard);
  if (!usual || !run.started_at) return usual ? html`<span class="muted">usually ${duration(usual)}</span>` : null;
  const times = (at - parse(run.started_at)) / usual;
  return times >= 1.5 ? html`<strong class="warn-text">${timesText(times)} its usual ${duration(usual)}</strong>` : html`<span class="muted">usually ${duration(usual)}</span>`;
}

function Running({ open, heardOf, usual }) {
  const runs = open.data?.runs ?? [];
  return html`<${Section} id="running" title="Running">
    ${!open.data ? html`<${Loading} />` : !runs.length ? html`<${Empty}>${silence(open.data) ? `No run is known to go on; ${silence(open.data)}.` : 'No run goes on.'}<//>` : html`<ul class="rows">
      <${More} list=${runs} first=${8} step=${40} most=${200} what="run">${(run) => html`<li key=${run.run_id ?? run.job + run.slot} class="row run">
        <${Mark} status=${run.status} /><span class="row-main"><${JobLink} job=${run.job} /> <span class="muted">on <${NodeName} node=${run.node} />${run.attempt > 1 ? `, attempt ${run.attempt}` : ''}${run.status === 'running' ? '' : ', ' + run.status}</span></span>
        <span class="row-note">${run.started_at ? html`<${Elapsed} since=${run.started_at} heard=${heardOf(run.node)} />` : html`<${Ago} at=${run.slot} />`}<${AsOf} at=${run.asOf} /> <${Slower} run=${run} usual=${usual[run.job]} heard=${heardOf(run.node)} /></span>
        ${run.run_id ? html`<a class="small" href=${link('run', run.run_id)} aria-label=${`Output of ${clip(run.job, 40)}`}>output</a>` : null}
      </li>`}<//></ul>`}
  <//>`;
}

// Slots to come, and those that were due a moment ago until what runs is known as of after them: no slot is in no row.
const CLAIMED = 2000;
function useSlots(due, open, at) {
  const known = useRef([]);
  return useMemo(() => {
    const fresh = due.data?.slots ?? [], keys = new Set([...fresh, ...(open.data?.runs ?? [])].map((one) => one.job + one.slot));
    known.current = [...known.current.filter((one) => parse(one.slot) <= due.heard.at && parse(one.slot) > open.heard.at - CLAIMED && !keys.has(one.job + one.slot)), ...fresh];
    return known.current;
  }, [due.data, open.data, at]);
}

// By job: how often, when next, and where. Of jobs that come after all slots
// that are listed the list of jobs has the next one; one that is due at a pace goes on so.
const OFTEN = 5 * MINUTE, SOON = 10 * MINUTE, EACH = /^every (?:(\d+) )?(second|minute)s?$/;
function dueByJob({ slots, left_out }, jobs, byName) {
  const found = new Map(), end = now() + HOUR;
  for (const one of slots) {
    const at = parse(one.slot), known = found.get(one.job);
    if (!known) found.set(one.job, { ...one, at, last: at, slots: 1 });
    else {
      if (++known.slots === 2) known.step = at - known.last;
      else if (known.step !== at - known.last) known.step = 0;
      known.last = at;
    }
  }
  if (left_out) for (const one of jobs) if (one.next > now() && one.next < end && one.state !== 'paused' && !found.has(one.job)) found.set(one.job, { job: one.job, group: one.group, at: one.next, last: one.next, node: one.leader, slots: 1 });
  for (const one of found.values()) {
    // Of one that is listed once its schedule may say how often it comes.
    const each = left_out && one.slots < 2 && EACH.exec(scheduleText(byName.get(one.job)?.schedule));
    if (each) one.step = (each[1] ?? 1) * (each[2] === 'second' ? 1000 : MINUTE);
    if (left_out && one.step) {
      const more = Math.max(0, Math.floor((end - one.last) / one.step));
      one.slots += more, one.last += more * one.step;
    }
    one.atLeast = left_out && !one.step;
    one.often = one.step < OFTEN && one.slots > 2;
  }
  return [...found.values()].sort((a, b) => a.at - b.at || (a.job < b.job ? -1 : 1));
}
function OftenText({ job, slots, step, last, often, atLeast }) {
  if (slots < 2) return '';
  if (atLeast) return `${slots} times or more`;
  return html`${often ? `every ${duration(step).replace('.0', '')}, ` : ''}${count(slots)} times until <${Time} at=${last} zone=${zoneOfJob(job)} />`;
}

function Due({ due, all, node, nodes }) {
  const found = all?.filter((one) => !node || one.node === node), often = found?.filter((one) => one.often) ?? [], rest = found?.filter((one) => !one.often), soon = rest?.filter((one) => one.at < now() + SOON).length;
  const row = (one) => html`<li key=${one.job} class="row">
    <span class="row-time"><${Time} at=${one.at} zone=${zoneOfJob(one.job)} /></span>
    <span class="row-main"><${JobLink} job=${one.job} /> <span class="muted small">${one.at <= now() ? html`due now${one.slots > 1 && ', '}` : ''}<${OftenText} ...${one} /></span></span>
    <span class="row-note">${one.node ? html`<${NodeName} node=${one.node} />${away.has(one.node) ? html` <strong class="warn-text">does not answer</strong>` : ''}` : lacksLeader(one.group) ? html`<strong class="warn-text">no leader</strong>` : html`<span class="muted">not known yet</span>`}</span></li>`;
  const away = new Set(nodes.filter(isAway).map((one) => one.node));
  const options = [['', 'all nodes'], ...nodes.map((one) => [one.node, clip(one.node, 30)])];
  return html`<${Section} id="due" title="Due in the next hour" aside=${html`<${Select} label="On" value=${node ?? ''} options=${options} onChange=${(value) => update({ due: value || null })} />`}>
    ${!found ? html`<${Loading} />` : !found.length ? html`<${Empty}>Nothing is ${due.data.unknown?.length || due.data.states_are_known === false ? 'known to be ' : ''}due within the hour${node ? ' on that node' : ''}.<//>` : html`${rest.length ? html`<ul class="rows"><${More} list=${rest} first=${Math.max(12, Math.min(soon, 40))} step=${40} most=${200} what="job">${row}<//></ul>` : null}
      ${often.length ? html`<details open=${!rest.length}><summary>${plural(often.length, 'job is', 'jobs are')} due more often than every 5 min, the next one <${Ago} at=${often[0].at} period=${1000} passed="now" /></summary><ul class="rows"><${More} list=${often} first=${20} step=${40} most=${200} what="job">${row}<//></ul></details>` : null}
      ${due.data.unknown?.length ? html`<p class="muted small">Of ${plural(due.data.unknown.length, 'job')} only the leader knows the next slot.</p>` : null}`}
  <//>`;
}

function Leaders({ nodes, groups, isGone, isOfAway }) {
  const led = new Map((groups.data?.groups ?? []).map((group) => [group.group, group]));
  const none = [...led.values()].filter((group) => !group.leader), lacking = none.filter((group) => isGone(group) === false && !isOfAway(group));
  const parts = [['failed', 'no leader', lacking.filter(({ group }) => lacksLeader(group))], ['planned', 'no leader known yet', lacking.filter(({ group }) => !lacksLeader(group))], ['lost', 'led by nobody: only its own node does, which does not answer', none.filter(isOfAway)], ['planned', 'no longer defined', none.filter(isGone)]];
  return html`<${Section} id="leaders" title="Nodes and leaders">
    ${!nodes.data ? html`<${Loading} />` : html`<ul class="rows"><${More} list=${nodes.data.nodes} first=${12} what="node">${(node) => {
    // The groups are those of this node's files; what others lead beside them they say.
    const leads = [...new Set([...[...led.values()].filter((group) => group.leader === node.node).map((group) => group.group), ...node.leads.filter((group) => !led.get(group)?.leader)])].map((group) => led.get(group) ?? { group });
    return html`<li key=${node.node} class="row tall"><${Mark} status=${isAway(node) ? 'lost' : node.state === 'degraded' ? 'missed' : 'succeeded'} />
      <span class="row-main"><a href=${link('timeline', null, { node: node.node, last: '24h' })}><${NodeName} node=${node.node} /></a> <span class="muted">${node.state === 'healthy' ? 'up' : node.state}${node.version ? `, ${clip(node.version, 20)}` : ''}${node.host && node.host !== node.node ? `, ${clip(node.host, 40)}` : ''}</span>
      <span class="chips">${leads.slice(0, 12).map((group) => html`<a key=${group.group} class="chip" href=${link('jobs', null, { group: group.group })}><${Name} text=${group.group} most=${24} />${group.epoch ? html` <span class="muted">epoch ${group.epoch}</span>` : ''}</a>`)}${leads.length > 12 ? html`<span class="muted">and ${leads.length - 12} more</span>` : leads.length ? null : html`<span class="muted">${!groups.data ? '' : ['silent', 'unknown', 'starting'].includes(node.state) ? 'what it leads is not known' : 'leads nothing'}</span>`}</span></span></li>`;
  }}<//>
    ${parts.map(([status, text, some]) => some.length ? html`<li key=${text} class="row tall"><${Mark} status=${status} /><span class="row-main">${text} <span class="chips">${some.slice(0, 12).map((group) => html`<a key=${group.group} class="chip" href=${link('jobs', null, { group: group.group })}><${Name} text=${group.group} most=${24} /></a>`)}</span></span></li>` : null)}</ul>`}
  <//>`;
}

const Change = ({ at, children }) => html`<li class="row tall"><span class="row-time"><${Time} at=${at} /></span><span class="row-main">${children}</span></li>`;

// Groups that one node took over from another in one minute are one row.
function takeovers(terms) {
  const found = new Map();
  for (const term of terms) {
    const key = [term.node, `${term.elected_at}`.slice(0, 16), term.epoch - (term.before?.epoch ?? 0), term.before?.node, term.before?.cause].join();
    found.set(key, [...(found.get(key) ?? []), term]);
  }
  return [...found.values()];
}

function Changes({ requests, definitions, elections, away, ended, isGone, defined, byName }) {
  const since = now() - 7 * DAY, terms = elections.data?.terms ?? [], known = ({ data, problem }) => data || problem;
  // Of groups whose last job is removed.
  const retired = defined ? [...new Map((definitions.data?.definitions ?? []).filter(({ change, group }) => change === 'removed' && group && !defined.has(group) && !ended.some((one) => one.group === group)).reverse().map((one) => [one.group, one])).values()] : [];
  const groupLink = (group) => html`<a href=${link('jobs', null, { group })}><${Name} text=${group} /></a>`;
  const change = (key, at, text) => ({ at: parse(at), row: html`<${Change} key=${key} at=${at}>${text}<//>` });
  // Removed jobs whose removal nobody who answers has on record.
  const newest = new Map([...(definitions.data?.definitions ?? [])].reverse().map((one) => [one.job, one]));
  const removed = byName && away.length ? [...newest.values()].filter(({ job, change, at }) => change !== 'removed' && at < away[0].last_heard && !byName.has(job) && !job.includes('@')).map(({ job }) => job) : [];
  // Times in which no term was, as far as terms are known; of a list that is cut older ones lack.
  const outages = [];
  let end = '';
  for (const { elected_at, until, cut } of [...terms].reverse()) {
    if (end && !cut && parse(elected_at) - parse(end) > MINUTE) outages.push(change('o' + end, end, html`no node is known to have led any group <span class="muted">until <${Time} at=${elected_at} /></span>`));
    if (until > end) end = until;
  }
  const all = [
    ...outages,
    ...requestRows(requests.data).map((some) => ({ at: parse(some[0].at), row: html`<${AskedRows} key=${'r' + (some[0].request_id ?? some[0].at + some[0].kind + some[0].job)} all=${some} />` })),
    ...takeovers(terms).map((some) => change('t' + some[0].group + some[0].epoch, some[0].elected_at, html`<${NodeName} node=${some[0].node} /> leads ${some.slice(0, 3).map(({ group }, i) => html`${i ? ', ' : ''}${groupLink(group)}`)}${some[3] ? ` and ${some.length - 3} more` : ''} <span class="muted">epoch ${[...new Set(some.map(({ epoch }) => epoch))].slice(0, 3).join(', ')}<${Before} term=${some[0]} /></span>`)),
    ...retired.map(({ group, at }) => change('x' + group, at, html`group ${groupLink(group)} is no longer defined`)),
    ...terms.filter((term) => term.newest && term.ended_at).flatMap((term) => ended.filter(({ group }) => group === term.group).map((group) => change('g' + group.group, term.ended_at, html`${isGone(group) ? 'group' : 'no node leads'} ${groupLink(group.group)} ${isGone(group) ? 'is no longer defined' : 'any more'} <span class="muted"><${NodeName} node=${term.node} /> led it last, epoch ${term.epoch}${causeText(term)}</span>`))),
    ...(removed.length ? [change('v', away[0].last_heard, html`<${Jobs} jobs=${removed} what=${`${removed[1] ? 'are' : 'is'} no longer defined`} /> <span class="muted">since when <${NodeName} node=${away[0].node} /> may know, which does not answer</span>`)] : []),
    ...away.map((node) => change('n' + node.node, node.last_heard, html`<${NodeName} node=${node.node} /> ${node.state === 'gone' ? 'died or was stopped' : 'was heard of last'}${orLater(node) && ' then or later'} <span class="muted">it does not answer (${node.state})</span>`)),
    ...definitionRows(definitions.data).map((some) => ({ at: parse(some[0].at), row: html`<${DefinitionRow} key=${'d' + some[0].at + some[0].job + some[0].digest} all=${some} />` })),
  ].filter((one) => one.at > since).sort((a, b) => b.at - a.at);
  return html`<${Section} id="asked" title="What changed lately">
    <${Asking} of=${{ requests: known(requests), leaders: known(elections), definitions: known(definitions) }} />
    ${!all.length ? known(requests) && known(elections) && known(definitions) && html`<${Empty}>${silence(requests.data, definitions.data) ? `Nothing is known of seven days: ${silence(requests.data, definitions.data)}.` : 'In seven days nobody asked for anything, and no leader, node or definition changed.'}<//>` : html`<ul class="rows"><${More} list=${all} first=${12} step=${30} what="change">${({ row }) => row}<//></ul>`}
    ${definitions.problem && !definitions.data ? html`<p class="muted small">How definitions changed is not known: ${clip(definitions.problem.message, 200)}</p>` : null}
  <//>`;
}
