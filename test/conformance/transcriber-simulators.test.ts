import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { startDeepgramSimulator } from '../../fixtures/simulators/deepgram.ts';
import { type ElevenLabsSimulatorOptions, startElevenLabsSimulator } from '../../fixtures/simulators/elevenlabs.ts';
import { until } from '../support/until.ts';

/** The simulators are as strict as the providers they stand in for; a lenient one would prove nothing. */

let closers: (() => Promise<unknown> | undefined)[] = [];
afterEach(async () => {
  for (const close of closers.reverse()) await close();
  closers = [];
});

type Message = Record<string, unknown>;

interface Client {
  socket: WebSocket;
  received: Message[];
  status: number | null;
  reason: string | null;
  closeCode: number | null;
}

async function connect(address: string, headers: Record<string, string>): Promise<Client> {
  const socket = new WebSocket(address, { headers });
  const client: Client = { socket, received: [], status: null, reason: null, closeCode: null };
  socket.on('message', (data) => client.received.push(JSON.parse(String(data)) as Message));
  socket.on('error', () => {});
  socket.on('close', (code) => {
    client.closeCode = code;
  });
  socket.on('unexpected-response', (_request, response) => {
    client.status = response.statusCode ?? 0;
    client.reason = String(response.headers['dg-error'] ?? '');
    socket.terminate();
  });
  closers.push(async () => socket.terminate());
  await until(() => socket.readyState === WebSocket.OPEN || client.status !== null || client.closeCode !== null);
  return client;
}

describe('deepgram flux', () => {
  const QUERY = 'model=flux-general-multi&encoding=mulaw&sample_rate=8000';

  async function listen(query: string, authorization = 'Token key') {
    const simulator = await startDeepgramSimulator({
      apiKey: 'key',
      script: { turns: [{ text: 'one two three', startAfterMs: 10, eagerAfterMs: 40, endAfterMs: 400 }] },
    });
    closers.push(() => simulator.close());
    const client = await connect(`${simulator.url}/v2/listen?${query}`, authorization ? { authorization } : {});
    return { simulator, client };
  }

  for (const [query, words] of [
    ['model=nova-3&encoding=mulaw&sample_rate=8000', 'no such model'],
    ['model=flux-general-en&encoding=mulaw', 'sample_rate is required with a raw encoding'],
    ['model=flux-general-en&sample_rate=8000', 'unknown encoding'],
    [`${QUERY}&interim_results=true`, 'unknown parameter interim_results'],
    [`${QUERY}&eot_threshold=0.4`, 'eot_threshold must be between 0.5 and 1'],
    [`${QUERY}&eot_threshold=0.6&eager_eot_threshold=0.7`, 'eager_eot_threshold must not exceed eot_threshold'],
    [`${QUERY}&language_hint=`, 'empty language_hint'],
    [
      'model=flux-general-en&encoding=mulaw&sample_rate=8000&language_hint=en',
      'language_hint needs flux-general-multi',
    ],
  ] as const) {
    test(`refuses ${query}`, async () => {
      const { client } = await listen(query);
      expect([client.status, client.reason]).toEqual([400, words]);
    });
  }

  test('refuses a missing and a wrong key', async () => {
    expect((await listen(QUERY, '')).client.status).toBe(401);
    expect((await listen(QUERY, 'Token no')).client.status).toBe(401);
  });

  test('numbers its messages, and tells no eager end to those who did not ask', async () => {
    const { client } = await listen(QUERY);
    for (let i = 0; i < 5; i++) client.socket.send(new Uint8Array(160).map((_, at) => (at % 2 ? 0x10 : 0x90)));
    client.socket.send(new Uint8Array(8000).fill(0xff));
    await until(() => client.received.at(-1)?.event === 'EndOfTurn');
    expect(client.received.map((message) => message.sequence_id)).toEqual(client.received.map((_, i) => i));
    expect(client.received[0]!.type).toBe('Connected');
    expect(client.received.map((message) => message.event)).not.toContain('EagerEndOfTurn');
    expect(client.received.at(-1)).toMatchObject({ turn_index: 0, transcript: 'one two three', trigger: 'model' });
  });

  test('the end of a turn repeats its eager end word for word', async () => {
    const { client } = await listen(`${QUERY}&eager_eot_threshold=0.5`);
    for (let i = 0; i < 5; i++) client.socket.send(new Uint8Array(160).map((_, at) => (at % 2 ? 0x10 : 0x90)));
    client.socket.send(new Uint8Array(1600).fill(0xff));
    await until(() => client.received.at(-1)?.event === 'EagerEndOfTurn');
    const eager = client.received.at(-1)!;
    client.socket.send('{"type":"ForceEndTurn"}');
    await until(() => client.received.at(-1)?.event === 'EndOfTurn');
    expect(client.received.at(-1)).toMatchObject({ transcript: eager.transcript, trigger: 'manual' });
  });

  test('answers Configure, and closes on what it cannot read', async () => {
    const { client } = await listen(QUERY);
    client.socket.send('{"type":"Configure","thresholds":{"eot_threshold":0.8}}');
    client.socket.send('{"type":"Configure","thresholds":{"eot_threshold":3}}');
    client.socket.send('nonsense');
    await until(() => client.closeCode !== null);
    expect(client.received.map((message) => message.type)).toEqual([
      'Connected',
      'ConfigureSuccess',
      'ConfigureFailure',
      'Error',
    ]);
    expect(client.closeCode).toBe(1008);
  });
});

