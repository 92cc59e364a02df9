import { z } from 'zod';
import { type ToolCallMessage, toolResultFields } from './page-tool-messages.ts';
import type { TranscriptRole } from './transcript.ts';

/**
 * The messages of an API client's audio stream (`docs/stream.md`): audio is binary in both directions, everything else one JSON
 * object per text message. The client sends `start` first; the engine sends `started` once the call has taken the stream, and
 * `ended` last.
 */

/** The call record's `provider` of a call over such a stream. */
export const STREAM_PROVIDER = 'stream';

/** Audio that a client may choose, the same in both directions: mono; PCM is signed 16 bit, little endian. */
export const STREAM_SAMPLE_RATES = { pcm16: [8_000, 16_000, 24_000], mulaw: [8_000] } as const;

export const fromStreamClient = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('start'),
    audio: z.object({ encoding: z.string().max(40), sample_rate: z.number() }),
    /** The client returns every `mark` once the audio before it was played. Without it the clock says what was played. */
    marks: z.boolean().default(false),
    /** `transcript` messages are sent. */
    transcripts: z.boolean().default(false),
    /** The client runs the agent's tools of kind `client`: `tool_call` messages are sent. Without it the agent has no such tools. */
    tools: z.boolean().default(false),
  }),
  z.object({ type: z.literal('mark'), name: z.string().min(1).max(256) }),
  z.object({ type: z.literal('digit'), digit: z.string().regex(/^[0-9*#A-Da-d]$/) }),
  z.object({ type: z.literal('tool_result'), ...toolResultFields }),
  z.object({ type: z.literal('hang_up') }),
]);
export type FromStreamClient = z.output<typeof fromStreamClient>;

export type ToStreamClient =
  /** The call has taken the stream; what was sent before is kept. */
  | { type: 'started' }
  /** To be returned when the audio before it was played, or was dropped for a `clear`. */
  | { type: 'mark'; name: string }
  /** What was received and not played yet is to be dropped: the caller interrupts. */
  | { type: 'clear' }
  | { type: 'transcript'; role: TranscriptRole; text: string; final: boolean; interrupted: boolean; at_ms: number }
  | ToolCallMessage
  /** A message could not be read; the call goes on until there were too many. */
  | { type: 'error'; message: string }
  /** The last message. */
  | { type: 'ended'; reason: string };
