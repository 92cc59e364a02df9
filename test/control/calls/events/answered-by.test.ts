import { beforeAll, describe, expect, it } from 'vitest';
import { ingest } from '../../../../control/calls/events/ingest.ts';
import { parseMediaEvent } from '../../../../control/calls/events/media-event.ts';
import { type CallEvent, callEventCodec } from '../../../../shared/bus/messages.ts';
import {
  type CallFixture,
  createCallFixture,
  delivered,
  log,
  mediaEvent,
  type Tenant,
  wholeCall,
} from '../call-fixture.ts';

let fixture: CallFixture;
let tenant: Tenant;

beforeAll(async () => {
  fixture = await createCallFixture();
  tenant = await fixture.tenant(100);
});

const give = (events: CallEvent[]) =>
  ingest(
    { sql: fixture.sql, clock: fixture.clock, log },
    events.map((event) => delivered(event)),
  );

const VOICEMAIL = { data_json: JSON.stringify({ answered_by: 'machine', message_left: true }) };

describe('who answered', () => {
  it('is a human when the engine reports it at the end', async () => {
    const call = await fixture.opened(tenant);
    await give(wholeCall(call.id, { answered_by: 'human' }));
    expect((await fixture.read(call.id)).answered_by).toBe('human');
    const completed = (await fixture.timeline(call)).at(-1)!;
    expect(completed.data).toMatchObject({ call: { answered_by: 'human' } });
  });

  it('is a machine from `call.voicemail` on, also when the end does not say it', async () => {
    const call = await fixture.opened(tenant);
    const events = wholeCall(call.id);
    const ended = { ...events[4]!, seq: 6 };
    await give([...events.slice(0, 4), mediaEvent(call.id, 5, 'call.voicemail', VOICEMAIL)]);
    expect((await fixture.read(call.id)).answered_by).toBe('machine');
    await give([ended]);
    expect(await fixture.read(call.id)).toMatchObject({ status: 'completed', answered_by: 'machine' });
  });

  it('is null when it is not reported', async () => {
    const call = await fixture.opened(tenant);
    await give(wholeCall(call.id));
    expect((await fixture.read(call.id)).answered_by).toBeNull();
  });

  it('is updated by an engine whose call was ended here before', async () => {
    const call = await fixture.opened(tenant);
    const events = wholeCall(call.id, { answered_by: 'machine' });
    await give(events.slice(0, 4));
    await fixture.sql`update calls set status = 'failed', ended_at = now() where id = ${call.id}`;
    await give([events[4]!]);
    expect(await fixture.read(call.id)).toMatchObject({ status: 'failed', answered_by: 'machine' });
  });

  it('passes over the bus, and invalid values are ignored', () => {
    const [ended] = wholeCall('a'.repeat(32), { answered_by: 'machine' }).slice(-1);
    const crossed = callEventCodec.decode(callEventCodec.encode(ended!));
    expect(parseMediaEvent(crossed)).toMatchObject({ ending: { answered_by: 'machine' } });
    const odd = { ...ended!, ending: { ...ended!.ending!, answered_by: 'nobody' as never } };
    expect(parseMediaEvent(odd)).toMatchObject({ ending: { answered_by: null } });
    const without = callEventCodec.decode(callEventCodec.encode(wholeCall('a'.repeat(32))[4]!));
    expect(parseMediaEvent(without)).toMatchObject({ ending: { answered_by: null } });
  });
});
