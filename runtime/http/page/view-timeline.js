// Timeline: nodes by time. Runs are bars, what was missed or skipped are marks, terms are bands, planned slots are lines.
// It is panned and zoomed by pointer, wheel and keys; below it the same rows are a list.
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState, link, update } from './html.js';
import { ask, query as params, now, daemon, usePoll } from './api.js';
import { Time, MINUTE, HOUR, DAY, parse, duration, written, fields, zoneOf, zoneChoice, useNow } from './time.js';
import { useHistory, layOut, sumRows, find, ticks, clockChange, bandTop, BARS_AT_MOST, BAND_HIGH, LANES_AT_MOST, COLUMN_WIDE } from './timeline-rows.js';
import { Section, JobLink, Name, NodeName, Gaps, Trouble, Empty, Loading, Select, Choice, Search, Status, More, RunLink, rowLink } from './parts.js';
import { Rows, useNarrow } from './lists.js';
import { BAD, STATUS, isAway, lastHeard, orLater, rowWords, statusWord, untilWords, silence, CAUSE, plural, count, clip } from './words.js';
import { zoneOfJob, useJobIndex, askDue, nodesOfInstances } from './job-index.js';

const LAST = { __proto__: null, '15m': 15 * MINUTE, '1h': HOUR, '6h': 6 * HOUR, '24h': DAY, '7d': 7 * DAY };
const SHORTEST = 2 * MINUTE, LONGEST = 62 * DAY, BANDS = 8;
const STATUSES = [['', 'any status'], ['bad', 'all that is bad'], ...Object.keys(STATUS).filter((status) => status !== 'planned').map((status) => [status, statusWord(status)])];

// What the URL says of the time: live with `last`, else from and to.
function rangeOf(query, at, usual) {
  const from = Date.parse(query.get('from') ?? ''), to = Date.parse(query.get('to') ?? '');
  if (from && to && to > from) return { live: false, from, to, last: null };
  const last = LAST[query.get('last')] ? query.get('last') : usual, span = LAST[last];
  const end = Math.ceil(at / (span / 400)) * (span / 400);
  return { live: true, last, from: end - span, to: end + span * 0.12 };
}

// Where it says nothing: on a telephone bars of six hours would be too thin, and of a young fleet the shortest has its whole history.
const usualOf = () => (innerWidth > 640 ? ['6h', '1h', '15m'] : ['1h', '15m']);
async function askUsual(path, abort) {
  let [last, ...shorter] = usualOf();
  for (const next of shorter) {
    if ((await ask('history' + params({ until: new Date(now() - LAST[next]).toISOString(), limit: 1 }), { signal: abort })).rows.length) break;
    last = next;
  }
  return last;
}

async function askTerms(path, abort) {
  const groups = path.split(' ').slice(1).map(decodeURIComponent);
  const answers = await Promise.all(groups.map((group) => ask(`groups/${encodeURIComponent(group)}/terms?limit=30`, { signal: abort })));
  return { terms: answers.flatMap((answer) => answer.terms), missing: answers.find((answer) => answer.missing?.length)?.missing };
}

