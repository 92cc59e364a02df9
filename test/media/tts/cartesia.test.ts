import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type CartesiaSimulator,
  type CartesiaSimulatorOptions,
  startCartesiaSimulator,
} from '../../../fixtures/simulators/cartesia.ts';
import { MULAW_8K, PCM_16K } from '../../../media/audio/format.ts';
import { createSpokenText } from '../../../media/playout/spoken-text.ts';
import { segmentText } from '../../../media/reply/speech-segmenter.ts';
import { createCartesiaSynthesizer } from '../../../media/tts/cartesia.ts';
import { cartesiaFailure, cartesiaOutput, cartesiaRequest } from '../../../media/tts/cartesia-protocol.ts';
import type { CloudSynthesizerOptions } from '../../../media/tts/streaming-synthesizer.ts';
import type { Synthesizer, SynthesizerEvent } from '../../../media/tts/synthesizer.ts';
import { createLogger } from '../../../shared/log.ts';
import { createPronunciation } from '../../../shared/pronunciation.ts';
import { patientClock } from '../../support/patient-clock.ts';
import { pause, until } from '../../support/until.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

let simulator: CartesiaSimulator;
let synthesizer: Synthesizer;
let events: SynthesizerEvent[];

const FAST: CartesiaSimulatorOptions = { firstAudioMs: 5, realtimeFactor: 500, apiKey: 'key' };

