/** One line of a call's transcript. `at` is the moment the line began, milliseconds since 1970. */
export interface TranscriptItem {
  role: 'user' | 'agent';
  /** What was said; for the agent, only what the caller heard. */
  text: string;
  at_ms: number;
  /** The caller talked over this line and it was cut. */
  interrupted: boolean;
}

/** One line per item, as in `call.completed`. */
export function transcriptText(items: readonly Pick<TranscriptItem, 'role' | 'text'>[]): string {
  return items.map((item) => `${item.role}: ${item.text}`).join('\n');
}
