import { createHash } from 'node:crypto';
import { FRAME_MS, FRAME_SAMPLES, MULAW_8K } from '../../media/audio/format.ts';
import { encodeMulaw } from '../../media/audio/g711.ts';
import { createCallerAudio } from '../../media/call/caller-audio.ts';
import { CarrierLeg } from '../../media/leg/carrier-leg.ts';
import { twilioProtocol } from '../../media/leg/protocols/twilio.ts';
import { loadSilero, type SpeechModel } from '../../media/turn/silero.ts';
import { createVad } from '../../media/turn/vad.ts';
import { createLogger } from '../../shared/log.ts';
import { emptyUsage } from '../../shared/usage.ts';
import { createVirtualClock } from '../../test/support/virtual-clock.ts';
import type { Recording } from './recordings.ts';

/**
 * A recording as the engine receives it: sent frame by frame to a real carrier leg on the virtual clock, through its jitter buffer
 * to the real voice-activity model. It does not depend on the agent's settings, so it is done once for all of them.
 */

/** Nothing arrives for `ms`, then all of it at once. */
export interface Stall {
  place: 'pause' | 'speech' | 'end';
  ms: number;
}

export interface ReceivedAudio {
  /** By arrival at the transcriber. `endSample` counts the recording's samples, negative before its start. */
  frames: { atMs: number; endSample: number }[];
  windows: { atMs: number; probability: number; endMs: number; periodicity: number }[];
  /** When the caller had spoken the last sample of speech, and everything. */
  speechEndMs: number;
  endMs: number;
}

/** Silence before the recording, in which the voice-activity model settles, and after it. */
const LEAD_MS = 480;
export const TAIL_MS = 6_000;
/** Into the longest inner pause, where a stall in the pause begins: by then its silence is known, so that waiting has begun. */
const INTO_PAUSE_MS = 220;
const SAMPLES_PER_MS = FRAME_SAMPLES / FRAME_MS;

export interface AudioReceiver {
  receive(recording: Recording, stall: Stall | null): Promise<ReceivedAudio>;
}

export async function openAudioReceiver(): Promise<AudioReceiver> {
  const silero = await loadSilero();
  let last: { name: string; model: SpeechModel } | null = null;
  return {
    async receive(recording, stall) {
      if (last?.name !== recording.name) last = { name: recording.name, model: remembered(silero) };
      return receive(recording, stall, last.model);
    },
  };
}

/** When a stall begins, in milliseconds of the recording. */
export function stallStartMs({ speech }: Pick<Recording, 'speech'>, place: Stall['place']): number {
  const last = speech.at(-1)!;
  if (place === 'end') return last.end / SAMPLES_PER_MS;
  const longest = (lengths: number[]) => lengths.indexOf(Math.max(...lengths));
  if (place === 'speech') {
    const { start, end } = speech[longest(speech.map((range) => range.end - range.start))]!;
    return (start + end) / 2 / SAMPLES_PER_MS;
  }
  const pause = longest(speech.slice(1).map(({ start }, index) => start - speech[index]!.end));
  return speech[pause]!.end / SAMPLES_PER_MS + INTO_PAUSE_MS;
}

async function receive(recording: Recording, stall: Stall | null, model: SpeechModel): Promise<ReceivedAudio> {
  const clock = createVirtualClock();
  const vad = createVad({ model, log: createLogger('bench', 'silent') });
  const received: ReceivedAudio = {
    frames: [],
    windows: [],
    speechEndMs: LEAD_MS + recording.speech.at(-1)!.end / SAMPLES_PER_MS,
    endMs: LEAD_MS + recording.samples.length / SAMPLES_PER_MS,
  };
  const audio = createCallerAudio({
    lineFormat: MULAW_8K,
    recording: null,
    openDenoiser: () => null,
    usage: emptyUsage(),
  });
  let delivered = -LEAD_MS * SAMPLES_PER_MS;
  audio.connect({
    transcriber: {
      audio(chunk) {
        delivered += chunk.length;
        received.frames.push({ atMs: clock.now(), endSample: delivered });
      },
    },
    vad: vad.open((probability, endMs, periodicity) => {
      received.windows.push({ atMs: clock.now(), probability, endMs, periodicity });
    }),
    turnDetector: null,
    tones: null,
  });
  const leg = new CarrierLeg({
    protocol: twilioProtocol,
    start: { type: 'start', streamId: 'MZ1', providerCallId: 'CA1', format: MULAW_8K, parameters: {} },
    socket: { send: () => 'sent', close() {} },
    clock,
  });
  leg.listen({
    audio: (frame, atMs) => audio.push(frame, atMs),
    mark() {},
    digit() {},
    ended() {},
  });
  const payloads = framesOf(recording.samples);
  const startMs = stall ? LEAD_MS + stallStartMs(recording, stall.place) : 0;
  let sent = 0;
  for (let tick = 1; sent < payloads.length; tick++) {
    await clock.advance(FRAME_MS);
    const nowMs = tick * FRAME_MS;
    const stalled = stall && nowMs > startMs && nowMs < startMs + stall.ms;
    while (!stalled && sent < Math.min(tick, payloads.length)) {
      leg.handle({ type: 'audio', sequence: ++sent, payload: payloads[sent - 1]! }, nowMs);
    }
    leg.tick(nowMs);
  }
  await clock.advance(FRAME_MS);
  audio.close();
  return received;
}

/** The recording with silence around it, as µ-law frames of 20 ms. */
function framesOf(samples: Int16Array): Uint8Array[] {
  const lead = LEAD_MS * SAMPLES_PER_MS;
  const line = new Int16Array(lead + samples.length + TAIL_MS * SAMPLES_PER_MS);
  line.set(samples, lead);
  return Array.from({ length: Math.floor(line.length / FRAME_SAMPLES) }, (_, index) => {
    const frame = new Uint8Array(FRAME_SAMPLES);
    encodeMulaw(line.subarray(index * FRAME_SAMPLES, (index + 1) * FRAME_SAMPLES), frame);
    return frame;
  });
}

/** A stall changes when audio comes, not what it holds: what the model said of the same windows before is not computed again. */
function remembered(model: SpeechModel): SpeechModel {
  const known = new Map<string, { state: Float32Array; probability: number }>();
  return {
    ...model,
    run(state) {
      const key = createHash('sha256').update(bytesOf(model.input)).update(bytesOf(state)).digest('base64');
      const before = known.get(key);
      if (before) {
        state.set(before.state);
        return before.probability;
      }
      const probability = model.run(state);
      known.set(key, { state: state.slice(), probability });
      return probability;
    },
  };
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array) => new Uint8Array(buffer, byteOffset, byteLength);