async function start(simulated: CartesiaSimulatorOptions = {}, options: Partial<CloudSynthesizerOptions> = {}) {
  simulator = await startCartesiaSimulator({ ...FAST, ...simulated });
  synthesizer = createCartesiaSynthesizer({
    url: simulator.url,
    apiKey: 'key',
    voiceId: 'v',
    model: 'sonic-3.5',
    language: 'hi-IN',
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

const messages = () => simulator.connections[0]!.messages;
const records = () => simulator.connections.flatMap((connection) => connection.contexts);
const done = (id: string) => () => events.some((event) => event.type === 'done' && event.contextId === id);
const failures = () =>
  events.flatMap((event) => (event.type === 'failed' ? [[event.contextId, event.error.kind]] : []));
const timings = () => events.flatMap((event) => (event.type === 'timing' ? [event] : []));
const audioMs = () => events.reduce((sum, event) => sum + (event.type === 'audio' ? event.bytes.length / 8 : 0), 0);

describe('the protocol', () => {
  test('sends key and version in headers, and the settings in every message of a context', async () => {
    await start({}, { speed: 1.2 });
    await synthesizer.open();
    synthesizer.speak('a', 'One,');
    synthesizer.speak('a', 'two. ');
    synthesizer.end('a');
    await until(done('a'));
    const { headers } = simulator.connections[0]!;
    expect([headers['x-api-key'], headers['cartesia-version']]).toEqual(['key', '2026-03-01']);
    const settings = {
      model_id: 'sonic-3.5',
      voice: { mode: 'id', id: 'v' },
      language: 'hi',
      output_format: { container: 'raw', encoding: 'pcm_mulaw', sample_rate: 8000 },
      add_timestamps: true,
      max_buffer_delay_ms: 0,
      generation_config: { speed: 1.2 },
      context_id: messages()[0]!.context_id,
    };
    expect(messages()).toEqual([
      { ...settings, transcript: 'One, ', continue: true },
      { ...settings, transcript: 'two. ', continue: true },
      { ...settings, transcript: '', continue: false },
    ]);
    expect(simulator.violations).toEqual([]);
  });

  test("emits the provider's audio byte for byte", async () => {
    await start({ chunkMs: 70 });
    await synthesizer.open();
    synthesizer.speak('a', 'Twenty characters ok');
    synthesizer.end('a');
    await until(done('a'));
    expect(audioMs()).toBe(21 * 65);
  });

  test('sends a speed only to models that accept one, and always a voice', () => {
    const common = { voiceId: '', output: PCM_16K, speed: 3 };
    expect(cartesiaRequest({ ...common, model: 'sonic-3' }).generation_config).toEqual({ speed: 1.5 });
    expect(cartesiaRequest({ ...common, model: 'sonic-2-2025-03-07' })).not.toHaveProperty('generation_config');
    expect(cartesiaRequest({ ...common, model: 'sonic-turbo' })).not.toHaveProperty('generation_config');
    expect((cartesiaRequest({ ...common, model: 'sonic-3' }).voice as { id: string }).id).toMatch(/^[0-9a-f-]{36}$/);
    expect(cartesiaRequest({ ...common, model: 'sonic-3' })).not.toHaveProperty('language');
    expect(cartesiaOutput({ encoding: 'pcm16', sample_rate: 32000 }).sample_rate).toBe(44100);
  });

  test('maps statuses and error codes', () => {
    const kinds = [
      cartesiaFailure(429, 'concurrency_limited'),
      cartesiaFailure(402, null),
      cartesiaFailure(401, null),
      cartesiaFailure(404, 'voice_not_found'),
      cartesiaFailure(500, null),
      cartesiaFailure('x', null),
    ];
    expect(kinds).toEqual(['capacity', 'capacity', 'auth', 'bad_request', 'unavailable', 'unavailable']);
  });
});

describe('IPA', () => {
  const pronunciations = [{ word: 'Siobhan', say: 'shivawn', ipa: 'ʃɪˈvɔːn' }];

  test.each([
    ['sonic-3.5', '<<ʃ|ɪ|ˈ|v|ɔː|n>>'],
    ['sonic-2', '<<ʃ|ɪ|v|ɔː|n>>'],
  ])('is sent to %s in brackets', async (model, sent) => {
    await start({}, { pronunciations, model, language: 'en' });
    await synthesizer.open();
    synthesizer.speak('a', 'I am shivawn. ');
    synthesizer.end('a');
    await until(done('a'));
    expect(messages().map(({ transcript }) => transcript)).toEqual([`I am ${sent}. `, '']);
    expect(failures()).toEqual([]);
  });

  test('leaves the times to the words around it', async () => {
    await start({}, { pronunciations });
    await synthesizer.open();
    synthesizer.speak('a', 'I am shivawn, hello. ');
    synthesizer.end('a');
    await until(done('a'));
    const text = timings().map((event) => event.text);
    expect(text.join('')).toBe('I am shivawn, hello. ');
    const starts = timings().flatMap((event) => event.startMs);
    expect(starts).toEqual(starts.toSorted((a, b) => a - b));
  });

  test('is the word as it is written in what was played out before an interruption', async () => {
    const [segment] = segmentText('I am Siobhan from Cork.', 'en', createPronunciation(pronunciations));
    const played = createSpokenText();
    played.add(segment!);
    await start({}, { pronunciations });
    await synthesizer.open();
    synthesizer.speak('a', segment!.spoken);
    synthesizer.end('a');
    await until(done('a'));
    for (const { text, startMs } of timings()) played.addTimings(text, startMs);
    const nextMs = timings().flatMap((event) => event.startMs)[segment!.spoken.indexOf('from')]!;
    expect(played.playedOut(nextMs - 1, audioMs(), true)).toBe('I am');
    expect(played.playedOut(nextMs + 1, audioMs(), true)).toBe('I am Siobhan');
  });
});

describe('timing', () => {
  for (const timestamps of ['context', 'segment'] as const) {
    test(`counts from the start of the reply, whatever the provider counts from (${timestamps})`, async () => {
      await start({ timestamps, chunkMs: 100 });
      await synthesizer.open();
      synthesizer.speak('a', 'Hello you. ');
      synthesizer.speak('a', 'Bye now. ');
      synthesizer.end('a');
      await until(done('a'));
      const text = timings().map((event) => event.text);
      expect(text.join('')).toBe('Hello you. Bye now. ');
      const starts = timings().flatMap((event) => event.startMs);
      for (const [i, start] of starts.entries()) expect(Math.abs(start - i * 65)).toBeLessThan(66);
      expect(simulator.violations).toEqual([]);
    });
  }

  test('that comes after its audio is emitted', async () => {
    await start({ timestamps: 'late', chunkMs: 130 });
    await synthesizer.open();
    synthesizer.speak('a', 'One two three. ');
    synthesizer.end('a');
    await until(done('a'));
    expect(
      timings()
        .map((event) => event.text)
        .join(''),
    ).toBe('One two three. ');
  });

  test('that never comes is not invented, and does not delay the end', async () => {
    await start({ timestamps: 'none' });
    await synthesizer.open();
    synthesizer.speak('a', 'One two three. ');
    synthesizer.end('a');
    await until(done('a'));
    expect(timings()).toEqual([]);
  });
});

describe('contexts', () => {
  test("text that comes after the provider's context expired gets a fresh one", async () => {
    const clock = createVirtualClock();
    await start({ secondMs: 30 }, { clock });
    await synthesizer.open();
    synthesizer.speak('a', 'One moment. ');
    await until(() => audioMs() === 12 * 65);
    expect(
      timings()
        .map((event) => event.text)
        .join(''),
    ).toBe('One moment. ');
    await pause(60);
    await clock.advance(600);
    synthesizer.speak('a', 'Here it is. ');
    synthesizer.end('a');
    await until(done('a'));
    expect(records().map((record) => record.texts)).toEqual([['One moment. '], ['Here it is. ']]);
    expect(records()[0]!.contextId).not.toBe(records()[1]!.contextId);
    expect(
      timings()
        .flatMap((event) => event.startMs)
        .at(-1),
    ).toBeGreaterThan(12 * 65 + 500);
    expect(failures()).toEqual([]);
    expect(simulator.violations).toEqual([]);
  });

  test('text that comes after the provider closed the context gets a fresh one', async () => {
    const provider = createVirtualClock();
    // The clock of the synthesizer stands still: only the provider knows that the context is over.
    await start({ clock: provider, reportsExpiry: true }, { clock: createVirtualClock() });
    await synthesizer.open();
    synthesizer.speak('a', 'One. ');
    await until(() => records()[0]?.texts.length === 1);
    await provider.advance(10_000);
    expect(records()[0]!.doneAt).not.toBeNull();
    // Messages come in order: after these, the end of the first context has come.
    synthesizer.speak('b', 'Between. ');
    synthesizer.end('b');
    await until(() => records()[1]?.endedAt != null);
    await provider.advance(1_000);
    await until(done('b'));
    synthesizer.speak('a', 'Two. ');
    synthesizer.end('a');
    await until(() => records()[2]?.endedAt != null);
    await provider.advance(1_000);
    await until(done('a'));
    expect(records().map(({ texts }) => texts)).toEqual([['One. '], ['Between. '], ['Two. ']]);
    expect(simulator.violations).toEqual([]);
  });

  test('a context that the provider closes with text unspoken fails', async () => {
    await start({ firstAudioMs: 5_000 });
    await synthesizer.open();
    synthesizer.speak('a', 'One. ');
    await until(() => records().length === 1);
    const { contextId } = records()[0]!;
    simulator.connections[0]!.raw(JSON.stringify({ type: 'done', context_id: contextId, done: true }));
    await until(() => events.length > 0);
    expect(failures()).toEqual([['a', 'unavailable']]);
  });

  test('late audio of a cancelled context is dropped', async () => {
    await start({ realtimeFactor: 5 });
    await synthesizer.open();
    synthesizer.speak('a', 'A long sentence that goes on after it was cancelled, as the guide says. ');
    await until(() => events.some((event) => event.type === 'audio'));
    synthesizer.cancel('a');
    const ofA = () => events.filter((event) => event.contextId === 'a').length;
    const before = ofA();
    await until(() => records()[0]!.doneAt !== null);
    expect(records()[0]!.lateMs).toBeGreaterThan(0);
    expect(messages().at(-1)).toEqual({ context_id: records()[0]!.contextId, cancel: true });
    // Messages come in order: those of the cancelled context came before.
    synthesizer.speak('b', 'Hello. ');
    synthesizer.end('b');
    await until(done('b'));
    expect(ofA()).toBe(before);
  });

  test('text of a context that was cancelled before the connection opened is never sent', async () => {
    await start();
    const opening = synthesizer.open();
    synthesizer.speak('a', 'Never. ');
    synthesizer.cancel('a');
    synthesizer.speak('b', 'Hello. ');
    synthesizer.end('b');
    await opening;
    await until(done('b'));
    expect(JSON.stringify(messages())).not.toContain('Never');
    expect(JSON.stringify(messages())).not.toContain('cancel');
  });

  test("only the context beyond the account's limit is refused", async () => {
    await start({ concurrency: 1, realtimeFactor: 5 });
    await synthesizer.open();
    synthesizer.speak('a', 'The only one that may speak. ');
    synthesizer.end('a');
    synthesizer.speak('b', 'Too many. ');
    await until(done('a'));
    expect(failures()).toEqual([['b', 'capacity']]);
  });

  test('an error with a context fails that context, one without fails the connection', async () => {
    await start({ realtimeFactor: 5 });
    await synthesizer.open();
    synthesizer.speak('a', 'This one fails in its middle. ');
    synthesizer.speak('b', 'This one does not. ');
    synthesizer.end('b');
    await until(() => records().length === 2);
    const [connection] = simulator.connections;
    connection!.error(records()[0]!.contextId, 500, null);
    connection!.error('of somebody else', 500, null);
    await until(done('b'));
    expect(failures()).toEqual([['a', 'unavailable']]);
    connection!.error(null, 402, 'out_of_credits');
    await until(() => failures().length === 2);
    expect(failures()[1]).toEqual([null, 'capacity']);
  });

  test('an unknown voice, model or language is a bad request', async () => {
    for (const options of [{ voiceId: 'unknown' }, { model: 'sonic-0' }, { language: 'or' }]) {
      events = [];
      await start({ voices: ['v'] }, options);
      await synthesizer.open();
      synthesizer.speak('a', 'Hello. ');
      await until(() => events.length > 0);
      expect(failures()).toEqual([['a', 'bad_request']]);
      await synthesizer.close();
      await simulator.close();
    }
  });
});

describe('the connection', () => {
  test('is replaced before the provider would close it', async () => {
    const clock = createVirtualClock();
    await start({}, { clock });
    await synthesizer.open();
    for (let passed = 0; passed < 240; passed += 4) {
      await clock.advance(4_000);
      await pause(2);
    }
    await until(() => simulator.connections.length === 2);
    await until(() => simulator.connections[0]!.closeCode === 1000);
    synthesizer.speak('a', 'Still here. ');
    synthesizer.end('a');
    await until(done('a'));
    expect(simulator.connections[1]!.contexts).toHaveLength(1);
    expect(events.filter((event) => event.type === 'failed')).toEqual([]);
  });

  test('that lasted and is closed while idle is opened again', async () => {
    const clock = createVirtualClock();
    await start({}, { clock });
    await synthesizer.open();
    await until(() => simulator.connections.length === 1);
    await clock.advance(4_000);
    await pause(20);
    await clock.advance(4_000);
    await pause(20);
    await clock.advance(4_000);
    simulator.connections[0]!.break(1000);
    await until(() => simulator.connections.length === 2);
    synthesizer.speak('a', 'Nothing happened. ');
    synthesizer.end('a');
    await until(done('a'));
    expect(failures()).toEqual([]);
  });

  test('that breaks before it has lasted is reported', async () => {
    await start();
    await synthesizer.open();
    await until(() => simulator.connections.length === 1);
    simulator.connections[0]!.break(1011);
    await until(() => events.length > 0);
    expect(failures()).toEqual([[null, 'unavailable']]);
  });
});
