// The timeline in a real browser.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { check, launch, show, usePage, withFleet } from './browser.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const withPage = (options, use) => usePage(browser, options, use);

// Two at a time: much of a test is waiting.
describe('the timeline', { concurrency: 2 }, () => {
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

  test('on a telephone what a node had in hand has the width of the page, and no key of the timeline is torn from its word', () => withFleet({ fake: 150 }, async (url) => withPage({ width: 375 }, async (page) => {
    await show(page, url, '#/timeline?node=host-3');
    const words = page.locator('[aria-labelledby=went] .row-main');
    await words.first().waitFor();
    for (const wide of await words.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width))) assert.ok(wide > 270, `${wide} px`);
    const lines = await page.locator('.legend > span').evaluateAll((all) => all.map((one) => new Set([...one.getClientRects()].map((rect) => rect.top)).size));
    assert.deepEqual(lines, [1, 1, 1, 1, 1, 1, 1]);
    await check(page, 'what a node had in hand, on a telephone');
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
});
