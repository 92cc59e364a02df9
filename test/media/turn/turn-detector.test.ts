import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
import { turnModelFile } from '../../support/onnx-file.ts';
import { until } from '../../support/until.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const log = createLogger('test', 'silent');
const folder = mkdtempSync(join(tmpdir(), 'turn-model-'));
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

/** A judge that answers when told. */
function scriptedJudge() {
  const heard: Int16Array[] = [];
  let pending: { resolve: (probability: number) => void; reject: (error: Error) => void } | null = null;
  const samples = new Int16Array(64_000);
  const judge: TurnDetectorModel = {
    samples,
    run() {
      expect(pending, 'one question at a time').toBeNull();
      heard.push(samples.slice());
      return new Promise((resolve, reject) => {
        pending = { resolve, reject };
      });
    },
    async close() {},
  };
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    judge,
    heard,
    async answer(probability: number) {
      const asked = pending!;
      pending = null;
      asked.resolve(probability);
      await settled();
    },
    async fail() {
      const asked = pending!;
      pending = null;
      asked.reject(new Error('no memory'));
      await settled();
    },
  };
}

function setUp() {
  const script = scriptedJudge();
  const clock = createVirtualClock();
  return { ...script, clock, model: createTurnDetector({ judge: script.judge, clock, log }) };
}

describe('the queue to the model', () => {
  test('one question of many calls at a time, in their order', async () => {
    const { model, answer, heard } = setUp();
    const answers: [number, number][] = [];
    for (let call = 0; call < 3; call++) {
      const ear = model.open();
      ear.push(new Int16Array(160).fill(call + 1), 0);
      ear.predict(0, (probability) => answers.push([call, probability]));
    }
    expect(heard).toHaveLength(1);
    for (const probability of [0.1, 0.2, 0.3]) await answer(probability);
    expect(answers).toEqual([
      [0, 0.1],
      [1, 0.2],
      [2, 0.3],
    ]);
    expect(heard.map((samples) => samples.at(-1))).toEqual([1, 2, 3]);
    expect(model.stats).toEqual({ asked: 3, answered: 3, late: 0, failed: 0 });
  });

  test('it is given the turn and half a second before, silence in front of it', () => {
    const { model, heard } = setUp();
    const ear = model.open();
    for (let at = 0; at < 100; at++) ear.push(new Int16Array(160).fill(at + 1), (at + 1) * 20);
    // The turn began a second ago.
    ear.predict(1_000, () => {});
    const samples = heard[0]!;
    expect(samples.at(-1)).toBe(100);
    expect(samples[64_000 - 12_000]).toBe(26);
    expect(samples[64_000 - 12_001]).toBe(0);
  });

  test('of a long turn it is given the last eight seconds', () => {
    const { model, heard } = setUp();
    const ear = model.open();
    for (let at = 0; at < 1_000; at++) ear.push(new Int16Array(160).fill(at + 1), (at + 1) * 20);
    ear.predict(0, () => {});
    expect(heard[0]![0]).toBe(601);
    expect(heard[0]!.at(-1)).toBe(1_000);
  });

  test('a turn that nothing was heard of is silence, and odd moments harm nothing', () => {
    const { model, heard } = setUp();
    for (const since of [0, 1e9, -1e9, Number.NaN]) model.open().predict(since, () => {});
    expect(heard[0]!.every((sample) => sample === 0)).toBe(true);
  });

  test('an answer that comes late is not given', async () => {
    const { model, answer, clock } = setUp();
    const answers: number[] = [];
    model.open().predict(0, (probability) => answers.push(probability));
    await clock.advance(PREDICTION_DEADLINE_MS);
    await answer(0.9);
    expect(answers).toEqual([]);
    expect(model.stats.late).toBe(1);
  });

  test('a question that waited too long is not asked', async () => {
    const { model, answer, heard, clock } = setUp();
    const answers: number[] = [];
    for (let call = 0; call < 3; call++) model.open().predict(0, (probability) => answers.push(probability));
    await clock.advance(PREDICTION_DEADLINE_MS);
    await answer(0.9);
    expect(heard).toHaveLength(1);
    expect(answers).toEqual([]);
    expect(model.stats.late).toBe(3);
  });

  test('a new question of the same call takes the place of the old one', async () => {
    const { model, answer } = setUp();
    const answers: string[] = [];
    const ear = model.open();
    ear.predict(0, () => answers.push('first'));
    ear.predict(0, () => answers.push('second'));
    await answer(0.5);
    await answer(0.5);
    expect(answers).toEqual(['second']);
  });

  test('a call that is over hears nothing more, and the others do', async () => {
    const { model, answer } = setUp();
    const answers: string[] = [];
    const gone = model.open();
    gone.predict(0, () => answers.push('gone'));
    model.open().predict(0, () => answers.push('there'));
    gone.close();
    gone.close();
    gone.predict(0, () => answers.push('gone'));
    await answer(0.5);
    await answer(0.5);
    expect(answers).toEqual(['there']);
  });

  test('a failure of the model, or of who asked, is not the other calls failure', async () => {
    const { model, answer, fail } = setUp();
    const answers: string[] = [];
    model.open().predict(0, () => answers.push('failed'));
    model.open().predict(0, () => {
      throw new Error('a mistake of ours');
    });
    model.open().predict(0, () => answers.push('good'));
    await fail();
    await answer(0.5);
    await answer(0.5);
    expect(answers).toEqual(['good']);
    expect(model.stats.failed).toBe(1);
  });
});

