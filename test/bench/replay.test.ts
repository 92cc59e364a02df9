import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readCapture } from '../../bench/replay/read-capture.ts';
import { differences, timelineOf } from '../../bench/replay/timeline.ts';
import { replay } from '../../bench/replay/virtual.ts';
import { loadOpus } from '../../media/audio/opus.ts';
import type { CaptureEntry } from '../../shared/capture.ts';
import { redactContent } from '../../shared/capture-redaction.ts';

const fixture = (name: string) =>
  readCapture(fileURLToPath(new URL(`../../fixtures/captures/${name}.capture.gz`, import.meta.url)));

/** With a tool, an interruption and a synthesizer that fell silent: `bench/replay/record.ts`. */
const booking = await fixture('booking');
/** From a real browser, with a tool, an interruption, keys, and a microphone that is muted for a while: `bench/replay/record-browser.ts`. */
const browser = await fixture('browser');
/** With a speech-to-speech model, a tool and an interruption: `bench/replay/record-realtime.ts`. */
const realtime = await fixture('realtime');
const opus = loadOpus();
if ('unavailableReason' in opus)
  console.warn(`captures of browsers are replayed without audio: ${opus.unavailableReason}`);

describe.each([
  { name: 'a telephone call', capture: booking, holds: ['interrupted', 'fallback.used', 'tool.result'] },
  { name: 'a call from a browser', capture: browser, holds: ['interrupted', 'call.dtmf', 'tool.result'] },
  {
    name: 'a call with a speech-to-speech model',
    capture: realtime,
    holds: ['interrupted', 'tool.result', 'user.turn'],
  },
])('the capture of $name', ({ capture, holds }) => {
  const captured = timelineOf(capture);
  const vadModes =
    capture === browser && 'unavailableReason' in opus ? (['captured'] as const) : (['rerun', 'captured'] as const);

  it('holds the events it was made for', () => {
    expect(captured.map(({ type }) => type)).toEqual(expect.arrayContaining(holds));
    const kinds = new Set(capture.entries.map(({ k }) => k));
    if (capture === browser)
      for (const kind of ['packet', 'mute', 'connection_report', 'ended'] as const) expect(kinds).toContain(kind);
  });

  it('gives the same timeline to the byte in every replay', async () => {
    for (const vadMode of vadModes) {
      const [first, second] = await Promise.all([replay(capture, { vad: vadMode }), replay(capture, { vad: vadMode })]);
      expect(JSON.stringify(second.events)).toBe(JSON.stringify(first.events));
      expect(first.missing).toEqual([]);
      expect(first.truncated).toBeNull();
    }
  });

  it('gives the timeline of the call, with captured and with recomputed voice activity', async () => {
    for (const vadMode of vadModes) {
      const { events } = await replay(capture, { vad: vadMode });
      expect(differences(captured, events)).toEqual([]);
    }
  });

  it('can be replayed when redacted, and holds no words then', async () => {
    const head = redactContent(capture.head);
    const entries = capture.entries.flatMap((entry) => (redactContent(entry) as CaptureEntry | null) ?? []);
    const text = JSON.stringify([head, entries]);
    for (const word of ['window', 'tomorrow', 'restaurant', 'Certainly', 'secret-of-the-tool', '"audio":"A']) {
      expect(text.includes(word), word).toBe(false);
    }
    const [first, second] = [await replay({ head, entries }), await replay({ head, entries })];
    expect(JSON.stringify(second.events)).toBe(JSON.stringify(first.events));
    // The ends of this one's turns, and what interrupts, are told from the words.
    if (capture === realtime) return;
    expect(first.events.map(({ type }) => type)).toEqual(captured.map(({ type }) => type));
    for (const [index, { t }] of first.events.entries()) expect(Math.abs(t - captured[index]!.t)).toBeLessThan(100);
  });
});

describe('a replay', () => {
  it('lists the differences line by line', async () => {
    const captured = timelineOf(booking);
    const later = captured.map((event) => (event.type === 'interrupted' ? { ...event, t: event.t + 500 } : event));
    expect(differences(captured, later).map((line) => line[0])).toEqual(['-', '+', '-', '+']);
  });

  it('rejects a file that is no capture', async () => {
    await expect(readCapture(fileURLToPath(import.meta.url))).rejects.toThrow('line 0');
  });
});
