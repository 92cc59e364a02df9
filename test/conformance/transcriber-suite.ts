import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ProviderError } from '../../media/provider/provider-error.ts';
import type { Transcriber, TranscriberEvent, TranscriberListener } from '../../media/stt/transcriber.ts';
import { pause, until } from '../support/until.ts';

/** What the suite needs of a transcriber: one that works, speech for it, and one that cannot be reached. */
export interface TranscriberUnderTest {
  create(listener: TranscriberListener): Transcriber;
  /** A transcriber whose `open` must fail. */
  createUnreachable(listener: TranscriberListener): Transcriber;
  /** One utterance with the silence after it, in 20 ms frames of the transcriber's input format. */
  speech(): readonly Uint8Array[];
  /** What is said in it; at least one of these words is heard. */
  words: readonly string[];
  /** What the provider had to object to in our side of the protocol. */
  violations?(): readonly string[];
  close(): Promise<void>;
}

/** The rules of `media/stt/transcriber.ts`, kept by every transcriber. */
export function transcriberConformance(name: string, setUp: () => Promise<TranscriberUnderTest>): void {
  describe(`transcriber: ${name}`, () => {
    let under: TranscriberUnderTest;
    let events: TranscriberEvent[];
    let transcriber: Transcriber;

    beforeEach(async () => {
      under = await setUp();
      events = [];
      transcriber = under.create((event) => events.push(event));
    });
    afterEach(async () => {
      await transcriber.close();
      await under.close();
      expect(under.violations?.() ?? []).toEqual([]);
    });

    function say(): void {
      for (const frame of under.speech()) transcriber.audio(frame);
      transcriber.finalize();
    }
    const lastWord = () => events.some((event) => event.type === 'turn_ended' || event.type === 'final');

    test('hears an utterance, in the right order of events', async () => {
      await transcriber.open();
      say();
      await until(lastWord);
      const told = events.filter((event) => event.type !== 'failed');
      const text = told.findLast((event) => event.type === 'turn_ended' || event.type === 'final')!.text.toLowerCase();
      expect(under.words.some((word) => text.includes(word))).toBe(true);
      expect(told.every((event) => event.turn === 0)).toBe(true);
      if (transcriber.decidesTurns) {
        expect(told[0]!.type).toBe('turn_started');
        expect(told.at(-1)!.type).toBe('turn_ended');
        expect(told.filter((event) => event.type === 'turn_started')).toHaveLength(1);
        expect(told.some((event) => event.type === 'final')).toBe(false);
      } else {
        expect(told.every((event) => event.type === 'partial' || event.type === 'final')).toBe(true);
      }
    });

    test('keeps what is said while it connects', async () => {
      const opening = transcriber.open();
      say();
      await opening;
      await until(lastWord);
      expect(lastWord()).toBe(true);
    });

    test('does not keep the bytes it was given', async () => {
      await transcriber.open();
      const buffer = new Uint8Array(under.speech()[0]!.length);
      for (const frame of under.speech()) {
        buffer.set(frame);
        transcriber.audio(buffer.subarray(0, frame.length));
        buffer.fill(0);
      }
      transcriber.finalize();
      await until(lastWord);
    });

    test('takes empty chunks, and finalize without speech', async () => {
      await transcriber.open();
      transcriber.audio(new Uint8Array(0));
      transcriber.finalize();
      transcriber.finalize();
      say();
      await until(lastWord);
      expect(events.filter((event) => event.type === 'failed')).toEqual([]);
    });

    test('tells nothing after it was closed, twice if need be', async () => {
      await transcriber.open();
      say();
      const closing = transcriber.close();
      const before = events.length;
      await Promise.all([closing, transcriber.close()]);
      say();
      await pause(80);
      expect(events.length).toBe(before);
    });

    test('refuses to open with the reason when its provider cannot be reached', async () => {
      const lost: TranscriberEvent[] = [];
      const unreachable = under.createUnreachable((event) => lost.push(event));
      for (const frame of under.speech()) unreachable.audio(frame);
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
