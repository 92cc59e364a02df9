import type { TimelineItem } from '../api-records.ts';

/** From the end of the caller's speech to the first sound of the answer: what took how long, turn by turn. */

export interface TurnPart {
  name: string;
  label: string;
  ms: number;
  /** From the end of the caller's speech. */
  fromMs: number;
}

export interface TurnBar {
  /** Of the timeline item. */
  id: string;
  /** What the caller said, or that it is the welcome. */
  title: string;
  totalMs: number;
  parts: TurnPart[];
}

/** In the order in which they happen; `data.parts` of `tts.first_audio` adds up to its latency. */
export const PARTS = [
  { name: 'end_of_turn_ms', label: 'Knowing you are done' },
  { name: 'knowledge_ms', label: 'Looking it up' },
  { name: 'first_token_ms', label: 'First thought' },
  { name: 'first_piece_ms', label: 'First phrase' },
  { name: 'first_audio_ms', label: 'First sound' },
  { name: 'playout_ms', label: 'On its way' },
] as const;

/** Scales reach at least so far, so that quick turns look quick. */
const MIN_SCALE_MS = 1_000;

export function turnBars(events: readonly TimelineItem[]): TurnBar[] {
  const bars: TurnBar[] = [];
  let said = '';
  for (const { id, type, message, data, latency_ms } of events) {
    if (type === 'user.turn') said = message;
    if (type !== 'tts.first_audio') continue;
    const parts = partsOf(data.parts);
    const totalMs = latency_ms ?? parts.reduce((sum, { ms }) => sum + ms, 0);
    bars.push({ id, title: data.welcome === true ? 'Welcome' : said || 'Agent speaks', totalMs, parts });
    said = '';
  }
  return bars;
}

function partsOf(value: unknown): TurnPart[] {
  if (typeof value !== 'object' || value === null) return [];
  const given = value as Record<string, unknown>;
  let fromMs = 0;
  return PARTS.flatMap(({ name, label }) => {
    const ms = given[name];
    if (typeof ms !== 'number' || !(ms > 0)) return [];
    const part = { name, label, ms, fromMs };
    fromMs += ms;
    return [part];
  });
}

/** A round number of milliseconds that holds every bar. */
export function scaleMs(bars: readonly TurnBar[]): number {
  const longest = Math.max(MIN_SCALE_MS, ...bars.map(({ totalMs }) => totalMs));
  return Math.ceil(longest / 500) * 500;
}

/** `640 ms`, `1.24 s` */
export function duration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`;
}

/** For those who do not see it. */
export function barDescription({ title, totalMs, parts }: TurnBar): string {
  const steps = parts.map(({ label, ms }) => `${label.toLowerCase()} ${duration(ms)}`);
  return [`${title}: ${duration(totalMs)}`, ...steps].join(', ');
}
