import { expect, test } from 'vitest';
import { changedVariables } from '../../../media/call/detail-record.ts';
import { startSingleCall } from '../../support/single-call.ts';

test('the end of a call says which variables got a value in it', async () => {
  const call = startSingleCall({
    session: { user_data_json: '{"name":"Asha","plan":"basic"}' },
    settings: {},
  });
  const order_json = JSON.stringify({ action: 'set_variables', values: { plan: 'gold', paid: true } });
  call.order({ call_id: 'a'.repeat(32), order_id: 'o1', by: 'user', by_id: 'u1', order_json });
  await call.close();
  const ended = call.emitted.find(({ type }) => type === 'call.ended');
  expect(ended?.more.data).toMatchObject({ variables: { plan: 'gold', paid: true } });
});

test('the end of a call says how caller and agent took their turns', async () => {
  const call = startSingleCall({ session: {}, settings: {} });
  await call.close();
  const ended = call.emitted.find(({ type }) => type === 'call.ended');
  const turn_taking = { missed_interruptions: 0, false_interruptions: 0, long_silences: expect.any(Number) };
  expect(ended?.more.data).toMatchObject({ turn_taking: { ...turn_taking, talk_over_ms: expect.any(Number) } });
});

test('variables that are too long for an event are left out', () => {
  expect(changedVariables({ a: 1 }, { a: 1, b: 'x'.repeat(20_000), c: 'y' })).toEqual({ c: 'y' });
});
