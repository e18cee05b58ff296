// Runs before the modules are there, so that nothing waits for them: names the files that the view in the URL is made of, and
// asks the daemon for what it shows first: without a token whether it may, and then. api.js takes the answers.
globalThis.begun = new Map();
{
  // A name as encodeURIComponent leaves it: nothing that would lead out of the API's routes, as "." and ".." do.
  const [, view = 'now', name] = /^#\/(\w+)(?:\/(?!(?:\.|%2e){1,2}(?:\?|$))([\w%.!~*'()-]+)(?=\?|$))?/i.exec(location.hash) ?? [];
  const FILES = { __proto__: null, now: 'view-now attention asked lists', jobs: 'view-jobs lists', job: 'view-job job-slots lists asked', run: 'view-run job-slots asked', timeline: 'view-timeline timeline-rows lists', week: 'view-week lists', failed: 'view-failed attention lists' };
  const day = (begun.day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 19) + 'Z');
  const troubles = /[?&]since=/.test(location.hash) ? '' : ` history/summary?since=${encodeURIComponent(day)}&status=failed%2Ctimed_out%2Ckilled%2Clost%2Cmissed%2Cskipped&per=all`;
  const ASKED = { __proto__: null, now: 'nodes groups?limit=1000' + troubles, jobs: 'jobs?limit=1000', job: name && 'jobs/' + name, run: name && 'runs/' + name, timeline: 'nodes' };
  for (const file of FILES[view]?.split(' ') ?? []) document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href: `page/${file}.js` }));
  const token = sessionStorage.getItem('ballot.token'), headers = token ? { Authorization: 'Bearer ' + token } : {};
  const ask = (path) => {
    if (path.length > 2000) return;
    const answer = fetch('api/v1/' + path, { headers, cache: 'no-store', credentials: 'same-origin' });
    answer.catch(() => {});
    begun.set(path, answer);
  }, all = () => ASKED[view]?.split(' ').forEach(ask);
  ask('whoami');
  if (token) all();
  else begun.get('whoami').then(({ ok }) => ok && all(), () => {});
}
