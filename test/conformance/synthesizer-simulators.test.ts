import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type CartesiaSimulatorOptions, startCartesiaSimulator } from '../../fixtures/simulators/cartesia.ts';
import {
  type SarvamSynthesizerSimulatorOptions,
  startSarvamSynthesizerSimulator,
} from '../../fixtures/simulators/sarvam-synthesizer.ts';
import { pause, until } from '../support/until.ts';

/** The simulators are as strict as the providers they stand in for; a lenient one would prove nothing. */

let closers: (() => Promise<unknown> | undefined)[] = [];
afterEach(async () => {
  for (const close of closers.reverse()) await close();
  closers = [];
});

type Message = Record<string, unknown>;

interface Client {
  received: Message[];
  status: number | null;
  closeCode: number | null;
  say(message: object | string): void;
}

async function connect(address: string, headers: Record<string, string>): Promise<Client> {
  const socket = new WebSocket(address, { headers });
  const client: Client = {
    received: [],
    status: null,
    closeCode: null,
    say: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
  };
  socket.on('message', (data) => {
    const text = String(data);
    client.received.push(text.startsWith('{') ? (JSON.parse(text) as Message) : { text });
  });
  socket.on('error', () => {});
  socket.on('close', (code) => {
    client.closeCode = code;
  });
  socket.on('unexpected-response', (_request, response) => {
    client.status = response.statusCode ?? 0;
    socket.terminate();
  });
  closers.push(async () => socket.terminate());
  await until(() => socket.readyState === WebSocket.OPEN || client.status !== null || client.closeCode !== null);
  return client;
}

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
    const simulator = await startCartesiaSimulator({ apiKey: 'key', firstAudioMs: 5, realtimeFactor: 100, ...options });
    closers.push(() => simulator.close());
    const client = await connect(`${simulator.url}/tts/websocket`, headers);
    const types = () => client.received.map((message) => message.type);
    const errors = () =>
      client.received.flatMap((message) =>
        message.type === 'error' ? [[message.status_code, message.error_code]] : [],
      );
    return { simulator, client, types, errors };
  }

  test('refuses a wrong key, a missing or unknown version and another path at the door', async () => {
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
      client.say({ ...REQUEST, ...change });
      await until(() => errors().length === 1);
      expect(errors()[0]![0]).toBe(400);
      expect(simulator.violations).toHaveLength(1);
    });
  }

  test('refuses unknown models and voices as not found', async () => {
    const { client, errors } = await speak({ voices: ['w'] });
    client.say({ ...REQUEST, model_id: 'sonic-9' });
    client.say(REQUEST);
    await until(() => errors().length === 2);
    expect(errors()).toEqual([
      [404, 'model_not_found'],
      [404, 'voice_not_found'],
    ]);
  });

  test('refuses other settings, text after the end and an expired name', async () => {
    const { simulator, client, errors, types } = await speak({ secondMs: 10, realtimeFactor: 1 });
    client.say(REQUEST);
    client.say({ ...REQUEST, language: 'en' });
    await until(() => errors().length === 1);
    client.say({ ...REQUEST, context_id: 'b' });
    client.say({ ...REQUEST, context_id: 'b', continue: false });
    client.say({ ...REQUEST, context_id: 'b' });
    await until(() => errors().length === 2);
    client.say({ ...REQUEST, context_id: 'c', transcript: 'x' });
    await until(() => types().includes('flush_done'));
    await pause(40);
    client.say({ ...REQUEST, context_id: 'c' });
    await until(() => errors().length === 3);
    expect(simulator.violations).toHaveLength(3);
  });

  test('counts live contexts, until their sound has come', async () => {
    const { simulator, client, errors, types } = await speak({ concurrency: 1, realtimeFactor: 5 });
    client.say(REQUEST);
    await until(() => types().includes('chunk'));
    client.say({ context_id: 'a', cancel: true });
    client.say({ ...REQUEST, context_id: 'b' });
    await until(() => errors().length === 1);
    expect(errors()).toEqual([[429, 'concurrency_limited']]);
    await until(() => types().includes('done'));
    client.say({ ...REQUEST, context_id: 'c', continue: false });
    await until(() => types().filter((type) => type === 'done').length === 2);
    expect(simulator.violations).toEqual([]);
  });

  test('speaks the piece that was begun to its end after a cancel, or falls silent at once', async () => {
    for (const cancelStops of [false, true]) {
      const { simulator, client, types } = await speak({ cancelStops, realtimeFactor: 5 });
      client.say(REQUEST);
      client.say({ ...REQUEST, transcript: 'Three four. ' });
      await until(() => types().includes('chunk'));
      client.say({ context_id: 'a', cancel: true });
      await until(() => types().includes('done'));
      const { audioMs, lateMs } = simulator.connections[0]!.contexts[0]!;
      if (cancelStops) expect(lateMs).toBe(0);
      else expect([audioMs, lateMs > 0]).toEqual([9 * 65, true]);
    }
  });

  test('tells words in seconds before their sound, a flush for each piece, and the end once', async () => {
    const { client, types } = await speak({ chunkMs: 2000 });
    client.say(REQUEST);
    client.say({ ...REQUEST, transcript: 'Three. ' });
    client.say({ ...REQUEST, transcript: '', continue: false });
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
    client.say(patient);
    await pause(60);
    expect(types()).toEqual([]);
    client.say({ ...patient, transcript: '', continue: false });
    await until(() => types().includes('done'));
  });

  test('closes an idle connection, and speaks plainly to old versions', async () => {
    const { client } = await speak({ secondMs: 1 }, { ...HEADERS, 'cartesia-version': '2025-04-16' });
    client.say('{');
    await until(() => client.received.length === 1);
    expect(client.received).toEqual([{ text: 'invalid_request: refused' }]);
    await until(() => client.closeCode === 1000);
  });
});

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
    const simulator = await startSarvamSynthesizerSimulator({ ...common, ...options });
    closers.push(() => simulator.close());
    const client = await connect(`${simulator.url}/text-to-speech/ws?${query}`, headers);
    const types = () => client.received.map((message) => message.type);
    const configure = (change: object = {}) => client.say({ type: 'config', data: { ...CONFIG, ...change } });
    const text = (words: unknown) => client.say({ type: 'text', data: { text: words } });
    return { simulator, client, types, configure, text };
  }

  test('refuses a wrong key, an unknown model and one connection too many at the door', async () => {
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
    client.say({ type: 'cancel' });
    client.say('[');
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
    client.say({ type: 'flush' });
    text('A text that is long enough to be spoken without being asked for. ');
    client.say({ type: 'flush' });
    await until(() => types().length === 4);
    expect(types()).toEqual(['audio', 'event', 'audio', 'event']);
    expect(client.received[0]!.data).toMatchObject({ content_type: 'audio/mulaw' });
  });

  test('tells no completion to those who did not ask', async () => {
    const { client, types, configure, text } = await speak({ chunkMs: 5000 }, 'model=bulbul:v3');
    configure();
    text('Short. ');
    client.say({ type: 'flush' });
    await until(() => types().length === 1);
    await pause(40);
    expect(types()).toEqual(['audio']);
  });

  test('closes a connection on which nothing is said, and keeps one that is pinged', async () => {
    const { simulator, client } = await speak({ secondMs: 5 });
    for (let i = 0; i < 8; i++) {
      client.say({ type: 'ping' });
      await pause(50);
    }
    if (simulator.connections[0]!.keepAlives === 8) expect(client.closeCode).toBeNull();
    await until(() => client.closeCode === 1000);
    expect(simulator.violations).toEqual(['idle connection']);
  });
});
