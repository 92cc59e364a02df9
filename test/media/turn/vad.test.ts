import { readFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import { readWav } from '../../../media/audio/wav.ts';
import { type BatchModel, loadSilero, STATE_FLOATS } from '../../../media/turn/silero.ts';
import { createVad, loadVad, type Vad } from '../../../media/turn/vad.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { patientClock } from '../../support/patient-clock.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const LOUD = new Int16Array(160).fill(4000);
const SILENT = new Int16Array(160);

const open: Vad[] = [];
afterEach(async () => {
  for (const vad of open.splice(0)) await vad.close();
});

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

/** A model that returns when the test says so: probability = the row's first sample after the context, state + 1 per window. */
function scriptedModel(maxBatch = 64) {
  const runs: number[] = [];
  const states: number[][] = [];
  let pending: { size: number; resolve: () => void; reject: (error: Error) => void } | null = null;
  const model: BatchModel = {
    rateHz: 8000,
    windowSamples: 256,
    contextSamples: 32,
    maxBatch,
    input: new Float32Array(maxBatch * 288),
    state: new Float32Array(maxBatch * STATE_FLOATS),
    probability: new Float32Array(maxBatch),
    run(size) {
      runs.push(size);
      states.push(Array.from({ length: size }, (_, row) => model.state[row * 128]!));
      return new Promise((resolve, reject) => {
        pending = { size, resolve, reject };
      });
    },
    async close() {},
  };
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    model,
    runs,
    states,
    async answer() {
      const { size, resolve } = pending!;
      pending = null;
      for (let row = 0; row < size; row++) model.probability[row] = model.input[row * 288 + 32]!;
      for (let i = 0; i < size * STATE_FLOATS; i++) model.state[i]! += 1;
      resolve();
      await settled();
    },
    async fail() {
      const { reject } = pending!;
      pending = null;
      reject(new Error('no memory'));
      await settled();
    },
    get idle() {
      return pending === null;
    },
  };
}

function setUp(maxBatch?: number) {
  const script = scriptedModel(maxBatch);
  const { lines, log } = collectLog();
  const clock = createVirtualClock();
  const vad = createVad({ model: script.model, clock, log });
  open.push(vad);
  return { ...script, script, vad, lines, clock };
}

/** 256 samples, one window. */
function window(value: number): Int16Array {
  return new Int16Array(256).fill(value);
}

describe('batches', () => {
  test('a window is run at once, those that come meanwhile are the next batch', async () => {
    const { vad, runs, answer } = setUp();
    const reported: number[] = [];
    const streams = Array.from({ length: 5 }, (_, i) => vad.open(() => reported.push(i)));
    for (const stream of streams) stream.push(window(8000), 32);
    expect(runs).toEqual([1]);
    await answer();
    expect(runs).toEqual([1, 4]);
    await answer();
    expect(reported).toEqual([0, 1, 2, 3, 4]);
    expect(vad.stats).toMatchObject({ windows: 5, batches: 2, largestBatch: 4 });
  });

  test('a batch is never larger than the model allows', async () => {
    const { vad, runs, answer } = setUp(3);
    for (let i = 0; i < 8; i++) vad.open(() => {}).push(window(8000), 32);
    await answer();
    await answer();
    await answer();
    expect(runs).toEqual([1, 3, 3, 1]);
  });

  test('windows of one stream run one after the other, each with the state of the one before', async () => {
    const { vad, runs, states, answer } = setUp();
    const reported: [number, number][] = [];
    const stream = vad.open((probability, endMs) => reported.push([probability, endMs]));
    stream.push(window(8192), 32);
    stream.push(window(16384), 64);
    vad.open(() => {}).push(window(8192), 64);
    await answer();
    await answer();
    expect(runs).toEqual([1, 2]);
    expect(states).toEqual([[0], [0, 1]]);
    expect(reported).toEqual([
      [0.25, 32],
      [0.5, 64],
    ]);
  });

  test('each window has the audio before it in front', async () => {
    const { vad, model, answer } = setUp();
    const stream = vad.open(() => {});
    stream.push(
      Int16Array.from({ length: 256 }, (_, i) => i * 64),
      32,
    );
    expect(model.input[31]).toBe(0);
    await answer();
    stream.push(window(8192), 64);
    expect(Array.from(model.input.subarray(0, 33))).toEqual([
      ...Array.from({ length: 32 }, (_, i) => ((224 + i) * 64) / 32768),
      0.25,
    ]);
  });

  test('windows end 32 ms apart, whatever the frames', async () => {
    const { vad, answer, script } = setUp();
    const ends: number[] = [];
    const stream = vad.open((_, endMs) => ends.push(endMs));
    for (let i = 1; i <= 8; i++) {
      stream.push(LOUD, 1000 + i * 20);
      while (!script.idle) await answer();
    }
    expect(ends).toEqual([1032, 1064, 1096, 1128, 1160]);
  });
});

