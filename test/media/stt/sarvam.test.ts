import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type SarvamTranscriberConnection,
  type SarvamTranscriberSimulator,
  startSarvamTranscriberSimulator,
} from '../../../fixtures/simulators/sarvam-transcriber.ts';
import type { ScriptedUtterance } from '../../../fixtures/simulators/scripted-recognition.ts';
import { MULAW_8K, PCM_16K } from '../../../media/audio/format.ts';
import { createSarvam, type SarvamOptions, sarvamAddress, sarvamLanguage } from '../../../media/stt/sarvam.ts';
import type { Transcriber, TranscriberEvent } from '../../../media/stt/transcriber.ts';
import { createLogger } from '../../../shared/log.ts';
import { patientClock } from '../../support/patient-clock.ts';
import { pause, until } from '../../support/until.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

const SPEECH = new Uint8Array(160).map((_, i) => (i % 2 ? 0x10 : 0x90));
const SILENCE = new Uint8Array(160).fill(0xff);

let simulator: SarvamTranscriberSimulator;
let utterances: ScriptedUtterance[];
let events: TranscriberEvent[];
let transcriber: Transcriber;
let clock: VirtualClock;

const BASE: Omit<SarvamOptions, 'url'> = {
  apiKey: 'key',
  model: 'saaras:v3-realtime',
  language: 'hi',
  endpointingMs: 300,
  legFormat: MULAW_8K,
  clock: patientClock,
  log: createLogger('test', 'silent'),
  listener: (event) => events.push(event),
};

beforeEach(async () => {
  utterances = [];
  events = [];
  clock = createVirtualClock();
  simulator = await startSarvamTranscriberSimulator({ script: () => ({ utterances }), apiKey: 'key' });
});
afterEach(async () => {
  await transcriber?.close();
  await simulator.close();
});

function sarvam(options: Partial<SarvamOptions> = {}): Transcriber {
  transcriber = createSarvam({ ...BASE, url: simulator.url, ...options });
  return transcriber;
}

async function connected(options: Partial<SarvamOptions> = {}): Promise<SarvamTranscriberConnection> {
  await sarvam(options).open();
  return simulator.connections.at(-1)!;
}

function send(frame: Uint8Array, ms: number): void {
  for (let sent = 0; sent < ms; sent += 20) transcriber.audio(frame);
}

const finals = () => events.filter((event) => event.type === 'final');
const texts = () => finals().map((event) => [event.turn, event.text]);
const partial = (utterance_idx: number, text: string) =>
  JSON.stringify({ event: 'transcript.partial', utterance_idx, text });
const final = (utterance_idx: number, text: string) =>
  JSON.stringify({ event: 'transcript.final', utterance_idx, text });

/** The client has handled what was sent before this. */
async function handled(connection: SarvamTranscriberConnection): Promise<void> {
  const before = events.length;
  connection.raw(partial(900, `mark ${before}`));
  await until(() => events.length > before);
}

describe('the address', () => {
  const query = (options: Partial<SarvamOptions> = {}) =>
    new URL(sarvamAddress({ ...BASE, url: 'wss://example.test/', ...options }));

  test('requests fast partial texts in the call format', () => {
    expect(query().pathname).toBe('/speech-to-text-realtime/ws');
    expect(Object.fromEntries(query().searchParams)).toEqual({
      language_code: 'hi-IN',
      model: 'saaras:v3-realtime',
      encoding: 'mulaw',
      sample_rate: '8000',
      stream_type: 'fast',
      mode: 'transcribe',
      endpointing: 'vad',
      silence_duration_ms: '300',
      min_speech_duration_ms: '100',
    });
    expect(query({ endpointingMs: 10 }).searchParams.get('silence_duration_ms')).toBe('200');
    expect(query({ endpointingMs: 3_000 }).searchParams.get('silence_duration_ms')).toBe('500');
  });

  test('sends keyterms to the models that take them', () => {
    const keyterms = ['Antiphon', 'x'.repeat(65)];
    expect(query({ keyterms }).searchParams.has('keyterms')).toBe(false);
    expect(query({ keyterms, model: 'saaras:v4' }).searchParams.get('keyterms')).toBe('["Antiphon"]');
  });

  test('needs 16 kHz where the call has a rate that the provider does not take', () => {
    expect(sarvam({ legFormat: { encoding: 'pcm16', sample_rate: 24_000 } }).input).toEqual(PCM_16K);
    expect(sarvam({ legFormat: { encoding: 'alaw', sample_rate: 8_000 } }).input.encoding).toBe('alaw');
  });

  test.each([
    ['hi', 'hi-IN'],
    ['hi-IN', 'hi-IN'],
    ['en', 'en-IN'],
    ['od-IN', 'or-IN'],
    ['kok', 'kok-IN'],
    ['', 'auto'],
    ['multi', 'auto'],
    ['unknown', 'auto'],
    ['fr', 'auto'],
    ['hi-en', 'auto'],
    ['hi,en', 'auto'],
  ])('calls %j %j', (language, code) => {
    expect(sarvamLanguage(language)).toBe(code);
  });
});

