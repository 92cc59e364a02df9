import { beforeAll, describe, expect, it } from 'vitest';
import type { CallRow } from '../../../../control/calls/call-row.ts';
import { ingest } from '../../../../control/calls/events/ingest.ts';
import { createLockedCalls } from '../../../../control/calls/events/locked-calls.ts';
import type { CallEvent } from '../../../../shared/bus/messages.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';
import { type CallFixture, createCallFixture, delivered, log, mediaEvent, wholeCall } from '../call-fixture.ts';

let fixture: CallFixture;

beforeAll(async () => {
  fixture = await createCallFixture();
});

async function give(events: CallEvent[], redelivered = false) {
  const given = events.map((event) => delivered(event, redelivered));
  await ingest({ sql: fixture.sql, clock: fixture.clock, log }, given);
  return given.map(({ answer }) => answer);
}
/** Connected calls of one workspace. */
async function connected(count: number): Promise<CallRow[]> {
  const tenant = await fixture.tenant(100);
  const calls: CallRow[] = [];
  for (let made = 0; made < count; made++) calls.push(await fixture.opened(tenant));
  await give(calls.map(({ id }) => wholeCall(id)[0]!));
  return calls;
}
const said = (call: CallRow, seq: number, text: string) =>
  mediaEvent(call.id, seq, 'user.turn', {
    message: text,
    transcript: [{ role: 'user', text, at_ms: Date.now(), interrupted: false }],
  });
const textsOf = async ({ id }: CallRow) => (await fixture.read(id)).transcript.map(({ text }) => text);

describe('what is said in a call', () => {
  it('is on the transcript of the live call, in order, each time after what is there', async () => {
    const [call, other] = await connected(2);
    await give([said(call!, 3, 'two'), said(call!, 2, 'one'), said(other!, 2, 'elsewhere')]);
    await give([said(call!, 4, 'three')]);
    expect(await textsOf(call!)).toEqual(['one', 'two', 'three']);
    expect(await textsOf(other!)).toEqual(['elsewhere']);
  });

  it('stays when events without speech follow', async () => {
    const [call] = await connected(1);
    await give([said(call!, 2, 'one')]);
    await give([mediaEvent(call!.id, 3, 'llm.first_token', { latency_ms: 200 })]);
    expect(await textsOf(call!)).toEqual(['one']);
    expect(await fixture.read(call!.id)).toMatchObject({ media_seq: 3, media_stream_seq: 3 });
  });

  it('is written once when it is delivered again', async () => {
    const [call] = await connected(1);
    await give([said(call!, 2, 'one')]);
    expect(await give([said(call!, 2, 'one')], true)).toEqual(['done']);
    expect(await give([said(call!, 2, 'one'), said(call!, 3, 'two')])).toEqual(['done', 'done']);
    expect(await textsOf(call!)).toEqual(['one', 'two']);
    expect(await fixture.types(call!)).toHaveLength(5);
  });

  it('is written for all calls when there are many', async () => {
    const calls = await connected(12);
    const events = calls.flatMap((call) => Array.from({ length: 12 }, (_, nth) => said(call, nth + 2, `${nth}`)));
    expect(new Set(await give(events))).toEqual(new Set(['done']));
    for (const call of calls) expect(await textsOf(call)).toHaveLength(12);
  });
});

describe('a call whose row is locked', () => {
  it('is waited for, longer each time, until it is free', async () => {
    const clock = createVirtualClock();
    const locked = createLockedCalls(clock);
    expect(locked.waitMs('c1')).toBe(0);
    const first = locked.add('c1');
    expect(first).toBeGreaterThan(0);
    expect(locked.waitMs('c1')).toBe(first);
    expect(locked.waitMs('c2')).toBe(0);
    await clock.advance(first);
    expect(locked.waitMs('c1')).toBe(0);
    let longest = first;
    for (let tries = 0; tries < 12; tries++) {
      longest = Math.max(longest, locked.add('c1'));
      await clock.advance(longest);
    }
    expect(longest).toBeGreaterThan(2 * first);
    expect(longest).toBeLessThanOrEqual(8_000);
    locked.delete('c1');
    expect(locked.waitMs('c1')).toBe(0);
  });
});
