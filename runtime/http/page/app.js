// The frame around all views: navigation, the choice of the zone, light or dark, who asks, the form for a token.
import { html, render, useEffect, useLayoutEffect, useRef, useState, useErrorBoundary, useRoute, currentRoute, link, update } from './html.js';
import { askWho, hasToken, setToken, signedIn, tokenWanted, who, answers, daemon, liveState, startLive, usePoll } from './api.js';
import { here, useNow, zoneChoice } from './time.js';
import { clip } from './words.js';
import { Trouble, Loading } from './parts.js';
import { ActionDialog } from './act.js';

const VIEWS = {
  __proto__: null,
  now: { title: 'Now', load: () => import('./view-now.js') },
  jobs: { title: 'Jobs', load: () => import('./view-jobs.js') },
  failed: { title: 'Failed', load: () => import('./view-failed.js') },
  timeline: { title: 'Timeline', load: () => import('./view-timeline.js') },
  week: { title: 'Week', load: () => import('./view-week.js') },
  job: { title: 'Job', hidden: true, under: 'jobs', load: () => import('./view-job.js') },
  run: { title: 'Run', hidden: true, under: 'jobs', load: () => import('./view-run.js') },
};
const loaded = { __proto__: null };
const fetchView = (name) => VIEWS[name].load().then((module) => { loaded[name] = module.default; }, () => { loaded[name] ??= null; });

const THEME = 'ballot.theme';
function readTheme() {
  try {
    return localStorage.getItem(THEME) ?? 'auto';
  } catch {
    return 'auto';
  }
}
function applyTheme(theme) {
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem(THEME, theme);
  } catch {
    // not kept
  }
}
applyTheme(readTheme());

