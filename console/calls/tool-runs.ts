import type { TimelineItem } from '../generated/api.ts';

/** A tool that the agent called, with what came back. */
export interface ToolRun {
  id: string;
  name: string;
  offset_ms: number | null;
  url: string;
  /** What the model sent; absent for tools of the service itself that take nothing. */
  request: unknown;
  /** Null: it did not answer, or not yet. */
  answer: { status: number | null; result: unknown; latency_ms: number | null; failed: boolean } | null;
}

type Item = Pick<TimelineItem, 'id' | 'type' | 'level' | 'latency_ms' | 'offset_ms' | 'data'>;

/** Each call with the next answer of the same tool that no earlier call has. */
export function toolRuns(events: readonly Item[]): ToolRun[] {
  const runs: ToolRun[] = [];
  for (const { id, type, level, latency_ms, offset_ms, data } of events) {
    const name = typeof data.name === 'string' ? data.name : '';
    if (type === 'tool.call') {
      const url = typeof data.url === 'string' ? data.url : '';
      runs.push({ id, name, offset_ms, url, request: data.args, answer: null });
    } else if (type === 'tool.result') {
      const run = runs.find((each) => each.name === name && each.answer === null);
      const status = typeof data.status === 'number' ? data.status : null;
      if (run) run.answer = { status, result: data.result, latency_ms, failed: level !== 'info' };
    }
  }
  return runs;
}

/** A value as text for a person: JSON is indented, also where it comes as a text. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') return JSON.stringify(value, null, 2);
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === 'object' && parsed !== null ? JSON.stringify(parsed, null, 2) : value;
  } catch {
    return value;
  }
}
