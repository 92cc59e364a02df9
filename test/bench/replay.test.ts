import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { entriesOf, readTape } from '../../bench/replay/read-tape.ts';
import { differences } from '../../bench/replay/timeline.ts';
import { replay } from '../../bench/replay/virtual.ts';
import { type TapeEntry, withoutWords } from '../../shared/tape.ts';

/** A call with a tool, an interruption and a voice that fell silent: `bench/replay/record.ts`. */
const TAPE = fileURLToPath(new URL('../../fixtures/tapes/booking.tape.gz', import.meta.url));

const tape = await readTape(TAPE);
const then = entriesOf(tape, 'told').map(({ k: _k, ...event }) => event);

describe('a tape', () => {
  it('holds an interruption, a fallback and a tool call', () => {
    expect(then.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['interrupted', 'fallback.used', 'tool.result']),
    );
  });

  it('gives the same timeline to the byte, whenever it is played', async () => {
    const [first, second] = await Promise.all([replay(tape), replay(tape)]);
    expect(JSON.stringify(second.told)).toBe(JSON.stringify(first.told));
    expect(first.missing).toEqual([]);
  });

  it('gives the timeline of the call, by voice activity of today as of then', async () => {
    for (const hearing of ['again', 'taped'] as const) {
      const { told } = await replay(tape, { hearing });
      expect(differences(then, told)).toEqual([]);
    }
  });

  it('plays without its words too, and holds none of them', async () => {
    const head = withoutWords(tape.head)! as typeof tape.head;
    const entries = tape.entries.flatMap((entry) => (withoutWords(entry) as TapeEntry | null) ?? []);
    const text = JSON.stringify([head, entries]);
    for (const word of ['window', 'tomorrow', 'restaurant', 'Certainly', 'secret-of-the-tool']) {
      expect(text.includes(word), word).toBe(false);
    }
    const { told } = await replay({ head, entries });
    expect(told.map(({ type }) => type)).toEqual(then.map(({ type }) => type));
  });

  it('tells what today would be different, line by line', async () => {
    const later = then.map((event) => (event.type === 'interrupted' ? { ...event, t: event.t + 500 } : event));
    expect(differences(then, later).map((line) => line[0])).toEqual(['-', '+', '-', '+']);
  });

  it('that is none is told in words', async () => {
    await expect(readTape(fileURLToPath(import.meta.url))).rejects.toThrow('is no tape, line 0');
  });
});
