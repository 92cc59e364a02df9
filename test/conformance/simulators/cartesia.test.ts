import { describe, expect, test } from 'vitest';
import { type CartesiaSimulatorOptions, startCartesiaSimulator } from '../../../fixtures/simulators/cartesia.ts';
import { pause, until } from '../../support/until.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { closeAfterTest, connect } from './client.ts';

/** A simulator has to be as strict as its provider; with a lenient one, tests of the adapter would prove nothing. */

describe('cartesia', () => {
  const HEADERS = { 'x-api-key': 'key', 'cartesia-version': '2026-03-01' };
  const REQUEST = {
    context_id: 'a',
    model_id: 'sonic-3.5',
    transcript: 'One two. ',
    continue: true,
    voice: { mode: 'id', id: 'v' },
    language: 'hi',
    output_format: { container: 'raw', encoding: 'pcm_mulaw', sample_rate: 8000 },
    add_timestamps: true,
    max_buffer_delay_ms: 0,
  };

  async function speak(options: CartesiaSimulatorOptions = {}, headers: Record<string, string> = HEADERS) {
    const simulator = closeAfterTest(
      await startCartesiaSimulator({ apiKey: 'key', firstAudioMs: 5, realtimeFactor: 100, ...options }),
    );
    const client = await connect(`${simulator.url}/tts/websocket`, headers);
    const types = () => client.received.map((message) => message.type);
    const errors = () =>
      client.received.flatMap((message) =>
        message.type === 'error' ? [[message.status_code, message.error_code]] : [],
      );
    return { simulator, client, types, errors };
  }

  test('refuses a wrong key, a missing or unknown version and another path when it connects', async () => {
    expect((await speak({}, { ...HEADERS, 'x-api-key': 'no' })).client.status).toBe(401);
    expect((await speak({}, { 'x-api-key': 'key' })).client.status).toBe(400);
    expect((await speak({}, { ...HEADERS, 'cartesia-version': '2020-01-01' })).client.status).toBe(400);
    const { simulator } = await speak();
    expect((await connect(`${simulator.url}/tts`, HEADERS)).status).toBe(404);
  });

  for (const [what, change] of [
    ['no context', { context_id: undefined }],
    ['no transcript', { transcript: undefined }],
    ['no voice', { voice: undefined }],
    ['a format the vendor does not have', { output_format: { ...REQUEST.output_format, encoding: 'mulaw' } }],
    ['a rate the vendor does not have', { output_format: { ...REQUEST.output_format, sample_rate: 11025 } }],
    ['an unknown language', { language: 'or' }],
    ['too long a delay', { max_buffer_delay_ms: 5001 }],
    ['too much speed', { generation_config: { speed: 1.6 } }],
    ['an unknown field', { flushed: true }],
    ['nothing to say', { transcript: '' }],
  ] as const) {
    test(`refuses ${what}`, async () => {
      const { simulator, client, errors } = await speak();
      client.send({ ...REQUEST, ...change });
      await until(() => errors().length === 1);
      expect(errors()[0]![0]).toBe(400);
      expect(simulator.violations).toHaveLength(1);
    });
  }

  test('refuses unknown models and voices as not found', async () => {
    const { client, errors } = await speak({ voices: ['w'] });
    client.send({ ...REQUEST, model_id: 'sonic-9' });
    client.send(REQUEST);
    await until(() => errors().length === 2);
    expect(errors()).toEqual([
      [404, 'model_not_found'],
      [404, 'voice_not_found'],
    ]);
  });

  test('refuses other settings, text after the end and an expired name', async () => {
    const clock = createVirtualClock();
    const { simulator, client, errors, types } = await speak({ clock, realtimeFactor: 1 });
    client.send(REQUEST);
    client.send({ ...REQUEST, language: 'en' });
    await until(() => errors().length === 1);
    client.send({ ...REQUEST, context_id: 'b' });
    client.send({ ...REQUEST, context_id: 'b', continue: false });
    client.send({ ...REQUEST, context_id: 'b' });
    await until(() => errors().length === 2);
    client.send({ ...REQUEST, context_id: 'c', transcript: 'x' });
    await until(() => simulator.connections[0]!.messages.length === 6);
    await clock.advance(100);
    await until(() => types().includes('flush_done'));
    await clock.advance(10_000);
    client.send({ ...REQUEST, context_id: 'c' });
    await until(() => errors().length === 3);
    expect(simulator.violations).toHaveLength(3);
  });

  test('counts contexts until their audio is sent', async () => {
    const { simulator, client, errors, types } = await speak({ concurrency: 1, realtimeFactor: 5 });
    client.send(REQUEST);
    await until(() => types().includes('chunk'));
    client.send({ context_id: 'a', cancel: true });
    client.send({ ...REQUEST, context_id: 'b' });
    await until(() => errors().length === 1);
    expect(errors()).toEqual([[429, 'concurrency_limited']]);
    await until(() => types().includes('done'));
    client.send({ ...REQUEST, context_id: 'c', continue: false });
    await until(() => types().filter((type) => type === 'done').length === 2);
    expect(simulator.violations).toEqual([]);
  });

  test('finishes the segment in progress after a cancel, or stops at once', async () => {
    for (const cancelStops of [false, true]) {
      const { simulator, client, types } = await speak({ cancelStops, realtimeFactor: 5 });
      client.send(REQUEST);
      client.send({ ...REQUEST, transcript: 'Three four. ' });
      await until(() => types().includes('chunk'));
      client.send({ context_id: 'a', cancel: true });
      await until(() => types().includes('done'));
      const { audioMs, lateMs } = simulator.connections[0]!.contexts[0]!;
      if (cancelStops) expect(lateMs).toBe(0);
      else expect([audioMs, lateMs > 0]).toEqual([9 * 65, true]);
    }
  });

  test('sends words in seconds before their audio, a flush for each segment, and the end once', async () => {
    const { client, types } = await speak({ chunkMs: 2000 });
    client.send(REQUEST);
    client.send({ ...REQUEST, transcript: 'Three. ' });
    client.send({ ...REQUEST, transcript: '', continue: false });
    await until(() => types().includes('done'));
    expect(types()).toEqual(['timestamps', 'chunk', 'flush_done', 'timestamps', 'chunk', 'flush_done', 'done']);
    expect(client.received[0]!.word_timestamps).toEqual({
      words: ['One', 'two.'],
      start: [0, 0.26],
      end: [0.195, 0.52],
    });
    expect((client.received[3]!.word_timestamps as { start: number[] }).start).toEqual([0.585]);
  });

  test('waits for more text as long as it may, or for the end', async () => {
    const { client, types } = await speak();
    const patient = { ...REQUEST, max_buffer_delay_ms: 5000 };
    client.send(patient);
    await pause(60);
    expect(types()).toEqual([]);
    client.send({ ...patient, transcript: '', continue: false });
    await until(() => types().includes('done'));
  });

  test('closes an idle connection, and sends plain-text errors to old versions', async () => {
    const { client } = await speak({ secondMs: 1 }, { ...HEADERS, 'cartesia-version': '2025-04-16' });
    client.send('{');
    await until(() => client.received.length === 1);
    expect(client.received).toEqual([{ text: 'invalid_request: refused' }]);
    await until(() => client.closeCode === 1000);
  });
});
