import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ProviderError } from '../../media/provider/provider-error.ts';
import type { Transcriber, TranscriberEvent, TranscriberListener } from '../../media/stt/transcriber.ts';
import { type Clock, systemClock } from '../../shared/clock.ts';
import { pause, until } from '../support/until.ts';
import { createVirtualClock, type VirtualClock } from '../support/virtual-clock.ts';

/** What the suite can make a simulated provider do. */
export interface ProviderFaults {
  /** New connections are refused in the provider's own way. */
  refuse(kind: 'auth' | 'capacity'): void;
  /** New connections get no answer. */
  hang(): void;
  /** It says nothing any more. */
  silence(): void;
  /** All its connections break. */
  cut(): void;
  /** It says this to everyone who is connected. */
  say(raw: string | Buffer): void;
}

/** What the suite needs of a transcriber: one that works, speech for it, and one that cannot be reached. */
export interface TranscriberUnderTest {
  /** Each one hears the same words, as often as they are said. */
  create(listener: TranscriberListener): Transcriber;
  /** A transcriber whose `open` must fail. */
  createUnreachable(listener: TranscriberListener): Transcriber;
  /** One utterance with the silence after it, in 20 ms frames of the transcriber's input format. */
  speech(): readonly Uint8Array[];
  /** What is said in it; at least one of these words is heard. */
  words: readonly string[];
  /** What the provider had to object to in our side of the protocol. */
  violations?(): readonly string[];
  /** Connections or processes that are alive. */
  live(): number;
  /** Of those with a connection. */
  faults?: ProviderFaults;
  close(): Promise<void>;
}

/** Lets whatever is on the way arrive, however busy the machine is: loopback delivers within a turn of the event loop. */
async function arrive(): Promise<void> {
  for (let round = 0; round < 30; round++) await new Promise((resolve) => setImmediate(resolve));
  await pause(2);
}

export interface TranscriberKind {
  /** Who finds the ends of turns: the provider, or we, asking for final words. */
  turnDetection: 'decided' | 'asked';
  /** What it is reached through. */
  through: 'connection' | 'process';
}

