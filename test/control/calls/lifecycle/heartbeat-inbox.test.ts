import { expect, it } from 'vitest';
import { createHeartbeatInbox } from '../../../../control/calls/lifecycle/heartbeat-inbox.ts';
import type { Heartbeat } from '../../../../shared/bus/messages.ts';

/** An inbox whose heartbeats are handled when the test says so. */
function createSlowInbox() {
  const handling: { heartbeat: Heartbeat; finish: PromiseWithResolvers<void> }[] = [];
  let refused = 0;
  const inbox = createHeartbeatInbox(
    (heartbeat) => {
      const finish = Promise.withResolvers<void>();
      handling.push({ heartbeat, finish });
      return finish.promise;
    },
    () => void refused++,
  );
  return { inbox, handling, refused: () => refused };
}

const heartbeat = (engine_id: string, at_ms = 1): Heartbeat => ({ engine_id, at_ms, call_ids: [] });

it('of the heartbeats that come while one is handled, only the newest is handled', async () => {
  const { inbox, handling } = createSlowInbox();
  const done = inbox.receive(heartbeat('a', 1));
  for (const at_ms of [2, 3, 4]) expect(inbox.receive(heartbeat('a', at_ms))).toBeNull();
  void inbox.receive(heartbeat('b', 9));
  expect(handling.map(({ heartbeat }) => heartbeat.at_ms)).toEqual([1, 9]);
  handling[0]?.finish.resolve();
  await expect.poll(() => handling.map(({ heartbeat }) => heartbeat.at_ms)).toEqual([1, 9, 4]);
  handling[2]?.finish.resolve();
  await done;
  void inbox.receive(heartbeat('a', 5));
  expect(handling).toHaveLength(4);
});

it('handles the next heartbeat of an engine after one that failed', async () => {
  const { inbox, handling } = createSlowInbox();
  const failed = inbox.receive(heartbeat('a'));
  handling[0]?.finish.reject(new Error('no database'));
  await expect(failed).rejects.toThrow('no database');
  void inbox.receive(heartbeat('a', 2));
  expect(handling.map(({ heartbeat }) => heartbeat.at_ms)).toEqual([1, 2]);
});

it('ignores heartbeats of more engines than there can be', () => {
  const { inbox, handling, refused } = createSlowInbox();
  for (let count = 0; count < 10_005; count++) void inbox.receive(heartbeat(`engine-${count}`));
  expect([handling.length, refused()]).toEqual([10_000, 5]);
});
