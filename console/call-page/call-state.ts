import type { TimelineItem } from '../api-records.ts';
import type { CallEvent } from '../call/call-client.ts';

/** What the page knows of a call, as a function of what happened. No browser in here. */

export type CallPhase = 'ready' | 'microphone' | 'placing' | 'connecting' | 'talking' | 'reconnecting' | 'ended';

export interface TranscriptLine {
  key: number;
  role: 'user' | 'agent';
  text: string;
  /** False while they speak: the words may still change. */
  final: boolean;
}

export interface CallState {
  phase: CallPhase;
  callId: string | null;
  lines: TranscriptLine[];
  muted: boolean;
  /** In order, without gaps or doubles. */
  events: TimelineItem[];
  /** When the agent was there, milliseconds since 1970. */
  startedAtMs: number | null;
  endedAtMs: number | null;
  endReason: string | null;
  /** One sentence for the person, where something could not be done. */
  error: string | null;
}

export type CallAction =
  | { type: 'pressed' }
  | { type: 'placing' }
  | { type: 'placed'; call_id: string }
  | { type: 'refused'; trouble: string }
  | { type: 'told'; trouble: string | null }
  | { type: 'muted'; muted: boolean }
  | { type: 'events'; items: readonly TimelineItem[] }
  | { type: 'news'; news: CallEvent; now_ms: number };

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
    case 'refused':
      return { ...READY, error: action.trouble };
    case 'told':
      return { ...state, error: action.trouble };
    case 'muted':
      return { ...state, muted: action.muted };
    case 'events':
      return { ...state, events: appendEvents(state.events, action.items) };
    case 'news':
      return afterCallEvent(state, action.news, action.now_ms);
  }
}

/** A call is going on, or about to. */
export function isLive(stage: CallPhase): boolean {
  return stage !== 'ready' && stage !== 'ended';
}

export function canStart({ phase: stage }: CallState): boolean {
  return !isLive(stage);
}

function afterCallEvent(state: CallState, event: CallEvent, nowMs: number): CallState {
  if (!isLive(state.phase)) return state;
  switch (event.type) {
    case 'connecting':
      return { ...state, phase: 'connecting' };
    case 'talking':
      return { ...state, phase: 'talking', startedAtMs: state.startedAtMs ?? nowMs };
    case 'reconnecting':
      return { ...state, phase: 'reconnecting' };
    case 'words':
      return { ...state, lines: updateLines(state.lines, event) };
    case 'ended':
      return {
        ...state,
        phase: 'ended',
        endReason: event.reason,
        endedAtMs: nowMs,
        muted: false,
        // Nobody goes on with them: what was understood of them stays.
        lines: state.lines.map((line) => (line.final ? line : { ...line, final: true })),
      };
    case 'agent_sound':
      return state;
  }
}

/** Words of one side replace its unfinished line, or begin a new one; an unfinished line that came to nothing goes. */
export function updateLines(
  lines: readonly TranscriptLine[],
  { role, text, final }: { role: 'user' | 'agent'; text: string; final: boolean },
): TranscriptLine[] {
  const at = lines.findLastIndex((line) => line.role === role && !line.final);
  const open = lines[at];
  const words = text.trim();
  if (open) {
    if (words === '') return lines.filter((line) => line !== open);
    return lines.map((line) => (line === open ? { ...open, text: words, final } : line));
  }
  if (words === '') return [...lines];
  const key = (lines.at(-1)?.key ?? 0) + 1;
  return [...lines, { key, role, text: words, final }].slice(-MAX_LINES);
}

function appendEvents(known: readonly TimelineItem[], items: readonly TimelineItem[]): TimelineItem[] {
  const last = known.at(-1)?.seq ?? 0;
  const fresh = items.filter(({ seq }) => seq > last).toSorted((a, b) => a.seq - b.seq);
  return fresh.length === 0 ? (known as TimelineItem[]) : [...known, ...fresh];
}

/** The timeline says nothing more: the call was completed, or never connected. */
export function timelineIsComplete(events: readonly TimelineItem[]): boolean {
  const ended = events.find(({ type }) => type === 'call.ended');
  if (!ended) return false;
  return !events.some(({ type }) => type === 'call.started') || events.some(({ type }) => type === 'call.completed');
}
