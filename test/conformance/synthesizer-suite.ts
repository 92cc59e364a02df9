import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SynthesizerFaults } from '../../fixtures/simulators/elevenlabs.ts';
import { bytesPerSample } from '../../media/audio/format.ts';
import { ProviderError } from '../../media/provider/provider-error.ts';
import type { Synthesizer, SynthesizerEvent, SynthesizerListener } from '../../media/tts/synthesizer.ts';
import { type Clock, systemClock } from '../../shared/clock.ts';
import { pause, until } from '../support/until.ts';

/** What the suite needs of a voice: a provider that works, and one that cannot be reached. */
export interface SynthesizerUnderTest {
  create(listener: SynthesizerListener, clock: Clock): Synthesizer;
  /** A voice whose `open` must fail. */
  createUnreachable(listener: SynthesizerListener): Synthesizer;
  /** Whether it says where its characters lie. */
  hasTimings: boolean;
  /** Null where there is no connection to a provider. */
  remote: RemoteProvider | null;
  close(): Promise<void>;
}

/** What can be done to a provider that is reached over a network. */
export interface RemoteProvider {
  faults: SynthesizerFaults;
  /** What the provider had to object to in our side of the protocol. */
  violations: readonly string[];
  connections: readonly { closeCode: number | null; raw(data: string): void; break(code?: number): void }[];
}

const ODD_TEXTS = [
  '',
  '   ',
  '-v --help -w /tmp/x',
  '[[x]] <speak>&amp;</speak>',
  '\0',
  '🙂',
  'नमस्ते ',
  '...',
  '!?… —',
  'दो, 🙂 तीन।',
  '\u200b\u0301',
  'a',
  '{"text":""} ',
];

