import { describe, expect, it } from 'vitest';
import { createDenoiser, loadDenoiser } from '../../../media/audio/denoise.ts';
import {
  createDenoiseThread,
  DENOISE_DEADLINE_MS,
  type DenoiseCommand,
  type DenoiseMemory,
  type DenoiseWorkerListener,
  loadDenoiseThread,
  MAX_BATCH,
} from '../../../media/audio/denoise-thread.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { eventually } from '../../support/until.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const log = createLogger('test', 'silent');
const DELAY_MS = 14;

/** A thread that does as it is told by the test; what it cleans is a thousand louder. */
function scripted() {
  const clock = createVirtualClock();
  const orders: DenoiseCommand[] = [];
  const workers: { listener: DenoiseWorkerListener; memory: DenoiseMemory }[] = [];
  const denoising = createDenoiseThread({
    clock,
    log,
    start(listener) {
      const memory = { streams: new Int32Array(MAX_BATCH), samples: new Int16Array(MAX_BATCH * 160) };
      workers.push({ listener, memory });
      return { memory, post: (order) => void orders.push(order), stop() {} };
    },
  });
  const told: { stream: string; value: number; endMs: number; atMs: number }[] = [];
  return {
    clock,
    denoising,
    orders,
    told,
    ready: (at = workers.length - 1) => workers[at]!.listener.reply({ ready: DELAY_MS }),
    die: (at = workers.length - 1) => workers[at]!.listener.gone('a test'),
    clean(at = workers.length - 1) {
      const { memory, listener } = workers[at]!;
      const { count } = orders.findLast((order) => 'count' in order)!;
      for (let i = 0; i < count * 160; i++) memory.samples[i]! += 1_000;
      listener.reply({ count });
    },
    open(stream: string, strength = 50) {
      const opened = denoising.open(strength, (samples, endMs) =>
        told.push({ stream, value: samples[159]!, endMs, atMs: clock.now() }),
      );
      return { ...opened, say: (value: number) => opened.push(new Int16Array(160).fill(value), clock.now()) };
    },
    values: (stream: string) => told.filter((one) => one.stream === stream).map((one) => one.value),
    batches: () => orders.flatMap((order) => ('count' in order ? [order.count] : [])),
    workers,
  };
}

