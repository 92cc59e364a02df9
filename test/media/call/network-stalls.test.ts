import { expect, test } from 'vitest';
import { startSingleCall } from '../../support/single-call.ts';

test('a stall of the network is on the timeline with its length, at most fifty times', async () => {
  const call = startSingleCall();
  call.networkStall(640.4);
  for (let more = 0; more < 80; more++) call.networkStall(300);
  await call.close();
  call.networkStall(500);
  const stalls = call.emitted.filter(({ type }) => type === 'network.stall');
  expect(stalls).toHaveLength(50);
  expect(stalls[0]).toMatchObject({
    message: 'no audio from the caller for 640 ms, then all of it at once',
    more: { level: 'warning', data: { stall_ms: 640 } },
  });
});
