// Run: what became of it and why, its attempts with term, epoch and fence, who asked for it, and what it prints.
import { html, useEffect, useState, useLayoutEffect, useRef, link, update } from './html.js';
import { Time, Elapsed, duration } from './time.js';
import { Section, JobLink, Name, NodeName, Gaps, Trouble, Empty, Loading, Copy, Status } from './parts.js';
import { Why } from './job-slots.js';
import { Act } from './act.js';
import { Asked } from './asked.js';
import { clip, size, silence, visible, count, rowWords, person, TRIGGER } from './words.js';
import { zoneOfJob, learnZone, lateOf } from './job-index.js';
import { send, query, usePoll } from './api.js';

const GOES_ON = ['running', 'claimed', 'queued'];

export default function Run({ name: id, query: shown }) {
  const poll = usePoll('runs/' + encodeURIComponent(id)), run = poll.data, [, again] = useState(0);
  useEffect(() => { if (run) learnZone(run.job).then(() => again((n) => n + 1), () => {}); }, [run?.job]);
  const requests = usePoll(run?.run_id ? 'requests?limit=10&run=' + run.run_id : null, { every: 15_000 });
  if (poll.problem?.status === 404 || poll.problem?.status === 400) return html`<h1>Run <span class="code">${clip(id, 40)}</span></h1><${Empty}>${clip(poll.problem.message, 300)} Runs are kept as long as <code>keep</code> says.<//>`;
  if (!run) return html`<h1>Run <span class="code">${clip(id.slice(-12), 12)}</span></h1><${Trouble} of=${[poll]} /><${Loading} />`;
  const zone = zoneOfJob(run.job), open = GOES_ON.includes(run.status);
  // Of an attempt that is known by its outcome in the store alone.
  const hidden = (one) => !one.started_at && (one.evidence || one.status === 'lost') && html`not known: only <${NodeName} node=${one.node} /> has it`;
  const attempt = Number(shown.get('attempt')) || run.attempt, row = run.attempts.find((one) => one.attempt === attempt) ?? run.attempts[0];
  return html`
    <div class="view-head"><p class="crumb"><a href=${link('jobs')}>Jobs</a> / <${JobLink} job=${run.job} /> / run</p>
      <h1><${Name} text=${run.job} most=${60} /> <span class="h1-note"><${Time} at=${run.slot} zone=${zone} date="always" /></span></h1>
      <span role="status"><${Status} status=${run.status} reason=${run.reason} /></span>
      <div class="actions">${open ? html`<${Act} kind="kill" run=${run.run_id} job=${run.job} />` : html`<${Act} kind="trigger" job=${run.job} />`}</div>
    </div>
    <${Trouble} of=${[poll]} /><${Gaps} of=${[run]} />
    <div class="columns">
      <${Section} id="why" title=${open ? 'How it stands' : 'Why'}>
        ${rowWords(run) ? html`<p><strong>In short: ${rowWords(run)}.</strong></p>` : null}
        <${Why} job=${run.job} row=${run} />
        ${open && run.evidence ? html`<p>Where its node will not come back, it can be closed in a terminal: <${Copy} text=${'ballot forget ' + run.run_id} /></p>` : null}
        ${run.leftover ? html`<p>It left processes behind (<code>${clip(run.leftover, 40)}</code>).</p>` : null}
        ${run.evidence ? html`<p class="muted">Of this the store alone knows: no ledger that was asked has a row of it.</p>` : null}
      <//>
      <${Section} id="facts" title="Facts"><dl class="facts">
        <dt>Run</dt><dd><${Copy} text=${run.run_id} /></dd>
        <dt>Slot</dt><dd><${Time} at=${run.slot} zone=${zone} date="always" /> <a class="small" href=${link('job', run.job, { slot: run.slot })}>among its others</a></dd>
        <dt>Asked for by</dt><dd>${run.triggered_by ? html`<bdi>${clip(person(run.triggered_by), 120)}</bdi>` : TRIGGER[run.trigger] ?? run.trigger ?? '\u2013'}</dd>
        ${run.env ? html`<dt>Given</dt><dd>${run.env.map((one) => html`<code key=${one}>${clip(one, 200)}</code> `)}</dd>` : null}
        ${run.ended_by ? html`<dt>Ended by</dt><dd><bdi>${clip(person(run.ended_by), 120)}</bdi></dd>` : null}
        <dt>Node</dt><dd>${run.node ? html`<a href=${link('timeline', null, { node: run.node, last: '6h' })}><${NodeName} node=${run.node} /></a>` : '\u2013'}</dd>
        <dt>Term</dt><dd>group <${Name} text=${run.group} />${run.epoch ? `, epoch ${run.epoch}` : ''}${run.fence ? `, fence ${run.fence}` : ', no fence: it was not claimed'}</dd>
        <dt>Started</dt><dd>${run.started_at ? html`<${Time} at=${run.started_at} zone=${zone} /> <span class="muted">${run.attempts.length === 1 && lateOf(row) !== null ? `${duration(lateOf(row))} after its slot` : ''}</span>` : hidden(run) || (open ? 'not yet' : 'never')}</dd>
        <dt>${open ? 'Goes on for' : 'Took'}</dt><dd>${open ? (run.started_at ? html`<${Elapsed} since=${run.started_at} heard=${poll.heard} />` : '\u2013') : duration(run.duration_ms) || hidden(run) || 'not known'}${run.ended_at ? html` <span class="muted">until <${Time} at=${run.ended_at} zone=${zone} /></span>` : null}</dd>
        ${open ? null : html`<dt>Exit</dt><dd>${run.exit_code !== null ? `code ${run.exit_code}` : run.signal !== null ? `signal ${run.signal}` : 'not known'}</dd>`}
      </dl><//>
    </div>
    <${Section} id="output" title=${run.attempts.length > 1 ? `Output of attempt ${row.attempt}` : 'Output'}>${row.started_at || row.output_bytes ? html`<${Output} key=${run.run_id + ' ' + row.attempt} id=${run.run_id} attempt=${row.attempt} open=${open && row.attempt === run.attempt} total=${row.output_bytes} zone=${zone} />` : html`<${Empty}>${hidden(row) ? html`What it printed is ${hidden(row)}${silence(run) ? `; ${silence(run)}` : ''}.` : 'It has not started, so it has printed nothing.'}<//>`}<//>
    <${Section} id="attempts" title=${run.attempts.length === 1 ? 'One attempt' : `${run.attempts.length} attempts`}><div class="scroll" tabindex="0" role="region" aria-label="Table of attempts"><table>
      <thead><tr><th scope="col">Attempt</th><th scope="col">Status</th><th scope="col">Node</th><th scope="col" class="n">Epoch</th><th scope="col" class="n">Fence</th><th scope="col">Started</th><th scope="col" class="n">Took</th><th scope="col" class="n">Printed</th><th scope="col"><span class="hush">Output</span></th></tr></thead>
      <tbody>${run.attempts.slice(0, 100).map((one) => html`<tr key=${one.attempt}><td>${one.attempt}</td><td><${Status} status=${one.status} reason=${one.reason} /></td><td><${NodeName} node=${one.node} /></td><td class="n">${one.epoch ?? '\u2013'}</td><td class="n">${one.fence ?? '\u2013'}</td><td>${hidden(one) || html`<${Time} at=${one.started_at} zone=${zone} />`}</td><td class="n">${duration(one.duration_ms) || '\u2013'}</td><td class="n">${hidden(one) ? '?' : size(one.output_bytes ?? 0)}</td><td>${run.attempts.length > 1 ? html`<button type="button" class="quiet small" aria-pressed=${String(one.attempt === row.attempt)} onClick=${() => update({ attempt: one.attempt === run.attempt ? null : one.attempt })}>output</button>` : null}</td></tr>`)}</tbody>
    </table></div><//>
    ${requests.data?.requests?.length ? html`<${Asked} requests=${requests} id="run-asked" />` : null}`;
}

// What a run prints, as it comes. The last 2,000 lines are held; a line is cut where it is very long; control characters
// become visible. While the run goes on the stream is followed, and taken up again at the byte where it ended.
const LINES = 2000, LONG = 4000, TAIL = 512 * 1024, SHOWN_EACH = 250;

const shorten = (line) => (line.length > LONG ? `${line.slice(0, LONG)}\u2026 (${count(line.length - LONG)} more characters in this line)` : line);

class Tail {
  constructor() {
    this.lines = [];
    this.rest = '';
    this.dropped = 0;
    this.decoder = new TextDecoder();
  }
  take(bytes) {
    const parts = (this.rest + this.decoder.decode(bytes, { stream: true })).split('\n');
    this.rest = parts.pop();
    if (this.rest.length > 1 << 20) this.rest = this.rest.slice(0, 1 << 20);
    if (parts.length > LINES) this.dropped += parts.length - LINES;
    for (const line of parts.slice(-LINES)) this.lines.push(visible(shorten(line)));
    if (this.lines.length > LINES) {
      this.dropped += this.lines.length - LINES;
      this.lines = this.lines.slice(-LINES);
    }
  }
  text() {
    return this.lines.join('\n') + (this.rest ? (this.lines.length ? '\n' : '') + visible(shorten(this.rest)) : '');
  }
}

// Follows the output of an attempt; `open`: the run goes on.
function useOutput(id, attempt, open, total) {
  const [state, setState] = useState({ text: null, problem: null, facts: {} });
  useEffect(() => {
    const abort = new AbortController(), tail = new Tail();
    let from = Math.max(0, total - TAIL), skipped = from, timer = 0, facts = {}, read = 0;
    const show = () => {
      timer = 0;
      setState({ text: tail.text(), dropped: tail.dropped, skipped, problem: null, facts });
    };
    const once = async (follow) => {
      const response = await send(`runs/${id}/output` + query({ attempt, from: from + read || undefined, follow: follow || undefined }), { signal: abort.signal });
      facts = { total: Number(response.headers.get('Ballot-Total')), ended: response.headers.get('Ballot-Ended'), asOf: response.headers.get('Ballot-As-Of') };
      const reader = response.body.getReader();
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        read += value.length;
        tail.take(value);
        timer ||= setTimeout(show, SHOWN_EACH);
      }
      clearTimeout(timer);
      show();
    };
    (async () => {
      let wait = 500;
      while (!abort.signal.aborted) {
        const before = read;
        try {
          await once(open);
        } catch (problem) {
          if (abort.signal.aborted) return;
          if (problem.status === 416 || problem.status === 410 || problem.status === 404) {
            if (!read && (!open || problem.status === 410)) setState({ text: null, problem, facts });
          } else setState((old) => ({ ...old, problem }));
          if (!open) return;
        }
        if (!open) return;
        wait = read > before ? 500 : Math.min(wait * 2, 8000);
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
    })();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [id, attempt, open]);
  return state;
}

function Output({ id, attempt, open, total, zone }) {
  const { text, problem, dropped, skipped, facts } = useOutput(id, attempt, open, total ?? 0);
  const box = useRef(null), stick = useRef(true), [wrap, setWrap] = useState(true);
  useLayoutEffect(() => {
    if (stick.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [text]);
  // The event of a scroll comes later than the text may go.
  const scrolled = () => { if (box.current) stick.current = box.current.scrollHeight - box.current.scrollTop - box.current.clientHeight < 24; };
  if (problem && text === null) return html`<${Empty}>${problem.status === 410 ? 'Its output is not kept any more. ' : problem.status === 404 ? 'There is no output of it. ' : ''}${clip(problem.message, 300)}<//>`;
  if (text === null) return html`<${Loading} />`;
  return html`
    <p class="small muted output-note">${open ? html`<span class="mark live round" aria-hidden="true">R</span> as it comes` : 'ended'}${facts.total ? `, ${size(facts.total)} printed` : ''}${skipped ? `; the first ${size(skipped)} are not shown` : ''}${dropped ? `; ${count(dropped)} lines above are not held` : ''}${facts.asOf ? html`; as of <${Time} at=${facts.asOf} zone=${zone} />, its node does not answer` : ''}
      <button type="button" class="quiet small" aria-pressed=${String(wrap)} onClick=${() => setWrap(!wrap)}>wrap lines</button> <${Copy} text=${`ballot output ${id}`} label="ballot output \u2026" /></p>
    ${text === '' ? html`<${Empty}>${open ? 'Nothing printed so far.' : 'It printed nothing.'}<//>` : html`<pre ref=${box} class=${'text output' + (wrap ? '' : ' nowrap')} tabindex="0" role="region" aria-label="What it printed" onScroll=${scrolled}>${text}</pre>`}`;
}
