import type { Clock } from '../../shared/clock.ts';
import type { EventType } from '../../shared/events.ts';
import type { ToolCall } from '../../shared/llm/language-model.ts';
import type { HistoryLine } from '../../shared/llm/prompt.ts';
import type { TranscriptItem } from '../../shared/transcript.ts';
import type { Usage } from '../../shared/usage.ts';
import type { EventDetails, Reporter } from '../report/reporter.ts';

/**
 * What was said on a call, for the model's history, the transcript and the timeline. Transcript lines travel with the next
 * event that is reported.
 */
export interface ChatContext {
  readonly history: readonly HistoryLine[];
  report(type: EventType, message: string, details?: EventDetails): void;
  /** Adds a finished turn of the caller; `speechEndMs` is monotonic. */
  addCallerTurn(text: string, speechEndMs: number, data: Record<string, unknown>): void;
  /** Adds what the caller was saying when the call ended, to the transcript only. */
  addUnfinishedCallerTurn(text: string): void;
  /** Adds what was played out of a reply, from `startedAtMs` (wall clock) on. */
  addAgentTurn(text: string, startedAtMs: number, interrupted: boolean): void;
  /** Adds a tool's result to the history, whatever became of the reply that called it. */
  addToolRun(call: ToolCall, result: string): void;
  /** Returns and removes the lines that no event has carried yet. */
  takeTranscript(): TranscriptItem[];
}

export interface ChatContextOptions {
  reporter: Reporter;
  usage: Usage;
  clock: Clock;
}

export function createChatContext({ reporter, usage, clock }: ChatContextOptions): ChatContext {
  const history: HistoryLine[] = [];
  const lines: TranscriptItem[] = [];

  const takeTranscript = () => lines.splice(0);

  function report(type: EventType, message: string, details: EventDetails = {}): void {
    reporter.report(type, message, { ...details, transcript: takeTranscript() });
  }

  return {
    history,
    report,
    takeTranscript,
    addCallerTurn(text, speechEndMs, data) {
      const atMs = clock.wall() - (clock.now() - speechEndMs);
      const last = history.at(-1);
      // Two turns without a reply between them are one user message to the model.
      if (last?.role === 'user') last.text = `${last.text} ${text}`;
      else history.push({ role: 'user', text, interrupted: false });
      lines.push({ role: 'user', text, at_ms: Math.round(atMs), interrupted: false });
      report('user.turn', text, { data });
    },
    addUnfinishedCallerTurn(text) {
      lines.push({ role: 'user', text, at_ms: clock.wall(), interrupted: false });
    },
    addToolRun(call, result) {
      history.push({ role: 'agent', text: '', interrupted: false, tool_runs: [{ call, result }] });
    },
    addAgentTurn(text, startedAtMs, interrupted) {
      usage.tts_characters += text.length;
      history.push({ role: 'agent', text, interrupted });
      lines.push({ role: 'agent', text, at_ms: startedAtMs, interrupted });
    },
  };
}
