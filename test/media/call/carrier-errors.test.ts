import { expect, it } from 'vitest';
import { startSingleCall } from '../../support/single-call.ts';

it('errors of the carrier are warnings on the timeline, a few of them, and end no call', async () => {
  const { carrierError, emitted, close } = startSingleCall();
  for (let number = 1; number <= 30; number++) carrierError(`playFailed: ${number}`);
  const errors = emitted.filter(({ type }) => type === 'error');
  expect(errors).toHaveLength(5);
  expect(errors[0]).toEqual({
    type: 'error',
    message: 'the carrier reports playFailed: 1',
    more: { level: 'warning', data: { component: 'carrier', provider: 'test' } },
  });
  expect(emitted.some(({ type }) => type === 'call.ended')).toBe(false);
  await close();
});
