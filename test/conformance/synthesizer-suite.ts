import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SynthesizerFaults } from '../../fixtures/simulators/synthesizer-faults.ts';
import { bytesPerSample } from '../../media/audio/format.ts';
import { ProviderError } from '../../media/provider/provider-error.ts';
import type { Synthesizer, SynthesizerEvent, SynthesizerListener } from '../../media/tts/synthesizer.ts';
import type { Clock } from '../../shared/clock.ts';
import { patientClock } from '../support/patient-clock.ts';
import { pause, until } from '../support/until.ts';

/** What the suite needs: a synthesizer that works, and one that cannot connect. */
export interface SynthesizerUnderTest {
  create(listener: SynthesizerListener, clock: Clock): Synthesizer;
  /** A synthesizer whose `open` must fail. */
  createUnreachable(listener: SynthesizerListener): Synthesizer;
  /** Emits timings. */
  hasTimings: boolean;
  /** Null for a synthesizer without a connection. */
  remote: RemoteProvider | null;
  close(): Promise<void>;
}

/** The simulator of a provider that is reached over a network. */
export interface RemoteProvider {
  faults: SynthesizerFaults;
  /** Protocol violations that the provider found. */
  violations: readonly string[];
  connections: readonly { closeCode: number | null; raw(data: string): void; break(code?: number): void }[];
}

