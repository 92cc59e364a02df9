import { z } from 'zod';
import { BUILT_IN_AMBIENT_SOUNDS } from '../../shared/ambient-sounds.ts';

/** How a run is asked for, and what is measured when it is run aloud: an extension of the specification. */

export const runRequest = z
  .object({
    mode: z
      .enum(['text', 'voice'])
      .default('text')
      .describe('`voice`: a synthesized caller speaks with the agent on a simulated line'),
    background_noise: z
      .enum(['none', ...BUILT_IN_AMBIENT_SOUNDS])
      .default('office')
      .describe('behind the caller, some 20 dB below their voice; for `voice` only'),
    interruptions: z
      .int()
      .min(0)
      .max(10)
      .default(1)
      .describe('how many replies the caller talks over, the first that last long enough; for `voice` only'),
  })
  .prefault({})
  .describe('optional: without it a run is in text');

export type RunRequest = z.output<typeof runRequest>;
export type VoiceRequest = Omit<RunRequest, 'mode'>;

const measuredMs = (what: string) =>
  z.number().nullable().describe(`${what}, in milliseconds; null where there is none`);

export const voiceFigures = z
  .object({
    background_noise: z.string().describe('as it was asked for'),
    duration_seconds: z.number().describe('of the call'),
    first_audio_p50_ms: measuredMs("median from the end of the caller's speech to the first audio of the reply"),
    first_audio_p95_ms: measuredMs('the same, 95th percentile'),
    interruptions: z.int().describe('replies that the caller talked over'),
    replies_interrupted: z.int().describe('replies that the agent broke off'),
    stopped_after_p50_ms: measuredMs("median from the beginning of the caller's interruption to the agent's silence"),
    stopped_after_max_ms: measuredMs('the same, the longest'),
    talk_over_ms: z.number().describe('for how long both spoke at once, interruptions included'),
    stt_seconds: z.number().describe("audio given to the agent's transcriber"),
    tts_characters: z.int().describe('synthesized for the agent and the caller'),
  })
  .meta({ id: 'TestRunVoice' });

export type VoiceFigures = z.output<typeof voiceFigures>;

/** What is known of one turn of the caller. */
export interface TurnOnLine {
  interrupted: boolean;
  stopped_after_ms: number | null;
  talk_over_ms: number;
}

export function figuresOf(
  { background_noise }: Pick<VoiceRequest, 'background_noise'>,
  turns: readonly TurnOnLine[],
  call: { duration_seconds: number; firstAudioMs: readonly number[]; repliesInterrupted: number },
  used: Pick<VoiceFigures, 'stt_seconds' | 'tts_characters'>,
): VoiceFigures {
  const stopped = turns.flatMap(({ stopped_after_ms }) => stopped_after_ms ?? []);
  return {
    background_noise,
    duration_seconds: call.duration_seconds,
    first_audio_p50_ms: percentile(call.firstAudioMs, 0.5),
    first_audio_p95_ms: percentile(call.firstAudioMs, 0.95),
    interruptions: turns.filter(({ interrupted }) => interrupted).length,
    replies_interrupted: call.repliesInterrupted,
    stopped_after_p50_ms: percentile(stopped, 0.5),
    stopped_after_max_ms: percentile(stopped, 1),
    talk_over_ms: Math.round(turns.reduce((sum, { talk_over_ms }) => sum + talk_over_ms, 0)),
    ...used,
  };
}

/** By nearest rank, in whole milliseconds; null of nothing. */
function percentile(values: readonly number[], share: number): number | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!);
}
