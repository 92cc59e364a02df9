import { execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readWav } from '../../../media/audio/wav.ts';
import { createRecorder, type Recorder } from '../../../media/report/recorder.ts';
import { type Clock, systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

let folder = '';
let lines: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recorder-'));
  lines = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function record(path = join(folder, 'call.wav'), clock: Clock = systemClock): Recorder {
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return createRecorder({ path, clock, log: createLogger('test', 'info', sink) });
}

async function channels(path = join(folder, 'call.wav')): Promise<[Int16Array, Int16Array]> {
  const reading = readWav(await readFile(path));
  if (reading.type === 'invalid') throw new Error(reading.why);
  expect(reading.wav.sampleRateHz).toBe(8000);
  expect(reading.wav.channels).toHaveLength(2);
  return reading.wav.channels as [Int16Array, Int16Array];
}

/** The caller's sample n is n (as 16 bits). */
function counting(from: number, count: number): Int16Array {
  return Int16Array.from({ length: count }, (_, i) => from + i);
}

/** Every stretch of the agent that is not silent: [first sample, samples]. */
function stretches(samples: Int16Array): [number, number][] {
  const found: [number, number][] = [];
  for (let i = 0; i < samples.length; i++) {
    if (samples[i] === 0) continue;
    const last = found.at(-1);
    if (last && last[0] + last[1] === i) last[1]++;
    else found.push([i, 1]);
  }
  return found;
}

test('both sides lie where they were heard, to the sample', async () => {
  const recorder = record();
  for (let frame = 0; frame < 500; frame++) {
    recorder.caller(counting(frame * 160, 160));
    if (frame >= 100 && frame < 150) recorder.agent(new Int16Array(160).fill(frame), (frame + 3) * 160 + 7);
  }
  expect(await recorder.close()).toEqual({ path: join(folder, 'call.wav'), durationSeconds: 10 });
  const [caller, agent] = await channels();
  expect(caller).toEqual(counting(0, 80000));
  expect(stretches(agent)).toEqual([[103 * 160 + 7, 50 * 160]]);
  expect(agent[103 * 160 + 7]).toBe(100);
  expect(agent[152 * 160 + 166]).toBe(149);
});

test('what was cut off was never heard', async () => {
  const recorder = record();
  recorder.caller(new Int16Array(8000));
  recorder.agent(new Int16Array(8000).fill(9), 8000);
  recorder.cutAgent(9000);
  recorder.caller(new Int16Array(4000));
  recorder.agent(new Int16Array(100).fill(9), 12000);
  recorder.caller(new Int16Array(30000));
  await recorder.close();
  expect(stretches((await channels())[1])).toEqual([
    [8000, 1000],
    [12000, 100],
  ]);
});

test('up to two seconds back can be cut, up to a second ahead can be given', async () => {
  const recorder = record();
  recorder.agent(new Int16Array(20000).fill(9), 0);
  recorder.caller(new Int16Array(24000));
  recorder.agent(new Int16Array(100).fill(9), 0);
  recorder.cutAgent(0);
  recorder.agent(new Int16Array(10000).fill(9), 24000);
  recorder.caller(new Int16Array(16000));
  await recorder.close();
  expect(stretches((await channels())[1])).toEqual([
    [0, 8000],
    [24000, 8000],
  ]);
});

test('the recording ends with the caller', async () => {
  const recorder = record();
  recorder.caller(counting(0, 100));
  recorder.agent(new Int16Array(4000).fill(9), 50);
  expect((await recorder.close()).durationSeconds).toBe(100 / 8000);
  const [caller, agent] = await channels();
  expect(caller).toEqual(counting(0, 100));
  expect(stretches(agent)).toEqual([[50, 50]]);
});

test('a call without sound is a file without samples', async () => {
  await record().close();
  expect((await channels())[0]).toHaveLength(0);
});

test('nobody sees the file before it is complete', async () => {
  const recorder = record();
  for (let i = 0; i < 10; i++) recorder.caller(new Int16Array(8000));
  const closed = recorder.close();
  expect(await readdir(folder)).not.toContain('call.wav');
  await closed;
  expect(await readdir(folder)).toEqual(['call.wav']);
});

test('closing twice is closing once, and what comes after is not recorded', async () => {
  const recorder = record();
  recorder.caller(new Int16Array(160));
  const first = recorder.close();
  recorder.caller(new Int16Array(160));
  recorder.agent(new Int16Array(160).fill(1), 0);
  expect(await recorder.close()).toBe(await first);
  expect((await channels())[0]).toHaveLength(160);
});

test('a missing folder is made', async () => {
  const path = join(folder, 'a', 'b', 'call.wav');
  const recorder = record(path);
  recorder.caller(new Int16Array(160));
  await recorder.close();
  expect((await channels(path))[0]).toHaveLength(160);
});

test('a disk that refuses is told of in one line, and the call goes on', async () => {
  await writeFile(join(folder, 'file'), '');
  const recorder = record(join(folder, 'file', 'call.wav'));
  for (let i = 0; i < 20; i++) recorder.caller(new Int16Array(8000));
  expect((await recorder.close()).durationSeconds).toBe(0);
  expect(recorder.failed).toBe(true);
  recorder.caller(new Int16Array(8000));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('recording stopped');
});

test('a name that is taken by a folder leaves nothing half done', async () => {
  const recorder = record(folder);
  recorder.caller(new Int16Array(160));
  await recorder.close();
  expect(recorder.failed).toBe(true);
  expect(await readdir(folder)).toEqual([]);
  await expect(readFile(`${folder}.part`)).rejects.toThrow('ENOENT');
});

test('a disk too slow stops the recording, not the call', async () => {
  const recorder = record();
  // All in one turn of the event loop: not one write can finish.
  for (let i = 0; i < 40; i++) recorder.caller(new Int16Array(8000));
  expect(recorder.failed).toBe(true);
  await recorder.close();
  expect(await readdir(folder)).toEqual([]);
  expect(lines).toHaveLength(1);
});

test('a disk that never answers holds up the end of a call for 12 s at most', async () => {
  // Opening a pipe for writing waits until somebody reads it.
  const pipe = join(folder, 'call.wav.part');
  execFileSync('mkfifo', [pipe]);
  const clock = createVirtualClock();
  const recorder = record(join(folder, 'call.wav'), clock);
  recorder.caller(new Int16Array(160));
  const closed = recorder.close();
  await clock.advance(10_000);
  await clock.advance(2_000);
  expect((await closed).durationSeconds).toBe(0);
  expect(recorder.failed).toBe(true);
  expect(lines).toHaveLength(1);
  const reader = await open(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  await reader.close();
});

test('positions that make no sense are ignored', async () => {
  const recorder = record();
  recorder.caller(new Int16Array(16000));
  for (const at of [Number.NaN, Number.POSITIVE_INFINITY, -5000, 1e15]) recorder.agent(new Int16Array(160).fill(1), at);
  recorder.cutAgent(Number.NaN);
  recorder.agent(new Int16Array(160).fill(1), 15000.4);
  await recorder.close();
  expect(stretches((await channels())[1])).toEqual([[15000, 160]]);
});
