import { expect, test } from 'vitest';
import { type SonioxSimulatorOptions, startSonioxSimulator } from '../../../fixtures/simulators/soniox.ts';
import { until } from '../../support/until.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { closeAfterTest, connect } from './client.ts';

/** As strict as the provider; with a lenient simulator, tests of the adapter would prove nothing. */

const CONFIG = { model: 'stt-rt-v5', audio_format: 'mulaw', sample_rate: 8000, num_channels: 1 };
const SPEECH = new Uint8Array(4_000).map((_, at) => (at % 2 ? 0x10 : 0x90));
const script = { utterances: [{ text: 'one two', finalAfterMs: 1 }] };

async function listen(options: Partial<SonioxSimulatorOptions> = {}, key = 'Bearer key') {
  const simulator = closeAfterTest(await startSonioxSimulator({ apiKey: 'key', script, ...options }));
  const client = await connect(`${simulator.url}/transcribe-websocket`, key ? { authorization: key } : {});
  return { simulator, client };
}

test.each([
  ['a wrong key', { key: 'Bearer no' }, CONFIG, 401],
  ['no key', { key: '' }, CONFIG, 401],
  ['one stream too many', { maxStreams: 0 }, CONFIG, 429],
  ['an unknown model', {}, { ...CONFIG, model: 'x' }, 400],
  ['an unknown field', {}, { ...CONFIG, endpointing: 300 }, 400],
  ['a raw format without its rate', {}, { ...CONFIG, sample_rate: undefined }, 400],
])(
  'refuses %s with an error object, then closes',
  async (_what, { key, ...options }: { key?: string; maxStreams?: number }, config, code) => {
    const { client } = await listen(options, key);
    client.send(config);
    await until(() => client.closeCode !== null);
    expect(client.received).toMatchObject([{ tokens: [], error_code: code }]);
  },
);

test('sends tokens that may change, makes them final on request and marks the end', async () => {
  const { client, simulator } = await listen();
  client.send(CONFIG);
  client.send(SPEECH);
  client.send({ type: 'finalize' });
  await until(() => client.received.length === 2);
  const [open, final] = client.received as { tokens: { text: string; is_final: boolean }[] }[];
  expect(open!.tokens.every(({ is_final }) => !is_final)).toBe(true);
  expect(final!.tokens.map(({ text }) => text).join('')).toBe('one two<fin>');
  client.send('');
  await until(() => client.closeCode === 1000);
  expect([client.received.at(-1), simulator.violations]).toMatchObject([{ finished: true }, []]);
});

test('closes an idle connection and an old one', async () => {
  const clock = createVirtualClock();
  const { client, simulator } = await listen({ clock, maxSessionMs: 60_000 });
  client.send(CONFIG);
  client.send({ type: 'keepalive' });
  await until(() => simulator.connections[0]!.texts.length === 1);
  await clock.advance(20_000);
  await until(() => client.closeCode !== null);
  expect(client.received.at(-1)).toMatchObject({ error_code: 408 });
  const { client: old } = await listen({ clock, maxSessionMs: 10_000 });
  old.send(CONFIG);
  await clock.advance(10_000);
  await until(() => old.closeCode !== null);
  expect(old.received.at(-1)).toMatchObject({ error_code: 503 });
});
