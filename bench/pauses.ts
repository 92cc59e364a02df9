import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorText } from '../shared/log.ts';
import { thisMachine } from './machine.ts';
import { type Counted, count, type PausesResult, resultOf, type StallResult } from './pauses/count-cuts.ts';
import { type Played, playRecording, type Setting } from './pauses/play-recording.ts';
import { openAudioReceiver, type ReceivedAudio, type Stall } from './pauses/received-audio.ts';
import { loadRecordings, type Recording } from './pauses/recordings.ts';
import type { TranscriberKind } from './pauses/simulated-transcriber.ts';

/**
 * `make pauses`: recorded sentences with pauses in them. How many are taken for over before their end, and how long is waited after
 * it, by setting; and the same over a network that stalls. On the virtual clock: leg, jitter buffer, voice activity and turn-taking
 * are the engine's own, the transcriber is simulated from the recording's words.
 */

const ENDPOINTING_MS = [100, 200, 300, 500, 800, 1_200];
const DETECTIONS = ['responsive', 'balanced', 'patient'] as const;
const WORDS_ONLY: TranscriberKind[] = ['general', 'stops', 'plain'];
const STALLS: Stall[] = ([300, 500, 1_000] as const).flatMap((ms) =>
  (['pause', 'speech', 'end'] as const).map((place) => ({ place, ms })),
);
/** Settings that are also played with stalls. */
const STALLED: Setting[] = [
  ...WORDS_ONLY.map((transcriber) => ({ transcriber, turnDetection: 'balanced' as const, endpointingMs: 300 })),
  { transcriber: 'general', turnDetection: 'responsive', endpointingMs: 300 },
  { transcriber: 'turns', turnDetection: 'balanced', endpointingMs: 300 },
];

async function main(): Promise<void> {
  const machine = thisMachine();
  const recordings = loadRecordings();
  console.log(`${recordings.length} recordings`);
  const received = await receiveAll(recordings);
  const settings: PausesResult['settings'] = [];
  for (const setting of curve()) {
    const counted = await play(recordings, received.get(null)!, setting);
    settings.push(resultOf(setting, counted));
    console.log(line(setting, counted));
  }
  const stalls: StallResult[] = [];
  for (const setting of STALLED) {
    const { cut_recordings: without } = await play(recordings, received.get(null)!, setting);
    for (const stall of STALLS) {
      const counted = await play(recordings, received.get(stall)!, setting);
      const more = counted.cut_recordings.filter((name) => !without.includes(name));
      stalls.push({
        ...resultOf(setting, counted),
        ...{ place: stall.place, stall_ms: stall.ms, cut_without: without.length, more },
      });
      console.log(`${line(setting, counted)}, ${stall.ms} ms ${stall.place}: ${more.length} more`);
    }
  }
  const result: PausesResult = {
    machine,
    recordings: recordings.map(({ name, pausesMs }) => ({ name, pauses_ms: pausesMs })),
    settings,
    stalls,
  };
  const folder = join(import.meta.dirname, 'results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'pauses.json'), `${JSON.stringify(result, null, 2)}\n`);
  console.log('\nthe same in bench/results/pauses.json; `make charts` draws it');
}

function curve(): Setting[] {
  const settings = WORDS_ONLY.flatMap((transcriber) =>
    DETECTIONS.flatMap((turnDetection) =>
      ENDPOINTING_MS.map((endpointingMs) => ({ transcriber, turnDetection, endpointingMs })),
    ),
  );
  return [...settings, { transcriber: 'turns', turnDetection: 'balanced', endpointingMs: 300 }];
}

/** By stall, in the order of the recordings. */
async function receiveAll(recordings: readonly Recording[]): Promise<Map<Stall | null, ReceivedAudio[]>> {
  const all = new Map<Stall | null, ReceivedAudio[]>([null, ...STALLS].map((stall) => [stall, []]));
  const receiver = await openAudioReceiver();
  for (const recording of recordings) {
    for (const [stall, received] of all) received.push(await receiver.receive(recording, stall));
  }
  return all;
}

async function play(
  recordings: readonly Recording[],
  received: readonly ReceivedAudio[],
  setting: Setting,
): Promise<Counted> {
  const played: (Played & { name: string })[] = [];
  for (const [index, recording] of recordings.entries()) {
    played.push({ name: recording.name, ...(await playRecording(recording, received[index]!, setting)) });
  }
  return count(played);
}

function line({ transcriber, turnDetection, endpointingMs }: Setting, { cuts, of, delay_ms }: Counted): string {
  const name = `${transcriber.padEnd(8)}${turnDetection.padEnd(11)}${String(endpointingMs).padStart(5)}`;
  return `${name}  cut ${String(cuts).padStart(2)} of ${of}, delay ${delay_ms.p50} / ${delay_ms.p90} ms`;
}

await main().catch((error: unknown) => {
  console.error(errorText(error));
  process.exitCode = 1;
});
