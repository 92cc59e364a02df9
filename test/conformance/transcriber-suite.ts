import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SIMULATOR_SEED } from '../../fixtures/simulators/draws.ts';
import { ProviderError } from '../../media/provider/provider-error.ts';
import type { Transcriber, TranscriberEvent, TranscriberListener } from '../../media/stt/transcriber.ts';
import { type Clock, systemClock } from '../../shared/clock.ts';
import { patientClock } from '../support/patient-clock.ts';
import { pause, until } from '../support/until.ts';
import { createVirtualClock, type VirtualClock } from '../support/virtual-clock.ts';

/** Faults of a simulated provider. */
export interface ProviderFaults {
  /** Refuses new connections the way the provider does. */
  refuse(kind: 'auth' | 'capacity'): void;
  /** Does not respond to new connections. */
  hang(): void;
  /** Sends nothing any more. */
  silence(): void;
  /** Breaks all connections. */
  disconnect(): void;
  /** Sends this on every connection. */
  send(raw: string | Buffer): void;
}

/** What the suite needs: a transcriber that works, one that cannot connect, and speech. */
export interface TranscriberUnderTest {
  /** Every transcriber recognizes the same words, whenever they are spoken. */
  create(listener: TranscriberListener): Transcriber;
  /** A transcriber whose `open` must fail. */
  createUnreachable(listener: TranscriberListener): Transcriber;
  /** One utterance with the silence after it, in 20 ms frames of the transcriber's input format. */
  speech(): readonly Uint8Array[];
  /** Words in it; at least one of them is recognized. */
  words: readonly string[];
  /** Protocol violations that the provider found. */
  violations?(): readonly string[];
  /** Number of open connections or running processes. */
  live(): number;
  /** Only with `through: 'connection'`. */
  faults?: ProviderFaults;
  close(): Promise<void>;
}

/** Waits for messages that were sent: loopback delivers within a turn of the event loop, on a busy machine too. */
async function arrive(): Promise<void> {
  for (let round = 0; round < 30; round++) await new Promise((resolve) => setImmediate(resolve));
  await pause(2);
}

export interface TranscriberKind {
  /** Turns are ended by the provider, or by us with `finalize`. */
  turnDetection: 'provider' | 'finalize';
  through: 'connection' | 'process';
}