export default function Timeline({ query }) {
  useJobIndex(1500);
  const usual = usePoll(query.get('last') || query.get('from') ? null : 'usual range', { every: DAY, live: false, keep: true, read: askUsual });
  const at = useNow(5000), range = rangeOf(query, at, usual.data ?? usualOf()[0]);
  const node = query.get('node') ?? '', job = query.get('job') ?? '', group = query.get('group') ?? '', status = query.get('status') ?? '', reason = query.get('reason') ?? '';
  const filters = useMemo(() => ({ node: node || null, job: job || null, group: group || null, reason: reason || null, status: status === 'bad' ? BAD.join(',') : status || null }), [node, job, group, reason, status]);
  const history = useHistory(filters, range.from, range.to, range.live);
  const nodes = usePoll('nodes', { every: 10_000, live: false }), groups = usePoll('groups?limit=1000', { every: 30_000, live: false });
  const ahead = Math.max(0, Math.min(range.to - at, 7 * DAY));
  const wanted = { for_ms: Math.ceil(ahead / MINUTE) * MINUTE, job: job || null, group: group || null, node: node || null }, others = node || job || group ? [] : nodesOfInstances(nodes.data?.nodes ?? [], daemon.use()?.node);
  const next = usePoll(ahead > MINUTE && !status ? `next ${params(wanted)} ${others}` : null, { every: 20_000, live: false, keep: true, read: (path, abort) => askDue(wanted, others, abort) });
  const banded = useMemo(() => (group ? [group] : (groups.data?.groups ?? []).map((one) => one.group).slice(0, (groups.data?.groups.length ?? 0) <= BANDS ? BANDS : 0)), [groups.data, group]);
  const terms = usePoll(banded.length ? 'terms ' + banded.map(encodeURIComponent).join(' ') : null, { every: 30_000, live: false, keep: true, read: askTerms });
  const shown = useMemo(() => history.rows.filter((row) => row.slot < range.to && (row.end ?? row.until ?? (row.begin !== null && !row.end ? at : row.slot)) >= range.from), [history.rows, range.from, range.to]);
  const text = (ms) => new Date(ms).toISOString().slice(0, 19) + 'Z';
  const go = (from, to, push) => {
    const span = Math.min(LONGEST, Math.max(SHORTEST, to - from)), middle = (from + to) / 2;
    update({ last: null, from: text(middle - span / 2), to: text(middle + span / 2) }, push);
  };
  const span = range.to - range.from, middle = range.from + span / 2;
  const names = (nodes.data?.nodes ?? []).map((one) => one.node), lost = nodes.data?.nodes.find((one) => one.node === node && isAway(one));
  const hand = usePoll(lost ? 'history' + params({ node, limit: 100 }) : null, { every: 30_000 }), held = lost ? inHand(hand.data?.rows ?? [], lost) : [], listed = !held.length ? shown : shown.filter(({ run, attempt }) => !held.some((one) => one.run_id === run && one.attempt === attempt));
  // A node that does not answer starts nothing.
  const planned = useMemo(() => (next.data?.slots ?? []).filter((slot) => !nodes.data?.nodes.some((one) => one.node === slot.node && isAway(one))), [next.data, nodes.data]);
  return html`
    <div class="view-head"><h1>Timeline</h1><p class="muted" role="status">${!history.done && !history.rows.length ? '' : `${plural(shown.length, 'row')}${history.done ? '' : ' so far'}${history.cut ? ', the newest ones' : ''}`}</p>
      <div class="actions"><button type="button" onClick=${() => go(range.from - span / 2, range.to - span / 2)} aria-label="Earlier">\u2190</button><button type="button" onClick=${() => go(range.from + span / 2, range.to + span / 2)} aria-label="Later">\u2192</button>
        <button type="button" onClick=${() => go(middle - span / 4, middle + span / 4)} aria-label="Zoom in">+</button><button type="button" onClick=${() => go(middle - span, middle + span)} aria-label="Zoom out">\u2212</button>
        <${Choice} label="The last" value=${range.last} options=${[['15m', '15 min'], ['1h', '1 h'], ['6h', '6 h'], ['24h', '24 h'], ['7d', '7 d']]} onChange=${(key) => update({ last: key, from: null, to: null }, true)} /></div>
    </div>
    <div class="bar">
      <${Select} label="Node" value=${node} options=${[['', 'all nodes'], ...[...new Set([...names, ...(node ? [node] : [])])].map((name) => [name, clip(name, 30)])]} onChange=${(value) => update({ node: value })} />
      <${Select} label="Group" value=${group} options=${[['', 'all groups'], ...[...new Set([...(groups.data?.groups ?? []).map((one) => one.group), ...(group ? [group] : [])])].map((name) => [name, clip(name, 30)])]} onChange=${(value) => update({ group: value })} />
      <${Select} label="Status" value=${status} options=${STATUSES} onChange=${(value) => update({ status: value })} />
      ${reason ? html`<button type="button" onClick=${() => update({ reason: null })} title="Any reason again">reason ${clip(reason, 30)} \u00d7</button>` : null}
      <${Search} label="Job" value=${job} placeholder="its whole name" whole=${true} onChange=${(value) => update({ job: value.trim() })} />
    </div>
    <${Trouble} of=${[history]} /><${Gaps} of=${[history.missing, terms.data]} />
    ${lost ? html`<${Went} node=${lastHeard(lost)} of=${hand} held=${held} />` : null}
    <${Chart} ...${{ range, rows: shown, missing: history.missing?.missing, nodes: nodes.data?.nodes ?? [], node, terms: terms.data?.terms ?? [], planned, go, ready: history.rows.length > 0 || history.done, tooMany: !banded.length && groups.data?.groups?.length > BANDS }} />
    ${held.length && !listed.length ? null : html`<${List} rows=${listed} done=${history.done} silent=${silence(history.missing)} />`}`;
}

