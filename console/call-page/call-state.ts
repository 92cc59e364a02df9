import type { TranscriptRole } from '../../shared/transcript.ts';
import type { CallEvent } from '../call/call-client.ts';
import type { Call, TimelineItem } from '../generated/api.ts';

/** The state of a call on the page as a reducer, without browser APIs. */

export type CallPhase =
  | 'ready'
  | 'microphone'
  | 'placing'
  | 'connecting'
  | 'talking'
  | 'interrupted'
  | 'reconnecting'
  | 'ended';

export interface TranscriptLine {
  key: number;
  role: TranscriptRole;
  text: string;
  /** False while they speak: the text may still change. */
  final: boolean;
  /** The caller talked over it. */
  interrupted: boolean;
}

export interface CallState {
  phase: CallPhase;
  callId: string | null;
  lines: TranscriptLine[];
  muted: boolean;
  /** Ordered by `seq`, without duplicates. */
  events: TimelineItem[];
  /** When the call was connected, milliseconds since 1970. */
  startedAtMs: number | null;
  endedAtMs: number | null;
  endReason: string | null;
  /** The error text for the user. */
  error: string | null;
}

export type CallAction =
  | { type: 'pressed' }
  | { type: 'placing' }
  | { type: 'placed'; call_id: string }
  | { type: 'failed'; error: string }
  | { type: 'message'; error: string | null }
  | { type: 'muted'; muted: boolean }
  /** A call of before, as its record has it. */
  | { type: 'past_call'; call: Pick<Call, 'id' | 'transcript'> }
  | { type: 'events'; items: readonly TimelineItem[] }
  | { type: 'call_event'; event: CallEvent; now_ms: number };

export const READY: CallState = {
  phase: 'ready',
  callId: null,
  lines: [],
  muted: false,
  events: [],
  startedAtMs: null,
  endedAtMs: null,
  endReason: null,
  error: null,
};

const MAX_LINES = 500;

export function reduceCallState(state: CallState, action: CallAction): CallState {
  switch (action.type) {
    case 'pressed':
      return canStart(state) ? { ...READY, phase: 'microphone' } : state;
    case 'placing':
      return { ...state, phase: 'placing' };
    case 'placed':
      return { ...state, phase: 'connecting', callId: action.call_id };
    case 'failed':
      return { ...READY, error: action.error };
    case 'message':
      return { ...state, error: action.error };
    case 'muted':
      return { ...state, muted: action.muted };
    case 'past_call':
      return state.phase === 'ready' ? afterPastCall(state, action.call) : state;
    case 'events':
      return { ...state, events: appendEvents(state.events, action.items) };
    case 'call_event':
      return afterCallEvent(state, action.event, action.now_ms);
  }
}

/** Whether a call is in progress or being set up. */
export function isLive(phase: CallPhase): boolean {
  return phase !== 'ready' && phase !== 'ended';
}

export function canStart({ phase }: CallState): boolean {
  return !isLive(phase);
}

/** The lines of a call of before, with its id; the page is ready for another one. */
function afterPastCall(state: CallState, { id, transcript }: Pick<Call, 'id' | 'transcript'>): CallState {
  const lines = transcript.map(({ role, text, interrupted }, at) => ({
    ...{ key: at + 1, role, text, interrupted, final: true },
  }));
  return {
    ...READY,
    callId: id,
    lines: lines.slice(-MAX_LINES),
    error: state.error,
    events: state.callId === id ? state.events : [],
  };
}

function afterCallEvent(state: CallState, event: CallEvent, nowMs: number): CallState {
  if (!isLive(state.phase)) return state;
  switch (event.type) {
    case 'connecting':
      return { ...state, phase: 'connecting' };
    case 'talking':
      return { ...state, phase: 'talking', startedAtMs: state.startedAtMs ?? nowMs };
    case 'interrupted':
    case 'reconnecting':
      return { ...state, phase: event.type };
    case 'transcript':
      return { ...state, lines: updateLines(state.lines, event) };
    case 'ended':
      return {
        ...state,
        phase: 'ended',
        endReason: event.reason,
        endedAtMs: nowMs,
        muted: false,
        // Interim text stays as it was last recognized.
        lines: state.lines.map((line) => (line.final ? line : { ...line, final: true })),
      };
    case 'agent_audio':
      return state;
  }
}

/** Replaces the side's interim line, or adds a line; removes an interim line that became empty. */
export function updateLines(
  lines: readonly TranscriptLine[],
  { role, text, final, interrupted }: Omit<TranscriptLine, 'key'>,
): TranscriptLine[] {
  const at = lines.findLastIndex((line) => line.role === role && !line.final);
  const open = lines[at];
  const words = text.trim();
  if (open) {
    if (words === '') return lines.filter((line) => line !== open);
    return lines.map((line) => (line === open ? { ...open, text: words, final, interrupted } : line));
  }
  if (words === '') return [...lines];
  const key = (lines.at(-1)?.key ?? 0) + 1;
  return [...lines, { key, role, text: words, final, interrupted }].slice(-MAX_LINES);
}

function appendEvents(known: readonly TimelineItem[], items: readonly TimelineItem[]): TimelineItem[] {
  const last = known.at(-1)?.seq ?? 0;
  const fresh = items.filter(({ seq }) => seq > last).toSorted((a, b) => a.seq - b.seq);
  return fresh.length === 0 ? (known as TimelineItem[]) : [...known, ...fresh];
}

/** Whether the timeline has its last event: the call was completed, or never connected. */
export function timelineIsComplete(events: readonly TimelineItem[]): boolean {
  const ended = events.find(({ type }) => type === 'call.ended');
  if (!ended) return false;
  return !events.some(({ type }) => type === 'call.started') || events.some(({ type }) => type === 'call.completed');
}
