import { Writable } from 'node:stream';
import { beforeEach, describe, expect, test } from 'vitest';
import { findRecording } from '../../../control/recordings/stored-recording.ts';
import { PCM_8K } from '../../../media/audio/format.ts';
import { readWav } from '../../../media/audio/wav.ts';
import { createRecordingMixer } from '../../../media/call/recording-mixer.ts';
import { createRecorder, type Recorder } from '../../../media/report/recorder.ts';
import { type ChunkWriter, createChunkWriter } from '../../../media/report/recording-chunk-writer.ts';
import { newId } from '../../../shared/ids.ts';
import { createLogger } from '../../../shared/log.ts';
import { CHUNK_BYTES, CHUNK_SECONDS } from '../../../shared/recordings/chunks.ts';
import { createMemoryStore, type MemoryStore } from '../../support/memory-store.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

let store: MemoryStore;
let clock: VirtualClock;
let writer: ChunkWriter;
let lines: string[];
let workspace: string;
let call: string;

beforeEach(() => {
  store = createMemoryStore();
  clock = createVirtualClock();
  lines = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  writer = createChunkWriter({ store, clock, log: createLogger('test', 'info', sink) });
  [workspace, call] = [newId(), newId()];
});

const record = (): Recorder => createRecorder(writer.open(workspace, call));

/** The recording as control reads it. */
async function channels(): Promise<[Int16Array, Int16Array]> {
  const recording = await findRecording(store, workspace, call);
  const bytes = Buffer.concat(await recording!.read(0, recording!.bytes - 1).toArray());
  expect(bytes.length).toBe(recording!.bytes);
  const reading = readWav(bytes);
  if (reading.type === 'invalid') throw new Error(reading.why);
  expect(reading.wav.sampleRateHz).toBe(8000);
  expect(reading.wav.channels).toHaveLength(2);
  return reading.wav.channels as [Int16Array, Int16Array];
}

/** The caller's sample n is n (as 16 bits). */
function counting(from: number, count: number): Int16Array {
  return Int16Array.from({ length: count }, (_, i) => from + i);
}

/** Returns every run of samples that are not silent: [first sample, count]. */
function runs(samples: Int16Array): [number, number][] {
  const found: [number, number][] = [];
  for (let i = 0; i < samples.length; i++) {
    if (samples[i] === 0) continue;
    const last = found.at(-1);
    if (last && last[0] + last[1] === i) last[1]++;
    else found.push([i, 1]);
  }
  return found;
}

