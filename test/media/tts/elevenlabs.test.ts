import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type ElevenLabsSimulator,
  type ElevenLabsSimulatorOptions,
  startElevenLabsSimulator,
} from '../../../fixtures/simulators/elevenlabs.ts';
import { MULAW_8K, PCM_16K } from '../../../media/audio/format.ts';
import type { ProviderError } from '../../../media/provider/provider-error.ts';
import { createElevenLabsSynthesizer } from '../../../media/tts/elevenlabs.ts';
import { elevenLabsFailure, outputFormat, readAlignment } from '../../../media/tts/elevenlabs-protocol.ts';
import type { CloudSynthesizerOptions } from '../../../media/tts/streaming-synthesizer.ts';
import type { Synthesizer, SynthesizerEvent } from '../../../media/tts/synthesizer.ts';
import { createLogger } from '../../../shared/log.ts';
import { elevenLabs } from '../../../shared/providers/elevenlabs.ts';
import { patientClock } from '../../support/patient-clock.ts';
import { pause, until } from '../../support/until.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

let simulator: ElevenLabsSimulator;
let synthesizer: Synthesizer;
let events: SynthesizerEvent[];

const FAST: ElevenLabsSimulatorOptions = { firstAudioMs: 5, realtimeFactor: 500, apiKey: 'key' };

async function start(simulated: ElevenLabsSimulatorOptions = {}, options: Partial<CloudSynthesizerOptions> = {}) {
  simulator = await startElevenLabsSimulator({ ...FAST, ...simulated });
  synthesizer = create(options);
}

