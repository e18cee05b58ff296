// The list of jobs in a real browser.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { check, launch, show, usePage, views, withFleet } from './browser.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const withPage = (options, use) => usePage(browser, options, use);

// Two at a time: much of a test is waiting.
describe('the list of jobs', { concurrency: 2 }, () => {
  test('on a telephone the table of attempts scrolls within itself, and shades the edge where it goes on', () => withFleet({ fake: 60 }, async (url) => withPage({ width: 375 }, async (page) => {
    await show(page, url, (await views(url)).run);
    const table = page.getByRole('region', { name: 'Table of attempts' });
    await table.scrollIntoViewIfNeeded();
    const [more, layers] = await table.evaluate((one) => [one.scrollWidth - one.clientWidth, getComputedStyle(one).backgroundAttachment]);
    assert.ok(more > 0);
    assert.equal(layers, 'local, local, scroll, scroll');
    await check(page, 'a run on a telephone', { axe: false });
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
});
