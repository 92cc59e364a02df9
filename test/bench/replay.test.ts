import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Capture, entriesOf, readCapture } from '../../bench/replay/read-capture.ts';
import { differences } from '../../bench/replay/timeline.ts';
import { replay } from '../../bench/replay/virtual.ts';
import { loadOpus } from '../../media/audio/opus.ts';
import type { CaptureEntry } from '../../shared/capture.ts';
import { redactContent } from '../../shared/capture-redaction.ts';

const tapeOf = (name: string) =>
  readCapture(fileURLToPath(new URL(`../../fixtures/tapes/${name}.tape.gz`, import.meta.url)));
const toldThen = (tape: Capture) => entriesOf(tape, 'told').map(({ k: _k, ...event }) => event);

/** A call with a tool, an interruption and a voice that fell silent, taped when tapes were of version 1: `bench/replay/record.ts`. */
const booking = await tapeOf('booking');
/** From a real browser, with a tool, an interruption, keys, and a microphone that is off for a while: `bench/replay/record-browser.ts`. */
const browser = await tapeOf('browser');
const opus = loadOpus();
if ('unavailableReason' in opus) console.warn(`a tape of a browser is not heard here: ${opus.unavailableReason}`);

describe.each([
  { name: 'a telephone call', tape: booking, version: 1, holds: ['interrupted', 'fallback.used', 'tool.result'] },
  { name: 'a call from a browser', tape: browser, version: 2, holds: ['interrupted', 'call.dtmf', 'tool.result'] },
])('the tape of $name', ({ tape, version, holds }) => {
  const then = toldThen(tape);
  const hearings = tape === browser && 'missing' in opus ? (['taped'] as const) : (['again', 'taped'] as const);

  it('holds what it was made for', () => {
    expect(tape.head.version).toBe(version);
    expect(then.map(({ type }) => type)).toEqual(expect.arrayContaining(holds));
    const kinds = new Set(tape.entries.map(({ k }) => k));
    if (tape === browser)
      for (const kind of ['packet', 'mute', 'reported', 'ended'] as const) expect(kinds).toContain(kind);
  });

  it('gives the same timeline to the byte, whenever it is played', async () => {
    for (const hearing of hearings) {
      const [first, second] = await Promise.all([replay(tape, { hearing }), replay(tape, { hearing })]);
      expect(JSON.stringify(second.events)).toBe(JSON.stringify(first.events));
      expect(first.missing).toEqual([]);
      expect(first.truncated).toBeNull();
    }
  });

  it('gives the timeline of the call, by voice activity of today as of then', async () => {
    for (const hearing of hearings) {
      const { events: told } = await replay(tape, { hearing });
      expect(differences(then, told)).toEqual([]);
    }
  });

  it('plays without its words too, and holds none of them', async () => {
    const head = redactContent(tape.head);
    const entries = tape.entries.flatMap((entry) => (redactContent(entry) as CaptureEntry | null) ?? []);
    const text = JSON.stringify([head, entries]);
    for (const word of ['window', 'tomorrow', 'restaurant', 'Certainly', 'secret-of-the-tool', '"sound":"A']) {
      expect(text.includes(word), word).toBe(false);
    }
    const [first, second] = [await replay({ head, entries }), await replay({ head, entries })];
    expect(JSON.stringify(second.events)).toBe(JSON.stringify(first.events));
    expect(first.events.map(({ type }) => type)).toEqual(then.map(({ type }) => type));
    const moments = (told: readonly { t: number }[]) => told.map(({ t }) => t);
    for (const [index, t] of moments(first.events).entries()) expect(Math.abs(t - then[index]!.t)).toBeLessThan(100);
  });
});

describe('a tape', () => {
  it('tells what today would be different, line by line', async () => {
    const then = toldThen(booking);
    const later = then.map((event) => (event.type === 'interrupted' ? { ...event, t: event.t + 500 } : event));
    expect(differences(then, later).map((line) => line[0])).toEqual(['-', '+', '-', '+']);
  });

  it('that is none is told in words', async () => {
    await expect(readCapture(fileURLToPath(import.meta.url))).rejects.toThrow('is no tape, line 0');
  });
});
