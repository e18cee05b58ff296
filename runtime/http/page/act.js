// What people may ask for: trigger, pause, resume, backfill, kill. Each is confirmed in a form that says what it will do, and shows
// the answer when it is done, not when it was sent.
import { html, useEffect, useRef, useState, signal, useRoute } from './html.js';
import { ask, query, mayAct, who, noteAction } from './api.js';
import { clip, overlapWords } from './words.js';
import { Name, RunLink, Copy } from './parts.js';
import { Elapsed } from './time.js';

const wanted = signal(null);  // { kind, job | group | run }

// A UUID of version 7: the id of a run that is asked for, so that asking twice makes one run.
function newRunId() {
  const random = [...crypto.getRandomValues(new Uint8Array(9))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return (Date.now().toString(16).padStart(12, '0') + '7' + random.slice(0, 3) + '8' + random.slice(3)).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

// The variables of a trigger that somebody has filled in.
const given = (it) => (it.env ? Object.entries(it.env).flatMap(([name, value]) => (value ? name + '=' + value : [])) : undefined);

const placeOf = (it) => (it.group ? 'groups/' : 'jobs/') + encodeURIComponent(it.group ?? it.job);
const PLANS = {
  trigger: (it) => ['runs/' + it.id, 'PUT', { job: it.job, env: given(it) }],
  pause: (it) => [placeOf(it) + '/pause', 'POST', { for: it.lasts?.trim() || undefined, reason: it.reason?.trim() || undefined }],
  resume: (it) => [placeOf(it) + '/resume', 'POST'],
  backfill: (it) => [placeOf(it) + '/backfill', 'POST', it.stop ? { stop: true } : { since: new Date(Date.now() - hours(it) * 3_600_000).toISOString(), which: it.which || undefined }],
  kill: (it) => [`runs/${it.run}/kill`, 'POST'],
};
const verbOf = ({ kind, stop }) => (stop ? 'Stop' : kind[0].toUpperCase() + kind.slice(1)), isDanger = ({ kind }) => kind === 'kill';

const hours = (it) => Number(it.hours ?? 24);

const openAction = (action) => wanted.set({ ...action, id: newRunId(), opener: document.activeElement });

// The button of an action; who may not ask for it sees why.
export function Act(what) {
  const me = who.use();
  if (!me) return null;
  const may = mayAct();
  return html`<button type="button" class=${isDanger(what) ? 'danger' : ''} aria-disabled=${may ? undefined : 'true'} title=${may ? undefined : 'This takes the role operator; yours is viewer.'} onClick=${() => may && openAction(what)}>${verbOf(what)}${what.group ? ' group' : ''}</button>`;
}

function Explain({ it }) {
  const [open, setOpen] = useState(null), [rule, setRule] = useState(it.concurrency), [names, setNames] = useState(it.names);
  const note = (field, event) => wanted.set({ ...wanted.get(), [field]: event.target.value });
  useEffect(() => {
    if (it.kind !== 'trigger') return;
    const abort = new AbortController();
    if (!it.concurrency) ask('jobs/' + encodeURIComponent(it.job), { signal: abort.signal }).then((job) => (setRule(job.concurrency), setNames(job.trigger_env)), () => {});
    ask('history' + query({ job: it.job.includes(',') ? null : it.job, status: 'running,claimed', limit: 20 }), { signal: abort.signal })
      .then((answer) => setOpen(answer.rows.filter((row) => row.job === it.job)), () => {});
    return () => abort.abort();
  }, [it.id]);
  switch (it.kind) {
    case 'trigger': return html`<p>One run of the job, now, whatever its schedule. It is a slot of its own: the slots of the schedule stay as they are.${it.paused ? ' The job is paused; what is asked for by hand runs all the same.' : ''}</p>
      ${names ? html`<p>${names.map((name) => html`<label key=${name} class="field"><span>${name}</span><input size="14" maxlength="1000" value=${it.env?.[name] ?? ''} onInput=${(event) => note('env', { target: { value: { ...it.env, [name]: event.target.value } } })} /></label>`)}</p>` : null}
      <p>${open ? overlapWords(rule, open.length) : 'Looking whether a run of it goes on\u2026'}</p>
      ${open?.length ? html`<ul class="plain">${open.slice(0, 3).map((row) => html`<li key=${row.run_id}><${RunLink} id=${row.run_id} /> on ${clip(row.node ?? '?', 40)}${row.started_at ? html`, for <${Elapsed} since=${row.started_at} />` : ''}</li>`)}</ul>` : null}`;
    case 'pause': return html`<p>From the answer on nothing of it starts but what is triggered by hand. Runs that go on, go on. Slots that pass are recorded as <em>skipped: paused</em>, with your name.</p>
      <p><label class="field"><span>Lasts</span><input list="lasts" size="12" maxlength="20" placeholder="until resumed" title="As 90m, 2h or 1d; nothing: until somebody resumes it" value=${it.lasts ?? ''} onInput=${(event) => note('lasts', event)} /></label>
        <datalist id="lasts">${['15m', '1h', '2h', '8h', '1d', '1w'].map((one) => html`<option key=${one} value=${one} />`)}</datalist>
        <label class="field wide"><span>Reason</span><input size="30" maxlength="200" value=${it.reason ?? ''} onInput=${(event) => note('reason', event)} /></label></p>`;
    case 'resume': return html`<p>Slots from now on run again. Those that have passed are settled as <em>skipped: paused</em>, and are not caught up.</p>`;
    case 'backfill': return it.stop ? html`<p>No more of its slots are begun. Runs that go on, go on.</p>` : html`<p>Past slots of the job are run again, oldest first, as its overlap policy allows; a slot that is due comes first. Each gets its own slot as <code>BALLOT_SLOT</code>.</p>
      <p><label class="field"><span>Of the last</span><select onChange=${(event) => note('hours', event)}>${[['1', 'hour'], ['8', '8 hours'], ['24', 'day'], ['168', 'week']].map(([value, text]) => html`<option key=${value} value=${value} selected=${hours(it) === +value}>${text}</option>`)}</select></label>
        <label class="field"><span>Slots</span><select onChange=${(event) => note('which', event)}>${[['', 'that did not succeed'], ['failed', 'that failed'], ['missed', 'that did not run'], ['all', 'all']].map(([value, text]) => html`<option key=${value} value=${value} selected=${(it.which ?? '') === value}>${text}</option>`)}</select></label></p>`;
    case 'kill': return html`<p>The run's whole group of processes gets the job's kill signal (TERM unless its file says otherwise), and KILL after its grace. It is recorded as <em>killed: operator</em>, with your name.</p>`;
  }
}

export function ActionDialog() {
  const it = wanted.use(), dialog = useRef(null), route = useRoute();
  const [state, setState] = useState({ step: 'ask' });
  useEffect(() => {
    if (it && !dialog.current.open) {
      setState({ step: 'ask' });
      dialog.current.showModal();
      dialog.current.querySelector('[data-first]')?.focus();
    }
    if (!it && dialog.current.open) dialog.current.close();
  }, [it]);
  // Elsewhere the form has nothing to say any more.
  useEffect(() => wanted.set(null), [route.view, route.name]);
  const close = () => {
    const opener = it?.opener;
    wanted.set(null);
    if (opener?.isConnected) opener.focus();
  };
  const go = async () => {
    const [path, method, body] = PLANS[it.kind](it);
    setState({ step: 'wait', since: new Date().toISOString() });
    try {
      const answer = await ask(path, { method, body: { ...body, timeout_ms: 30000 } });
      setState({ step: 'done', answer });
      noteAction();
    } catch (problem) {
      setState({ step: 'refused', problem });
    }
  };
  if (!it) return html`<dialog ref=${dialog} class="dialog" aria-label="An action" />`;
  const danger = isDanger(it);
  return html`<dialog ref=${dialog} class="dialog" aria-labelledby="act-title" onCancel=${(event) => { event.preventDefault(); close(); }}>
    <h2 id="act-title">${verbOf(it)}${it.stop ? ' the backfill of' : ''} ${it.run ? html`run <span class="code">${it.run.slice(-12)}</span> of ` : ''}${it.group ? 'group ' : ''}<${Name} text=${it.group ?? it.job} /></h2>
    ${state.step === 'ask' || (state.step === 'refused' && /pause|backfill/.test(it.kind)) ? html`<${Explain} it=${it} />` : null}
    <div role="status">
      ${state.step === 'wait' ? html`<p>Asked <${Elapsed} since=${state.since} /> ago. The answer comes when it is done.</p>` : null}
      ${state.step === 'done' ? html`<p><span class="mark good round" aria-hidden="true">\u2713</span> Done. ${state.answer.text ? clip(state.answer.text, 300) : ''} ${it.kind === 'trigger' ? html`Its run: <${RunLink} id=${state.answer.run_id} />` : ''}</p>` : null}
      ${state.step === 'refused' ? html`<p class="trouble"><span class="mark bad square" aria-hidden="true">!</span> ${clip(state.problem.message, 400)}</p>${it.kind === 'trigger' ? html`<p class="muted">Asking again is safe: it names the same run.</p>` : null}` : null}
    </div>
    <p class="muted small">In a terminal: <${Copy} text=${it.kind === 'kill' ? `ballot kill ${it.run}` : `ballot ${it.kind} ${it.group ? '--group ' : ''}${quoted(it.group ?? it.job)}${(given(it) ?? []).map((one) => ` --env ${quoted(one)}`).join('')}${it.kind === 'backfill' ? (it.stop ? ' --stop' : ` --since ${hours(it)}h${it.which ? ' --' + it.which : ''}`) : ''}${it.lasts ? ` --for ${quoted(it.lasts)}` : ''}${it.reason ? ` --reason ${quoted(it.reason)}` : ''}`} /></p>
    <div class="actions">
      ${state.step === 'done' ? null : html`<button type="button" class="quiet" data-first=${danger ? '' : undefined} onClick=${close}>${state.step === 'ask' ? 'Cancel' : 'Close'}</button>`}
      ${state.step === 'ask' || state.step === 'refused' ? html`<button type="button" class=${danger ? 'danger' : 'primary'} data-first=${danger ? undefined : ''} onClick=${go}>${state.step !== 'ask' ? 'Try again' : verbOf(it)}</button>` : null}
      ${state.step === 'done' ? html`<button type="button" class="primary" onClick=${close}>Close</button>` : null}
    </div>
  </dialog>`;
}

export const quoted = (text) => (/^[\w@.+-]+$/.test(text) ? text : `'${text.replace(/'/g, `'\\''`)}'`);
