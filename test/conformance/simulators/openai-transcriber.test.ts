import { expect, test } from 'vitest';
import {
  type OpenAiTranscriberSimulatorOptions,
  startOpenAiTranscriberSimulator,
} from '../../../fixtures/simulators/openai-transcriber.ts';
import { until } from '../../support/until.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { closeAfterTest, connect } from './client.ts';

/** As strict as the provider; with a lenient simulator, tests of the adapter would prove nothing. */

const SPEECH = Buffer.alloc(4_000, Buffer.from([0x10, 0x90])).toString('base64');
const SILENCE = Buffer.alloc(4_000, 0xff).toString('base64');
const script = { utterances: [{ text: 'one two', finalAfterMs: 20 }] };
const session = (transcription: object, format: object = { type: 'audio/pcmu' }, more = {}) => ({
  ...{ type: 'transcription', audio: { input: { format, transcription, turn_detection: null, ...more } } },
});
const LIVE = { model: 'gpt-live-transcribe' };

async function listen(
  options: Partial<OpenAiTranscriberSimulatorOptions> = {},
  query = 'intent=transcription',
  key = 'key',
) {
  const simulator = closeAfterTest(await startOpenAiTranscriberSimulator({ apiKey: 'key', script, ...options }));
  const client = await connect(`${simulator.url}/v1/realtime?${query}`, { authorization: `Bearer ${key}` });
  const types = () => client.received.map(({ type }) => String(type).split('.').at(-1));
  return { simulator, client, types };
}

test('refuses a wrong key, a model in the address and one connection too many when it connects', async () => {
  expect((await listen({}, undefined, 'no')).client.status).toBe(401);
  expect((await listen({}, 'intent=transcription&model=gpt-live-transcribe')).client.status).toBe(400);
  expect((await listen({ maxStreams: 0 })).client.status).toBe(429);
});

test.each([
  ['an unknown model', session({ model: 'whisper' })],
  ['another rate of PCM', session(LIVE, { type: 'audio/pcm', rate: 16_000 })],
  ['an unknown format', session(LIVE, { type: 'audio/opus' })],
  ['a prompt of the model that takes none', session({ model: 'gpt-realtime-whisper', prompt: 'x' })],
  ['turn detection', session(LIVE, undefined, { turn_detection: { type: 'server_vad' } })],
  ['a conversation', { ...session(LIVE), type: 'realtime' }],
])('refuses a session with %s', async (_what, wrong) => {
  const { client, types } = await listen();
  client.send({ type: 'session.update', session: wrong });
  await until(() => types().length === 2);
  expect(types()).toEqual(['created', 'error']);
});

test('appends words, commits on request but not too little, and may complete a later item first', async () => {
  const { client, types, simulator } = await listen();
  client.send({ type: 'session.update', session: session(LIVE) });
  client.send({ type: 'input_audio_buffer.append', audio: SPEECH });
  client.send({ type: 'input_audio_buffer.commit' });
  client.send({ type: 'input_audio_buffer.commit' });
  client.send({ type: 'input_audio_buffer.append', audio: SILENCE });
  client.send({ type: 'input_audio_buffer.commit' });
  await until(() => types().length === 8);
  expect(types()).toEqual([
    ...['created', 'updated', 'delta', 'committed', 'error', 'committed', 'completed', 'completed'],
  ]);
  expect(client.received.slice(-2)).toMatchObject([
    { item_id: 'item_0_1', transcript: '' },
    { item_id: 'item_0_0', transcript: 'one two' },
  ]);
  expect(simulator.violations).toEqual([]);
});

test('closes an old session with an error', async () => {
  const clock = createVirtualClock();
  const { client, types } = await listen({ clock });
  await clock.advance(3_600_000);
  await until(() => client.closeCode === 1001);
  expect(types()).toEqual(['created', 'error']);
});
