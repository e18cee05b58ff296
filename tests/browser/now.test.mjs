// Now in a real browser: nodes, groups, what runs and is due, pauses, what changed lately.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { answer, check, launch, show, usePage, withFleet } from './browser.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const withPage = (options, use) => usePage(browser, options, use);

// Two at a time: much of a test is waiting.
describe('Now', { concurrency: 2 }, () => {
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
});
