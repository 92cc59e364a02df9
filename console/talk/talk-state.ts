import type { TimelineItem } from '../api-records.ts';
import type { CallNews } from '../call/call-client.ts';

/** What the page knows of a call, as a function of what happened. No browser in here. */

export type Stage = 'ready' | 'microphone' | 'placing' | 'connecting' | 'talking' | 'reconnecting' | 'ended';

export interface Line {
  key: number;
  role: 'user' | 'agent';
  text: string;
  /** False while they speak: the words may still change. */
  final: boolean;
}

export interface TalkState {
  stage: Stage;
  callId: string | null;
  lines: Line[];
  muted: boolean;
  /** In order, without gaps or doubles. */
  events: TimelineItem[];
  /** When the agent was there, milliseconds since 1970. */
  startedAtMs: number | null;
  endedAtMs: number | null;
  endReason: string | null;
  /** One sentence for the person, where something could not be done. */
  trouble: string | null;
}

export type TalkHappening =
  | { type: 'pressed' }
  | { type: 'placing' }
  | { type: 'placed'; call_id: string }
  | { type: 'refused'; trouble: string }
  | { type: 'told'; trouble: string | null }
  | { type: 'muted'; muted: boolean }
  | { type: 'events'; items: readonly TimelineItem[] }
  | { type: 'news'; news: CallNews; now_ms: number };

export const READY: TalkState = {
  stage: 'ready',
  callId: null,
  lines: [],
  muted: false,
  events: [],
  startedAtMs: null,
  endedAtMs: null,
  endReason: null,
  trouble: null,
};

const MOST_LINES = 500;

export function talkAfter(state: TalkState, happening: TalkHappening): TalkState {
  switch (happening.type) {
    case 'pressed':
      return mayBegin(state) ? { ...READY, stage: 'microphone' } : state;
    case 'placing':
      return { ...state, stage: 'placing' };
    case 'placed':
      return { ...state, stage: 'connecting', callId: happening.call_id };
    case 'refused':
      return { ...READY, trouble: happening.trouble };
    case 'told':
      return { ...state, trouble: happening.trouble };
    case 'muted':
      return { ...state, muted: happening.muted };
    case 'events':
      return { ...state, events: withNew(state.events, happening.items) };
    case 'news':
      return afterNews(state, happening.news, happening.now_ms);
  }
}

/** A call is going on, or about to. */
export function isLive(stage: Stage): boolean {
  return stage !== 'ready' && stage !== 'ended';
}

export function mayBegin({ stage }: TalkState): boolean {
  return !isLive(stage);
}

function afterNews(state: TalkState, news: CallNews, nowMs: number): TalkState {
  if (!isLive(state.stage)) return state;
  switch (news.type) {
    case 'connecting':
      return { ...state, stage: 'connecting' };
    case 'talking':
      return { ...state, stage: 'talking', startedAtMs: state.startedAtMs ?? nowMs };
    case 'reconnecting':
      return { ...state, stage: 'reconnecting' };
    case 'words':
      return { ...state, lines: linesAfter(state.lines, news) };
    case 'ended':
      return {
        ...state,
        stage: 'ended',
        endReason: news.reason,
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
export function linesAfter(
  lines: readonly Line[],
  { role, text, final }: { role: 'user' | 'agent'; text: string; final: boolean },
): Line[] {
  const at = lines.findLastIndex((line) => line.role === role && !line.final);
  const open = lines[at];
  const words = text.trim();
  if (open) {
    if (words === '') return lines.filter((line) => line !== open);
    return lines.map((line) => (line === open ? { ...open, text: words, final } : line));
  }
  if (words === '') return [...lines];
  const key = (lines.at(-1)?.key ?? 0) + 1;
  return [...lines, { key, role, text: words, final }].slice(-MOST_LINES);
}

function withNew(known: readonly TimelineItem[], items: readonly TimelineItem[]): TimelineItem[] {
  const last = known.at(-1)?.seq ?? 0;
  const fresh = items.filter(({ seq }) => seq > last).toSorted((a, b) => a.seq - b.seq);
  return fresh.length === 0 ? (known as TimelineItem[]) : [...known, ...fresh];
}

/** The timeline says nothing more: the call was completed, or never connected. */
export function timelineIsWhole(events: readonly TimelineItem[]): boolean {
  const ended = events.find(({ type }) => type === 'call.ended');
  if (!ended) return false;
  return !events.some(({ type }) => type === 'call.started') || events.some(({ type }) => type === 'call.completed');
}
