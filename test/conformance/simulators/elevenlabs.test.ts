import { describe, expect, test } from 'vitest';
import { type ElevenLabsSimulatorOptions, startElevenLabsSimulator } from '../../../fixtures/simulators/elevenlabs.ts';
import { until } from '../../support/until.ts';
import { type Client, closeAfterTest, connect } from './client.ts';

/** A simulator has to be as strict as its provider; with a lenient one, tests of the adapter would prove nothing. */

describe('elevenlabs', () => {
  const QUERY = 'model_id=eleven_flash_v2_5&output_format=ulaw_8000';

  async function speak(options: ElevenLabsSimulatorOptions, query = QUERY, key = 'key') {
    const simulator = closeAfterTest(await startElevenLabsSimulator({ apiKey: 'key', firstAudioMs: 5, ...options }));
    const client = await connect(`${simulator.url}/v1/text-to-speech/v/multi-stream-input?${query}`, {
      'xi-api-key': key,
    });
    const { send } = client;
    return { simulator, client, send };
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
    const { client, send } = await speak({});
    for (const id of 'abcdef') send({ text: ' ', context_id: id });
    expect(await refused(client)).toEqual(['max_active_conversations', 1008]);
  });

  test('counts a closed context until its audio is sent', async () => {
    const { client, send } = await speak({ realtimeFactor: 1 });
    for (const id of 'abcde') send({ text: ' ', context_id: id });
    send({ text: 'A long text ', context_id: 'a', flush: true });
    send({ context_id: 'a', close_context: true });
    send({ text: ' ', context_id: 'f' });
    expect(await refused(client)).toEqual(['max_active_conversations', 1008]);
  });

  test('refuses settings after the first message of a context', async () => {
    const { client, send } = await speak({});
    send({ text: ' ', context_id: 'a', voice_settings: { speed: 1.1 } });
    send({ text: 'x ', context_id: 'a', voice_settings: { speed: 1.2 } });
    expect(await refused(client)).toEqual(['invalid_message', 1008]);
  });

  test('closes an idle socket', async () => {
    const { client } = await speak({ secondMs: 1 });
    expect(await refused(client)).toEqual(['input_timeout_exceeded', 1008]);
  });

  test('waits for enough text or a flush, and speaks on after the context was closed', async () => {
    const { simulator, client, send } = await speak({ realtimeFactor: 50 });
    send({ text: ' ', context_id: 'a' });
    send({ text: 'Some words ', context_id: 'a' });
    send({ text: '', context_id: 'a' });
    await until(() => simulator.connections[0]!.keepAlives === 1);
    expect(client.received).toEqual([]);
    send({ context_id: 'a', flush: true });
    send({ text: 'lost ', context_id: 'a' });
    send({ context_id: 'a', close_context: true });
    await until(() => client.received.at(-1)?.isFinal === true);
    const record = simulator.connections[0]!.contexts[0]!;
    expect(record.audioMs).toBeCloseTo(11 * 65);
    // How much later than scripted depends on the machine's load.
    expect(record.firstAudioAt! - record.firstFlushAt!).toBeGreaterThanOrEqual(5);
  });

  test('starts generations by the schedule of the context', async () => {
    const { simulator, client, send } = await speak({ realtimeFactor: 500, chunkMs: 60_000 });
    send({ text: ' ', context_id: 'a', generation_config: { chunk_length_schedule: [50, 100] } });
    const words = 'ten signs ';
    for (let n = 0; n < 16; n++) send({ text: words, context_id: 'a' });
    await until(() => client.received.length === 2);
    send({ text: '', context_id: 'a' });
    await until(() => simulator.connections[0]!.keepAlives === 1);
    const lengths = client.received.map((message) => (message.alignment as { chars: string[] }).chars.length);
    expect(lengths).toEqual([50, 100]);
  });

  test('speaks what was flushed before it closes the socket', async () => {
    const { client, send } = await speak({ realtimeFactor: 50 });
    send({ text: ' ', context_id: 'a' });
    send({ text: 'Some words ', context_id: 'a', flush: true });
    send({ close_socket: true });
    await until(() => client.closeCode === 1000);
    expect(client.received.at(-1)).toMatchObject({ isFinal: true, contextId: 'a' });
    expect(client.received.length).toBeGreaterThan(1);
  });
});
