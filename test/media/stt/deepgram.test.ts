import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type GeneralConnection,
  type GeneralSimulator,
  type GeneralSimulatorOptions,
  startDeepgramGeneralSimulator,
} from '../../../fixtures/simulators/deepgram-general.ts';
import type { ScriptedUtterance } from '../../../fixtures/simulators/scripted-recognition.ts';
import { MULAW_8K, PCM_16K } from '../../../media/audio/format.ts';
import {
  createDeepgram,
  type DeepgramOptions,
  deepgramAddress,
  deepgramLanguage,
} from '../../../media/stt/deepgram.ts';
import type { Transcriber, TranscriberEvent } from '../../../media/stt/transcriber.ts';
import { createLogger } from '../../../shared/log.ts';
import { patientClock } from '../../support/patient-clock.ts';
import { until } from '../../support/until.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

const SPEECH = new Uint8Array(160).map((_, i) => (i % 2 ? 0x10 : 0x90));
const SILENCE = new Uint8Array(160).fill(0xff);

let simulator: GeneralSimulator;
let utterances: ScriptedUtterance[];
let events: TranscriberEvent[];
let transcriber: Transcriber;
let clock: VirtualClock;

const BASE: Omit<DeepgramOptions, 'url'> = {
  apiKey: 'key',
  model: 'nova-3',
  language: 'hi',
  endpointingMs: 300,
  input: MULAW_8K,
  clock: patientClock,
  log: createLogger('test', 'silent'),
  listener: (event) => events.push(event),
};

beforeEach(async () => {
  utterances = [];
  events = [];
  clock = createVirtualClock();
  await start();
});
afterEach(async () => {
  await transcriber?.close();
  await simulator.close();
});

async function start(options: Partial<GeneralSimulatorOptions> = {}): Promise<void> {
  await simulator?.close();
  simulator = await startDeepgramGeneralSimulator({ script: () => ({ utterances }), apiKey: 'key', ...options });
}

function deepgram(options: Partial<DeepgramOptions> = {}): Transcriber {
  transcriber = createDeepgram({ ...BASE, url: simulator.url, ...options });
  return transcriber;
}

async function connected(options: Partial<DeepgramOptions> = {}): Promise<GeneralConnection> {
  await deepgram(options).open();
  await until(() => simulator.connections.length > 0);
  return simulator.connections.at(-1)!;
}

function send(frame: Uint8Array, ms: number): void {
  for (let sent = 0; sent < ms; sent += 20) transcriber.audio(frame);
}

const finals = () => events.filter((event) => event.type === 'final');
const texts = () => finals().map((event) => [event.turn, event.text]);

/** The client has handled what was sent before this. */
async function handled(connection: GeneralConnection): Promise<void> {
  const before = events.length;
  connection.raw(results('what comes later', 60_000));
  await until(() => events.length > before);
}

/** A message of the vendor's, as it stands on the wire. */
function results(transcript: string, endMs: number, flags: Record<string, unknown> = {}): string {
  return JSON.stringify({
    type: 'Results',
    start: 0,
    duration: endMs / 1000,
    is_final: false,
    channel: { alternatives: [{ transcript, words: [] }] },
    ...flags,
  });
}

