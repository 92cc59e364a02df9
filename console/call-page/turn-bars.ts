import type { TimelineItem } from '../generated/api.ts';
import { t } from '../texts/texts.ts';

/** The latency of each turn by its parts, from the end of the caller's speech to the first audio of the reply. */

export type PartName = (typeof PARTS)[number];

export interface TurnPart {
  name: PartName;
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
  'end_of_turn_ms',
  'knowledge_ms',
  'first_token_ms',
  'first_segment_ms',
  'first_audio_ms',
  'playout_ms',
] as const;

/** The shortest scale, so that fast turns have short bars. */
const MIN_SCALE_MS = 1_000;

/** What the time of a part was needed for. */
export function partLabel(name: PartName): string {
  switch (name) {
    case 'end_of_turn_ms':
      return t('Noticing the end of the speech');
    case 'knowledge_ms':
      return t('Searching the knowledge');
    case 'first_token_ms':
      return t('First token of the model');
    case 'first_segment_ms':
      return t('First phrase of the model');
    case 'first_audio_ms':
      return t('First audio of the voice');
    case 'playout_ms':
      return t('Sending');
  }
}

export function turnBars(events: readonly TimelineItem[]): TurnBar[] {
  const bars: TurnBar[] = [];
  let said = '';
  for (const { id, type, message, data, latency_ms } of events) {
    if (type === 'user.turn') said = message;
    if (type !== 'tts.first_audio') continue;
    const parts = partsOf(data.parts);
    const totalMs = latency_ms ?? parts.reduce((sum, { ms }) => sum + ms, 0);
    bars.push({ id, title: data.welcome === true ? t('Welcome') : said || t('Agent speaks'), totalMs, parts });
    said = '';
  }
  return bars;
}

function partsOf(value: unknown): TurnPart[] {
  if (typeof value !== 'object' || value === null) return [];
  const given = value as Record<string, unknown>;
  let fromMs = 0;
  return PARTS.flatMap((name) => {
    const ms = given[name];
    if (typeof ms !== 'number' || !(ms > 0)) return [];
    const part = { name, ms, fromMs };
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

/** The parts of the bar as text, for screen readers. */
export const partsText = ({ parts }: Pick<TurnBar, 'parts'>): string =>
  parts.map(({ name, ms }) => `${partLabel(name)} ${duration(ms)}`).join(', ');