describe('a recording', () => {
  test('has both sides where they were played, to the sample', async () => {
    const recorder = record();
    for (let frame = 0; frame < 500; frame++) {
      recorder.addCaller(counting(frame * 160, 160));
      if (frame >= 100 && frame < 150) recorder.addAgent(new Int16Array(160).fill(frame), (frame + 3) * 160 + 7);
    }
    expect(await recorder.close()).toEqual({ durationSeconds: 10, stored: true });
    const [caller, agent] = await channels();
    expect(caller).toEqual(counting(0, 80000));
    expect(runs(agent)).toEqual([[103 * 160 + 7, 50 * 160]]);
    expect(agent[103 * 160 + 7]).toBe(100);
    expect(agent[152 * 160 + 166]).toBe(149);
  });

  test('does not have what was dropped before it was played', async () => {
    const recorder = record();
    recorder.addCaller(new Int16Array(8000));
    recorder.addAgent(new Int16Array(8000).fill(9), 8000);
    recorder.dropAgent(9000);
    recorder.addCaller(new Int16Array(4000));
    recorder.addAgent(new Int16Array(100).fill(9), 12000);
    recorder.addCaller(new Int16Array(30000));
    await recorder.close();
    expect(runs((await channels())[1])).toEqual([
      [8000, 1000],
      [12000, 100],
    ]);
  });

  test('can be dropped up to two seconds back and written up to one and a half ahead', async () => {
    const recorder = record();
    recorder.addAgent(new Int16Array(20000).fill(9), 0);
    recorder.addCaller(new Int16Array(24000));
    recorder.addAgent(new Int16Array(100).fill(9), 0);
    recorder.dropAgent(0);
    recorder.addAgent(new Int16Array(10000).fill(9), 24000);
    recorder.addCaller(new Int16Array(16000));
    await recorder.close();
    expect(runs((await channels())[1])).toEqual([
      [0, 8000],
      [24000, 10000],
    ]);
  });

  test.each([1, 2, 3])('is what two plain arrays hold after the same steps, in any order (%i)', async (seed) => {
    const random = seededRandom(seed);
    const upTo = (count: number) => Math.floor(random() * count);
    const recorder = record();
    const caller: number[] = [];
    const agent: number[] = [];
    const write = (from: number, to: number, value: number) => {
      for (let at = Math.max(from, caller.length - 16_000, 0); at < to; at++) agent[at] = value;
    };
    for (let step = 1; step <= 400; step++) {
      const at = Math.max(0, caller.length - 20_000 + upTo(36_000));
      const count = upTo(1_500);
      if (random() < 0.5) {
        const samples = new Int16Array(count).fill(step);
        recorder.addCaller(samples);
        caller.push(...samples);
      } else if (random() < 0.3) {
        recorder.addSilence(count);
        caller.push(...new Int16Array(count));
      } else if (random() < 0.7) {
        recorder.addAgent(new Int16Array(count).fill(step), at);
        write(at, Math.min(at + count, caller.length + 12_000), step);
      } else {
        recorder.dropAgent(at);
        write(at, agent.length, 0);
      }
    }
    await recorder.close();
    const [left, right] = await channels();
    expect(left).toEqual(Int16Array.from(caller));
    expect(right).toEqual(Int16Array.from(caller, (_, at) => agent[at] ?? 0));
  });

  test('ends at the last sample of the caller', async () => {
    const recorder = record();
    recorder.addCaller(counting(0, 100));
    recorder.addAgent(new Int16Array(4000).fill(9), 50);
    expect((await recorder.close()).durationSeconds).toBe(100 / 8000);
    const [caller, agent] = await channels();
    expect(caller).toEqual(counting(0, 100));
    expect(runs(agent)).toEqual([[50, 50]]);
  });

  test('of a call without audio is not stored', async () => {
    expect(await record().close()).toEqual({ durationSeconds: 0, stored: false });
    expect(await findRecording(store, workspace, call)).toBeNull();
  });

  test('is closed once and ignores what comes later', async () => {
    const recorder = record();
    recorder.addCaller(new Int16Array(160));
    const first = recorder.close();
    recorder.addCaller(new Int16Array(160));
    recorder.addAgent(new Int16Array(160).fill(1), 0);
    expect(await recorder.close()).toBe(await first);
    expect((await channels())[0]).toHaveLength(160);
  });

  test('ignores invalid positions', async () => {
    const recorder = record();
    recorder.addCaller(new Int16Array(16000));
    for (const at of [Number.NaN, Number.POSITIVE_INFINITY, -5000, 1e15])
      recorder.addAgent(new Int16Array(160).fill(1), at);
    recorder.dropAgent(Number.NaN);
    recorder.addAgent(new Int16Array(160).fill(1), 15000.4);
    await recorder.close();
    expect(runs((await channels())[1])).toEqual([[15000, 160]]);
  });

  test('is in the store during the call, except for the last six seconds', async () => {
    const recorder = record();
    const seconds = async () => {
      await clock.advance(0);
      const found = await findRecording(store, workspace, call);
      return found ? (found.bytes - 44) / 32_000 : 0;
    };
    for (let second = 1; second <= 30; second++) {
      recorder.addCaller(new Int16Array(8000));
      expect(second - (await seconds())).toBeLessThan(CHUNK_SECONDS + 3);
    }
    expect((await seconds()) % CHUNK_SECONDS).toBe(0);
  });
});

