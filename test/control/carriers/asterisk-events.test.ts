import { expect, it } from 'vitest';
import { type AsteriskEventsDeps, listenToAsterisk } from '../../../control/carriers/asterisk-events.ts';
import { createLogger } from '../../../shared/log.ts';

it('stopping waits for the event that is handled, not for those behind it', async () => {
  let onEvent: (event: Record<string, unknown>) => void = () => {};
  const handled: string[] = [];
  const first = Promise.withResolvers<void>();
  const listening = listenToAsterisk({
    ari: {
      listen(handlers: { onEvent: typeof onEvent }) {
        ({ onEvent } = handlers);
        return { stop() {} };
      },
    },
    carrier: { name: 'asterisk' },
    carrierEvents: {
      async status(_provider: string, callId: string) {
        handled.push(callId);
        await first.promise;
      },
    },
    log: createLogger('test', 'fatal'),
  } as unknown as AsteriskEventsDeps);
  const callId = 'c'.repeat(32);
  const channel = { id: `call-${callId}`, state: 'Ringing', caller: { number: '' }, dialplan: { exten: '' } };
  for (let event = 0; event < 100; event++) onEvent({ type: 'ChannelStateChange', channel });
  await Promise.resolve();
  const closing = listening.close();
  first.resolve();
  await closing;
  expect(handled).toEqual([callId]);
});
