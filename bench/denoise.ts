import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDenoiser, loadDenoiser } from '../media/audio/denoise.ts';
import { loadDenoiseThread } from '../media/audio/denoise-thread.ts';
import { systemClock } from '../shared/clock.ts';
import { createLogger } from '../shared/log.ts';
import { percentiles } from '../shared/percentiles.ts';

/**
 * Measures the cost of noise cancellation for the audio thread per 20 ms frame, computed there and in the separate thread, and
 * the delay of a frame. Calls have different phases within the 20 ms.
 */

const CALLS = [1, 10, 25, 40];
const SECONDS = Number(process.env.SECONDS ?? 10);
const FRAME_MS = 20;
const log = createLogger('bench', 'warn');
const cell = (value: string | number) => String(value).padStart(14);

/** Pushes a frame of each call every 20 ms; returns the CPU time of this thread in microseconds per frame. */
async function drive(calls: number, push: (call: number, frame: Int16Array, atMs: number) => void): Promise<number> {
  const frame = Int16Array.from({ length: 160 }, () => Math.round((Math.random() - 0.5) * 2_000));
  const startMs = performance.now();
  const before = process.threadCpuUsage();
  let pushed = 0;
  for (let ms = 0; ms < SECONDS * 1_000; ms++) {
    const phase = ms % FRAME_MS;
    for (let call = 0; call < calls; call++) {
      if ((call * 7) % FRAME_MS !== phase) continue;
      push(call, frame, performance.now());
      pushed++;
    }
    const waitMs = startMs + ms + 1 - performance.now();
    if (waitMs > 0) await sleep(waitMs);
  }
  const used = process.threadCpuUsage(before);
  return (used.user + used.system) / pushed;
}

const results: object[] = [];
console.log(['calls', 'here µs', 'thread µs', 'p50 ms', 'p95 ms', 'p99 ms', 'raw %'].map(cell).join(''));
const rnnoise = await loadDenoiser();
const denoising = await loadDenoiseThread({ clock: systemClock, log });
for (const calls of CALLS) {
  const idleUs = await drive(calls, () => {});
  const here = Array.from({ length: calls }, () => createDenoiser(rnnoise, 50, 8_000));
  const target = new Int16Array(160);
  const hereUs = (await drive(calls, (call, frame) => here[call]!.process(frame, target))) - idleUs;
  for (const denoiser of here) denoiser.close();

  const sentMs = Array.from({ length: calls }, () => [] as number[]);
  const underWay: number[] = [];
  const streams = sentMs.map((sent) =>
    denoising.open(50, 8_000, () => underWay.push(performance.now() - sent.shift()!)),
  );
  const before = { ...denoising.stats };
  const threadUs =
    (await drive(calls, (call, frame, atMs) => {
      sentMs[call]!.push(atMs);
      streams[call]!.push(frame, atMs);
    })) - idleUs;
  await sleep(200);
  for (const stream of streams) stream.close();
  const delay = percentiles(underWay, 2);
  const rawShare = (denoising.stats.raw - before.raw) / (denoising.stats.frames - before.frames);
  const row = [
    calls,
    hereUs.toFixed(0),
    threadUs.toFixed(0),
    delay.p50,
    delay.p95,
    delay.p99,
    (rawShare * 100).toFixed(2),
  ];
  console.log(row.map(cell).join(''));
  results.push({
    calls,
    here_us: Math.round(hereUs),
    thread_us: Math.round(threadUs),
    under_way_ms: delay,
    raw_share: rawShare,
  });
}
denoising.close();
const folder = join(import.meta.dirname, 'results');
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'denoise.json'), `${JSON.stringify(results, null, 2)}\n`);
console.log('the same in bench/results/denoise.json');
