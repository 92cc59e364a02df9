import { afterEach, expect, test } from 'vitest';
import { type AssemblyAiSimulatorOptions, startAssemblyAiSimulator } from '../../../fixtures/simulators/assemblyai.ts';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { assemblyAiAddress, assemblyAiInput, createAssemblyAi } from '../../../media/stt/assemblyai.ts';
import { createLogger } from '../../../shared/log.ts';
import { patientClock } from '../../support/patient-clock.ts';
import { until } from '../../support/until.ts';
import { type CloudCall, cloudCall, SILENCE, SPEECH } from './cloud-call.ts';

let call: CloudCall | null = null;
afterEach(async () => {
  await call?.close();
  call = null;
});

async function connected(options: Partial<AssemblyAiSimulatorOptions> = {}, model = 'universal-3-5-pro') {
  const script = { utterances: [{ text: 'ek do', finalAfterMs: 1 }] };
  const simulator = await startAssemblyAiSimulator({ script, apiKey: 'key', ...options });
  call = await cloudCall(simulator, ({ input, ...common }) => createAssemblyAi({ ...common, model, legFormat: input }));
  return call;
}

function query(model: string, language: string, keyterms: string[] = []): Record<string, string> {
  const common = { url: 'wss://example.test/', apiKey: 'key', legFormat: MULAW_8K, clock: patientClock };
  const rest = { log: createLogger('test', 'silent'), listener: () => {} };
  return Object.fromEntries(new URL(assemblyAiAddress({ ...common, ...rest, model, language, keyterms })).searchParams);
}

test('the address leaves the end of turns to us, and has what the model takes', () => {
  expect(query('universal-3-5-pro', 'hi-IN', ['Antiphon', 'x'.repeat(51)])).toEqual({
    ...{ speech_model: 'universal-3-5-pro', encoding: 'pcm_mulaw', sample_rate: '8000' },
    ...{ min_turn_silence: '1500', max_turn_silence: '1500', continuous_partials: 'true', language_detection: 'true' },
    ...{ language_code: 'hi', keyterms_prompt: '["Antiphon"]' },
  });
  expect(Object.keys(query('whisper-rt', 'hi', ['Antiphon']))).toEqual([
    ...['speech_model', 'encoding', 'sample_rate', 'min_turn_silence', 'max_turn_silence', 'language_detection'],
  ]);
  expect(query('universal-3-5-pro', 'multi')).not.toHaveProperty('language_code');
});

test('A-law is converted', () => {
  expect(assemblyAiInput({ encoding: 'alaw', sample_rate: 8000 })).toEqual({ encoding: 'pcm16', sample_rate: 8000 });
});

test("a call's frames are joined, and filled up with silence when final words are requested", async () => {
  const { say, transcriber, connection, simulator } = await connected();
  say(SILENCE, 60);
  transcriber.finalize();
  await until(() => connection.texts.length === 1);
  expect([connection.receivedChunks, connection.receivedSamples, simulator.violations]).toEqual([2, 800, []]);
});

test('words that may still change are in partial texts, and the second end of a turn adds nothing', async () => {
  const { receive, events } = await connected();
  const turn = { type: 'Turn', turn_order: 0, end_of_turn: false, transcript: 'ek' };
  receive({ ...turn, words: [{ text: 'ek' }, { text: 'do' }, 7] });
  receive({ ...turn, end_of_turn: true, transcript: 'ek do', words: [], language_code: 'hi' });
  receive({ ...turn, end_of_turn: true, turn_is_formatted: true, transcript: 'Ek do.' });
  receive({ ...turn, turn_order: 'x' });
  receive({ ...turn, turn_order: 1, transcript: 'teen' });
  await until(() => events.length === 3);
  expect(events).toEqual([
    { type: 'partial', turn: 0, text: 'ek do' },
    { type: 'final', turn: 0, text: 'ek do', language: 'hi' },
    { type: 'partial', turn: 1, text: 'teen' },
  ]);
});

test('a turn that the provider ends itself is final', async () => {
  const { say, finals, connection } = await connected();
  say(SPEECH, 600);
  say(SILENCE, 1_600);
  await until(() => finals().length === 1);
  expect([finals(), connection.texts]).toEqual([[[0, 'ek do']], []]);
});

test('a wrong key, a full account and an unknown model fail the opening, although the connection was accepted', async () => {
  await expect(connected({ apiKey: 'other' })).rejects.toMatchObject({ kind: 'auth' });
  await expect(connected({ maxStreams: 0 })).rejects.toMatchObject({ kind: 'capacity' });
  await expect(connected({}, 'best')).rejects.toMatchObject({ kind: 'bad_request' });
});

test.each([
  [1008, 'Too many concurrent sessions', 'capacity'],
  [1008, 'Not authorized', 'auth'],
  [3005, '', 'unavailable'],
  [3006, '', 'bad_request'],
  [3007, '', 'unavailable'],
  [3008, '', 'unavailable'],
  [3009, '', 'capacity'],
  [1011, '', 'unavailable'],
])('a close with %i %j is %s', async (code, reason, kind) => {
  const { connection, events } = await connected();
  connection.break(code, reason);
  await until(() => events.length > 0);
  expect(events).toMatchObject([{ type: 'failed', error: { kind, provider: 'assemblyai' } }]);
});