/** The rules of `media/tts/synthesizer.ts`, kept by every voice. */
export function synthesizerConformance(name: string, setUp: () => Promise<SynthesizerUnderTest>): void {
  describe(`voice: ${name}`, () => {
    let under: SynthesizerUnderTest;
    let events: SynthesizerEvent[];
    let voice: Synthesizer;

    beforeEach(async () => {
      under = await setUp();
      events = [];
      voice = under.create(keep, systemClock);
    });
    afterEach(async () => {
      await voice.close();
      await under.close();
      expect(under.remote?.violations ?? []).toEqual([]);
    });

    function keep(event: SynthesizerEvent): void {
      events.push(event.type === 'audio' ? { ...event, bytes: event.bytes.slice() } : event);
    }

    function of(contextId: string): SynthesizerEvent[] {
      return events.filter((event) => event.contextId === contextId);
    }
    function bytes(contextId: string): number {
      return of(contextId).reduce((sum, event) => sum + (event.type === 'audio' ? event.bytes.length : 0), 0);
    }
    const ended = (contextId: string) => () => of(contextId).some((event) => event.type === 'done');

    test('speaks its pieces, then is done, once', async () => {
      await voice.open();
      voice.speak('a', 'Hello there. ');
      voice.speak('a', 'How can I help you? ');
      voice.end('a');
      await until(ended('a'));
      expect(bytes('a')).toBeGreaterThan(voice.output.sample_rate * bytesPerSample(voice.output) * 0.5);
      expect(of('a').filter((event) => event.type === 'done')).toHaveLength(1);
      expect(events.at(-1)).toEqual({ type: 'done', contextId: 'a' });
    });

    test('gives whole samples', async () => {
      await voice.open();
      voice.speak('a', 'A sentence of some length, to be cut in many places. ');
      voice.end('a');
      await until(ended('a'));
      for (const event of events) {
        if (event.type === 'audio') expect(event.bytes.length % bytesPerSample(voice.output)).toBe(0);
      }
    });

    test('says where its characters lie, if it says so at all, in rising times', async () => {
      await voice.open();
      voice.speak('a', 'One two three. ');
      voice.speak('a', 'Four five six. ');
      voice.end('a');
      await until(ended('a'));
      const timings = events.filter((event) => event.type === 'timing');
      expect(timings.length > 0).toBe(under.hasTimings);
      if (!under.hasTimings) return;
      const starts = timings.flatMap((event) => event.startMs);
      expect(timings.map((event) => event.text).join('')).toBe('One two three. Four five six. ');
      expect(starts).toEqual([...starts].sort((a, b) => a - b));
      for (const event of timings) expect(event.startMs).toHaveLength(event.text.length);
    });

    test('takes text while it is still connecting', async () => {
      const opening = voice.open();
      voice.speak('a', 'Early words. ');
      voice.end('a');
      await opening;
      await until(ended('a'));
      expect(bytes('a')).toBeGreaterThan(0);
    });

    test('is done with a context in which nothing was said', async () => {
      await voice.open();
      voice.end('a');
      expect(events).toEqual([]);
      await until(ended('a'));
      expect(events).toEqual([{ type: 'done', contextId: 'a' }]);
    });

    test('tells nothing of a cancelled context, whatever still comes', async () => {
      await voice.open();
      voice.speak('a', 'This will be cut off soon, although it is a rather long sentence to say. ');
      await until(() => bytes('a') > 0);
      voice.cancel('a');
      const before = events.length;
      voice.speak('a', 'Never to be heard. ');
      voice.end('a');
      voice.speak('b', 'The next reply. ');
      voice.end('b');
      await until(ended('b'));
      expect(events.slice(before).filter((event) => event.contextId !== 'b')).toEqual([]);
    });

    test('may be cancelled from within its own event', async () => {
      await voice.close();
      let told = 0;
      voice = under.create((event) => {
        if (event.contextId === 'a') {
          told++;
          voice.cancel('a');
        } else events.push(event);
      }, systemClock);
      await voice.open();
      voice.speak('a', 'Cut at its first sound, whatever was to follow. ');
      voice.speak('a', 'A second piece. ');
      await until(() => told > 0);
      voice.speak('b', 'Next. ');
      voice.end('b');
      await until(ended('b'));
      expect(told).toBe(1);
    });

    test('speaks nothing more in a context that was ended', async () => {
      await voice.open();
      voice.speak('a', 'Short. ');
      voice.end('a');
      voice.speak('a', 'This piece comes far too late to be spoken by anyone at all. ');
      await until(ended('a'));
      const length = bytes('a');
      voice.speak('a', 'And this one too. ');
      voice.end('a');
      voice.speak('b', 'Short. ');
      voice.end('b');
      await until(ended('b'));
      expect(bytes('a')).toBe(length);
      expect(Math.abs(length - bytes('b'))).toBeLessThanOrEqual(length * 0.2);
    });

    test('keeps two contexts apart', async () => {
      await voice.open();
      voice.speak('a', 'First reply. ');
      voice.speak('b', 'Second reply. ');
      voice.end('b');
      voice.end('a');
      await until(() => ended('a')() && ended('b')());
      expect(bytes('a')).toBeGreaterThan(0);
      expect(bytes('b')).toBeGreaterThan(0);
    });

    test('survives empty and odd text', async () => {
      await voice.open();
      for (const [i, text] of ODD_TEXTS.entries()) {
        voice.speak(`odd-${i}`, text);
        voice.end(`odd-${i}`);
        await until(ended(`odd-${i}`), `done of odd text ${i}`);
      }
      expect(events.filter((event) => event.type === 'failed')).toEqual([]);
    });

    test('tells nothing after it was closed, twice if need be', async () => {
      await voice.open();
      voice.speak('a', 'A sentence that nobody will hear to its end. ');
      const closing = voice.close();
      const before = events.length;
      await Promise.all([closing, voice.close()]);
      voice.speak('b', 'Too late. ');
      voice.end('b');
      voice.cancel('a');
      await pause(50);
      expect(events.length).toBe(before);
    });

    test('refuses to open with the reason when its provider cannot be reached', async () => {
      const lost: SynthesizerEvent[] = [];
      const unreachable = under.createUnreachable((event) => lost.push(event));
      unreachable.speak('a', 'Nobody there. ');
      const error = await unreachable.open().catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(ProviderError);
      expect((error as ProviderError).kind).toBe('unavailable');
      expect(lost.filter((event) => event.contextId === null)).toEqual([]);
      await unreachable.close();
    });

    test('can be closed before it was opened', async () => {
      const unopened = under.create(() => {}, systemClock);
      await unopened.close();
      await expect(unopened.open()).rejects.toBeInstanceOf(ProviderError);
    });

    test('cancels many replies one after the other, and then speaks', async () => {
      await voice.open();
      for (let i = 0; i < 8; i++) {
        voice.speak(`cut-${i}`, 'One more sentence that is cut off as soon as it is heard. ');
        await until(() => bytes(`cut-${i}`) > 0);
        voice.cancel(`cut-${i}`);
      }
      voice.speak('kept', 'And this one is not. ');
      voice.end('kept');
      await until(ended('kept'));
      expect(events.filter((event) => event.type === 'failed')).toEqual([]);
    });

    test('goes on in a context whose text comes late', async () => {
      await voice.open();
      voice.speak('a', 'One moment. ');
      await until(() => bytes('a') > 0);
      await pause(300);
      const before = bytes('a');
      voice.speak('a', 'Here it is. ');
      voice.end('a');
      await until(ended('a'));
      expect(bytes('a')).toBeGreaterThan(before);
      expect(events.filter((event) => event.type === 'failed')).toEqual([]);
    });

    test('speaks while a draft beside it is cancelled', async () => {
      await voice.open();
      voice.speak('a', 'This is what is being said to the caller right now. ');
      voice.speak('draft', 'This might have been said next. ');
      await until(() => bytes('a') > 0);
      voice.cancel('draft');
      voice.end('a');
      await until(ended('a'));
      expect(bytes('a')).toBeGreaterThan(voice.output.sample_rate * bytesPerSample(voice.output));
    });

    test('ends a context at once when all of it was heard before', async () => {
      await voice.open();
      voice.speak('a', 'Yes. ');
      await until(() => bytes('a') > 0);
      await pause(600);
      voice.end('a');
      await until(ended('a'));
      expect(of('a').filter((event) => event.type === 'failed')).toEqual([]);
    });
  });
}
