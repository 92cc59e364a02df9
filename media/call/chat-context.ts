import type { Clock, Timer } from '../../shared/clock.ts';
import type { EventType } from '../../shared/events.ts';
import type { ToolCall } from '../../shared/llm/language-model.ts';
import { type HistoryLine, UNTRANSCRIBED } from '../../shared/llm/prompt.ts';
import type { TranscriptItem } from '../../shared/transcript.ts';
import type { Usage } from '../../shared/usage.ts';
import type { EventDetails, Reporter } from '../report/reporter.ts';

/**
 * What was said on a call, for the model's history, the transcript and the timeline. Transcript lines travel with the next
 * event that is reported.
 */
export interface ChatContext {
  readonly history: readonly HistoryLine[];
  /** Given to the agent during the call, besides its prompt. */
  readonly instructions: string[];
  report(type: EventType, message: string, details?: EventDetails): void;
  /**
   * Adds a finished turn of the caller; `speechEndMs` is monotonic. With untranscribed parts it is in the history at once, and in
   * transcript and timeline when their words have come, with the time at which they were said; without them after a while.
   */
  addCallerTurn(
    text: string,
    speechEndMs: number,
    data: Record<string, unknown>,
    untranscribed?: readonly number[],
  ): void;
  /** Adds what a person said to the caller; `speechEndMs` is monotonic. */
  addHumanAgentTurn(text: string, speechEndMs: number): void;
  /** The words of an untranscribed part have come; '' where there are none. */
  transcribe(part: number, text: string): void;
  /** Adds what the caller was saying when the call ended, to the transcript only. */
  addUnfinishedCallerTurn(text: string): void;
  /**
   * Adds what was played out of a reply, from `startedAtMs` (wall clock) on: to the transcript as one line, to the history with
   * the words before each round of tools in front of the round, and without the fillers, which the model did not say.
   */
  addAgentTurn(
    text: string,
    startedAtMs: number,
    interrupted: boolean,
    rounds?: readonly ToolRound[],
    fillers?: readonly TextRange[],
  ): void;
  /** Adds a round of tool calls to the history, where it stays whatever becomes of the reply. */
  addToolRound(calls: readonly ToolCall[]): ToolRound;
  /** The call ends: turns whose words have not come are in the transcript without them. */
  giveUpTranscripts(): void;
  /** Returns and removes the lines that no event has carried yet. */
  takeTranscript(): TranscriptItem[];
}

/** Tools that the model calls at once, in the middle of a reply. */
export interface ToolRound {
  /** Its place in the history; the text is set when the reply is committed. */
  readonly line: HistoryLine;
  /** Where the words before it end in the reply's text. */
  textEnd: number;
  addResult(call: ToolCall, result: string): void;
}

/** A turn in the history some words of which are not known yet. */
interface UntranscribedTurn {
  readonly line: HistoryLine;
  text: string;
  /** Without words so far, in their order in the text. */
  parts: number[];
  atMs: number;
  data: Record<string, unknown>;
  /** Ends the wait for its words. */
  deadline: Timer;
}

/** What is said after a turn waits so long for the turn's words. */
const WORDS_WITHIN_MS = 15_000;

/** A part of a reply's text, in UTF-16 units. */
export interface TextRange {
  from: number;
  to: number;
}

/** The text from one offset to another without these parts, which are in order. */
export function withoutRanges(text: string, from: number, to: number, ranges: readonly TextRange[]): string {
  let kept = '';
  let at = from;
  for (const range of ranges) {
    kept += text.slice(at, Math.max(at, Math.min(range.from, to)));
    at = Math.max(at, range.to);
  }
  return `${kept}${text.slice(at, Math.max(at, to))}`.trim();
}

export interface ChatContextOptions {
  reporter: Reporter;
  usage: Usage;
  clock: Clock;
  /** Gets each line of the transcript at once; events carry it only when something happens. */
  onTranscriptLine?: ((line: TranscriptItem) => void) | undefined;
}

