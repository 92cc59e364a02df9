import { FRAME_SAMPLES, MULAW_8K } from '../../media/audio/format.ts';
import { createFallbackTranscriber, type FallbackTranscriber } from '../../media/stt/fallback-transcriber.ts';
import { FINALIZATION_MS } from '../../media/turn/end-of-turn.ts';
import type { TurnDetection } from '../../shared/agent.ts';
import { createLogger } from '../../shared/log.ts';
import { createHarness, type Harness } from '../../test/support/harness.ts';
import { type ReceivedAudio, TAIL_MS } from './received-audio.ts';
import type { Recording } from './recordings.ts';
import { createSimulatedTranscriber, type TranscriberKind } from './simulated-transcriber.ts';

/** A recording, as it was received, played to a conversation on the virtual clock: when does its turn end? */

export interface Setting {
  transcriber: TranscriberKind;
  turnDetection: TurnDetection;
  endpointingMs: number;
}

export interface Played {
  /** The turn was ended before all of its speech had arrived. */
  cut: boolean;
  /** From the true end of speech to the end of the turn; null for a turn that was cut. */
  delayMs: number | null;
  /** The first turn. */
  text: string;
}

const FINALIZATION: Record<TranscriberKind, number> = {
  general: FINALIZATION_MS.deepgram!,
  stops: FINALIZATION_MS.deepgram!,
  plain: FINALIZATION_MS.local!,
  turns: 0,
};
const STEP_MS = 200;
const FRAME = new Uint8Array(FRAME_SAMPLES);

/** Throws when the turn never ends. */
export async function playRecording(recording: Recording, received: ReceivedAudio, setting: Setting): Promise<Played> {
  const { transcriber: kind, turnDetection, endpointingMs } = setting;
  const { frames, windows } = received;
  const chain: { transcriber?: FallbackTranscriber } = {};
  const harness = createHarness({
    call: { hangup_after_silence_seconds: 120 },
    transcriberChain: {
      finalize: () => chain.transcriber!.finalize(),
      speech: (active) => chain.transcriber!.speech(active),
      speechEnded() {},
    },
    decidesTurns: kind === 'turns',
    finalisationMs: FINALIZATION[kind],
    ownWindows: true,
    endpointingMs,
    turnDetection,
  });
  const { clock, conversation } = harness;
  const transcriber = createTranscriber(recording, received, setting, harness);
  chain.transcriber = transcriber;
  await transcriber.open();
  let frame = 0;
  let window = 0;
  let position = Number.NEGATIVE_INFINITY;
  let ended: { atMs: number; position: number } | null = null;
  harness.listen((what) => {
    if (what === 'user.turn') ended ??= { atMs: clock.now(), position };
  });
  harness.everyTick(() => {
    const nowMs = clock.now();
    for (; frame < frames.length && frames[frame]!.atMs <= nowMs; frame++) {
      position = frames[frame]!.endSample;
      transcriber.audio(FRAME);
    }
    for (; window < windows.length && windows[window]!.atMs <= nowMs; window++) {
      const { probability, endMs, periodicity } = windows[window]!;
      conversation.onVadWindow(probability, endMs, periodicity);
    }
  });
  conversation.start();
  const outcome = () => ended;
  while (!outcome() && clock.now() < received.endMs + TAIL_MS) await clock.advance(STEP_MS);
  harness.stop();
  harness.close();
  const end = outcome();
  if (!end) throw new Error(`${recording.name}: the turn did not end`);
  const cut = end.position < recording.speech.at(-1)!.end;
  const text = harness.emitted.find((event) => event.type === 'user.turn')!.message;
  return { cut, delayMs: cut ? null : end.atMs - received.speechEndMs, text };
}

/** When audio is sent is decided by the engine; the simulated transcriber knows what is in it. */
function createTranscriber(
  recording: Recording,
  { frames }: ReceivedAudio,
  { transcriber: kind, endpointingMs }: Setting,
  { clock, transcriberSays }: Harness,
): FallbackTranscriber {
  const name = { provider: kind, model: '', language: 'en' };
  const decidesTurns = kind === 'turns';
  let sentFrames = 0;
  return createFallbackTranscriber({
    choices: [
      {
        ...{ name, account: '', decidesTurns },
        create(emit) {
          const simulated = createSimulatedTranscriber({ kind, recording, endpointingMs, clock, emit });
          return {
            ...{ provider: kind, model: '', input: MULAW_8K, decidesTurns },
            open: () => Promise.resolve(),
            audio(chunk) {
              sentFrames += chunk.length / FRAME_SAMPLES;
              simulated.audio(frames[sentFrames - 1]!.endSample);
            },
            finalize: () => simulated.finalize(),
            close: () => Promise.resolve(),
          };
        },
      },
    ],
    inputFormat: MULAW_8K,
    permits: { tryAcquire: () => ({ release() {} }), acquire: async () => null, reportRefusal() {} },
    clock,
    log: createLogger('bench', 'error'),
    listener(event) {
      if (event.type === 'failed') throw event.error;
      transcriberSays(event);
    },
    watch() {},
    onFallback() {},
    onCapacity() {},
    onActive() {},
  });
}
