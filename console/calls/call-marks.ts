import type { TimelineItem } from '../generated/api.ts';
import type { Stretch } from './read-peaks.ts';
import type { SpokenLine } from './spoken-lines.ts';

/** What is drawn under the waveform, at the same places. */

export type MarkKind = 'interruption' | 'backchannel' | 'tool' | 'transfer' | 'keys' | 'pause' | 'problem';

export interface Mark {
  kind: MarkKind;
  fromSeconds: number;
  /** The same for a moment. */
  untilSeconds: number;
  /** Words of the event, such as the name of a tool. */
  text: string;
}

type Item = Pick<TimelineItem, 'type' | 'message' | 'level' | 'offset_ms' | 'data'>;

const KINDS: Readonly<Record<string, MarkKind>> = {
  interrupted: 'interruption',
  'tool.call': 'tool',
  'call.transferred': 'transfer',
  'call.transfer_status': 'transfer',
  'call.dtmf': 'keys',
  error: 'problem',
  'fallback.used': 'problem',
  'network.stall': 'problem',
};

export function marksOfEvents(events: readonly Item[], seconds: number): Mark[] {
  const marks: Mark[] = [];
  let pause: Mark | null = null;
  for (const { type, message, offset_ms, data } of events) {
    if (offset_ms === null || offset_ms < 0 || offset_ms > seconds * 1_000) continue;
    const at = offset_ms / 1_000;
    if (type === 'recording.paused' && !pause) {
      pause = { kind: 'pause', fromSeconds: at, untilSeconds: seconds, text: '' };
      marks.push(pause);
    }
    if (type === 'recording.resumed' && pause) {
      pause.untilSeconds = at;
      pause = null;
    }
    const kind = KINDS[type];
    if (kind) marks.push({ kind, fromSeconds: at, untilSeconds: at, text: textOf(data) || message });
  }
  return marks;
}

const textOf = ({ name, digits }: Item['data']): string =>
  typeof name === 'string' ? name : typeof digits === 'string' ? digits : '';

/** Longer is a turn, not a word of assent. */
const LONGEST_BACKCHANNEL_SECONDS = 1.5;
/** An interruption is reported so long after the voice that made it at most. */
const REPORTED_WITHIN_SECONDS = 2;

/**
 * Short sounds of the caller while the agent spoke on: "mhm", "yes". The timeline does not have them, since the agent did not stop for
 * them; they are seen where a short voice lies within the agent's, without an interruption or a turn of the caller.
 */
export function backchannelsIn(
  callerVoice: readonly Stretch[],
  agentVoice: readonly Stretch[],
  lines: readonly SpokenLine[],
  interruptions: readonly Mark[],
): Mark[] {
  return callerVoice.flatMap(({ fromSeconds, untilSeconds }) => {
    const isShort = untilSeconds - fromSeconds <= LONGEST_BACKCHANNEL_SECONDS;
    const isWithin = agentVoice.some((agent) => agent.fromSeconds < fromSeconds && agent.untilSeconds > untilSeconds);
    const stopped = interruptions.some(
      (mark) => mark.fromSeconds >= fromSeconds && mark.fromSeconds <= untilSeconds + REPORTED_WITHIN_SECONDS,
    );
    const isTurn = lines.some(
      (line) =>
        line.role === 'user' &&
        line.fromSeconds !== null &&
        line.untilSeconds !== null &&
        line.fromSeconds < untilSeconds &&
        line.untilSeconds > fromSeconds,
    );
    if (!isShort || !isWithin || stopped || isTurn) return [];
    return [{ kind: 'backchannel' as const, fromSeconds, untilSeconds, text: '' }];
  });
}
