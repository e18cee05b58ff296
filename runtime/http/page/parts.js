// Small parts that all views are made of; and how a status looks: a shape with a letter in it, the word beside it, and strips
// of many of them.
import { html, useState, useEffect, useRef, link } from './html.js';
import { clip, lastHeard, orLater, plural, count, statusOf, statusWord, STATUS } from './words.js';
import { Time, Ago, useNow, SILENT, duration } from './time.js';
import { zoneOfJob } from './job-index.js';

export const Name = ({ text, most = 80 }) => html`<bdi class="name" title=${text.length > 30 ? clip(text, 400) : undefined}>${clip(text, most)}</bdi>`;
export const JobLink = ({ job, query }) => html`<a class="job" href=${link('job', job, query)}><${Name} text=${job} /></a>`;
export const RunLink = ({ id }) => (id ? html`<a class="code" href=${link('run', id)} title=${id}>${id.slice(-12)}</a>` : html`<span class="muted" title="The slot never ran.">no run</span>`);
// Of a row: its run, with what it printed; or why there is none, among the job's slots.
export const rowLink = (row, job = row.job) => (row.run_id ? link('run', row.run_id) : link('job', job, { slot: row.slot }));
export const NodeName = ({ node }) => (node ? html`<bdi class=${node.length > 24 ? 'node' : 'node short'} title=${node.length > 24 ? node : undefined}>${clip(node, 40)}</bdi>` : html`<span class="muted">\u2013</span>`);

// What is not all there: nodes that did not answer, how old an answer is, why the fleet's history did not answer.
export function Gaps({ of }) {
  const missing = new Map(), notes = [];
  for (const answer of of) {
    for (const one of answer?.missing ?? []) missing.set(one.node, lastHeard(one));
    if (answer?.history_failure) notes.push(html`The fleet's history does not answer (${clip(answer.history_failure)}), so the nodes were asked.`);
    if (answer?.as_of) notes.push(html`As of <${Time} at=${answer.as_of} />, from the fleet's history.`);
  }
  if (!missing.size && !notes.length) return null;
  return html`<div class="gaps">
    ${missing.size ? html`<p class="gap"><span class="mark warn point" aria-hidden="true">!</span> ${[...missing.values()].slice(0, 6).map((one, i) => html`${i ? ', ' : ''}<strong><${NodeName} node=${one.node} /></strong>${one.last_heard ? html` (heard <${Ago} at=${one.last_heard} />${orLater(one)})` : ''}`)} ${missing.size === 1 ? 'does' : 'do'} not answer. What ran there is missing here, with its output and times; so is what people asked for there.</p>` : null}
    ${notes.slice(0, 2).map((note) => html`<p>${note}</p>`)}
  </div>`;
}

// A request that failed, or is not answered: what is shown may be old. Where something is shown, one failure is not worth a word.
export function Trouble({ of }) {
  const at = useNow(5000), age = (one) => (one.heard?.at && one.data ? at - one.heard.at : Infinity);
  const found = of.find((one) => one && (one.problem ? one.problem.status !== 401 && age(one) > SILENT : one.data && age(one) > 2 * one.heard?.every + SILENT));
  if (!found) return null;
  return html`<p class="trouble" role="status"><span class="mark bad square" aria-hidden="true">!</span> ${clip(found.problem?.message ?? 'The daemon does not answer.', 300)}${age(found) < Infinity ? html` What is shown is of <${Ago} at=${found.heard.at} />.` : ''}</p>`;
}

// The daemon's sentences: what they have between backticks is code, an instant and a duration are written as all others here, and
// runs and jobs are links.
const UNITS = { d: 864e5, h: 36e5, m: 6e4, s: 1e3, ms: 1 };
const WORDS = /(`[^`]+`|(?<![\w-])(?:\d+[dhms])*\d+m?s\b|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|\brun (?:[\da-f-]{24})?[\da-f]{12}\b|\bjob [\w@-]+(?:\.[\w@-]+)*)/;
export const Prose = ({ text, zone }) => text.split(WORDS).map((part, i) => {
  const name = part.slice(4);
  if (i % 2 === 0) return part;
  if (part[0] === '`') return html`<code>${part.slice(1, -1)}</code>`;
  if (part[0] === 'r') return html`run <${RunLink} id=${name} />`;
  if (part[0] === 'j') return zoneOfJob(name) ? html`job <${JobLink} job=${name} />` : part;
  if (part.endsWith('s')) return duration([...part.matchAll(/(\d+)(\D+)/g)].reduce((sum, [, n, unit]) => sum + n * UNITS[unit], 0));
  return html`<${Time} at=${part} zone=${zone} />`;
});

export const Empty = ({ children }) => html`<p class="empty">${children}</p>`;
export const Loading = () => html`<p class="empty" aria-hidden="true">\u2026</p>`;

export function Section({ title, aside, children, id, tone }) {
  return html`<section class=${'card ' + (tone ?? '')} aria-labelledby=${id}>
    <header class="card-head"><h2 id=${id}>${title}</h2>${aside ? html`<div class="aside">${aside}</div>` : null}</header>
    ${children}
  </section>`;
}

export function Copy({ text, label }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setDone(true);
      setTimeout(() => setDone(false), 2000);
    } catch {
      setDone(false);
    }
  };
  return html`<span class="copy"><code>${clip(label ?? text, 200)}</code><button type="button" class="quiet small" onClick=${copy} aria-label=${`Copy ${clip(text, 60)}`}>${done ? 'copied' : 'copy'}</button></span>`;
}

