// All views of the page in a real browser, with made-up fleets (serve.mjs), and with a daemon; what is of one view: VIEW.test.mjs.
//
//   tests/browser/run           the small form: 1440 px light, 375 px dark
//   tests/browser/run --whole   all widths and themes, and how fast it is
//
// BALLOT: the program. SHOTS: a folder for screenshots.
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { answer, check, launch, show, usePage, views, withFleet } from './browser.mjs';
import { startDaemon } from './daemon.mjs';

const whole = process.env.WHOLE === '1', program = process.env.BALLOT, shots = process.env.SHOTS;
let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const withPage = (options, use) => usePage(browser, options, use);

// Two at a time: much of a test is waiting.
describe('the page as a whole', { concurrency: 2 }, () => {
  // With names, texts and output that try to break it. One page for all sizes, as axe is slow where it is new.
  test('each view is sound, whatever jobs are called and print', () => withFleet({ fake: 150, hostile: !shots }, async (url) => {
    const { jobs } = await answer(url, 'jobs?limit=1000');
    const hostile = jobs.map((one) => one.job).filter((name) => !/^[\w.@-]{1,80}$/.test(name)), few = hostile.filter((name) => name.length < 1000);
    assert.ok(shots || hostile.length >= 5, 'there are such names');
    const all = await views(url), ofJobs = few.map((name) => '#/job/' + encodeURIComponent(name));
    all.job = ofJobs[0] ?? all.job;
    await withPage({}, async (page) => {
      for (const width of whole ? [1440, 1024, 375] : [1440, 375])
        for (const theme of whole ? ['light', 'dark'] : [width === 1440 ? 'light' : 'dark']) {
          await page.setViewportSize({ width, height: width < 600 ? 800 : 900 });
          await page.emulateMedia({ colorScheme: theme });
          for (const [name, hash] of Object.entries(all)) {
            await show(page, url, hash);
            await check(page, `${name} at ${width} px, ${theme}`);
            assert.equal(await page.evaluate(() => document.querySelectorAll('#app script, #app iframe, #app img, #app [onclick], #app [onerror]').length), 0, 'nothing of a name has become markup');
            if (shots) await page.screenshot({ path: path.join(shots, `${name}-${width}-${theme}.png`) });
          }
        }
      for (const hash of whole ? ofJobs : ofJobs.slice(1, 3)) {
        await show(page, url, hash);
        await check(page, hash, { axe: false });
      }
    });
  }));

  test('a token is asked for, a wrong one is refused, and the view is as it was', () => withFleet({ fake: 50, token: 'right' }, async (url) =>
    withPage({ expected: [401] }, async (page) => {
      await page.goto(new URL('#/jobs', url).href);
      const field = page.locator('input[name=token]');
      await field.waitFor();
      await check(page, 'the form');
      await field.fill('wrong');
      await field.press('Enter');
      await page.getByText(/not known|refused|wrong|takes a token/i).first().waitFor();
      await field.fill('right');
      await field.press('Enter');
      await page.waitForSelector('h1:has-text("Jobs")');
      await page.waitForFunction(() => !document.querySelector('dialog[open]') && document.querySelectorAll('a[href*="#/job/"]').length > 5);
      assert.ok(!page.url().includes('right'), 'it is in no URL');
      assert.equal(await page.evaluate(() => sessionStorage.length > 0 && localStorage.getItem('token')), null);
    })));

  test('before there is a token one question is asked, and the others after it; so it is after somebody has signed out', () => withFleet({ fake: 30, token: 'right' }, async (url) =>
    withPage({ expected: [401] }, async (page) => {
      const asked = [];
      page.on('request', (request) => { if (request.url().includes('/api/')) asked.push(request.url().replace(/.*\/v1\//, '')); });
      await page.goto(new URL('#/now', url).href);
      const field = page.locator('input[name=token]'), dialog = page.getByRole('dialog');
      await field.waitFor();
      await page.waitForLoadState('networkidle');
      assert.deepEqual(asked, ['whoami']);
      await dialog.getByRole('button', { name: 'Not now' }).click();
      await page.getByText('This daemon shows nothing without a token').waitFor();
      await check(page, 'a page without a token');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await field.fill('wrong');
      await field.press('Enter');
      await page.getByText('The token is not known').waitFor();
      assert.deepEqual(asked, ['whoami', 'whoami']);
      await field.fill('right');
      await field.press('Enter');
      await page.locator('[aria-labelledby=attention] .item').first().waitFor();
      const before = asked.length;
      await page.getByRole('button', { name: 'sign out' }).click();
      await field.waitFor();
      await page.waitForLoadState('networkidle');
      assert.deepEqual(asked.slice(before).filter((one) => one === 'whoami'), ['whoami']);
      assert.equal(await page.locator('[aria-labelledby=attention]').count(), 0, 'nothing is shown any more');
    })));

  test('whoever comes back to Now sees at once what was there', () => withFleet({ fake: 60 }, async (url) => withPage({}, async (page) => {
    await show(page, url, '#/now');
    await page.locator('.item-text', { hasText: 'the usual' }).first().waitFor();
    const text = () => page.locator('.attention .item strong').allTextContents(), before = await text();
    await page.click('nav a:has-text("Week")');
    await page.waitForSelector('.heat');
    await page.route(/api\/v1\/(nodes|groups|history|next|requests|runs)/, () => {});
    await page.click('nav a:has-text("Now")');
    await page.locator('[aria-labelledby=running] .row').first().waitFor();
    assert.deepEqual(await text(), before);
    assert.equal(await page.getByText(/Asking the fleet|Being asked for/).count(), 0);
    assert.ok(await page.locator('[aria-labelledby=asked] .row').count());
    assert.ok(await page.locator('[aria-labelledby=due] .row').count());
  })));

  test('what a run printed, and why a slot of two hours ago did not run, is three clicks away from each view', () => withFleet({ fake: 60, young: true }, async (url, fleet) => withPage({}, async (page) => {
    const attention = page.locator('.attention'), why = page.locator('.slot[aria-current=true] .why'), output = page.locator('.output');
    const open = async (hash) => { await page.goto('about:blank'); await show(page, url, hash); };
    await open('#/now');
    await attention.locator('.item', { hasText: /in a row|once/ }).getByText('Last output').first().click();
    await output.waitFor();
    await open('#/now');
    await attention.locator('.item', { hasText: 'tight' }).getByText('Why').click();
    await why.waitFor();
    await open('#/now');
    await attention.locator('summary', { hasText: 'failed, and ha' }).click();
    await attention.locator('details .item').getByText('Last failure').first().click();
    await page.locator('.output, .slot[aria-current=true]').first().waitFor();
    await open('#/now');
    await attention.getByText('Show them').first().click();
    await page.locator('.grid-row').getByText('why', { exact: true }).first().click();
    await why.waitFor();
    await open('#/jobs?q=young');
    await page.locator('.grid-row', { hasText: 'young' }).locator('a:has(time)').click();
    await output.waitFor();
    await open('#/timeline?job=tight');
    await page.locator('.grid-row', { hasText: 'skipped' }).nth(4).getByText('why', { exact: true }).click();
    await why.waitFor();
    await open('#/job/tight');
    await page.locator('.slot:not(.planned) a.code').first().click();
    await output.waitFor();
  })));

  test('a link to no view, or out of the API, shows that there is nothing and asks for nothing elsewhere', () => withFleet({ fake: 50, base: '/ops/ballot' }, async (url) =>
    withPage({ expected: [404] }, async (page) => {
      const asked = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      for (const hash of ['#/timeline?last=constructor', '#/now?since=__proto__', '#/constructor', '#/__proto__/x', '#/job/..%2f..%2f..%2fother', '#/job/../../../../other', '#/run/..\\..\\..\\..\\other', ...['..', '.', '%2e%2E', '.%2e'].flatMap((name) => ['#/job/' + name, '#/run/' + name + '?zone=utc'])]) {
        await page.goto('about:blank');
        await page.goto(url + hash);
        await page.waitForSelector('h1');
      }
      assert.deepEqual(asked.filter((one) => !one.startsWith('/ops/ballot/') || /\/v1\/($|slots|jobs\/$|runs\/$|output|why|null|undefined)/.test(one)), []);
      for (const hash of ['#/job', '#/job/', '#/run', '#/run/?zone=utc']) {
        await page.goto('about:blank');
        await page.goto(url + hash);
        await page.getByText(/names no (job|run)/).waitFor();
        assert.deepEqual(asked.filter((one) => /\/(jobs|runs)\/(null|undefined)?$/.test(one)), [], hash);
      }
    })));

  test('times of a list of jobs are in one zone, which each says, and an instant and a duration have one form in a view', () => withFleet({ fake: 60, whole: true, now: '2026-11-30T20:25:30Z' }, async (url, fleet) => withPage({}, async (page) => {
    const by = 'host-1 token ci', zones = ['Australia/Lord_Howe', 'America/New_York', 'UTC'];
    for (const [i, zone] of zones.entries()) {
      const at = new Date(fleet.now() - (i + 1) * 60_000).toISOString();
      fleet.asked.push({ request_id: null, at, kind: 'trigger', job: fleet.jobs.find((job) => job.zone === zone).name, group: null, run_id: null, by, node: 'host-1', result: 'done', text: 'until 2026-11-30T20:30:00.000Z, after 1s27ms of 90s', answered_at: at });
    }
    await show(page, url, '#/now');
    await page.getByText('until 20:30 UTC, after 1.0 s of 1 min 30 s').nth(2).waitFor();
    for (const part of ['asked', 'due']) {
      const times = await page.locator(`[aria-labelledby=${part}] .row-time time`).allTextContents();
      assert.ok(times.length > 3, part);
      for (const time of times) assert.match(time, /\d\d:\d\d(:(?!00)\d\d)?\u00a0UTC$/, part);
    }
    await show(page, url, '#/timeline?last=6h');
    await page.locator('.grid-row time').first().waitFor();
    for (const time of await page.locator('.grid-row time').allTextContents()) assert.match(time, /\u00a0UTC$/);
    // A job's own page has its zone.
    await show(page, url, '#/job/' + fleet.jobs.find((job) => job.zone === zones[0]).name);
    await page.locator('[aria-labelledby=job-asked] .row-time', { hasText: '+11' }).waitFor();
  })));

  test('what the letters mean is said on Now, of each of them', () => withFleet({ fake: 20 }, async (url) => withPage({ width: 375, theme: 'dark' }, async (page) => {
    await show(page, url, '#/now');
    await page.locator('summary', { hasText: 'What the letters mean' }).click();
    const words = page.locator('details:has(summary:text("What the letters mean")) .status');
    assert.deepEqual(await words.allTextContents(), ['\u2713succeeded', 'Ffailed', 'Ttimed out', 'Llost', 'Mmissed', 'Kkilled', 'Sskipped', 'Rrunning', 'Cclaimed', 'Qqueued', 'Pplanned']);
    await check(page, 'the letters');
  })));

  test('a viewer is offered no action', () => withFleet({ fake: 50, role: 'viewer' }, async (url) => withPage({}, async (page) => {
    await show(page, url, (await views(url)).job);
    for (const name of [/^trigger/i, /^pause/i]) {
      const button = page.getByRole('button', { name });
      if (await button.count()) assert.ok(await button.first().isDisabled(), 'its button is off');
    }
  })));

  test('below a base path all is found', () => withFleet({ fake: 50, base: '/ops/ballot' }, async (url) => withPage({}, async (page) => {
    await show(page, url, '#/now');
    await page.click('nav a:has-text("Jobs")');
    await page.waitForSelector('h1:has-text("Jobs")');
  })));

  test('the whole page is used by the keyboard, and focus stays where it is while the view is refreshed', () => withFleet({ fake: 50 }, async (url) =>
    withPage({}, async (page) => {
      await show(page, url, '#/jobs');
      const search = page.locator('input[type=search], input[name=q], main input').first();
      await search.focus();
      const asked = page.waitForResponse((response) => response.url().includes('/api/v1/'));
      await page.keyboard.type('a');
      await asked;
      assert.ok(await search.evaluate((field) => field === document.activeElement), 'focus stays');
      let reached = false;
      for (let i = 0; i < 60 && !reached; i++) {
        await page.keyboard.press('Tab');
        reached = await page.evaluate(() => document.activeElement?.matches('a[href*="#/job/"]'));
      }
      assert.ok(reached, 'a job is reached by Tab');
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => location.hash.startsWith('#/job/'));
      const trigger = page.getByRole('button', { name: /trigger/i }).first();
      await trigger.focus();
      await page.keyboard.press('Enter');
      await page.waitForSelector('dialog[open]');
      await check(page, 'the dialog');
      await page.keyboard.press('Escape');
      await page.waitForFunction(() => !document.querySelector('dialog[open]'));
    })));

  test('a daemon serves the page, and does what an operator asks for by it', { skip: !program && 'BALLOT names no program' }, async () => {
    const jobs = {
      hello: 'command = ["/bin/sh", "-c", "echo hello to the page"]\ndescription = "Says hello"',
      often: 'command = ["/bin/true"]\nschedule = "*/5 * * * *"\ntimezone = "Europe/Paris"',
    };
    const daemon = await startDaemon(program, jobs, { basePath: '/ops/ballot' });
    try {
      await withPage({ expected: [400, 401] }, async (page) => {
        await page.goto(daemon.url.replace(/\/$/, '#/job/hello'));
        const field = page.locator('input[name=token]');
        await field.waitFor();
        await field.fill(daemon.tokens.ci);
        await field.press('Enter');
        await page.getByRole('button', { name: /trigger/i }).first().click();
        await page.locator('dialog[open] button.primary').first().click();
        await page.getByText(/token ci/).first().waitFor();
        // Who asked is shown as soon as the slot is there, which is before its run has ended.
        const run = await daemon.rowOf('hello', 'succeeded');
        await page.goto(daemon.url + '#/run/' + run.run_id);
        await page.getByText('hello to the page').first().waitFor();
        await page.goto(daemon.url + '#/job/often');
        await page.getByRole('button', { name: /^pause/i }).first().click();
        const form = page.locator('dialog[open]'), asked = form.locator('button.primary').first();
        await form.getByLabel('Lasts').fill('a while');
        await form.getByLabel('Reason').fill('the <b>database</b> moves');
        await asked.click();
        await form.getByText(/a while/).first().waitFor();
        await check(page, 'a pause that is refused');
        await form.getByLabel('Lasts').fill('2h');
        await asked.click();
        await form.getByText('Done.').waitFor();
        await asked.click();
        await page.locator('.banner', { hasText: 'until' }).getByText('the <b>database</b> moves').waitFor();
        // Asked from the daemon: what has changed before the page was opened is there too.
        daemon.define('often', 'command = ["/bin/true"]\nschedule = "*/7 * * * *"\nenv = { SECRET = "hushed" }');
        await page.getByText('schedule: */5 * * * * -> */7 * * * *, timezone: Europe/Paris -> UTC').waitFor();
        daemon.define('often', 'command = ["/bin/true"]\nschedule = "*/9');
        await page.getByText('Its last good version is in force').waitFor();
        await page.reload();
        await show(page, daemon.url, '#/now');
        const changes = page.locator('section', { hasText: 'What changed lately' }).last();
        await changes.getByText('schedule: */5 * * * * -> */7 * * * *').waitFor();
        await changes.getByText('added').first().waitFor();
        for (const hash of ['#/now', '#/jobs', '#/job/often', '#/timeline', '#/week']) {
          await show(page, daemon.url, hash);
          await check(page, hash, { axe: false });
          assert.ok(!(await page.content()).includes('hushed'), 'no value of an environment');
        }
      });
    } finally {
      await daemon.stop();
    }
  });
});
