import { BroadcastChannel } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { createDenoiser, loadDenoiser } from '../../../media/audio/denoise.ts';
import {
  type DenoiseCommand,
  type DenoiseMemory,
  type DenoiseReply,
  MAX_BATCH,
  ROW_SAMPLES,
} from '../../../media/audio/denoise-protocol.ts';
import { createDenoiseThread, DENOISE_DEADLINE_MS, loadDenoiseThread } from '../../../media/audio/denoise-thread.ts';
import { type Clock, systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import type { ThreadListener } from '../../../shared/worker-thread.ts';
import type { ThreadFailure } from '../../support/failing-threads/fail-on-demand.ts';
import { patientClock } from '../../support/patient-clock.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { eventually, until } from '../../support/until.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const log = createLogger('test', 'silent');
const DELAY_MS = 14;

/** A thread run by the test; a denoised frame is louder by a thousand. */
function scripted() {
  const clock = createVirtualClock();
  const commands: DenoiseCommand[] = [];
  const workers: { listener: ThreadListener<DenoiseReply>; memory: DenoiseMemory }[] = [];
  const denoising = createDenoiseThread({
    clock,
    log,
    start(listener) {
      const memory = { streams: new Int32Array(MAX_BATCH), samples: new Int16Array(MAX_BATCH * ROW_SAMPLES) };
      workers.push({ listener, memory });
      return { memory, thread: { post: (command) => void commands.push(command), async terminate() {} } };
    },
  });
  const delivered: { stream: string; value: number; endMs: number; atMs: number }[] = [];
  return {
    clock,
    denoising,
    commands,
    delivered,
    ready: (at = workers.length - 1) => workers[at]!.listener.onMessage('ready'),
    exit: (at = workers.length - 1) => workers[at]!.listener.onExit('exited by the test'),
    denoise(at = workers.length - 1) {
      const { memory, listener } = workers[at]!;
      const { count } = commands.findLast((command) => 'count' in command)!;
      for (let i = 0; i < count * ROW_SAMPLES; i++) memory.samples[i]! += 1_000;
      listener.onMessage({ count });
    },
    open(stream: string, strength = 50) {
      const opened = denoising.open(strength, 8_000, (samples, endMs) =>
        delivered.push({ stream, value: samples[159]!, endMs, atMs: clock.now() }),
      );
      return { ...opened, push: (value: number) => opened.push(new Int16Array(160).fill(value), clock.now()) };
    },
    values: (stream: string) => delivered.filter((one) => one.stream === stream).map((one) => one.value),
    batches: () => commands.flatMap((command) => ('count' in command ? [command.count] : [])),
    workers,
  };
}

describe('the noise cancellation thread', () => {
  it('delivers audio while no thread can be started, and retries', async () => {
    const clock = createVirtualClock();
    const listeners: ThreadListener<DenoiseReply>[] = [];
    let starts = 0;
    const denoising = createDenoiseThread({
      clock,
      log,
      start(listener) {
        if (++starts === 2) throw new Error('no thread');
        listeners.push(listener);
        const memory = { streams: new Int32Array(MAX_BATCH), samples: new Int16Array(MAX_BATCH * ROW_SAMPLES) };
        return { memory, thread: { post() {}, async terminate() {} } };
      },
    });
    listeners[0]!.onMessage('ready');
    listeners[0]!.onExit('exited by the test');
    await clock.advance(0);
    let received = 0;
    denoising.open(50, 8_000, () => received++).push(new Int16Array(160), 0);
    expect({ starts, received }).toEqual({ starts: 2, received: 1 });
    await clock.advance(500);
    expect(starts).toBe(3);
    expect(denoising.worker).toMatchObject({ running: false, restarts: 0 });
    listeners[1]!.onMessage('ready');
    expect(denoising.worker).toMatchObject({ running: true, restarts: 1 });
    denoising.close();
  });

  it('ends a thread that does not come back from a batch within a second, or does not load', async () => {
    const { clock, ready, open, values, workers, denoise, denoising } = scripted();
    ready();
    const call = open('a');
    for (let frame = 1; frame <= 54; frame++) {
      call.push(frame);
      await clock.advance(20);
    }
    expect(workers).toHaveLength(2);
    // Late, and from the thread that was given up.
    denoise(0);
    expect(values('a')).toEqual(Array.from({ length: 54 }, (_, at) => at + 1));
    await clock.advance(30_500);
    ready();
    expect(workers).toHaveLength(3);
    call.push(55);
    await clock.advance(1);
    denoise();
    expect(values('a').at(-1)).toBe(1_055);
    expect(denoising.worker).toMatchObject({ running: true, restarts: 1 });
  });

  it('batches the frames that come in together, and those that come in meanwhile', async () => {
    const { clock, ready, open, denoise, batches, delivered, workers } = scripted();
    ready();
    const calls = ['a', 'b', 'c'].map((name) => open(name));
    for (const [at, call] of calls.entries()) call.push(at + 1);
    await clock.advance(0);
    expect(batches()).toEqual([3]);
    expect([...workers[0]!.memory.streams.subarray(0, 3)]).toEqual([1, 2, 3]);
    calls[0]!.push(4);
    await clock.advance(5);
    calls[1]!.push(5);
    expect(batches()).toEqual([3]);
    denoise();
    expect(batches()).toEqual([3, 2]);
    denoise();
    expect(delivered.map(({ stream, value, endMs }) => [stream, value, endMs])).toEqual([
      ['a', 1_001, -DELAY_MS],
      ['b', 1_002, -DELAY_MS],
      ['c', 1_003, -DELAY_MS],
      ['a', 1_004, -DELAY_MS],
      ['b', 1_005, 5 - DELAY_MS],
    ]);
  });

  it('delivers a frame with its noise when the thread is late, and only once', async () => {
    const { clock, ready, open, denoise, delivered, values } = scripted();
    ready();
    const call = open('a');
    call.push(1);
    await clock.advance(20);
    call.push(2);
    await clock.advance(DENOISE_DEADLINE_MS - 21);
    expect(delivered).toEqual([]);
    await clock.advance(1);
    // The second frame would be later still.
    expect(delivered.map(({ value, endMs, atMs }) => [value, endMs, atMs])).toEqual([
      [1, 0, 40],
      [2, 20, 40],
    ]);
    // Nothing waits while the thread is stuck.
    call.push(3);
    expect(values('a')).toEqual([1, 2, 3]);
    denoise();
    expect(values('a')).toEqual([1, 2, 3]);
    call.push(4);
    await clock.advance(1);
    denoise();
    expect(values('a')).toEqual([1, 2, 3, 1_004]);
  });

  it('keeps the order of frames through delays and restarts', async () => {
    const random = seededRandom(11);
    const { clock, ready, exit, denoise, open, delivered, workers, batches } = scripted();
    ready();
    const names = ['a', 'b', 'c', 'd'];
    const calls = names.map((name) => open(name));
    let denoisedBatches = 0;
    const settle = () => {
      if (batches().length <= denoisedBatches) return;
      denoisedBatches = batches().length;
      denoise();
    };
    for (let frame = 1; frame <= 500; frame++) {
      for (const call of calls) call.push(frame);
      await clock.advance(20);
      const draw = random();
      if (draw < 0.7) settle();
      else if (draw > 0.99) {
        exit();
        denoisedBatches = batches().length;
        await clock.advance(6_000);
        ready(workers.length - 1);
      }
    }
    await clock.advance(200);
    expect(workers.length).toBeGreaterThan(1);
    for (const name of names) {
      const received = delivered.filter((one) => one.stream === name).map((one) => one.value % 1_000);
      expect(received).toEqual(Array.from({ length: 500 }, (_, at) => at + 1));
    }
    expect(delivered.some((one) => one.value > 1_000)).toBe(true);
    expect(delivered.some((one) => one.value < 1_000)).toBe(true);
  });

  it('delivers raw audio after the thread exits until the next one is ready', async () => {
    const { clock, ready, exit, open, denoise, values, commands, denoising, workers } = scripted();
    ready();
    const call = open('a', 30);
    call.push(1);
    await clock.advance(1);
    exit();
    expect(values('a')).toEqual([1]);
    call.push(2);
    expect(values('a')).toEqual([1, 2]);
    await clock.advance(0);
    expect(workers).toHaveLength(2);
    call.push(3);
    expect(values('a')).toEqual([1, 2, 3]);
    // A late message of the thread that exited.
    ready(0);
    call.push(4);
    expect(values('a')).toEqual([1, 2, 3, 4]);
    ready();
    expect(commands.filter((command) => 'open' in command)).toEqual([
      { open: 1, strength: 30, rateHz: 8_000 },
      { open: 1, strength: 30, rateHz: 8_000 },
    ]);
    call.push(5);
    await clock.advance(1);
    denoise();
    expect(values('a')).toEqual([1, 2, 3, 4, 1_005]);
    expect([denoising.stats.raw, denoising.worker.restarts]).toEqual([4, 1]);
  });

  it('delivers nothing to a closed stream, and isolates a failing listener', async () => {
    const { clock, ready, open, denoise, values, commands, denoising } = scripted();
    ready();
    const closed = open('closed');
    const broken = denoising.open(50, 8_000, () => {
      throw new Error('listener error');
    });
    const call = open('a');
    closed.push(1);
    broken.push(new Int16Array(160), 0);
    call.push(2);
    await clock.advance(1);
    closed.close();
    closed.close();
    denoise();
    expect(values('closed')).toEqual([]);
    expect(values('a')).toEqual([1_002]);
    expect(commands.filter((command) => 'close' in command)).toEqual([{ close: 1 }]);
    denoising.close();
    call.push(3);
    await clock.advance(1_000);
    expect(values('a')).toEqual([1_002]);
    expect(clock.pending()).toBe(0);
  });

  it('passes audio through at strength 0, and rejects a strength above 100', () => {
    const { ready, open, delivered, commands, denoising } = scripted();
    ready();
    open('a', 0).push(7);
    expect(delivered).toEqual([{ stream: 'a', value: 7, endMs: 0, atMs: 0 }]);
    expect(commands).toEqual([]);
    expect(() => denoising.open(101, 8_000, () => {})).toThrow(RangeError);
  });

  it('splits many streams into batches', async () => {
    const { clock, ready, open, denoise, batches, delivered } = scripted();
    ready();
    const calls = Array.from({ length: MAX_BATCH + 10 }, (_, at) => open(String(at)));
    for (const call of calls) call.push(1);
    await clock.advance(1);
    denoise();
    denoise();
    expect(batches()).toEqual([MAX_BATCH, 10]);
    expect(delivered).toHaveLength(MAX_BATCH + 10);
  });

  it('delivers frames of 16 kHz beside those of 8 kHz', async () => {
    const denoising = await loadDenoiseThread({ clock: { ...systemClock, now: () => 0 }, log });
    try {
      const lengths: Record<number, number[]> = { 8000: [], 16000: [] };
      const streams = [8_000, 16_000].map((rateHz) => ({
        rateHz,
        stream: denoising.open(50, rateHz, (samples, endMs) => lengths[rateHz]!.push(samples.length, endMs)),
      }));
      for (const { rateHz, stream } of streams) stream.push(new Int16Array(rateHz / 50), 100);
      await eventually(
        'both frames',
        60_000,
        async () => Object.values(lengths).every(({ length }) => length > 0) || null,
      );
      expect(lengths).toEqual({ 8000: [160, 86], 16000: [320, 88] });
      expect(() => denoising.open(50, 48_000, () => {})).toThrow(RangeError);
    } finally {
      denoising.close();
    }
  });

  it.each<ThreadFailure>(['exit', 'throw', 'hang'])(
    'is started again when it is lost (%s); calls go on',
    async (failure) => {
      const script = new URL('../../support/failing-threads/denoise.ts', import.meta.url);
      // Only a thread that hangs is waited for until the deadline.
      let hangs = false;
      const clock: Clock = {
        ...systemClock,
        after: (delayMs, run) => (hangs ? systemClock : patientClock).after(delayMs, run),
      };
      const denoising = await loadDenoiseThread({ clock, log, script });
      const thread = new BroadcastChannel('denoise');
      try {
        thread.postMessage(failure);
        hangs = failure === 'hang';
        let pushed = 0;
        let received = 0;
        const stream = denoising.open(50, 8_000, () => received++);
        await until(() => {
          stream.push(new Int16Array(160), performance.now());
          pushed++;
          return denoising.worker.restarts === 1;
        }, 'a new thread');
        hangs = false;
        await until(() => received === pushed, 'every frame');
        const { batches } = denoising.stats;
        await until(() => {
          stream.push(new Int16Array(160), performance.now());
          return denoising.stats.batches > batches + 1;
        }, 'batches of the new thread');
        expect(denoising.worker).toMatchObject({ running: true, restarts: 1 });
      } finally {
        thread.close();
        denoising.close();
      }
    },
  );

  it('denoises exactly like the same denoiser in this thread', async () => {
    const random = seededRandom(3);
    const audio = Int16Array.from({ length: 50 * 160 }, () => Math.round((random() - 0.5) * 4_000));
    const expected: number[] = [];
    const here = createDenoiser(await loadDenoiser(), 80, 8_000);
    const frame = new Int16Array(160);
    for (let at = 0; at < audio.length; at += 160) {
      here.process(audio.subarray(at, at + 160), frame);
      expected.push(...frame);
    }
    here.close();
    // The clock stands still, so that no frame is late on a busy machine.
    const denoising = await loadDenoiseThread({ clock: { ...systemClock, now: () => 0 }, log });
    try {
      const received: number[] = [];
      const stream = denoising.open(80, 8_000, (samples) => received.push(...samples));
      for (let at = 0; at < audio.length; at += 160) stream.push(audio.subarray(at, at + 160), 0);
      await eventually('all frames', 60_000, async () => received.length === audio.length || null);
      expect(received).toEqual(expected);
      expect(denoising.stats.raw).toBe(0);
    } finally {
      denoising.close();
    }
  });
});