// Of a node that is away: what it had in hand when it was heard last, and what became of that, as far as others know. What ended
// there by itself was in hand no more.
// Its runner, which may be heard of after it, ends runs of a term that is over.
const TERM = 'leadership_lost', wasCut = ({ status, reason }) => status === 'lost' || reason === 'lost_limit' || reason === TERM;
const inHand = (rows, { node, last_heard }) => rows.filter((row) => row.attempt && row.node === node && (!row.ended_at || (wasCut(row) && parse(row.ended_at) >= parse(last_heard) - (row.reason === TERM ? MINUTE : 0))));
function Went({ node: { node, last_heard, ...how }, of: rows, held }) {
  return html`<${Section} id="went" title=${html`In hand when <${NodeName} node=${node} /> went`} aside=${html`<span>last heard <${Time} at=${last_heard} />${orLater(how)}</span>`}>
    ${!rows.data ? html`<${Loading} />` : held.length ? html`<ul class="rows"><${More} list=${held} what="run">${(row) => html`<li key=${row.run_id + row.attempt} class="row run"><span class="row-main"><${Status} status=${row.status} /> <${JobLink} job=${row.job} /> <span class="muted">${rowWords(row)}</span></span> <span class="row-note"><${Time} at=${row.slot} zone=${zoneOfJob(row.job)} /></span> <${RunLink} id=${row.run_id} /></li>`}<//></ul>` : html`<${Empty}>Nothing that others know of.<//>`}
    ${silence(rows.data) ? html`<p class="muted small">What it ran before is known here as far as others or the store have it: ${silence(rows.data)}.</p>` : null}
  <//>`;
}

const linkOf = ({ run, job, slot }) => rowLink({ run_id: run, slot: new Date(slot).toISOString() }, job);

function useWidth() {
  const box = useRef(null), [wide, setWide] = useState(0);
  useLayoutEffect(() => {
    const watch = new ResizeObserver(([entry]) => setWide(Math.floor(entry.contentRect.width)));
    watch.observe(box.current);
    setWide(Math.floor(box.current.getBoundingClientRect().width));
    return () => watch.disconnect();
  }, []);
  return [box, wide];
}

function lanesOf(rows, nodes, node, terms, planned, range) {  // range: from, to, wide, now, bars
  const lanes = new Map(), lane = (name) => {
    if (!lanes.has(name)) lanes.set(name, { node: name, rows: [], count: 0, terms: [], planned: [] });
    return lanes.get(name);
  };
  for (const one of nodes) if (!node || one.node === node) lane(one.node);
  if (range.bars) for (const row of rows) lane(row.node ?? '').rows.push(row);
  else sumRows(rows, lane, range);
  for (const one of planned) if (!node || one.node === node) lane(one.node ?? '').planned.push({ ...one, slot: parse(one.slot) });
  for (const term of terms) {
    const from = parse(term.elected_at), to = parse(term.ended_at) ?? now();
    if (to > range.from && from < range.to && (!node || term.node === node)) lane(term.node).terms.push({ ...term, from, to });
  }
  const all = [...lanes.values()].sort((a, b) => (a.node === '') - (b.node === '') || (a.node < b.node ? -1 : 1));
  if (all.length <= LANES_AT_MOST) return { lanes: all, left: 0 };
  all.sort((a, b) => b.count + b.rows.length - a.count - a.rows.length);
  return { lanes: all.slice(0, LANES_AT_MOST), left: all.length - LANES_AT_MOST };
}

