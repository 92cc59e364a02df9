import { afterEach, expect, test } from 'vitest';
import { type ElevenLabsSimulator, startElevenLabsSimulator } from '../../../fixtures/simulators/elevenlabs.ts';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { createElevenLabsSynthesizer } from '../../../media/tts/elevenlabs.ts';
import { createFallbackSynthesizer, type FallbackSynthesizer } from '../../../media/tts/fallback-synthesizer.ts';
import type { SynthesizerEvent } from '../../../media/tts/synthesizer.ts';
import { createLogger } from '../../../shared/log.ts';
import { unlimitedPermits } from '../../support/memory-permits.ts';
import { patientClock } from '../../support/patient-clock.ts';
import { until } from '../../support/until.ts';

/** A voice without fallbacks whose real socket breaks. */

const TEXT = 'I am on my way to the town hall now, and I will be there at six. ';
const log = createLogger('test', 'silent');
let simulator: ElevenLabsSimulator;
let synthesizer: FallbackSynthesizer;

afterEach(async () => {
  await synthesizer.close();
  await simulator.close();
});

test('one that breaks in the middle of a reply is opened again, and the rest of the words follows once', async () => {
  simulator = await startElevenLabsSimulator({ firstAudioMs: 5, realtimeFactor: 100, apiKey: 'key' });
  simulator.faults.breakAfterChunks = 3;
  const events: SynthesizerEvent[] = [];
  let reconnects = 0;
  const name = { provider: 'elevenlabs', model: 'eleven_flash_v2_5', voice_id: 'v', voice_name: '', language: 'en' };
  const common = { url: simulator.url, apiKey: 'key', voiceId: 'v', model: name.model, output: MULAW_8K };
  synthesizer = createFallbackSynthesizer({
    choices: [
      {
        ...{ name, account: '' },
        create: (listener) => createElevenLabsSynthesizer({ ...common, clock: patientClock, log, listener }),
      },
    ],
    ...{ outputFormat: MULAW_8K, permits: unlimitedPermits(), clock: patientClock, log },
    listener: (event) => events.push(event),
    ...{ watch() {}, onFallback() {}, onCapacity() {} },
    onReconnect() {
      reconnects++;
      simulator.faults.breakAfterChunks = null;
    },
  });
  await synthesizer.open();
  synthesizer.speak('r1', TEXT);
  synthesizer.end('r1');
  await until(() => events.some(({ type }) => type === 'done' || type === 'failed'));
  expect(events.at(-1)).toEqual({ type: 'done', contextId: 'r1' });
  const spoken = events.flatMap((event) => (event.type === 'timing' ? [event.text] : [])).join('');
  expect(spoken.trim()).toBe(TEXT.trim());
  const requested = simulator.connections.map(({ contexts }) => contexts.flatMap(({ texts }) => texts).join(''));
  expect([reconnects, requested.length]).toEqual([1, 2]);
  expect(TEXT.endsWith(requested[1]!)).toBe(true);
  expect(requested[1]!.length).toBeLessThan(TEXT.length);
});
