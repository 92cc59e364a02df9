import type { SampleRange } from '../../fixtures/speech.ts';

/** Where in a recording somebody speaks, and which words: what a transcriber would know. Pure. */

/** A word with its range of samples. */
export interface TimedWord extends SampleRange {
  word: string;
}

const FRAME_SAMPLES = 80;
/** A frame of 10 ms is speech when it is within 24 dB of the recording's loud frames (95th percentile) … */
const SPEECH_SHARE = 0.06;
const LOUD_PERCENTILE = 0.95;
/** … and above this RMS of 16-bit samples. */
const MIN_RMS = 40;
/** A shorter silence is a consonant, a shorter sound a click. */
const MIN_PAUSE_FRAMES = 20;
const MIN_SPEECH_FRAMES = 6;

/** The ranges of speech, with at least 200 ms between them. */
export function speechRanges(samples: Int16Array): SampleRange[] {
  const levels = Array.from({ length: Math.floor(samples.length / FRAME_SAMPLES) }, (_, frame) =>
    rms(samples.subarray(frame * FRAME_SAMPLES, (frame + 1) * FRAME_SAMPLES)),
  );
  const loud = levels.toSorted((a, b) => a - b)[Math.floor(levels.length * LOUD_PERCENTILE)] ?? 0;
  const threshold = Math.max(loud * SPEECH_SHARE, MIN_RMS);
  const frames: SampleRange[] = [];
  for (const [frame, level] of levels.entries()) {
    if (level <= threshold) continue;
    const last = frames.at(-1);
    if (last && frame - last.end < MIN_PAUSE_FRAMES) last.end = frame + 1;
    else frames.push({ start: frame, end: frame + 1 });
  }
  return frames
    .filter(({ start, end }) => end - start >= MIN_SPEECH_FRAMES)
    .map(({ start, end }) => ({ start: start * FRAME_SAMPLES, end: end * FRAME_SAMPLES }));
}

function rms(samples: Int16Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return Math.sqrt(sum / samples.length);
}

/** What it costs to put a pause after a word: least after a sentence. */
const BREAK_COST = { sentence: 0, clause: 0.3, none: 1 };
const SHARE_COST = 4;

/**
 * Puts the words of a text into the ranges of speech: as many characters in each as it is long, where possible with a sentence
 * or a clause ending at a pause.
 */
export function placeWords(text: string, speech: readonly SampleRange[]): TimedWord[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  if (words.length === 0 || speech.length === 0) return [];
  // With fewer words than ranges the last ranges stay empty.
  const ranges = speech.slice(0, words.length);
  const ends = bestEnds(words, ranges);
  return ranges.flatMap((range, index) => spread(words.slice(ends[index - 1] ?? 0, ends[index]), range));
}

/** For each range, which word follows its last: dynamic programming over the cost of every break. */
function bestEnds(words: readonly string[], ranges: readonly SampleRange[]): number[] {
  const characters = words.map((word) => word.length + 1);
  const allCharacters = characters.reduce((sum, count) => sum + count, 0);
  const allSamples = ranges.reduce((sum, { start, end }) => sum + end - start, 0);
  /** By range and its end: the least cost so far, and the end of the range before. */
  let costs = new Map<number, { cost: number; ends: number[] }>([[0, { cost: 0, ends: [] }]]);
  for (const [index, { start, end }] of ranges.entries()) {
    const share = (end - start) / allSamples;
    const next = new Map<number, { cost: number; ends: number[] }>();
    for (const [from, { cost, ends }] of costs) {
      const last = words.length - (ranges.length - 1 - index);
      let count = 0;
      for (let to = from + 1; to <= last; to++) {
        count += characters[to - 1]!;
        if (index === ranges.length - 1 && to < last) continue;
        const off = (count / allCharacters - share) * ranges.length;
        const total = cost + SHARE_COST * off * off + (to === words.length ? 0 : breakCost(words[to - 1]!));
        const known = next.get(to);
        if (!known || total < known.cost) next.set(to, { cost: total, ends: [...ends, to] });
      }
    }
    costs = next;
  }
  return costs.get(words.length)!.ends;
}

function breakCost(word: string): number {
  if (/[.?!:]["')]?$/.test(word)) return BREAK_COST.sentence;
  return /[,;]$/.test(word) ? BREAK_COST.clause : BREAK_COST.none;
}

function spread(words: readonly string[], { start, end }: SampleRange): TimedWord[] {
  const all = words.reduce((sum, word) => sum + word.length + 1, 0);
  let before = 0;
  return words.map((word) => {
    const from = start + ((end - start) * before) / all;
    before += word.length + 1;
    return { word, start: Math.round(from), end: Math.round(start + ((end - start) * before) / all) };
  });
}
