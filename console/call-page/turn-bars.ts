import type { TimelineItem } from '../api-records.ts';

/** The latency of each turn by its parts, from the end of the caller's speech to the first audio of the reply. */

export interface TurnPart {
  name: string;
  label: string;
  ms: number;
  /** Offset from the end of the caller's speech. */
  fromMs: number;
}

export interface TurnBar {
  /** Id of the timeline event. */
  id: string;
  /** The caller's words, or `Welcome`. */
  title: string;
  totalMs: number;
  parts: TurnPart[];
}

/** In chronological order; `data.parts` of `tts.first_audio` adds up to its latency. */
export const PARTS = [
  { name: 'end_of_turn_ms', label: 'Knowing you are done' },
  { name: 'knowledge_ms', label: 'Looking it up' },
  { name: 'first_token_ms', label: 'First thought' },
  { name: 'first_segment_ms', label: 'First phrase' },
  { name: 'first_audio_ms', label: 'First audio' },
  { name: 'playout_ms', label: 'On its way' },
] as const;

/** The shortest scale, so that fast turns have short bars. */
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

/** The end of the scale: the longest bar, rounded up to 500 ms. */
export function scaleMs(bars: readonly TurnBar[]): number {
  const longest = Math.max(MIN_SCALE_MS, ...bars.map(({ totalMs }) => totalMs));
  return Math.ceil(longest / 500) * 500;
}

/** `640 ms`, `1.24 s` */
export function duration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`;
}

/** The bar as text for screen readers. */
export function barDescription({ title, totalMs, parts }: TurnBar): string {
  const steps = parts.map(({ label, ms }) => `${label.toLowerCase()} ${duration(ms)}`);
  return [`${title}: ${duration(totalMs)}`, ...steps].join(', ');
}