describe('transcripts', () => {
  test('partial texts grow, and every utterance is one final with a turn of its own', async () => {
    utterances = [
      { text: 'मुझे एक टेबल चाहिए', finalAfterMs: 20 },
      { text: 'जी हाँ', finalAfterMs: 20 },
    ];
    await connected();
    send(SPEECH, 1_200);
    send(SILENCE, 400);
    await until(() => finals().length === 1);
    send(SPEECH, 400);
    send(SILENCE, 400);
    await until(() => finals().length === 2);
    expect(texts()).toEqual([
      [0, 'मुझे एक टेबल चाहिए'],
      [1, 'जी हाँ'],
    ]);
    expect(events[0]).toMatchObject({ type: 'partial', turn: 0 });
    expect(simulator.violations).toEqual([]);
  });

  test('finalize is resolved once, by the open utterance', async () => {
    utterances = [{ text: 'yes please', finalAfterMs: 150 }];
    const connection = await connected();
    send(SPEECH, 600);
    send(SILENCE, 260);
    transcriber.finalize();
    send(SILENCE, 1_000);
    await until(() => finals().length === 1);
    await until(() => connection.receivedSamples === 8 * 1_860);
    await handled(connection);
    expect(texts()).toEqual([[0, 'yes please']]);
    expect(connection.pings).toBe(1);
  });

  test('late messages of an emitted utterance add nothing', async () => {
    const connection = await connected();
    for (const message of [partial(0, 'ek'), final(0, 'ek do'), partial(0, 'ek'), final(0, 'ek do')]) {
      connection.raw(message);
    }
    connection.raw(partial(1, 'teen'));
    await until(() => events.length === 3);
    expect(events).toEqual([
      { type: 'partial', turn: 0, text: 'ek' },
      { type: 'final', turn: 0, text: 'ek do' },
      { type: 'partial', turn: 1, text: 'teen' },
    ]);
  });

  test('an utterance without an end is emitted with its words', async () => {
    const connection = await connected();
    connection.raw(partial(0, 'ek'));
    connection.raw(partial(1, 'do'));
    await until(() => events.length === 3);
    expect(texts()).toEqual([[0, 'ek']]);
  });

  test('noise without words resolves a request, and is no event otherwise', async () => {
    const connection = await connected();
    connection.raw('{"event":"vad.speech_start","utterance_idx":0}');
    connection.raw(final(0, ''));
    connection.raw('{"event":"vad.speech_start","utterance_idx":1}');
    transcriber.finalize();
    connection.raw(final(1, ''));
    await until(() => events.length === 1);
    await handled(connection);
    expect(texts()).toEqual([[0, '']]);
  });
});

describe('deadlines', () => {
  async function asked(): Promise<SarvamTranscriberConnection> {
    const connection = await connected({ clock });
    transcriber.finalize();
    await until(() => connection.pings === 1);
    return connection;
  }
  test('a request without speech is resolved soon', async () => {
    await asked();
    // The pong is on its way; it has to be there before the clock moves.
    await pause(50);
    await clock.advance(599);
    expect(finals()).toEqual([]);
    await clock.advance(1);
    expect(texts()).toEqual([[0, '']]);
  });

  test('at the deadline the known words become final', async () => {
    const connection = await asked();
    connection.raw(partial(0, 'ek do'));
    await until(() => events.length === 1);
    await clock.advance(2_000);
    expect(texts()).toEqual([[0, 'ek do']]);
    connection.raw(final(0, 'Ek do.'));
    await handled(connection);
    expect(texts()).toEqual([[0, 'ek do']]);
  });

  test('words that a late final text adds are emitted', async () => {
    const connection = await asked();
    connection.raw(partial(0, 'ek do'));
    await until(() => events.length === 1);
    await clock.advance(2_000);
    connection.raw(final(0, 'Ek do teen char.'));
    connection.raw(final(0, 'Ek do teen char.'));
    await handled(connection);
    expect(texts()).toEqual([
      [0, 'ek do'],
      [1, 'teen char.'],
    ]);
  });

  test('words that come after the deadline are emitted', async () => {
    const connection = await asked();
    await until(() => connection.sent.some(({ event }) => event === 'pong'));
    connection.raw('{"event":"vad.speech_start","utterance_idx":0}');
    await pause(50);
    await clock.advance(2_000);
    expect(texts()).toEqual([[0, '']]);
    connection.raw(final(0, 'ek'));
    await until(() => finals().length === 2);
    expect(texts()[1]).toEqual([1, 'ek']);
  });

  test('a provider that does not answer a ping has failed', async () => {
    await connected({ clock });
    simulator.faults.silent = true;
    await clock.advance(1);
    transcriber.finalize();
    await clock.advance(1_999);
    expect(events).toEqual([]);
    await clock.advance(1);
    expect(events).toMatchObject([{ type: 'failed', error: { kind: 'timeout', provider: 'sarvam' } }]);
  });

  test('speech without any message is a failure', async () => {
    const connection = await connected({ clock });
    connection.raw(partial(0, 'ek'));
    await until(() => events.length === 1);
    simulator.faults.silent = true;
    send(SILENCE, 5_020);
    expect(events.at(-1)).toMatchObject({ type: 'failed', error: { kind: 'timeout' } });
  });

  test.each(['hang', 'silent'] as const)('a provider that does not begin fails the opening (%s)', async (fault) => {
    simulator.faults[fault] = true;
    const open = sarvam({ clock }).open();
    const refused = expect(open).rejects.toMatchObject({ kind: 'timeout' });
    if (fault === 'silent') await until(() => simulator.connections.length === 1);
    await clock.advance(5_000);
    await refused;
    expect(events).toEqual([]);
  });
});

