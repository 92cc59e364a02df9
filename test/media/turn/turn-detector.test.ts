import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BroadcastChannel } from 'node:worker_threads';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { createProviderFactory } from '../../../media/call/provider-factory.ts';
import { readMediaConfig } from '../../../media/config.ts';
import {
  createTurnDetector,
  loadTurnDetector,
  loadTurnDetectorModel,
  PREDICTION_DEADLINE_MS,
  type TurnDetectorModel,
} from '../../../media/turn/turn-detector.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { SMART_TURN } from '../../../shared/model-files.ts';
import type { ThreadFailure } from '../../support/failing-threads/fail-on-demand.ts';
import { turnModelFile } from '../../support/onnx-file.ts';
import { until } from '../../support/until.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const log = createLogger('test', 'silent');
const folder = mkdtempSync(join(tmpdir(), 'turn-detector-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: Uint8Array | string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

/** A model that returns its results when the test says so. */
function scriptedModel() {
  const inputs: Int16Array[] = [];
  let pending: { resolve: (probability: number) => void; reject: (error: Error) => void } | null = null;
  const samples = new Int16Array(64_000);
  const model: TurnDetectorModel = {
    samples,
    run() {
      expect(pending, 'one prediction at a time').toBeNull();
      inputs.push(samples.slice());
      return new Promise((resolve, reject) => {
        pending = { resolve, reject };
      });
    },
    async close() {},
  };
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    model,
    inputs,
    async resolve(probability: number) {
      const request = pending!;
      pending = null;
      request.resolve(probability);
      await settled();
    },
    forget() {
      pending = null;
    },
    async reject() {
      const request = pending!;
      pending = null;
      request.reject(new Error('no memory'));
      await settled();
    },
  };
}

function setUp() {
  const script = scriptedModel();
  const clock = createVirtualClock();
  return { ...script, clock, detector: createTurnDetector({ model: script.model, clock, log }) };
}

describe('the turn detector', () => {
  test('runs one prediction at a time, in the order of the requests', async () => {
    const { detector, resolve, inputs } = setUp();
    const results: [number, number][] = [];
    for (let call = 0; call < 3; call++) {
      const stream = detector.open();
      stream.push(new Int16Array(160).fill(call + 1), 0);
      stream.predict(0, (probability) => results.push([call, probability]));
    }
    expect(inputs).toHaveLength(1);
    for (const probability of [0.1, 0.2, 0.3]) await resolve(probability);
    expect(results).toEqual([
      [0, 0.1],
      [1, 0.2],
      [2, 0.3],
    ]);
    expect(inputs.map((samples) => samples.at(-1))).toEqual([1, 2, 3]);
    expect(detector.stats).toEqual({ requested: 3, answered: 3, late: 0, failed: 0 });
  });

  test('gives the model the turn and half a second before it, padded with silence in front', () => {
    const { detector, inputs } = setUp();
    const stream = detector.open();
    for (let at = 0; at < 100; at++) stream.push(new Int16Array(160).fill(at + 1), (at + 1) * 20);
    // The turn began a second ago.
    stream.predict(1_000, () => {});
    const samples = inputs[0]!;
    expect(samples.at(-1)).toBe(100);
    expect(samples[64_000 - 12_000]).toBe(26);
    expect(samples[64_000 - 12_001]).toBe(0);
  });

  test('gives the model the last eight seconds of a long turn', () => {
    const { detector, inputs } = setUp();
    const stream = detector.open();
    for (let at = 0; at < 1_000; at++) stream.push(new Int16Array(160).fill(at + 1), (at + 1) * 20);
    stream.predict(0, () => {});
    expect(inputs[0]![0]).toBe(601);
    expect(inputs[0]!.at(-1)).toBe(1_000);
  });

  test('gives the model silence for a turn without audio, whatever its start', () => {
    const { detector, inputs } = setUp();
    for (const since of [0, 1e9, -1e9, Number.NaN]) detector.open().predict(since, () => {});
    expect(inputs[0]!.every((sample) => sample === 0)).toBe(true);
  });

  test('drops a late result', async () => {
    const { detector, resolve, clock } = setUp();
    const results: number[] = [];
    detector.open().predict(0, (probability) => results.push(probability));
    await clock.advance(PREDICTION_DEADLINE_MS);
    await resolve(0.9);
    expect(results).toEqual([]);
    expect(detector.stats.late).toBe(1);
  });

  test('drops a request that waited too long', async () => {
    const { detector, resolve, inputs, clock } = setUp();
    const results: number[] = [];
    for (let call = 0; call < 3; call++) detector.open().predict(0, (probability) => results.push(probability));
    await clock.advance(PREDICTION_DEADLINE_MS);
    await resolve(0.9);
    expect(inputs).toHaveLength(1);
    expect(results).toEqual([]);
    expect(detector.stats.late).toBe(3);
  });

  test('replaces the request of a stream with its newer one', async () => {
    const { detector, resolve } = setUp();
    const results: string[] = [];
    const stream = detector.open();
    stream.predict(0, () => results.push('first'));
    stream.predict(0, () => results.push('second'));
    await resolve(0.5);
    await resolve(0.5);
    expect(results).toEqual(['second']);
  });

  test('delivers nothing to a closed stream', async () => {
    const { detector, resolve } = setUp();
    const results: string[] = [];
    const closed = detector.open();
    closed.predict(0, () => results.push('closed'));
    detector.open().predict(0, () => results.push('open'));
    closed.close();
    closed.close();
    closed.predict(0, () => results.push('closed'));
    await resolve(0.5);
    await resolve(0.5);
    expect(results).toEqual(['open']);
  });

  test('isolates the error of one listener', async () => {
    const { detector, resolve } = setUp();
    const results: string[] = [];
    detector.open().predict(0, () => {
      throw new Error('listener error');
    });
    detector.open().predict(0, () => results.push('good'));
    await resolve(0.5);
    await resolve(0.5);
    expect(results).toEqual(['good']);
  });

  test('gives no result while a model that failed is restarted, and then again', async () => {
    const { detector, resolve, reject, clock } = setUp();
    const results: string[] = [];
    for (const name of ['failed', 'waiting']) detector.open().predict(0, () => results.push(name));
    await reject();
    detector.open().predict(0, () => results.push('meanwhile'));
    expect(detector.worker.running).toBe(false);
    await clock.advance(0);
    expect(detector.worker).toMatchObject({ running: true, restarts: 1 });
    detector.open().predict(0, () => results.push('restarted'));
    await resolve(0.5);
    expect(results).toEqual(['restarted']);
    expect(detector.stats).toMatchObject({ requested: 4, answered: 1, failed: 3 });
  });

  test('gives up a model that does not answer for ten seconds', async () => {
    const { detector, resolve, forget, clock } = setUp();
    const results: string[] = [];
    detector.open().predict(0, () => results.push('hung'));
    await clock.advance(10_000);
    forget();
    expect(detector.worker).toMatchObject({ running: true, restarts: 1 });
    detector.open().predict(0, () => results.push('restarted'));
    await resolve(0.5);
    expect(results).toEqual(['restarted']);
  });
});

describe('the ONNX model', () => {
  test('a file of the right shape predicts from the audio', async () => {
    const detector = await loadTurnDetector({ path: file('good.onnx', turnModelFile()), clock: systemClock, log });
    open.push(detector);
    const predict = async (sample: (at: number) => number): Promise<number> => {
      const stream = detector.open();
      stream.push(
        Int16Array.from({ length: 16_000 }, (_, at) => sample(at)),
        2_000,
      );
      // A busy machine is late now and then: request again.
      const results: number[] = [];
      while (results.length === 0) {
        const { late } = detector.stats;
        stream.predict(0, (probability) => results.push(probability));
        await until(() => results.length > 0 || detector.stats.late > late);
      }
      return results[0]!;
    };
    // The mean of silence is -1.5: sigmoid(-1.5).
    expect(await predict(() => 0)).toBeCloseTo(1 / (1 + Math.exp(1.5)), 4);
    const tone = await predict((at) => Math.round(8_000 * Math.sin((2 * Math.PI * 440 * at) / 8_000)));
    expect(tone).toBeGreaterThan(0.2);
    expect(tone).toBeLessThan(0.8);
  });

  test.each<ThreadFailure>(['exit', 'throw'])('is loaded again when its thread is lost (%s)', async (failure) => {
    const script = new URL('../../support/failing-threads/turn-detector.ts', import.meta.url);
    const path = file('lost.onnx', turnModelFile());
    const detector = await loadTurnDetector({ path, clock: systemClock, log, script });
    open.push(detector);
    const thread = new BroadcastChannel('turn-detector');
    thread.postMessage(failure);
    const stream = detector.open();
    stream.push(new Int16Array(16_000), 2_000);
    // A call requests one at each pause; it is answered, late, or finds no model.
    const { stats, worker } = detector;
    let over = 0;
    const requestNext = () => {
      if (stats.requested > over && stats.answered + stats.late + stats.failed === over) return;
      over = stats.answered + stats.late + stats.failed;
      stream.predict(0, () => {});
    };
    await until(() => {
      requestNext();
      return worker.restarts === 1;
    }, 'a new thread');
    const { answered } = stats;
    await until(() => {
      requestNext();
      return stats.answered > answered;
    }, 'a prediction');
    thread.close();
  });

  test('the same audio gives the same probability, and a closed model rejects', async () => {
    const model = await loadTurnDetectorModel(file('again.onnx', turnModelFile({ gain: 3, bias: 1 })), systemClock);
    model.samples.set(
      Int16Array.from({ length: 8_000 }, (_, at) => ((at * 7_919) % 20_000) - 10_000),
      50_000,
    );
    const first = await model.run();
    expect(await model.run()).toBe(first);
    await model.close();
    await expect(model.run()).rejects.toThrow('closed');
  });

  test('loading rejects a missing file, a file that is no model, and a model of another shape', async () => {
    const load = (path: string) => loadTurnDetector({ path, clock: systemClock, log });
    await expect(load(join(folder, 'none.onnx'))).rejects.toThrow(/^TURN_MODEL: there is no file .*none\.onnx$/);
    await expect(load(file('text.onnx', 'not a model'))).rejects.toThrow(/^TURN_MODEL: .* is no turn-detector model/);
    await expect(load(file('other.onnx', turnModelFile({ outputs: 80 })))).rejects.toThrow(/not one probability/);
  });

  test('the engine requires the file that TURN_MODEL names, and runs without the setting', async () => {
    const config = readMediaConfig({ MEDIA_TOKEN_SECRET: 'x'.repeat(16), RECORDINGS_DIR: folder });
    expect(config.TURN_MODEL).toBe('');
    const named = { ...config, TURN_MODEL: join(folder, 'none.onnx') };
    await expect(createProviderFactory({ config: named, clock: systemClock, log })).rejects.toThrow('TURN_MODEL');
    expect((await createProviderFactory({ config, clock: systemClock, log })).turnDetector).toBeNull();
  });

  test('the engine uses the model that was fetched, where it is there', async () => {
    const settings = { MEDIA_TOKEN_SECRET: 'x'.repeat(16), RECORDINGS_DIR: folder };
    const config = readMediaConfig({ ...settings, MODELS_DIR: folder });
    const load = async () => (await createProviderFactory({ config, clock: systemClock, log })).turnDetector;
    expect(await load()).toBeNull();
    file(SMART_TURN.file, turnModelFile({ gain: 1, bias: 0 }));
    const turnDetector = await load();
    expect(turnDetector).not.toBeNull();
    open.push(turnDetector!);
  });
});
