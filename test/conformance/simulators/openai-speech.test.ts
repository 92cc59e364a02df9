import { beforeAll, expect, test } from 'vitest';
import { type OpenAiSpeechSimulator, startOpenAiSpeechSimulator } from '../../../fixtures/simulators/openai-speech.ts';
import { afterFile } from '../../support/after-file.ts';

let simulator: OpenAiSpeechSimulator;
beforeAll(async () => {
  simulator = await startOpenAiSpeechSimulator({ apiKey: 'key', firstAudioMs: 1, realtimeFactor: 10_000 });
  afterFile(() => simulator.close());
});

const SPEECH = { model: 'gpt-4o-mini-tts', voice: 'marin', input: 'Yes.', response_format: 'pcm' };
const speak = (change: object, key = 'key') =>
  fetch(`${simulator.url}/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ ...SPEECH, ...change }),
  });

test('streams PCM at 24 kHz', async () => {
  const audio = await (await speak({})).arrayBuffer();
  expect(audio.byteLength).toBe(4 * 65 * 48);
});

test.each([
  ['an unknown model', { model: 'tts-9' }, 404],
  ['a voice that its model does not have', { model: 'tts-1' }, 400],
  ['4,097 characters', { input: 'x'.repeat(4_097) }, 400],
  ['nothing to say', { input: '' }, 400],
  ['too much speed', { speed: 4.1 }, 400],
  ['instructions to a model without', { model: 'tts-1', voice: 'ash', instructions: 'calm' }, 400],
  ['an unknown field', { language: 'hi' }, 400],
])('refuses %s', async (_, change, status) => {
  expect((await speak(change)).status).toBe(status);
});

test('refuses other keys, and models that it does not have', async () => {
  expect((await speak({}, 'another')).status).toBe(401);
  const headers = { authorization: 'Bearer key' };
  expect((await fetch(`${simulator.url}/models/tts-9`, { headers })).status).toBe(404);
});