describe('a store that fails', () => {
  /** Feeds so many seconds, one at a time. */
  async function feed(recorder: Pick<Recorder, 'addCaller'>, seconds: number, from = 0): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      recorder.addCaller(new Int16Array(8000).fill(from + second + 1));
      await clock.advance(1_000);
    }
  }

  test('for less than a minute loses nothing', async () => {
    const recorder = record();
    await feed(recorder, 10);
    store.state = 'unavailable';
    await feed(recorder, 50, 10);
    store.state = 'normal';
    await feed(recorder, 20, 60);
    expect(await recorder.close()).toEqual({ durationSeconds: 80, stored: true });
    const [caller] = await channels();
    expect(caller).toHaveLength(80 * 8000);
    expect(Array.from({ length: 80 }, (_, second) => caller[second * 8000])).toEqual(
      Array.from({ length: 80 }, (_, second) => second + 1),
    );
    const reported = lines.map((line) => JSON.parse(line).msg);
    expect(reported).toEqual(['recordings cannot be stored', 'recordings can be stored again']);
  });

  test('for longer leaves a gap of silence, and what follows keeps its position', async () => {
    const recorder = record();
    await feed(recorder, 8);
    store.state = 'unavailable';
    await feed(recorder, 120, 8);
    store.state = 'normal';
    await feed(recorder, 12, 128);
    expect((await recorder.close()).stored).toBe(true);
    const [caller] = await channels();
    expect(caller).toHaveLength(140 * 8000);
    const recorded = Array.from({ length: 140 }, (_, second) => caller[second * 8000]!);
    for (const [second, sample] of recorded.entries()) if (sample !== 0) expect(sample).toBe(second + 1);
    const silent = recorded.filter((sample) => sample === 0).length;
    expect(silent).toBeGreaterThanOrEqual(40);
    expect(silent).toBeLessThanOrEqual(68);
    expect(recorded.slice(0, 4)).toEqual([1, 2, 3, 4]);
    expect(recorded.slice(-20)).not.toContain(0);
  });

  test('during the whole call delays its end by 3 s, and nothing is stored', async () => {
    store.state = 'unavailable';
    const reported: { message: string; data: unknown }[] = [];
    const mixer = createRecordingMixer({
      recordings: writer,
      workspaceId: workspace,
      callId: call,
      reporter: {
        report: (type, message, more) => void reported.push({ message: `${type}: ${message}`, data: more?.data }),
      },
      agentFormat: PCM_8K,
      clock,
    });
    for (let second = 0; second < 100; second++) {
      mixer.addCaller(new Int16Array(8000), clock.now());
      await clock.advance(1_000);
    }
    expect(reported).toEqual([
      {
        message: 'error: audio of the recording could not be stored in time',
        data: { component: 'recording', lost_seconds: 4 },
      },
    ]);
    let closed = false;
    void mixer.close().then(() => {
      closed = true;
    });
    await clock.advance(2_900);
    expect(closed).toBe(false);
    await clock.advance(200);
    expect(closed).toBe(true);
    expect(mixer.hasStoredAudio()).toBe(false);
    expect(reported.at(-1)).toEqual({
      message: 'error: nothing was recorded',
      data: { component: 'recording', lost_seconds: 100 },
    });
  });

  test('at the end of a call gets the rest within a minute, in the background', async () => {
    const recorder = record();
    await feed(recorder, 20);
    store.state = 'unavailable';
    const closing = recorder.close();
    await clock.advance(3_000);
    expect(await closing).toEqual({ durationSeconds: 20, stored: true });
    expect((await findRecordingAnyway())!.bytes).toBeLessThan(44 + 20 * 32_000);
    store.state = 'normal';
    await clock.advance(10_000);
    expect((await findRecording(store, workspace, call))!.bytes).toBe(44 + 20 * 32_000);
  });

  async function findRecordingAnyway() {
    const state = store.state;
    store.state = 'normal';
    const found = await findRecording(store, workspace, call);
    store.state = state;
    return found;
  }

  test('by hanging gets no more concurrent writes, and memory stays bounded over many calls', async () => {
    store.state = 'hangs';
    const lost: number[] = [];
    const calls = Array.from({ length: 60 }, () => newId());
    const sinks = calls.map((id, index) => writer.open(workspace, id, { onLost: (chunks) => (lost[index] = chunks) }));
    for (let round = 0; round < 20; round++) for (const sink of sinks) sink.add([sink.block()], CHUNK_BYTES);
    expect(store.putting).toBe(4);
    const givenUp = lost.reduce((sum, chunks) => sum + chunks, 0);
    // Of 1,200 chunks no more are buffered than 64 MB hold.
    expect(1_200 - givenUp).toBeLessThanOrEqual(500);
    expect(sinks.every(({ lost: own }) => 20 - own <= 15)).toBe(true);
    const closing = writer.close(5_000);
    await clock.advance(5_000);
    await closing;
    store.state = 'normal';
    await clock.advance(0);
    expect(sinks.reduce((sum, sink) => sum + sink.lost, 0)).toBe(1_200);
    expect(clock.pending()).toBe(0);
  });

  test('gets the remaining chunks when the engine shuts down', async () => {
    const recorder = record();
    recorder.addCaller(new Int16Array(80_000));
    const closing = recorder.close();
    await writer.close(5_000);
    await closing;
    expect((await findRecording(store, workspace, call))!.bytes).toBe(44 + 320_000);
    expect(clock.pending()).toBe(0);
  });
});