function Chart({ range, rows, missing, nodes, node, terms, planned, go, ready, tooMany }) {
  const [box, wide] = useWidth(), [tip, setTip] = useState(null), [shift, setShift] = useState(0), drag = useRef(null);
  const zone = zoneOf(null), from = range.from - shift, to = range.to - shift, span = to - from, pixel = span / (wide || 1000);
  const at = Math.floor(useNow(5000) / pixel) * pixel;  // drawn anew when it is another pixel
  const drawn = useMemo(() => {
    if (!wide) return null;
    const range = { from, to, wide, now: at, bars: rows.length <= BARS_AT_MOST }, { lanes, left } = lanesOf(rows, nodes, node, terms, planned, range);
    return { lanes, left, bars: range.bars, ...layOut(lanes, range) };
  }, [wide, rows, nodes, node, terms, planned, from, to, at]);
  const offsetAt = (ms) => fields(ms, zone).offset;
  const axis = useMemo(() => (wide ? { ...ticks(from, to, wide, offsetAt), change: clockChange(from, to, offsetAt) } : null), [wide, from, to, zone]);
  const away = new Set(nodes.filter(isAway).map((one) => one.node)), unknown = new Set(missing?.map((one) => one.node));
  const point = (event) => {
    const rect = box.current.getBoundingClientRect();
    return [event.clientX - rect.left, event.clientY - rect.top - 22];
  };
  const move = (event) => {
    if (drag.current) {
      const by = event.clientX - drag.current.x;
      if (Math.abs(by) > 3) drag.current.moved = true;
      if (drag.current.moved && !drag.current.frame) {
        drag.current.frame = requestAnimationFrame(() => {
          if (!drag.current) return;
          drag.current.frame = 0;
          setShift((drag.current.by / wide) * span);
        });
      }
      drag.current.by = by;
      return;
    }
    const [px, py] = point(event), hit = drawn && find(drawn.lanes, px, py);
    setTip(hit && (hit.row || hit.planned || hit.column !== undefined || hit.band) ? { hit, px, py, at: from + (px / wide) * span } : null);
  };
  const down = (event) => {
    if (event.button !== 0) return;
    drag.current = { x: event.clientX, moved: false };
    if (event.pointerType !== 'touch') event.currentTarget.setPointerCapture(event.pointerId);
    setTip(null);
  };
  const up = (event) => {
    const held = drag.current;
    drag.current = null;
    if (!held) return;
    if (held.moved) {
      go(from, to);
      setShift(0);
      return;
    }
    const hit = drawn && find(drawn.lanes, ...point(event));
    if (hit?.row) location.hash = linkOf(hit.row);
    else if (hit?.planned) location.hash = link('job', hit.planned.job);
    else if (hit?.column !== undefined) {
      const middle = from + ((hit.column + 0.5) * COLUMN_WIDE * span) / wide;
      go(middle - span / 12, middle + span / 12, true);
    }
  };
  useEffect(() => {
    const target = box.current, wheel = (event) => {
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        const rect = target.getBoundingClientRect(), share = (event.clientX - rect.left) / rect.width, middle = from + share * span, by = event.deltaY > 0 ? 1.25 : 0.8;
        go(middle - share * span * by, middle + (1 - share) * span * by);
      } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        const by = ((event.deltaX || event.deltaY) / rect(target)) * span;
        go(from + by, to + by);
      }
    };
    target.addEventListener('wheel', wheel, { passive: false });
    return () => target.removeEventListener('wheel', wheel);
  }, [from, to]);
  const keys = (event) => {
    const by = { ArrowLeft: -span / 8, ArrowRight: span / 8, PageUp: -span, PageDown: span }[event.key];
    if (by && !event.altKey && !event.ctrlKey) go(from + by, to + by);
    else if (event.key === '+' || event.key === '=') go(from + span / 4, to - span / 4);
    else if (event.key === '-') go(from - span / 2, to + span / 2);
    else if (event.key === 'Home') update({ last: null, from: null, to: null });
    else return;
    event.preventDefault();
  };
  // Not made anew for what the pointer says.
  const picture = useMemo(() => (drawn ? html`<svg aria-hidden="true" class=${drag.current?.moved ? 'dragging' : ''} width=${wide} height=${drawn.height + 26} viewBox=${`0 -22 ${wide} ${drawn.height + 26}`} onPointerMove=${move} onPointerDown=${down} onPointerUp=${up} onPointerCancel=${() => { drag.current = null; setShift(0); }} onPointerLeave=${() => !drag.current && setTip(null)}>
      <pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path class="hatch-line" d="M0 0V7" /></pattern>
      ${at < to ? html`<rect class="future" x=${Math.max(0, drawn.x(at))} y="0" width=${Math.max(0, wide - Math.max(0, drawn.x(at)))} height=${drawn.height} />` : null}
      ${axis.list.map((one) => html`<g key=${one.at}><line class="grid-line" x1=${drawn.x(one.at)} x2=${drawn.x(one.at)} y1="0" y2=${drawn.height} /><text class="tick" x=${Math.min(wide - 40, Math.max(2, drawn.x(one.at) + 4))} y="-8">${tickText(one.at, axis.step, zone)}</text></g>`)}
      ${axis.change ? html`<g><line class="change-line" x1=${drawn.x(axis.change.at)} x2=${drawn.x(axis.change.at)} y1="-4" y2=${drawn.height} /><text class="tick change" x=${Math.min(wide - 90, drawn.x(axis.change.at) + 4)} y=${drawn.height - 4}>clock ${axis.change.minutes > 0 ? '+' : '\u2212'}${duration(Math.abs(axis.change.minutes) * MINUTE)}</text></g>` : null}
      ${drawn.lanes.map((lane) => html`<g key=${lane.node} transform=${`translate(0 ${lane.top})`}>
        ${unknown.has(lane.node) ? html`<rect class="unknown" width=${Math.max(0, Math.min(wide, drawn.x(at)))} height=${lane.height} fill="url(#hatch)" />` : null}<line class="lane-line" x1="0" x2=${wide} y1="0.5" y2="0.5" />
        ${lane.terms.map((term) => html`<rect key=${term.group + term.epoch} class="band" x=${Math.max(0, drawn.x(term.from))} y=${bandTop(lane, term.group)} width=${Math.max(1, Math.min(wide, drawn.x(term.to)) - Math.max(0, drawn.x(term.from)))} height=${BAND_HIGH} rx="2" />`)}
        ${lane.plannedPath ? html`<path class="planned-line" d=${lane.plannedPath} />` : null}
        ${lane.plannedSums ? html`<path class="planned-sum" d=${lane.plannedSums} />` : null}
        ${Object.entries(lane.paths).sort(([a], [b]) => (b === 'good') - (a === 'good')).map(([tone, d]) => html`<path key=${tone} class=${'fill-' + tone} d=${d} />`)}
        ${lane.letters.map((one, i) => html`<text key=${i} class="bar-letter" x=${one.x} y=${one.y}>${one.letter}</text>`)}
        ${lane.names.map((one) => html`<text key=${one.job} class=${one.over ? 'lane-note over' : 'lane-note'} x=${one.x} y=${one.y}>${one.job === '' ? 'other jobs' : clip(one.job, 40)}</text>`)}
        <text class="lane-name" x="6" y="15">${lane.node === '' ? 'no node' : clip(lane.node, 40)}${away.has(lane.node) ? html`<tspan class="lane-away"> does not answer${unknown.has(lane.node) && wide > 500 ? ': most of what it ran is not known here' : ''}</tspan>` : null}${lane.over ? html`<tspan class="lane-note"> ${count(lane.over)} more at once than are drawn</tspan>` : null}</text>
      </g>`)}
      ${at > from && at < to ? html`<line class="now-line" x1=${drawn.x(at)} x2=${drawn.x(at)} y1="-4" y2=${drawn.height} />` : null}
    </svg>` : null), [drawn, axis, missing]);
  const label = drawn ? `${plural(rows.length, 'row')} on ${plural(drawn.lanes.length, 'node')} from ${written(from, zone, { date: 'always', offset: true })} to ${written(to, zone, { date: 'always', offset: true })}. Arrow keys move it, plus and minus zoom; its rows are listed, too.` : 'Timeline';
  return html`<section class="card chart-card" aria-label="Nodes by time">
    <div class="chart" ref=${box} tabindex="0" role="group" aria-label=${label} onKeyDown=${keys}>
      ${picture}
      ${tip ? html`<${Tip} ...${tip} wide=${wide} />` : null}
    </div>
    ${!ready ? html`<${Loading} />` : null}
    <p class="small muted legend">Times: ${zone}${zoneChoice() === 'job' ? ', as jobs have different zones' : ''}. ${LEGEND.map(([look, text]) => html`<span key=${look}><i class=${'swatch ' + look} /> ${text}</span> `)}${tooMany ? 'Choose a group to see its terms. ' : ''}${drawn && !drawn.bars ? 'A column sums many rows: zoom in, or press it. ' : ''}${drawn?.left ? `${plural(drawn.left, 'node')} with fewer rows left out.` : ''}</p>
  </section>`;
}
const rect = (target) => target.getBoundingClientRect().width;
const LEGEND = [['tone-good', 'succeeded'], ['tone-bad', 'F T L K ended badly'], ['tone-live', 'runs'], ['point tone-warn', 'missed'], ['dash', 'skipped'], ['band-key', 'term of a group'], ['line', 'planned, short where they are many.']];

