import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type ElevenLabsSimulator,
  type ElevenLabsSimulatorOptions,
  startElevenLabsSimulator,
} from '../../../fixtures/simulators/elevenlabs.ts';
import { MULAW_8K, PCM_16K } from '../../../media/audio/format.ts';
import type { ProviderError } from '../../../media/provider/provider-error.ts';
import { createElevenLabsSynthesizer, type ElevenLabsSynthesizerOptions } from '../../../media/tts/elevenlabs.ts';
import { elevenLabsFailure, outputFormat, readAlignment } from '../../../media/tts/elevenlabs-protocol.ts';
import type { Synthesizer, SynthesizerEvent } from '../../../media/tts/synthesizer.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { pause, until } from '../../support/until.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

let simulator: ElevenLabsSimulator;
let voice: Synthesizer;
let events: SynthesizerEvent[];

const FAST: ElevenLabsSimulatorOptions = { firstAudioMs: 5, realtimeFactor: 500, apiKey: 'key' };

async function begin(simulated: ElevenLabsSimulatorOptions = {}, options: Partial<ElevenLabsSynthesizerOptions> = {}) {
  simulator = await startElevenLabsSimulator({ ...FAST, ...simulated });
  voice = createElevenLabsSynthesizer({
    url: simulator.url,
    apiKey: 'key',
    voiceId: 'voice/1',
    model: 'eleven_flash_v2_5',
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
const done = (id: string) => () => events.some((event) => event.type === 'done' && event.contextId === id);
const failure = () => events.flatMap((event) => (event.type === 'failed' ? [[event.contextId, event.error.kind]] : []));

async function openError(): Promise<ProviderError> {
  return voice.open().then(
    () => {
      throw new Error('it opened');
    },
    (error: ProviderError) => error,
  );
}

describe('the wire', () => {
  test('the address names voice, model, format and the longest idle time', async () => {
    await begin({}, { language: 'hi-IN' });
    await voice.open();
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

  test('a language goes only to the models that take one', async () => {
    await begin({}, { model: 'eleven_multilingual_v2', language: 'hi' });
    await voice.open();
    await until(() => simulator.connections.length === 1);
    expect(simulator.connections[0]!.query.has('language_code')).toBe(false);
  });

  test('settings come once, in the first message, and every piece is flushed', async () => {
    await begin({}, { speed: 1.5 });
    await voice.open();
    voice.speak('a', 'One,');
    voice.speak('a', 'two. ');
    voice.end('a');
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

  test('at normal speed the stored settings of the voice apply', async () => {
    await begin();
    await voice.open();
    voice.speak('a', 'One. ');
    await until(() => messages().length > 0);
    expect(messages()[0]).not.toHaveProperty('voice_settings');
  });

  test('output formats', () => {
    expect(outputFormat(MULAW_8K)).toBe('ulaw_8000');
    expect(outputFormat(PCM_16K)).toBe('pcm_16000');
    expect(() => outputFormat({ encoding: 'mulaw', sample_rate: 16000 })).toThrow('no output');
  });

  test('an alignment has one start for each UTF-16 unit, in either spelling', () => {
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

  test('error names', () => {
    const names = ['invalid_api_key', 'max_active_conversations', 'input_timeout_exceeded', 'voice_not_found', 'other'];
    expect(names.map(elevenLabsFailure)).toEqual(['auth', 'capacity', 'timeout', 'bad_request', undefined]);
  });
});

describe('sound and timing', () => {
  test('the sound is what the provider made, byte for byte', async () => {
    await begin({ chunkMs: 70 });
    await voice.open();
    voice.speak('a', 'Twenty characters ok');
    voice.end('a');
    await until(done('a'));
    const sound = Buffer.concat(events.flatMap((event) => (event.type === 'audio' ? [event.bytes] : [])));
    expect(sound.length).toBe(21 * 65 * 8);
    expect(simulator.connections[0]!.contexts[0]!.audioMs).toBeCloseTo(21 * 65);
  });

  for (const spelling of ['char', 'chars'] as const) {
    test(`times count from the start of the context (${spelling})`, async () => {
      await begin({ chunkMs: 100, spelling });
      await voice.open();
      voice.speak('a', 'Hello you. ');
      voice.speak('a', 'Bye. ');
      voice.end('a');
      await until(done('a'));
      const starts = events.flatMap((event) => (event.type === 'timing' ? event.startMs : []));
      expect(starts).toHaveLength(16);
      for (const [i, start] of starts.entries()) expect(Math.abs(start - i * 65)).toBeLessThanOrEqual(1);
    });
  }

  test('a message without alignment still counts as time', async () => {
    await begin({ chunkMs: 130, nullAlignmentEvery: 2 });
    await voice.open();
    voice.speak('a', 'abcdefgh ');
    voice.end('a');
    await until(done('a'));
    const timings = events.flatMap((event) => (event.type === 'timing' ? [[event.text, event.startMs[0]!]] : []));
    expect(timings).toEqual([
      ['ab', 0],
      ['ef', 260],
      [' ', 520],
    ]);
  });

  test('timing comes before the sound it describes', async () => {
    await begin({ chunkMs: 130 });
    await voice.open();
    voice.speak('a', 'Hi. ');
    voice.end('a');
    await until(done('a'));
    expect(events.map((event) => event.type)).toEqual(['timing', 'audio', 'timing', 'audio', 'done']);
  });
});

describe('contexts', () => {
  test('cancelled ones count until their last message: a sixth goes to a second socket', async () => {
    await begin({ realtimeFactor: 5, msPerCharacter: 40 });
    await voice.open();
    for (const id of ['1', '2', '3', '4', '5']) {
      voice.speak(id, 'A long sentence that goes on after it was cancelled, as the provider says. ');
      await until(() => events.some((event) => event.contextId === id));
      voice.cancel(id);
    }
    voice.speak('6', 'Short. ');
    voice.end('6');
    await until(done('6'));
    expect(simulator.connections).toHaveLength(2);
    expect(simulator.connections[1]!.contexts).toHaveLength(1);
    expect(simulator.violations).toEqual([]);
    await until(() => simulator.connections[0]!.closeCode === 1000);
    expect(failure()).toEqual([]);
  });

  test('what still speaks on a full socket speaks to its end', async () => {
    await begin({ realtimeFactor: 20 });
    await voice.open();
    for (const id of ['1', '2', '3', '4', '5', '6']) {
      voice.speak(id, 'All of these are wanted at the same time. ');
      voice.end(id);
    }
    await until(() => ['1', '2', '3', '4', '5', '6'].every((id) => done(id)()));
    expect(simulator.connections).toHaveLength(2);
    await until(() => simulator.connections[0]!.closeCode === 1000);
    expect(simulator.violations).toEqual([]);
  });

  test('one that the provider closed is opened afresh for more text', async () => {
    await begin({ secondMs: 1 });
    await voice.open();
    voice.speak('a', 'One. ');
    await until(() => simulator.connections[0]!.contexts[0]?.finalAt != null);
    await pause(30);
    voice.speak('a', 'Two. ');
    voice.end('a');
    await until(() => events.some((event) => event.type === 'done' || event.type === 'failed'));
    expect(done('a')()).toBe(true);
    expect(simulator.connections[0]!.contexts.map((context) => context.texts)).toEqual([['One. '], ['Two. ']]);
  });

  test('one that the provider closed with text unspoken is lost, and says so', async () => {
    await begin({ firstAudioMs: 5000 });
    await voice.open();
    voice.speak('a', 'One. ');
    await until(() => simulator.connections[0]?.contexts.length === 1);
    const { contextId } = simulator.connections[0]!.contexts[0]!;
    simulator.connections[0]!.raw(JSON.stringify({ isFinal: true, contextId }));
    await until(() => events.length > 0);
    expect(failure()).toEqual([['a', 'unavailable']]);
  });

  test('text for a context cancelled before the connection stood is never sent', async () => {
    await begin();
    const opening = voice.open();
    voice.speak('a', 'Never. ');
    voice.cancel('a');
    voice.speak('b', 'Hello. ');
    voice.end('b');
    await opening;
    await until(done('b'));
    expect(JSON.stringify(messages())).not.toContain('Never');
  });

  test('the connection and a context that waits for text are kept alive', async () => {
    const clock = createVirtualClock();
    await begin({}, { clock });
    await voice.open();
    await clock.advance(10_000);
    await until(() => simulator.connections[0]!.keepAlives === 1);
    voice.speak('a', 'One. ');
    await until(() => events.some((event) => event.type === 'audio'));
    await clock.advance(10_000);
    await until(() => simulator.connections[0]!.keepAlives === 2);
    expect(messages().at(0)).toEqual({ text: '' });
    expect(messages().at(-1)).toEqual({ text: '', context_id: messages()[1]!.context_id });
    expect(simulator.violations).toEqual([]);
  });
});

describe('failure', () => {
  test('no first audio for three seconds loses the context, not the voice', async () => {
    const clock = createVirtualClock();
    await begin({}, { clock });
    await voice.open();
    simulator.faults.silent = true;
    voice.speak('a', 'Hello? ');
    await clock.advance(2_999);
    expect(events).toEqual([]);
    await clock.advance(1);
    expect(failure()).toEqual([['a', 'timeout']]);
    await until(() => messages().some((message) => message.close_context === true));
    simulator.faults.silent = false;
    voice.speak('b', 'Again. ');
    voice.end('b');
    await until(done('b'));
  });

  test('sound that stops for five seconds loses the context', async () => {
    const clock = createVirtualClock();
    await begin({}, { clock });
    await voice.open();
    simulator.faults.stallAfterChunks = 2;
    voice.speak('a', 'A sentence that stops in its middle. ');
    voice.end('a');
    await until(() => events.filter((event) => event.type === 'audio').length === 2);
    await clock.advance(4_999);
    expect(failure()).toEqual([]);
    await clock.advance(2);
    expect(failure()).toEqual([['a', 'timeout']]);
  });

  test('a piece that is owed is waited for only so long, though the text goes on', async () => {
    const clock = createVirtualClock();
    await begin({ chunkMs: 5000 }, { clock });
    await voice.open();
    simulator.faults.stallAfterChunks = 1;
    voice.speak('a', 'The first piece comes. ');
    voice.speak('a', 'The second does not. ');
    await until(() => events.some((event) => event.type === 'audio'));
    await clock.advance(5_001);
    expect(failure()).toEqual([['a', 'timeout']]);
  });

  test('a slow language model is no fault of the voice', async () => {
    const clock = createVirtualClock();
    await begin({ chunkMs: 5000 }, { clock });
    await voice.open();
    voice.speak('a', 'One moment please. ');
    await until(() => events.some((event) => event.type === 'audio'));
    for (let i = 0; i < 6; i++) {
      await clock.advance(5_000);
      await pause(20);
    }
    expect(failure()).toEqual([]);
    voice.speak('a', 'Here it is. ');
    voice.end('a');
    await until(done('a'));
  });

  test('a wrong key, voice or model fails the connection with its reason', async () => {
    for (const [options, kind] of [
      [{ apiKey: 'wrong' }, 'auth'],
      [{ voiceId: 'nobody' }, 'bad_request'],
      [{ model: 'eleven_v3' }, 'bad_request'],
    ] as const) {
      events = [];
      await begin({ voices: ['voice/1'] }, options);
      await voice.open().catch(() => {});
      await until(() => events.length > 0);
      expect(failure()).toEqual([[null, kind]]);
      await voice.close();
      await simulator.close();
    }
  });

  test('too many connections is capacity; no answer is a timeout', async () => {
    await begin();
    simulator.faults.refuse = { status: 429 };
    expect((await openError()).kind).toBe('capacity');
    await simulator.close();
    const clock = createVirtualClock();
    await begin({}, { clock });
    simulator.faults.hang = true;
    const error = openError();
    await pause(50);
    await clock.advance(5_000);
    expect((await error).kind).toBe('timeout');
  });

  test('a connection that breaks while it speaks is told once', async () => {
    await begin();
    await voice.open();
    simulator.faults.breakAfterChunks = 2;
    voice.speak('a', 'A sentence that breaks in its middle. ');
    voice.speak('b', 'Another. ');
    voice.end('a');
    await until(() => failure().length > 0);
    voice.speak('c', 'Nobody there. ');
    await pause(30);
    expect(failure()).toEqual([[null, 'unavailable']]);
    expect(events.at(-1)!.type).toBe('failed');
  });

  test('an error of the provider and the close after it are one failure', async () => {
    await begin();
    await voice.open();
    await until(() => simulator.connections.length === 1);
    simulator.connections[0]!.error('rate_limited');
    await until(() => failure().length > 0);
    await pause(30);
    expect(failure()).toEqual([[null, 'capacity']]);
  });

  test('garbage and sound for nobody are left out', async () => {
    await begin();
    await voice.open();
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
    voice.speak('a', 'Hi. ');
    await until(() => connection.contexts.length === 1);
    connection.raw(JSON.stringify({ audio: '%%%', contextId: connection.contexts[0]!.contextId, alignment: 'x' }));
    connection.raw(JSON.stringify({ audio: 7, contextId: connection.contexts[0]!.contextId }));
    voice.end('a');
    await until(done('a'));
    expect(events.every((event) => event.contextId === 'a')).toBe(true);
  });
});