describe('the address', () => {
  const query = (options: Partial<DeepgramOptions> = {}) =>
    new URL(deepgramAddress({ ...BASE, url: 'wss://example.test/', ...options }));

  test('requests interim results in the call format', () => {
    const address = query({ keyterms: ['Antiphon', ' ', 'Nani'], endpointingMs: 450 });
    expect(address.pathname).toBe('/v1/listen');
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      model: 'nova-3',
      language: 'hi',
      encoding: 'mulaw',
      sample_rate: '8000',
      interim_results: 'true',
      endpointing: '450',
      utterance_end_ms: '1000',
      vad_events: 'true',
      punctuate: 'true',
    });
    expect(address.searchParams.getAll('keyterm')).toEqual(['Antiphon', 'Nani']);
    expect(query({ input: PCM_16K }).searchParams.get('encoding')).toBe('linear16');
    expect(query({ model: 'nova-2', keyterms: ['x'] }).searchParams.getAll('keywords')).toEqual(['x']);
    expect(query({ keyterms: Array.from({ length: 130 }, () => 'x') }).searchParams.getAll('keyterm')).toHaveLength(
      100,
    );
  });

  test.each([
    ['hi', 'hi'],
    ['hi-IN', 'hi'],
    ['HI', 'hi'],
    ['en-IN', 'en-IN'],
    ['en', 'en'],
    ['ta-IN', 'ta'],
    ['', 'multi'],
    ['multi', 'multi'],
    ['auto', 'multi'],
    ['hi-en', 'multi'],
    ['hi,en', 'multi'],
    ['hi-Latn', 'multi'],
  ])('calls %j %j', (language, name) => {
    expect(deepgramLanguage(language)).toBe(name);
  });
});

describe('transcripts', () => {
  test('partial texts grow, and a pause makes them final without a request', async () => {
    utterances = [{ text: 'a table for two please' }];
    await connected();
    send(SPEECH, 1_500);
    send(SILENCE, 400);
    await until(() => finals().length === 1);
    expect(texts()).toEqual([[0, 'a table for two please']]);
    const partials = events.filter((event) => event.type === 'partial').map((event) => event.text);
    expect(partials[0]).toBe('a');
    expect(partials.length).toBeGreaterThan(2);
  });

  test('final segments of long speech are joined, and every final has a turn of its own', async () => {
    utterances = [{ text: 'one two three four five six seven eight' }, { text: 'nine' }];
    await start({ segmentMs: 1_000 });
    await connected();
    send(SPEECH, 2_000);
    send(SILENCE, 400);
    send(SPEECH, 400);
    send(SILENCE, 400);
    await until(() => finals().length === 2);
    expect(texts()).toEqual([
      [0, 'one two three four five six seven eight'],
      [1, 'nine'],
    ]);
    expect(simulator.violations).toEqual([]);
  });

  test('finalize is resolved once, by the result of Finalize', async () => {
    utterances = [{ text: 'yes please' }];
    const connection = await connected({ endpointingMs: 1_000 });
    send(SPEECH, 600);
    send(SILENCE, 260);
    transcriber.finalize();
    await until(() => finals().length === 1);
    send(SILENCE, 2_000);
    await until(() => connection.receivedSamples === 8 * 2_860);
    await handled(connection);
    expect(texts()).toEqual([[0, 'yes please']]);
    expect(connection.finalizes).toBe(1);
  });

  test('UtteranceEnd makes segments final that noise has left open', async () => {
    utterances = [{ text: 'in the street' }];
    simulator.faults.noisy = true;
    await connected();
    send(SPEECH, 800);
    send(SILENCE, 1_100);
    await until(() => finals().length === 1);
    expect(texts()).toEqual([[0, 'in the street']]);
  });

  test('a revised word is replaced in the next partial text, and the final text has none of it', async () => {
    utterances = [{ text: 'could you change that to half past seven please' }];
    await start({ seed: 1 });
    await connected();
    send(SPEECH, 2_400);
    send(SILENCE, 400);
    await until(() => finals().length === 1);
    expect(texts()).toEqual([[0, 'could you change that to half past seven please']]);
    const partials = events.filter((event) => event.type === 'partial').map((event) => event.text);
    expect(partials.some((text) => !utterances[0]!.text.startsWith(text))).toBe(true);
  });

  test('an UtteranceEnd after the pause was final adds nothing', async () => {
    utterances = [{ text: 'yes please' }, { text: 'at seven' }];
    const connection = await connected();
    send(SPEECH, 600);
    send(SILENCE, 1_100);
    await until(() => connection.sent.some((sent) => sent.type === 'UtteranceEnd'));
    send(SPEECH, 600);
    send(SILENCE, 400);
    await until(() => finals().length === 2);
    expect(texts()).toEqual([
      [0, 'yes please'],
      [1, 'at seven'],
    ]);
  });

  test('nothing is emitted after the close, though the provider makes the rest final', async () => {
    utterances = [{ text: 'and then I' }];
    const connection = await connected();
    send(SPEECH, 600);
    await until(() => events.length > 0);
    const before = events.length;
    await transcriber.close();
    expect(connection.sent.filter((sent) => sent.text === 'and then I')).toHaveLength(1);
    expect(events).toHaveLength(before);
  });

  test('a pause on its way resolves finalize, and the result of Finalize adds nothing', async () => {
    const connection = await connected();
    send(SILENCE, 1_000);
    transcriber.finalize();
    connection.raw(results('on its way', 900, { is_final: true, speech_final: true }));
    connection.raw(results('', 1_000, { is_final: true, from_finalize: true }));
    await until(() => finals().length === 1);
    await handled(connection);
    expect(texts()).toEqual([[0, 'on its way']]);
  });

  test('an earlier pause does not resolve finalize', async () => {
    simulator.faults.ignoreFinalize = true;
    const connection = await connected();
    send(SILENCE, 3_000);
    transcriber.finalize();
    connection.raw(results('first half', 1_000, { is_final: true, speech_final: true }));
    connection.raw(results('second half', 3_000, { is_final: true, from_finalize: true }));
    await until(() => finals().length === 1);
    expect(texts()).toEqual([[0, 'first half second half']]);
  });

  test('retracted words give an empty partial', async () => {
    const connection = await connected();
    connection.raw(results('hmm', 500));
    await until(() => events.length === 1);
    connection.raw(results('', 600, { is_final: true }));
    await until(() => events.length === 2);
    expect(events).toEqual([
      { type: 'partial', turn: 0, text: 'hmm' },
      { type: 'partial', turn: 0, text: '' },
    ]);
  });
});

