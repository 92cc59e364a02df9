import { beforeAll, describe, expect, it } from 'vitest';
import { openSession } from '../../../../control/calls/engines/sessions.ts';
import { type CallFixture, createCallFixture, log } from '../call-fixture.ts';

let fixture: CallFixture;
const call = {
  transfer_enabled: true,
  transfer_targets: [{ name: 'Desk', number: '+911234567890', description: 'always' }],
};

beforeAll(async () => {
  fixture = await createCallFixture();
});

/** Whether the engine of a call on this line may transfer. */
async function mayTransfer(provider: string): Promise<boolean> {
  const { sql, clock } = fixture;
  const tenant = await fixture.tenant(5, { call });
  const { id, provider_call_id } = await fixture.ringing(tenant);
  const carrier = provider === '' ? 'browser' : provider;
  await sql`update calls set provider = ${provider}, channel = ${provider === '' ? 'web' : 'phone'} where id = ${id}`;
  const request = { call_id: id, nonce: 'n'.repeat(16), engine_id: 'e', carrier, provider_call_id };
  const { session } = await openSession({ sql, clock, log }, request);
  return JSON.parse(session!.agent_json).call.transfer_enabled;
}

describe('the engine of a call', () => {
  it('transfers where the carrier can', async () => {
    expect(await mayTransfer('twilio')).toBe(true);
  });

  it.each([
    ['a carrier without transfers', 'exotel'],
    ['a browser', ''],
  ])('has no transfers to offer on the line of %s', async (_line, provider) => {
    expect(await mayTransfer(provider)).toBe(false);
  });
});