describe('silence', () => {
  test('is run for a third of a second and then reported at once', async () => {
    const { vad, script, answer, runs } = setUp();
    const reported: number[] = [];
    const stream = vad.open((_, endMs) => reported.push(endMs));
    for (let i = 1; i <= 32; i++) {
      stream.push(SILENT, i * 20);
      while (!script.idle) await answer();
    }
    expect(runs.length).toBe(10);
    expect(vad.stats.gated).toBe(10);
    expect(reported).toEqual(Array.from({ length: 20 }, (_, i) => (i + 1) * 32));
    stream.push(window(4000), 672);
    expect(runs.length).toBe(11);
  });

  test('does not overtake windows in the current run', async () => {
    const { vad, answer } = setUp();
    const reported: number[] = [];
    const stream = vad.open((_, endMs) => reported.push(endMs));
    stream.push(window(4000), 32);
    for (let i = 2; i <= 14; i++) stream.push(window(0), i * 32);
    expect(reported).toEqual([]);
    for (let i = 0; i < 11; i++) await answer();
    expect(reported).toEqual(Array.from({ length: 14 }, (_, i) => (i + 1) * 32));
  });
});

describe('noise', () => {
  test('is reported as no speech at once, and run now and then', async () => {
    const { vad, script, answer, runs } = setUp();
    const reported: [number, number][] = [];
    const stream = vad.open((probability, endMs) => reported.push([probability, endMs]));
    for (let i = 1; i <= 16 + 16; i++) {
      stream.push(window(100), i * 32);
      while (!script.idle) await answer();
    }
    expect(runs.length).toBe(16 + 2);
    expect(vad.stats.gated).toBe(14);
    expect(reported.map(([, endMs]) => endMs)).toEqual(Array.from({ length: 32 }, (_, i) => (i + 1) * 32));
    stream.push(window(8192), 33 * 32);
    await answer();
    expect(reported.at(-1)).toEqual([0.25, 33 * 32]);
  });

  test('with many streams a possible change is run after 5 ms, other windows after 15', async () => {
    const { vad, answer, runs, clock } = setUp();
    const [stream] = Array.from({ length: 9 }, () => vad.open(() => {}));
    const expectRun = async (value: number, afterMs: number) => {
      const before = runs.length;
      stream!.push(window(value), clock.now());
      await clock.advance(afterMs - 1);
      expect(runs.length).toBe(before);
      await clock.advance(1);
      expect(runs.length).toBe(before + 1);
      await answer();
    };
    for (let i = 0; i < 16; i++) await expectRun(100, 5);
    for (let i = 0; i < 7; i++) stream!.push(window(100), clock.now());
    expect(vad.stats.gated).toBe(7);
    await expectRun(100, 15);
    await expectRun(20_000, 5);
    // Now it is known that somebody speaks.
    await expectRun(20_000, 15);
  });
});

