import type { TranscriptItem } from '../../shared/transcript.ts';

/** A tool that the agent called, in its place among what was said. */
export interface ToolItem {
  role: 'tool';
  name: string;
  args: Record<string, unknown>;
  /** What the model was given; empty for `end_call`. */
  result: string;
  at_ms: number;
}

/** Aloud, a line of the caller also has what the agent's transcriber wrote of it. */
export type TestItem = (TranscriptItem & { role: 'user' | 'agent'; transcribed?: string }) | ToolItem;

/** What becomes of a conversation; the last ones only aloud. */
export const ENDINGS = [
  'caller hung up',
  'agent ended the call',
  'hang-up prompt',
  'transferred',
  'too many turns',
  'caller silent',
  'maximum duration',
] as const;
export type Ending = (typeof ENDINGS)[number];
