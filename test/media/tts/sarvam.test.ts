import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type SarvamSynthesizerSimulator,
  type SarvamSynthesizerSimulatorOptions,
  startSarvamSynthesizerSimulator,
} from '../../../fixtures/simulators/sarvam-synthesizer.ts';
import { MULAW_8K, PCM_16K } from '../../../media/audio/format.ts';
import { createSarvamSynthesizer } from '../../../media/tts/sarvam.ts';
import { sarvamFailure, sarvamLanguage, sarvamTexts, withoutHeader } from '../../../media/tts/sarvam-protocol.ts';
import type { CloudSynthesizerOptions } from '../../../media/tts/streaming-synthesizer.ts';
import type { Synthesizer, SynthesizerEvent } from '../../../media/tts/synthesizer.ts';
import { createLogger } from '../../../shared/log.ts';
import { patientClock } from '../../support/patient-clock.ts';
import { until } from '../../support/until.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

let simulator: SarvamSynthesizerSimulator;
let synthesizer: Synthesizer;
let events: SynthesizerEvent[];

const FAST: SarvamSynthesizerSimulatorOptions = { firstAudioMs: 5, realtimeFactor: 500, apiKey: 'key' };

async function start(
  simulated: SarvamSynthesizerSimulatorOptions = {},
  options: Partial<CloudSynthesizerOptions> = {},
) {
  simulator = await startSarvamSynthesizerSimulator({ ...FAST, ...simulated });
  synthesizer = createSarvamSynthesizer({
    url: simulator.url,
    apiKey: 'key',
    voiceId: '',
    model: 'bulbul:v3',
    language: 'hi',
    output: MULAW_8K,
    clock: patientClock,
    log: createLogger('test', 'silent'),
    listener: (event) => events.push(event.type === 'audio' ? { ...event, bytes: event.bytes.slice() } : event),
    ...options,
  });
}

beforeEach(() => {
  events = [];
});
afterEach(async () => {
  await synthesizer.close();
  await simulator.close();
});

const done = (id: string) => () => events.some((event) => event.type === 'done' && event.contextId === id);
const failures = () =>
  events.flatMap((event) => (event.type === 'failed' ? [[event.contextId, event.error.kind]] : []));
const audioBytes = (id: string) =>
  events.reduce((sum, event) => sum + (event.type === 'audio' && event.contextId === id ? event.bytes.length : 0), 0);
/** Time passes on connections that answer. */
async function pass(clock: VirtualClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 4_000) {
    await clock.advance(4_000);
    const open = simulator.connections.filter(({ closeCode }) => closeCode === null);
    await Promise.all(open.map((connection) => connection.roundTrip()));
  }
}
const spoken = () => simulator.connections.map((connection) => connection.texts.join(''));