describe('failures', () => {
  test('a stream half a second behind loses its oldest windows', async () => {
    const { vad, answer, script, clock } = setUp();
    const reported: number[] = [];
    const stream = vad.open((_, endMs) => reported.push(endMs));
    for (let i = 1; i <= 20; i++) {
      await clock.advance(32);
      stream.push(window(4000), i * 32);
      if (i === 12) await answer();
    }
    while (!script.idle) await answer();
    expect([vad.stats.dropped, stream.dropped]).toEqual([3, 3]);
    expect(reported).toEqual([1, 2, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20].map((i) => i * 32));
  });

  test('the burst after a stall of more than a second loses nothing', async () => {
    const { vad, answer, script, clock } = setUp();
    const reported: number[] = [];
    const stream = vad.open((_, endMs) => reported.push(endMs));
    const ends = Array.from({ length: 40 }, (_, index) => (index + 1) * 32);
    stream.push(window(4000), ends[0]!);
    await answer();
    await clock.advance(1_280);
    for (const endMs of ends.slice(1)) stream.push(window(4000), endMs);
    while (!script.idle) await answer();
    expect(reported).toEqual(ends);
    expect(vad.stats.dropped).toBe(0);
  });

  test('nothing is reported after the stream was closed', async () => {
    const { vad, runs, answer } = setUp();
    const reported: string[] = [];
    const first = vad.open(() => reported.push('first'));
    const second = vad.open(() => reported.push('second'));
    first.push(window(4000), 32);
    second.push(window(4000), 32);
    first.close();
    second.close();
    second.push(window(4000), 64);
    await answer();
    expect(reported).toEqual([]);
    expect(runs).toEqual([1]);
  });

  test('windows that a model fails on, and those until it is back, are judged by their level', async () => {
    const { vad, states, lines, fail, answer, clock } = setUp();
    const reported: [number, boolean][] = [];
    const stream = vad.open((probability, endMs) => reported.push([endMs, probability >= 0.5]));
    stream.push(window(8192), 32);
    await answer();
    stream.push(window(8192), 64);
    await fail();
    expect(vad.worker.running).toBe(false);
    stream.push(window(8192), 96);
    await clock.advance(0);
    expect(vad.worker).toMatchObject({ running: true, restarts: 1 });
    stream.push(window(8192), 128);
    await answer();
    expect(reported).toEqual([
      [32, false],
      [64, true],
      [96, true],
      [128, false],
    ]);
    expect(states).toEqual([[0], [1], [0]]);
    expect(vad.stats).toMatchObject({ windows: 3, failed: 2 });
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
      'worker failed; calls go on without it',
      'worker restarted',
    ]);
  });

  test('a model that does not answer is given up after half a second; what waited for it is judged in order', async () => {
    const { vad, answer, clock } = setUp();
    const reported: number[] = [];
    const streams = [0, 1].map(() => vad.open((_, endMs) => reported.push(endMs)));
    for (let endMs = 32; endMs <= 480; endMs += 32) {
      for (const stream of streams) stream.push(window(8192), endMs);
      await clock.advance(32);
    }
    expect(reported).toEqual([]);
    await clock.advance(20);
    expect(reported.filter((_, at) => at % 2 === 0)).toHaveLength(15);
    expect([...reported].sort((a, b) => a - b)).toEqual(
      Array.from({ length: 30 }, (_, at) => 32 * (1 + Math.floor(at / 2))),
    );
    // The late answer of the run that was given up changes nothing.
    await answer();
    expect(reported).toHaveLength(30);
  });

  test('a listener that throws does not harm the others', async () => {
    const { vad, lines, answer } = setUp();
    const reported: number[] = [];
    const first = vad.open(() => {
      throw new Error('mine');
    });
    const second = vad.open((_, endMs) => reported.push(endMs));
    for (const endMs of [32, 64]) {
      first.push(window(4000), endMs);
      second.push(window(4000), endMs);
    }
    for (let i = 0; i < 3; i++) await answer();
    expect(reported).toEqual([32, 64]);
    expect(lines).toHaveLength(1);
  });
});

test('the real model detects speech in several calls at once', async () => {
  const { lines, log } = collectLog();
  const vad = await loadVad({ clock: patientClock, log });
  open.push(vad);
  const truth = JSON.parse(readFileSync('fixtures/speech/day-time.json', 'utf8')) as {
    speech: { start: number; end: number }[];
  };
  const reading = readWav(readFileSync('fixtures/speech/day-time.wav'));
  if (reading.type === 'invalid') throw new Error(reading.why);
  const samples = reading.wav.channels[0]!;
  const calls = Array.from({ length: 3 }, () => [] as { probability: number; endMs: number }[]);
  const streams = calls.map((reported) => vad.open((probability, endMs) => reported.push({ probability, endMs })));
  for (let at = 0; at + 160 <= samples.length; at += 160) {
    for (const stream of streams) stream.push(samples.subarray(at, at + 160), (at + 160) / 8);
    // No faster than the model: a real call is a hundred times slower.
    while (vad.stats.windows + vad.stats.gated < 3 * Math.floor((at + 160) / 256)) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  while (calls.some((reported) => reported.length < Math.floor(samples.length / 256))) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  const startMs = truth.speech[0]!.start / 8;
  const endMs = truth.speech.at(-1)!.end / 8;
  for (const reported of calls) {
    const speech = reported.filter(({ probability }) => probability >= 0.5);
    expect(speech[0]!.endMs).toBeGreaterThan(startMs);
    expect(speech[0]!.endMs).toBeLessThan(startMs + 200);
    expect(speech.at(-1)!.endMs).toBeLessThan(endMs + 200);
    expect(speech.length).toBeGreaterThan(30);
  }
  expect(calls[1]!.map(({ endMs }) => endMs)).toEqual(calls[0]!.map(({ endMs }) => endMs));
  expect(lines).toEqual([]);
});

test('after close in the middle of a window nothing is reported', async () => {
  const { lines, log } = collectLog();
  const vad = await loadVad({ clock: systemClock, log });
  let reported = 0;
  const count = () => {
    reported++;
  };
  const before = vad.open(count);
  before.push(window(4000), 32);
  await vad.close();
  await vad.close();
  before.push(window(4000), 64);
  vad.open(count).push(window(4000), 96);
  await new Promise((resolve) => setImmediate(resolve));
  expect(reported).toBe(0);
  expect(lines).toEqual([]);
});

test('a model that is closed rejects', async () => {
  const model = await loadSilero(systemClock, { rateHz: 8000 });
  await model.close();
  await expect(model.run(1)).rejects.toThrow('closed');
});
