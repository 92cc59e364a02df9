import { describe, expect, test } from 'vitest';
import { count } from '../../bench/pauses/count-cuts.ts';
import { stallStartMs } from '../../bench/pauses/received-audio.ts';
import { isSuitable, promptTexts, type Recording } from '../../bench/pauses/recordings.ts';
import { createSimulatedTranscriber, type TranscriberKind } from '../../bench/pauses/simulated-transcriber.ts';
import { placeWords, speechRanges } from '../../bench/pauses/speech-text.ts';
import { loadSpeech } from '../../fixtures/speech.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

const MS = 8;
const range = (startMs: number, endMs: number) => ({ start: startMs * MS, end: endMs * MS });
const textIn = (words: ReturnType<typeof placeWords>, { start, end }: { start: number; end: number }) =>
  words
    .filter((word) => word.start >= start && word.end <= end)
    .map(({ word }) => word)
    .join(' ');

describe('ranges of speech', () => {
  test('are those of the annotation, within 80 ms', () => {
    for (const name of ['booking-request', 'phone-number', 'mailbox-greeting']) {
      const { samples, speech } = loadSpeech(name);
      const found = speechRanges(samples);
      expect(found).toHaveLength(speech.length);
      for (const [index, { start, end }] of found.entries()) {
        expect(Math.abs(start - speech[index]!.start)).toBeLessThanOrEqual(80 * MS);
        expect(Math.abs(end - speech[index]!.end)).toBeLessThanOrEqual(80 * MS);
      }
    }
  });

  test('silence has none', () => {
    expect(speechRanges(new Int16Array(8_000))).toEqual([]);
  });
});

describe('words', () => {
  test('stand in the ranges of speech by their length', () => {
    const ranges = [range(0, 500), range(800, 1_800)];
    const words = placeWords('one two three four five six', ranges);
    expect(ranges.map((each) => textIn(words, each))).toEqual(['one two', 'three four five six']);
  });

  test('a sentence rather ends at a pause than elsewhere', () => {
    const ranges = [range(0, 1_000), range(1_400, 2_600)];
    const words = placeWords('That is not valid. Please try it once more now', ranges);
    expect(textIn(words, ranges[0]!)).toBe('That is not valid.');
  });

  test('fewer words than ranges stand in the first ones', () => {
    expect(placeWords('yes', [range(0, 200), range(500, 700)])).toEqual([{ word: 'yes', ...range(0, 200) }]);
  });

  test('are read from the list of prompts, where there are any', () => {
    const list = '; Sounds\n\nbeep: [a tone]\nvm-next: Press 6 to\ndictate/pause: ...is paused.\n';
    expect([...promptTexts(list)]).toEqual([
      ['vm-next', 'Press 6 to'],
      ['dictate/pause', 'is paused.'],
    ]);
  });
});

test('recordings are used by their longest pause', () => {
  const suits = (...pausesMs: number[]) =>
    isSuitable({
      name: '',
      samples: new Int16Array(8_000),
      speech: [],
      words: placeWords('one two three', [range(0, 900)]),
      pausesMs,
    });
  expect([suits(), suits(240), suits(220, 250), suits(1_200), suits(300, 1_210)]).toEqual([
    false,
    false,
    true,
    true,
    false,
  ]);
});

test('a stall begins in the longest pause, in the longest speech, or after the end', () => {
  const speech = [range(100, 400), range(700, 1_700), range(2_200, 2_400)];
  const starts = (['pause', 'speech', 'end'] as const).map((place) => stallStartMs({ speech }, place));
  expect(starts).toEqual([1_920, 1_200, 2_400]);
});

test('cuts and delays are counted apart', () => {
  const played = [100, 200, 300, 400, null].map((delayMs, index) => ({
    name: `r${index}`,
    cut: delayMs === null,
    delayMs,
  }));
  expect(count(played)).toEqual({ cuts: 1, of: 5, delay_ms: { p50: 200, p90: 400 }, cut_recordings: ['r4'] });
});

describe('the simulated transcriber', () => {
  const recording: Pick<Recording, 'words' | 'speech'> = {
    speech: [range(0, 1_000), range(1_500, 2_000)],
    words: placeWords('Good evening, I would like a table.', [range(0, 1_000), range(1_500, 2_000)]),
  };

  async function heard(kind: TranscriberKind, finalizeAtMs?: number): Promise<string[]> {
    const clock = createVirtualClock();
    const events: string[] = [];
    const transcriber = createSimulatedTranscriber({
      ...{ kind, recording, endpointingMs: 300, clock },
      emit: ({ type, text }) => events.push(`${clock.now()} ${type} ${text}`),
    });
    for (let ms = 20; ms <= 3_000; ms += 20) {
      await clock.advance(20);
      transcriber.audio(ms * MS);
      if (ms === finalizeAtMs) transcriber.finalize();
    }
    return events.filter((event) => !event.includes('partial'));
  }

  test('finds a pause in its audio', async () => {
    expect(await heard('general')).toEqual(['1420 final Good evening, I would', '2420 final like a table.']);
  });

  test('of the kind `stops` ends every final with a full stop', async () => {
    expect((await heard('stops'))[0]).toBe('1420 final Good evening, I would.');
  });

  test('without partials it only answers', async () => {
    expect(await heard('plain')).toEqual([]);
    expect(await heard('plain', 2_300)).toEqual(['2600 final good evening i would like a table']);
  });

  test('that decides turns ends one after a finished sentence sooner than in it', async () => {
    const events = await heard('turns');
    expect(events.at(-1)).toBe('2520 turn_ended Good evening, I would like a table.');
  });
});
