import { beforeEach, expect, test } from 'vitest';
import { type AudioFormat, PCM_8K, PCM_16K } from '../../../media/audio/format.ts';
import { createRecordingMixer, type RecordingMixer } from '../../../media/call/recording-mixer.ts';
import { BLOCK_SAMPLES, type ChunkListener } from '../../../media/report/recording-chunk-writer.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

let mixer: RecordingMixer;
let listener: ChunkListener;
let chunks: Int16Array[];
let lost: number;
let reported: [message: string, data: unknown][];

const sink = {
  stored: 0,
  get lost() {
    return lost;
  },
  block: () => new Int16Array(2 * BLOCK_SAMPLES),
  add(blocks: Int16Array[], bytes: number) {
    chunks.push(Int16Array.from(blocks.flatMap((block) => [...block]).slice(0, bytes / 2)));
  },
  skip() {},
  close: async () => {},
};

function open(agentFormat: AudioFormat = PCM_8K): void {
  [chunks, lost, reported] = [[], 0, []];
  sink.stored = 1;
  mixer = createRecordingMixer({
    recordings: {
      open: (_workspace, _call, given) => {
        listener = given!;
        return sink;
      },
      close: async () => {},
    },
    workspaceId: 'w',
    callId: 'c',
    reporter: { report: (_type, message, details) => reported.push([message, details?.data]) },
    agentFormat,
    clock: createVirtualClock(),
  });
}
beforeEach(() => open());

const caller = (frames: number, untilMs: number) => {
  for (let frame = 1; frame <= frames; frame++) {
    mixer.addCaller(new Int16Array(160).fill(7), untilMs - (frames - frame) * 20);
  }
};
const agent = (value: number, samples = 160) => new Uint8Array(new Int16Array(samples).fill(value).buffer);

/** Milliseconds in which the agent's side has this value. */
async function agentMs(value: number): Promise<number[]> {
  await mixer.close();
  const all = chunks.flatMap((chunk) => [...chunk]);
  const right = all.filter((_, index) => index % 2 === 1);
  return right.flatMap((sample, index) => (sample === value && index % 8 === 0 ? [index / 8] : []));
}

test('the agent is written where the caller hears it, and a run without gaps whatever its jitter', async () => {
  caller(50, 5_000);
  mixer.addAgent(agent(1), 5_100, true);
  mixer.addAgent(agent(1), 5_127, false);
  mixer.addAgent(agent(2), 5_200, true);
  caller(50, 6_000);
  // A second of the caller before 5000, so that 5100 lies at 1100.
  expect(await agentMs(1)).toEqual(Array.from({ length: 40 }, (_, ms) => 1_100 + ms));
  expect(await agentMs(2)).toEqual(Array.from({ length: 20 }, (_, ms) => 1_200 + ms));
});

test('what was not played is silent', async () => {
  caller(50, 5_000);
  for (let frame = 0; frame < 5; frame++) mixer.addAgent(agent(1), 5_000 + frame * 20, frame === 0);
  mixer.dropAgent(5_030);
  caller(50, 6_000);
  expect(await agentMs(1)).toEqual(Array.from({ length: 30 }, (_, ms) => 1_000 + ms));
});

test('a wideband agent takes as long', async () => {
  open(PCM_16K);
  caller(10, 200);
  mixer.addAgent(agent(0, 320), 200, true);
  mixer.addAgent(agent(1_000, 320), 220, false);
  mixer.addAgent(agent(0, 320), 240, false);
  caller(20, 600);
  await mixer.close();
  const right = chunks.flatMap((chunk) => [...chunk]).filter((_, index) => index % 2 === 1);
  const loud = right.flatMap((sample, index) => (sample > 500 ? [index / 8] : []));
  expect(Math.abs(loud.length / 8 - 20)).toBeLessThan(2);
  expect(Math.abs(loud[0]! - 220)).toBeLessThan(8);
});

test('the first chunk that is lost is reported, and at the end how many were', async () => {
  listener.onLost(1);
  listener.onLost(2);
  lost = 2;
  await mixer.close();
  expect(reported).toEqual([
    ['audio of the recording could not be stored in time', { component: 'recording', lost_seconds: 4 }],
    ['the recording has gaps', { component: 'recording', lost_seconds: 8 }],
  ]);
  expect(mixer.hasStoredAudio()).toBe(true);
});

test('nothing that was stored is no recording; a single loss is not reported twice', async () => {
  sink.stored = 0;
  lost = 3;
  await mixer.close();
  expect([mixer.hasStoredAudio(), reported.at(-1)]).toEqual([
    false,
    ['nothing was recorded', { component: 'recording', lost_seconds: 12 }],
  ]);
  open();
  lost = 1;
  await mixer.close();
  expect(reported).toEqual([]);
});
