// The page while something is wrong: events that are cut off, a token that is not good any more, a node, the fleet's history or
// the store away.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { answer, check, launch, show, usePage, views, withFleet } from './browser.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const withPage = (options, use) => usePage(browser, options, use);
const text = (page, selector, wanted) => page.waitForFunction(([where, what]) => [...document.querySelectorAll(where)].some((one) => new RegExp(what).test(one.textContent)), [selector, wanted]);

describe('the page in trouble', { concurrency: 2 }, () => {
  test('a stream that is cut off is said to be, is asked for again more and more rarely, and goes on where it ended', () =>
    withFleet({ fake: 50, burst: 20 }, (url, fleet) => withPage({ expected: [503, 'net::ERR_'] }, async (page) => {
      await show(page, url, '#/now');
      await page.waitForSelector('.stream.live');
      fleet.faults.deaf = true;
      fleet.reset();
      const cut = Date.now();
      await page.waitForSelector('.stream.cut');
      await text(page, '.stream', 'asking each 5 s');
      while (fleet.streamed.length < 3) await page.waitForTimeout(50);
      const [first, second] = fleet.streamed.slice(1).map((one) => one.at);
      assert.ok(first - cut >= 900 && second - first >= 1900, `${first - cut} ms, then ${second - first} ms`);
      // What goes on since meanwhile is caught up with: the list has those that run longest in front.
      const job = fleet.jobs[0], slot = fleet.now() - 2000, id = '01a00000-0000-7000-8000-000000000001';
      fleet.byHand.push({ ...fleet.row(job, slot, { run_id: id, attempt: 1, status: 'running', trigger: 'manual', started_at: new Date(slot - 3_600_000).toISOString() }) });
      fleet.faults.deaf = false;
      await page.waitForSelector('.stream.live');
      // The list is asked for again at the earliest after four times as long as its last answer took.
      await page.waitForSelector(`[aria-labelledby=running] a[href*="${id}"]`, { timeout: 150_000 });
      const last = fleet.streamed.at(-1);
      assert.ok(Number(last.after) > 0, 'it says which event it had last');
    })));

  test('a token that is not good any more is asked for again over the view, which stays', () => withFleet({ fake: 50, token: 'old', burst: 5 }, (url, fleet) =>
    withPage({ expected: [401] }, async (page) => {
      await page.goto(new URL('#/now?since=7d&due=host-1', url).href);
      const field = page.locator('input[name=token]');
      await field.fill('old');
      await field.press('Enter');
      await page.waitForSelector('[aria-labelledby=attention] .item');
      const named = () => page.locator('[aria-labelledby=attention] .item strong').allTextContents(), items = await named(), hash = await page.evaluate(() => location.hash);
      fleet.wanted.token = 'new';
      await page.waitForSelector('dialog[open] input[name=token]');
      const still = await named();
      assert.deepEqual(items.filter((one) => !still.includes(one)), [], 'what was shown is still there');
      assert.equal(await page.locator('.trouble').count(), 0, 'it is said once');
      await field.fill('new');
      await field.press('Enter');
      await page.waitForFunction(() => !document.querySelector('dialog[open]'));
      await page.waitForResponse((response) => response.url().includes('/api/v1/history') && response.status() === 200);
      assert.equal(await page.evaluate(() => location.hash), hash);
    })));

  test('while a node that lives is slow to answer, Now shows what it knew, as of when', () => withFleet({ fake: 60, burst: 5, now: '2026-10-20T08:20:00Z' }, (url, fleet) => withPage({}, async (page) => {
    const of = fleet.jobs.find((job) => job.temper === 'broken'), node = fleet.nodeAt(of, fleet.now()), id = '01a00000-0000-7000-8000-000000000011';
    fleet.byHand.push({ ...fleet.row(of, fleet.now() - 5000, { run_id: id, attempt: 1, status: 'running', trigger: 'manual', started_at: new Date(fleet.now() - 3_600_000).toISOString() }) });
    await show(page, url, '#/now');
    const failing = page.locator('.attention .item', { hasText: of.name }), run = page.locator('[aria-labelledby=running] .row', { has: page.locator(`a[href*="${id}"]`) });
    await failing.first().waitFor();
    await run.waitFor();
    // All is answered, not a part.
    await page.getByText('counted at').waitFor();
    assert.equal(await page.getByText('as of').count(), 0);
    // Not between the questions of which an answer is made.
    await page.waitForResponse((response) => /strips.*last=15/.test(response.url()));
    await page.waitForTimeout(1500);
    await page.waitForResponse((response) => /history\?status=running/.test(response.url()));
    await page.waitForTimeout(300);
    fleet.faults.away = node;
    fleet.byHand.length = 0;
    fleet.shift += 50_000;
    await failing.getByText(/as of .*\d\d:\d\d:\d\d/).first().waitFor();
    await run.getByText(/as of .*\d\d:\d\d:\d\d/).waitFor();
    await check(page, 'what a slow node knew');
    fleet.faults.away = null;
    await page.waitForFunction(() => !/as of/.test(document.querySelector('.attention').textContent));
    assert.ok(await failing.count());
    await run.waitFor({ state: 'detached' });
  })));

  test('each view names a node that is away and a store that does not answer, and says of when it is or why the history did not answer', () => withFleet({ fake: 100 }, async (url, fleet) => {
    const all = await views(url), { week, ...ofHistory } = all;
    await withPage({}, async (page) => {
      Object.assign(fleet.faults, { asOf: fleet.now() - 30_000, store: 'in doubt' });
      for (const hash of Object.values(all)) {
        await show(page, url, hash);
        await text(page, '.gaps', 'host-3 .*does not answer. What ran there is missing here');
        await text(page, '.trouble', 'host-1 has no session with its store .etcd: in doubt.*no answer for 12 s');
        if (hash !== week) await text(page, '.gaps', 'As of .*history');
      }
      Object.assign(fleet.faults, { asOf: null, store: null, history: 'connection refused' });
      for (const hash of Object.values(ofHistory)) {
        await show(page, url, hash);
        await text(page, '.gaps', 'history does not answer .connection refused., so the nodes were asked');
      }
      await page.waitForFunction(() => !document.querySelector('.trouble'));
    });
  }));

  test('what needs attention stays as it is while a node does not answer once, and a job fails since the same time half an hour later', () => withFleet({ fake: 150 }, (url, fleet) => withPage({}, async (page) => {
    await show(page, url, '#/now?zone=utc');
    // A job that fails all the time, and since when, whatever day it is half an hour later; what fails now and then may have recovered.
    const failing = async () => (await page.locator('[aria-labelledby=attention] .item-text').allTextContents()).filter((one) => /in a row/.test(one) && fleet.byName.get(one.split(' ')[0])?.temper === 'broken').map((one) => one.replace(/, (at least )?\d+.*/, '').replace(/since \w+ \d+ \w+ /, 'since '));
    const asked = async () => { await page.waitForResponse((response) => response.url().includes('/history/summary')); await page.waitForTimeout(500); };
    await text(page, '.item-text', 'in a row');
    const before = await failing();
    const same = async (when) => assert.deepEqual((await failing()).filter((one) => before.includes(one)), before, when);
    fleet.faults.away = 'host-1';
    await page.waitForResponse((response) => response.url().includes('history?status=running'));
    assert.ok(!(await page.locator('.gaps').allTextContents()).some((one) => one.includes('host-1')));
    await asked();
    await same('while a node does not answer');
    fleet.faults.away = null;
    fleet.shift += 30 * 60_000;
    await asked();
    await same('half an hour later');
  })));

  // Whatever is led by a node that then goes, with its history: `heard` minutes ago.
  const lose = (fleet, job, heard) => Object.assign(fleet.faults, { away: fleet.nodeAt(job, fleet.now()), heard: fleet.now() - heard * 60_000 });

  test('a job that fails since before its node went is said to do so for at least so many slots, and not since the first that is known', () => withFleet({ fake: 60, whole: true }, (url, fleet) => withPage({}, async (page) => {
    const job = [3, 12].map((index) => fleet.byIndex.get(index)).find((one) => fleet.nodeAt(one, fleet.deadSince - 1) === fleet.nodeAt(one, fleet.now()));
    lose(fleet, job, 130);
    const item = page.locator('[aria-labelledby=attention] .item', { hasText: job.name }), said = async () => /for at least (\d+) slots: .+; its last success is not known, as host-\d does not answer/.exec(await item.textContent());
    await show(page, url, '#/now');
    await item.getByText('for at least').waitFor();
    const slots = Number((await said())[1]);
    assert.ok(slots >= 8, `${slots} slots`);
    fleet.shift += 30 * 60_000;
    await page.reload();
    await item.getByText(`for at least ${slots + 2} slots`).waitFor();
    assert.doesNotMatch(await item.textContent(), /since/);
  })));

  test('a job that failed is said to have done so at least so often where a node does not answer that lived since its last success', () => withFleet({ fake: 60 }, (url, fleet) => withPage({}, async (page) => {
    const job = [3, 12].map((index) => fleet.byIndex.get(index)).find((one) => fleet.nodeAt(one, fleet.now()) === 'host-1') ?? fleet.byIndex.get(3);
    let bad = 2;
    await page.route(/history\/strips/, async (route) => {
      const response = await route.fetch(), answer = await response.json();
      for (const strip of answer.strips) if (strip.job === job.name) strip.rows = strip.rows.slice(0, bad + 1).map((row, i) => (i < bad ? row : { ...row, status: 'succeeded', reason: null }));
      await route.fulfill({ response, json: answer });
    });
    const item = page.locator('[aria-labelledby=attention] .item', { hasText: job.name });
    await show(page, url, '#/now');
    await item.getByText(/since .*, 2 in a row: /).waitFor();
    fleet.faults.away = fleet.nodeAt(job, fleet.now()) === 'host-1' ? 'host-2' : 'host-1';
    await page.reload();
    await item.getByText(new RegExp(`since .*, at least 2 in a row: .+; ${fleet.faults.away} does not answer$`)).waitFor();
    bad = 1;
    await page.reload();
    await item.getByText(/since .*, at least once: .+; /).waitFor();
  })));

  test('of an instance of a job of each node its own node knows all, whichever other one does not answer', () => withFleet({ fake: 10, each: true }, (url, fleet) => withPage({}, async (page) => {
    fleet.byName.get('trim@host-1').temper = 'broken';
    const item = page.locator('[aria-labelledby=attention] .item', { hasText: 'trim@host-1' });
    await show(page, url, '#/now');
    await item.getByText(/not one success since .*, \d\d\d in a row: /).waitFor();
    const { rows: [last] } = await answer(url, 'history?job=trim@host-1&status=succeeded&limit=1'), slots = (fleet.now() - Date.parse(last.slot)) / 300_000;
    assert.ok(Math.abs(Number(/(\d+) in a row/.exec(await item.textContent())[1]) - slots) < 2, `${slots} slots`);
    assert.doesNotMatch(await item.textContent(), /known|does not answer/);
  })));

  test('a node of which the store has no more than its record is said to have lived until then or later, and until what is known of its runs, everywhere the same', () => withFleet({ fake: 150, now: '2026-10-20T08:20:00Z' }, (url, fleet) => withPage({}, async (page) => {
    const early = new Date(fleet.deadSince - 3 * 3_600_000).toISOString();
    await page.route(/v1\/(nodes|status|history|terms|requests|jobs)/, async (route) => {
      const response = await route.fetch(), text = await response.text();
      if (!/"last_heard"/.test(text)) return route.fulfill({ response, body: text });
      const answer = JSON.parse(text);
      for (const one of [...(answer.nodes ?? []), ...(answer.missing ?? [])]) if (one.node === 'host-3') Object.assign(one, { last_heard: early, heard_by: 'record' });
      await route.fulfill({ response, json: answer });
    });
    const { rows } = await answer(url, 'history?status=lost&limit=100'), slot = rows.map((row) => row.slot).sort().at(-1).slice(11, 16);
    await show(page, url, '#/now?zone=utc');
    await page.getByText('counted at').waitFor();
    await text(page, '.attention .item', 'host-3 does not answer .gone., last heard 1 h.* ago or later');
    await text(page, '.gaps', 'host-3 .heard 1 h.* ago or later. does not answer');
    const [since, changed, item, gap] = await page.evaluate(() => {
      const find = (where, words) => [...document.querySelectorAll(where)].find((one) => one.textContent.includes(words)), ago = (one) => /heard (.* ago)/.exec(one.textContent)[1];
      return [find('.verdict', 'host-3 since').querySelector('time').dateTime, find('[aria-labelledby=asked] .row', 'host-3 died or was stopped then or later').querySelector('time').dateTime, ago(find('.attention .item', 'host-3 does not answer (gone)')), ago(find('.gaps', 'host-3'))];
    });
    assert.equal(since, changed);
    assert.equal(item, gap);
    assert.ok(since.slice(11, 16) >= slot, `${since} is before ${slot}`);
    await page.evaluate(() => { location.hash = '#/failed'; });
    await text(page, 'h1', 'What failed');
    await text(page, '.gaps', 'host-3 .heard 1 h');
    await page.evaluate(() => { location.hash = '#/timeline?node=host-3&last=6h'; });
    await text(page, '[aria-labelledby=went]', 'last heard');
    await page.waitForFunction((since) => document.querySelector('[aria-labelledby=went] .aside time').dateTime >= since, since);
    await text(page, '.gaps', 'host-3 .heard 1 h');
    // What ended there by itself was in hand no more, though it ended after the record was written; and no run is there twice.
    const went = page.locator('[aria-labelledby=went] .row');
    await went.first().waitFor();
    assert.deepEqual((await went.allTextContents()).filter((one) => !/^L?lost|R?running/.test(one)), []);
    await page.evaluate(() => document.querySelector('.grid-body')?.scrollIntoView());
    await page.locator('.history .grid-row .code a').first().waitFor();
    const runs = (where) => page.locator(where).evaluateAll((all) => all.map((one) => one.hash)), listed = await runs('.history .grid-row .code a');
    assert.deepEqual((await runs('[aria-labelledby=went] a.code')).filter((one) => listed.includes(one)), []);
  })));

  test('a group of a node that does not answer is led by nobody, and not without a definition', () => withFleet({ fake: 60, gone: 'infra@host-3' }, (url) => withPage({}, async (page) => {
    await show(page, url, '#/now');
    const leaders = page.locator('[aria-labelledby=leaders] li');
    await leaders.filter({ hasText: 'led by nobody: only its own node does, which does not answer' }).getByText('infra@host-3').waitFor();
    assert.equal(await leaders.filter({ hasText: 'no longer defined' }).count(), 0);
    await page.locator('[aria-labelledby=asked] .row', { hasText: 'no node leads infra@host-3 any more host-2 led it last' }).waitFor();
    await leaders.getByText('infra@host-3').click();
    await text(page, '.gaps', 'host-3 does not answer: the instances there of jobs of each node are not listed, and nobody else runs them');
    assert.equal(await page.getByText('No file defines').count(), 0);
  })));

  test('of jobs without a leader it is said that those of a node are not listed which does not answer', () => withFleet({ fake: 20, each: true }, (url) => withPage({}, async (page) => {
    await show(page, url, '#/jobs?state=leaderless');
    await text(page, '.gaps', 'host-3 does not answer: the instances there of jobs of each node are not listed, and nobody else runs them');
    await show(page, url, '#/jobs');
    await page.locator('.grid-row').first().waitFor();
    assert.equal(await page.getByText('the instances there').count(), 0);
  })));

  test('what needs attention does not wait until the failures of thirty days are counted, and they are not counted with each poll', () => withFleet({ fake: 60, whole: true }, (url, fleet) => withPage({}, async (page) => {
    const job = [3, 12].map((index) => fleet.byIndex.get(index)).find((one) => fleet.nodeAt(one, fleet.deadSince - 1) === fleet.nodeAt(one, fleet.now()));
    lose(fleet, job, 330);
    let go, asked = 0;
    const gate = new Promise((resolve) => { go = resolve; });
    await page.route(/history\/summary\?job=/, (route) => { asked++; return gate.then(() => route.continue()); });
    const item = page.locator('[aria-labelledby=attention] .item', { hasText: job.name });
    await show(page, url, '#/now');
    await item.getByText('for at least 15 slots').waitFor();
    await page.waitForResponse((response) => /history.summary\?since/.test(response.url()));
    await page.waitForResponse((response) => /history.strips/.test(response.url()));
    go();
    await item.getByText(/for at least 2\d slots/).waitFor();
    assert.equal(asked, 1);
  })));

  test('a group that elects a leader is no trouble before that takes longer than it should', () => withFleet({ fake: 60, timeout: 60_000 }, (url, fleet) => withPage({}, async (page) => {
    fleet.faults.electing = 'db';
    const leaders = page.locator('[aria-labelledby=leaders] li'), trouble = page.locator('[aria-labelledby=attention] .item', { hasText: 'has no leader' });
    await show(page, url, '#/now');
    await leaders.filter({ hasText: 'no leader known yet' }).getByText('db', { exact: true }).waitFor();
    await page.locator('.figures', { hasText: /\d of \d so far/ }).waitFor();
    await trouble.filter({ hasText: 'ml' }).waitFor();
    assert.equal(await trouble.count(), 1, 'only of the one that the daemon says to have none');
    await check(page, 'an election');
    await show(page, url, '#/jobs?group=db');
    await page.locator('.grid-row .tag', { hasText: 'no leader known yet' }).first().waitFor();
    assert.equal(await page.locator('.tag.bad', { hasText: 'no leader' }).count(), 0);
    await show(page, url, '#/now');
    fleet.shift += 130_000;
    await trouble.filter({ hasText: 'db' }).waitFor();
    await leaders.filter({ hasText: 'no leader' }).getByText('db', { exact: true }).waitFor();
    fleet.faults.electing = null;
    await page.waitForFunction(() => !/known yet|so far|db has no leader/.test(document.querySelector('main').textContent));
  })));

  test('a node that has just started is not in trouble, and others are not away before it knows of them', () => withFleet({ fake: 20, whole: true }, (url, fleet) => withPage({}, async (page) => {
    fleet.faults.starts = true;
    await show(page, url, '#/now');
    await text(page, '.gaps', 'host-1 has just started, and opens its session with the store .etcd.');
    assert.equal(await page.locator('.trouble').count(), 0);
    await page.locator('[aria-labelledby=leaders] li', { hasText: 'no leader known yet' }).waitFor();
    assert.equal(await page.locator('.attention h3', { hasText: /Nodes|Groups/ }).count(), 0);
    assert.equal(await page.getByText(/^no leader$/).count(), 0);
    await check(page, 'a node that has just started', { axe: false });
    fleet.faults.starts = false;
    await page.waitForFunction(() => !/has just started/.test(document.querySelector('main').textContent));
  })));

  test('what a node that is away may know is not denied: no run is known, none could be compared, no request is known', () => withFleet({ fake: 40, young: true, whole: true }, (url, fleet) => withPage({}, async (page) => {
    const young = fleet.byName.get('young');
    lose(fleet, young, 40);
    fleet.asked = [];
    await show(page, url, '#/jobs?sort=slower');
    await page.getByText(/[1-9]\d* of 44 jobs compared/).waitFor();
    await text(page, '.gaps', 'Of \\d+ jobs too few runs from before are known to compare with: host-. does not answer');
    assert.equal(await page.locator('.grid-row', { hasText: 'young' }).count(), 0);
    await show(page, url, '#/jobs');
    await text(page, '.grid-row', 'no run known');
    assert.equal(await page.getByText('never ran').count(), 0);
    await show(page, url, '#/job/young');
    await text(page, '[aria-labelledby=job-asked]', 'No request of seven days is known: host-. does not answer');
  })));

  test('slots that only a node has which is away are a line of their own, and its lane is hatched; what it had in hand may not be known', () => withFleet({ fake: 40, young: true, whole: true }, (url, fleet) => withPage({}, async (page) => {
    const job = fleet.byName.get('young'), away = fleet.nodeAt(job, fleet.now()), other = ['host-1', 'host-2'].find((one) => one !== away);
    // Another led it before, and leads it now.
    const nodeAt = fleet.nodeAt.bind(fleet), epochAt = fleet.epochAt.bind(fleet), early = fleet.now() - 80 * 60_000;
    fleet.nodeAt = (one, at) => (one === job && at < early ? other : nodeAt(one, at));
    fleet.epochAt = (one, at) => epochAt(one, at) - (one === job && at < early ? 1 : 0);
    lose(fleet, job, 40);
    await show(page, url, '#/job/young');
    await text(page, '.slot.unknown', '^.+\u2013.+[78] slots, not known here: host-. does not answer');
    assert.equal(await page.locator('.slot.unknown').count(), 2, 'in between, and before');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause', exact: true }).click();
    await text(page, '.slot.unknown', '^since .*paused: slots of that time are skipped');
    await show(page, url, '#/timeline?last=6h&node=' + away);
    await page.waitForSelector('.chart rect.unknown');
    await text(page, '.lane-away', 'most of what it ran is not known here');
    await text(page, '[aria-labelledby=went]', `In hand when ${away} went.*last heard.*Nothing that others know of.*${away} does not answer`);
    await check(page, 'the timeline of a node that is away');
  })));

  test('what a node that is away had in hand is there with what became of it', () => withFleet({ fake: 150 }, (url) => withPage({}, async (page) => {
    await show(page, url, '#/timeline?last=1h&node=host-3');
    await page.locator('[aria-labelledby=went] .row', { hasText: 'host-3 died; whether the run ended is not known' }).first().waitFor();
    await check(page, 'what a node had in hand');
  })));

  test('runs that ended with the term of a node that went were in its hand, though its runner was heard of after them', () => withFleet({ fake: 150 }, (url) => withPage({}, async (page) => {
    await page.route(/\/history\?/, async (route) => {
      const response = await route.fetch(), json = await response.json();
      for (const row of json.rows) if (row.status === 'lost') Object.assign(row, { status: 'killed', reason: 'leadership_lost', ended_at: new Date(Date.parse(row.ended_at) - 20_000).toISOString() });
      await route.fulfill({ response, json });
    });
    await show(page, url, '#/timeline?last=1h&node=host-3');
    await page.locator('[aria-labelledby=went] .row', { hasText: 'no longer led' }).first().waitFor();
  })));

  test('a job that no file defines any more is no longer defined, though only a node that does not answer has its removal', () => withFleet({ fake: 60 }, (url, fleet) => withPage({}, async (page) => {
    const at = new Date(fleet.now() - 10_800_000).toISOString();
    fleet.definitions = () => ['legacy', fleet.jobs[0].name].map((job) => ({ at, job, group: 'infra', change: 'added', nodes: ['host-1'], digest: 'd', digest_before: null, text: 'schedule: 0 3 * * *' }));
    await show(page, url, '#/now');
    await page.locator('[aria-labelledby=asked] .row', { hasText: 'legacy is no longer defined since when host-3 may know, which does not answer' }).waitFor();
    assert.equal(await page.locator('[aria-labelledby=asked] .row', { hasText: 'no longer defined' }).count(), 1);
  })));

  test('of a run whose outcome alone is known it is said which node has the rest', () => withFleet({ fake: 40, young: true, whole: true }, (url, fleet) => withPage({}, async (page) => {
    const job = fleet.byName.get('young'), [row] = fleet.attempts(job, fleet.slotsBack(job, fleet.now() - 60 * 60_000, 1)[0]);
    lose(fleet, job, 40);
    await show(page, url, '#/run/' + row.run_id);
    await text(page, 'dd', `^not known: only ${row.node} has it`);
    await text(page, '[aria-labelledby=output]', `What it printed is not known: only ${row.node} has it; ${row.node} does not answer`);
    assert.equal(await page.getByText(/not started|not yet|0 bytes/).count(), 0);
  })));

  test('a run that is lost is closed, so that nobody is told to close it; one that is open in the store can be', () => withFleet({ fake: 150 }, (url, fleet) => withPage({}, async (page) => {
    const { rows: [lost] } = await answer(url, 'history?status=lost&limit=1'), job = fleet.jobs.find((one) => one.temper === 'running' && fleet.attempts(one, fleet.slotsBack(one, fleet.now(), 1)[0])[0].status === 'running');
    await show(page, url, '#/run/' + lost.run_id);
    await text(page, 'main', 'whether the run ended is not known');
    assert.equal(await page.getByText('ballot forget').count(), 0);
    const [open] = fleet.attempts(job, fleet.slotsBack(job, fleet.now(), 1)[0]);
    lose(fleet, job, 0);
    await show(page, url, '#/run/' + open.run_id);
    await page.getByText('ballot forget ' + open.run_id).waitFor();
  })));

  test('while the daemon is away the view stays, says how old it is, and goes on when it is back', () => withFleet({ fake: 50, burst: 5 }, (url, fleet) => withPage({ expected: [502] }, async (page) => {
    await show(page, url, '#/now');
    await page.waitForSelector('[aria-labelledby=running] .row');
    fleet.faults.down = true;
    await text(page, '.stream.silent', 'no answer');
    await text(page, '.trouble', 'What is shown is of');
    assert.ok(await page.locator('[aria-labelledby=running] .row').count(), 'what was shown is still there');
    // No run is said to go on longer than its node was heard of.
    await text(page, '[aria-labelledby=running] .row', 'not heard for');
    const lasted = () => page.locator('[aria-labelledby=running] .row .num').allTextContents(), before = await lasted();
    await page.waitForTimeout(1500);
    assert.deepEqual(await lasted(), before);
    fleet.faults.down = false;
    await page.waitForFunction(() => !document.querySelector('.trouble, .stream.silent'));
  })));
});