function tickText(at, step, zone) {
  const f = fields(at, zone);
  return step >= DAY || (f.hour === '00' && f.minute === '00') ? `${f.weekday} ${f.day} ${f.monthName}` : `${f.hour}:${f.minute}`;
}

function Tip({ hit, px, py, at, wide }) {
  const row = hit.row, style = { left: Math.min(px + 14, Math.max(0, wide - 290)) + 'px', top: py + 40 + 'px' };
  const clock = (ms) => written(ms, zoneOf());
  if (row) return html`<div class="tip" style=${style}><strong><${Name} text=${row.job} most=${60} /></strong><br /><${Status} status=${row.status} reason=${row.reason} /><br />${row.begin !== null ? html`${clock(row.begin)}${row.end ? ` to ${clock(row.end)}` : ', goes on'}${row.took !== null ? `, ${duration(row.took)}` : ''}` : `${clock(row.slot)} ${untilWords(row)}`}${row.epoch ? html`<br /><span class="muted">epoch ${row.epoch}${row.fence ? `, fence ${row.fence}` : ''}${row.attempt > 1 ? `, attempt ${row.attempt}` : ''}</span>` : ''}${hit.more ? html`<br /><span class="muted">and ${count(hit.more)} more here</span>` : ''}</div>`;
  if (hit.planned) return html`<div class="tip" style=${style}><strong><${Name} text=${hit.planned.job} most=${60} /></strong><br />planned ${clock(hit.planned.slot)}${hit.more ? html`<br /><span class="muted">and ${count(hit.more)} more at that time</span>` : ''}</div>`;
  if (hit.band) {
    const term = hit.lane.terms.find((one) => one.group === hit.band && at >= one.from && at <= one.to);
    return term ? html`<div class="tip" style=${style}>led <strong><${Name} text=${term.group} most=${40} /></strong>, epoch ${term.epoch}<br />${clock(term.from)} to ${term.ended_at ? clock(term.to) : 'now'}${term.cause ? html`<br /><span class="muted">${CAUSE[term.cause] ?? term.cause}</span>` : ''}</div>` : null;
  }
  return html`<div class="tip" style=${style}>about ${clock(at)}<br />${count(hit.good)} succeeded${hit.bad ? html`, <strong class="bad-text">${count(hit.bad)} bad</strong>` : ''}${hit.live ? `, ${count(hit.live)} open` : ''}</div>`;
}

