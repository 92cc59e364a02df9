import type { Call, TimelineItem } from '../generated/api.ts';
import type { Stretch } from './read-peaks.ts';

/** A line of the transcript with its place in the recording. */
export interface SpokenLine {
  role: Call['transcript'][number]['role'];
  text: string;
  interrupted: boolean;
  /** Seconds from the answer; null where the call was never answered. */
  fromSeconds: number | null;
  untilSeconds: number | null;
}

type Item = Pick<TimelineItem, 'type' | 'message' | 'offset_ms'>;

/** Where nothing else says how long somebody spoke. */
const CHARACTERS_PER_SECOND = 15;
/** A caller's voice that ends so long before the transcript says so still belongs to the line. */
const TOLERANCE_SECONDS = 1;

/**
 * The lines of a call with their places. The agent's have their beginning in the record, and their end on the timeline; the caller's
 * have their end, and begin with the voice that ends there. A call that goes on has no transcript yet, only its timeline.
 */
export function spokenLines(
  transcript: Call['transcript'],
  events: readonly Item[],
  callerVoice: readonly Stretch[] = [],
): SpokenLine[] {
  if (transcript.length === 0) return linesOfEvents(events);
  const ends = events.filter(({ type }) => type === 'agent.reply' || type === 'interrupted');
  const lines: SpokenLine[] = [];
  for (const [at, { role, text, interrupted, offset_ms }] of transcript.entries()) {
    const said = { role, text, interrupted };
    if (offset_ms === null) {
      lines.push({ ...said, fromSeconds: null, untilSeconds: null });
    } else if (role === 'agent') {
      const next =
        transcript.slice(at + 1).find((line) => line.role === 'agent')?.offset_ms ?? Number.POSITIVE_INFINITY;
      const end = ends.find(({ offset_ms: ms }) => ms !== null && ms >= offset_ms && ms <= next)?.offset_ms;
      lines.push({ ...said, ...span(offset_ms, end ?? Math.min(next, offset_ms + msOf(text))) });
    } else {
      const before = lines.at(-1);
      const least = before?.role === 'agent' ? (before.fromSeconds ?? 0) : (before?.untilSeconds ?? 0);
      // The voice of a person who took over is not the caller's.
      const voice = role === 'user' ? callerVoice : [];
      lines.push({ ...said, ...callerSpan(offset_ms / 1_000, text, least, voice) });
    }
  }
  return lines;
}

const msOf = (text: string): number => (1_000 * text.length) / CHARACTERS_PER_SECOND;

const span = (fromMs: number, untilMs: number) => ({
  fromSeconds: Math.max(0, fromMs / 1_000),
  untilSeconds: Math.max(0, untilMs / 1_000),
});

/** From the voice that ends with the line, of several parts with short pauses. */
function callerSpan(untilSeconds: number, text: string, leastSeconds: number, voice: readonly Stretch[]) {
  const guessed = untilSeconds - msOf(text) / 1_000;
  const last = voice.findLastIndex((stretch) => stretch.fromSeconds < untilSeconds);
  if (last < 0 || untilSeconds - voice[last]!.untilSeconds > TOLERANCE_SECONDS) {
    return { fromSeconds: Math.max(0, leastSeconds, guessed), untilSeconds };
  }
  let first = last;
  while (first > 0 && voice[first - 1]!.untilSeconds > Math.max(leastSeconds, guessed)) first--;
  return { fromSeconds: Math.max(0, leastSeconds, voice[first]!.fromSeconds), untilSeconds };
}

const SPEAKERS: Readonly<Record<string, SpokenLine['role']>> = {
  'user.turn': 'user',
  welcome: 'agent',
  'agent.reply': 'agent',
  'human_agent.turn': 'human_agent',
};

/** What was said so far, from the events that carry speech. */
function linesOfEvents(events: readonly Item[]): SpokenLine[] {
  return events.flatMap(({ type, message, offset_ms }) => {
    const role = SPEAKERS[type];
    if (role === undefined || message === '') return [];
    const seconds = offset_ms === null ? null : Math.max(0, offset_ms / 1_000);
    return [{ role, text: message, interrupted: false, fromSeconds: seconds, untilSeconds: seconds }];
  });
}

/** The line that is said at this moment, or was the last; -1 before the first. */
export function lineAt(lines: readonly SpokenLine[], seconds: number): number {
  let found = -1;
  for (const [at, { fromSeconds }] of lines.entries()) {
    if (fromSeconds !== null && fromSeconds <= seconds && fromSeconds >= (lines[found]?.fromSeconds ?? 0)) found = at;
  }
  return found;
}
