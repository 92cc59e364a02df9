import { expect, test } from 'vitest';
import {
  type ElevenLabsTranscriberSimulatorOptions,
  startElevenLabsTranscriberSimulator,
} from '../../../fixtures/simulators/elevenlabs-transcriber.ts';
import { until } from '../../support/until.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { closeAfterTest, connect } from './client.ts';

/** As strict as the provider; with a lenient simulator, tests of the adapter would prove nothing. */

const QUERY = 'model_id=scribe_v2_realtime&audio_format=ulaw_8000';
const SPEECH = Buffer.alloc(4_000, Buffer.from([0x10, 0x90])).toString('base64');
const script = { utterances: [{ text: 'one two', finalAfterMs: 1 }] };

async function listen(query = QUERY, options: Partial<ElevenLabsTranscriberSimulatorOptions> = {}, key = 'key') {
  const simulator = closeAfterTest(await startElevenLabsTranscriberSimulator({ apiKey: 'key', script, ...options }));
  const client = await connect(`${simulator.url}/v1/speech-to-text/realtime?${query}`, { 'xi-api-key': key });
  const chunk = (audio: string, commit = false) =>
    client.send({ message_type: 'input_audio_chunk', audio_base_64: audio, commit, sample_rate: 8000 });
  const types = () => client.received.map(({ message_type }) => message_type);
  return { simulator, client, chunk, types };
}

test.each([
  ['a wrong key', QUERY, {}, 'no', 'auth_error'],
  ['one stream too many', QUERY, { maxStreams: 0 }, 'key', 'rate_limited'],
  ['an unknown model', 'model_id=scribe_v1', {}, 'key', 'input_error'],
  ['an unknown format', `model_id=scribe_v2_realtime&audio_format=mulaw_8000`, {}, 'key', 'input_error'],
  ['a language with its country', `${QUERY}&language_code=hi-IN`, {}, 'key', 'input_error'],
  ['an unknown parameter', `${QUERY}&endpointing=300`, {}, 'key', 'input_error'],
])('refuses %s with an error, then closes', async (_what, query, options, key, name) => {
  const { client, types } = await listen(query, options, key);
  await until(() => client.closeCode === 1008);
  expect(types()).toEqual([name]);
});

test('commits what there is on request, but not too little', async () => {
  const { chunk, types, client, simulator } = await listen(`${QUERY}&include_timestamps=true`);
  chunk(SPEECH);
  chunk('', true);
  chunk('', true);
  await until(() => types().length === 5);
  expect(types()).toEqual([
    ...['session_started', 'partial_transcript', 'committed_transcript', 'committed_transcript_with_timestamps'],
    'commit_throttled',
  ]);
  expect([client.received[2], simulator.violations]).toMatchObject([{ text: 'one two' }, []]);
  chunk('?');
  await until(() => client.closeCode === 1008);
});

test('ends a session without audio, and an old one', async () => {
  const clock = createVirtualClock();
  const { client, types } = await listen(QUERY, { clock });
  await clock.advance(15_000);
  await until(() => client.closeCode !== null);
  expect(types().at(-1)).toBe('insufficient_audio_activity');
  const old = await listen(QUERY, { clock, maxSessionMs: 10_000 });
  await clock.advance(10_000);
  await until(() => old.client.closeCode !== null);
  expect(old.types().at(-1)).toBe('session_time_limit_exceeded');
});
