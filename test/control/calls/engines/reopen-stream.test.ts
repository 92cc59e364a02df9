import { beforeAll, expect, it } from 'vitest';
import type { CallRow } from '../../../../control/calls/call-row.ts';
import { reopenStream } from '../../../../control/calls/engines/reopen-stream.ts';
import { ingest } from '../../../../control/calls/events/ingest.ts';
import type { Clock } from '../../../../shared/clock.ts';
import { type CallFixture, carrierCallback, createCallFixture, delivered, log, wholeCall } from '../call-fixture.ts';

let fixture: CallFixture;

beforeAll(async () => {
  fixture = await createCallFixture();
});

/** A connected call with these columns. */
async function talking(change: object = {}): Promise<CallRow> {
  const call = await fixture.opened(await fixture.tenant());
  const row = { status: 'in-progress', ...change } as unknown as Record<string, string>;
  await fixture.sql`update calls set ${fixture.sql(row)} where id = ${call.id}`;
  return call;
}

function reopen({ provider_call_id }: Pick<CallRow, 'provider_call_id'>, meanwhile = async () => {}) {
  const { sql, clock } = fixture;
  const waits: Clock = {
    ...clock,
    after(_delayMs, run) {
      void meanwhile().then(run);
      return { cancel: () => {} };
    },
  };
  const streamUrl = (provider: string, callId: string) => `wss://m.example/${provider}/${callId}`;
  return reopenStream({ sql, clock: waits, streamUrl }, 'twilio', carrierCallback({ provider_call_id }));
}

it('returns another stream URL for a live call', async () => {
  const call = await talking();
  expect(await reopen(call)).toBe(`wss://m.example/twilio/${call.id}`);
});

it('returns none for a call that has ended, not started, is being ended, or is not known', async () => {
  for (const change of [{ status: 'completed' }, { status: 'ringing' }, { hangup_requested_reason: 'hung up by x' }]) {
    expect(await reopen(await talking(change))).toBeNull();
  }
  expect(await reopen({ provider_call_id: 'CAnone' })).toBeNull();
  expect(await reopen({ provider_call_id: '' })).toBeNull();
});

it('returns none for a caller being transferred, and one for a caller who stayed', async () => {
  const transfer = { name: 'Sales', number: '+919811112222', reason: '', at: 0 };
  const json = (status: string) => fixture.sql.json({ ...transfer, status }) as never;
  expect(await reopen(await talking({ transfer: json('') }))).toBeNull();
  expect(await reopen(await talking({ transfer: json('answered') }))).toBeNull();
  expect(await reopen(await talking({ transfer: json('no-answer') }))).not.toBeNull();
});

it('returns none when the engine reports the end meanwhile: it closed the stream itself', async () => {
  const call = await talking();
  const ends = async () => {
    await fixture.sql`update calls set status = 'completed' where id = ${call.id}`;
  };
  expect(await reopen(call, ends)).toBeNull();
});

it('an end reported by an engine is passed on once, after it is written', async () => {
  const call = await fixture.opened(await fixture.tenant());
  const ended: string[] = [];
  const deps = {
    sql: fixture.sql,
    clock: fixture.clock,
    log,
    onCallEnded: ({ id, status }: CallRow) => ended.push(`${id} ${status}`),
  };
  const events = wholeCall(call.id);
  await ingest(
    deps,
    events.map((event) => delivered(event)),
  );
  await ingest(
    deps,
    events.map((event) => delivered(event)),
  );
  expect(ended).toEqual([`${call.id} completed`]);
});
