import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type SarvamSynthesizerSimulator,
  type SarvamSynthesizerSimulatorOptions,
  startSarvamSynthesizerSimulator,
} from '../../../fixtures/simulators/sarvam-synthesizer.ts';
import { MULAW_8K, PCM_16K } from '../../../media/audio/format.ts';
import { createSarvamSynthesizer, type SarvamSynthesizerOptions } from '../../../media/tts/sarvam.ts';
import { sarvamFailure, sarvamLanguage, sarvamTexts, withoutHeader } from '../../../media/tts/sarvam-protocol.ts';
import type { Synthesizer, SynthesizerEvent } from '../../../media/tts/synthesizer.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { pause, until } from '../../support/until.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

let simulator: SarvamSynthesizerSimulator;
let voice: Synthesizer;
let events: SynthesizerEvent[];

const FAST: SarvamSynthesizerSimulatorOptions = { firstAudioMs: 5, realtimeFactor: 500, apiKey: 'key' };

async function begin(
  simulated: SarvamSynthesizerSimulatorOptions = {},
  options: Partial<SarvamSynthesizerOptions> = {},
) {
  simulator = await startSarvamSynthesizerSimulator({ ...FAST, ...simulated });
  voice = createSarvamSynthesizer({
    url: simulator.url,
    apiKey: 'key',
    voiceId: '',
    model: 'bulbul:v3',
    language: 'hi',
    output: MULAW_8K,
    clock: systemClock,
    log: createLogger('test', 'silent'),
    listener: (event) => events.push(event.type === 'audio' ? { ...event, bytes: event.bytes.slice() } : event),
    ...options,
  });
}

beforeEach(() => {
  events = [];
});
afterEach(async () => {
  await voice.close();
  await simulator.close();
});

const done = (id: string) => () => events.some((event) => event.type === 'done' && event.contextId === id);
const failure = () => events.flatMap((event) => (event.type === 'failed' ? [[event.contextId, event.error.kind]] : []));
const heard = (id: string) =>
  events.reduce((sum, event) => sum + (event.type === 'audio' && event.contextId === id ? event.bytes.length : 0), 0);
const spoken = () => simulator.connections.map((connection) => connection.texts.join(''));