const UNUSUAL_TEXTS = [
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

/** Tests the rules of `media/tts/synthesizer.ts`, which every synthesizer keeps. */
export function synthesizerConformance(name: string, setUp: () => Promise<SynthesizerUnderTest>): void {
  describe(`synthesizer: ${name}`, () => {
    let subject: SynthesizerUnderTest;
    let events: SynthesizerEvent[];
    let synthesizer: Synthesizer;

    beforeEach(async () => {
      subject = await setUp();
      events = [];
      synthesizer = subject.create(keep, patientClock);
    });
    afterEach(async () => {
      await synthesizer.close();
      await subject.close();
      expect(subject.remote?.violations ?? []).toEqual([]);
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

    test('speaks its segments, then is done once', async () => {
      await synthesizer.open();
      synthesizer.speak('a', 'Hello there. ');
      synthesizer.speak('a', 'How can I help you? ');
      synthesizer.end('a');
      await until(ended('a'));
      expect(bytes('a')).toBeGreaterThan(synthesizer.output.sample_rate * bytesPerSample(synthesizer.output) * 0.5);
      expect(of('a').filter((event) => event.type === 'done')).toHaveLength(1);
      expect(events.at(-1)).toEqual({ type: 'done', contextId: 'a' });
    });

    test('emits whole samples', async () => {
      await synthesizer.open();
      synthesizer.speak('a', 'A sentence of some length, to be split at many positions. ');
      synthesizer.end('a');
      await until(ended('a'));
      for (const event of events) {
        if (event.type === 'audio') expect(event.bytes.length % bytesPerSample(synthesizer.output)).toBe(0);
      }
    });

    test('emits timings of all its text in order, if it emits any', async () => {
      await synthesizer.open();
      synthesizer.speak('a', 'One two three. ');
      synthesizer.speak('a', 'Four five six. ');
      synthesizer.end('a');
      await until(ended('a'));
      const timings = events.filter((event) => event.type === 'timing');
      expect(timings.length > 0).toBe(subject.hasTimings);
      if (!subject.hasTimings) return;
      const starts = timings.flatMap((event) => event.startMs);
      expect(timings.map((event) => event.text).join('')).toBe('One two three. Four five six. ');
      expect(starts).toEqual([...starts].sort((a, b) => a - b));
      for (const event of timings) expect(event.startMs).toHaveLength(event.text.length);
    });

    test('accepts text while it is still connecting', async () => {
      const opening = synthesizer.open();
      synthesizer.speak('a', 'Early words. ');
      synthesizer.end('a');
      await opening;
      await until(ended('a'));
      expect(bytes('a')).toBeGreaterThan(0);
    });

    test('ends a context without text', async () => {
      await synthesizer.open();
      synthesizer.end('a');
      expect(events).toEqual([]);
      await until(ended('a'));
      expect(events).toEqual([{ type: 'done', contextId: 'a' }]);
    });

    test('emits nothing of a cancelled context, whatever still comes', async () => {
      await synthesizer.open();
      synthesizer.speak('a', 'This will be cut off soon, although it is a rather long sentence to say. ');
      await until(() => bytes('a') > 0);
      synthesizer.cancel('a');
      const before = events.length;
      synthesizer.speak('a', 'Never to be spoken. ');
      synthesizer.end('a');
      synthesizer.speak('b', 'The next reply. ');
      synthesizer.end('b');
      await until(ended('b'));
      expect(events.slice(before).filter((event) => event.contextId !== 'b')).toEqual([]);
    });

    test('may be cancelled during its own event', async () => {
      await synthesizer.close();
      let emitted = 0;
      synthesizer = subject.create((event) => {
        if (event.contextId === 'a') {
          emitted++;
          synthesizer.cancel('a');
        } else events.push(event);
      }, patientClock);
      await synthesizer.open();
      synthesizer.speak('a', 'Cancelled at its first audio event. ');
      synthesizer.speak('a', 'A second segment. ');
      await until(() => emitted > 0);
      synthesizer.speak('b', 'Next. ');
      synthesizer.end('b');
      await until(ended('b'));
      expect(emitted).toBe(1);
    });

    test('ignores text after the end of a context', async () => {
      await synthesizer.open();
      synthesizer.speak('a', 'Short. ');
      synthesizer.end('a');
      synthesizer.speak('a', 'This segment comes far too late to be spoken by anyone at all. ');
      await until(ended('a'));
      const length = bytes('a');
      synthesizer.speak('a', 'And this one too. ');
      synthesizer.end('a');
      synthesizer.speak('b', 'Short. ');
      synthesizer.end('b');
      await until(ended('b'));
      expect(bytes('a')).toBe(length);
      expect(Math.abs(length - bytes('b'))).toBeLessThanOrEqual(length * 0.2);
    });

    test('keeps two contexts apart', async () => {
      await synthesizer.open();
      synthesizer.speak('a', 'First reply. ');
      synthesizer.speak('b', 'Second reply. ');
      synthesizer.end('b');
      synthesizer.end('a');
      await until(() => ended('a')() && ended('b')());
      expect(bytes('a')).toBeGreaterThan(0);
      expect(bytes('b')).toBeGreaterThan(0);
    });

    test('accepts empty and unusual text', async () => {
      await synthesizer.open();
      for (const [i, text] of UNUSUAL_TEXTS.entries()) {
        synthesizer.speak(`unusual-${i}`, text);
        synthesizer.end(`unusual-${i}`);
        await until(ended(`unusual-${i}`), `done of unusual text ${i}`);
      }
      expect(events.filter((event) => event.type === 'failed')).toEqual([]);
    });

    test('emits nothing after it was closed, once or twice', async () => {
      await synthesizer.open();
      synthesizer.speak('a', 'A sentence that is not spoken to its end. ');
      const closing = synthesizer.close();
      const before = events.length;
      await Promise.all([closing, synthesizer.close()]);
      synthesizer.speak('b', 'Too late. ');
      synthesizer.end('b');
      synthesizer.cancel('a');
      const later: SynthesizerEvent[] = [];
      const other = subject.create((event) => later.push(event), patientClock);
      await other.open();
      other.speak('c', 'And this is. ');
      other.end('c');
      await until(() => later.some((event) => event.type === 'done'));
      await other.close();
      expect(events.length).toBe(before);
    });

    test('rejects open with the reason when the provider cannot be reached', async () => {
      const lostEvents: SynthesizerEvent[] = [];
      const unreachable = subject.createUnreachable((event) => lostEvents.push(event));
      unreachable.speak('a', 'Nobody there. ');
      const error = await unreachable.open().catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(ProviderError);
      expect((error as ProviderError).kind).toBe('unavailable');
      expect(lostEvents.filter((event) => event.contextId === null)).toEqual([]);
      await unreachable.close();
    });

    test('can be closed before it was opened', async () => {
      const unopened = subject.create(() => {}, patientClock);
      await unopened.close();
      await expect(unopened.open()).rejects.toBeInstanceOf(ProviderError);
    });

    test('speaks after many cancelled contexts', async () => {
      await synthesizer.open();
      for (let i = 0; i < 8; i++) {
        synthesizer.speak(`cut-${i}`, 'One more sentence that is cancelled at its first audio. ');
        await until(() => bytes(`cut-${i}`) > 0);
        synthesizer.cancel(`cut-${i}`);
      }
      synthesizer.speak('kept', 'And this one is not. ');
      synthesizer.end('kept');
      await until(ended('kept'));
      expect(events.filter((event) => event.type === 'failed')).toEqual([]);
    });

    test('speaks text that comes late in a context', async () => {
      await synthesizer.open();
      synthesizer.speak('a', 'One moment. ');
      await until(() => bytes('a') > 0);
      await pause(300);
      const before = bytes('a');
      synthesizer.speak('a', 'Here it is. ');
      synthesizer.end('a');
      await until(ended('a'));
      expect(bytes('a')).toBeGreaterThan(before);
      expect(events.filter((event) => event.type === 'failed')).toEqual([]);
    });

    test('speaks one context while another is cancelled', async () => {
      await synthesizer.open();
      synthesizer.speak('a', 'This is what is being said to the caller right now. ');
      synthesizer.speak('other', 'This might have been said next. ');
      await until(() => bytes('a') > 0);
      synthesizer.cancel('other');
      synthesizer.end('a');
      await until(ended('a'));
      expect(bytes('a')).toBeGreaterThan(synthesizer.output.sample_rate * bytesPerSample(synthesizer.output));
    });

    test('ends a context whose text has all been spoken', async () => {
      await synthesizer.open();
      synthesizer.speak('a', 'Yes. ');
      await until(() => bytes('a') > 0);
      await pause(600);
      synthesizer.end('a');
      await until(ended('a'));
      expect(of('a').filter((event) => event.type === 'failed')).toEqual([]);
    });
  });
}
