import { beforeAll, expect, it } from 'vitest';
import type { CallRow } from '../../../control/calls/call-row.ts';
import { ingest } from '../../../control/calls/ingest.ts';
import { reopenStream } from '../../../control/calls/lost-stream.ts';
import type { Clock } from '../../../shared/clock.ts';
import { type CallGround, callback, createCallGround, delivered, log, wholeCall } from './call-ground.ts';

let ground: CallGround;

beforeAll(async () => {
  ground = await createCallGround();
});

/** A call an engine holds, as changed. */
async function talking(change: object = {}): Promise<CallRow> {
  const call = await ground.opened(await ground.tenant());
  const row = { status: 'in-progress', ...change } as unknown as Record<string, string>;
  await ground.sql`update calls set ${ground.sql(row)} where id = ${call.id}`;
  return call;
}

function reopen({ provider_call_id }: Pick<CallRow, 'provider_call_id'>, meanwhile = async () => {}) {
  const { sql, clock } = ground;
  const waits: Clock = {
    ...clock,
    after(_delayMs, run) {
      void meanwhile().then(run);
      return { cancel: () => {} };
    },
  };
  const streamAddress = (provider: string, callId: string) => `wss://m.example/${provider}/${callId}`;
  return reopenStream({ sql, clock: waits, streamAddress }, 'twilio', callback({ provider_call_id }));
}

it('gives a call that goes on another stream', async () => {
  const call = await talking();
  expect(await reopen(call)).toBe(`wss://m.example/twilio/${call.id}`);
});

it('gives none to a call that is over, not begun, being ended, or not known', async () => {
  for (const change of [{ status: 'completed' }, { status: 'ringing' }, { hangup_ordered_reason: 'hung up by x' }]) {
    expect(await reopen(await talking(change))).toBeNull();
  }
  expect(await reopen({ provider_call_id: 'CAnone' })).toBeNull();
  expect(await reopen({ provider_call_id: '' })).toBeNull();
});

it('gives none to a caller on the way to a person, and one to a caller who stayed', async () => {
  const transfer = { name: 'Sales', number: '+919811112222', reason: '', at: 0 };
  const json = (status: string) => ground.sql.json({ ...transfer, status }) as never;
  expect(await reopen(await talking({ transfer: json('') }))).toBeNull();
  expect(await reopen(await talking({ transfer: json('answered') }))).toBeNull();
  expect(await reopen(await talking({ transfer: json('no-answer') }))).not.toBeNull();
});

it('gives none when the engine tells the end meanwhile: it closed the stream itself', async () => {
  const call = await talking();
  const ends = async () => {
    await ground.sql`update calls set status = 'completed' where id = ${call.id}`;
  };
  expect(await reopen(call, ends)).toBeNull();
});

it('the end that an engine tells is passed on once, when it is written', async () => {
  const call = await ground.opened(await ground.tenant());
  const ended: string[] = [];
  const deps = {
    sql: ground.sql,
    clock: ground.clock,
    log,
    ended: ({ id, status }: CallRow) => ended.push(`${id} ${status}`),
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