describe('failures', () => {
  test.each([
    [401, 'auth'],
    [403, 'auth'],
    [429, 'capacity'],
    [503, 'unavailable'],
  ])('a refusal with %i is %s', async (status, kind) => {
    simulator.faults.refuse = { status };
    await expect(sarvam().open()).rejects.toMatchObject({ kind });
  });

  test('a limit, a wrong key and an unknown model fail the opening with their kinds', async () => {
    simulator.faults.full = true;
    await expect(sarvam().open()).rejects.toMatchObject({ kind: 'capacity' });
    simulator.faults.full = false;
    await expect(sarvam({ apiKey: 'no' }).open()).rejects.toMatchObject({ kind: 'auth' });
    await expect(sarvam({ model: 'saaras:v3' }).open()).rejects.toMatchObject({ kind: 'bad_request' });
    expect(events).toEqual([]);
  });

  test.each([
    [1003, 'Quota exhausted', 'capacity'],
    [1003, 'Invalid subscription key', 'auth'],
    [1003, '', 'capacity'],
    [1008, 'Inactivity timeout', 'timeout'],
    [4000, 'invalid model', 'bad_request'],
    [4000, 'gRPC backend unavailable', 'unavailable'],
    [1011, '', 'unavailable'],
    [undefined, '', 'unavailable'],
  ])('a close with %s %j is %s', async (code, reason, kind) => {
    const connection = await connected();
    connection.break(code, reason);
    await until(() => events.length > 0);
    expect(events).toMatchObject([{ type: 'failed', error: { kind } }]);
  });

  test.each([
    [{ code: 'x', status_code: 408 }, 'timeout'],
    [{ code: 'x', status_code: 413 }, 'bad_request'],
    [{ code: 'x', status_code: 500 }, 'unavailable'],
    [{ code: 'rate_limit_exceeded' }, 'capacity'],
    [{}, 'unavailable'],
  ])('the fatal error %j is %s', async (fields, kind) => {
    const connection = await connected();
    connection.raw(JSON.stringify({ event: 'error', is_fatal: true, message: '', ...fields }));
    await until(() => events.length > 0);
    expect(events).toMatchObject([{ type: 'failed', error: { kind } }]);
  });

  test('invalid messages are ignored', async () => {
    const connection = await connected();
    for (const odd of [
      '',
      'null',
      '[]',
      '{"event":"transcript.partial"}',
      '{"event":"transcript.partial","utterance_idx":"0","text":"x"}',
      '{"event":"transcript.partial","utterance_idx":-1,"text":"x"}',
      '{"event":"transcript.final","utterance_idx":0.5}',
      '{"event":"transcript.partial","utterance_idx":0,"text":7}',
      '{"event":"error","code":3}',
      '{"event":"error","code":"invalid_config","is_fatal":false,"message":"no"}',
      '{"event":"config.updated"}',
      '{"event":"surprise"}',
      '{"event":5}',
    ]) {
      connection.raw(odd);
    }
    connection.raw(Buffer.from([1, 2, 3]));
    connection.raw(final(1, 'still here'));
    await until(() => finals().length === 1);
    expect(texts()).toEqual([[0, 'still here']]);
  });
});