describe('the protocol', () => {
  test('sends the configuration first, and a flush after every segment', async () => {
    await start({}, { speed: 1.25, voiceId: 'Ritu', language: 'or-IN' });
    await synthesizer.open();
    synthesizer.speak('a', 'One,');
    synthesizer.speak('a', 'two. ');
    synthesizer.end('a');
    await until(done('a'));
    const [connection] = simulator.connections;
    expect(Object.fromEntries(connection!.query)).toEqual({ model: 'bulbul:v3', send_completion_event: 'true' });
    expect(connection!.headers['api-subscription-key']).toBe('key');
    expect(connection!.messages).toEqual([
      {
        type: 'config',
        data: {
          model: 'bulbul:v3',
          target_language_code: 'od-IN',
          speaker: 'ritu',
          pace: 1.25,
          speech_sample_rate: 8000,
          output_audio_codec: 'mulaw',
          min_buffer_size: 50,
          max_chunk_length: 150,
        },
      },
      { type: 'text', data: { text: 'One, ' } },
      { type: 'flush' },
      { type: 'text', data: { text: 'two. ' } },
      { type: 'flush' },
    ]);
    expect(simulator.violations).toEqual([]);
  });

  test("emits the provider's audio byte for byte, also behind a header", async () => {
    await start({ chunkMs: 70, header: true, oddChunks: true }, { output: PCM_16K });
    await synthesizer.open();
    synthesizer.speak('a', 'Twenty characters ok');
    synthesizer.speak('a', 'Ten more. ');
    synthesizer.end('a');
    await until(done('a'));
    expect(audioBytes('a')).toBe((21 + 10) * 65 * 32);
  });

  test('refuses compressed audio', async () => {
    await start({ firstAudioMs: 5_000 });
    await synthesizer.open();
    synthesizer.speak('a', 'Hello. ');
    await until(() => simulator.connections[0]!.flushes === 1);
    const data = { content_type: 'audio/mpeg', audio: 'AAAA' };
    simulator.connections[0]!.raw(JSON.stringify({ type: 'audio', data }));
    await until(() => events.length > 0);
    expect(failures()).toEqual([['a', 'bad_request']]);
  });

  test('maps languages', () => {
    expect(['hi', 'en-US', 'or', 'ta_IN', 'OD-IN'].map(sarvamLanguage)).toEqual(
      ['hi', 'en', 'od', 'ta', 'od'].map((code) => `${code}-IN`),
    );
    expect(() => sarvamLanguage('fr')).toThrow('no voice for the language fr');
  });

  test('splits a text into messages of the allowed length', () => {
    const long = 'word '.repeat(1200);
    const parts = sarvamTexts(long);
    expect(parts.join('')).toBe(long);
    expect(parts.every((part) => part.length <= 2500 && part.endsWith(' '))).toBe(true);
    expect(sarvamTexts('x'.repeat(5001)).map((part) => part.length)).toEqual([2500, 2500, 1]);
  });

  test('maps errors by status and by name', () => {
    const kinds = [
      sarvamFailure(429, ''),
      sarvamFailure('rate_limit_exceeded_error', ''),
      sarvamFailure('invalid_api_key_error', ''),
      sarvamFailure(403, ''),
      sarvamFailure(422, 'speaker'),
      sarvamFailure('invalid_request_error', ''),
      sarvamFailure(408, 'Connection timeout'),
      sarvamFailure(503, ''),
      sarvamFailure(undefined, undefined),
    ];
    expect(kinds).toEqual([
      ...['capacity', 'capacity', 'auth', 'auth', 'bad_request', 'bad_request'],
      ...['unavailable', 'unavailable', 'unavailable'],
    ]);
  });

  test('keeps bytes that are no header', () => {
    expect(withoutHeader(Buffer.from('RIFFxxxxWAVEfmt '))).toHaveLength(0);
    expect(withoutHeader(Buffer.from('RIFFxxxxMIDIdata'))).toHaveLength(16);
    expect(withoutHeader(Buffer.alloc(3))).toHaveLength(3);
  });
});

