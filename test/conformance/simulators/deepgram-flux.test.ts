import { describe, expect, test } from 'vitest';
import { startDeepgramSimulator } from '../../../fixtures/simulators/deepgram.ts';
import { until } from '../../support/until.ts';
import { closeAfterTest, connect } from './client.ts';

/** A simulator has to be as strict as its provider; with a lenient one, tests of the adapter would prove nothing. */

describe('deepgram flux', () => {
  const QUERY = 'model=flux-general-multi&encoding=mulaw&sample_rate=8000';

  async function listen(query: string, authorization = 'Token key') {
    const simulator = closeAfterTest(
      await startDeepgramSimulator({
        apiKey: 'key',
        script: { turns: [{ text: 'one two three', startAfterMs: 10, eagerAfterMs: 40, endAfterMs: 400 }] },
      }),
    );
    const client = await connect(`${simulator.url}/v2/listen?${query}`, authorization ? { authorization } : {});
    return { simulator, client };
  }

  for (const [query, reason] of [
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
      expect([client.status, client.reason]).toEqual([400, reason]);
    });
  }

  test('refuses a missing and a wrong key', async () => {
    expect((await listen(QUERY, '')).client.status).toBe(401);
    expect((await listen(QUERY, 'Token no')).client.status).toBe(401);
  });

  test('numbers its messages, and sends no eager end without its threshold', async () => {
    const { client } = await listen(QUERY);
    for (let i = 0; i < 5; i++) client.send(new Uint8Array(160).map((_, at) => (at % 2 ? 0x10 : 0x90)));
    client.send(new Uint8Array(8000).fill(0xff));
    await until(() => client.received.at(-1)?.event === 'EndOfTurn');
    expect(client.received.map((message) => message.sequence_id)).toEqual(client.received.map((_, i) => i));
    expect(client.received[0]!.type).toBe('Connected');
    expect(client.received.map((message) => message.event)).not.toContain('EagerEndOfTurn');
    expect(client.received.at(-1)).toMatchObject({ turn_index: 0, transcript: 'one two three', trigger: 'model' });
  });

  test('the end of a turn repeats its eager end word for word', async () => {
    const { client } = await listen(`${QUERY}&eager_eot_threshold=0.5`);
    for (let i = 0; i < 5; i++) client.send(new Uint8Array(160).map((_, at) => (at % 2 ? 0x10 : 0x90)));
    client.send(new Uint8Array(1600).fill(0xff));
    await until(() => client.received.at(-1)?.event === 'EagerEndOfTurn');
    const eager = client.received.at(-1)!;
    client.send('{"type":"ForceEndTurn"}');
    await until(() => client.received.at(-1)?.event === 'EndOfTurn');
    expect(client.received.at(-1)).toMatchObject({ transcript: eager.transcript, trigger: 'manual' });
  });

  test('responds to Configure, and closes on malformed messages', async () => {
    const { client } = await listen(QUERY);
    client.send('{"type":"Configure","thresholds":{"eot_threshold":0.8}}');
    client.send('{"type":"Configure","thresholds":{"eot_threshold":3}}');
    client.send('nonsense');
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