describe('the wire', () => {
  test('the configuration comes first; every piece is flushed', async () => {
    await begin({}, { speed: 1.25, voiceId: 'Ritu', language: 'or-IN' });
    await voice.open();
    voice.speak('a', 'One,');
    voice.speak('a', 'two. ');
    voice.end('a');
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

  test('the sound is what the provider made, byte for byte, also behind a header', async () => {
    await begin({ chunkMs: 70, header: true, oddChunks: true }, { output: PCM_16K });
    await voice.open();
    voice.speak('a', 'Twenty characters ok');
    voice.speak('a', 'Ten more. ');
    voice.end('a');
    await until(done('a'));
    expect(heard('a')).toBe((21 + 10) * 65 * 32);
  });

  test('compressed sound is refused, since it would be noise', async () => {
    await begin({ firstAudioMs: 5_000 });
    await voice.open();
    voice.speak('a', 'Hello. ');
    await until(() => simulator.connections[0]!.flushes === 1);
    const data = { content_type: 'audio/mpeg', audio: 'AAAA' };
    simulator.connections[0]!.raw(JSON.stringify({ type: 'audio', data }));
    await until(() => events.length > 0);
    expect(failure()).toEqual([['a', 'bad_request']]);
  });

  test('languages', () => {
    expect(['hi', 'en-US', 'or', 'ta_IN', 'OD-IN'].map(sarvamLanguage)).toEqual(
      ['hi', 'en', 'od', 'ta', 'od'].map((code) => `${code}-IN`),
    );
    expect(() => sarvamLanguage('fr')).toThrow('no voice for the language fr');
  });

  test('a text is cut into lawful messages', () => {
    const long = 'word '.repeat(1200);
    const parts = sarvamTexts(long);
    expect(parts.join('')).toBe(long);
    expect(parts.every((part) => part.length <= 2500 && part.endsWith(' '))).toBe(true);
    expect(sarvamTexts('x'.repeat(5001)).map((part) => part.length)).toEqual([2500, 2500, 1]);
  });

  test('errors by status and by name', () => {
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

  test('what is no header stays', () => {
    expect(withoutHeader(Buffer.from('RIFFxxxxWAVEfmt '))).toHaveLength(0);
    expect(withoutHeader(Buffer.from('RIFFxxxxMIDIdata'))).toHaveLength(16);
    expect(withoutHeader(Buffer.alloc(3))).toHaveLength(3);
  });
});

describe('connections', () => {
  test('one reply after the other uses the same; a spare stands by from the first word on', async () => {
    await begin();
    await voice.open();
    for (const id of ['a', 'b', 'c']) {
      voice.speak(id, `Reply ${id}. `);
      voice.end(id);
      await until(done(id));
    }
    await until(() => simulator.connections.length === 2);
    await until(() => simulator.connections[1]!.configs.length === 1);
    expect(spoken()).toEqual(['Reply a. Reply b. Reply c. ', '']);
  });

  test('a draft beside a reply has its own, and is cut off with it', async () => {
    await begin({ realtimeFactor: 10 });
    await voice.open();
    voice.speak('a', 'This is what is being said to the caller right now. ');
    await until(() => simulator.connections[1]?.configs.length === 1);
    voice.speak('draft', 'This might have been said next. ');
    await until(() => heard('draft') > 0);
    voice.cancel('draft');
    const cut = heard('draft');
    voice.end('a');
    await until(done('a'));
    await until(() => simulator.connections[1]!.closeCode === 1000);
    expect(heard('draft')).toBe(cut);
    expect(heard('a')).toBe(52 * 65 * 8);
    expect(failure()).toEqual([]);
    await until(() => simulator.connections[2]?.configs.length === 1);
  });

  test('a reply that was cancelled with nothing to come gives its connection back', async () => {
    await begin();
    await voice.open();
    voice.speak('a', 'Short. ');
    await until(() => simulator.connections[0]!.finals === 1);
    await pause(30);
    voice.cancel('a');
    voice.speak('b', 'Next. ');
    voice.end('b');
    await until(done('b'));
    expect(spoken()[0]).toBe('Short. Next. ');
    expect(simulator.connections[0]!.closeCode).toBeNull();
  });

  test('those that are left over are closed', async () => {
    await begin({ realtimeFactor: 20 });
    await voice.open();
    const ids = ['1', '2', '3', '4', '5'];
    for (const id of ids) {
      voice.speak(id, 'All of these are wanted at the same time. ');
      voice.end(id);
    }
    await until(() => ids.every((id) => done(id)()));
    await until(() => simulator.connections.filter((each) => each.closeCode === null).length === 2);
    expect(simulator.violations).toEqual([]);
  });

  test('are kept alive', async () => {
    const clock = createVirtualClock();
    await begin({}, { clock });
    await voice.open();
    for (let i = 0; i < 10; i++) {
      await clock.advance(4_000);
      await pause(5);
    }
    await until(() => simulator.connections[0]!.keepAlives === 2);
    expect(simulator.violations).toEqual([]);
  });

  test('one that is closed while nobody speaks is made anew', async () => {
    const clock = createVirtualClock();
    await begin({}, { clock });
    await voice.open();
    await until(() => simulator.connections.length === 1);
    for (let i = 0; i < 3; i++) {
      await clock.advance(4_000);
      await pause(20);
    }
    simulator.connections[0]!.break(1000);
    await until(() => simulator.connections[1]?.configs.length === 1);
    voice.speak('a', 'Nothing happened. ');
    voice.end('a');
    await until(done('a'));
    expect(failure()).toEqual([]);
  });

  test('a spare that is refused costs nothing until it is needed', async () => {
    await begin({ maxConnections: 1, realtimeFactor: 5 });
    await voice.open();
    voice.speak('a', 'The only connection the account has. ');
    voice.end('a');
    await pause(30);
    voice.speak('b', 'One too many. ');
    await until(done('a'));
    expect(failure()).toEqual([['b', 'capacity']]);
  });

  test('one that breaks while it speaks loses its reply only', async () => {
    await begin({ realtimeFactor: 10 });
    await voice.open();
    voice.speak('a', 'A sentence that breaks in its middle. ');
    await until(() => heard('a') > 0);
    simulator.connections[0]!.break();
    await until(() => events.some((event) => event.type === 'failed'));
    voice.speak('b', 'And on we go. ');
    voice.end('b');
    await until(done('b'));
    expect(failure()).toEqual([['a', 'unavailable']]);
  });
});

describe('completions', () => {
  test('one for several flushes ends the reply, when its sound is long enough', async () => {
    const clock = createVirtualClock();
    await begin({ mergesFinals: true, firstAudioMs: 60 }, { clock });
    await voice.open();
    for (const text of ['One. ', 'Two. ', 'Three. ']) voice.speak('a', text);
    voice.end('a');
    await until(() => simulator.connections[0]!.finals === 1);
    await until(() => heard('a') === 17 * 65 * 8);
    await pause(30);
    expect(done('a')()).toBe(false);
    await clock.advance(1_100);
    expect(done('a')()).toBe(true);
    voice.speak('b', 'Next. ');
    voice.end('b');
    await until(() => simulator.connections.some((each) => each.texts.includes('Next. ')));
    expect(simulator.connections[0]!.texts).not.toContain('Next. ');
  });

  test('a slow language model is no fault of the voice', async () => {
    const clock = createVirtualClock();
    await begin({}, { clock });
    await voice.open();
    voice.speak('a', 'One moment please. ');
    await until(() => simulator.connections[0]!.finals === 1);
    for (let i = 0; i < 6; i++) {
      await clock.advance(4_000);
      await pause(20);
    }
    expect(failure()).toEqual([]);
    voice.speak('a', 'Here it is. ');
    voice.end('a');
    await until(done('a'));
  });

  test('an error of the provider is told with its meaning', async () => {
    await begin({ firstAudioMs: 5_000 });
    await voice.open();
    voice.speak('a', 'Hello. ');
    await until(() => simulator.connections[0]!.flushes === 1);
    simulator.connections[0]!.error(429, 'Rate limit');
    await until(() => events.length > 0);
    expect(failure()).toEqual([['a', 'capacity']]);
  });

  test('an unknown speaker fails the voice before it speaks', async () => {
    await begin({}, { voiceId: 'anushka' });
    await voice.open();
    await until(() => events.length > 0);
    expect(failure()).toEqual([[null, 'bad_request']]);
  });
});
