import { afterEach, describe, expect, test } from 'vitest';
import { type SonioxSimulatorOptions, startSonioxSimulator } from '../../../fixtures/simulators/soniox.ts';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { createSoniox, sonioxConfig, sonioxLanguages } from '../../../media/stt/soniox.ts';
import { type Clock, systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { patientClock } from '../../support/patient-clock.ts';
import { until } from '../../support/until.ts';
import { type CloudCall, cloudCall, SILENCE, SPEECH } from './cloud-call.ts';

let call: CloudCall | null = null;
afterEach(async () => {
  await call?.close();
  call = null;
});

async function connected(
  options: Partial<SonioxSimulatorOptions> = {},
  model = 'stt-rt-v5',
  clock?: Clock,
): Promise<CloudCall> {
  const script = { utterances: [{ text: 'ek do', finalAfterMs: 1 }] };
  const simulator = await startSonioxSimulator({ script, apiKey: 'key', ...options });
  call = await cloudCall(simulator, (common) => createSoniox({ ...common, model }), clock);
  return call;
}
const token = (text: string, is_final = false) => ({ text, is_final });

test('the first message asks for tokens without turns, in the format of the call', () => {
  const log = createLogger('test', 'silent');
  const common = { ...{ url: '', apiKey: 'key', clock: patientClock, log }, listener: () => {}, input: MULAW_8K };
  const keyterms = [' Antiphon ', ''];
  expect(sonioxConfig({ ...common, model: 'stt-rt-v5', language: 'hi', keyterms })).toEqual({
    ...{ model: 'stt-rt-v5', audio_format: 'mulaw', sample_rate: 8000, num_channels: 1 },
    ...{
      enable_endpoint_detection: false,
      enable_language_identification: true,
      language_hints: ['hi', 'en'],
      context: { terms: ['Antiphon'] },
    },
  });
});

test.each([
  ['hi-IN', ['hi', 'en']],
  ['en', ['en']],
  ['ta+en', ['ta', 'en']],
  ['multi', []],
  ['', []],
])('of %j it expects %j', (language, codes) => {
  expect(sonioxLanguages(language)).toEqual(codes);
});

test('final tokens come once, the others anew in each message', async () => {
  const { receive, events } = await connected();
  receive({ tokens: [token('Na', true), token('mas')] });
  receive({ tokens: [token('maste', true), token(' ji')] });
  receive({ tokens: [token(' ji', true), token('<end>', true), token('<fin>', true)] });
  await until(() => events.length === 3);
  expect(events).toEqual([
    { type: 'partial', turn: 0, text: 'Namas' },
    { type: 'partial', turn: 0, text: 'Namaste ji' },
    { type: 'final', turn: 0, text: 'Namaste ji' },
  ]);
});

test('the language of most of the words is that of the final text', async () => {
  const { receive, events } = await connected();
  const said = (text: string, language: unknown) => ({ ...token(text, true), language });
  receive({
    tokens: [said('ok ', 'en'), said('mujhe', 'hi'), said(' chahiye', 'hi'), said('.', 7), token('<fin>', true)],
  });
  receive({ tokens: [token('yes', true), token('<fin>', true)] });
  await until(() => events.length === 2);
  expect(events).toEqual([
    { type: 'final', turn: 0, text: 'ok mujhe chahiye.', language: 'hi' },
    { type: 'final', turn: 1, text: 'yes' },
  ]);
});

test('tokens after the marker belong to the next turn', async () => {
  const { receive, events } = await connected();
  receive({ tokens: [token('ek', true), token('<fin>', true), token('do')] });
  await until(() => events.length === 2);
  expect(events).toEqual([
    { type: 'final', turn: 0, text: 'ek' },
    { type: 'partial', turn: 1, text: 'do' },
  ]);
});

test('words that our voice activity does not hear become final all the same', async () => {
  // After a second or two without a request.
  const { say, connection, finals } = await connected({}, undefined, systemClock);
  say(SPEECH, 600);
  say(SILENCE, 200);
  await until(() => finals().length === 1);
  expect([finals(), connection.texts]).toEqual([[[0, 'ek do']], ['{"type":"finalize"}']]);
});

describe('failures', () => {
  test('a wrong key, a full account and an unknown model fail the opening, although the connection was accepted', async () => {
    await expect(connected({ apiKey: 'other' })).rejects.toMatchObject({ kind: 'auth' });
    await expect(connected({ maxStreams: 0 })).rejects.toMatchObject({ kind: 'capacity' });
    await expect(connected({}, 'stt-rt-v1')).rejects.toMatchObject({ kind: 'bad_request' });
  });

  test.each([
    [402, 'auth'],
    [408, 'timeout'],
    [429, 'capacity'],
    [500, 'unavailable'],
    [503, 'unavailable'],
  ])('the error %i is %s, once', async (error_code, kind) => {
    const { receive, connection, events } = await connected();
    receive({ tokens: [], error_code, error_message: 'x' });
    connection.break(1000);
    await until(() => connection.closeCode !== null);
    expect(events).toMatchObject([{ type: 'failed', error: { kind, provider: 'soniox' } }]);
  });

  test('invalid tokens are ignored', async () => {
    const { receive, finals, events } = await connected();
    for (const tokens of [null, 3, [null, 7, {}, { text: 5 }, { text: '', is_final: 'yes' }]]) receive({ tokens });
    receive({ tokens: [token('ek', true), token('<fin>', true)] });
    await until(() => finals().length === 1);
    expect(events).toHaveLength(1);
  });
});