describe('elevenlabs', () => {
  const QUERY = 'model_id=eleven_flash_v2_5&output_format=ulaw_8000';

  async function speak(options: ElevenLabsSimulatorOptions, query = QUERY, key = 'key') {
    const simulator = await startElevenLabsSimulator({ apiKey: 'key', firstAudioMs: 5, ...options });
    closers.push(() => simulator.close());
    const client = await connect(`${simulator.url}/v1/text-to-speech/v/multi-stream-input?${query}`, {
      'xi-api-key': key,
    });
    const say = (message: object) => client.socket.send(JSON.stringify(message));
    return { simulator, client, say };
  }

  async function refused(client: Client): Promise<unknown[]> {
    await until(() => client.closeCode !== null);
    return [client.received.at(-1)?.error, client.closeCode];
  }

  test('refuses a wrong key, voice, model and format in the socket', async () => {
    expect(await refused((await speak({}, QUERY, 'no')).client)).toEqual(['invalid_api_key', 1008]);
    expect(await refused((await speak({ voices: ['w'] })).client)).toEqual(['voice_not_found', 1008]);
    const model = 'model_id=eleven_v3&output_format=ulaw_8000';
    expect(await refused((await speak({}, model)).client)).toEqual(['model_not_found', 1008]);
    const format = 'model_id=eleven_flash_v2_5&output_format=wav';
    expect(await refused((await speak({}, format)).client)).toEqual(['unsupported_output_format', 1008]);
  });

  test('refuses a sixth context', async () => {
    const { client, say } = await speak({});
    for (const id of 'abcdef') say({ text: ' ', context_id: id });
    expect(await refused(client)).toEqual(['max_active_conversations', 1008]);
  });

  test('counts a closed context until its sound has come', async () => {
    const { client, say } = await speak({ realtimeFactor: 1 });
    for (const id of 'abcde') say({ text: ' ', context_id: id });
    say({ text: 'A long text ', context_id: 'a', flush: true });
    say({ context_id: 'a', close_context: true });
    say({ text: ' ', context_id: 'f' });
    expect(await refused(client)).toEqual(['max_active_conversations', 1008]);
  });

  test('refuses settings after the first message of a context', async () => {
    const { client, say } = await speak({});
    say({ text: ' ', context_id: 'a', voice_settings: { speed: 1.1 } });
    say({ text: 'x ', context_id: 'a', voice_settings: { speed: 1.2 } });
    expect(await refused(client)).toEqual(['invalid_message', 1008]);
  });

  test('closes an idle socket', async () => {
    const { client } = await speak({ secondMs: 1 });
    expect(await refused(client)).toEqual(['input_timeout_exceeded', 1008]);
  });

  test('waits for enough text or a flush, and speaks on after the context was closed', async () => {
    const { simulator, client, say } = await speak({ realtimeFactor: 50 });
    say({ text: ' ', context_id: 'a' });
    say({ text: 'Some words ', context_id: 'a' });
    say({ text: '', context_id: 'a' });
    await until(() => simulator.connections[0]!.keepAlives === 1);
    expect(client.received).toEqual([]);
    say({ context_id: 'a', flush: true });
    say({ text: 'lost ', context_id: 'a' });
    say({ context_id: 'a', close_context: true });
    await until(() => client.received.at(-1)?.isFinal === true);
    const record = simulator.connections[0]!.contexts[0]!;
    expect(record.audioMs).toBeCloseTo(11 * 65);
    // Never earlier than scripted; how much later is the machine's affair.
    expect(record.firstAudioAt! - record.firstFlushAt!).toBeGreaterThanOrEqual(5);
  });
});
