// Chromium for the tests of the page: pages of one width and theme, in which nothing may go wrong unseen.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';
import { start } from './serve.mjs';

const axeSource = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
// Without them Chromium asks hosts elsewhere for what no test needs.
const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ARGUMENTS });

/// A page, and in `wrong` what its console and its scripts have complained of. `expected`: statuses of responses, or errors of
/// the network, that a test provokes and of which Chromium writes a line each.
export async function openPage(browser, { width = 1440, theme = 'light', expected = [] } = {}) {
  const context = await browser.newContext({ viewport: { width, height: width < 600 ? 800 : 900 }, colorScheme: theme, reducedMotion: 'reduce', timezoneId: 'Europe/Paris' });
  const page = await context.newPage(), wrong = [];
  page.on('console', (message) => {
    const text = message.text();
    if (['error', 'warning'].includes(message.type()) && !expected.some((status) => text.includes(typeof status === 'number' ? `status of ${status} ` : status))) wrong.push(text.slice(0, 300));
  });
  page.on('pageerror', (error) => wrong.push(error.stack ?? error.message));
  page.on('dialog', (dialog) => { wrong.push('a dialog of the browser: ' + dialog.message()); dialog.dismiss(); });
  page.setDefaultTimeout(60_000);
  // What a test's routes have under way is of no interest any more.
  return { page, wrong, close: () => page.unrouteAll({ behavior: 'ignoreErrors' }).then(() => context.close()) };
}

/// A page for `use`, in which nothing may have gone wrong at its end.
export async function usePage(browser, options, use) {
  const { page, wrong, close } = await openPage(browser, options);
  try {
    await use(page);
    assert.deepEqual(wrong, []);
  } finally {
    await close();
  }
}

/// Goes to a view and waits until what it shows has come.
export async function show(page, url, hash) {
  await page.goto(new URL(hash, url).href);
  await page.waitForFunction(() => document.querySelector('h1') && !document.querySelector('p.empty[aria-hidden=true], [aria-labelledby=attention] .asking'), null, { timeout: 60_000 });
}

/// Of a made-up fleet: `use` gets where its page is, and the fleet.
export async function withFleet(wanted, use) {
  const server = await start({ port: 0, ...wanted });
  try {
    await use(`http://127.0.0.1:${server.address().port}${wanted.base ?? ''}/`, server.fleet);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
export const answer = async (url, route) => (await fetch(new URL('api/v1/' + route, url))).json();

/// The address of each view, by what there is in the fleet.
export async function views(url) {
  const failed = (await answer(url, 'history?status=failed&limit=1')).rows[0];
  return {
    now: '#/now', jobs: '#/jobs', job: '#/job/' + encodeURIComponent(failed.job), run: '#/run/' + failed.run_id,
    timeline: '#/timeline', week: '#/week', failed: '#/failed',
  };
}

/// That axe finds nothing (unless it is not asked; of what repeats it sees the first rows), that the page is no wider than its window and has no more elements than
/// may be drawn; and, where it is as narrow as a telephone, that what is pressed is 40 px high.
export async function check(page, what, { axe = true } = {}) {
  const found = await page.evaluate(async (source) => {
    if (source && !globalThis.axe) new Function(source).call(globalThis);
    const result = source ? await globalThis.axe.run({ include: document, exclude: ['.slots > li:nth-child(n+16)', '.heat tbody tr:nth-child(n+4)'] }, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }) : { violations: [] };
    return {
      wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      elements: document.querySelectorAll('*').length,
      low: innerWidth > 600 ? [] : [...document.querySelectorAll('a, button, select, input, summary')].filter((one) => one.checkVisibility({ checkVisibilityCSS: true })).map((one) => [one.getBoundingClientRect().height, one.outerHTML.slice(0, 100)]).filter(([high]) => high > 0 && high < 39.5).slice(0, 3),
      findings: result.violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')}`),
    };
  }, axe ? axeSource : null);
  assert.deepEqual(found.findings, [], `axe in ${what}`);
  assert.deepEqual(found.low, [], `too low in ${what}`);
  assert.ok(found.wide <= 0, `${what} is too wide by ${found.wide} px`);
  assert.ok(found.elements <= 2000, `${what} has ${found.elements} elements`);
}
