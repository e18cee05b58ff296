// How fast the page is with ten thousand jobs and a hundred thousand rows: prints figures, and returns them. Times are of
// this machine as it is now, so that they are printed with its load; what a test holds is generous.
//
//   node tests/browser/speed.mjs [--minutes 3] [--runs 5] [--url http://127.0.0.1:8790/]
import os from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { launch, openPage } from './browser.mjs';

const middle = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];
const whole = (n) => Math.round(n);

// In the page: when a view was drawn first, when with all its data, and tasks and gaps between frames that were long.
function observe() {
  const seen = (globalThis.__speed = { long: [], gap: 0, gaps: [], heading: null, filled: null, wanted: null, from: 0 });
  try {
    new PerformanceObserver((list) => { for (const one of list.getEntries()) seen.long.push([one.startTime, one.duration]); }).observe({ type: 'longtask', buffered: true });
  } catch { /* not there */ }
  const drawn = (then) => requestAnimationFrame(() => { const channel = new MessageChannel(); channel.port1.onmessage = () => then(performance.now()); channel.port2.postMessage(0); });
  const look = () => {
    const heading = document.querySelector('h1');
    if (!heading || (seen.wanted && !document.title.startsWith(seen.wanted))) return;
    if (seen.heading === null) { seen.heading = -1; drawn((at) => { seen.heading = at - seen.from; }); }
    if (seen.filled === null && !document.querySelector('main p.empty[aria-hidden=true]')) { seen.filled = -1; drawn((at) => { seen.filled = at - seen.from; }); }
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true, attributes: false });
  addEventListener('click', (event) => {
    const to = event.target.closest?.('a[href^="#/"]');
    if (to) Object.assign(seen, { from: event.timeStamp, heading: null, filled: null, wanted: to.dataset.wanted ?? to.textContent.trim() });
  }, true);
  let before = performance.now();
  const frame = (at) => {
    const gap = at - before;
    seen.gap = Math.max(seen.gap, gap);
    if (gap > 60) seen.gaps.push(`${new Date(performance.timeOrigin + before).toISOString().slice(11, 23)} ${Math.round(gap)} ms`);
    before = at;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

// On a thread of its own, so that what it reckons is no delay of what is measured here.
async function fakeFleet(args) {
  const worker = new Worker(new URL('./serve.mjs', import.meta.url), { argv: ['--port', '0', ...args], stdout: true });
  const url = await new Promise((resolve, reject) => { worker.stdout.on('data', (bytes) => resolve(String(bytes).trim())); worker.on('error', reject); });
  return { url, stop: () => worker.terminate() };
}

// Waits within the page, as asking it again and again would be work of its own.
const settled = (page, what = 'filled') => page.evaluate((it) => new Promise((resolve) => {
  const look = () => (__speed[it] > 0 ? resolve() : setTimeout(look, 20));
  look();
}), what);
const metrics = async (session) => Object.fromEntries((await session.send('Performance.getMetrics')).metrics.map((one) => [one.name, one.value]));

async function firstViews(browser, url, hashes, runs) {
  const found = {};
  for (const [name, hash] of Object.entries(hashes)) {
    const all = [];
    for (let i = 0; i < runs; i++) {
      const { page, close } = await openPage(browser, {});
      await page.addInitScript(observe);
      const session = await page.context().newCDPSession(page);
      await session.send('Performance.enable', { timeDomain: 'threadTicks' });
      await page.goto(url + hash, { waitUntil: 'commit' });
      await settled(page, 'heading');
      const early = await metrics(session);
      await settled(page);
      const { TaskDuration, ScriptDuration } = await metrics(session);
      const one = await page.evaluate(() => ({ heading: __speed.heading, filled: __speed.filled, paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0, long: Math.max(0, ...__speed.long.map((it) => it[1])) }));
      all.push({ ...one, cpuHeading: early.TaskDuration * 1000, cpuFilled: TaskDuration * 1000, script: ScriptDuration * 1000 });
      await close();
    }
    found[name] = Object.fromEntries(Object.keys(all[0]).map((key) => [key, whole(middle(all.map((one) => one[key])))]));
  }
  return found;
}

async function changes(page, runs) {
  const found = {};
  for (let i = 0; i < runs; i++) {
    for (const name of ['Jobs', 'Timeline', 'Week', 'Now']) {
      await page.click(`nav a:has-text("${name}")`);
      await settled(page);
      (found[name] ??= []).push(await page.evaluate(() => [__speed.heading, __speed.filled]));
      await pause(400);
    }
  }
  return Object.fromEntries(Object.entries(found).map(([name, all]) => [name, { heading: whole(middle(all.map((one) => one[0]))), filled: whole(middle(all.map((one) => one[1]))), most: whole(Math.max(...all.map((one) => one[0]))) }]));
}

// Stays in a view for so long, acting as `busy` says, and returns what was long meanwhile.
async function stay(page, seconds, busy) {
  await page.evaluate(() => { Object.assign(__speed, { long: [], gap: 0, gaps: [] }); });
  const until = Date.now() + seconds * 1000;
  while (Date.now() < until) {
    await busy?.(page);
    await pause(150);
  }
  return page.evaluate(() => ({ long: Math.round(Math.max(0, ...__speed.long.map((one) => one[1]))), over60: __speed.long.filter((one) => one[1] > 60).length, gap: Math.round(__speed.gap), gaps: __speed.gaps.length, ...(__speed.gaps.length ? { when: __speed.gaps.slice(0, 20) } : {}) }));
}

async function weigh(page, session) {
  await session.send('HeapProfiler.collectGarbage');
  return { heap: Math.round((await metrics(session)).JSHeapUsedSize / 1e5) / 10, elements: await page.evaluate(() => document.querySelectorAll('*').length) };
}

export async function measure({ minutes = 3, runs = 5, url = null, say = console.log } = {}) {
  const fleet = url ? { url, stop() {} } : await fakeFleet(['--fake', '10000', '--burst', '1000']), browser = await launch();
  const report = (what, figures) => say(`${what} (load ${os.loadavg()[0].toFixed(1)}): ${JSON.stringify(figures)}`);
  try {
    const failed = (await (await fetch(fleet.url + 'api/v1/history?status=failed&limit=1')).json()).rows[0];
    const hashes = { now: '#/now', jobs: '#/jobs', job: '#/job/' + encodeURIComponent(failed.job), run: '#/run/' + failed.run_id, timeline: '#/timeline', week: '#/week' };
    const first = await firstViews(browser, fleet.url, hashes, runs);
    for (const [name, figures] of Object.entries(first)) report('first view, ' + name, figures);
    const { page, wrong, close } = await openPage(browser, {});
    await page.addInitScript(observe);
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.goto(fleet.url + '#/now');
    await settled(page);
    await pause(5000);
    const change = await changes(page, runs);
    for (const [name, figures] of Object.entries(change)) report('change of view, to ' + name, figures);
    // An hour, or what stands for it: each view in turn, with a thousand events a second.
    const share = (minutes * 60) / 9, live = {};
    const views = [
      ['timeline', '#/timeline?last=7d', (it) => it.mouse.move(200 + Math.random() * 900, 300)],
      ['timeline, panned', '#/timeline?last=24h', async (it) => { await it.focus('.chart'); await it.keyboard.press(Math.random() < 0.5 ? 'ArrowLeft' : 'ArrowRight'); await pause(400); }],
      ['jobs, scrolled', '#/jobs', (it) => it.mouse.wheel(0, (Math.random() - 0.4) * 4000)],
      ['now', '#/now', null], ['job', hashes.job, null], ['run', hashes.run, null], ['week', '#/week', null],
    ];
    for (const [name, hash, busy] of views) {
      await page.evaluate((to) => { Object.assign(__speed, { from: performance.now(), heading: null, filled: null, wanted: null }); location.hash = to; }, hash);
      await pause(300);
      live[name] = await stay(page, name === 'timeline' ? Math.max(40, 3 * share) : share, busy);
      Object.assign(live[name], await weigh(page, session));
      report('live, ' + name, live[name]);
    }
    await close();
    return { first, change, live, wrong };
  } finally {
    await browser.close();
    fleet.stop();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const wanted = {};
  for (let i = 2; i < process.argv.length; i += 2) wanted[process.argv[i].replace(/^--/, '')] = process.argv[i + 1];
  const { wrong } = await measure({ ...wanted, minutes: Number(wanted.minutes ?? 3), runs: Number(wanted.runs ?? 5) });
  if (wrong.length) console.log(wrong);
}
