import { expect, test } from 'vitest';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { FIRST_COOL_DOWN_MS } from '../../../media/provider/circuit.ts';
import { createHealth } from '../../../media/provider/health.ts';
import { ProviderError } from '../../../media/provider/provider-error.ts';
import type { SynthesizerEvent } from '../../../media/tts/synthesizer.ts';
import { createLogger } from '../../../shared/log.ts';
import { startSingleCall } from '../../support/single-call.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

/** What calls find out about a provider decides with which one later calls start. */

const VOICES = {
  provider: 'cartesia',
  model: 'sonic',
  fallbacks: [{ provider: 'sarvam', model: 'bulbul', voice_id: 'v' }],
};

/** A call that says its welcome message, with a Cartesia that works or breaks. */
async function placeCall(health: ReturnType<typeof createHealth>, works: boolean) {
  const created: string[] = [];
  const call = startSingleCall({
    health,
    agent: { welcome_message: 'Welcome to the restaurant.', voice: VOICES },
    synthesizer(agent, _output, emit) {
      const { provider } = agent.voice;
      created.push(provider);
      const later = (event: SynthesizerEvent) => queueMicrotask(() => emit(event));
      return {
        ...{ provider, model: 'm', output: MULAW_8K },
        open: async () => {},
        speak(contextId) {
          if (works || provider !== 'cartesia') later({ type: 'audio', contextId, bytes: new Uint8Array(800) });
          else later({ type: 'failed', contextId: null, error: new ProviderError(provider, 'unavailable', 'gone') });
        },
        end() {},
        cancel() {},
        close: async () => {},
      };
    },
  });
  await call.clock.advance(1_000);
  await call.close();
  const fallbacks = call.emitted.filter(({ type }) => type === 'fallback.used').map(({ more }) => more.data?.reason);
  return { created, fallbacks };
}

test('a voice that failed in three calls is left out until one call has tried it with success', async () => {
  const clock = createVirtualClock();
  const health = createHealth({ clock, log: createLogger('test', 'fatal') });
  for (let calls = 0; calls < 3; calls++) {
    expect(await placeCall(health, false)).toEqual({
      created: ['cartesia', 'sarvam'],
      fallbacks: ['unavailable: gone'],
    });
  }
  expect(await placeCall(health, false)).toEqual({
    created: ['sarvam'],
    fallbacks: ['3 of its last 3 uses failed, the last with unavailable: gone'],
  });
  expect(health.unhealthy()).toEqual(['tts cartesia/sonic']);
  await clock.advance(FIRST_COOL_DOWN_MS);
  expect((await placeCall(health, true)).created).toEqual(['cartesia']);
  expect((await placeCall(health, true)).created).toEqual(['cartesia']);
  expect(health.unhealthy()).toEqual([]);
});
