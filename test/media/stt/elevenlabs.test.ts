import { afterEach, expect, test } from 'vitest';
import {
  type ElevenLabsTranscriberSimulatorOptions,
  startElevenLabsTranscriberSimulator,
} from '../../../fixtures/simulators/elevenlabs-transcriber.ts';
import { MULAW_8K, PCM_16K } from '../../../media/audio/format.ts';
import { createElevenLabsTranscriber, elevenLabsAddress, elevenLabsInput } from '../../../media/stt/elevenlabs.ts';
import { createLogger } from '../../../shared/log.ts';
import { patientClock } from '../../support/patient-clock.ts';
import { until } from '../../support/until.ts';
import { type CloudCall, cloudCall, SILENCE } from './cloud-call.ts';

let call: CloudCall | null = null;
afterEach(async () => {
  await call?.close();
  call = null;
});

async function connected(options: Partial<ElevenLabsTranscriberSimulatorOptions> = {}, model = 'scribe_v2_realtime') {
  const simulator = await startElevenLabsTranscriberSimulator({
    script: { utterances: [] },
    apiKey: 'key',
    ...options,
  });
  call = await cloudCall(simulator, ({ input, ...common }) =>
    createElevenLabsTranscriber({ ...common, model, legFormat: input }),
  );
  return call;
}

function query(language: string, keyterms: string[] = []): URLSearchParams {
  const common = { url: 'wss://example.test/', apiKey: 'key', model: 'scribe_v2_realtime', legFormat: MULAW_8K };
  const rest = { clock: patientClock, log: createLogger('test', 'silent'), listener: () => {} };
  return new URL(elevenLabsAddress({ ...common, ...rest, language, keyterms })).searchParams;
}

test('the address asks for commits by request, in the format of the call', () => {
  expect([...query('hi-IN', ['Antiphon', 'x'.repeat(51), 'Asha'])]).toEqual([
    ['model_id', 'scribe_v2_realtime'],
    ['audio_format', 'ulaw_8000'],
    ['commit_strategy', 'manual'],
    ['language_code', 'hi'],
    ['keyterms', 'Antiphon'],
    ['keyterms', 'Asha'],
  ]);
  for (const language of ['', 'multi', 'auto', 'hi-en'])
    expect(query(language).has('language_code'), language).toBe(false);
});

test('a format that the provider does not take is converted', () => {
  expect(elevenLabsInput({ encoding: 'alaw', sample_rate: 8000 })).toEqual({ encoding: 'pcm16', sample_rate: 8000 });
  expect(elevenLabsInput({ encoding: 'pcm16', sample_rate: 32000 })).toEqual(PCM_16K);
  expect(elevenLabsInput({ encoding: 'pcm16', sample_rate: 48000 }).sample_rate).toBe(48000);
});

test('a commit that is refused, for too little audio or activity, is answered with nothing', async () => {
  const { transcriber, receive, finals, events } = await connected();
  transcriber.finalize();
  await until(() => finals().length === 1);
  transcriber.audio(SILENCE);
  call!.simulator.faults.silent = true;
  transcriber.finalize();
  receive({ message_type: 'insufficient_audio_activity', error: 'x' });
  await until(() => finals().length === 2);
  expect(events).toEqual([
    { type: 'final', turn: 0, text: '' },
    { type: 'final', turn: 1, text: '' },
  ]);
});

test('silence is committed after twenty seconds, which is no event', async () => {
  const { say, transcriber, connection, finals, events } = await connected();
  say(SILENCE, 20_500);
  transcriber.finalize();
  await until(() => finals().length === 1);
  expect([connection.texts.length, events]).toEqual([2, [{ type: 'final', turn: 0, text: '' }]]);
});

test('a text that the provider commits by itself is final', async () => {
  const { receive, finals } = await connected();
  receive({ message_type: 'partial_transcript', text: 'ek' });
  receive({ message_type: 'committed_transcript', text: 'ek do' });
  receive({ message_type: 'committed_transcript_with_timestamps', text: 'ek do', words: [] });
  receive({ message_type: 'partial_transcript', text: 5 });
  receive({ message_type: 'committed_transcript', text: 'teen' });
  await until(() => finals().length === 2);
  expect(finals()).toEqual([
    [0, 'ek do'],
    [1, 'teen'],
  ]);
});

test('a wrong key, a full account and an unknown model fail the opening, although the connection was accepted', async () => {
  await expect(connected({ apiKey: 'other' })).rejects.toMatchObject({ kind: 'auth' });
  await expect(connected({ maxStreams: 0 })).rejects.toMatchObject({ kind: 'capacity' });
  await expect(connected({}, 'scribe_v1')).rejects.toMatchObject({ kind: 'bad_request' });
});

test.each([
  ['quota_exceeded', 'auth'],
  ['quota_exceeded_error', 'auth'],
  ['rate_limited_error', 'capacity'],
  ['queue_overflow', 'capacity'],
  ['session_time_limit_exceeded', 'unavailable'],
  ['chunk_size_exceeded', 'bad_request'],
  ['transcriber_error', 'unavailable'],
  ['insufficient_audio_activity', 'timeout'],
])('%s is %s', async (message_type, kind) => {
  const { receive, events } = await connected();
  receive({ message_type: 'commit_throttled', error: 'nobody asked' });
  receive({ message_type, error: 'x' });
  await until(() => events.length > 0);
  expect(events).toMatchObject([{ type: 'failed', error: { kind, provider: 'elevenlabs' } }]);
});