export function Select({ label, value, options, onChange }) {
  return html`<label class="field"><span>${label}</span><select value=${value} onChange=${(event) => onChange(event.currentTarget.value)}>
    ${options.map(([key, text]) => html`<option key=${key} value=${key} selected=${key === value}>${text}</option>`)}
  </select></label>`;
}

// Buttons of which one holds.
export function Choice({ label, value, options, onChange }) {
  return html`<div class="choice" role="group" aria-label=${label}>
    ${options.map(([key, text]) => html`<button key=${key} type="button" aria-pressed=${String(key === value)} onClick=${() => onChange(key)}>${text}</button>`)}
  </div>`;
}

// A text field whose value goes into the URL a moment after the last letter; `whole`: when it is left, or by Enter.
export function Search({ label, value, onChange, placeholder, whole }) {
  const [text, setText] = useState(value), timer = useRef(0), own = useRef(value);
  useEffect(() => {
    if (value !== own.current) {
      own.current = value;
      setText(value);
    }
  }, [value]);
  const typed = (event) => {
    const next = event.currentTarget.value;
    setText(next);
    clearTimeout(timer.current);
    if (!whole) timer.current = setTimeout(() => done(next), 120);
  };
  const done = (next) => {
    own.current = next;
    onChange(next);
  };
  return html`<label class="field grow"><span>${label}</span><input type="search" value=${text} onInput=${typed} onChange=${whole ? (event) => done(event.currentTarget.value) : undefined} placeholder=${placeholder} spellcheck="false" autocomplete="off" /></label>`;
}

// At most so many of a list, and a button for the next ones.
export function More({ list, first = 8, step = 50, most = 400, what, children }) {
  const [more, setMore] = useState(0), shown = Math.max(first, more);
  const rest = list.length - Math.min(shown, list.length);
  return html`${list.slice(0, shown).map(children)}
    ${rest > 0 && shown < most ? html`<li class="more"><button type="button" class="quiet" onClick=${() => setMore(Math.min(shown + step, most))}>${count(Math.min(rest, step))} more of ${plural(list.length, what)}</button></li>` : null}
    ${rest > 0 && shown >= most ? html`<li class="more muted">and ${plural(rest, 'other')}</li>` : null}`;
}

export const Mark = ({ status }) => {
  const { letter, tone, shape } = statusOf(status);
  return html`<span class=${`mark ${tone} ${shape}`} aria-hidden="true">${letter}</span>`;
};

export const Status = ({ status, reason }) => html`<span class="status"><${Mark} status=${status} /><span>${statusWord(status)}${reason ? html`<span class="muted">: ${reason.replace(/_/g, ' ')}</span>` : null}</span></span>`;

// What each letter means.
export const Letters = () => html`<details class="letters"><summary>What the letters mean</summary><p class="chips">${Object.keys(STATUS).map((status) => html`<${Status} key=${status} status=${status} />`)}</p>
  <p class="muted">Of a node L says that it does not answer, M that it is not well; of a group F that nobody leads it or that it is halted, M that it is defined in two ways.</p></details>`;

// "failed: exit_code", as a job's last status is told; `silent`: see silence()
export const LastStatus = ({ text, silent }) => {
  if (!text) return html`<span class="muted" title=${silent ?? undefined}>${silent ? 'no run known' : 'never ran'}</span>`;
  const [status, reason] = text.split(': ');
  return html`<${Status} status=${status} reason=${reason} />`;
};

const CELL = 6, GAP = 2, TALL = 18;
// The cell of one outcome: what is bad is tall, what did not run is hollow or a line.
function cell(status, x) {
  const box = (top, high) => `M${x} ${top}h${CELL}v${high}h-${CELL}z`;
  const frame = (top, high) => box(top, high) + `M${x + 1.5} ${top + 1.5}v${high - 3}h${CELL - 3}v-${high - 3}z`;
  switch (status) {
    case 'succeeded': return box(10, 8);
    case 'failed': return box(0, TALL);
    case 'timed_out': return box(0, 8) + box(10, 8);
    case 'killed': return box(5, 13);
    case 'lost': return frame(0, TALL);
    case 'missed': return `M${x} 2h${CELL}l-${CELL / 2} 8z` + box(16, 2);
    case 'running': return box(6, 12);
    default: return box(16, 2);
  }
}

// Outcomes of the last slots, the newest at the right: one drawing of a few paths.
export function Strip({ rows, places = 30 }) {
  if (!rows) return html`<span class="strip-space" />`;
  const paths = {}, sums = {};
  const shown = rows.slice(0, places);
  shown.forEach((row, index) => {
    const { tone } = statusOf(row.status);
    paths[tone] = (paths[tone] ?? '') + cell(row.status, (places - 1 - index) * (CELL + GAP));
    const word = statusWord(row.status) + (row.status === 'succeeded' && row.attempt > 1 ? ' by retry' : '');
    sums[word] = (sums[word] ?? 0) + 1;
  });
  const label = shown.length ? `last ${plural(shown.length, 'slot')}: ` + Object.entries(sums).map(([word, n]) => `${n} ${word}`).join(', ') + `; the newest ${statusWord(shown[0].status)}` : 'no slot known';
  const wide = places * (CELL + GAP) - GAP;
  return html`<svg class="strip" role="img" aria-label=${label} viewBox=${`0 0 ${wide} ${TALL}`} width=${wide} height=${TALL}>
    <title>${label}</title>
    ${Object.entries(paths).map(([tone, d]) => html`<path key=${tone} class=${'fill-' + tone} d=${d} fill-rule="evenodd" />`)}
  </svg>`;
}
