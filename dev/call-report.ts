import { timeOfId } from '../shared/ids.ts';
import type { CallRecord, TimelineRecord } from './api-client.ts';

/** Formats a call from the API's records for the terminal. */

export interface Paint {
  dim(text: string): string;
  bold(text: string): string;
  level(level: TimelineRecord['level'], text: string): string;
}

const CODES = { info: 36, warning: 33, error: 31 } as const;

export function createPaint(colours: boolean): Paint {
  const style = (code: number) => (text: string) => (colours ? `\x1b[${code}m${text}\x1b[0m` : text);
  return { dim: style(2), bold: style(1), level: (level, text) => style(CODES[level])(text) };
}

/** Returns the time of the event in milliseconds, which only its id has: the API's times are whole seconds. */
export function eventTimeMs(event: TimelineRecord): number {
  return timeOfId(event.id.slice('evt_'.length));
}

/** `  4.32 s  user.turn            812 ms  yes please that is right` */
export function eventLine(event: TimelineRecord, startedAtMs: number, paint: Paint): string {
  const seconds = ((eventTimeMs(event) - startedAtMs) / 1_000).toFixed(2).padStart(6);
  const latency = event.latency_ms === null ? '' : `${event.latency_ms} ms`;
  const type = paint.level(event.level, event.type.padEnd(16));
  return `${paint.dim(`${seconds} s`)}  ${type} ${latency.padStart(8)}  ${event.message}`;
}

/** `agent ended the call (by the agent), after 33 s` */
export function endingText({ hangup_by, hangup_reason, duration_seconds }: CallRecord): string {
  return `${hangup_reason}${hangup_by === null ? '' : ` (by the ${hangup_by})`}, after ${duration_seconds} s`;
}

export function transcriptLines(call: CallRecord, paint: Paint): string[] {
  return call.transcript.map(({ role, text, interrupted }) => {
    const who = role === 'user' ? 'caller' : role === 'agent' ? 'agent ' : 'person';
    return `  ${paint.bold(who)}  ${text}${interrupted ? paint.dim(' — (interrupted)') : ''}`;
  });
}

export interface TurnLatency {
  said: string;
  /** From the true end of the caller's speech to the first sample of the reply on the socket. */
  total_ms: number;
  /** The parts, which add up to the total. */
  parts: Record<string, number>;
}

export function turnLatencies(events: readonly TimelineRecord[]): TurnLatency[] {
  const turns: TurnLatency[] = [];
  let said = '';
  for (const event of events) {
    if (event.type === 'user.turn') said = event.message;
    if (event.type !== 'tts.first_audio' || event.data.welcome === true || event.latency_ms === null) continue;
    turns.push({ said, total_ms: event.latency_ms, parts: numbersOf(event.data.parts) });
  }
  return turns;
}

function numbersOf(value: unknown): Record<string, number> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((pair): pair is [string, number] => typeof pair[1] === 'number'),
  );
}

/** In chronological order; the database does not keep the order of keys. */
const PARTS = ['end_of_turn_ms', 'first_token_ms', 'first_segment_ms', 'first_audio_ms', 'playout_ms'];

export function latencyTable(turns: readonly TurnLatency[], paint: Paint): string[] {
  const found = [...new Set(turns.flatMap((turn) => Object.keys(turn.parts)))];
  const names = [...PARTS.filter((name) => found.includes(name)), ...found.filter((name) => !PARTS.includes(name))];
  const heads = [...names.map((name) => name.replace(/_ms$/, '').replaceAll('_', ' ')), 'total'];
  const widths = heads.map((head) => Math.max(head.length, 7));
  const row = (label: string, cells: string[]) =>
    `  ${label.slice(0, 32).padEnd(32)}  ${cells.map((cell, at) => cell.padStart(widths[at]!)).join('  ')}`;
  const head = paint.dim(row('reply to (milliseconds)', heads));
  const lines = turns.map((turn) =>
    row(
      turn.said,
      [...names.map((name) => turn.parts[name]), turn.total_ms].map((ms) => (ms === undefined ? '-' : ms.toFixed(0))),
    ),
  );
  return [head, ...lines];
}

/** The demo's last line of output, for scripts. */
export interface CallSummary {
  call_id: string;
  status: string;
  turns: number;
  interruptions: number;
  first_audio_p50_ms: number | null;
  recording: string | null;
}

export function summarise(call: CallRecord, events: readonly TimelineRecord[], recording: string | null): CallSummary {
  const count = (type: string) => events.filter((event) => event.type === type).length;
  return {
    call_id: call.id,
    status: call.status,
    turns: count('user.turn'),
    interruptions: count('interrupted'),
    first_audio_p50_ms: median(turnLatencies(events).map((turn) => turn.total_ms)),
    recording,
  };
}

export function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return null;
  return sorted.length % 2 === 1 ? sorted[middle]! : Math.round((sorted[middle - 1]! + sorted[middle]!) / 2);
}