/** The rules of `media/stt/transcriber.ts`, kept by every transcriber. */
export function transcriberConformance(
  name: string,
  kind: TranscriberKind,
  setUp: (clock: Clock) => Promise<TranscriberUnderTest>,
): void {
  const connects = kind.through === 'connection';
  describe(`transcriber: ${name}`, () => {
    let under: TranscriberUnderTest;
    let events: TranscriberEvent[];
    let transcriber: Transcriber;

    beforeEach(async () => {
      await begin(systemClock);
    });
    afterEach(async () => {
      await transcriber.close();
      await under.close();
      expect(under.violations?.() ?? []).toEqual([]);
    });

    async function begin(clock: Clock): Promise<void> {
      under = await setUp(clock);
      events = [];
      transcriber = under.create((event) => events.push(event));
    }

    function say(to = transcriber): void {
      for (const frame of under.speech()) to.audio(frame);
      to.finalize();
    }
    const isLast = (event: TranscriberEvent) => event.type === 'turn_ended' || event.type === 'final';
    const lastWord = () => events.some(isLast);
    const finals = (of = events) => of.filter((event) => event.type === 'final');
    const failures = () => events.filter((event) => event.type === 'failed');
    const hearsWords = (of: TranscriberEvent[]) =>
      of.some((event) => isLast(event) && 'text' in event && mentions(event.text));
    const mentions = (text: string) => under.words.some((word) => text.toLowerCase().includes(word));

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
      expect(failures()).toEqual([]);
    });

    test.runIf(kind.turnDetection === 'asked')('answers every finalize exactly once, in order', async () => {
      await transcriber.open();
      transcriber.finalize();
      await until(() => finals().length === 1);
      say();
      await until(() => finals().length === 2);
      say();
      transcriber.finalize();
      await until(() => finals().length === 4);
      await pause(200);
      const told = finals().map((event) => ({ turn: event.turn, words: mentions(event.text) }));
      expect(told.map(({ turn }) => turn)).toEqual([0, 1, 2, 3]);
      expect(told.map(({ words }) => words)).toEqual([false, true, true, false]);
      expect(failures()).toEqual([]);
    });

    test('takes sound in pieces of any size', async () => {
      await transcriber.open();
      const sound = Buffer.concat([...under.speech()]);
      const sizes = [1, 14, 1_601, 323, 160];
      for (let at = 0, turn = 0; at < sound.length; turn++) {
        const size = sizes[turn % sizes.length]!;
        transcriber.audio(sound.subarray(at, at + size));
        at += size;
      }
      transcriber.finalize();
      await until(() => hearsWords(events));
      expect(failures()).toEqual([]);
    });

    test('two at once hear their own, and one goes on when the other is closed', async () => {
      const others: TranscriberEvent[] = [];
      const other = under.create((event) => others.push(event));
      await Promise.all([transcriber.open(), other.open()]);
      say(other);
      await until(() => hearsWords(others));
      expect(events).toEqual([]);
      await other.close();
      const told = others.length;
      say();
      await until(() => hearsWords(events));
      expect(others).toHaveLength(told);
    });

    test('leaves nothing behind when it is closed', async () => {
      await transcriber.open();
      say();
      await until(() => under.live() > 0);
      await transcriber.close();
      await until(() => under.live() === 0);
    });

    test.runIf(connects)('does not mind what it does not know', async () => {
      await transcriber.open();
      const later = { type: 'NewThing', event: 'new.thing', value: 1 };
      for (const odd of ['', 'nonsense', 'null', '[1]', '"text"', '{}', JSON.stringify(later), Buffer.from([0, 1])]) {
        under.faults!.say(odd);
      }
      say();
      await until(() => hearsWords(events));
      expect(failures()).toEqual([]);
    });

    test.runIf(connects)('a connection that breaks is told once, and the next one hears', async () => {
      await transcriber.open();
      for (const frame of under.speech().slice(0, 10)) transcriber.audio(frame);
      await until(() => under.live() === 1);
      under.faults!.cut();
      await until(() => failures().length === 1);
      expect(failures()[0]).toMatchObject({ error: { kind: 'unavailable', provider: transcriber.provider } });
      const before = events.length;
      say();
      const again: TranscriberEvent[] = [];
      const next = under.create((event) => again.push(event));
      await next.open();
      say(next);
      await until(() => hearsWords(again));
      await next.close();
      expect(events).toHaveLength(before);
    });

    for (const reason of ['auth', 'capacity'] as const) {
      test.runIf(connects)(`a refusal for ${reason} is told as such`, async () => {
        under.faults!.refuse(reason);
        const error = await transcriber.open().catch((caught: unknown) => caught);
        expect(error).toMatchObject({ name: 'ProviderError', kind: reason, provider: transcriber.provider });
        expect(events).toEqual([]);
      });
    }

    test.runIf(connects && kind.turnDetection === 'asked')(
      'a silent provider is found out when words are asked for',
      async () => {
        await transcriber.open();
        // Some words are known before, as in the middle of a sentence.
        const sound = under.speech();
        for (const frame of sound.slice(0, 40)) transcriber.audio(frame);
        await until(() => events.length > 0);
        under.faults!.silence();
        await arrive();
        for (const frame of sound) transcriber.audio(frame);
        transcriber.finalize();
        for (const frame of sound.slice(-50)) transcriber.audio(frame);
        await until(() => failures().length === 1);
        expect(failures()[0]).toMatchObject({ error: { kind: 'timeout', provider: transcriber.provider } });
      },
    );

    /** The same again, on a clock that moves when told. */
    async function onVirtualClock(): Promise<VirtualClock> {
      const clock = createVirtualClock();
      await transcriber.close();
      await under.close();
      await begin(clock);
      return clock;
    }

    test.runIf(connects)('gives up a provider that does not answer', async () => {
      const clock = await onVirtualClock();
      under.faults!.hang();
      const opening = transcriber.open().catch((caught: unknown) => caught);
      await clock.advance(5_000);
      expect(await opening).toMatchObject({ name: 'ProviderError', kind: 'timeout' });
      expect(events).toEqual([]);
    });

    test.runIf(connects)('outlives two minutes without a sound, and hears after them', async () => {
      const clock = await onVirtualClock();
      await transcriber.open();
      for (let passedMs = 0; passedMs < 120_000; passedMs += 1_000) {
        await clock.advance(1_000);
        await arrive();
      }
      expect(events).toEqual([]);
      say();
      for (let round = 0; round < 100 && !hearsWords(events); round++) {
        await arrive();
        await clock.advance(10);
      }
      expect(hearsWords(events)).toBe(true);
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