describe('deadlines', () => {
  async function virtual() {
    const connection = await connected({ clock });
    simulator.faults.ignoreFinalize = true;
    return connection;
  }

  test('at the deadline the known words become final, and are not emitted again', async () => {
    const connection = await virtual();
    send(SILENCE, 1_000);
    transcriber.finalize();
    connection.raw(results('half a sen', 900));
    await until(() => events.length === 1);
    await clock.advance(1_499);
    expect(finals()).toEqual([]);
    await clock.advance(1);
    expect(texts()).toEqual([[0, 'half a sen']]);
    // The same again, then what goes beyond it, then what it has no part in.
    connection.raw(results('half a sen', 900, { is_final: true }));
    const words = ['half', 'a', 'sentence.', 'more'].map((word, i) => ({ word, start: i * 0.35 }));
    const channel = { alternatives: [{ transcript: 'half a sentence. more', words }] };
    connection.raw(results('', 1_400, { channel, is_final: true, speech_final: true }));
    connection.raw(results('other', 500, { start: 1.4 }));
    await until(() => events.length === 4);
    expect(events.slice(2)).toEqual([
      { type: 'final', turn: 1, text: 'more' },
      { type: 'partial', turn: 2, text: 'other' },
    ]);
  });

  test('two requests are resolved in order', async () => {
    await virtual();
    send(SILENCE, 100);
    transcriber.finalize();
    await clock.advance(500);
    transcriber.finalize();
    await clock.advance(1_000);
    expect(texts()).toEqual([[0, '']]);
    await clock.advance(500);
    expect(texts()).toEqual([
      [0, ''],
      [1, ''],
    ]);
  });

  test('no result during speech is a failure', async () => {
    const connection = await virtual();
    connection.raw(results('half', 100));
    await until(() => events.length === 1);
    await clock.advance(100);
    transcriber.finalize();
    send(SILENCE, 1_020);
    await clock.advance(1_500);
    expect(events.at(-1)).toMatchObject({ type: 'failed', error: { kind: 'timeout', provider: 'deepgram' } });
    send(SILENCE, 100);
    transcriber.finalize();
    expect(events).toHaveLength(2);
  });

  test('speech without any message is a failure', async () => {
    const connection = await virtual();
    connection.raw('{"type":"SpeechStarted","timestamp":0}');
    connection.raw(results('so', 100));
    await until(() => events.length === 1);
    send(SPEECH, 5_020);
    expect(events.at(-1)).toMatchObject({ type: 'failed', error: { kind: 'timeout' } });
  });

  test('a provider that never accepts fails the opening', async () => {
    simulator.faults.hang = true;
    const open = deepgram({ clock }).open();
    const refused = expect(open).rejects.toMatchObject({ kind: 'timeout' });
    await clock.advance(5_000);
    await refused;
  });
});

