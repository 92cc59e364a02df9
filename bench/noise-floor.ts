import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadSpeech, type Speech, speechNames } from '../fixtures/speech.ts';
import { decodeMulaw, encodeMulaw } from '../media/audio/g711.ts';
import { loadSilero } from '../media/turn/silero.ts';
import { noSpeech, updateSpeech } from '../media/turn/speech-state.ts';
import { createVad } from '../media/turn/vad.ts';
import { createLogger } from '../shared/log.ts';
import { seededRandom } from '../test/support/seeded-random.ts';

/**
 * `node bench/noise-floor.ts`: measures the cost and the savings of skipping the VAD model for windows of line noise
 * (`media/turn/noise-floor.ts`). Every recording of speech, at several levels over several noises, as µ-law at 8 kHz, passes
 * voice activity detection with and without the skipping, at six offsets of the windows.
 *
 * - asked: share of windows that ran the model, in noise alone and in total.
 * - later: delay of the detected start of speech (p50, p95, max), milliseconds; earlier is negative.
 * - missed, gained: starts detected only with the model always run, or only without.
 * - lost: windows of speech (probability from 0.5 on) that got less than 0.35, of all of them.
 */

const LEVELS_DBFS = [-25, -40, -50];
const BEFORE = 3 * 8_000;
const AFTER = 8_000;
const FRAME = 160;
const WINDOW_MS = 32;

type Noise = (samples: number) => Float64Array;

const random = seededRandom(1);

const gain = (db: number) => 10 ** (db / 20);

function scaled(audio: Float64Array, dbfs: number): Float64Array {
  const power = audio.reduce((sum, value) => sum + value * value, 0) / audio.length;
  const factor = gain(dbfs) / Math.sqrt(power || 1);
  return audio.map((value) => value * factor);
}

const white = (samples: number) => Float64Array.from({ length: samples }, () => random() + random() - 1);

/** Brown noise, −6 dB per octave, like a fan or a road. */
function brown(samples: number): Float64Array {
  let held = 0;
  return white(samples).map((value) => (held = held * 0.95 + value));
}

function hum(samples: number): Float64Array {
  const tones = [50, 100, 150, 250].map((hz, at) => ({ step: (2 * Math.PI * hz) / 8_000, level: 1 / (at + 1) }));
  return Float64Array.from({ length: samples }, (_, at) =>
    tones.reduce((sum, { step, level }) => sum + level * Math.sin(step * at), 0.02 * (random() - 0.5)),
  );
}

const recordings = speechNames().map((name) => loadSpeech(name));
const talkers = recordings.filter(({ kind }) => kind === 'speech');

/** Eight simultaneous talkers from random positions of recordings. */
function babble(samples: number): Float64Array {
  const mixed = new Float64Array(samples);
  for (let person = 0; person < 8; person++) {
    const { samples: talker } = talkers[Math.floor(random() * talkers.length)]!;
    let at = Math.floor(random() * talker.length);
    for (let i = 0; i < samples; i++) {
      mixed[i]! += talker[at]! / 32768;
      at = (at + 1) % talker.length;
    }
  }
  return mixed;
}

/** A new chord every half second. */
function music(samples: number): Float64Array {
  const audio = new Float64Array(samples);
  let tones: number[] = [];
  for (let at = 0; at < samples; at++) {
    if (at % 4_000 === 0) tones = [1, 1.26, 1.5].map((ratio) => 220 * 2 ** (Math.floor(random() * 12) / 12) * ratio);
    const fade = Math.exp(-(at % 4_000) / 3_000);
    for (const hz of tones) audio[at]! += fade * Math.sin((2 * Math.PI * hz * at) / 8_000);
  }
  return audio;
}

/** Steps of 6 dB every second. */
function stepping(samples: number): Float64Array {
  return white(samples).map((value, at) => value * (Math.floor(at / 8_000) % 2 === 0 ? 1 : 2));
}

