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
  await fixture.sql`update calls set ${fixture.sql({ provider: 'telnyx', ...row })} where id = ${call.id}`;
  return call;
}

const ended: string[] = [];

function reopen(
  { provider_call_id }: Pick<CallRow, 'provider_call_id'>,
  meanwhile = async () => {},
  stream_id = 'stream-1',
) {
  const { sql, clock } = fixture;
  const waits: Clock = {
    ...clock,
    after(_delayMs, run) {
      void meanwhile().then(run);
      return { cancel: () => {} };
    },
  };
  const streamUrl = (provider: string, callId: string) => `wss://m.example/${provider}/${callId}`;
  const anotherStreamUrl = (provider: string, callId: string) => `wss://another.example/${provider}/${callId}`;
  const onCallEnded = ({ id }: CallRow) => void ended.push(id);
  const deps = { sql, clock: waits, streamUrl, anotherStreamUrl, onCallEnded };
  return reopenStream(deps, 'telnyx', carrierCallback({ provider_call_id, stream_id }));
}

it('returns another stream URL for a live call', async () => {
  const call = await talking();
  expect(await reopen(call)).toBe(`wss://m.example/telnyx/${call.id}`);
});

it('returns none for a call that has ended, is being ended, or is not known', async () => {
  for (const change of [{ status: 'completed' }, { hangup_requested_reason: 'hung up by x' }]) {
    expect(await reopen(await talking(change))).toBeNull();
  }
  expect(await reopen({ provider_call_id: 'CAnone' })).toBeNull();
  expect(await reopen({ provider_call_id: '' })).toBeNull();
});

const WITHOUT_ENGINE = { status: 'ringing', media_nonce: null, engine_id: '' };

it('returns the address of another engine when the stream did not open, the same failure reported twice or not', async () => {
  const call = await talking(WITHOUT_ENGINE);
  const another = `wss://another.example/telnyx/${call.id}`;
  expect([await reopen(call), await reopen(call)]).toEqual([another, another]);
  expect(await fixture.read(call.id)).toMatchObject({ status: 'ringing' });
  expect((await fixture.types(call)).filter((type) => type === 'error')).toHaveLength(1);
});

it('ends a call whose stream did not open a second time', async () => {
  const call = await talking(WITHOUT_ENGINE);
  await reopen(call);
  expect(await reopen(call, undefined, 'stream-2')).toBeNull();
  expect(await fixture.read(call.id)).toMatchObject({ status: 'failed', hangup_reason: 'error: media' });
  expect(ended).toContain(call.id);
});

it('returns the address of its engine for a call that has opened its session and not begun', async () => {
  const call = await talking({ status: 'ringing' });
  expect(await reopen(call)).toBe(`wss://m.example/telnyx/${call.id}`);
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