describe('noise cancellation beside the sound', () => {
  it('goes on without a thread where the machine gives none, and gets one later', async () => {
    const clock = createVirtualClock();
    const listeners: DenoiseWorkerListener[] = [];
    let starts = 0;
    const denoising = createDenoiseThread({
      clock,
      log,
      start(listener) {
        if (++starts === 2) throw new Error('no thread');
        listeners.push(listener);
        const memory = { streams: new Int32Array(MAX_BATCH), samples: new Int16Array(MAX_BATCH * 160) };
        return { memory, post() {}, stop() {} };
      },
    });
    listeners[0]!.reply({ ready: DELAY_MS });
    listeners[0]!.gone('a test');
    await clock.advance(5_000);
    let heard = 0;
    denoising.open(50, () => heard++).push(new Int16Array(160), 0);
    expect({ starts, heard }).toEqual({ starts: 2, heard: 1 });
    await clock.advance(5_000);
    expect(starts).toBe(3);
    denoising.close();
  });

  it('sends what came in together as one batch, and what comes meanwhile as the next', async () => {
    const { clock, ready, open, clean, batches, told, workers } = scripted();
    ready();
    const calls = ['a', 'b', 'c'].map((name) => open(name));
    for (const [at, call] of calls.entries()) call.say(at + 1);
    await clock.advance(0);
    expect(batches()).toEqual([3]);
    expect([...workers[0]!.memory.streams.subarray(0, 3)]).toEqual([1, 2, 3]);
    calls[0]!.say(4);
    await clock.advance(5);
    calls[1]!.say(5);
    expect(batches()).toEqual([3]);
    clean();
    expect(batches()).toEqual([3, 2]);
    clean();
    expect(told.map(({ stream, value, endMs }) => [stream, value, endMs])).toEqual([
      ['a', 1_001, -DELAY_MS],
      ['b', 1_002, -DELAY_MS],
      ['c', 1_003, -DELAY_MS],
      ['a', 1_004, -DELAY_MS],
      ['b', 1_005, 5 - DELAY_MS],
    ]);
  });

  it('lets a frame go on with its noise when the thread is late, and never twice', async () => {
    const { clock, ready, open, clean, told, values } = scripted();
    ready();
    const call = open('a');
    call.say(1);
    await clock.advance(20);
    call.say(2);
    await clock.advance(DENOISE_DEADLINE_MS - 21);
    expect(told).toEqual([]);
    await clock.advance(1);
    // The second would come later still.
    expect(told.map(({ value, endMs, atMs }) => [value, endMs, atMs])).toEqual([
      [1, 0, 40],
      [2, 20, 40],
    ]);
    // As long as the thread is stuck nothing waits for it.
    call.say(3);
    expect(values('a')).toEqual([1, 2, 3]);
    clean();
    expect(values('a')).toEqual([1, 2, 3]);
    call.say(4);
    await clock.advance(1);
    clean();
    expect(values('a')).toEqual([1, 2, 3, 1_004]);
  });

  it('keeps the order of every call, whatever the thread does', async () => {
    const random = seededRandom(11);
    const { clock, ready, die, clean, open, told, workers, batches } = scripted();
    ready();
    const names = ['a', 'b', 'c', 'd'];
    const calls = names.map((name) => open(name));
    let answered = 0;
    const settle = () => {
      if (batches().length <= answered) return;
      answered = batches().length;
      clean();
    };
    for (let frame = 1; frame <= 500; frame++) {
      for (const call of calls) call.say(frame);
      await clock.advance(20);
      const chance = random();
      if (chance < 0.7) settle();
      else if (chance > 0.99) {
        die();
        answered = batches().length;
        await clock.advance(6_000);
        ready(workers.length - 1);
      }
    }
    await clock.advance(200);
    expect(workers.length).toBeGreaterThan(1);
    for (const name of names) {
      const heard = told.filter((one) => one.stream === name).map((one) => one.value % 1_000);
      expect(heard).toEqual(Array.from({ length: 500 }, (_, at) => at + 1));
    }
    expect(told.some((one) => one.value > 1_000)).toBe(true);
    expect(told.some((one) => one.value < 1_000)).toBe(true);
  });

  it('goes on without a thread that died, at once, and with the next one when that is ready', async () => {
    const { clock, ready, die, open, clean, values, orders, denoising, workers } = scripted();
    ready();
    const call = open('a', 30);
    call.say(1);
    await clock.advance(1);
    die();
    expect(values('a')).toEqual([1]);
    call.say(2);
    expect(values('a')).toEqual([1, 2]);
    await clock.advance(5_000);
    expect(workers).toHaveLength(2);
    call.say(3);
    expect(values('a')).toEqual([1, 2, 3]);
    // An answer of the dead.
    ready(0);
    call.say(4);
    expect(values('a')).toEqual([1, 2, 3, 4]);
    ready();
    expect(orders.filter((order) => 'open' in order)).toEqual([
      { open: 1, strength: 30 },
      { open: 1, strength: 30 },
    ]);
    call.say(5);
    await clock.advance(1);
    clean();
    expect(values('a')).toEqual([1, 2, 3, 4, 1_005]);
    expect(denoising.stats).toMatchObject({ raw: 4, restarts: 1 });
  });

  it('tells nothing to a call that was closed, and the others all the same when one fails', async () => {
    const { clock, ready, open, clean, values, orders, denoising } = scripted();
    ready();
    const gone = open('gone');
    const broken = denoising.open(50, () => {
      throw new Error('a mistake');
    });
    const call = open('a');
    gone.say(1);
    broken.push(new Int16Array(160), 0);
    call.say(2);
    await clock.advance(1);
    gone.close();
    gone.close();
    clean();
    expect(values('gone')).toEqual([]);
    expect(values('a')).toEqual([1_002]);
    expect(orders.filter((order) => 'close' in order)).toEqual([{ close: 1 }]);
    denoising.close();
    call.say(3);
    await clock.advance(1_000);
    expect(values('a')).toEqual([1_002]);
    expect(clock.pending()).toBe(0);
  });

  it('computes nothing at strength 0, and knows no strength beyond 100', () => {
    const { ready, open, told, orders, denoising } = scripted();
    ready();
    open('a', 0).say(7);
    expect(told).toEqual([{ stream: 'a', value: 7, endMs: 0, atMs: 0 }]);
    expect(orders).toEqual([]);
    expect(() => denoising.open(101, () => {})).toThrow(RangeError);
  });

  it('takes as many calls as there are, a batch at a time', async () => {
    const { clock, ready, open, clean, batches, told } = scripted();
    ready();
    const calls = Array.from({ length: MAX_BATCH + 10 }, (_, at) => open(String(at)));
    for (const call of calls) call.say(1);
    await clock.advance(1);
    clean();
    clean();
    expect(batches()).toEqual([MAX_BATCH, 10]);
    expect(told).toHaveLength(MAX_BATCH + 10);
  });

  it('cleans in its thread to the sample as it does here', async () => {
    const random = seededRandom(3);
    const sound = Int16Array.from({ length: 50 * 160 }, () => Math.round((random() - 0.5) * 4_000));
    const expected: number[] = [];
    const here = createDenoiser(await loadDenoiser(), 80);
    const frame = new Int16Array(160);
    for (let at = 0; at < sound.length; at += 160) {
      here.process(sound.subarray(at, at + 160), frame);
      expected.push(...frame);
    }
    here.close();
    // Time stands still, so that no frame is late however busy this machine is.
    const denoising = await loadDenoiseThread({ clock: { ...systemClock, now: () => 0 }, log });
    try {
      const heard: number[] = [];
      const stream = denoising.open(80, (samples) => heard.push(...samples));
      for (let at = 0; at < sound.length; at += 160) stream.push(sound.subarray(at, at + 160), 0);
      await eventually('all frames', 20_000, async () => heard.length === sound.length || null);
      expect(heard).toEqual(expected);
      expect(denoising.stats.raw).toBe(0);
    } finally {
      denoising.close();
    }
  });
});
