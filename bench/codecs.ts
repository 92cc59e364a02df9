/**
 * `node bench/codecs.ts`: the CPU cost of one 20 ms frame in the parts that every frame passes. The column "share" is relative to
 * 20 ms, so that 1 % means a hundred calls per core.
 */

import { createConverter } from '../media/audio/converter.ts';
import { MULAW_8K } from '../media/audio/format.ts';
import { decodeMulaw, encodeMulaw } from '../media/audio/g711.ts';
import { createJitterBuffer } from '../media/audio/jitter-buffer.ts';
import { createResampler } from '../media/audio/resample.ts';

const FRAME_US = 20_000;
const ROUNDS = 7;

interface Row {
  what: string;
  us: number;
}

const rows: Row[] = [];

/** The best of several rounds, which is the least disturbed one. */
function measure(what: string, frames: number, run: (frame: number) => void): void {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    for (let frame = 0; frame < frames; frame++) run(frame);
    best = Math.min(best, ((performance.now() - started) * 1000) / frames);
  }
  rows.push({ what, us: best });
}

/** A speech-like signal: a low tone with overtones and a varying level, and noise. */
function speechLike(rateHz: number, samples: number): Int16Array {
  return Int16Array.from({ length: samples }, (_, i) => {
    const t = i / rateHz;
    const swell = 0.5 + 0.5 * Math.sin(2 * Math.PI * 3 * t);
    let value = 0.05 * (Math.random() - 0.5);
    for (let overtone = 1; overtone <= 12; overtone++)
      value += Math.sin(2 * Math.PI * 140 * overtone * t) / overtone / 4;
    return Math.round(9000 * swell * value);
  });
}

const frame = speechLike(8000, 160);
const coded = new Uint8Array(160);
const decoded = new Int16Array(160);
encodeMulaw(frame, coded);
measure('mu-law decode', 50_000, () => void decodeMulaw(coded, decoded));
measure('mu-law encode', 50_000, () => void encodeMulaw(frame, coded));

for (const [fromHz, toHz] of [
  [8000, 16000],
  [16000, 8000],
  [22050, 8000],
  [24000, 8000],
  [48000, 8000],
] as const) {
  const resampler = createResampler(fromHz, toHz);
  const samples = speechLike(fromHz, fromHz / 50);
  const target = new Int16Array(resampler.maxOutput(samples.length));
  measure(`resample ${fromHz} -> ${toHz} Hz`, 4000, () => void resampler.process(samples, target));
}

const converter = createConverter({ encoding: 'pcm16', sample_rate: 22050 }, MULAW_8K);
const pcm = new Uint8Array(speechLike(22050, 441).buffer);
measure('convert PCM 22050 Hz -> mu-law 8 kHz', 4000, () => void converter.convert(pcm));

let order = 0;
const inOrder = createJitterBuffer(MULAW_8K, () => {});
measure('jitter buffer, in order', 50_000, () => {
  order++;
  inOrder.push(order, coded, order * 20);
});
let swapped = 0;
const outOfOrder = createJitterBuffer(MULAW_8K, () => {});
measure('jitter buffer, every pair swapped', 50_000, () => {
  swapped++;
  outOfOrder.push(swapped % 2 === 1 ? swapped + 1 : swapped - 1, coded, swapped * 20);
});

for (const { what, us } of rows) {
  const share = `${((us / FRAME_US) * 100).toFixed(3)} %`;
  console.log(`${what.padEnd(44)}${us.toFixed(2).padStart(9)} us${share.padStart(11)}`);
}