export function createChatContext({ reporter, usage, clock, onTranscriptLine }: ChatContextOptions): ChatContext {
  const history: HistoryLine[] = [];
  /** In the order in which they were said: what comes after a turn without words waits for them. */
  const lines: (TranscriptItem | UntranscribedTurn)[] = [];
  const untranscribedTurns: UntranscribedTurn[] = [];

  function takeTranscript(): TranscriptItem[] {
    const waiting = lines.findIndex((line) => 'parts' in line);
    return lines.splice(0, waiting < 0 ? lines.length : waiting) as TranscriptItem[];
  }

  /** The words of the turn are known, or are no longer waited for. */
  function settle(turn: UntranscribedTurn): void {
    turn.deadline.cancel();
    untranscribedTurns.splice(untranscribedTurns.indexOf(turn), 1);
    const line: TranscriptItem = { role: 'user', text: turn.text, at_ms: turn.atMs, interrupted: false };
    lines.splice(lines.indexOf(turn), 1, ...(turn.text === '' ? [] : [line]));
    if (turn.text !== '') onTranscriptLine?.(line);
  }

  const wallMsOf = (monotonicMs: number) => clock.wall() - (clock.now() - monotonicMs);

  function addLine(line: TranscriptItem): void {
    lines.push(line);
    onTranscriptLine?.(line);
  }

  function report(type: EventType, message: string, details: EventDetails = {}): void {
    reporter.report(type, message, { ...details, transcript: takeTranscript() });
  }

  return {
    history,
    instructions: [],
    report,
    takeTranscript,
    addCallerTurn(text, speechEndMs, data, untranscribed = []) {
      const atMs = wallMsOf(speechEndMs);
      const last = history.at(-1);
      // Two turns without a reply between them are one user message to the model.
      if (last?.role === 'user') last.text = `${last.text} ${text}`;
      else history.push({ role: 'user', text, interrupted: false });
      if (untranscribed.length > 0) {
        const line = history.at(-1)!;
        const deadline = clock.after(WORDS_WITHIN_MS, () => settle(turn));
        const turn = { line, text, parts: [...untranscribed], atMs: Math.round(atMs), data, deadline };
        untranscribedTurns.push(turn);
        lines.push(turn);
        return;
      }
      addLine({ role: 'user', text, at_ms: Math.round(atMs), interrupted: false });
      report('user.turn', text, { data });
    },
    addHumanAgentTurn(text, speechEndMs) {
      const atMs = Math.round(wallMsOf(speechEndMs));
      const last = history.at(-1);
      if (last?.role === 'human_agent') last.text = `${last.text} ${text}`;
      else history.push({ role: 'human_agent', text, interrupted: false });
      addLine({ role: 'human_agent', text, at_ms: atMs, interrupted: false });
      report('human_agent.turn', text);
    },
    transcribe(part, text) {
      const turn = untranscribedTurns.find(({ parts }) => parts.includes(part));
      if (!turn) return;
      const earlier = untranscribedTurns.slice(0, untranscribedTurns.indexOf(turn));
      const before = earlier.filter(({ line }) => line === turn.line).reduce((sum, { parts }) => sum + parts.length, 0);
      const index = turn.parts.indexOf(part);
      turn.line.text = withWords(turn.line.text, before + index, text);
      turn.text = withWords(turn.text, index, text);
      turn.parts.splice(index, 1);
      if (turn.parts.length > 0) return;
      settle(turn);
      if (turn.text === '') return;
      report('user.turn', turn.text, { data: { ...turn.data, late: true } });
    },
    giveUpTranscripts() {
      for (const turn of [...untranscribedTurns]) settle(turn);
    },
    addUnfinishedCallerTurn(text) {
      addLine({ role: 'user', text, at_ms: clock.wall(), interrupted: false });
    },
    addToolRound(calls) {
      const results = new Map<ToolCall, string>();
      const line: HistoryLine = { role: 'agent', text: '', interrupted: false, tool_runs: [] };
      history.push(line);
      return {
        line,
        textEnd: 0,
        addResult(call, result) {
          results.set(call, result);
          line.tool_runs = calls.flatMap((one) => (results.has(one) ? [{ call: one, result: results.get(one)! }] : []));
        },
      };
    },
    addAgentTurn(text, startedAtMs, interrupted, rounds = [], fillers = []) {
      usage.tts_characters += text.length;
      addLine({ role: 'agent', text, at_ms: startedAtMs, interrupted });
      let from = 0;
      for (const { line, textEnd } of rounds) {
        line.text = withoutRanges(text, from, textEnd, fillers);
        line.interrupted = text.length < textEnd;
        from = textEnd;
      }
      const rest = withoutRanges(text, from, text.length, fillers);
      if (rest !== '') history.push({ role: 'agent', text: rest, interrupted });
    },
  };
}

/** The text with these words in the place of the index-th part without any. */
function withWords(text: string, index: number, words: string): string {
  const parts = text.split(UNTRANSCRIBED);
  const before = parts.slice(0, index + 1).join(UNTRANSCRIBED);
  const after = parts.slice(index + 1).join(UNTRANSCRIBED);
  return `${before.trim()} ${words.trim()} ${after.trim()}`.replace(/\s+/g, ' ').trim();
}