describe('the model itself', () => {
  test('a file of the right shape hears the sound it is given', async () => {
    const model = await loadTurnDetector({ path: file('good.onnx', turnModelFile()), clock: systemClock, log });
    open.push(model);
    const hear = async (sample: (at: number) => number): Promise<number> => {
      const ear = model.open();
      ear.push(
        Int16Array.from({ length: 16_000 }, (_, at) => sample(at)),
        2_000,
      );
      // A busy machine may be too late now and then, which is no answer: it is asked again.
      const answers: number[] = [];
      while (answers.length === 0) {
        const { late } = model.stats;
        ear.predict(0, (probability) => answers.push(probability));
        await until(() => answers.length > 0 || model.stats.late > late);
      }
      return answers[0]!;
    };
    // The mean of silence is -1.5: sigmoid(-1.5).
    expect(await hear(() => 0)).toBeCloseTo(1 / (1 + Math.exp(1.5)), 4);
    const tone = await hear((at) => Math.round(8_000 * Math.sin((2 * Math.PI * 440 * at) / 8_000)));
    expect(tone).toBeGreaterThan(0.2);
    expect(tone).toBeLessThan(0.8);
  });

  test('two questions of the same sound have the same answer, and it closes', async () => {
    const judge = await loadTurnDetectorModel(file('again.onnx', turnModelFile({ gain: 3, bias: 1 })), systemClock);
    judge.samples.set(
      Int16Array.from({ length: 8_000 }, (_, at) => ((at * 7_919) % 20_000) - 10_000),
      50_000,
    );
    const first = await judge.run();
    expect(await judge.run()).toBe(first);
    await judge.close();
    await expect(judge.run()).rejects.toThrow('closed');
  });

  test('a file that is not there, no model, or another model is said so at the start', async () => {
    const load = (path: string) => loadTurnDetector({ path, clock: systemClock, log });
    await expect(load(join(folder, 'none.onnx'))).rejects.toThrow(/^TURN_MODEL: there is no file .*none\.onnx$/);
    await expect(load(file('text.onnx', 'not a model'))).rejects.toThrow(/^TURN_MODEL: .* is no end-of-turn model/);
    await expect(load(file('other.onnx', turnModelFile({ outputs: 80 })))).rejects.toThrow(/not one probability/);
  });

  test('the engine does not start without the file its setting names, and needs none', async () => {
    const config = readMediaConfig({ MEDIA_TOKEN_SECRET: 'x'.repeat(16), RECORDINGS_DIR: folder });
    expect(config.TURN_MODEL).toBe('');
    const named = { ...config, TURN_MODEL: join(folder, 'none.onnx') };
    await expect(createProviderFactory({ config: named, clock: systemClock, log })).rejects.toThrow('TURN_MODEL');
    expect((await createProviderFactory({ config, clock: systemClock, log })).turnDetector).toBeNull();
  });
});
