// The pages of a job and of a run, in a real browser: calendar, slots and why, plots, what somebody asked for.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { answer, check, launch, show, usePage, withFleet } from './browser.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const withPage = (options, use) => usePage(browser, options, use);

// Two at a time: much of a test is waiting.
describe('a job and a run', { concurrency: 2 }, () => {
  test('of a run that was lost with its node it is not said that it never started', () => withFleet({ fake: 20 }, async (url, fleet) => withPage({}, async (page) => {
    const id = '01a00000-0000-7000-8000-000000000009';
    fleet.byHand.push({ ...fleet.row(fleet.jobs[0], fleet.now() - 60_000, { run_id: id, attempt: 1 }), status: 'lost', reason: 'node_died', started_at: null, ended_at: null, duration_ms: null, output_bytes: 0 });
    await show(page, url, '#/run/' + id);
    const facts = page.locator('[aria-labelledby=facts]');
    await facts.getByText(/not known: only .* has it/).first().waitFor();
    assert.equal(await facts.getByText('never', { exact: true }).count(), 0);
    assert.equal(await page.getByText('It has not started').count(), 0);
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
});
