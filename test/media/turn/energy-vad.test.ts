import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readWav } from '../../../media/audio/wav.ts';
import { followNoise, newEnergyState, speechByEnergy } from '../../../media/turn/energy-vad.ts';
import { noSpeech, unbrokenSpeechMs, updateSpeech, WINDOW_MS } from '../../../media/turn/speech-state.ts';
import { periodicityOf } from '../../../media/turn/voicing.ts';

/** Long enough to know the line's noise. */
const BEFORE_MS = 2_000;
const AFTER_MS = 1_000;
const WINDOW = 256;

interface Recording {
  file: string;
  kind: string;
  speech: { start: number; end: number }[];
}

const FOLDER = 'fixtures/speech';
const recordings = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.json'))
  .map((name) => JSON.parse(readFileSync(`${FOLDER}/${name}`, 'utf8')) as Recording);
const speaking = recordings.filter(({ file }) => !/cough|line-noise/.test(file));
const coughing = recordings.filter(({ file }) => /cough/.test(file));

/** Judges a recording over a line whose noise has this amplitude; times are those of the recording. */
function judge({ file }: Recording, noise: number) {
  const reading = readWav(readFileSync(`${FOLDER}/${file}`));
  if (reading.type === 'invalid') throw new Error(reading.why);
  const speech = reading.wav.channels[0]!;
  const samples = new Int16Array(8 * (BEFORE_MS + AFTER_MS) + speech.length);
  samples.set(speech, 8 * BEFORE_MS);
  let seed = 1;
  for (let at = 0; at < samples.length; at++) {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    samples[at] = samples[at]! + Math.round((seed / 2 ** 30 - 1) * noise);
  }
  const energy = newEnergyState();
  const state = noSpeech();
  let startedMs: number | null = null;
  let longestMs = 0;
  for (let at = 0; at + WINDOW <= samples.length; at += WINDOW) {
    const window = Float32Array.from(samples.subarray(at, at + WINDOW), (sample) => sample / 32_768);
    const power = window.reduce((sum, sample) => sum + sample * sample, 0) / WINDOW;
    const endMs = (at + WINDOW) / 8 - BEFORE_MS;
    followNoise(energy, power);
    if (updateSpeech(state, speechByEnergy(energy, power), endMs, periodicityOf(window, 8_000)) === 'started') {
      startedMs ??= endMs - WINDOW_MS;
    }
    longestMs = Math.max(longestMs, unbrokenSpeechMs(state, endMs));
  }
  return { startedMs, endedMs: state.lastSpeechMs, longestMs };
}

describe.each([0, 60, 200, 500])('over a line with noise of amplitude %i', (noise) => {
  it.each(speaking)('$file: begin and end of speech are found', (recording) => {
    const { startedMs, endedMs } = judge(recording, noise);
    expect(Math.abs(startedMs! - recording.speech[0]!.start / 8)).toBeLessThan(130);
    expect(Math.abs(endedMs - recording.speech.at(-1)!.end / 8)).toBeLessThan(200);
  });

  it.each(coughing)('$file is not taken for a voice', (recording) => {
    expect(judge(recording, noise).longestMs).toBe(0);
  });

  it('line noise is no speech', () => {
    expect(judge(recordings.find(({ file }) => file === 'line-noise.wav')!, noise).startedMs).toBeNull();
  });
});

it('noise that grows louder is speech until it is known', () => {
  const state = newEnergyState();
  const levels = [...Array(60).fill(1e-5), ...Array(300).fill(1e-3)];
  const probabilities = levels.map((power) => {
    followNoise(state, power);
    return speechByEnergy(state, power);
  });
  expect(probabilities[59]).toBeLessThan(0.2);
  expect(probabilities[61]).toBeGreaterThan(0.5);
  expect(probabilities.at(-1)).toBeLessThan(0.2);
});
