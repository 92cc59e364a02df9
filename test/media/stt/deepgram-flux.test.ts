import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type DeepgramSimulator,
  type FluxScript,
  type ScriptedTurn,
  startDeepgramSimulator,
} from '../../../fixtures/simulators/deepgram.ts';
import { MULAW_8K } from '../../../media/audio/format.ts';
import type { ProviderError } from '../../../media/provider/provider-error.ts';
import { adapter, createDeepgramFlux, type DeepgramFluxOptions } from '../../../media/stt/deepgram-flux.ts';
import type { Transcriber, TranscriberEvent } from '../../../media/stt/transcriber.ts';
import { agentConfigSchema } from '../../../shared/agent.ts';
import type { Clock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { patientClock } from '../../support/patient-clock.ts';
import { pause, until } from '../../support/until.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const SPEECH = new Uint8Array(160).map((_, i) => (i % 2 ? 0x10 : 0x90));
const SILENCE = new Uint8Array(160).fill(0xff);

let simulator: DeepgramSimulator;
let turns: ScriptedTurn[];
let script: Partial<FluxScript>;
let events: TranscriberEvent[];
let transcriber: Transcriber;

beforeEach(async () => {
  turns = [];
  script = {};
  events = [];
  simulator = await startDeepgramSimulator({ script: () => ({ turns, ...script }), apiKey: 'key' });
});
afterEach(async () => {
  await transcriber.close();
  await simulator.close();
});

/** Another simulator in place of the file's, with a clock that the test advances. */
async function simulatorOnVirtualClock() {
  await simulator.close();
  const clock = createVirtualClock();
  simulator = await startDeepgramSimulator({ script: () => ({ turns, ...script }), apiKey: 'key', clock });
  return clock;
}

function flux(options: Partial<DeepgramFluxOptions> = {}): Transcriber {
  transcriber = createDeepgramFlux({
    url: simulator.url,
    apiKey: 'key',
    model: 'flux-general-multi',
    turnDetection: 'balanced',
    input: MULAW_8K,
    clock: patientClock,
    log: createLogger('test', 'silent'),
    listener: (event) => events.push(event),
    ...options,
  });
  return transcriber;
}

async function connected(clock?: Clock) {
  flux(clock ? { clock } : {});
  await transcriber.open();
  return simulator.connections[0]!;
}

function send(frame: Uint8Array, times: number): void {
  for (let i = 0; i < times; i++) transcriber.audio(frame);
}

function turnInfo(event: string, turnIndex: number, transcript: string) {
  return { type: 'TurnInfo', event, turn_index: turnIndex, transcript, words: [] };
}

/** Another transcriber, of a connection that is opened later than all that the present one did. */
async function anotherConnection(
  use: (other: Transcriber, events: TranscriberEvent[]) => Promise<void> = async () => {},
) {
  const present = transcriber;
  const itsEvents: TranscriberEvent[] = [];
  const other = flux({ listener: (event) => itsEvents.push(event) });
  await other.open();
  await use(other, itsEvents);
  await other.close();
  transcriber = present;
}

const kinds = () => events.map((event) => event.type);

async function openError(): Promise<ProviderError> {
  return transcriber.open().then(
    () => {
      throw new Error('it opened');
    },
    (error: ProviderError) => error,
  );
}

test('the address carries the agent settings', async () => {
  flux({
    turnDetection: 'patient',
    keyterms: ['Antiphon', ' a, b ', ''],
    languageHints: ['hi-IN', 'en', 'en-GB', 'xx', ''],
  });
  await transcriber.open();
  const { query } = simulator.connections[0]!;
  expect(Object.fromEntries(query)).toMatchObject({
    model: 'flux-general-multi',
    encoding: 'mulaw',
    sample_rate: '8000',
    eot_threshold: '0.85',
    eager_eot_threshold: '0.6',
    eot_timeout_ms: '8000',
  });
  expect(query.getAll('keyterm')).toEqual(['Antiphon', 'a  b']);
  expect(query.getAll('language_hint')).toEqual(['hi', 'en']);
});

test.each([
  ['de-DE', ['de']],
  ['hi', ['hi', 'en']],
  ['ta', []],
  ['multi', []],
])('an agent whose callers speak %s hints at %j', async (language, hints) => {
  transcriber = adapter({
    settings: { DEEPGRAM_URL: simulator.url, DEEPGRAM_API_KEY: 'key' },
    transcriber: agentConfigSchema.parse({ name: 'Test', transcriber: { model: 'flux-general-multi', language } })
      .transcriber,
    input: MULAW_8K,
    clock: patientClock,
    log: createLogger('test', 'silent'),
    listener: () => {},
  });
  await transcriber.open();
  expect(simulator.connections[0]!.query.getAll('language_hint')).toEqual(hints);
});

test('language hints are sent to the multilingual model only', async () => {
  flux({ model: 'flux-general-en', languageHints: ['en'] });
  await transcriber.open();
  expect(simulator.connections[0]!.query.has('language_hint')).toBe(false);
});

describe('turns', () => {
  test('a turn: start, words, eager end, end', async () => {
    turns = [{ text: 'i would like a table', startAfterMs: 5, eagerAfterMs: 250, endAfterMs: 500 }];
    const clock = await simulatorOnVirtualClock();
    const connection = await connected();
    send(SPEECH, 10);
    await until(() => connection.receivedChunks === 10);
    await clock.advance(5);
    await until(() => kinds().includes('turn_started'));
    send(SPEECH, 60);
    send(SILENCE, 30);
    await until(() => connection.receivedChunks === 100);
    await clock.advance(500);
    await until(() => kinds().includes('turn_ended'));
    expect([...new Set(kinds())]).toEqual(['turn_started', 'partial', 'turn_eager_end', 'turn_ended']);
    expect(events.at(-1)).toEqual({ type: 'turn_ended', turn: 0, text: 'i would like a table', language: 'en' });
    expect(events.at(-2)).toMatchObject({ text: 'i would like a table' });
    expect(simulator.violations).toEqual([]);
  });

  test('a turn resumed after an eager end may change its words', async () => {
    turns = [{ text: 'two or three', startAfterMs: 5, eagerAfterMs: 20, endAfterMs: 1000, eagerText: 'two' }];
    const clock = await simulatorOnVirtualClock();
    const connection = await connected();
    send(SPEECH, 5);
    await until(() => connection.receivedChunks === 5);
    await clock.advance(20);
    await until(() => kinds().includes('turn_eager_end'));
    send(SPEECH, 5);
    await until(() => kinds().includes('turn_resumed'));
    send(SILENCE, 60);
    await until(() => connection.receivedChunks === 70);
    await clock.advance(1_000);
    await until(() => kinds().includes('turn_ended'));
    expect(kinds().slice(0, 3)).toEqual(['turn_started', 'turn_eager_end', 'turn_resumed']);
    expect(events.at(-1)).toMatchObject({ type: 'turn_ended', text: 'two or three' });
  });

  test('turns are numbered from 0', async () => {
    turns = ['one', 'two'].map((text) => ({ text, startAfterMs: 1, endAfterMs: 20, eagerAfterMs: null }));
    await connected();
    for (const turn of [0, 1]) {
      send(SPEECH, 2);
      send(SILENCE, 10);
      await until(() => events.some((event) => event.type === 'turn_ended' && event.turn === turn));
    }
    expect(kinds()).toEqual(['turn_started', 'turn_ended', 'turn_started', 'turn_ended']);
  });

  test('noise starts no turn', async () => {
    turns = [{ text: '' }];
    const connection = await connected();
    send(SPEECH, 3);
    send(SILENCE, 10);
    await until(() => connection.receivedChunks === 13);
    // Messages come in order: nothing came before this one.
    connection.message(turnInfo('StartOfTurn', 7, 'hello'));
    await until(() => events.length > 0);
    expect(kinds()).toEqual(['turn_started']);
  });

  test('a turn does not end without silence', async () => {
    turns = [{ text: 'hello', startAfterMs: 1, endAfterMs: 40 }];
    await connected();
    send(SPEECH, 3);
    await until(() => kinds().includes('turn_eager_end'));
    // Another one gets its silence, and its turn has ended meanwhile.
    await anotherConnection(async (_other, itsEvents) => {
      send(SPEECH, 3);
      send(SILENCE, 5);
      await until(() => itsEvents.some(({ type }) => type === 'turn_ended'));
    });
    expect(kinds()).not.toContain('turn_ended');
    send(SILENCE, 5);
    await until(() => kinds().includes('turn_ended'));
  });

  test('a turn whose end the model is unsure of ends at the time-out of the agent', async () => {
    turns = [{ text: 'well', startAfterMs: 1, eagerAfterMs: null, endAfterMs: 60_000 }];
    const connection = await connected();
    send(SPEECH, 5);
    await until(() => kinds().includes('turn_started'));
    send(SILENCE, 4_900 / 20);
    await until(() => connection.receivedSamples === 8 * 5_000);
    expect(connection.events.map(({ event }) => event)).not.toContain('EndOfTurn');
    send(SILENCE, 100 / 20);
    await until(() => kinds().includes('turn_ended'));
    expect(events.at(-1)).toEqual({ type: 'turn_ended', turn: 0, text: 'well', language: 'en' });
  });

  test('words that are revised within a turn are in none of its ends', async () => {
    await simulator.close();
    simulator = await startDeepgramSimulator({ script: () => ({ turns }), apiKey: 'key', seed: 1 });
    turns = [{ text: 'could you change that to half past seven please', startAfterMs: 1, endAfterMs: 200 }];
    const connection = await connected();
    for (let quarter = 1; quarter <= 10; quarter++) {
      send(SPEECH, 13);
      await until(() => connection.receivedChunks === quarter * 13);
    }
    send(SILENCE, 20);
    await until(() => kinds().includes('turn_ended'));
    const texts = (type: string) =>
      events.flatMap((event) => (event.type === type && 'text' in event ? [event.text] : []));
    expect(texts('partial').some((text) => !turns[0]!.text.startsWith(text))).toBe(true);
    // A busy machine may make a pause of its own, which has an eager end too.
    expect(texts('turn_eager_end').length).toBeGreaterThan(0);
    expect(new Set([...texts('turn_eager_end'), ...texts('turn_ended')])).toEqual(new Set([turns[0]!.text]));
  });

  test('turns follow the speech intervals of a fixture', async () => {
    turns = [{ text: 'exactly', startAfterMs: 1, endAfterMs: 30 }];
    script = { truth: [{ start: 1600, end: 3200 }] };
    const connection = await connected();
    send(SPEECH, 10);
    await until(() => connection.receivedSamples === 1600);
    expect(connection.speech).toEqual([]);
    send(SILENCE, 20);
    await until(() => kinds().includes('turn_ended'));
  });
});

describe('audio', () => {
  test('is sent frame by frame', async () => {
    const connection = await connected();
    send(SILENCE, 7);
    await until(() => connection.receivedSamples === 7 * 160);
    expect(connection.receivedChunks).toBe(7);
  });

  test('from before the connection is buffered, the newest two seconds', async () => {
    flux();
    send(SILENCE, 150);
    await transcriber.open();
    const connection = simulator.connections[0]!;
    send(SILENCE, 1);
    await until(() => connection.receivedChunks >= 101);
    // Audio is sent in order: a surplus would come before this.
    send(SILENCE, 1);
    await until(() => connection.receivedSamples >= 16_000 + 320);
    expect(connection.receivedSamples).toBe(16_000 + 320);
  });

  test('ends with CloseStream', async () => {
    const connection = await connected();
    await transcriber.close();
    await until(() => connection.closeCode !== null);
    expect(connection.texts).toEqual(['{"type":"CloseStream"}']);
    expect(connection.closeCode).toBe(1000);
  });
});

describe('unexpected messages', () => {
  test('a turn that has ended is not emitted again', async () => {
    const connection = await connected();
    connection.message(turnInfo('StartOfTurn', 0, 'one'));
    connection.message(turnInfo('EndOfTurn', 0, 'one'));
    connection.message(turnInfo('EndOfTurn', 0, 'one'));
    connection.message(turnInfo('Update', 0, 'one more'));
    connection.message(turnInfo('StartOfTurn', 1, 'two'));
    await until(() => events.length >= 3);
    expect(events.map((event) => [event.type, 'turn' in event && event.turn])).toEqual([
      ['turn_started', 0],
      ['turn_ended', 0],
      ['turn_started', 1],
    ]);
  });

  test('a turn whose end was lost ends with its last text', async () => {
    const connection = await connected();
    connection.message(turnInfo('StartOfTurn', 0, 'one'));
    connection.message(turnInfo('StartOfTurn', 1, 'two'));
    await until(() => events.length >= 3);
    expect(events[1]).toEqual({ type: 'turn_ended', turn: 0, text: 'one' });
    expect(events[2]).toEqual({ type: 'turn_started', turn: 1, text: 'two' });
  });

  test('an end without a start is a whole turn', async () => {
    const connection = await connected();
    connection.message(turnInfo('EndOfTurn', 0, 'hello'));
    await until(() => events.length >= 2);
    expect(kinds()).toEqual(['turn_started', 'turn_ended']);
  });

  test('invalid and unknown messages are ignored', async () => {
    const connection = await connected();
    for (const raw of ['', '{', 'null', '[]', '3', '{"type":7}', '{"type":"News","sequence_id":3}'])
      connection.raw(raw);
    connection.raw(Buffer.from([1, 2, 3]));
    connection.message({ type: 'TurnInfo', event: 'StartOfTurn', turn_index: -1, transcript: 'x' });
    connection.message({ type: 'TurnInfo', event: 'StartOfTurn', turn_index: '0', transcript: 'x' });
    connection.message({ type: 'TurnInfo', event: 'StartOfTurn', turn_index: 1e21, transcript: 'x' });
    connection.message({ type: 'TurnInfo', event: 'Dance', turn_index: 0, transcript: 'x' });
    connection.message({ type: 'TurnInfo', event: 'StartOfTurn', turn_index: 0, transcript: { text: 'x' } });
    await until(() => events.length >= 1);
    expect(events).toEqual([{ type: 'turn_started', turn: 0, text: '' }]);
  });
});

describe('failures', () => {
  test('a wrong key is an auth failure', async () => {
    flux({ apiKey: 'wrong' });
    expect((await openError()).kind).toBe('auth');
    expect(events).toEqual([]);
  });

  test('an unknown model is a bad request, with the reason of the provider', async () => {
    flux({ model: 'nova-3' });
    const error = await openError();
    expect([error.kind, error.message.includes('no such model')]).toEqual(['bad_request', true]);
  });

  test('too many connections is a capacity failure', async () => {
    simulator.faults.refuse = { status: 429 };
    flux();
    expect((await openError()).kind).toBe('capacity');
  });

  test('no response, and no handshake, is a timeout', async () => {
    for (const fault of ['hang', 'silent'] as const) {
      simulator.faults.hang = fault === 'hang';
      simulator.faults.silent = fault === 'silent';
      const clock = createVirtualClock();
      flux({ clock });
      const error = openError();
      await pause(60);
      await clock.advance(5_000);
      expect((await error).kind).toBe('timeout');
      await transcriber.close();
    }
  });

  test('an Error message and the close after it are one failure', async () => {
    const connection = await connected();
    connection.message({ type: 'Error', code: 'INTERNAL_SERVER_ERROR', description: 'sorry' });
    connection.break(1011, 'NET-0000');
    await until(() => events.length > 0);
    await anotherConnection();
    expect(events.map((event) => event.type === 'failed' && event.error.kind)).toEqual(['unavailable']);
  });

  for (const [code, reason, kind] of [
    [1008, 'DATA-0000', 'bad_request'],
    [1011, 'NET-0001', 'timeout'],
    [1011, 'NET-0000', 'unavailable'],
    [undefined, '', 'unavailable'],
  ] as const) {
    test(`closed with ${code ?? 'nothing'} ${reason} is ${kind}`, async () => {
      const connection = await connected();
      connection.break(code, reason);
      await until(() => events.length > 0);
      expect(events.map((event) => event.type === 'failed' && event.error.kind)).toEqual([kind]);
    });
  }

  test('ten seconds of audio within a turn without a message is a timeout', async () => {
    const connection = await connected();
    connection.message(turnInfo('StartOfTurn', 0, 'one'));
    await until(() => events.length === 1);
    send(SILENCE, 500);
    expect(kinds()).toEqual(['turn_started']);
    send(SILENCE, 1);
    expect(kinds()).toEqual(['turn_started', 'failed']);
  });

  test('silence between turns may last', async () => {
    await connected();
    send(SILENCE, 1500);
    expect(events).toEqual([]);
  });

  test('a connection without pongs is a timeout', async () => {
    simulator.faults.ignorePings = true;
    const clock = createVirtualClock();
    await connected(clock);
    await clock.advance(12_500);
    expect(events.map((event) => event.type === 'failed' && event.error.kind)).toEqual(['timeout']);
  });
});