/** Tests the rules of `media/stt/transcriber.ts`, which every transcriber keeps. */
export function transcriberConformance(
  name: string,
  kind: TranscriberKind,
  setUp: (clock: Clock) => Promise<TranscriberUnderTest>,
): void {
  const connects = kind.through === 'connection';
  describe(`transcriber: ${name}, SIMULATOR_SEED=${SIMULATOR_SEED}`, () => {
    let subject: TranscriberUnderTest;
    let events: TranscriberEvent[];
    let transcriber: Transcriber;

    beforeEach(async () => {
      await begin(patientClock);
    });
    afterEach(async () => {
      await transcriber.close();
      await subject.close();
      expect(subject.violations?.() ?? []).toEqual([]);
    });

    async function begin(clock: Clock): Promise<void> {
      subject = await setUp(clock);
      events = [];
      transcriber = subject.create((event) => events.push(event));
    }

    /** Starts again on another clock. */
    async function restart(clock: Clock): Promise<void> {
      await transcriber.close();
      await subject.close();
      await begin(clock);
    }
    async function onVirtualClock(): Promise<VirtualClock> {
      const clock = createVirtualClock();
      await restart(clock);
      return clock;
    }

    function speak(to = transcriber): void {
      for (const frame of subject.speech()) to.audio(frame);
      to.finalize();
    }
    const isLast = (event: TranscriberEvent) => event.type === 'turn_ended' || event.type === 'final';
    const hasEnded = () => events.some(isLast);
    const finals = (of = events) => of.filter((event) => event.type === 'final');
    const failures = () => events.filter((event) => event.type === 'failed');
    const recognizesWords = (of: TranscriberEvent[]) =>
      of.some((event) => isLast(event) && 'text' in event && mentions(event.text));
    const mentions = (text: string) => subject.words.some((word) => text.toLowerCase().includes(word));

    test('transcribes an utterance, with its events in order', async () => {
      await transcriber.open();
      speak();
      await until(hasEnded);
      const emitted = events.filter((event) => event.type !== 'failed');
      const text = emitted
        .findLast((event) => event.type === 'turn_ended' || event.type === 'final')!
        .text.toLowerCase();
      expect(subject.words.some((word) => text.includes(word))).toBe(true);
      expect(emitted.every((event) => event.turn === 0)).toBe(true);
      if (transcriber.decidesTurns) {
        expect(emitted[0]!.type).toBe('turn_started');
        expect(emitted.at(-1)!.type).toBe('turn_ended');
        expect(emitted.filter((event) => event.type === 'turn_started')).toHaveLength(1);
        expect(emitted.some((event) => event.type === 'final')).toBe(false);
      } else {
        expect(emitted.every((event) => event.type === 'partial' || event.type === 'final')).toBe(true);
      }
    });

    test('keeps the audio that comes while it connects', async () => {
      const opening = transcriber.open();
      speak();
      await opening;
      await until(hasEnded);
      expect(hasEnded()).toBe(true);
    });

    test('does not keep the bytes it was given', async () => {
      await transcriber.open();
      const buffer = new Uint8Array(subject.speech()[0]!.length);
      for (const frame of subject.speech()) {
        buffer.set(frame);
        transcriber.audio(buffer.subarray(0, frame.length));
        buffer.fill(0);
      }
      transcriber.finalize();
      await until(hasEnded);
    });

    test('accepts empty chunks, and finalize without speech', async () => {
      await transcriber.open();
      transcriber.audio(new Uint8Array(0));
      transcriber.finalize();
      transcriber.finalize();
      speak();
      await until(hasEnded);
      expect(failures()).toEqual([]);
    });

    test.runIf(kind.turnDetection === 'finalize')(
      'sends exactly one final transcript for each finalize, in order',
      async () => {
        // A provider with nothing to say answers nothing: time passes, but no faster than messages arrive.
        const clock = connects ? await onVirtualClock() : null;
        const someFinals = async (count: number) => {
          while (finals().length < count) {
            await arrive();
            await clock?.advance(10);
          }
        };
        await transcriber.open();
        transcriber.finalize();
        await someFinals(1);
        speak();
        await someFinals(2);
        speak();
        transcriber.finalize();
        await someFinals(4);
        transcriber.finalize();
        await someFinals(5);
        const emitted = finals().map((event) => ({ turn: event.turn, words: mentions(event.text) }));
        expect(emitted.map(({ turn }) => turn)).toEqual([0, 1, 2, 3, 4]);
        expect(emitted.map(({ words }) => words)).toEqual([false, true, true, false, false]);
        expect(failures()).toEqual([]);
      },
    );

    test('accepts audio in chunks of any size', async () => {
      await transcriber.open();
      const audio = Buffer.concat([...subject.speech()]);
      const sizes = [1, 14, 1_601, 323, 160];
      for (let at = 0, turn = 0; at < audio.length; turn++) {
        const size = sizes[turn % sizes.length]!;
        transcriber.audio(audio.subarray(at, at + size));
        at += size;
      }
      transcriber.finalize();
      await until(() => recognizesWords(events));
      expect(failures()).toEqual([]);
    });

    test('two at once transcribe their own audio, and one goes on when the other is closed', async () => {
      const otherEvents: TranscriberEvent[] = [];
      const other = subject.create((event) => otherEvents.push(event));
      await Promise.all([transcriber.open(), other.open()]);
      speak(other);
      await until(() => recognizesWords(otherEvents));
      expect(events).toEqual([]);
      await other.close();
      const emitted = otherEvents.length;
      speak();
      await until(() => recognizesWords(events));
      expect(otherEvents).toHaveLength(emitted);
    });

    test('leaves no connection or process when it is closed', async () => {
      await transcriber.open();
      speak();
      await until(() => subject.live() > 0);
      await transcriber.close();
      await until(() => subject.live() === 0);
    });

    test.runIf(connects)('ignores messages that it does not know', async () => {
      await transcriber.open();
      const later = { type: 'NewThing', event: 'new.thing', value: 1 };
      for (const unknown of [
        '',
        'nonsense',
        'null',
        '[1]',
        '"text"',
        '{}',
        JSON.stringify(later),
        Buffer.from([0, 1]),
      ]) {
        subject.faults!.send(unknown);
      }
      speak();
      await until(() => recognizesWords(events));
      expect(failures()).toEqual([]);
    });

    test.runIf(connects)('reports a broken connection once, and another transcriber works', async () => {
      await transcriber.open();
      for (const frame of subject.speech().slice(0, 10)) transcriber.audio(frame);
      await until(() => subject.live() === 1);
      subject.faults!.disconnect();
      await until(() => failures().length === 1);
      expect(failures()[0]).toMatchObject({ error: { kind: 'unavailable', provider: transcriber.provider } });
      const before = events.length;
      speak();
      const again: TranscriberEvent[] = [];
      const next = subject.create((event) => again.push(event));
      await next.open();
      speak(next);
      await until(() => recognizesWords(again));
      await next.close();
      expect(events).toHaveLength(before);
    });

    for (const reason of ['auth', 'capacity'] as const) {
      test.runIf(connects)(`reports a refusal for ${reason}`, async () => {
        subject.faults!.refuse(reason);
        const error = await transcriber.open().catch((caught: unknown) => caught);
        expect(error).toMatchObject({ name: 'ProviderError', kind: reason, provider: transcriber.provider });
        expect(events).toEqual([]);
      });
    }

    test.runIf(connects && kind.turnDetection === 'finalize')('reports a silent provider after finalize', async () => {
      // Until the deadline.
      await restart(systemClock);
      await transcriber.open();
      // Some words are recognized before, as in the middle of a sentence.
      const audio = subject.speech();
      for (const frame of audio.slice(0, 40)) transcriber.audio(frame);
      await until(() => events.length > 0);
      subject.faults!.silence();
      await arrive();
      for (const frame of audio) transcriber.audio(frame);
      transcriber.finalize();
      for (const frame of audio.slice(-50)) transcriber.audio(frame);
      await until(() => failures().length === 1);
      expect(failures()[0]).toMatchObject({ error: { kind: 'timeout', provider: transcriber.provider } });
    });

    test.runIf(connects)('times out when the provider does not respond', async () => {
      const clock = await onVirtualClock();
      subject.faults!.hang();
      const opening = transcriber.open().catch((caught: unknown) => caught);
      await clock.advance(5_000);
      expect(await opening).toMatchObject({ name: 'ProviderError', kind: 'timeout' });
      expect(events).toEqual([]);
    });

    test.runIf(connects)('works after two minutes without audio', async () => {
      const clock = await onVirtualClock();
      await transcriber.open();
      for (let passedMs = 0; passedMs < 120_000; passedMs += 1_000) {
        await clock.advance(1_000);
        await arrive();
      }
      expect(events).toEqual([]);
      speak();
      for (let round = 0; round < 100 && !recognizesWords(events); round++) {
        await arrive();
        await clock.advance(10);
      }
      expect(recognizesWords(events)).toBe(true);
    });

    test('emits nothing after it was closed, once or twice', async () => {
      await transcriber.open();
      speak();
      const closing = transcriber.close();
      const before = events.length;
      await Promise.all([closing, transcriber.close()]);
      speak();
      const later: TranscriberEvent[] = [];
      const other = subject.create((event) => later.push(event));
      await other.open();
      speak(other);
      await until(() => later.some(isLast));
      await other.close();
      expect(events.length).toBe(before);
    });

    test('rejects open with the reason when the provider cannot be reached', async () => {
      const lost: TranscriberEvent[] = [];
      const unreachable = subject.createUnreachable((event) => lost.push(event));
      for (const frame of subject.speech()) unreachable.audio(frame);
      const error = await unreachable.open().catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(ProviderError);
      expect((error as ProviderError).kind).toBe('unavailable');
      expect(lost).toEqual([]);
      await unreachable.close();
    });

    test('can be closed while it connects', async () => {
      const opening = transcriber.open().catch((caught: unknown) => caught);
      await transcriber.close();
      await opening;
      expect(events).toEqual([]);
    });
  });
}
