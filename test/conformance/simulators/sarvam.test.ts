import { describe, expect, test } from 'vitest';
import {
  type SarvamSynthesizerSimulatorOptions,
  startSarvamSynthesizerSimulator,
} from '../../../fixtures/simulators/sarvam-synthesizer.ts';
import { pause, until } from '../../support/until.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { closeAfterTest, connect } from './client.ts';

/** A simulator has to be as strict as its provider; with a lenient one, tests of the adapter would prove nothing. */

describe('sarvam', () => {
  const CONFIG = {
    model: 'bulbul:v3',
    target_language_code: 'hi-IN',
    speaker: 'shubh',
    speech_sample_rate: 8000,
    output_audio_codec: 'mulaw',
  };
  const KEY = { 'api-subscription-key': 'key' };

  async function speak(
    options: SarvamSynthesizerSimulatorOptions = {},
    query = 'model=bulbul:v3&send_completion_event=true',
    headers: Record<string, string> = KEY,
  ) {
    const common = { apiKey: 'key', firstAudioMs: 5, realtimeFactor: 100 };
    const simulator = closeAfterTest(await startSarvamSynthesizerSimulator({ ...common, ...options }));
    const client = await connect(`${simulator.url}/text-to-speech/ws?${query}`, headers);
    const types = () => client.received.map((message) => message.type);
    const configure = (change: object = {}) => client.send({ type: 'config', data: { ...CONFIG, ...change } });
    const text = (words: unknown) => client.send({ type: 'text', data: { text: words } });
    return { simulator, client, types, configure, text };
  }

  test('refuses a wrong key, an unknown model and one connection too many when it connects', async () => {
    expect((await speak({}, undefined, { 'api-subscription-key': 'no' })).client.status).toBe(403);
    expect((await speak({}, 'model=bulbul:v9')).client.status).toBe(400);
    const { simulator } = await speak({ maxConnections: 1 });
    expect((await connect(`${simulator.url}/text-to-speech/ws?model=bulbul:v3`, KEY)).status).toBe(429);
  });

  for (const [what, change] of [
    ['no language', { target_language_code: undefined }],
    ['a language without its country', { target_language_code: 'hi' }],
    ["the rest of the world's Odia", { target_language_code: 'or-IN' }],
    ['a speaker of the other model', { speaker: 'anushka' }],
    ['a speaker in capitals', { speaker: 'Shubh' }],
    ['too much pace', { pace: 2.1 }],
    ['an unknown rate', { speech_sample_rate: 11025 }],
    ['an unknown codec', { output_audio_codec: 'ulaw' }],
    ['another model than the address names', { model: 'bulbul:v2' }],
    ['an unknown field', { voice: 'shubh' }],
  ] as const) {
    test(`refuses ${what}`, async () => {
      const { simulator, types, configure } = await speak();
      configure(change);
      await until(() => types().length === 1);
      expect(types()).toEqual(['error']);
      expect(simulator.violations).toHaveLength(1);
    });
  }

  test('takes the language under either name, and the rate as number or word', async () => {
    const { simulator, configure } = await speak();
    configure({ target_language_code: undefined, language_code: 'ta-IN', speech_sample_rate: '8000' });
    await until(() => simulator.connections[0]!.configs.length === 1);
    expect(simulator.violations).toEqual([]);
  });

  test('refuses text before the configuration, none at all, too much, and what it does not know', async () => {
    const { simulator, client, types, configure, text } = await speak();
    text('Early. ');
    configure();
    text('');
    text('x'.repeat(2501));
    client.send({ type: 'cancel' });
    client.send('[');
    await until(() => types().length === 5);
    expect(types()).toEqual(['error', 'error', 'error', 'error', 'error']);
    expect(simulator.violations[0]).toBe('the configuration comes first');
  });

  test('waits for enough text or a flush, and completes each flush in its order', async () => {
    const { client, types, configure, text } = await speak({ chunkMs: 5000 });
    configure();
    text('Short. ');
    await pause(40);
    expect(types()).toEqual([]);
    client.send({ type: 'flush' });
    text('A text that is long enough to be spoken without being asked for. ');
    client.send({ type: 'flush' });
    await until(() => types().length === 4);
    expect(types()).toEqual(['audio', 'event', 'audio', 'event']);
    expect(client.received[0]!.data).toMatchObject({ content_type: 'audio/mulaw' });
  });

  test('sends no completion unless asked', async () => {
    const { client, types, configure, text } = await speak({ chunkMs: 5000 }, 'model=bulbul:v3');
    configure();
    text('Short. ');
    client.send({ type: 'flush' });
    await until(() => types().length === 1);
    await pause(40);
    expect(types()).toEqual(['audio']);
  });

  test('closes a connection without text, and keeps one that is pinged', async () => {
    const clock = createVirtualClock();
    const { simulator, client } = await speak({ clock });
    const [connection] = simulator.connections;
    for (let pings = 1; pings <= 8; pings++) {
      client.send({ type: 'ping' });
      await until(() => connection!.keepAlives === pings);
      await clock.advance(59_999);
    }
    expect(connection!.closeCode).toBeNull();
    expect(simulator.violations).toEqual([]);
    await clock.advance(1);
    await until(() => client.closeCode === 1000);
    expect(simulator.violations).toEqual(['idle connection']);
  });
});
