import { readFileSync } from 'node:fs';
import { BroadcastChannel } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import { readWav } from '../../../media/audio/wav.ts';
import { loadVad, type RestartingVad } from '../../../media/turn/vad.ts';
import { type Clock, systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import type { ThreadFailure } from '../../support/failing-threads/fail-on-demand.ts';
import { patientClock } from '../../support/patient-clock.ts';
import { until } from '../../support/until.ts';

const log = createLogger('test', 'silent');
const script = new URL('../../support/failing-threads/silero.ts', import.meta.url);
const thread = new BroadcastChannel('silero');
thread.unref();

let vad: RestartingVad | null = null;
afterEach(async () => {
  await vad?.close();
  vad = null;
});

const reading = readWav(readFileSync('fixtures/speech/day-time.wav'));
if (reading.type === 'invalid') throw new Error(reading.why);
const samples = reading.wav.channels[0]!;
const { speech } = JSON.parse(readFileSync('fixtures/speech/day-time.json', 'utf8')) as {
  speech: { start: number; end: number }[];
};

test.each<ThreadFailure>(['exit', 'throw', 'hang'])(
  'calls go on while the thread of the model is lost (%s)',
  async (failure) => {
    // Only a thread that hangs is waited for until the deadline.
    let hangs = false;
    const clock: Clock = {
      ...systemClock,
      after: (delayMs, run) => (hangs ? systemClock : patientClock).after(delayMs, run),
    };
    const loaded = await loadVad({ clock, log, script });
    vad = loaded;
    const calls = [0, 1].map(() => [] as { probability: number; endMs: number }[]);
    const streams = calls.map((windows) => loaded.open((probability, endMs) => windows.push({ probability, endMs })));
    const wanted = Math.floor(samples.length / 256);
    for (let window = 0; window < wanted; window++) {
      // In the middle of the speech.
      if (window === 20) {
        thread.postMessage(failure);
        hangs = failure === 'hang';
      }
      if (loaded.stats.failed > 0) hangs = false;
      for (const stream of streams) stream.push(samples.subarray(window * 256, (window + 1) * 256), (window + 1) * 32);
      await until(() => calls.every((windows) => windows.length > window));
      if (window === 40) await until(() => loaded.worker.restarts === 1, 'a new thread');
    }
    for (const windows of calls) {
      expect(windows.map(({ endMs }) => endMs)).toEqual(Array.from({ length: wanted }, (_, at) => (at + 1) * 32));
      const spoken = windows.filter(({ probability }) => probability >= 0.5);
      expect(Math.abs(spoken[0]!.endMs - speech[0]!.start / 8)).toBeLessThan(200);
      expect(Math.abs(spoken.at(-1)!.endMs - speech.at(-1)!.end / 8)).toBeLessThan(200);
    }
    expect(loaded.stats.failed).toBeGreaterThan(0);
    expect(loaded.worker).toMatchObject({ running: true, restarts: 1 });
  },
);
