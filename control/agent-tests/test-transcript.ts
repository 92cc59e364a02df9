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

export type TestItem = TranscriptItem | ToolItem;

/** What becomes of a conversation. */
export type Ending = 'caller hung up' | 'agent ended the call' | 'hang-up prompt' | 'transferred' | 'too many turns';
