import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { loadSpeech } from '../../../fixtures/speech.ts';
import type { SpeechModel } from '../../../media/turn/silero.ts';
import { createVad, loadVad } from '../../../media/turn/vad.ts';
import { createLogger } from '../../../shared/log.ts';

const LOUD = new Int16Array(160).fill(4000);
const SILENT = new Int16Array(160);

function collectLog(): { lines: string[]; log: ReturnType<typeof createLogger> } {
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return { lines, log: createLogger('test', 'info', sink) };
}

/** A model whose probability is the first sample after the context; its state counts the windows of the stream. */
function setUp() {
  const states: number[] = [];
  const input = new Float32Array(32 + 256);
  const model: SpeechModel = {
    ...{ rateHz: 8000, windowSamples: 256, contextSamples: 32, input },
    newState: () => new Float32Array(1),
    run(state) {
      states.push(state[0]!++);
      return input[32]!;
    },
  };
  const { lines, log } = collectLog();
  return { vad: createVad({ model, log }), states, input, lines };
}

/** 256 samples, one window. */
function window(value: number): Int16Array {
  return new Int16Array(256).fill(value);
}

test('each stream has a state of its own, and each window the audio before it in front', () => {
  const { vad, states, input } = setUp();
  const reported: [number, number][] = [];
  const stream = vad.open((probability, endMs) => reported.push([probability, endMs]));
  stream.push(
    Int16Array.from({ length: 256 }, (_, i) => i * 64),
    32,
  );
  expect(input[31]).toBe(0);
  vad.open(() => {}).push(window(8192), 32);
  stream.push(window(16384), 64);
  expect(Array.from(input.subarray(0, 33))).toEqual([
    ...Array.from({ length: 32 }, (_, i) => ((224 + i) * 64) / 32768),
    0.5,
  ]);
  expect(states).toEqual([0, 0, 1]);
  expect(reported).toEqual([
    [0, 32],
    [0.5, 64],
  ]);
  expect(vad.stats).toEqual({ windows: 3, gated: 0 });
});

test('windows end 32 ms apart, whatever the frames', () => {
  const { vad } = setUp();
  const ends: number[] = [];
  const stream = vad.open((_, endMs) => ends.push(endMs));
  for (let i = 1; i <= 8; i++) stream.push(LOUD, 1000 + i * 20);
  expect(ends).toEqual([1032, 1064, 1096, 1128, 1160]);
});

test('the burst after a stalled network is examined whole', () => {
  const { vad } = setUp();
  const ends: number[] = [];
  vad.open((_, endMs) => ends.push(endMs)).push(new Int16Array(256 * 40).fill(4000), 1_280);
  expect(ends).toEqual(Array.from({ length: 40 }, (_, index) => (index + 1) * 32));
});

test('silence is run for a third of a second and then only reported', () => {
  const { vad, states } = setUp();
  const ends: number[] = [];
  const stream = vad.open((_, endMs) => ends.push(endMs));
  for (let i = 1; i <= 32; i++) stream.push(SILENT, i * 20);
  expect(vad.stats).toEqual({ windows: 10, gated: 10 });
  expect(ends).toEqual(Array.from({ length: 20 }, (_, i) => (i + 1) * 32));
  stream.push(window(4000), 672);
  expect(states).toHaveLength(11);
});

test('noise is reported as no speech, and run now and then', () => {
  const { vad } = setUp();
  const reported: [number, number][] = [];
  const stream = vad.open((probability, endMs) => reported.push([probability, endMs]));
  for (let i = 1; i <= 16 + 16; i++) stream.push(window(100), i * 32);
  expect(vad.stats).toEqual({ windows: 16 + 2, gated: 14 });
  expect(reported.map(([, endMs]) => endMs)).toEqual(Array.from({ length: 32 }, (_, i) => (i + 1) * 32));
  stream.push(window(8192), 33 * 32);
  expect(reported.at(-1)).toEqual([0.25, 33 * 32]);
});

describe('a stream that is closed', () => {
  test('reports nothing any more', () => {
    const { vad, states } = setUp();
    const ends: number[] = [];
    const stream = vad.open((_, endMs) => ends.push(endMs));
    stream.push(window(4000), 32);
    stream.close();
    stream.close();
    stream.push(window(4000), 64);
    expect(ends).toEqual([32]);
    expect(states).toEqual([0]);
  });

  test('in its own result, reports no further window of the same audio', () => {
    const { vad } = setUp();
    const ends: number[] = [];
    const stream = vad.open((_, endMs) => {
      ends.push(endMs);
      stream.close();
    });
    stream.push(new Int16Array(512).fill(4000), 64);
    expect(ends).toEqual([32]);
  });
});

test('a listener that throws does not harm the others, and is logged once', () => {
  const { vad, lines } = setUp();
  const ends: number[] = [];
  const first = vad.open(() => {
    throw new Error('mine');
  });
  const second = vad.open((_, endMs) => ends.push(endMs));
  for (const endMs of [32, 64]) {
    first.push(window(4000), endMs);
    second.push(window(4000), endMs);
  }
  expect(ends).toEqual([32, 64]);
  expect(lines).toHaveLength(1);
});

test('the real model detects speech in several calls at once', async () => {
  const { lines, log } = collectLog();
  const vad = await loadVad(log);
  const { samples, speech: truth } = loadSpeech('day-time');
  const calls = Array.from({ length: 3 }, () => [] as { probability: number; endMs: number }[]);
  const streams = calls.map((reported) => vad.open((probability, endMs) => reported.push({ probability, endMs })));
  for (let at = 0; at + 160 <= samples.length; at += 160) {
    for (const stream of streams) stream.push(samples.subarray(at, at + 160), (at + 160) / 8);
  }
  const startMs = truth[0]!.start / 8;
  const endMs = truth.at(-1)!.end / 8;
  for (const reported of calls) {
    const speech = reported.filter(({ probability }) => probability >= 0.5);
    expect(speech[0]!.endMs).toBeGreaterThan(startMs);
    expect(speech[0]!.endMs).toBeLessThan(startMs + 200);
    expect(speech.at(-1)!.endMs).toBeLessThan(endMs + 200);
    expect(speech.length).toBeGreaterThan(30);
  }
  expect(calls[1]).toEqual(calls[0]);
  expect(lines).toEqual([]);
});