function List({ rows, done, silent }) {
  const narrow = useNarrow();
  const row = (one) => {
    const zone = zoneOfJob(one.job), range = untilWords(one, zone), words = `${range}${range && ': '}${rowWords({ ...one, paused_by: null, ended_by: null })}`;
    const time = html`<${Time} at=${one.slot} zone=${zone} />`, facts = duration(one.took);
    const why = html`<a class="small" href=${linkOf(one)}>${one.run ? one.run.slice(-12) : 'why'}</a>`;
    if (narrow) return html`<span role="cell" class="cell-stack"><span class="line"><${JobLink} job=${one.job} /></span><span class="line small"><${Status} status=${one.status} reason=${one.reason} /><span class="push">${why}</span></span><span class="line small muted"><span>${time} ${range}</span> <${NodeName} node=${one.node} /> <span class="push">${facts}</span></span></span>`;
    return html`<span role="cell" class="muted">${time}</span><span role="cell"><${JobLink} job=${one.job} /></span><span role="cell" title=${words}><${Status} status=${one.status} /> <span class="muted small">${words}</span></span><span role="cell"><${NodeName} node=${one.node} /> <span class="muted small">${one.epoch ? `e${one.epoch}` : ''}${one.fence ? ` f${one.fence}` : ''}</span></span><span role="cell" class="num">${facts}${one.attempt > 1 ? html` <span class="muted small">attempt ${one.attempt}</span>` : ''}</span><span role="cell" class="code">${why}</span>`;
  };
  if (!rows.length && done) return html`<${Section} id="list" title="Rows"><${Empty}>${silent ? `Nothing is known of this time that fits the filters; ${silent}.` : 'Nothing is recorded in this time that fits the filters.'}<//><//>`;
  return html`<div class="history"><${Rows} list=${rows} height=${narrow ? 84 : 36} row=${row} label="Rows, newest first" rowKey=${(one) => (one.run ? one.run + one.attempt : one.job + one.slot)} head=${narrow ? ['Row'] : ['Slot', 'Job', 'What became of it', 'Node, epoch, fence', 'Took', 'Run']} /></div>`;
}