const NOISES: [name: string, noise: Noise][] = [
  ['white -65', (samples) => scaled(white(samples), -65)],
  ['white -55', (samples) => scaled(white(samples), -55)],
  ['white -45', (samples) => scaled(white(samples), -45)],
  ['brown -45', (samples) => scaled(brown(samples), -45)],
  ['hum -40', (samples) => scaled(hum(samples), -40)],
  ['steps -50', (samples) => scaled(stepping(samples), -50)],
  ['music -45', (samples) => scaled(music(samples), -45)],
  ['babble -45', (samples) => scaled(babble(samples), -45)],
];

interface Trial {
  audio: Int16Array;
  starts: number[];
  noiseOnly: (endMs: number) => boolean;
}

/** `fades`: the speech fades in over two seconds. */
function trialOf(speech: Speech, level: number, noise: Noise, offset: number, fades: boolean): Trial {
  const before = BEFORE + offset;
  const total = before + speech.samples.length + AFTER;
  const audio = noise(total);
  const said = Float64Array.from(speech.samples, (value) => value / 32768);
  let power = 0;
  let count = 0;
  for (const { start, end } of speech.speech) {
    for (let at = start; at < end; at++) power += said[at]! ** 2;
    count += end - start;
  }
  const factor = gain(level) / Math.sqrt(power / count);
  for (let at = 0; at < said.length; at++) {
    audio[before + at]! += said[at]! * factor * (fades ? Math.min(1, 10 ** (2 * Math.min(0, at / 16_000 - 1))) : 1);
  }
  const pcm = Int16Array.from(audio, (value) => Math.max(-32768, Math.min(32767, Math.round(value * 32768))));
  const coded = new Uint8Array(total);
  encodeMulaw(pcm, coded);
  decodeMulaw(coded, pcm);
  const first = speech.speech[0]!.start;
  return {
    audio: pcm,
    starts: speech.speech.map(({ start }) => (before + start) / 8),
    noiseOnly: (endMs) => endMs > 1_000 && endMs < (before + first) / 8,
  };
}

interface VadRun {
  probabilities: number[];
  /** Times of detected starts of speech. */
  detectedMs: number[];
  activityMs: number[];
  asked: number;
  askedInNoise: number;
  windowsInNoise: number;
}

async function runVad(trials: readonly Trial[], alwaysRunsModel: boolean): Promise<VadRun[]> {
  const log = createLogger('bench', 'warn');
  const vad = createVad({ model: await loadSilero(), log, alwaysRunsModel });
  const runs: VadRun[] = [];
  for (let from = 0; from < trials.length; from += 64) {
    const batch = trials.slice(from, from + 64);
    const results = batch.map(
      (): VadRun => ({
        probabilities: [],
        detectedMs: [],
        activityMs: [],
        asked: 0,
        askedInNoise: 0,
        windowsInNoise: 0,
      }),
    );
    let askedBefore = vad.stats.windows;
    const streams = batch.map((trial, at) => {
      const speech = noSpeech();
      const result = results[at]!;
      return vad.open((probability, endMs, periodicity) => {
        const stirring = speech.possibleSpeech;
        result.probabilities.push(probability);
        if (updateSpeech(speech, probability, endMs, periodicity) === 'started') result.detectedMs.push(endMs);
        if (speech.possibleSpeech && !stirring) result.activityMs.push(endMs);
        const asked = vad.stats.windows - askedBefore;
        askedBefore = vad.stats.windows;
        result.asked += asked;
        if (!trial.noiseOnly(endMs)) return;
        result.askedInNoise += asked;
        result.windowsInNoise++;
      });
    });
    const longest = Math.max(...batch.map(({ audio }) => audio.length));
    for (let at = 0; at + FRAME <= longest; at += FRAME) {
      for (const [number, { audio }] of batch.entries()) {
        if (at + FRAME <= audio.length) streams[number]!.push(audio.subarray(at, at + FRAME), (at + FRAME) / 8);
      }
    }
    for (const stream of streams) stream.close();
    runs.push(...results);
  }
  return runs;
}

