import { expect, test } from 'vitest';
import { startSingleCall } from '../../support/single-call.ts';

test.each([
  ['what its credits paid for ends it', true, 'credits ran out'],
  ['its agent allows ends it', undefined, 'maximum duration'],
])('a call that lasted as long as %s', async (_what, capped_by_credits, hangup_reason) => {
  const { clock, call, emitted } = startSingleCall({
    session: { max_duration_seconds: 7, ...(capped_by_credits ? { capped_by_credits } : {}) },
  });
  const endings = () => emitted.flatMap(({ type, more }) => (type === 'call.ended' ? [more.ending] : []));
  await clock.advance(6_900);
  expect(endings()).toEqual([]);
  await clock.advance(20_000);
  await call.over;
  expect(endings()).toMatchObject([{ hangup_by: 'service', hangup_reason, duration_seconds: 7 }]);
});