describe('idleness', () => {
  test('silence is sent before the first audio, keep-alives after it', async () => {
    const connection = await connected({ clock });
    await clock.advance(4_000);
    await until(() => connection.receivedSamples === 800);
    await clock.advance(4_000);
    await until(() => connection.keepAlives === 1);
    expect(simulator.violations).toEqual([]);
  });
});

describe('failures', () => {
  test.each([
    [401, 'auth'],
    [400, 'bad_request'],
    [402, 'bad_request'],
    [403, 'auth'],
    [429, 'capacity'],
    [503, 'unavailable'],
  ])('a refusal with %i is %s', async (status, kind) => {
    simulator.faults.refuse = { status, headers: { 'dg-error': 'WORDS' } };
    await expect(deepgram().open()).rejects.toMatchObject({ kind, message: expect.stringContaining('WORDS') });
    expect(events).toEqual([]);
  });

  test.each([
    [1011, 'NET-0001', 'timeout'],
    [1011, 'NET-0000', 'unavailable'],
    [1008, 'DATA-0000', 'bad_request'],
    [1013, '', 'capacity'],
    [undefined, '', 'unavailable'],
  ])('a close with %s %s is %s', async (code, reason, kind) => {
    const connection = await connected();
    connection.break(code, reason);
    await until(() => events.length > 0);
    expect(events).toMatchObject([{ type: 'failed', error: { kind } }]);
  });

  test.each([
    ['{"type":"Error","description":"RATE_LIMIT exceeded"}', 'capacity'],
    ['{"type":"Error","variant":"INVALID_AUTH"}', 'auth'],
    ['{"type":"Error"}', 'unavailable'],
  ])('the message %s is %s', async (message, kind) => {
    const connection = await connected();
    connection.raw(message);
    await until(() => events.length > 0);
    expect(events).toMatchObject([{ type: 'failed', error: { kind } }]);
  });

  test('invalid messages are ignored', async () => {
    utterances = [{ text: 'still here' }];
    const connection = await connected();
    for (const odd of [
      '',
      'null',
      '[]',
      '3',
      '{"type":"Results"}',
      '{"type":"Results","channel":null}',
      '{"type":"Results","channel":{"alternatives":[]}}',
      '{"type":"Results","channel":{"alternatives":[null]}}',
      '{"type":"Results","channel":{"alternatives":[{"transcript":5}]},"is_final":"yes"}',
      '{"type":"Results","start":0,"duration":0,"channel":{"alternatives":[{"transcript":"","words":[null,{},{"word":1}]}]}}',
      '{"type":"Results","start":"a","duration":null,"channel":{"alternatives":[{"transcript":""}]},"is_final":true}',
      '{"type":"UtteranceEnd"}',
      '{"type":"Metadata"}',
      '{"type":"Surprise","a":1}',
      '{"type":7}',
    ]) {
      connection.raw(odd);
    }
    connection.raw(Buffer.from([1, 2, 3]));
    send(SPEECH, 600);
    send(SILENCE, 320);
    await until(() => finals().length === 1);
    expect(texts()).toEqual([[0, 'still here']]);
    expect(events.some((event) => event.type === 'failed')).toBe(false);
  });
});