interface Cost {
  trials: number;
  stretches: number;
  asked_in_noise: number;
  asked: number;
  later_p50_ms: number;
  later_p95_ms: number;
  later_most_ms: number;
  stir_later_p95_ms: number;
  stir_later_most_ms: number;
  missed: number;
  gained: number;
  lost_windows: number;
  speech_windows: number;
}

function compare(always: readonly VadRun[], gated: readonly VadRun[]): Cost {
  const later: number[] = [];
  const stirLater: number[] = [];
  let missed = 0;
  let gained = 0;
  let lost = 0;
  let spoken = 0;
  let windows = 0;
  let asked = 0;
  let inNoise = 0;
  let askedInNoise = 0;
  for (const [at, expected] of always.entries()) {
    const found = gated[at]!;
    const near = (ms: number, list: number[]) => list.find((atMs) => Math.abs(atMs - ms) <= 10 * WINDOW_MS);
    for (const ms of expected.detectedMs) {
      const detectedMs = near(ms, found.detectedMs);
      if (detectedMs === undefined) missed++;
      else later.push(detectedMs - ms);
    }
    for (const ms of found.detectedMs) if (near(ms, expected.detectedMs) === undefined) gained++;
    for (const ms of expected.activityMs) {
      const detectedMs = near(ms, found.activityMs);
      if (detectedMs !== undefined) stirLater.push(detectedMs - ms);
    }
    for (const [window, probability] of expected.probabilities.entries()) {
      if (probability < 0.5) continue;
      spoken++;
      if (found.probabilities[window]! < 0.35) lost++;
    }
    windows += found.probabilities.length;
    asked += found.asked;
    inNoise += found.windowsInNoise;
    askedInNoise += found.askedInNoise;
  }
  const rank = (list: number[], share: number) =>
    Math.round(list.sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(share * list.length))] ?? 0);
  return {
    trials: always.length,
    stretches: later.length + missed,
    asked_in_noise: Math.round((1000 * askedInNoise) / inNoise) / 1000,
    asked: Math.round((1000 * asked) / windows) / 1000,
    later_p50_ms: rank(later, 0.5),
    later_p95_ms: rank(later, 0.95),
    later_most_ms: rank(later, 1),
    stir_later_p95_ms: rank(stirLater, 0.95),
    stir_later_most_ms: rank(stirLater, 1),
    missed,
    gained,
    lost_windows: lost,
    speech_windows: spoken,
  };
}

async function main(): Promise<void> {
  const kinds = new Set(['speech', 'interruption', 'backchannel']);
  const recordingsWithWords = recordings.filter((recording) => kinds.has(recording.kind));
  const cases: { name: string; from: number; to: number }[] = [];
  const trials: Trial[] = [];
  for (const [name, noise] of NOISES) {
    for (const level of LEVELS_DBFS) {
      for (const fades of level === -25 ? [false, true] : [false]) {
        const from = trials.length;
        for (const [at, speech] of recordingsWithWords.entries()) {
          trials.push(trialOf(speech, level, noise, Math.floor(((at % 6) * 256) / 6), fades));
        }
        cases.push({ name: `${name}, speech ${level}${fades ? ' fading in' : ''}`, from, to: trials.length });
      }
    }
  }
  const always = await runVad(trials, true);
  const gated = await runVad(trials, false);
  const rows = cases.map(({ name, from, to }) => ({ name, ...compare(always.slice(from, to), gated.slice(from, to)) }));
  rows.push({ name: 'all', ...compare(always, gated) });
  console.table(
    rows.map((row) => ({
      what: row.name,
      'asked noise': row.asked_in_noise,
      asked: row.asked,
      stretches: row.stretches,
      later: `${row.later_p50_ms}/${row.later_p95_ms}/${row.later_most_ms}`,
      stir: `${row.stir_later_p95_ms}/${row.stir_later_most_ms}`,
      missed: row.missed,
      gained: row.gained,
      lost: `${row.lost_windows}/${row.speech_windows}`,
    })),
  );
  const folder = join(import.meta.dirname, 'results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'noise-floor.json'), `${JSON.stringify(rows, null, 2)}\n`);
}

await main();
