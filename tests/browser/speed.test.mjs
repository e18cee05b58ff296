// How fast the page is with ten thousand jobs, a hundred thousand rows and a thousand events a second: figures, printed by
// speed.mjs. Only what another machine, or a busy one, does not change is held.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measure } from './speed.mjs';

test('ten thousand jobs with a thousand events a second stay within bounds', async () => {
  const { change, live, wrong } = await measure({ minutes: Number(process.env.MINUTES ?? 3) });
  assert.deepEqual(wrong, []);
  for (const [name, one] of Object.entries(live)) {
    assert.ok(one.heap < 50, `${name}: a heap of ${one.heap} MB`);
    assert.ok(one.elements <= 2000, `${name}: ${one.elements} elements`);
    assert.ok(one.long < 1000, `${name}: a task of ${one.long} ms`);
  }
  for (const [name, one] of Object.entries(change)) assert.ok(one.heading < 2000, `${name} after ${one.heading} ms`);
});
