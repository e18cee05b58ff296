// What needs attention, in a real browser: jobs that failed, flap, are slow, late or overdue; the view Failed; whether the fleet
// is healthy.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { check, launch, show, usePage, withFleet } from './browser.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const withPage = (options, use) => usePage(browser, options, use);

// Two at a time: much of a test is waiting.
describe('what needs attention', { concurrency: 2 }, () => {
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

  test('an error of a job file that several nodes have is one line, and a slot that nobody claimed has both causes', () => withFleet({ fake: 60, finding: true, unclaimed: true }, async (url) => withPage({}, async (page) => {
    await show(page, url, '#/now');
    const line = page.locator('.item', { hasText: 'late.toml' });
    assert.equal(await line.count(), 1);
    assert.equal(await line.locator('.item-text').textContent(), "host-1, host-2 are degraded: an error in the job files: late.toml:3:15: schedule: hour is 0 to 23, not '25'");
    await page.locator('.item', { hasText: 'its leader had died and none led yet, or the store did not answer (unclaimed)' }).waitFor();
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

  test('of a job that grew slow it is said that it is not known since when, where that could not be read', () => withFleet({ fake: 10, young: true, whole: true }, async (url, fleet) => withPage({}, async (page) => {
    const usual = fleet.usual.bind(fleet);
    fleet.usual = (name) => { const { slower_since, ...one } = usual(name); return slower_since ? { ...one, slower_since_failure: 'the disk is slow' } : one; };
    await show(page, url, '#/now');
    await page.locator('.attention .item', { hasText: 'young' }).getByText(/the usual 1\.0 s of \d+ before, since when is not known/).waitFor();
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

  test('a job that takes longer than until its next slot needs attention for the slots it skips', () => withFleet({ fake: 10, young: true }, async (url) => withPage({}, async (page) => {
    await show(page, url, '#/now');
    await page.locator('.item', { hasText: 'tight' }).getByText(/skips [678] of its last 1[45] slots: it takes 8 min, and is due every 5 min/).waitFor();
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
});