describe('connections', () => {
  test('serve one reply after the other, with a spare open from the first text on', async () => {
    await start();
    await synthesizer.open();
    for (const id of ['a', 'b', 'c']) {
      synthesizer.speak(id, `Reply ${id}. `);
      synthesizer.end(id);
      await until(done(id));
    }
    await until(() => simulator.connections.length === 2);
    await until(() => simulator.connections[1]!.configs.length === 1);
    expect(spoken()).toEqual(['Reply a. Reply b. Reply c. ', '']);
  });

  test('a second reply has a connection of its own, which is closed when the reply is cancelled', async () => {
    await start({ realtimeFactor: 10 });
    await synthesizer.open();
    synthesizer.speak('a', 'This is what is being said to the caller right now. ');
    await until(() => simulator.connections[1]?.configs.length === 1);
    synthesizer.speak('next', 'This might have been said next. ');
    await until(() => audioBytes('next') > 0);
    synthesizer.cancel('next');
    const cancelledAt = audioBytes('next');
    synthesizer.end('a');
    await until(done('a'));
    await until(() => simulator.connections[1]!.closeCode === 1000);
    expect(audioBytes('next')).toBe(cancelledAt);
    expect(audioBytes('a')).toBe(52 * 65 * 8);
    expect(failures()).toEqual([]);
    await until(() => simulator.connections[2]?.configs.length === 1);
  });

  test('a reply cancelled with no audio to come returns its connection', async () => {
    await start();
    await synthesizer.open();
    synthesizer.speak('a', 'Short. ');
    await until(() => simulator.connections[0]!.finals === 1);
    await simulator.connections[0]!.roundTrip();
    synthesizer.cancel('a');
    synthesizer.speak('b', 'Next. ');
    synthesizer.end('b');
    await until(done('b'));
    expect(spoken()[0]).toBe('Short. Next. ');
    expect(simulator.connections[0]!.closeCode).toBeNull();
  });

  test('beyond the spare ones are closed', async () => {
    await start({ realtimeFactor: 20 });
    await synthesizer.open();
    const ids = ['1', '2', '3', '4', '5'];
    for (const id of ids) {
      synthesizer.speak(id, 'All of these are wanted at the same time. ');
      synthesizer.end(id);
    }
    await until(() => ids.every((id) => done(id)()));
    await until(() => simulator.connections.filter((each) => each.closeCode === null).length === 2);
    expect(simulator.violations).toEqual([]);
  });

  test('are kept alive', async () => {
    const clock = createVirtualClock();
    await start({}, { clock });
    await synthesizer.open();
    await pass(clock, 40_000);
    await until(() => simulator.connections[0]!.keepAlives === 2);
    expect(simulator.violations).toEqual([]);
  });

  test('one that lasted and is closed while idle is opened again', async () => {
    const clock = createVirtualClock();
    await start({}, { clock });
    await synthesizer.open();
    await until(() => simulator.connections.length === 1);
    await pass(clock, 12_000);
    simulator.connections[0]!.break(1000);
    await until(() => simulator.connections[1]?.configs.length === 1);
    synthesizer.speak('a', 'Nothing happened. ');
    synthesizer.end('a');
    await until(done('a'));
    expect(failures()).toEqual([]);
  });

  test('a refused spare connection fails nothing until it is needed', async () => {
    await start({ maxConnections: 1, realtimeFactor: 5 });
    await synthesizer.open();
    synthesizer.speak('a', 'The only connection the account has. ');
    synthesizer.end('a');
    await until(() => audioBytes('a') > 0);
    synthesizer.speak('b', 'One too many. ');
    await until(done('a'));
    expect(failures()).toEqual([['b', 'capacity']]);
  });

  test('one that breaks while it speaks fails its reply only', async () => {
    await start({ realtimeFactor: 10 });
    await synthesizer.open();
    synthesizer.speak('a', 'A sentence that breaks in its middle. ');
    await until(() => audioBytes('a') > 0);
    simulator.connections[0]!.break();
    await until(() => events.some((event) => event.type === 'failed'));
    synthesizer.speak('b', 'And on we go. ');
    synthesizer.end('b');
    await until(done('b'));
    expect(failures()).toEqual([['a', 'unavailable']]);
  });
});

describe('completions', () => {
  test('one for several flushes ends the reply when its audio is long enough', async () => {
    const clock = createVirtualClock();
    await start({ mergesFinals: true, firstAudioMs: 60 }, { clock });
    await synthesizer.open();
    for (const text of ['One. ', 'Two. ', 'Three. ']) synthesizer.speak('a', text);
    synthesizer.end('a');
    await until(() => simulator.connections[0]!.finals === 1);
    await until(() => audioBytes('a') === 17 * 65 * 8);
    await simulator.connections[0]!.roundTrip();
    expect(done('a')()).toBe(false);
    await clock.advance(1_100);
    expect(done('a')()).toBe(true);
    synthesizer.speak('b', 'Next. ');
    synthesizer.end('b');
    await until(() => simulator.connections.some((each) => each.texts.includes('Next. ')));
    expect(simulator.connections[0]!.texts).not.toContain('Next. ');
  });

  test('a slow language model does not fail the context', async () => {
    const clock = createVirtualClock();
    await start({}, { clock });
    await synthesizer.open();
    synthesizer.speak('a', 'One moment please. ');
    await until(() => simulator.connections[0]!.finals === 1);
    await pass(clock, 24_000);
    expect(failures()).toEqual([]);
    synthesizer.speak('a', 'Here it is. ');
    synthesizer.end('a');
    await until(done('a'));
  });

  test('an error of the provider is mapped', async () => {
    await start({ firstAudioMs: 5_000 });
    await synthesizer.open();
    synthesizer.speak('a', 'Hello. ');
    await until(() => simulator.connections[0]!.flushes === 1);
    simulator.connections[0]!.error(429, 'Rate limit');
    await until(() => events.length > 0);
    expect(failures()).toEqual([['a', 'capacity']]);
  });

  test('an unknown speaker fails the synthesizer before it speaks', async () => {
    await start({}, { voiceId: 'anushka' });
    await synthesizer.open();
    await until(() => events.length > 0);
    expect(failures()).toEqual([[null, 'bad_request']]);
  });
});
