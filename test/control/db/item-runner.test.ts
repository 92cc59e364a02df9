import { expect, it } from 'vitest';
import { createItemRunner, type ItemRunnerOptions, type JobItem } from '../../../control/db/item-runner.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { log } from '../calls/call-fixture.ts';

const item = (id: string, workspace_id = `w-${id}`): JobItem => ({ id, workspace_id });
const lockTimeout = () => Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });

/** A runner whose items the test ends. */
function runner(more: Partial<ItemRunnerOptions> = {}) {
  const clock = createVirtualClock();
  const items = createItemRunner({ name: 'test', idField: 'id', clock, log, random: () => 1, ...more });
  const started: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const work = ({ id }: JobItem) => {
    started.push(id);
    return new Promise<void>((resolve, reject) => ends.set(id, (error) => (error ? reject(error) : resolve())));
  };
  let done = false;
  return {
    ...{ clock, items, started },
    run(...found: JobItem[]) {
      started.length = 0;
      done = false;
      void items.run(found, work).then(() => {
        done = true;
      });
      return clock.advance(0);
    },
    async end(id: string, error?: Error) {
      ends.get(id)!(error);
      await clock.advance(0);
    },
    isDone: () => done,
  };
}

it('works on one item after the other', async () => {
  const { run, end, started, isDone } = runner();
  await run(item('a'), item('b'));
  expect(started).toEqual(['a']);
  await end('a');
  expect(started).toEqual(['a', 'b']);
  await end('b');
  expect(isDone()).toBe(true);
});

it('leaves an item running that hangs, and does not start it twice', async () => {
  const { clock, run, end, started, isDone, items } = runner();
  await run(item('a'), item('b'));
  await clock.advance(250);
  expect(started).toEqual(['a', 'b']);
  await end('b');
  expect(isDone()).toBe(true);
  await run(item('a'), item('c'));
  expect(started).toEqual(['c']);
  expect(items.excluded()).toEqual({ ids: ['a', 'c'], workspace_ids: [] });
  await end('a');
  await end('c');
  await run(item('a'));
  expect(started).toEqual(['a']);
});

it('tries a failed item again after a pause that grows, and forgets its failures once it is done', async () => {
  const { clock, run, end, started, items } = runner();
  for (const pauseMs of [1_000, 2_000, 4_000]) {
    await run(item('a'), item('b'));
    await end('a', new Error('broken'));
    await end('b');
    await clock.advance(pauseMs - 1);
    await run(item('a'));
    expect(started).toEqual([]);
    expect(items.counts()).toMatchObject({ running: 0, retrying: 1 });
    await clock.advance(1);
  }
  expect(items.counts().failures).toEqual({ lock: 0, other: 3 });
  await run(item('a'));
  await end('a');
  await run(item('a'));
  await end('a', new Error('broken'));
  await clock.advance(1_000);
  await run(item('a'));
  expect(started).toEqual(['a']);
});

it('pauses a workspace once two of its items did not get a lock in time', async () => {
  const { run, end, started, items, clock } = runner();
  await run(item('a', 'w'), item('b', 'w'), item('c', 'w'), item('d'));
  await end('a', lockTimeout());
  await end('b', lockTimeout());
  expect(started).toEqual(['a', 'b', 'd']);
  await end('d');
  expect(items.excluded()).toEqual({ ids: ['a', 'b'], workspace_ids: ['w'] });
  expect(items.counts().failures).toEqual({ lock: 2, other: 0 });
  await clock.advance(1_000);
  await run(item('c', 'w'));
  expect(started).toEqual(['c']);
});

it('leaves at most two items of a workspace running, and four in total', async () => {
  const { clock, run, started, items, end } = runner();
  await run(item('a', 'w'), item('b', 'w'), item('c', 'w'), item('d'), item('e'), item('f'));
  await clock.advance(10_000);
  expect(started).toEqual(['a', 'b', 'd', 'e']);
  expect(items.excluded().workspace_ids).toContain('w');
  await end('d');
  expect(started).toEqual(['a', 'b', 'd', 'e', 'f']);
});

it('is settled when nothing is running', async () => {
  const { clock, run, end, items } = runner();
  await run(item('a'));
  await clock.advance(1_000);
  let settled = false;
  void items.settled().then(() => {
    settled = true;
  });
  await clock.advance(0);
  expect(settled).toBe(false);
  await end('a', new Error('broken'));
  expect(settled).toBe(true);
});
