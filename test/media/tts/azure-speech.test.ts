import { afterEach, expect, test } from 'vitest';
import {
  type AzureSynthesizerSimulatorOptions,
  startAzureSynthesizerSimulator,
} from '../../../fixtures/simulators/azure-synthesizer.ts';
import { MULAW_8K, PCM_16K } from '../../../media/audio/format.ts';
import { adapter, azureSynthesisContext, createAzureSynthesizer } from '../../../media/tts/azure-speech.ts';
import type { CloudSynthesizerOptions } from '../../../media/tts/streaming-synthesizer.ts';
import type { Synthesizer, SynthesizerEvent } from '../../../media/tts/synthesizer.ts';
import { agentConfigSchema } from '../../../shared/agent.ts';
import { createLogger } from '../../../shared/log.ts';
import { patientClock } from '../../support/patient-clock.ts';
import { until } from '../../support/until.ts';

const VOICE = { voiceId: 'hi-IN-SwaraNeural', model: 'neural', language: 'hi', apiKey: 'key', output: MULAW_8K };
const log = createLogger('test', 'silent');
let close: (() => Promise<void>) | undefined;
afterEach(async () => {
  await close?.();
  close = undefined;
});

async function start(
  simulated: AzureSynthesizerSimulatorOptions = {},
  options: Partial<CloudSynthesizerOptions> = {},
  beforeOpen: (synthesizer: Synthesizer) => void = () => {},
) {
  const speed = { firstAudioMs: 1, realtimeFactor: 2_000, apiKey: 'key' };
  const simulator = await startAzureSynthesizerSimulator({ ...speed, ...simulated });
  const events: SynthesizerEvent[] = [];
  const synthesizer = createAzureSynthesizer({
    ...{ ...VOICE, url: simulator.url, clock: patientClock, log },
    listener: (event) => events.push(event.type === 'audio' ? { ...event, bytes: event.bytes.slice() } : event),
    ...options,
  });
  close = async () => {
    await synthesizer.close();
    await simulator.close();
    expect(simulator.violations).toEqual([]);
  };
  const opening = synthesizer.open();
  beforeOpen(synthesizer);
  await opening;
  return {
    ...{ simulator, synthesizer, events },
    paths: () => simulator.connections.flatMap(({ messages }) => messages.map(({ path }) => path)),
    audioMs: (id: string) =>
      events.reduce(
        (sum, event) => sum + (event.type === 'audio' && event.contextId === id ? event.bytes.length / 8 : 0),
        0,
      ),
    async say(id: string, ...segments: string[]) {
      for (const segment of segments) synthesizer.speak(id, segment);
      synthesizer.end(id);
      await until(() => events.some((event) => event.type === 'done' && event.contextId === id));
    },
  };
}

test('a reply is one request, its text in segments', async () => {
  const call = await start();
  await call.say('a', 'One, ', 'two. ');
  const { messages } = call.simulator.connections[0]!;
  expect(messages.map(({ path }) => path)).toEqual([
    ...['speech.config', 'synthesis.context', 'text.piece', 'text.piece', 'text.end'],
  ]);
  expect(new Set(messages.map(({ requestId }) => requestId)).size).toBe(1);
  expect(messages.map(({ body }) => body).slice(2)).toEqual(['One, ', 'two. ', '']);
});

test('asks for the voice, its speed and the format of the call', () => {
  const input = (options: object) =>
    (azureSynthesisContext({ ...VOICE, ...options }) as { synthesis: { audio: object; input: object } }).synthesis;
  expect(input({ speed: 1.2 })).toMatchObject({
    audio: { outputFormat: 'raw-8khz-8bit-mono-mulaw' },
    input: { voiceName: 'hi-IN-SwaraNeural', language: 'hi-IN', rate: '+20%' },
  });
  expect(input({ output: PCM_16K, voiceId: 'en-US-AndrewMultilingualNeural' })).toMatchObject({
    audio: { outputFormat: 'raw-16khz-16bit-mono-pcm' },
    input: { language: 'hi-IN' },
  });
});

test('the next reply has the same connection', async () => {
  const call = await start();
  await call.say('a', 'One. ');
  await call.say('b', 'Two. ');
  expect(call.paths().filter((path) => path === 'synthesis.context')).toHaveLength(2);
  expect(call.simulator.connections.map(({ messages }) => messages.length > 0)).toEqual([true, false]);
});

test('a reply that is cut off is stopped, and the next one is spoken on a connection that was open', async () => {
  const call = await start({ realtimeFactor: 10 });
  await until(() => call.simulator.connections.length === 1);
  call.synthesizer.speak('a', 'A sentence that is cut off before it has come to its end. ');
  await until(() => call.audioMs('a') > 0);
  call.synthesizer.cancel('a');
  await call.say('b', 'Yes. ');
  expect(call.paths()).toContain('synthesis.control');
  expect(call.audioMs('b')).toBeCloseTo(5 * 65);
});

test('a reply that is dropped before there is a connection leaves it to the next', async () => {
  const call = await start({}, {}, (synthesizer) => {
    synthesizer.speak('a', 'Good morning. ');
    synthesizer.cancel('a');
  });
  await call.say('b', 'Yes. ');
  expect(call.events.filter(({ type }) => type === 'failed')).toEqual([]);
  expect(call.paths().filter((path) => path === 'text.piece')).toHaveLength(1);
});

test('times of words follow the audio, once a reply has shown how far they are off', async () => {
  const call = await start();
  const lastWordMs = () => {
    const starts = call.events.flatMap((event) => (event.type === 'timing' ? event.startMs : []));
    call.events.length = 0;
    return starts.at(-4)!;
  };
  await call.say('a', 'One two three four five six seven ten. ');
  const first = lastWordMs();
  await call.say('b', 'One two three four five six seven ten. ');
  const second = lastWordMs();
  expect(second / first).toBeCloseTo(1 / 1.06, 1);
  expect(second).toBeLessThan(first);
});

test('a region that is none is refused, and nothing is sent anywhere', () => {
  const open = () =>
    adapter({
      settings: { AZURE_SPEECH_KEY: 'k', AZURE_SPEECH_REGION: 'evil.example/' },
      voice: agentConfigSchema.parse({ name: 'A', voice: { provider: 'azure_speech', voice_id: VOICE.voiceId } }).voice,
      ...{ output: MULAW_8K, clock: patientClock, log, listener: () => {} },
    });
  expect(open).toThrow('AZURE_SPEECH_REGION');
});