function Theme() {
  const [theme, setTheme] = useState(readTheme);
  const dark = theme === 'dark' || (theme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
  const turn = () => {
    const next = dark ? 'light' : 'dark';
    applyTheme(next);
    setTheme(next);
    dispatchEvent(new Event('themechange'));
  };
  return html`<button type="button" class="quiet" onClick=${turn} aria-label=${dark ? 'Light colours' : 'Dark colours'} title=${dark ? 'Light colours' : 'Dark colours'}>
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path fill="currentColor" fill-rule="evenodd" d="M8 1a7 7 0 100 14A7 7 0 008 1zM8 3v10a5 5 0 000-10z" /></svg>
  </button>`;
}

function Zone() {
  const choice = zoneChoice(), [mine, name] = useState(null);
  // While the daemon is asked; what is shown of its answer needs Intl as well.
  useEffect(() => { setTimeout(() => name(here())); }, []);
  return html`<label class="zone" title="Of all times on this page"><span class="hush">Times in</span>
    <select value=${choice} onChange=${(event) => update({ zone: event.currentTarget.value === 'job' ? null : event.currentTarget.value })}>
      <option value="job" selected=${choice === 'job'}>each job's zone</option>
      <option value="utc" selected=${choice === 'utc'}>UTC</option>
      <option value="here" selected=${choice === 'here'}>your zone${mine ? ` (${mine})` : ''}</option>
    </select></label>`;
}

function Live() {
  const heard = answers.use(), stream = liveState.use(), state = heard ? stream : 'silent';
  const text = { live: 'live', cut: 'asking each 5 s', off: 'connecting', silent: 'no answer' }[state];
  return html`<span class=${'stream ' + state} title=${state === 'live' ? 'Views are renewed when something happens.' : heard ? 'The stream of events is not there; views ask by themselves.' : 'The daemon does not answer.'}><span class="dot" aria-hidden="true" />${text}</span>`;
}

// Without its store a daemon claims nothing, and knows of others what it knew last: each view says so.
function Store() {
  const begins = daemon.use()?.state === 'starting', poll = usePoll('status', { every: begins ? 2000 : 10_000, live: 9000, keep: true }), status = poll.data, late = useNow(5000) - poll.heard.at > 25_000;
  useEffect(() => daemon.set(status), [status]);
  useEffect(() => answers.set(!status || (!late && !(poll.problem && poll.problem.status !== 401))), [status, late, poll.problem]);
  if (!status || status.session === 'open') return null;
  if (begins) return html`<p class="gaps" role="status">${clip(status.node, 40)} has just started, and opens its session with the store (${clip(status.backend, 20)}).</p>`;
  return html`<p class="trouble" role="status"><span class="mark bad square" aria-hidden="true">!</span> ${clip(status.node, 40)} has no session with its store (${clip(status.backend, 20)}: ${status.session}), so it claims no slot, and what other nodes do is shown as it was known last. ${clip((status.degraded ?? []).join('; '), 300)}</p>`;
}

const askToken = () => tokenWanted.set('This daemon asks for a token.');
function Who() {
  const me = who.use();
  signedIn.use();
  if (hasToken()) return html`<button type="button" class="quiet" onClick=${() => { setToken(null); tokenWanted.set('You have signed out.'); }} title="Forget the token">${me?.name ? clip(me.name, 30) : 'token'}<span class="muted">, sign out</span></button>`;
  if (me === false) return html`<button type="button" class="quiet" onClick=${askToken}>Sign in</button>`;
  if (me?.role === 'viewer') return html`<button type="button" class="quiet" onClick=${() => tokenWanted.set('A token of role operator may also trigger, pause and kill.')}>Sign in</button>`;
  return me?.name ? html`<span class="muted hush">${clip(me.name, 30)}${me.role ? `, ${me.role}` : ''}</span>` : null;
}

// Asks for a token, over the view, which stays.
function SignIn() {
  const why = tokenWanted.use(), dialog = useRef(null), field = useRef(null);
  useEffect(() => {
    if (why && !dialog.current.open) {
      dialog.current.showModal();
      field.current.value = '';
      field.current.focus();
    } else if (!why && dialog.current.open) dialog.current.close();
  }, [why]);
  const enter = (event) => {
    event.preventDefault();
    const token = field.current.value.trim();
    if (token) setToken(token);
  };
  return html`<dialog ref=${dialog} class="dialog" aria-labelledby="sign-in" onCancel=${() => tokenWanted.set(null)}>
    <form onSubmit=${enter}>
      <h2 id="sign-in">Sign in</h2>
      <p>${why}</p>
      <label class="field wide"><span>Token</span><input ref=${field} type="password" name="token" autocomplete="off" spellcheck="false" required /></label>
      <p class="muted small">It stays in this tab until that is closed. On the machine itself <code>ballot token new NAME --role viewer --append /etc/ballot/tokens</code> prints one and adds its line to the file that <code>[http] tokens</code> names.</p>
      <div class="actions"><button type="button" class="quiet" onClick=${() => tokenWanted.set(null)}>Not now</button><button type="submit" class="primary">Sign in</button></div>
    </form>
  </dialog>`;
}

function View({ route }) {
  const found = VIEWS[route.view], Found = loaded[route.view];
  const [, again] = useState(0);
  const [error, reset] = useErrorBoundary();
  useEffect(() => { if (error) reset(); }, [route.view, route.name]);
  useEffect(() => {
    if (found && !Found) fetchView(route.view).then(() => again((n) => n + 1));
  }, [route.view]);
  if (!found) return html`<h1>Nothing here</h1><p>There is no such view. <a href=${link('now')}>Now</a> shows how things are.</p>`;
  if (found.hidden && !route.name) return html`<h1>${found.title}</h1><p>This link names no ${route.view}. <a href=${link('jobs')}>Jobs</a> has all jobs, <a href=${link('timeline')}>Timeline</a> their runs.</p>`;
  if (error) return html`<h1>This view has failed</h1><p class="trouble">${clip(error.message, 300)}</p><p><button type="button" onClick=${reset}>Try again</button></p>`;
  if (Found === null) return html`<h1>This view could not be loaded</h1><p>The daemon did not answer. <a href=${location.href} onClick=${() => location.reload()}>Load the page again</a></p>`;
  return Found ? html`<${Found} key=${route.view + ' ' + route.name} name=${route.name} query=${route.query} />` : html`<${Loading} />`;
}

function App() {
  const route = useRoute(), main = useRef(null), first = useRef(true), known = useRef(hasToken()), me = who.use();
  // Who was let in once keeps the view when the token is not good any more.
  known.current = Boolean(me) || (known.current && hasToken());
  const [problem, setProblem] = useState(null);
  useEffect(() => {
    let again = 0;
    const begin = () => askWho().then(() => {
      setProblem(null);
      startLive();
    }, (found) => {
      setProblem(found);
      clearTimeout(again);
      if (found.status !== 401) again = setTimeout(begin, 5000);
    });
    begin();
    const leave = signedIn.follow(begin);
    // The other views are fetched once this one is there, so that changing to them takes no request.
    const idle = setTimeout(() => { for (const name in VIEWS) fetchView(name); }, 2500);
    return () => { leave(); clearTimeout(idle); clearTimeout(again); };
  }, []);
  const view = VIEWS[route.view];
  useLayoutEffect(() => {
    document.title = (route.name ? clip(route.name, 60) : view?.title ?? 'Nothing here') + ' \u00b7 ballot';
    if (first.current) {
      first.current = false;
      return;
    }
    scrollTo(0, 0);
    main.current.focus({ preventScroll: true });
  }, [route.view, route.name]);
  const under = view?.under ?? route.view;
  return html`
    <a class="skip" href="#main" onClick=${(event) => { event.preventDefault(); main.current.focus(); }}>To the content</a>
    <header class="top">
      <a class="brand" href=${link('now')}><svg viewBox="0 0 16 16" width="20" height="20" aria-hidden="true"><rect width="16" height="16" rx="4" class="brand-box" /><path d="M4.5 8.2l2.4 2.4 4.6-5" class="brand-tick" /></svg>ballot</a>
      <nav aria-label="Views">${Object.entries(VIEWS).filter(([, one]) => !one.hidden).map(([name, one]) => html`<a key=${name} href=${link(name)} aria-current=${name === under ? 'page' : undefined}>${one.title}</a>`)}</nav>
      <div class="tools"><${Live} /><${Zone} /><${Theme} /><${Who} /></div>
    </header>
    <main ref=${main} id="main" tabindex="-1">
      <${Trouble} of=${[{ problem }]} />
      ${known.current ? html`<${Store} /><${View} route=${route} />` : html`<h1>${view?.title ?? 'ballot'}</h1>${me === false ? html`<p>This daemon shows nothing without a token.</p>` : html`<${Loading} />`}`}
    </main>
    <${SignIn} />
    <${ActionDialog} />`;
}

// The view in the URL comes with the frame: drawn once, not first as dots.
const first = currentRoute().view;
if (VIEWS[first]) await fetchView(first);
render(html`<${App} />`, document.getElementById('app'));
