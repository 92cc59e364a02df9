/** `user`: the caller; `human_agent`: a person who speaks to the caller in the agent's place, or beside it. */
export const TRANSCRIPT_ROLES = ['user', 'agent', 'human_agent'] as const;
export type TranscriptRole = (typeof TRANSCRIPT_ROLES)[number];

/** One line of a call's transcript. `at_ms` is when the line began, milliseconds since 1970. */
export interface TranscriptItem {
  role: TranscriptRole;
  /** For the agent, only what was played out to the caller. */
  text: string;
  at_ms: number;
  /** The caller interrupted this line. */
  interrupted: boolean;
}

/** One line per item, as in `call.completed`. */
export function transcriptText(items: readonly Pick<TranscriptItem, 'role' | 'text'>[]): string {
  return items.map((item) => `${item.role}: ${item.text}`).join('\n');
}
