// The week in a real browser: heat by hours, clashes.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { answer, check, launch, show, usePage, withFleet } from './browser.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const withPage = (options, use) => usePage(browser, options, use);

// Two at a time: much of a test is waiting.
describe('the week', { concurrency: 2 }, () => {
  test('a day of twenty-five hours is a row of its own length, and the hour that comes twice is there once', () =>
    withFleet({ fake: 50, now: '2026-10-23T10:00:00Z' }, async (url) => withPage({}, async (page) => {
      await show(page, url, '#/week?zone=here');
      await page.waitForSelector('.heat');
      assert.match(await page.textContent('.heat'), /25 h/);
    })));

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
});