test('opening a recording throws for invalid ids', () => {
  expect(() => writer.open('../other', call)).toThrow(RangeError);
});

test('while it is paused both sides are silent, and the recording keeps its length', async () => {
  const mixer = createRecordingMixer({
    ...{ recordings: writer, workspaceId: workspace, callId: call, agentFormat: PCM_8K, clock },
    reporter: { report() {} },
  });
  const agent = new Uint8Array(new Int16Array(160).fill(7_000).buffer);
  for (let frame = 0; frame < 150; frame++) {
    if (frame === 50) mixer.setPaused(true);
    if (frame === 100) mixer.setPaused(false);
    mixer.addCaller(new Int16Array(160).fill(1_000), clock.now());
    mixer.addAgent(agent, clock.now(), frame === 0);
    await clock.advance(20);
  }
  await mixer.close();
  const [caller, agentSide] = await channels();
  expect(caller).toHaveLength(150 * 160);
  expect(runs(caller)).toEqual([
    [0, 8_000],
    [16_000, 8_000],
  ]);
  expect(agentSide.subarray(8_000, 16_000).every((sample) => sample === 0)).toBe(true);
  expect(agentSide.subarray(17_000).some((sample) => sample !== 0)).toBe(true);
});

describe('a recording that waits', () => {
  /** Frames of 20 ms of both sides; it begins before the frame with this number. */
  async function record(frames: number, begins: number): Promise<boolean> {
    const mixer = createRecordingMixer({
      ...{ recordings: writer, workspaceId: workspace, callId: call, agentFormat: PCM_8K, waits: true, clock },
      reporter: { report() {} },
    });
    const agent = new Uint8Array(new Int16Array(160).fill(7_000).buffer);
    for (let frame = 0; frame < frames; frame++) {
      if (frame === begins) mixer.begin();
      mixer.addCaller(new Int16Array(160).fill(1_000), clock.now());
      mixer.addAgent(agent, clock.now(), frame === 0);
      await clock.advance(20);
    }
    await mixer.close();
    return mixer.hasStoredAudio();
  }

  test('is silent until it begins, and keeps its length', async () => {
    const begins = (CHUNK_SECONDS * 1_000) / 20 + 50;
    expect(await record(begins + 50, begins)).toBe(true);
    expect([...store.objects.keys()].map((name) => name.slice(-10))).toEqual(['000001.pcm']);
    const [caller, agentSide] = await channels();
    expect(caller).toHaveLength((begins + 50) * 160);
    expect(runs(caller)).toEqual([[begins * 160, 8_000]]);
    expect(agentSide.subarray(0, begins * 160).every((sample) => sample === 0)).toBe(true);
    expect(agentSide.subarray(begins * 160 + 1_000).some((sample) => sample !== 0)).toBe(true);
  });

  test('and never begins stores nothing', async () => {
    expect(await record(500, Number.POSITIVE_INFINITY)).toBe(false);
    expect(store.objects.size).toBe(0);
  });
});
