import { expect, test } from 'vitest';
import { type AssemblyAiSimulatorOptions, startAssemblyAiSimulator } from '../../../fixtures/simulators/assemblyai.ts';
import { until } from '../../support/until.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { closeAfterTest, connect } from './client.ts';

/** As strict as the provider; with a lenient simulator, tests of the adapter would prove nothing. */

const QUERY = 'speech_model=universal-3-5-pro&encoding=pcm_mulaw&sample_rate=8000';
const SPEECH = new Uint8Array(4_000).map((_, at) => (at % 2 ? 0x10 : 0x90));
const SILENCE = new Uint8Array(8_000).fill(0xff);
const script = { utterances: [{ text: 'one two', finalAfterMs: 1 }] };

async function listen(query = QUERY, options: Partial<AssemblyAiSimulatorOptions> = {}, authorization = 'key') {
  const simulator = closeAfterTest(await startAssemblyAiSimulator({ apiKey: 'key', script, ...options }));
  const client = await connect(`${simulator.url}/v3/ws?${query}`, { authorization });
  return { simulator, client, types: () => client.received.map(({ type }) => type) };
}

test.each([
  ['a wrong key', QUERY, {}, 'no', 1008],
  ['one stream too many', QUERY, { maxStreams: 0 }, 'key', 3009],
  ['an unknown model', 'speech_model=best&sample_rate=8000', {}, 'key', 3006],
  ['a prompt beside expected words', `${QUERY}&prompt=x&keyterms_prompt=[]`, {}, 'key', 3006],
  ['an unknown parameter', `${QUERY}&endpointing=300`, {}, 'key', 3006],
])('refuses %s with an error, then closes with the same code', async (_what, query, options, key, code) => {
  const { client } = await listen(query, options, key);
  await until(() => client.closeCode === code);
  expect(client.received).toMatchObject([{ type: 'Error', error_code: code }]);
});

test.each([
  ['too short', [new Uint8Array(160)]],
  ['too long', [new Uint8Array(8_008)]],
  ['too fast', Array.from({ length: 21 }, () => SILENCE)],
])('closes for audio that is %s', async (_what, chunks) => {
  const { client, simulator } = await listen();
  for (const chunk of chunks) client.send(chunk);
  await until(() => client.closeCode === 3007);
  expect(simulator.violations).toHaveLength(1);
});

test('ends a turn on request, twice where it is formatted, and says nothing when there is none', async () => {
  const { client, types, simulator } = await listen(`${QUERY}&format_turns=true`);
  client.send({ type: 'ForceEndpoint' });
  client.send(SPEECH);
  client.send({ type: 'ForceEndpoint' });
  await until(() => types().length === 5);
  expect(client.received.slice(2)).toMatchObject([
    { type: 'Turn', turn_order: 0, end_of_turn: false },
    { type: 'Turn', turn_order: 0, end_of_turn: true, turn_is_formatted: false, transcript: 'one two' },
    { type: 'Turn', turn_order: 0, end_of_turn: true, turn_is_formatted: true, transcript: 'one two.' },
  ]);
  client.send({ type: 'Terminate' });
  await until(() => client.closeCode === 1000);
  expect([types().at(-1), simulator.violations]).toEqual(['Termination', []]);
});

test('ends a turn after silence, and an old session', async () => {
  const clock = createVirtualClock();
  const { client, types } = await listen(`${QUERY}&max_turn_silence=1500`, { clock });
  for (const chunk of [SPEECH, SILENCE, SILENCE]) client.send(chunk);
  await until(() => types().length === 3);
  await clock.advance(1);
  await until(() => types().length === 4);
  expect(client.received.at(-1)).toMatchObject({ end_of_turn: true, transcript: 'one two' });
  await clock.advance(3 * 3_600_000);
  await until(() => client.closeCode === 3008);
});
