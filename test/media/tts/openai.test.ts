import { afterEach, expect, test } from 'vitest';
import {
  type OpenAiSpeechSimulatorOptions,
  startOpenAiSpeechSimulator,
} from '../../../fixtures/simulators/openai-speech.ts';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { createOpenAiSynthesizer, openAiSpeech } from '../../../media/tts/openai.ts';
import type { SynthesizerEvent } from '../../../media/tts/synthesizer.ts';
import { createLogger } from '../../../shared/log.ts';
import { patientClock } from '../../support/patient-clock.ts';
import { until } from '../../support/until.ts';

let close: (() => Promise<void>) | undefined;
afterEach(async () => {
  await close?.();
  close = undefined;
});

async function start(simulated: OpenAiSpeechSimulatorOptions = {}) {
  const simulator = await startOpenAiSpeechSimulator({ firstAudioMs: 1, realtimeFactor: 5_000, ...simulated });
  const events: SynthesizerEvent[] = [];
  const synthesizer = createOpenAiSynthesizer({
    ...{ url: simulator.url, apiKey: 'key', voiceId: 'coral', model: 'gpt-4o-mini-tts', output: MULAW_8K },
    ...{ clock: patientClock, log: createLogger('test', 'silent') },
    listener: (event) => events.push(event.type === 'audio' ? { ...event, bytes: event.bytes.slice() } : event),
  });
  close = async () => {
    await synthesizer.close();
    await simulator.close();
    expect(simulator.violations).toEqual([]);
  };
  const inputs = () => simulator.connections.flatMap(({ messages }) => messages.map(({ input }) => input));
  return { simulator, synthesizer, events, inputs };
}

test('a request has voice, text, format and speed', () => {
  expect(openAiSpeech({ model: 'tts-1', voiceId: 'nova', speed: 1.2 }, 'Yes. ')).toEqual({
    ...{ model: 'tts-1', voice: 'nova', input: 'Yes. ', response_format: 'pcm', speed: 1.2 },
  });
});

test('segments that come while one is spoken are one request', async () => {
  const { synthesizer, events, inputs } = await start();
  expect(synthesizer.output).toEqual({ encoding: 'pcm16', sample_rate: 24_000 });
  await synthesizer.open();
  for (const segment of ['One. ', 'Two. ', 'Three. ']) synthesizer.speak('a', segment);
  synthesizer.end('a');
  await until(() => events.some(({ type }) => type === 'done'));
  expect(inputs()).toEqual(['One. ', 'Two. Three. ']);
});

test('to cancel a reply is to end its request', async () => {
  const { simulator, synthesizer, events } = await start({ realtimeFactor: 1 });
  await synthesizer.open();
  synthesizer.speak('a', 'A sentence that is cut off before its end. ');
  await until(() => events.length > 0);
  synthesizer.cancel('a');
  await until(() => simulator.connections[0]!.closeCode === 1006);
});

test.each([
  [{ status: 429, body: '{"error":{"code":"rate_limit_exceeded"}}' }, 'capacity', /429 rate_limit_exceeded$/],
  [{ status: 429, body: '{"error":{"code":"insufficient_quota"}}' }, 'auth', /insufficient_quota$/],
  [{ status: 400, body: '{"error":{"code":"Say: my secret","message":"my secret"}}' }, 'bad_request', /400$/],
  [{ status: 502, body: '<html>' }, 'unavailable', /502$/],
  [{ status: 200, headers: { 'content-type': 'application/json' }, body: '{}' }, 'unavailable', /no audio$/],
  [{ status: 200, headers: { 'content-type': 'audio/pcm' }, body: '' }, 'unavailable', /no audio$/],
] as const)('the answer %j means %s', async (answer, kind, message) => {
  const { simulator, synthesizer, events } = await start();
  await synthesizer.open();
  simulator.faults.http = answer;
  synthesizer.speak('a', 'Hello. ');
  await until(() => events.length > 0);
  expect(events).toMatchObject([
    { type: 'failed', contextId: 'a', error: { kind, message: expect.stringMatching(message) } },
  ]);
});