function create(options: Partial<CloudSynthesizerOptions>): Synthesizer {
  return createElevenLabsSynthesizer({
    url: simulator.url,
    apiKey: 'key',
    voiceId: 'voice/1',
    model: 'eleven_flash_v2_5',
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

/** A connection that is opened and closed later than all that the present one did. */
async function anotherConnection(): Promise<void> {
  const other = create({});
  await other.open();
  await other.close();
}

const messages = () => simulator.connections[0]!.messages;
const done = (id: string) => () => events.some((event) => event.type === 'done' && event.contextId === id);
const failures = () =>
  events.flatMap((event) => (event.type === 'failed' ? [[event.contextId, event.error.kind]] : []));

async function openError(): Promise<ProviderError> {
  return synthesizer.open().then(
    () => {
      throw new Error('it opened');
    },
    (error: ProviderError) => error,
  );
}

describe('the protocol', () => {
  test("an agent without a voice gets the manifest's", async () => {
    await start({}, { voiceId: '' });
    await synthesizer.open();
    await until(() => simulator.connections.length === 1);
    expect(simulator.connections[0]!.voiceId).toBe(elevenLabs.defaultVoice);
  });

  test('puts voice, model, format and the longest idle time into the address', async () => {
    await start({}, { language: 'hi-IN' });
    await synthesizer.open();
    await until(() => simulator.connections.length === 1);
    expect(simulator.connections[0]!.voiceId).toBe('voice/1');
    expect(Object.fromEntries(simulator.connections[0]!.query)).toEqual({
      model_id: 'eleven_flash_v2_5',
      output_format: 'ulaw_8000',
      auto_mode: 'true',
      sync_alignment: 'true',
      inactivity_timeout: '180',
      language_code: 'hi',
    });
  });

  test('sends a language only to models that accept one', async () => {
    await start({}, { model: 'eleven_multilingual_v2', language: 'hi' });
    await synthesizer.open();
    await until(() => simulator.connections.length === 1);
    expect(simulator.connections[0]!.query.has('language_code')).toBe(false);
  });

  test('sends settings in the first message only, and a flush with every segment', async () => {
    await start({}, { speed: 1.5 });
    await synthesizer.open();
    synthesizer.speak('a', 'One,');
    synthesizer.speak('a', 'two. ');
    synthesizer.end('a');
    await until(done('a'));
    const id = messages()[0]!.context_id;
    expect(messages()).toEqual([
      { text: ' ', context_id: id, voice_settings: { stability: 0.5, similarity_boost: 0.75, speed: 1.2 } },
      { text: 'One, ', context_id: id, flush: true },
      { text: 'two. ', context_id: id, flush: true },
      { context_id: id, close_context: true },
    ]);
    expect(simulator.violations).toEqual([]);
  });

  test('sends no settings at normal speed', async () => {
    await start();
    await synthesizer.open();
    synthesizer.speak('a', 'One. ');
    await until(() => messages().length > 0);
    expect(messages()[0]).not.toHaveProperty('voice_settings');
  });

  test('maps output formats', () => {
    expect(outputFormat(MULAW_8K)).toBe('ulaw_8000');
    expect(outputFormat(PCM_16K)).toBe('pcm_16000');
    expect(() => outputFormat({ encoding: 'mulaw', sample_rate: 16000 })).toThrow('no output');
  });

  test('reads one start per UTF-16 unit of an alignment, in either spelling', () => {
    const starts = [0, 10.5];
    expect(readAlignment({ chars: ['a', '🙂'], charStartTimesMs: starts })).toEqual({
      text: 'a🙂',
      startMs: [0, 10.5, 10.5],
    });
    expect(readAlignment({ chars: ['a', 'b'], charsStartTimesMs: starts })?.text).toBe('ab');
    for (const bad of [null, 3, {}, { chars: ['a'], charStartTimesMs: [] }, { chars: [1], charStartTimesMs: [0] }]) {
      expect(readAlignment(bad)).toBeNull();
    }
  });

  test('maps error names', () => {
    const names = ['invalid_api_key', 'max_active_conversations', 'input_timeout_exceeded', 'voice_not_found', 'other'];
    expect(names.map(elevenLabsFailure)).toEqual(['auth', 'capacity', 'timeout', 'bad_request', undefined]);
  });
});

describe('audio and timing', () => {
  test("emits the provider's audio byte for byte", async () => {
    await start({ chunkMs: 70 });
    await synthesizer.open();
    synthesizer.speak('a', 'Twenty characters ok');
    synthesizer.end('a');
    await until(done('a'));
    const audio = Buffer.concat(events.flatMap((event) => (event.type === 'audio' ? [event.bytes] : [])));
    expect(audio.length).toBe(21 * 65 * 8);
    expect(simulator.connections[0]!.contexts[0]!.audioMs).toBeCloseTo(21 * 65);
  });

  for (const spelling of ['char', 'chars'] as const) {
    test(`times count from the start of the context (${spelling})`, async () => {
      await start({ chunkMs: 100, spelling });
      await synthesizer.open();
      synthesizer.speak('a', 'Hello you. ');
      synthesizer.speak('a', 'Bye. ');
      synthesizer.end('a');
      await until(done('a'));
      const starts = events.flatMap((event) => (event.type === 'timing' ? event.startMs : []));
      expect(starts).toHaveLength(16);
      for (const [i, start] of starts.entries()) expect(Math.abs(start - i * 65)).toBeLessThanOrEqual(1);
    });
  }

  test('counts the audio of a message without alignment', async () => {
    await start({ chunkMs: 130, nullAlignmentEvery: 2 });
    await synthesizer.open();
    synthesizer.speak('a', 'abcdefgh ');
    synthesizer.end('a');
    await until(done('a'));
    const timings = events.flatMap((event) => (event.type === 'timing' ? [[event.text, event.startMs[0]!]] : []));
    expect(timings).toEqual([
      ['ab', 0],
      ['ef', 260],
      [' ', 520],
    ]);
  });

  test('times are those of the text that was sent, not of how it is spoken', async () => {
    await start({ chunkMs: 130 });
    await synthesizer.open();
    synthesizer.speak('a', 'At 7:45, for 2. ');
    synthesizer.end('a');
    await until(done('a'));
    const timings = events.filter((event) => event.type === 'timing');
    expect(timings.map((event) => event.text).join('')).toBe('At 7:45, for 2. ');
  });

  test('what a context was closed with is spoken to its end', async () => {
    await start({ realtimeFactor: 20 });
    await synthesizer.open();
    synthesizer.speak('a', 'This is on its way when the text ends. ');
    synthesizer.end('a');
    await until(done('a'));
    const [context] = simulator.connections[0]!.contexts;
    expect(context!.closedAt!).toBeLessThan(context!.finalAt!);
    expect(context!.audioMs).toBeCloseTo(39 * 65);
  });

  test('emits a timing before the audio it describes', async () => {
    await start({ chunkMs: 130 });
    await synthesizer.open();
    synthesizer.speak('a', 'Hi. ');
    synthesizer.end('a');
    await until(done('a'));
    expect(events.map((event) => event.type)).toEqual(['timing', 'audio', 'timing', 'audio', 'done']);
  });
});

describe('contexts', () => {
  test('a cancelled context counts until its final message: a sixth opens a second socket', async () => {
    const provider = createVirtualClock();
    await start({ clock: provider, realtimeFactor: 5, msPerCharacter: 40 });
    await synthesizer.open();
    for (const [index, id] of ['1', '2', '3', '4', '5'].entries()) {
      synthesizer.speak(id, 'A long sentence that goes on after it was cancelled, as the provider says. ');
      await until(() => simulator.connections[0]!.contexts[index]?.texts.length === 1);
      await provider.advance(10);
      await until(() => events.some((event) => event.contextId === id));
      synthesizer.cancel(id);
    }
    synthesizer.speak('6', 'Short. ');
    synthesizer.end('6');
    await until(() => simulator.connections[1]?.contexts[0]?.closedAt != null);
    await provider.advance(100);
    await until(done('6'));
    expect(simulator.connections).toHaveLength(2);
    expect(simulator.connections[1]!.contexts).toHaveLength(1);
    expect(simulator.violations).toEqual([]);
    await provider.advance(1_000);
    await until(() => simulator.connections[0]!.closeCode === 1000);
    expect(failures()).toEqual([]);
  });

  test('contexts on a full socket are spoken to their end', async () => {
    await start({ realtimeFactor: 20 });
    await synthesizer.open();
    for (const id of ['1', '2', '3', '4', '5', '6']) {
      synthesizer.speak(id, 'All of these are wanted at the same time. ');
      synthesizer.end(id);
    }
    await until(() => ['1', '2', '3', '4', '5', '6'].every((id) => done(id)()));
    expect(simulator.connections).toHaveLength(2);
    await until(() => simulator.connections[0]!.closeCode === 1000);
    expect(simulator.violations).toEqual([]);
  });

  test('more text after the provider closed the context opens a fresh one', async () => {
    const provider = createVirtualClock();
    // The clock of the synthesizer stands still: it does not keep the context alive.
    await start({ clock: provider }, { clock: createVirtualClock() });
    await synthesizer.open();
    const contexts = () => simulator.connections[0]!.contexts;
    synthesizer.speak('a', 'One. ');
    await until(() => contexts()[0]?.texts.length === 1);
    await provider.advance(1_000);
    await until(() => events.some((event) => event.type === 'audio'));
    await provider.advance(180_000);
    expect(contexts()[0]!.finalAt).not.toBeNull();
    // Messages come in order: after these, the end of the first context has come.
    synthesizer.speak('b', 'Between. ');
    synthesizer.end('b');
    await until(() => contexts()[1]?.closedAt != null);
    await provider.advance(1_000);
    await until(done('b'));
    synthesizer.speak('a', 'Two. ');
    synthesizer.end('a');
    await until(() => contexts()[2]?.closedAt != null);
    await provider.advance(1_000);
    await until(() =>
      events.some(({ type, contextId }) => contextId === 'a' && (type === 'done' || type === 'failed')),
    );
    expect(done('a')()).toBe(true);
    expect(contexts().map((context) => context.texts)).toEqual([['One. '], ['Between. '], ['Two. ']]);
  });

  test('a context that the provider closes with text unspoken fails', async () => {
    await start({ firstAudioMs: 5000 });
    await synthesizer.open();
    synthesizer.speak('a', 'One. ');
    await until(() => simulator.connections[0]?.contexts.length === 1);
    const { contextId } = simulator.connections[0]!.contexts[0]!;
    simulator.connections[0]!.raw(JSON.stringify({ isFinal: true, contextId }));
    await until(() => events.length > 0);
    expect(failures()).toEqual([['a', 'unavailable']]);
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
  });

  test('the connection and a context that waits for text are kept alive', async () => {
    const clock = createVirtualClock();
    await start({}, { clock });
    await synthesizer.open();
    await clock.advance(10_000);
    await until(() => simulator.connections[0]!.keepAlives === 1);
    synthesizer.speak('a', 'One. ');
    await until(() => events.some((event) => event.type === 'audio'));
    await clock.advance(10_000);
    await until(() => simulator.connections[0]!.keepAlives === 2);
    expect(messages().at(0)).toEqual({ text: '' });
    expect(messages().at(-1)).toEqual({ text: '', context_id: messages()[1]!.context_id });
    expect(simulator.violations).toEqual([]);
  });
});

describe('failure', () => {
  test('no first audio for three seconds fails the context, not the synthesizer', async () => {
    const clock = createVirtualClock();
    await start({}, { clock });
    await synthesizer.open();
    simulator.faults.silent = true;
    synthesizer.speak('a', 'Hello? ');
    await clock.advance(2_999);
    expect(events).toEqual([]);
    await clock.advance(1);
    expect(failures()).toEqual([['a', 'timeout']]);
    await until(() => messages().some((message) => message.close_context === true));
    simulator.faults.silent = false;
    synthesizer.speak('b', 'Again. ');
    synthesizer.end('b');
    await until(done('b'));
  });

  test('audio that stops for five seconds fails the context', async () => {
    const clock = createVirtualClock();
    await start({}, { clock });
    await synthesizer.open();
    simulator.faults.stallAfterChunks = 2;
    synthesizer.speak('a', 'A sentence that stops in its middle. ');
    synthesizer.end('a');
    await until(() => events.filter((event) => event.type === 'audio').length === 2);
    await clock.advance(4_999);
    expect(failures()).toEqual([]);
    await clock.advance(2);
    expect(failures()).toEqual([['a', 'timeout']]);
  });

  test('a segment without audio fails the context, though its text has not ended', async () => {
    const clock = createVirtualClock();
    await start({ chunkMs: 5000 }, { clock });
    await synthesizer.open();
    simulator.faults.stallAfterChunks = 1;
    synthesizer.speak('a', 'The first segment comes. ');
    synthesizer.speak('a', 'The second does not. ');
    await until(() => events.some((event) => event.type === 'audio'));
    await clock.advance(5_001);
    expect(failures()).toEqual([['a', 'timeout']]);
  });

  test('a slow language model does not fail the context', async () => {
    const clock = createVirtualClock();
    await start({ chunkMs: 5000 }, { clock });
    await synthesizer.open();
    synthesizer.speak('a', 'One moment please. ');
    await until(() => events.some((event) => event.type === 'audio'));
    for (let i = 0; i < 6; i++) {
      await clock.advance(5_000);
      await pause(20);
    }
    expect(failures()).toEqual([]);
    synthesizer.speak('a', 'Here it is. ');
    synthesizer.end('a');
    await until(done('a'));
  });

  test('a wrong key, voice or model fails the connection with its reason', async () => {
    for (const [options, kind] of [
      [{ apiKey: 'wrong' }, 'auth'],
      [{ voiceId: 'unknown' }, 'bad_request'],
      [{ model: 'eleven_v3' }, 'bad_request'],
    ] as const) {
      events = [];
      await start({ voices: ['voice/1'] }, options);
      await synthesizer.open().catch(() => {});
      await until(() => events.length > 0);
      expect(failures()).toEqual([[null, kind]]);
      await synthesizer.close();
      await simulator.close();
    }
  });

  test('too many connections is capacity, no response is a timeout', async () => {
    await start();
    simulator.faults.refuse = { status: 429 };
    expect((await openError()).kind).toBe('capacity');
    await simulator.close();
    const clock = createVirtualClock();
    await start({}, { clock });
    simulator.faults.hang = true;
    const error = openError();
    await pause(50);
    await clock.advance(5_000);
    expect((await error).kind).toBe('timeout');
  });

  test('a connection that breaks while it speaks is reported once', async () => {
    await start();
    await synthesizer.open();
    simulator.faults.breakAfterChunks = 2;
    synthesizer.speak('a', 'A sentence that breaks in its middle. ');
    synthesizer.speak('b', 'Another. ');
    synthesizer.end('a');
    await until(() => failures().length > 0);
    synthesizer.speak('c', 'Nobody there. ');
    await anotherConnection();
    expect(failures()).toEqual([[null, 'unavailable']]);
    expect(events.at(-1)!.type).toBe('failed');
  });

  test('a connection that lasted and is closed while idle is opened again', async () => {
    const clock = createVirtualClock();
    await start({}, { clock });
    await synthesizer.open();
    await until(() => simulator.connections.length === 1);
    for (let i = 0; i < 3; i++) {
      await clock.advance(4_000);
      await pause(20);
    }
    simulator.connections[0]!.break(1000);
    await until(() => simulator.connections.length === 2);
    synthesizer.speak('a', 'Still here. ');
    synthesizer.end('a');
    await until(done('a'));
    expect(failures()).toEqual([]);
  });

  test('an error of the provider and the close after it are one failure', async () => {
    await start();
    await synthesizer.open();
    await until(() => simulator.connections.length === 1);
    simulator.connections[0]!.error('rate_limited');
    await until(() => failures().length > 0);
    await anotherConnection();
    expect(failures()).toEqual([[null, 'capacity']]);
  });

  test('malformed messages and audio of unknown contexts are ignored', async () => {
    await start();
    await synthesizer.open();
    await until(() => simulator.connections.length === 1);
    const connection = simulator.connections[0]!;
    for (const raw of [
      '',
      '{',
      'null',
      '7',
      '{"audio":"AAAA"}',
      '{"audio":"AAAA","contextId":"zz"}',
      '{"contextId":3}',
    ]) {
      connection.raw(raw);
    }
    connection.raw(Buffer.from([1, 2]));
    synthesizer.speak('a', 'Hi. ');
    await until(() => connection.contexts.length === 1);
    connection.raw(JSON.stringify({ audio: '%%%', contextId: connection.contexts[0]!.contextId, alignment: 'x' }));
    connection.raw(JSON.stringify({ audio: 7, contextId: connection.contexts[0]!.contextId }));
    synthesizer.end('a');
    await until(done('a'));
    expect(events.every((event) => event.contextId === 'a')).toBe(true);
  });
});
