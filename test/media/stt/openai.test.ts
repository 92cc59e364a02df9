import { afterEach, expect, test } from 'vitest';
import {
  type OpenAiTranscriberSimulatorOptions,
  startOpenAiTranscriberSimulator,
} from '../../../fixtures/simulators/openai-transcriber.ts';
import { MULAW_8K, PCM_16K } from '../../../media/audio/format.ts';
import { createOpenAiTranscriber, openAiInput, openAiSession } from '../../../media/stt/openai.ts';
import { createLogger } from '../../../shared/log.ts';
import { patientClock } from '../../support/patient-clock.ts';
import { until } from '../../support/until.ts';
import { type CloudCall, cloudCall } from './cloud-call.ts';

let call: CloudCall | null = null;
afterEach(async () => {
  await call?.close();
  call = null;
});

async function connected(options: Partial<OpenAiTranscriberSimulatorOptions> = {}, model = 'gpt-live-transcribe') {
  const simulator = await startOpenAiTranscriberSimulator({ script: { utterances: [] }, apiKey: 'key', ...options });
  call = await cloudCall(simulator, ({ input, url, ...common }) =>
    createOpenAiTranscriber({ ...common, url: url.replace('ws', 'http').concat('/v1'), model, legFormat: input }),
  );
  return call;
}

function session(model: string, language: string, legFormat = MULAW_8K): object {
  const common = { url: '', apiKey: 'key', clock: patientClock, log: createLogger('test', 'silent') };
  return openAiSession({ ...common, listener: () => {}, keyterms: ['Antiphon', ' '], model, language, legFormat });
}
const input = (format: object, transcription: object) => ({
  ...{ type: 'transcription', audio: { input: { format, transcription, turn_detection: null } } },
});
const item = (item_id: string) => ({
  committed: { type: 'input_audio_buffer.committed', item_id },
  delta: (delta: unknown) => ({ type: 'conversation.item.input_audio_transcription.delta', item_id, delta }),
  completed: (transcript: string) => ({
    ...{ type: 'conversation.item.input_audio_transcription.completed', item_id, transcript },
  }),
  failed: { type: 'conversation.item.input_audio_transcription.failed', item_id, error: {} },
});
const one = item('one');
const two = item('two');

test('the session has what its model takes, and no turn detection', () => {
  expect(session('gpt-live-transcribe', 'hi-IN')).toEqual(
    input({ type: 'audio/pcmu' }, { model: 'gpt-live-transcribe', languages: ['hi', 'en'], keywords: ['Antiphon'] }),
  );
  expect(session('gpt-realtime-whisper', 'hi', PCM_16K)).toEqual(
    input({ type: 'audio/pcm', rate: 24_000 }, { model: 'gpt-realtime-whisper', delay: 'low', language: 'hi' }),
  );
  expect(openAiInput(PCM_16K).sample_rate).toBe(24_000);
});

test('items that are completed out of order are final in order', async () => {
  const { receive, events } = await connected();
  for (const message of [one.delta('ek'), one.delta(' do'), one.committed, two.delta('teen'), two.committed]) {
    receive(message);
  }
  receive({ ...two.completed('teen char'), languages: ['hi', 'en'] });
  receive(one.completed('ek do'));
  await until(() => events.length === 5);
  expect(events).toEqual([
    { type: 'partial', turn: 0, text: 'ek' },
    { type: 'partial', turn: 0, text: 'ek do' },
    { type: 'partial', turn: 0, text: 'ek do teen' },
    { type: 'final', turn: 0, text: 'ek do' },
    { type: 'final', turn: 1, text: 'teen char', language: 'hi' },
  ]);
});

test('an item that fails is final with the words that are known', async () => {
  const { receive, finals } = await connected();
  for (const message of [one.delta('ek'), one.delta(7), one.committed, one.failed, two.failed]) receive(message);
  await until(() => finals().length === 1);
  expect(finals()).toEqual([[0, 'ek']]);
});

test('a wrong key, a full account and an unknown model fail the opening', async () => {
  await expect(connected({ apiKey: 'other' })).rejects.toMatchObject({ kind: 'auth' });
  await expect(connected({ maxStreams: 0 })).rejects.toMatchObject({ kind: 'capacity' });
  await expect(connected({}, 'whisper-1')).rejects.toMatchObject({ kind: 'bad_request' });
});

test.each([
  ['insufficient_quota', 'auth'],
  ['rate_limit_exceeded', 'capacity'],
  ['session_expired', 'unavailable'],
])('the error %s is %s; others end nothing', async (code, kind) => {
  const { receive, events } = await connected();
  receive({ type: 'error', error: { type: 'invalid_request_error', code: 'invalid_value', message: 'x' } });
  receive({ type: 'error', error: null });
  receive({ type: 'error', error: { type: 'x', code, message: 'x' } });
  await until(() => events.length > 0);
  expect(events).toMatchObject([{ type: 'failed', error: { kind, provider: 'openai' } }]);
});
