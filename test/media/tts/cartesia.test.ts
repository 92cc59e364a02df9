import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type CartesiaSimulator,
  type CartesiaSimulatorOptions,
  startCartesiaSimulator,
} from '../../../fixtures/simulators/cartesia.ts';
import { MULAW_8K, PCM_16K } from '../../../media/audio/format.ts';
import { type CartesiaSynthesizerOptions, createCartesiaSynthesizer } from '../../../media/tts/cartesia.ts';
import { cartesiaFailure, cartesiaOutput, cartesiaRequest } from '../../../media/tts/cartesia-protocol.ts';
import type { Synthesizer, SynthesizerEvent } from '../../../media/tts/synthesizer.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { pause, until } from '../../support/until.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

let simulator: CartesiaSimulator;
let voice: Synthesizer;
let events: SynthesizerEvent[];

const FAST: CartesiaSimulatorOptions = { firstAudioMs: 5, realtimeFactor: 500, apiKey: 'key' };

async function begin(simulated: CartesiaSimulatorOptions = {}, options: Partial<CartesiaSynthesizerOptions> = {}) {
  simulator = await startCartesiaSimulator({ ...FAST, ...simulated });
  voice = createCartesiaSynthesizer({
    url: simulator.url,
    apiKey: 'key',
    voiceId: 'v',
    model: 'sonic-3.5',
    language: 'hi-IN',
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

const messages = () => simulator.connections[0]!.messages;
const records = () => simulator.connections.flatMap((connection) => connection.contexts);
const done = (id: string) => () => events.some((event) => event.type === 'done' && event.contextId === id);
const failure = () => events.flatMap((event) => (event.type === 'failed' ? [[event.contextId, event.error.kind]] : []));
const timed = () => events.flatMap((event) => (event.type === 'timing' ? [event] : []));
const soundMs = () => events.reduce((sum, event) => sum + (event.type === 'audio' ? event.bytes.length / 8 : 0), 0);

describe('the wire', () => {
  test('key and version go in headers; every message of a context repeats its settings', async () => {
    await begin({}, { speed: 1.2 });
    await voice.open();
    voice.speak('a', 'One,');
    voice.speak('a', 'two. ');
    voice.end('a');
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

  test('the sound is what the provider made, byte for byte', async () => {
    await begin({ chunkMs: 70 });
    await voice.open();
    voice.speak('a', 'Twenty characters ok');
    voice.end('a');
    await until(done('a'));
    expect(soundMs()).toBe(21 * 65);
  });

  test('a speed goes only to the models that take one, and a voice is always named', () => {
    const common = { voiceId: '', output: PCM_16K, speed: 3 };
    expect(cartesiaRequest({ ...common, model: 'sonic-3' }).generation_config).toEqual({ speed: 1.5 });
    expect(cartesiaRequest({ ...common, model: 'sonic-2-2025-03-07' })).not.toHaveProperty('generation_config');
    expect(cartesiaRequest({ ...common, model: 'sonic-turbo' })).not.toHaveProperty('generation_config');
    expect((cartesiaRequest({ ...common, model: 'sonic-3' }).voice as { id: string }).id).toMatch(/^[0-9a-f-]{36}$/);
    expect(cartesiaRequest({ ...common, model: 'sonic-3' })).not.toHaveProperty('language');
    expect(cartesiaOutput({ encoding: 'pcm16', sample_rate: 32000 }).sample_rate).toBe(44100);
  });

  test('statuses and names of errors', () => {
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

describe('timing', () => {
  for (const timestamps of ['context', 'piece'] as const) {
    test(`counts from the start of the reply, whatever the provider counts from (${timestamps})`, async () => {
      await begin({ timestamps, chunkMs: 100 });
      await voice.open();
      voice.speak('a', 'Hello you. ');
      voice.speak('a', 'Bye now. ');
      voice.end('a');
      await until(done('a'));
      const text = timed().map((event) => event.text);
      expect(text.join('')).toBe('Hello you. Bye now. ');
      const starts = timed().flatMap((event) => event.startMs);
      for (const [i, start] of starts.entries()) expect(Math.abs(start - i * 65)).toBeLessThan(66);
      expect(simulator.violations).toEqual([]);
    });
  }

  test('that comes after its sound is told all the same', async () => {
    await begin({ timestamps: 'late', chunkMs: 130 });
    await voice.open();
    voice.speak('a', 'One two three. ');
    voice.end('a');
    await until(done('a'));
    expect(
      timed()
        .map((event) => event.text)
        .join(''),
    ).toBe('One two three. ');
  });

  test('that never comes is not invented, and nothing is waited for', async () => {
    await begin({ timestamps: 'none' });
    await voice.open();
    voice.speak('a', 'One two three. ');
    voice.end('a');
    await until(done('a'));
    expect(timed()).toEqual([]);
  });
});

describe('contexts', () => {
  test('text that comes after the provider forgot the context gets a fresh one', async () => {
    const clock = createVirtualClock();
    await begin({ secondMs: 30 }, { clock });
    await voice.open();
    voice.speak('a', 'One moment. ');
    await until(() => soundMs() === 12 * 65);
    expect(
      timed()
        .map((event) => event.text)
        .join(''),
    ).toBe('One moment. ');
    await pause(60);
    await clock.advance(600);
    voice.speak('a', 'Here it is. ');
    voice.end('a');
    await until(done('a'));
    expect(records().map((record) => record.texts)).toEqual([['One moment. '], ['Here it is. ']]);
    expect(records()[0]!.contextId).not.toBe(records()[1]!.contextId);
    expect(
      timed()
        .flatMap((event) => event.startMs)
        .at(-1),
    ).toBeGreaterThan(12 * 65 + 500);
    expect(failure()).toEqual([]);
    expect(simulator.violations).toEqual([]);
  });

  test('one that the provider says is over gets a fresh one too', async () => {
    await begin({ secondMs: 10, reportsExpiry: true });
    await voice.open();
    voice.speak('a', 'One. ');
    await until(() => records()[0]?.doneAt != null);
    await pause(30);
    voice.speak('a', 'Two. ');
    voice.end('a');
    await until(done('a'));
    expect(records()).toHaveLength(2);
    expect(simulator.violations).toEqual([]);
  });

  test('one that is over with text unspoken is lost, and says so', async () => {
    await begin({ firstAudioMs: 5_000 });
    await voice.open();
    voice.speak('a', 'One. ');
    await until(() => records().length === 1);
    const { contextId } = records()[0]!;
    simulator.connections[0]!.raw(JSON.stringify({ type: 'done', context_id: contextId, done: true }));
    await until(() => events.length > 0);
    expect(failure()).toEqual([['a', 'unavailable']]);
  });

  test('late sound of a cancelled one is for nobody', async () => {
    await begin({ realtimeFactor: 5 });
    await voice.open();
    voice.speak('a', 'A long sentence that goes on after it was cancelled, as the guide says. ');
    await until(() => events.some((event) => event.type === 'audio'));
    voice.cancel('a');
    const before = events.length;
    await until(() => records()[0]!.doneAt !== null);
    await pause(20);
    expect(records()[0]!.lateMs).toBeGreaterThan(0);
    expect(events.length).toBe(before);
    expect(messages().at(-1)).toEqual({ context_id: records()[0]!.contextId, cancel: true });
  });

  test('text of one that was cancelled before the connection stood is never sent', async () => {
    await begin();
    const opening = voice.open();
    voice.speak('a', 'Never. ');
    voice.cancel('a');
    voice.speak('b', 'Hello. ');
    voice.end('b');
    await opening;
    await until(done('b'));
    expect(JSON.stringify(messages())).not.toContain('Never');
    expect(JSON.stringify(messages())).not.toContain('cancel');
  });

  test('at the limit of the account one context is refused, and only that', async () => {
    await begin({ concurrency: 1, realtimeFactor: 5 });
    await voice.open();
    voice.speak('a', 'The only one that may speak. ');
    voice.end('a');
    voice.speak('b', 'Too many. ');
    await until(done('a'));
    expect(failure()).toEqual([['b', 'capacity']]);
  });

  test('errors of a context are its own, others are of the connection', async () => {
    await begin({ realtimeFactor: 5 });
    await voice.open();
    voice.speak('a', 'This one fails in its middle. ');
    voice.speak('b', 'This one does not. ');
    voice.end('b');
    await until(() => records().length === 2);
    const [connection] = simulator.connections;
    connection!.error(records()[0]!.contextId, 500, null);
    connection!.error('of somebody else', 500, null);
    await until(done('b'));
    expect(failure()).toEqual([['a', 'unavailable']]);
    connection!.error(null, 402, 'out_of_credits');
    await until(() => failure().length === 2);
    expect(failure()[1]).toEqual([null, 'capacity']);
  });

  test('an unknown voice, model or language is a bad request', async () => {
    for (const options of [{ voiceId: 'nobody' }, { model: 'sonic-0' }, { language: 'or' }]) {
      events = [];
      await begin({ voices: ['v'] }, options);
      await voice.open();
      voice.speak('a', 'Hello. ');
      await until(() => events.length > 0);
      expect(failure()).toEqual([['a', 'bad_request']]);
      await voice.close();
      await simulator.close();
    }
  });
});

describe('the connection', () => {
  test('is replaced before the provider would close it', async () => {
    const clock = createVirtualClock();
    await begin({}, { clock });
    await voice.open();
    for (let passed = 0; passed < 240; passed += 4) {
      await clock.advance(4_000);
      await pause(2);
    }
    await until(() => simulator.connections.length === 2);
    await until(() => simulator.connections[0]!.closeCode === 1000);
    voice.speak('a', 'Still here. ');
    voice.end('a');
    await until(done('a'));
    expect(simulator.connections[1]!.contexts).toHaveLength(1);
    expect(events.filter((event) => event.type === 'failed')).toEqual([]);
  });

  test('that is closed while nobody speaks is made anew, and text finds it', async () => {
    const clock = createVirtualClock();
    await begin({}, { clock });
    await voice.open();
    await until(() => simulator.connections.length === 1);
    await clock.advance(4_000);
    await pause(20);
    await clock.advance(4_000);
    await pause(20);
    await clock.advance(4_000);
    simulator.connections[0]!.break(1000);
    await until(() => simulator.connections.length === 2);
    voice.speak('a', 'Nothing happened. ');
    voice.end('a');
    await until(done('a'));
    expect(failure()).toEqual([]);
  });

  test('that does not last is told', async () => {
    await begin();
    await voice.open();
    await until(() => simulator.connections.length === 1);
    simulator.connections[0]!.break(1011);
    await until(() => events.length > 0);
    expect(failure()).toEqual([[null, 'unavailable']]);
  });
});
