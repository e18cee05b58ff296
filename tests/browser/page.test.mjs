// The page in a real browser: with made-up fleets (serve.mjs), and with a daemon.
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
describe('the page', { concurrency: 2 }, () => {
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

  test('a day of twenty-five hours is a row of its own length, and the hour that comes twice is there once', () =>
    withFleet({ fake: 50, now: '2026-10-23T10:00:00Z' }, async (url) => withPage({}, async (page) => {
      await show(page, url, '#/week?zone=here');
      await page.waitForSelector('.heat');
      assert.match(await page.textContent('.heat'), /25 h/);
    })));

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

  test('what is there is shown before all is: nodes, groups and runs while failures are counted, and history of groups after them', () => withFleet({ fake: 60, whole: false }, async (url) => withPage({}, async (page) => {
    let go;
    const gate = new Promise((resolve) => { go = resolve; }), asked = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.route(/history\/summary/, (route) => gate.then(() => route.continue()));
    await page.goto(new URL('#/now', url).href);
    await page.locator('[aria-labelledby=attention] .item', { hasText: 'does not answer (gone)' }).waitFor();
    await page.locator('[aria-labelledby=attention] .item', { hasText: 'has no leader' }).waitFor();
    await page.locator('[aria-labelledby=running] .row').first().waitFor();
    await page.locator('[aria-labelledby=asked] .row').first().waitFor();
    await page.getByText('Being asked for: what failed').waitFor();
    assert.match(await page.textContent('.verdict'), /Not healthy: 1 of 3 nodes does not answer: host-3 since .*; 1 group has no leader: ml.*, so far\./);
    assert.deepEqual(asked.filter((one) => /definitions|terms|usual/.test(one)), []);
    go();
    await page.locator('.attention h3', { hasText: 'Failing' }).waitFor();
    await page.waitForFunction(() => !document.querySelector('.asking'));
    assert.doesNotMatch(await page.textContent('.verdict'), /so far/);
  })));

  test('the question how long jobs take comes to its end, whatever begins and ends meanwhile; what was answered is there at once later', () => withFleet({ fake: 100, burst: 5 }, async (url, fleet) => withPage({}, async (page) => {
    const asked = [], failed = [];
    let go;
    const gate = new Promise((resolve) => { go = resolve; });
    page.on('requestfailed', (request) => failed.push(request.url()));
    await page.route(/history\/usual/, (route) => { asked.push(route.request().url()); return gate.then(() => route.continue()); });
    await page.goto(new URL('#/now', url).href);
    while (!asked.length) await page.waitForTimeout(50);
    // Others run meanwhile, and are in front, as those that run longest. An answer may take 40 s.
    const ids = fleet.jobs.slice(0, 2).map((job, i) => {
      const id = `01a00000-0000-7000-8000-00000000000${i}`;
      fleet.byHand.push({ ...fleet.row(job, fleet.now(), { run_id: id, attempt: 1, status: 'running', trigger: 'manual', started_at: new Date(fleet.now() - 3_600_000).toISOString() }) });
      return id;
    });
    const others = Promise.all(ids.map((id) => page.waitForSelector(`[aria-labelledby=running] a[href*="${id}"]`, { timeout: 240_000 })));
    await Promise.race([others, page.waitForTimeout(20_000)]);
    go();
    await page.locator('.item-text', { hasText: 'the usual' }).first().waitFor();
    assert.equal(asked.length, 1);
    assert.deepEqual(failed.filter((one) => /usual|strips/.test(one)), []);
    await others;
    await page.click('nav a:has-text("Week")');
    await page.waitForSelector('.heat');
    await page.click('nav a:has-text("Now")');
    await page.locator('.item-text', { hasText: 'the usual' }).first().waitFor();
    assert.equal(await page.getByText('is being compared').count(), 0);
  })));

  test('on a telephone the table of attempts scrolls within itself, and shades the edge where it goes on', () => withFleet({ fake: 60 }, async (url) => withPage({ width: 375 }, async (page) => {
    await show(page, url, (await views(url)).run);
    const table = page.getByRole('region', { name: 'Table of attempts' });
    await table.scrollIntoViewIfNeeded();
    const [more, layers] = await table.evaluate((one) => [one.scrollWidth - one.clientWidth, getComputedStyle(one).backgroundAttachment]);
    assert.ok(more > 0);
    assert.equal(layers, 'local, local, scroll, scroll');
    await check(page, 'a run on a telephone', { axe: false });
  })));

  test('of a run that was lost with its node it is not said that it never started', () => withFleet({ fake: 20 }, async (url, fleet) => withPage({}, async (page) => {
    const id = '01a00000-0000-7000-8000-000000000009';
    fleet.byHand.push({ ...fleet.row(fleet.jobs[0], fleet.now() - 60_000, { run_id: id, attempt: 1 }), status: 'lost', reason: 'node_died', started_at: null, ended_at: null, duration_ms: null, output_bytes: 0 });
    await show(page, url, '#/run/' + id);
    const facts = page.locator('[aria-labelledby=facts]');
    await facts.getByText(/not known: only .* has it/).first().waitFor();
    assert.equal(await facts.getByText('never', { exact: true }).count(), 0);
    assert.equal(await page.getByText('It has not started').count(), 0);
  })));

  test('an error of a job file that several nodes have is one line, and a slot that nobody claimed has both causes', () => withFleet({ fake: 60, finding: true, unclaimed: true }, async (url) => withPage({}, async (page) => {
    await show(page, url, '#/now');
    const line = page.locator('.item', { hasText: 'late.toml' });
    assert.equal(await line.count(), 1);
    assert.equal(await line.locator('.item-text').textContent(), "host-1, host-2 are degraded: an error in the job files: late.toml:3:15: schedule: hour is 0 to 23, not '25'");
    await page.locator('.item', { hasText: 'its leader had died and none led yet, or the store did not answer (unclaimed)' }).waitFor();
  })));

  test('a link to a slot of a job that is due often lands on it: selected, in sight, with why it is so; so does a time that is chosen', () => withFleet({ fake: 20, young: true }, async (url, fleet) => withPage({}, async (page) => {
    const job = fleet.byName.get('tight'), chosen = page.locator('.slot[aria-current=true]'), at = () => chosen.locator('time').first().getAttribute('datetime');
    const slot = fleet.slotsBack(job, fleet.now() - 100 * 60_000, 5).find((one) => fleet.attempts(job, one)[0].status === 'skipped');
    for (const said of [new Date(slot).toISOString(), new Date(slot).toISOString().replace('.000', '')]) {
      await page.goto('about:blank');
      await show(page, url, '#/job/tight?zone=utc&slot=' + encodeURIComponent(said));
      await chosen.locator('.why', { hasText: 'The run before it had not ended' }).waitFor();
      assert.equal(Date.parse(await at()), slot);
      await page.waitForFunction(() => document.activeElement.matches('.slot[aria-current=true]'));
      await page.waitForTimeout(500);
      assert.ok(await chosen.evaluate((one) => one.getBoundingClientRect().top >= 0 && one.getBoundingClientRect().bottom <= innerHeight), 'in sight');
    }
    await check(page, 'a slot that is selected');
    // A quarter of an hour earlier, and where a run is.
    const wanted = fleet.slotsBack(job, slot - 10 * 60_000, 5).find((one) => fleet.attempts(job, one)[0].run_id);
    await page.locator('input[name=at]').fill(new Date(wanted + 60_000).toISOString().slice(0, 16));
    await page.locator('input[name=at]').press('Enter');
    await page.waitForFunction((wanted) => Date.parse(document.querySelector('.slot[aria-current=true] time')?.dateTime) === wanted, wanted);
    await chosen.locator('a.code').click();
    await page.locator('.output').waitFor();
    await page.getByText('among its others').click();
    await page.waitForFunction((wanted) => Date.parse(document.querySelector('.slot[aria-current=true] time')?.dateTime) === wanted, wanted);
    // In the zone of the view.
    const zone = fleet.jobs.find((one) => one.zone === 'Australia/Lord_Howe' && one.period < 1440 && !['disabled', 'trigger', 'halted', 'paused'].includes(one.temper));
    await show(page, url, '#/job/' + encodeURIComponent(zone.name));
    const due = fleet.slotsBack(zone, fleet.now() - 30 * 3_600_000, 1)[0];
    await page.locator('input[name=at]').fill(new Date(due).toLocaleString('sv', { timeZone: 'Australia/Lord_Howe' }).slice(0, 16).replace(' ', 'T'));
    await page.getByRole('button', { name: 'Go' }).click();
    await page.waitForFunction((wanted) => Date.parse(document.querySelector('.slot[aria-current=true] time')?.dateTime) === wanted, due);
  })));

  test('a slot that a retry has healed is no failure, and is said to have recovered by retry', () => withFleet({ fake: 60, whole: true, now: '2026-10-21T08:21:30Z' }, async (url, fleet) => withPage({}, async (page) => {
    const rows = (job) => fleet.slotsBack(job, fleet.now(), 5000, fleet.now() - 86_400_000).map((slot) => fleet.attempts(job, slot));
    const bad = ([row]) => ['failed', 'timed_out', 'killed', 'lost'].includes(row.status) && row.reason !== 'operator';
    const healed = fleet.jobs.filter((job) => rows(job).some((all) => all.length > 1 && !bad(all)) && !rows(job).some(bad)).map((job) => job.name);
    assert.ok(healed.length > 0);
    await show(page, url, '#/now');
    const part = page.locator('.attention details', { hasText: 'recovered by retry' });
    await part.locator('summary').click();
    assert.deepEqual((await part.locator('a.job').allTextContents()).sort(), healed.slice(0, 8).sort());
    await part.getByText(/^\d+ attempts? failed, and no slot$/).first().waitFor();
    for (const name of healed) assert.equal(await page.locator('.attention .item', { hasText: name }).filter({ hasText: /in a row|once|bad slot/ }).count(), 0);
    await show(page, url, '#/jobs?q=' + encodeURIComponent(healed[0]));
    await page.locator('.grid-row').first().locator('svg[aria-label*="succeeded by retry"]').waitFor();
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

  test('what changed says in one line which groups a node took over, that a node died, and which groups are gone with their last job', () => withFleet({ fake: 60 }, async (url, fleet) => withPage({}, async (page) => {
    const all = fleet.definitions.bind(fleet), job = fleet.jobs[5];
    fleet.definitions = (now) => [{ at: new Date(now - 3_600_000).toISOString(), job: 'old-report', group: 'olden', change: 'removed', nodes: ['host-1'], digest: null, digest_before: 'e', keys: [], text: 'no file defines it' }, { ...all(now)[0], job: job.name, change: 'removed', group: job.group }, ...all(now)];
    await show(page, url, '#/now');
    const rows = page.locator('[aria-labelledby=asked] .row');
    await rows.filter({ hasText: 'host-3 died or was stopped' }).waitFor();
    await rows.filter({ hasText: 'group olden is no longer defined' }).waitFor();
    await rows.filter({ hasText: /leads [a-z]+, [a-z]+.*before it host-3: the session expired/ }).waitFor();
    assert.equal(await rows.filter({ hasText: 'is no longer defined' }).count(), 1);
    assert.equal(await rows.filter({ hasText: 'the session expired' }).count(), 2, 'one for each node that took over');
  })));

  test('a change of leader is there whatever other nodes and groups it is of, and once where one node is away', () => withFleet({ fake: 60, elsewhere: [
    ...[['zeta', 'host-2', 8, 20], ['zeta', 'host-1', 7, 3000]].map(([group, node, epoch, minutes]) => ({ group, node, epoch, elected_at: new Date(Date.now() - minutes * 60_000).toISOString(), ended_at: epoch === 7 ? new Date(Date.now() - 20 * 60_000).toISOString() : null, cause: epoch === 7 ? 'resigned' : null })),
  ] }, async (url, fleet) => withPage({}, async (page) => {
    assert.ok(!fleet.groupNames().includes('zeta'), 'no file of this node defines a job of it');
    await show(page, url, '#/now');
    const rows = page.locator('[aria-labelledby=asked] .row', { hasText: 'zeta' });
    await rows.first().waitFor();
    assert.match(await rows.first().textContent(), /host-2 leads zeta epoch 8; before it host-1: handed back/);
    assert.equal(await page.locator('[aria-labelledby=asked] .row', { hasText: 'epoch 8;' }).count(), 1);
  })));

  test('a job that fails again and again between successes is said to flap, whichever its last run was', () => withFleet({ fake: 10, young: true, whole: true }, async (url, fleet) => withPage({}, async (page) => {
    const attempts = fleet.attempts.bind(fleet), minutes = (row) => Date.parse(row.slot) / 60_000;
    fleet.attempts = (job, slot) => attempts(job, slot).map((row) => (job.name === 'young' || job.name === 'quick') && row.attempt && minutes(row) % 20 < (job.name === 'young' ? 10 : 5) ? { ...row, status: 'failed', reason: 'exit_code', exit_code: 1 } : row);
    await show(page, url, '#/now');
    const flapping = page.locator('.attention h3', { hasText: 'Flapping' }).locator('xpath=following-sibling::ul[1]').locator('.item');
    await flapping.first().waitFor();
    assert.equal(await flapping.count(), 2);
    assert.match((await flapping.allTextContents()).join(), /fails and recovers again and again: [78] of its last 15 slots failed, last .* ago/);
    assert.doesNotMatch((await page.locator('.attention ul.items').first().textContent()) + (await page.locator('.attention details').allTextContents()).join(), /young.*in a row/);
  })));

  test('a job whose slots are missed again and again between successes flaps, and is said to miss them, whether a run of it failed before or not', () => withFleet({ fake: 10, young: true, whole: true, now: '2026-10-20T08:22:00Z' }, async (url, fleet) => withPage({}, async (page) => {
    const attempts = fleet.attempts.bind(fleet), even = (slot) => (slot / 300_000) % 2 === 0;
    const made = (job, slot) => {
      if (even(slot)) return [fleet.row(job, slot, { status: 'missed', reason: 'start_deadline' })];
      const failed = job.name === 'quick' && slot === Date.parse('2026-10-20T06:35:00Z') && { status: 'failed', reason: 'exit_code', exit_code: 1 };
      return attempts(job, slot).map((row) => ({ ...row, duration_ms: 480_000, ...failed }));
    };
    fleet.attempts = (job, slot) => (job.name === 'young' || job.name === 'quick' ? made(job, slot) : attempts(job, slot));
    await show(page, url, '#/now');
    const flapping = page.locator('.attention h3', { hasText: 'Flapping' }).locator('xpath=following-sibling::ul[1]').locator('.item');
    await flapping.nth(1).waitFor();
    for (const name of ['young', 'quick']) assert.match(await flapping.filter({ hasText: name }).textContent(), /misses slots again and again: [78] of its last 15, last .* ago; it takes 8 min, and is due every 5 min/);
    assert.equal(await page.locator('.attention .item', { hasText: /young.*(in a row|once)/ }).count(), 0);
    await page.locator('.verdict', { hasText: '2 jobs flap' }).waitFor();
  })));

  test('of a job that has recovered the last bad slot is said, where it is among its last ones, and no time that moves with each success', () => withFleet({ fake: 10, young: true, whole: true, now: '2026-10-20T08:22:00Z' }, async (url, fleet) => withPage({}, async (page) => {
    const attempts = fleet.attempts.bind(fleet), bad = { young: '07:35', quick: '06:40' };
    fleet.attempts = (job, slot) => attempts(job, slot).map((row) => (row.attempt && row.slot === `2026-10-20T${bad[job.name]}:00Z` ? { ...row, status: 'failed', reason: 'exit_code', exit_code: 1 } : row));
    const item = (name) => page.locator('.attention details', { hasText: 'recovered' }).locator('.item', { hasText: name });
    for (const step of [0, 10 * 60_000]) {
      fleet.shift += step;
      await page.goto('about:blank');
      await show(page, url, '#/now?zone=utc');
      await page.waitForFunction(() => !document.querySelector('.asking'));
      assert.match(await item('young').textContent(), /1 bad slot, last (\w+ \d+ \w+ )?07:35(:00)?/);
      assert.match(await item('quick').locator('.item-text').textContent(), /1 bad slot$/);
    }
    // And why it was bad is three clicks away, too.
    await page.locator('.attention summary', { hasText: 'recovered' }).first().click();
    await item('quick').getByRole('link', { name: 'Show them' }).click();
    await page.locator('.grid-row .code a').first().click();
    await page.getByText('In short: it exited with 1').waitFor();
  })));

  test('a row of the timeline that stands for many slots says until when and how many', () => withFleet({ fake: 10, young: true, whole: true, now: '2026-10-20T08:22:00Z' }, async (url, fleet) => {
    const attempts = fleet.attempts.bind(fleet);
    fleet.attempts = (job, slot) => attempts(job, slot).map((row) => (job.name === 'young' && row.slot === '2026-10-20T07:35:00Z' ? fleet.row(job, slot, { status: 'missed', reason: 'no_leader', slots: 11352, slot_until: '2026-10-20T07:50:46Z' }) : row));
    for (const width of [1440, 375]) {
      await withPage({ width }, async (page) => {
        await show(page, url, '#/timeline?zone=utc&last=1h&status=missed');
        await page.evaluate(() => document.querySelector('.grid-body').scrollIntoView());
        await page.locator('.history .grid-row', { hasText: 'to 07:50:46, 11,352 slots' }).waitFor();
        await check(page, 'a row of many slots');
      });
    }
  }));

  test('slots of one row that went wrong a week before are in the hours that it covers', () => withFleet({ fake: 10, whole: true, now: '2026-10-20T08:22:00Z' }, (url, fleet) => withPage({}, async (page) => {
    const job = fleet.jobs.find((one) => one.period <= 60), [first] = fleet.slotsBack(job, Date.parse('2026-10-13T11:00:00Z'), 1), attempts = fleet.attempts.bind(fleet);
    fleet.attempts = (one, slot) => (one === job && slot === first ? [fleet.row(one, slot, { status: 'missed', reason: 'no_leader', slots: 1200, slot_until: new Date(first + 2 * 3_600_000).toISOString() })] : attempts(one, slot).map((row) => ({ ...row, status: 'succeeded', reason: null })));
    await show(page, url, '#/week?zone=utc');
    const bad = page.locator('.heat tbody tr').first().locator('td:has(.bad-mark)');
    await bad.first().waitFor();
    const hours = await bad.evaluateAll((all) => all.map((one) => [one.cellIndex - 1, Number(/(\d+) went wrong/.exec(one.firstElementChild.title)[1])]));
    const from = (first % 3_600_000) / 3_600_000, wanted = [[10, 600 * (1 - from)], [11, 600], [12, 600 * from]].filter(([, slots]) => slots);
    assert.deepEqual(hours, wanted.map(([hour, slots]) => [hour, Math.round(slots)]));
  })));

  test('what changed names a time in which no group had a leader, and none where one has', () => withFleet({ fake: 10, whole: true, now: '2026-10-20T08:22:00Z' }, (url, fleet) => withPage({}, async (page) => {
    const [first] = fleet.groupNames(), at = (clock) => `2026-10-20T${clock}Z`;
    let led = '05:11:30';
    fleet.terms = (group) => [{ group, node: 'host-2', epoch: 2, elected_at: at('08:20:47.909'), ended_at: null, cause: null }, { group, node: 'host-1', epoch: 1, elected_at: at('01:00:00'), ended_at: at(group === first ? led : '05:11:00.041'), cause: 'shutdown' }];
    const rows = page.locator('[aria-labelledby=asked] .row', { hasText: 'known to have led' }), changes = page.locator('[aria-labelledby=asked] .row', { hasText: 'before it host-1' });
    await show(page, url, '#/now?zone=utc');
    await changes.first().waitFor();
    assert.deepEqual((await rows.allTextContents()).map((one) => one.trim()), ['05:11:30no node is known to have led any group until 08:20:47']);
    led = '08:20:40';
    await page.reload();
    await changes.first().waitFor();
    assert.equal(await rows.count(), 0);
  })));

  test('a run that began much later than its slot is named on Now, by its late_after or by a minute', () => withFleet({ fake: 10, young: true, whole: true }, async (url, fleet) => withPage({}, async (page) => {
    fleet.said.quick = { late_after_ms: 2000 };
    fleet.said.young = { late_after_ms: 9000 };
    const attempts = fleet.attempts.bind(fleet);
    fleet.attempts = (job, slot) => attempts(job, slot).map((row) => (job.name === 'slid' && row.started_at ? { ...row, started_at: new Date(slot + 90_000).toISOString() } : row));
    await show(page, url, '#/now');
    const items = page.locator('.attention h3', { hasText: 'Not as expected' }).locator('xpath=following-sibling::ul[1]').locator('.item');
    await items.first().waitFor();
    assert.deepEqual(await items.locator('a.job').allTextContents(), ['quick', 'slid']);
    assert.match((await items.allTextContents()).join(), /quick began 2\.1 s after its slot .*slid began 1 min 30 s after its slot/);
    await items.first().getByRole('link', { name: 'Late run' }).click();
    await page.waitForSelector('h1:has-text("quick")');
  })));

  test('jobs that always start together are named as such, with the nodes that run them; and what ran in an hour a week before is a click away', () => withFleet({ fake: 1, young: true, clash: 4 }, async (url, fleet) => withPage({}, async (page) => {
    await show(page, url, '#/week?zone=utc');
    const pairs = page.locator('section:has(#together) .clash');
    await pairs.first().waitFor();
    assert.equal(await pairs.count(), 1);
    assert.match(await pairs.first().textContent(), new RegExp(`every 5 minutes\\s*4 jobs\\s*${fleet.nodeAt(fleet.byName.get('young'), Date.now())}: quick, slid`));
    await pairs.getByText('8 min').waitFor();
    await page.locator('section:has(#clashes) .clash').first().getByText(/host-\d/).first().waitFor();
    await page.locator('.heat button').nth(2).click();
    await page.getByRole('link', { name: 'What ran a week before' }).click();
    await page.waitForSelector('h1:has-text("Timeline")');
  })));

  test('of a job that grew slow it is said that it is not known since when, where that could not be read', () => withFleet({ fake: 10, young: true, whole: true }, async (url, fleet) => withPage({}, async (page) => {
    const usual = fleet.usual.bind(fleet);
    fleet.usual = (name) => { const { slower_since, ...one } = usual(name); return slower_since ? { ...one, slower_since_failure: 'the disk is slow' } : one; };
    await show(page, url, '#/now');
    await page.locator('.attention .item', { hasText: 'young' }).getByText(/the usual 1\.0 s of \d+ before, since when is not known/).waitFor();
  })));

  test('the next minutes are there, however many jobs are due each few seconds', () => withFleet({ fake: 400, often: Array.from({ length: 30 }, (_, i) => [`tick-${i}`, 30]) }, async (url, fleet) => withPage({}, async (page) => {
    await show(page, url, '#/now');
    const due = page.locator('[aria-labelledby=due]'), rows = due.locator('.row:visible');
    await page.locator('.figures div', { hasText: /^Jobs\d/ }).waitFor();
    await due.locator('summary', { hasText: '30 jobs are due more often than every 5 min' }).waitFor();
    const shown = await rows.locator('.row-time time').evaluateAll((all) => all.map((one) => Date.parse(one.dateTime)));
    assert.ok(shown.length >= 12);
    assert.deepEqual(shown, [...shown].sort((a, b) => a - b));
    const soon = new Set(fleet.jobs.filter((job) => fleet.next(job) && fleet.next(job) < fleet.now() + 8 * 60_000 && job.period > 5).map((job) => job.name)), names = await rows.locator('a.job').allTextContents();
    assert.deepEqual([...soon].filter((name) => !names.includes(name)).slice(0, 40 - names.length), []);
  })));

  test('no run is drawn later than now, however many there are; and a node that does not answer has no slots to come', () => withFleet({ fake: 10, young: true, each: true, now: '2026-10-20T08:22:00Z' }, async (url, fleet) => {
    // Each minute, and each second run fails.
    const young = fleet.byName.get('young'), attempts = fleet.attempts.bind(fleet);
    young.period = 1;
    fleet.attempts = (job, slot) => attempts(job, slot).map((row) => (job === young && row.exit_code === 0 && (slot / 60_000) % 2 ? { ...row, status: 'failed', reason: 'exit_code', exit_code: 1 } : row));
    for (const [width, last] of [[1440, '24h'], [375, '6h']]) {
      await withPage({ width }, async (page) => {
        await show(page, url, `#/timeline?job=young&last=${last}`);
        await page.locator('.chart path.fill-bad').first().waitFor();
        const [now, ...ends] = await page.evaluate(() => [Number(document.querySelector('.now-line').getAttribute('x1')), ...[...document.querySelectorAll('.chart path[class^=fill]')].map((one) => one.getBBox()).map((box) => box.x + box.width)]);
        assert.ok(Math.max(...ends) <= now + 0.1, `${last}: ${ends} after ${now}`);
        // Bars that are drawn over each other are no wider than what they stand for.
        assert.ok(Math.max(...ends) > now - 10, `${last}: ${ends} before ${now}`);
      });
    }
    await withPage({}, async (page) => {
      const planned = page.locator('.chart .planned-line');
      await show(page, url, '#/timeline?last=1h&node=host-2');
      await planned.waitFor();
      const asked = page.waitForResponse((response) => /next\?.*host-3/.test(response.url()));
      await show(page, url, '#/timeline?last=1h&node=host-3');
      assert.ok((await (await asked).json()).slots.length);
      await page.locator('[aria-labelledby=went]').waitFor();
      await page.waitForTimeout(300);
      assert.equal(await planned.count(), 0);
    });
  }));

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

  test('what is due more often than each five minutes comes after the rest, each with its pace', () => withFleet({ fake: 20, often: [['tick', 15], ['tack', 15], ['tock', 20]] }, async (url) => withPage({}, async (page) => {
    await show(page, url, '#/now');
    const due = page.locator('[aria-labelledby=due]'), rows = due.locator('.row');
    await page.locator('.figures div', { hasText: /^Due within the hour\d+ jobs$/ }).waitFor();
    await due.locator('summary', { hasText: '3 jobs are due more often than every 5 min, the next one ' }).click();
    for (const name of ['tick', 'tack']) await rows.filter({ hasText: name }).getByText('every 15 s, 240 times').waitFor();
    await rows.filter({ hasText: 'tock' }).getByText('every 20 s, 180 times').waitFor();
    const names = await due.locator('a.job').allTextContents();
    assert.deepEqual(names.slice(-3).sort(), ['tack', 'tick', 'tock']);
    assert.equal(await due.getByText('or more').count(), 0);
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

  test('a job that runs on each node is listed, and due, on all nodes that have it', () => withFleet({ fake: 20, each: true }, async (url) => withPage({}, async (page) => {
    await show(page, url, '#/jobs?q=trim');
    await page.waitForFunction(() => document.querySelectorAll('.grid-row a.job').length === 2);
    assert.deepEqual(await page.locator('.grid-row a.job').allTextContents(), ['trim@host-1', 'trim@host-2']);
    await show(page, url, '#/now?due=host-2');
    await page.locator('[aria-labelledby=due] a:has-text("trim@host-2")').first().waitFor();
    await page.locator('[aria-labelledby=leaders] .chip:has-text("infra@host-2")').waitFor();
    await show(page, url, '#/job/trim@host-2');
    await page.waitForSelector('h1:has-text("trim@host-2")');
  })));

  test('jobs that take longer than in the week before are told from the others, however long they do so today', () => withFleet({ fake: 100 }, async (url, fleet) => withPage({}, async (page) => {
    let go;
    const gate = new Promise((resolve) => { go = resolve; });
    await page.route(/history\/usual/, (route) => gate.then(() => route.continue()));
    await show(page, url, '#/now');
    await page.getByText('How long jobs take is being compared with what is usual').waitFor();
    go();
    const slower = page.locator('.item-text:has-text("the usual")');
    await slower.first().waitFor();
    for (const text of await slower.allTextContents()) assert.match(text, /its last (3 successes|success) took .+, [\d.]+× the usual .+ of \d+ before/);
    assert.equal(await page.getByText('is being compared').count(), 0);
    for (const name of await slower.locator('a.job').allTextContents()) assert.equal(fleet.byName.get(name).temper, 'slowing');
    await show(page, url, '#/jobs');
    await page.getByRole('button', { name: 'Usual time' }).click();
    await page.waitForFunction(() => /[1-9]\d* slower than usual, \d+ of \d+ jobs compared/.test(document.querySelector('.view-head').textContent));
    const times = (await page.locator('.grid-row').filter({ hasText: 'now ' }).allTextContents()).map((text) => Number(/now ([\d.]+)×/.exec(text)[1]));
    assert.ok(times.length > 1);
    assert.deepEqual(times, [...times].sort((a, b) => b - a), 'the slowest first');
  })));

  test('a job that grew slow an hour ago is slower in the list, by what its own page says, and milliseconds are not', () => withFleet({ fake: 10, young: true }, async (url) => withPage({ width: 1024 }, async (page) => {
    let go;
    const gate = new Promise((resolve) => { go = resolve; });
    await page.route(/history\/usual/, (route) => gate.then(() => route.continue()));
    await show(page, url, '#/jobs?sort=slower');
    await page.getByText('The last successes of each job are being compared with those before').waitFor();
    assert.match(await page.textContent('.view-head'), /Comparing: 0 slower than usual, 0 of 14 jobs compared/);
    go();
    const row = page.locator('.grid-row', { hasText: 'young' });
    await row.getByText('now 9\u00d7').waitFor();
    await page.locator('.grid-row', { hasText: 'slid' }).getByText('now 9\u00d7').waitFor();
    assert.match(await row.textContent(), /1\.0 s/);
    assert.equal(await page.locator('.grid-row', { hasText: 'quick' }).count(), 0);
    await show(page, url, '#/job/young');
    await page.locator('dd', { hasText: /its last 3 successes took 9.0 s, 9\u00d7 the usual 1.0 s of \d+ before, since .*\d\d:\d\d/ }).waitFor();
  })));

  test('a job whose last run took longer than its expect_within is marked, on Now and in Jobs', () => withFleet({ fake: 10, young: true }, async (url, fleet) => withPage({}, async (page) => {
    fleet.said.young = { expect_within_ms: 5000 };
    fleet.said.slid = { expect_within_ms: 60_000 };
    fleet.said.quick = { slow: true, expect_within_ms: 60_000 };
    await show(page, url, '#/now');
    const items = page.locator('.attention ul:has(> li:has-text("expected within")) > .item');
    await items.filter({ hasText: 'young' }).getByText('its last run took 9.0 s: expected within 5.0 s').waitFor();
    await items.filter({ hasText: 'quick' }).getByText('a run goes on for longer: expected within 1 min').waitFor();
    assert.equal(await items.count(), 2);
    for (const [name, mark] of [['young', 'over 5.0 s'], ['quick', 'over 1 min']]) {
      await show(page, url, '#/jobs?q=' + name);
      await page.locator('.grid-row', { hasText: name }).locator('.tag', { hasText: mark }).waitFor();
    }
    await check(page, 'a job that took longer than expected');
  })));

  test('a job that is overdue needs attention, whether a run takes long or not', () => withFleet({ fake: 10, young: true }, async (url, fleet) => withPage({}, async (page) => {
    const overdue_since = new Date(fleet.now() - 3 * 3600_000).toISOString();
    fleet.said.quick = { overdue_since };
    fleet.said.slid = { overdue_since, slow: true, expect_within_ms: 60_000 };
    await show(page, url, '#/now');
    const items = page.locator('.attention ul:has(> li:has-text("overdue")) > .item');
    await items.filter({ hasText: 'quick' }).getByText(/^overdue: no run has succeeded in time, since .*\d\d:\d\d[^;]*$/).waitFor();
    await items.filter({ hasText: 'slid' }).getByText(/since .*\d\d:\d\d.*; a run goes on for longer: expected within 1 min$/).waitFor();
    await check(page, 'a job that is overdue');
  })));

  test('a job whose runs only a node knows that does not answer is said not to have been compared', () => withFleet({ fake: 20 }, async (url, fleet) => withPage({}, async (page) => {
    const hidden = fleet.jobs.filter((job) => !fleet.usual(job.name).usual_ms).map((job) => job.name);
    fleet.faults.away = 'host-2';
    const names = fleet.jobs.filter((job) => !fleet.usual(job.name).usual_ms && !hidden.includes(job.name));
    assert.ok(names.length > 0);
    await show(page, url, '#/now');
    const line = page.locator('.attention p', { hasText: 'Not compared with what is usual' });
    await line.waitFor();
    assert.match(await line.textContent(), /of which too few runs are known here: host-2, host-3 do not answer\.$/);
    await show(page, url, '#/jobs?sort=slower');
    await page.locator('.gaps', { hasText: /Of \d+ jobs too few runs from before are known to compare with: host-2, host-3 do not answer/ }).waitFor();
    await show(page, url, '#/job/' + encodeURIComponent(names[0].name));
    await page.locator('dd', { hasText: 'not compared: host-2, host-3 do not answer' }).waitFor();
  })));

  test('a next slot that has passed is due now, and asked for anew; the last status is that of the newest bar beside it', () => withFleet({ fake: 10, young: true, burst: 2 }, async (url, fleet) => withPage({ expected: ['net::ERR_FAILED'] }, async (page) => {
    const say = (ms) => { fleet.said.quick = { next_slot: new Date(fleet.now() + ms).toISOString(), last_status: 'failed: exit_code' }; };
    say(4000);
    await show(page, url, '#/jobs?q=quick');
    const row = page.locator('.grid-row', { hasText: 'quick' });
    await row.getByText('due now').waitFor();
    assert.match(await row.locator('.status').textContent(), /succeeded|running|claimed/);
    say(7_250_000);
    await row.getByText('in 2 h').waitFor({ timeout: 20_000 });
    await show(page, url, '#/job/quick');
    await page.locator('.slot.planned').first().waitFor();
    await page.route(/jobs\/quick\/slots/, (route) => route.abort());
    fleet.shift += 6 * 60_000;
    await page.locator('.slot.planned', { hasText: 'due now' }).first().waitFor();
  })));

  test('a leader whose predecessors are not known is said to come after their epochs', () => withFleet({ fake: 10, gap: true }, async (url) => withPage({}, async (page) => {
    await show(page, url, '#/now');
    await page.getByText('epoch 4; before it epochs 2 and 3: of nodes that do not answer').first().waitFor();
    assert.equal(await page.getByText('before it host-1').count(), 0);
  })));

  test('an epoch that nobody can have led is not spoken of, nor one before the first that is known', () => withFleet({ fake: 10, gap: 'handed' }, async (url, fleet) => withPage({}, async (page) => {
    await show(page, url, '#/now');
    const changes = page.locator('[aria-labelledby=asked]');
    await changes.getByText('epoch 3; before it host-1: handed back').first().waitFor();
    assert.equal(await changes.getByText(/epochs? 2/).count(), 0);
    Object.assign(fleet.wanted, { gap: 'first', whole: true });
    await page.reload();
    await changes.getByText(/epoch 3$/).first().waitFor();
    assert.equal(await changes.getByText('before it').count(), 0);
  })));

  test('who led before is known by a run of that term, where the node itself does not answer', () => withFleet({ fake: 150, gap: 'ran' }, async (url) => withPage({}, async (page) => {
    await show(page, url, '#/now');
    await page.getByText('epoch 4; before it host-3').first().waitFor();
  })));

  test('the next clash comes first, with how many jobs it is of: those of twelve hours and the heaviest of the week, all of them a press away', () => withFleet({ fake: 600, now: '2026-10-20T08:21:30Z' }, async (url) => withPage({}, async (page) => {
    await show(page, url, '#/week?zone=utc');
    const rows = page.locator('section:has(#clashes) ul').last().locator('.clash'), times = () => rows.evaluateAll((all) => all.map((one) => one.querySelector('time').dateTime));
    await rows.nth(19).waitFor();
    assert.equal(await rows.count(), 20);
    await page.getByText('the 50 heaviest minutes of 12 hours, and of the week').waitFor();
    const { clashes } = await answer(url, 'load?to=2026-10-20T20:00:00Z'), shown = await times();
    assert.equal(Date.parse(shown[0]), Math.min(...clashes.map((one) => Date.parse(one.minute))));
    assert.deepEqual(shown, [...shown].sort());
    const more = page.locator('section:has(#clashes)').getByRole('button', { name: 'show all' }).last(), many = Number((await more.textContent()).split(' ').at(-1));
    await more.click();
    await rows.nth(many - 1).waitFor();
    assert.ok(many > 20 && many === await rows.count(), `${many}`);
    await rows.nth(many - 1).locator('.row-main > .muted b').first().waitFor();
    assert.deepEqual(await times(), (await times()).sort());
    for (const text of await rows.locator('.clash-count').allTextContents()) assert.match(text, /^\d+ jobs$/);
    await check(page, 'all clashes', { axe: false });
  })));

  test('a clash that has passed is not shown as one to come', () => withFleet({ fake: 600, now: '2026-10-20T08:28:45Z' }, async (url, fleet) => withPage({}, async (page) => {
    await show(page, url, '#/week?zone=utc');
    const first = page.locator('section:has(#clashes) ul').last().locator('.clash time').first();
    await first.waitFor();
    const before = await first.getAttribute('datetime');
    await page.route(/v1\/load/, () => {});
    fleet.shift += Date.parse(before) + 61_000 - fleet.now();
    await page.waitForFunction((before) => [...document.querySelectorAll('section:has(#clashes) ul')].at(-1).querySelector('time').dateTime > before, before);
  })));

  test('the hour that goes on shows its clashes, too, and asks for them once', () => withFleet({ fake: 150, now: '2026-10-20T08:21:30Z' }, async (url) => withPage({}, async (page) => {
    const asked = [];
    await show(page, url, '#/week?zone=utc');
    page.on('request', (request) => { if (/v1\/load/.test(request.url())) asked.push(request.url()); });
    await page.locator('.heat button').first().click();
    await page.locator('#clashes', { hasText: 'in the hour from' }).waitFor();
    await page.locator('section:has(#clashes) ul').last().locator('.clash').first().waitFor();
    await page.waitForTimeout(500);
    assert.equal(asked.length, 1);
  })));

  test('the worst clash of the week comes first, if that is wanted', () => withFleet({ fake: 150 }, async (url) => withPage({}, async (page) => {
    await show(page, url, '#/week');
    await page.waitForSelector('.heat button');
    await page.getByRole('button', { name: 'most first' }).click();
    await page.locator('.clash').first().waitFor();
    await page.waitForFunction(() => !document.querySelector('p.empty[aria-hidden=true]'));
    const lists = await page.locator('section:has(#clashes) ul').evaluateAll((all) => all.map((one) => [...one.querySelectorAll('.clash-count')].map((count) => parseInt(count.textContent, 10))));
    assert.equal(lists.length, 2, 'of long jobs, and of all that are due in one minute');
    for (const jobs of lists) {
      assert.ok(jobs.length > 1);
      assert.deepEqual(jobs, [...jobs].sort((a, b) => b - a));
    }
    // In a line, too, those first that clash most often.
    const { clashes } = await answer(url, 'load'), times = {};
    for (const job of clashes.flatMap((one) => one.first_jobs)) times[job] = (times[job] ?? 0) + 1;
    const names = await page.locator('section:has(#clashes) ul').last().locator('.clash').first().locator('a.job').allTextContents(), often = names.map((name) => times[name]);
    assert.deepEqual(often, [...often].sort((a, b) => b - a));
  })));

  test('a group that nothing defines any more is told from one without a leader, and there is nothing of it to pause', () => withFleet({ fake: 60, gone: 'yore' }, async (url) => withPage({}, async (page) => {
    const { groups } = await answer(url, 'groups');
    await show(page, url, '#/now');
    const leaders = page.locator('[aria-labelledby=leaders] li');
    await leaders.filter({ hasText: 'no longer defined' }).getByText('yore').waitFor();
    assert.equal(await leaders.filter({ hasText: 'no leader' }).getByText('yore').count(), 0);
    await page.locator('.figures', { hasText: `${groups.length - 2} of ${groups.length - 1}` }).waitFor();
    const changes = page.locator('[aria-labelledby=asked] .row');
    await changes.filter({ hasText: 'group yore is no longer defined host-2 led it last, epoch 5: handed back' }).waitFor();
    await changes.filter({ hasText: 'host-3 died or was stopped it does not answer (gone)' }).waitFor();
    await leaders.getByText('yore').click();
    await page.getByText('No file defines a job of that group').waitFor();
    assert.equal(await page.locator('label:has-text("Group") select').inputValue(), 'yore');
    assert.equal(await page.getByRole('button', { name: 'Pause' }).count(), 0);
  })));

  test('pauses that stand are there, a group once, by whom, until when and why, and need no attention', () => withFleet({ fake: 60 }, async (url, fleet) => withPage({}, async (page) => {
    const job = fleet.byIndex.get(21).name, one = { of: 'group', since: '2025-03-01T08:00:00Z', by: 'host-1 uid 0', until: '2035-03-09T08:00:00Z', reason: 'the <b>database</b> moves' };
    await show(page, url, '#/now?zone=utc');
    const paused = page.locator('.attention ul:has(> li:has-text("paused since")) > .item'), needs = () => page.textContent('.verdict');
    await paused.filter({ hasText: job }).getByText(/paused since .+ \(1 d 2 h ago\) by token oncall from 10.0.0.7, at host-1, until somebody resumes it/).waitFor();
    await page.locator('.item-text', { hasText: 'the usual' }).first().waitFor();
    const before = await needs();
    for (const { name } of fleet.jobs.filter(({ group }) => group === 'mail')) fleet.said[name] = { state: 'paused', pauses: [one] };
    await page.reload();
    await paused.first().getByText(/^group mail paused since Sat 1 Mar 2025 08:00 .+ by root on host-1, until Fri 9 Mar 2035 08:00: the <b>database<.b> moves$/).waitFor();
    assert.equal(await paused.count(), 2);
    await page.locator('.item-text', { hasText: 'the usual' }).first().waitFor();
    assert.equal(await needs(), before);
    await check(page, 'pauses');
  })));

  test('a job that takes longer than until its next slot needs attention for the slots it skips', () => withFleet({ fake: 10, young: true }, async (url) => withPage({}, async (page) => {
    await show(page, url, '#/now');
    await page.locator('.item', { hasText: 'tight' }).getByText(/skips [678] of its last 1[45] slots: it takes 8 min, and is due every 5 min/).waitFor();
  })));

  test('clashes of the same jobs at a pace are one line, and count jobs', () => withFleet({ fake: 1, young: true, clash: 4 }, async (url) => withPage({}, async (page) => {
    await show(page, url, '#/week');
    await page.locator('.clash', { hasText: /then (mostly )?every \d+ min/ }).first().waitFor();
    for (const text of await page.locator('.clash-count').allTextContents()) assert.match(text, /^[45] jobs$/);
  })));

  test('clashes of the same jobs at no pace are one line, with how many other minutes there are', () => withFleet({ fake: 1, young: true, clash: 4 }, async (url) => withPage({}, async (page) => {
    await page.route(/v1\/load/, async (route) => {
      const response = await route.fetch(), load = await response.json(), [one] = load.clashes, at = Date.parse(one.minute);
      load.clashes = [0, 7, 30, 100].map((minutes) => ({ ...one, minute: new Date(at + minutes * 60_000).toISOString() }));
      await route.fulfill({ response, json: load });
    });
    await show(page, url, '#/week');
    await page.locator('.clash .row-time', { hasText: / and 3 other such minutes$/ }).waitFor();
  })));

  test('the shade of an hour is its share of the fullest one, so that hours that are nearly alike look alike', () => withFleet({ fake: 10 }, async (url) => withPage({}, async (page) => {
    await page.route(/v1\/load/, async (route) => {
      const response = await route.fetch(), load = await response.json();
      load.hours = load.hours.slice(0, 4).map((one, i) => ({ ...one, slots: [1000, 980, 500, 20][i] }));
      await route.fulfill({ response, json: load });
    });
    await show(page, url, '#/week');
    await page.waitForSelector('.heat button');
    const dark = await page.locator('.heat td:has(button)').evaluateAll((all) => all.map((one) => 1 - Number(/srgb (\S+)/.exec(getComputedStyle(one).backgroundColor)[1]))), [most] = dark;
    assert.ok(most > 0.2, `${dark}`);
    for (const [i, share] of [1, 0.98, 0.5, 0.02].entries()) assert.ok(Math.abs(dark[i] / most - share) < 0.02, `${dark}`);
    assert.match(await page.textContent('.legend'), /^0 \s*1,000 slots/);
  })));

  test('a minute in which many jobs are due says how many each node leads, and leads to all of them', () => withFleet({ fake: 600 }, async (url, fleet) => withPage({}, async (page) => {
    await show(page, url, '#/week?zone=utc&order=most');
    const row = page.locator('section:has(#clashes) ul').last().locator('.clash').nth(1), counts = row.locator('.muted.small').first();
    await counts.getByText('host-1').waitFor();
    const jobs = parseInt(await row.locator('.clash-count').textContent(), 10), said = await counts.locator('b').allTextContents();
    assert.ok(jobs > 20 && said.length > 1);
    assert.equal(said.reduce((sum, one) => sum + Number(one), 0), jobs);
    await check(page, 'clashes by node');
    await row.getByRole('link', { name: `and ${jobs - 4} more` }).click();
    await page.locator('.view-head', { hasText: `${jobs} of 600 jobs` }).waitFor();
    const minute = Date.parse(new URLSearchParams((await page.evaluate(() => location.hash)).split('?')[1]).get('due')), due = fleet.dueAt(minute / 60_000).map((job) => job.name);
    for (const name of await page.locator('.grid-row a.job').allTextContents()) assert.ok(due.includes(name), name);
    await check(page, 'jobs of a minute');
    await page.getByRole('button', { name: /^due at / }).click();
    await page.locator('.view-head', { hasText: /^Jobs600 jobs/ }).waitFor();
    await show(page, url, '#/jobs?due=2020-01-01T00:00:00Z');
    await page.getByText('That minute has passed.').waitFor();
  })));

  test('on a telephone the whole week is in sight, and values of jobs are named; all jobs say of when their last slot is', () => withFleet({ fake: 30, young: true, now: '2026-10-20T20:10:00Z' }, async (url) => withPage({ width: 375 }, async (page) => {
    await show(page, url, '#/week?zone=utc');
    await page.waitForSelector('.heat button');
    assert.equal(await page.locator('.heat thead th').count(), 9, 'a day is a column');
    assert.ok(await page.evaluate(() => document.querySelector('.scroll:has(.heat)').scrollWidth <= document.querySelector('.scroll:has(.heat)').clientWidth));
    await check(page, 'the week on a telephone');
    await show(page, url, '#/jobs?q=quick');
    const row = page.locator('.grid-row', { hasText: 'quick' });
    await row.getByText('next').waitFor();
    await row.getByText('takes').waitFor();
    await row.locator('.status + .small time').waitFor();
    await check(page, 'a job on a telephone', { axe: false });
  })));

  test('on a telephone what a node had in hand has the width of the page, and no key of the timeline is torn from its word', () => withFleet({ fake: 150 }, async (url) => withPage({ width: 375 }, async (page) => {
    await show(page, url, '#/timeline?node=host-3');
    const words = page.locator('[aria-labelledby=went] .row-main');
    await words.first().waitFor();
    for (const wide of await words.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width))) assert.ok(wide > 270, `${wide} px`);
    const lines = await page.locator('.legend > span').evaluateAll((all) => all.map((one) => new Set([...one.getClientRects()].map((rect) => rect.top)).size));
    assert.deepEqual(lines, [1, 1, 1, 1, 1, 1, 1]);
    await check(page, 'what a node had in hand, on a telephone');
  })));

  test('of a day what has passed is on top, and slots to come are folded', () => withFleet({ fake: 5, young: true, now: '2026-10-20T08:10:00Z' }, async (url) => withPage({}, async (page) => {
    await show(page, url, '#/job/quick?zone=utc&day=2026-10-20');
    const slots = page.locator('.slots > li');
    await slots.nth(1).locator('.status', { hasText: 'succeeded' }).waitFor();
    assert.match(await slots.first().textContent(), /^1\d\d planned slots$/);
    await slots.first().locator('summary').click();
    await page.locator('.slot.planned').first().waitFor();
  })));

  test('a time in the text of what somebody asked for is written as all others', () => withFleet({ fake: 60 }, async (url, fleet) => withPage({}, async (page) => {
    await show(page, url, `#/job/${fleet.byIndex.get(21).name}?zone=utc`);
    await page.locator('[aria-labelledby=job-asked] .row', { hasText: /paused until Sun 9 Mar 2025 08:00(?!:)/ }).first().waitFor();
  })));

  test('the calendar of a paused job has the slots after its pause, a day of it has them below, and its head says that it is paused', () => withFleet({ fake: 30, now: '2026-11-30T20:22:00Z' }, async (url, fleet) => withPage({}, async (page) => {
    const job = fleet.jobs.find((one) => one.period === 60 && one.temper === 'good'), cell = (text) => page.locator('.calendar a', { hasText: text });
    fleet.pauses.set(job.name, { since: fleet.now(), by: 'host-1 uid 0', until: Date.parse('2026-12-01T06:00:00Z') });
    await show(page, url, `#/job/${job.name}?zone=utc`);
    await cell('Tue 1 Dec: 18 planned').waitFor();
    await cell('Sun 13 Dec: 24 planned').waitFor();
    assert.match(await page.locator('.view-head').textContent(), /paused last slot/);
    assert.match(await page.locator('.slot.planned').last().textContent(), /Tue 1 Dec 06:/);
    await cell('Tue 1 Dec').click();
    await page.locator('.slots summary', { hasText: '18 planned slots' }).waitFor();
    await check(page, 'a paused job');
  })));

  test('a day whose attempts failed and were retried has no letter of a failure: slots that succeeded, and how many attempts were retried', () => withFleet({ fake: 60, whole: true }, async (url, fleet) => withPage({}, async (page) => {
    const today = fleet.now() - (fleet.now() % 86_400_000), days = Array.from({ length: 20 }, (_, i) => today - (i + 1) * 86_400_000);
    const all = fleet.jobs.flatMap((job) => days.map((day) => ({ job, rows: fleet.slotsBack(job, day + 86_400_000, 5000, day).map((slot) => fleet.attempts(job, slot)) })));
    const { job, rows } = all.find(({ rows }) => rows.some((row) => row.length > 1) && rows.every(([row]) => row.status === 'succeeded'));
    const retried = rows.filter((row) => row.length > 1).length;
    await show(page, url, `#/job/${job.name}?zone=utc`);
    const cell = page.locator('.calendar a', { hasText: `${rows.length} succeeded, ${retried} attempt${retried === 1 ? '' : 's'} retried` }).first();
    await cell.waitFor();
    assert.equal((await cell.locator('.day-text').textContent()).trim(), `\u2713${rows.length} \u21bb${retried}`);
    assert.deepEqual((await page.locator('.day-text').allTextContents()).filter((text) => /[A-Z]0/.test(text)), []);
    assert.doesNotMatch(await page.locator('.calendar').textContent(), /\b0 /);
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

  test('hours in which more long jobs run at the same time than in most are marked, and show theirs; short ones do not hide them', () => withFleet({ fake: 600 }, async (url, fleet) => withPage({}, async (page) => {
    await show(page, url, '#/week?zone=utc');
    await page.getByText('the 50 heaviest minutes').waitFor();
    const marked = page.locator('.heat button:has(.clash-mark)'), cells = await page.locator('.heat button').count();
    await marked.first().waitFor();
    assert.ok(await marked.count() < cells / 2, `${await marked.count()} of ${cells}`);
    await marked.last().click();
    const long = page.locator('section:has(#clashes) ul').first().locator('.clash');
    await page.waitForFunction(() => /in the hour/.test(document.querySelector('#clashes').textContent) && document.querySelector('.clash-count'));
    for (const name of await long.locator('a.job').allTextContents()) assert.ok(fleet.usual(name).usual_ms >= 60_000, name);
    assert.match(await long.first().textContent(), /\d min/);
  })));

  test('a job that has the slots of another is not late where it waited for that one', () => withFleet({ fake: 10, young: true }, async (url, fleet) => withPage({}, async (page) => {
    await show(page, url, '#/job/quick');
    await page.getByText('2.1 s late').first().waitFor();
    fleet.said.quick = { after: ['young'], after_status: 'succeeded', slots_of: 'young' };
    await page.reload();
    await page.locator('dt', { hasText: 'Comes after' }).waitFor();
    await page.locator('.slot-facts').first().waitFor();
    assert.equal(await page.getByText('2.1 s late').count(), 0);
    assert.equal(await page.getByText('How late it started').count(), 0);
  })));

  test('what is due is one line a job, so that one that is due often leaves room for the others; jobs are as many as in the list', () => withFleet({ fake: 20, young: true, each: true }, async (url) => withPage({}, async (page) => {
    await show(page, url, '#/now');
    const due = page.locator('[aria-labelledby=due]');
    await due.getByText(/^12 times until \d\d:\d\d\sUTC$/).first().waitFor();
    const names = await due.locator('a.job').allTextContents();
    assert.equal(new Set(names).size, names.length, 'each job once');
    const figure = page.locator('.figures div', { hasText: /^Jobs/ }).locator('dd');
    await page.waitForFunction(() => /\d/.test([...document.querySelectorAll('.figures div')].find((one) => /^Jobs/.test(one.textContent))?.querySelector('dd').textContent));
    const jobs = await figure.textContent();
    await show(page, url, '#/jobs');
    await page.locator('.view-head', { hasText: `${jobs} jobs` }).waitFor();
  })));

  test('a job whose last run somebody has killed does not fail, and why has code and times as such', () => withFleet({ fake: 30, young: true, killed: 'young', prose: true, now: '2026-10-20T08:21:30Z' }, async (url) => withPage({}, async (page) => {
    await show(page, url, '#/now');
    await page.locator('.attention h3', { hasText: 'Failing' }).waitFor();
    assert.equal(await page.locator('.attention .item', { hasText: 'young' }).filter({ hasText: /once|in a row/ }).count(), 0);
    await show(page, url, '#/jobs?q=young');
    await page.locator('.grid-row', { hasText: 'young' }).waitFor();
    await show(page, url, '#/job/quick');
    await page.locator('.slot:not(.planned) button', { hasText: 'why' }).first().click();
    await page.locator('.why code', { hasText: 'ballot why' }).waitFor();
    assert.match(await page.locator('.why').textContent(), /due at Sun 9 Mar 2025 08:00\u00a0UTC/);
    await page.locator('.why a[href="#/job/young"]').waitFor();
    await page.locator('.why a[href="#/run/0123456789ab"]').waitFor();
    assert.equal(await page.locator('.why a').count(), 2);
  })));

  test('after an action all panels of the job say so soon', () => withFleet({ fake: 10, young: true, whole: true }, async (url) => withPage({}, async (page) => {
    await show(page, url, '#/job/quick');
    await page.getByText('Nobody has asked for anything').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause', exact: true }).click();
    const soon = { timeout: 4000 };
    await page.locator('[aria-labelledby=job-asked] .row', { hasText: 'pause' }).waitFor(soon);
    await page.waitForFunction(() => !document.querySelector('.slot.planned'), null, soon);
    await page.getByText('none while it is paused').waitFor(soon);
  })));

  test('a backfill is asked for, shown and stopped', () => withFleet({ fake: 10, young: true }, async (url) => withPage({}, async (page) => {
    await show(page, url, '#/job/quick');
    await page.getByRole('button', { name: 'Backfill' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Slots').selectOption('failed');
    await dialog.getByText('ballot backfill quick --since 24h --failed').waitFor();
    await dialog.getByRole('button', { name: 'Backfill', exact: true }).click();
    await dialog.getByText('backfill of 6 slots, failed').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.locator('.banner', { hasText: '1 slot begun' }).waitFor();
    await check(page, 'a backfill that goes on');
    await page.getByRole('button', { name: 'Stop' }).click();
    await dialog.getByText('ballot backfill quick --stop').waitFor();
    await dialog.getByRole('button', { name: 'Stop', exact: true }).click();
    await dialog.getByText('the backfill is stopped').waitFor();
  })));

  test('a slot that somebody triggered says who', () => withFleet({ fake: 10, young: true }, async (url) => withPage({}, async (page) => {
    await show(page, url, '#/job/quick');
    await page.getByRole('button', { name: 'Trigger' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Trigger', exact: true }).click();
    await page.locator('.slot-words', { hasText: 'by token ci from 127.0.0.1, at host-1' }).waitFor();
  })));

  test('weeks without a slot are one line of the calendar, and each job has its own line of the timeline', () => withFleet({ fake: 60 }, async (url, fleet) => withPage({}, async (page) => {
    await show(page, url, '#/job/' + fleet.byIndex.get(50).name);
    await page.waitForSelector('.calendar .none');
    assert.match(await page.textContent('.calendar .none'), /weeks? without a slot/);
    await show(page, url, '#/timeline?last=1h');
    await page.waitForSelector('.chart path.fill-good');
    const { jobs } = await answer(url, 'jobs?limit=1000'), names = new Set(jobs.map((one) => one.job));
    const named = await page.locator('.chart text.lane-note').allTextContents();
    assert.ok(named.some((name) => names.has(name)));
    // Also those that run where the name is written.
    assert.ok(named.includes('infra-backup'), `${named}`);
  })));

  test('what failed since yesterday is one press away: each job of which a slot did, how often, the first and the last one, and whether it is well again', () => withFleet({ fake: 60, young: true, whole: true, now: '2026-10-20T08:21:30Z' }, async (url, fleet) => withPage({}, async (page) => {
    const from = Date.parse('2026-10-19T00:00:00Z'), bad = (row) => ['failed', 'timed_out', 'killed', 'lost', 'missed'].includes(row.status) && row.reason !== 'operator';
    const wanted = new Map(fleet.jobs.map((job) => [job.name, fleet.slotsBack(job, fleet.now(), 5000, from).map((slot) => fleet.attempts(job, slot)[0])]).filter(([, rows]) => rows.some(bad)));
    await show(page, url, '#/now?zone=utc');
    await page.getByRole('link', { name: 'What failed since yesterday' }).click();
    const rows = page.locator('.failed .grid-row'), named = () => rows.locator('a.job').allTextContents(), title = page.locator('h1');
    await rows.first().waitFor();
    assert.equal(await title.textContent(), 'What failed since yesterday');
    assert.match(await page.textContent('.view-head'), new RegExp(`${wanted.size} jobs, \\d+ of which failed at the last slot; from Mon 19 Oct 00:00, as of 08:2\\d`));
    assert.equal(Number(await page.locator('.failed .grid').getAttribute('aria-rowcount')), wanted.size + 1);
    const before = await named();
    for (const [i, name] of before.entries()) {
      const all = wanted.get(name).filter(bad), text = await rows.nth(i).textContent(), times = await rows.nth(i).locator('time').evaluateAll((list) => list.map((one) => one.dateTime));
      assert.ok(text.includes(`${all.length} time${all.length === 1 ? '' : 's'}`), `${text}: ${all.length}`);
      assert.equal(Date.parse(times[1]), Date.parse(all[0].slot), name);
      const apart = Date.parse(all.at(-1).slot) - Date.parse(times[0]);
      assert.ok(/in the hour after/.test(text) ? apart >= 0 && apart < 3_600_000 : apart === 0, `${name} ${text}`);
    }
    const fails = fleet.jobs.find((job) => job.temper === 'broken').name, well = [...wanted].find(([, all]) => all[0].status === 'succeeded')[0];
    assert.match(await rows.filter({ hasText: fails }).textContent(), /failed fails still, \d+ in a row/);
    assert.match(await rows.filter({ hasText: well }).textContent(), /well again since/);
    await check(page, 'what failed');
    // Later numbers are renewed, and nothing that was there moves: one more fails, and comes last.
    const heading = await title.textContent(), attempts = fleet.attempts.bind(fleet), fresh = fleet.byName.get('quick');
    assert.ok(!before.includes('quick'));
    fleet.attempts = (job, slot) => attempts(job, slot).map((row) => (job === fresh && row.attempt && row.slot === '2026-10-20T08:30:00Z' ? { ...row, status: 'failed', reason: 'exit_code', exit_code: 1 } : row));
    fleet.shift += 15 * 60_000;
    await page.locator('.view-head', { hasText: `${wanted.size + 1} jobs` }).waitFor();
    assert.deepEqual((await named()).slice(0, before.length), before);
    assert.equal(await title.textContent(), heading);
    await rows.filter({ hasText: fails }).locator('a:has(time)').last().click();
    await page.locator('.output').waitFor();
    await page.getByText('In short:').waitFor();
  })));

  test('a job that fails each second slot is not said to fail still, or to be well again, but how many of its last slots did', () => withFleet({ fake: 10, young: true, whole: true, now: '2026-10-20T08:21:30Z' }, async (url, fleet) => withPage({ width: 375, theme: 'dark' }, async (page) => {
    const attempts = fleet.attempts.bind(fleet), fails = { quick: (n) => n % 2, young: (n) => n % 2 === 0, slid: (n) => n > 7 * 288 + 48 };
    const first = Date.parse('2026-10-13T04:00:00Z') / 300_000;
    fleet.attempts = (job, slot) => attempts(job, slot).map((row) => ({ ...row, attempt: 1, status: fails[job.name]?.(slot / 300_000 - first) || (job.name === 'tight' && slot === Date.parse('2026-10-20T08:20:00Z')) ? 'failed' : 'succeeded', reason: null }));
    await show(page, url, '#/failed?zone=utc');
    const row = (name) => page.locator('.failed .grid-row', { hasText: name });
    for (const name of ['quick', 'young']) await row(name).getByText(/^[78] of its last 15$/).waitFor();
    await row('tight').getByText('1 of its last 15').waitFor();
    await row('slid').getByText(/^well again since|^fails still, \d+ in a row$/).waitFor();
    await page.locator('.view-head', { hasText: /, 2 again and again; from/ }).waitFor();
    await check(page, 'jobs that flap');
    await page.setViewportSize({ width: 1024, height: 800 });
    await row('quick').getByText(/^again and again, [78] of its last 15$/).waitFor();
  })));

  test('of a job that failed at the one slot that it had in the time it is said so', () => withFleet({ fake: 10, young: true, whole: true, now: '2026-10-20T08:21:30Z' }, async (url, fleet) => withPage({}, async (page) => {
    const attempts = fleet.attempts.bind(fleet), daily = fleet.jobs.find((job) => fleet.slotsBack(job, fleet.now(), 5, fleet.now() - 86_400_000).length === 1);
    fleet.attempts = (job, slot) => attempts(job, slot).map((row) => ({ ...row, attempt: 1, status: job === daily ? 'failed' : 'succeeded', reason: null }));
    await show(page, url, '#/failed?zone=utc&since=24h');
    await page.locator('.failed .grid-row', { hasText: daily.name }).getByText('its only slot in this time').waitFor();
  })));

  test('a job that has been well for all of the slots that are looked at is well again, since when is not known', () => withFleet({ fake: 10, young: true, whole: true, now: '2026-10-20T08:21:30Z' }, async (url, fleet) => withPage({}, async (page) => {
    await page.route(/history\/strips/, async (route) => {
      const response = await route.fetch(), answer = await response.json();
      for (const strip of answer.strips) if (strip.job === 'quick') for (const row of strip.rows) Object.assign(row, { status: 'succeeded', reason: null });
      await route.fulfill({ response, json: answer });
    });
    const attempts = fleet.attempts.bind(fleet);
    fleet.attempts = (job, slot) => attempts(job, slot).map((row) => ({ ...row, attempt: 1, status: job.name === 'quick' && slot === Date.parse('2026-10-20T06:00:00Z') ? 'missed' : 'succeeded', reason: null }));
    await show(page, url, '#/failed?zone=utc');
    const row = page.locator('.failed .grid-row', { hasText: 'quick' });
    await row.getByText('well again for 100 slots or more').waitFor();
    await row.getByText('1 missed').waitFor();
  })));

  test('of a time without a slot that is known, the page of a job says why there is none', () => withFleet({ fake: 10, young: true, whole: true, now: '2026-10-20T08:21:30Z' }, async (url) => withPage({}, async (page) => {
    const asked = [];
    await page.route(/jobs\/tight\/slots/, async (route) => {
      const response = await route.fetch(), answer = await response.json();
      await route.fulfill({ response, json: { ...answer, past: [], next: null } });
    });
    await page.route(/jobs\/tight\/why/, (route) => { asked.push(new URL(route.request().url()).searchParams.get('slot')); return route.fulfill({ json: { why: 'Its job file says enabled = false: it is never due.' } }); });
    await show(page, url, '#/job/tight?zone=utc&slot=' + encodeURIComponent('2026-10-20T08:20:00Z'));
    await page.locator('#slots, [aria-labelledby=slots]').getByText('Its job file says enabled = false: it is never due.').waitFor();
    assert.deepEqual([...new Set(asked)], ['2026-10-20T08:20:00Z']);
  })));

  test('a slot that was due a moment ago is due still, until what runs is known as of after it', () => withFleet({ fake: 10, young: true, whole: true, now: '2026-10-20T08:24:54Z' }, async (url, fleet) => withPage({}, async (page) => {
    let go, answers = 0;
    const gate = new Promise((resolve) => { go = resolve; });
    await page.route(/v1\/history\?status=running/, async (route) => { if (answers++) await gate; await route.continue(); });
    await page.goto(url + '#/now?zone=utc');
    const due = page.locator('[aria-labelledby=due] .row', { hasText: 'slid' });
    await due.getByText('08:25').waitFor();
    await page.waitForResponse((response) => /v1\/next/.test(response.url()) && fleet.now() > Date.parse('2026-10-20T08:25:02Z'));
    await due.getByText('due now, ').waitFor();
    assert.match(await due.textContent(), /^08:25/);
    go();
    await page.waitForFunction(() => ![...document.querySelectorAll('[aria-labelledby=due] .row')].some((one) => /due now/.test(one.textContent)));
    await due.getByText('08:30').waitFor();
  })));

  test('a pause that somebody asks for elsewhere is on Now within seconds, and so is its end', () => withFleet({ fake: 20, young: true }, async (url, fleet) => withPage({}, async (page) => {
    await show(page, url, '#/now');
    await page.locator('.figures div', { hasText: /^Jobs\d/ }).waitFor();
    const item = page.locator('.attention .item', { hasText: 'quick' }).filter({ hasText: 'paused since' }), log = (kind) => fleet.asked.push({ ...fleet.asked[0], at: new Date(fleet.now()).toISOString(), kind, job: 'quick', by: 'host-2 uid 0', text: null });
    fleet.pauses.set('quick', { since: fleet.now(), by: 'host-2 uid 0' });
    log('pause');
    await item.waitFor({ timeout: 12_000 });
    fleet.pauses.delete('quick');
    log('resume');
    await item.waitFor({ state: 'detached', timeout: 12_000 });
  })));

  const refresh = (page) => page.evaluate(() => import('/page/job-index.js').then((index) => index.refreshJobs(true)));

  test('what is wanted of all jobs while they are asked for is asked for after that', () => withFleet({ fake: 20, young: true }, async (url, fleet) => withPage({}, async (page) => {
    let go, come, first = true;
    const gate = new Promise((resolve) => { go = resolve; }), read = new Promise((resolve) => { come = resolve; });
    await page.route(/v1\/jobs\?/, async (route) => {
      if (!first) return route.continue();
      first = false;
      const response = await route.fetch();
      come();
      await gate;
      await route.fulfill({ response });
    });
    await page.goto(url + '#/now');
    await read;
    fleet.pauses.set('quick', { since: fleet.now(), by: 'host-2 uid 0' });
    await refresh(page);
    go();
    await page.locator('.attention .item', { hasText: 'quick' }).filter({ hasText: 'paused since' }).waitFor({ timeout: 15_000 });
  })));

  test('all jobs are not asked for any more when no view shows them', () => withFleet({ fake: 20, young: true }, async (url) => withPage({}, async (page) => {
    let asked = 0;
    await page.route(/v1\/jobs\?/, async (route) => {
      if (!asked++) await page.waitForTimeout(600);  // it is asked again at the earliest after four times as long
      await route.continue();
    });
    await show(page, url, '#/now');
    await page.locator('.figures div', { hasText: /^Jobs\d/ }).waitFor();
    await refresh(page);
    assert.equal(asked, 1);
    await page.evaluate(() => { location.hash = '#/job/quick'; });
    await page.waitForSelector('h1:has-text("quick")');
    await page.waitForTimeout(3000);
    assert.equal(asked, 1);
  })));

  test('what the letters mean is said on Now, of each of them', () => withFleet({ fake: 20 }, async (url) => withPage({ width: 375, theme: 'dark' }, async (page) => {
    await show(page, url, '#/now');
    await page.locator('summary', { hasText: 'What the letters mean' }).click();
    const words = page.locator('details:has(summary:text("What the letters mean")) .status');
    assert.deepEqual(await words.allTextContents(), ['\u2713succeeded', 'Ffailed', 'Ttimed out', 'Llost', 'Mmissed', 'Kkilled', 'Sskipped', 'Rrunning', 'Cclaimed', 'Qqueued', 'Pplanned']);
    await check(page, 'the letters');
  })));

  test('on a telephone the timeline has an hour unless said, so that its bars are no hairs', () => withFleet({ fake: 20 }, async (url) => withPage({ width: 375 }, async (page) => {
    for (const [hash, last] of [['#/timeline', '1 h'], ['#/timeline?last=6h', '6 h']]) {
      await show(page, url, hash);
      assert.equal(await page.locator('.choice button[aria-pressed=true]').textContent(), last);
    }
  })));

  test('where no range is chosen the timeline of a young fleet has the shortest one with all its history', () => withFleet({ fake: 20, young: true }, async (url, fleet) => withPage({}, async (page) => {
    const knows = fleet.knows.bind(fleet), pressed = (name) => page.locator('.choice button[aria-pressed=true]', { hasText: new RegExp(`^${name}$`) }).waitFor();
    let minutes;
    fleet.knows = (row) => knows(row) && Date.parse(row.slot) > fleet.now() - minutes * 60_000;
    for (const [width, ages] of [[1440, [[10, '15 min'], [40, '1 h'], [90, '6 h']]], [375, [[10, '15 min'], [40, '1 h'], [90, '1 h']]]]) {
      await page.setViewportSize({ width, height: 800 });
      for (const [age, name] of ages) {
        minutes = age;
        await page.goto('about:blank');
        await show(page, url, '#/timeline');
        await pressed(name);
      }
    }
    await check(page, 'the timeline of a young fleet', { axe: false });
    await page.getByRole('button', { name: '24 h' }).click();
    await pressed('24 h');
  })));

  test('whether the fleet is healthy is one sentence on top of Now, and each part of it leads to what it speaks of', () => withFleet({ fake: 60, now: '2026-10-20T08:21:30Z' }, async (url) => withPage({}, async (page) => {
    await show(page, url, '#/now?zone=utc');
    const verdict = page.locator('.verdict');
    await page.waitForFunction(() => !/so far/.test(document.querySelector('.verdict').textContent));
    assert.match(await verdict.textContent(), /^FNot healthy: 1 of 3 nodes does not answer: host-3 since 06:46(:\d\d)?; 1 group has no leader: ml; \d+ jobs? fails?.*; to look at: \d+ slots missed.*\.$/);
    const ends = await verdict.locator('a').evaluateAll((all) => all.map((one) => new URLSearchParams(one.hash.split('?')[1]).get('at'))), places = await page.locator('.attention h3').evaluateAll((all) => all.map((one) => one.id));
    assert.deepEqual(ends.filter((one) => !places.includes(one)), []);
    await verdict.locator('a', { hasText: 'fail' }).first().click();
    await page.waitForFunction(() => document.activeElement.id === 'at-failing');
    assert.ok(!(await page.evaluate(() => location.hash)).includes('at='), 'the view is as it was');
    // Where it leads to is in sight and marked, also of one that was in sight before.
    await verdict.locator('a', { hasText: 'does not answer' }).click();
    await page.waitForFunction(() => document.activeElement.id === 'at-nodes');
    const [top, ring] = await page.locator('#at-nodes').evaluate((one) => [one.getBoundingClientRect().top, getComputedStyle(one).outlineStyle]);
    assert.ok(top > 0 && top < 900 && ring === 'solid', `${top} px, ${ring}`);
    await page.goto('about:blank');
    await show(page, url, '#/now?at=at-groups');
    await page.waitForFunction(() => document.activeElement.id === 'at-groups');
  })));

  test('a fleet in which nothing is wrong is said to be healthy, in words', () => withFleet({ fake: 1, whole: true, now: '2026-10-20T08:21:30Z' }, async (url, fleet) => withPage({}, async (page) => {
    const attempts = fleet.attempts.bind(fleet);
    fleet.attempts = (job, slot) => attempts(job, slot).slice(0, 1).map((row) => (row.status === 'running' ? row : { ...row, attempt: 1, status: 'succeeded', reason: null }));
    await page.route(/v1\/nodes/, async (route) => {
      const response = await route.fetch(), answer = await response.json();
      for (const node of answer.nodes) Object.assign(node, { state: 'up', reasons: [], last_heard: new Date(fleet.now()).toISOString() });
      await route.fulfill({ response, json: answer });
    });
    await show(page, url, '#/now');
    await page.locator('.verdict.good', { hasText: /Healthy: each node answers, each group has a leader, and no job fails/ }).waitFor();
    await show(page, url, '#/failed');
    await page.getByText('Nothing has failed.').waitFor();
  })));

  test('what one has asked for of many jobs in a minute is one row, and what others did beside stays in sight', () => withFleet({ fake: 60, now: '2026-10-20T08:21:30Z' }, async (url, fleet) => withPage({}, async (page) => {
    const [row] = fleet.asked, at = new Date(fleet.now() - 60_000).toISOString();
    for (const { name } of fleet.jobs.slice(0, 20)) fleet.asked.push({ ...row, at, kind: 'pause', job: name, text: null });
    await show(page, url, '#/now');
    const rows = page.locator('[aria-labelledby=asked] .row');
    await rows.filter({ hasText: '20 jobs asked for: pause' }).waitFor();
    await rows.filter({ hasText: /kill.*refused/ }).waitFor();
    await rows.filter({ hasText: 'host-3 died or was stopped' }).waitFor();
    await rows.filter({ hasText: '29 jobs were added' }).waitFor();
    await rows.filter({ hasText: 'was changed retries' }).waitFor();
  })));

  test('an instance of a job of each node whose node does not answer is listed, as such', () => withFleet({ fake: 20, each: true, gone: 'infra@host-3' }, async (url) => withPage({ expected: [404] }, async (page) => {
    await show(page, url, '#/jobs?q=trim');
    const row = page.locator('.grid-row', { hasText: 'trim@host-3' });
    await row.getByText('node away').waitFor();
    await row.getByText('not while host-3 is away').waitFor();
    assert.equal(await page.locator('.tag', { hasText: 'node away' }).count(), 1);
    await check(page, 'an instance of a node that is away');
    await show(page, url, '#/now');
    await page.locator('[aria-labelledby=leaders] li', { hasText: 'led by nobody' }).waitFor();
    assert.equal(await page.locator('.attention .item', { hasText: 'infra@host-3' }).count(), 0);
    await show(page, url, '#/job/trim@host-9');
    await page.getByText('host-9 alone runs it and knows how it is defined').waitFor();
  })));

  test('up to takes a time with seconds', () => withFleet({ fake: 10, young: true, now: '2026-10-20T08:21:30Z' }, async (url) => withPage({}, async (page) => {
    await show(page, url, '#/job/quick?zone=utc');
    await page.locator('input[name=at]').fill('2026-10-20T07:36:12');
    await page.getByRole('button', { name: 'Go' }).click();
    await page.waitForFunction(() => document.querySelector('.slot[aria-current=true] time')?.dateTime === '2026-10-20T07:35:00.000Z');
    // With why, at once.
    await page.locator('.slot[aria-current=true] .why').waitFor();
    assert.equal(await page.locator('input[name=at]').inputValue(), '2026-10-20T07:36:12');
  })));

  test('slots of a job follow right below its calendar and its plots, however much lies beside', () => withFleet({ fake: 10, young: true }, async (url, fleet) => withPage({}, async (page) => {
    for (let i = 0; i < 8; i++) fleet.asked.push({ ...fleet.asked[0], at: new Date(fleet.now() - i * 60_000).toISOString(), job: 'quick' });
    const box = (name) => page.locator(`[aria-labelledby=${name}]`).boundingBox(), bottom = async (name) => { const { y, height } = await box(name); return y + height; };
    await show(page, url, '#/job/quick');
    await page.locator('[aria-labelledby=job-asked] .row').nth(7).waitFor();
    await page.locator('.plot').nth(1).waitFor();
    const calendar = await box('calendar'), slots = await box('slots'), gap = slots.y - Math.max(await bottom('durations'), await bottom('lateness'));
    assert.ok(gap >= 0 && gap < 20, `${gap} px`);
    assert.deepEqual([slots.x, slots.width], [calendar.x, calendar.width]);
    await page.setViewportSize({ width: 1024, height: 800 });
    assert.ok((await box('slots')).y >= Math.max(await bottom('job-definitions'), await bottom('lateness')));
    await check(page, 'a job', { axe: false });
  })));

  test('a plot of a job says what is below the pointer, and a press on it does nothing', () => withFleet({ fake: 10, young: true, now: '2026-10-20T08:21:30Z' }, async (url) => withPage({}, async (page) => {
    await show(page, url, '#/job/young?zone=utc');
    const plot = page.locator('.plot .u-over').first();
    await plot.scrollIntoViewIfNeeded();
    const { x, y, width, height } = await plot.boundingBox();
    await page.mouse.move(x + width - 5, y + height / 2);
    await page.locator('figcaption', { hasText: /^08:20: 9\.0 s, succeeded$/ }).waitFor();
    await page.mouse.dblclick(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + 10, y + 10);
    await page.mouse.up();
    await page.mouse.move(2, 2);
    await page.locator('figcaption', { hasText: 'succeeded not' }).first().waitFor();
    await page.setViewportSize({ width: 375, height: 800 });
    await page.waitForFunction(() => document.querySelector('.plot canvas').getBoundingClientRect().right <= innerWidth);
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

  test('ten thousand jobs are drawn as few elements', () => withFleet({ fake: 10_000, burst: 100 }, async (url) => withPage({}, async (page) => {
    for (const [name, hash] of Object.entries(await views(url))) {
      await show(page, url, hash);
      await check(page, name, { axe: false });
    }
    const heap = await page.evaluate(() => performance.memory?.usedJSHeapSize ?? 0);
    assert.ok(heap < 50e6, `the heap is ${heap}`);
  })));

  test('what a long list is scrolled to comes some rows a frame, so that no frame is long, and is all there', () => withFleet({ fake: 10_000 }, async (url) => withPage({}, async (page) => {
    await show(page, url, '#/jobs');
    await page.getByText('10,000 jobs').waitFor();
    for (const to of [200_000, 100_000, 100_500]) {
      const most = await page.evaluate((top) => new Promise((resolve) => {
        const rows = () => [...document.querySelectorAll('.grid-row')], edges = (one) => one.getBoundingClientRect();
        let before = new Set(rows()), most = 0;
        const look = () => {
          const all = rows(), tall = all.map(edges);
          most = Math.max(most, all.filter((one) => !before.has(one)).length);
          before = new Set(all);
          if (Math.min(...tall.map((one) => one.top)) < 0 && Math.max(...tall.map((one) => one.bottom)) > innerHeight) resolve(most);
          else requestAnimationFrame(look);
        };
        scrollTo(0, top);
        requestAnimationFrame(look);
      }), to);
      assert.ok(most > 0 && most <= 10, `${most} rows in a frame`);
    }
  })));

  test('a timeline that is panned keeps its list while rows are asked for, says nothing of them before, and has the new ones some a frame', () => withFleet({ fake: 10_000 }, async (url) => withPage({}, async (page) => {
    await show(page, url, '#/timeline?last=24h');
    await page.locator('.history .grid-row').nth(5).waitFor();
    const { from, to } = await page.evaluate(() => ({ from: Date.now() - 5 * 3_600_000, to: Date.now() - 3_600_000 })), text = (ms) => new Date(ms).toISOString().slice(0, 19) + 'Z';
    await page.evaluate((hash) => { location.hash = hash; }, `#/timeline?from=${text(from)}&to=${text(to)}`);
    await page.waitForFunction(() => /so far|rows/.test(document.querySelector('.view-head p').textContent) && document.querySelectorAll('.history .grid-row').length > 5);
    await page.evaluate(() => {
      const list = (globalThis.list = document.querySelector('.history .grid')), seen = (globalThis.seen = { most: 0, lost: false });
      let before = new Set(list.querySelectorAll('.grid-row'));
      const look = () => {
        const all = [...document.querySelectorAll('.history .grid-row')];
        seen.most = Math.max(seen.most, all.filter((one) => !before.has(one)).length);
        seen.lost ||= !list.isConnected || document.body.textContent.includes('Nothing is recorded');
        before = new Set(all);
        requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
    let go;
    const gate = new Promise((resolve) => { go = resolve; });
    await page.route(/v1\/history\?/, (route) => gate.then(() => route.continue()));
    await page.focus('.chart');
    for (let i = 0; i < 9; i++) await page.keyboard.press('ArrowLeft');
    await page.waitForFunction(() => !document.querySelector('.history .grid-row'));
    go();
    await page.waitForFunction(() => document.querySelectorAll('.history .grid-row').length > 5);
    const seen = await page.evaluate(() => globalThis.seen);
    assert.ok(!seen.lost && seen.most <= 10, JSON.stringify(seen));
  })));

  test('a list that lies below the window has none of its rows in the document', () => withFleet({ fake: 150 }, async (url) => withPage({}, async (page) => {
    await page.setViewportSize({ width: 1440, height: 200 });
    await show(page, url, '#/timeline');
    await page.waitForSelector('.grid-head');
    assert.ok(await page.evaluate(() => document.querySelector('.grid-body').getBoundingClientRect().top > innerHeight + 200));
    assert.equal(await page.locator('.grid-row').count(), 0);
    await page.evaluate(() => document.querySelector('.grid-body').scrollIntoView());
    await page.waitForFunction(() => document.querySelectorAll('.grid-row').length > 5);
  })));

  test('changes of definitions are there, those of many jobs in one row, and those of a job on its page', () => withFleet({ fake: 150 }, async (url) => withPage({}, async (page) => {
    const { definitions } = await answer(url, 'history/definitions?limit=100');
    assert.equal(definitions.length, 32);
    await show(page, url, '#/now');
    const changes = page.locator('section', { hasText: 'What changed lately' }).last();
    await changes.getByRole('button', { name: / more of / }).click();
    const added = changes.locator('.row', { hasText: '29 jobs were added' });
    assert.equal(await added.locator('a.job').count(), 0);
    await added.locator('summary').click();
    await added.locator('a.job').nth(28).waitFor();
    assert.equal(await added.locator('a.job').count(), 29);
    await added.locator('summary').click();
    await changes.getByText('retries: 0 -> 2, and perhaps other keys').waitFor();
    assert.equal(await changes.locator('.row', { hasText: 'removed' }).locator('a.job').count(), 1, 'on two nodes');
    await changes.getByRole('link', { name: definitions[0].job, exact: true }).first().click();
    await page.locator('section', { hasText: 'How its definition changed' }).last().getByText('retries: 0 -> 2').waitFor();
    await check(page, 'the changes of a job');
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
