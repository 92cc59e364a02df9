import { beforeAll, describe, expect, it } from 'vitest';
import { ingest } from '../../../control/calls/ingest.ts';
import { readMediaEvent } from '../../../control/calls/media-event.ts';
import { type CallEvent, callEventCodec } from '../../../shared/bus/messages.ts';
import {
  type CallGround,
  createCallGround,
  delivered,
  log,
  mediaEvent,
  type Tenant,
  wholeCall,
} from './call-ground.ts';

let ground: CallGround;
let tenant: Tenant;

beforeAll(async () => {
  ground = await createCallGround();
  tenant = await ground.tenant(100);
});

const give = (events: CallEvent[]) =>
  ingest(
    { sql: ground.sql, clock: ground.clock, log },
    events.map((event) => delivered(event)),
  );

const VOICEMAIL = { data_json: JSON.stringify({ answered_by: 'machine', message_left: true }) };

describe('who answered', () => {
  it('is a person when the engine says so at the end', async () => {
    const call = await ground.opened(tenant);
    await give(wholeCall(call.id, { answered_by: 'human' }));
    expect((await ground.read(call.id)).answered_by).toBe('human');
    const completed = (await ground.timeline(call)).at(-1)!;
    expect(completed.data).toMatchObject({ call: { answered_by: 'human' } });
  });

  it('is a machine from `call.voicemail` on, also when the end does not say so', async () => {
    const call = await ground.opened(tenant);
    const events = wholeCall(call.id);
    const ended = { ...events[4]!, seq: 6 };
    await give([...events.slice(0, 4), mediaEvent(call.id, 5, 'call.voicemail', VOICEMAIL)]);
    expect((await ground.read(call.id)).answered_by).toBe('machine');
    await give([ended]);
    expect(await ground.read(call.id)).toMatchObject({ status: 'completed', answered_by: 'machine' });
  });

  it('is not known where nobody says so', async () => {
    const call = await ground.opened(tenant);
    await give(wholeCall(call.id));
    expect((await ground.read(call.id)).answered_by).toBeNull();
  });

  it('is learned from an engine whose call was already over here', async () => {
    const call = await ground.opened(tenant);
    const events = wholeCall(call.id, { answered_by: 'machine' });
    await give(events.slice(0, 4));
    await ground.sql`update calls set status = 'failed', ended_at = now() where id = ${call.id}`;
    await give([events[4]!]);
    expect(await ground.read(call.id)).toMatchObject({ status: 'failed', answered_by: 'machine' });
  });

  it('crosses the bus, and nonsense is not taken', () => {
    const [ended] = wholeCall('a'.repeat(32), { answered_by: 'machine' }).slice(-1);
    const crossed = callEventCodec.decode(callEventCodec.encode(ended!));
    expect(readMediaEvent(crossed)).toMatchObject({ ending: { answered_by: 'machine' } });
    const odd = { ...ended!, ending: { ...ended!.ending!, answered_by: 'nobody' as never } };
    expect(readMediaEvent(odd)).toMatchObject({ ending: { answered_by: null } });
    const without = callEventCodec.decode(callEventCodec.encode(wholeCall('a'.repeat(32))[4]!));
    expect(readMediaEvent(without)).toMatchObject({ ending: { answered_by: null } });
  });
});
