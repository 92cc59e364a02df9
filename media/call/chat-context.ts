import type { Clock } from '../../shared/clock.ts';
import type { EventType } from '../../shared/events.ts';
import type { ToolCall } from '../../shared/llm/language-model.ts';
import type { HistoryLine } from '../../shared/llm/prompt.ts';
import type { TranscriptItem } from '../../shared/transcript.ts';
import type { Usage } from '../../shared/usage.ts';
import type { EventDetails, Reporter } from '../report/reporter.ts';

/**
 * What was said on a call, kept once for three readers: the model's history, the transcript and the timeline. Transcript
 * lines travel with the next event that is told.
 */
export interface ChatContext {
  readonly history: readonly HistoryLine[];
  report(type: EventType, message: string, more?: EventDetails): void;
  /** The caller finished a turn; `speechEndMs` is monotonic. */
  addCallerTurn(text: string, speechEndMs: number, data: Record<string, unknown>): void;
  /** The caller was saying this when the call ended. */
  addUnfinishedCallerTurn(text: string): void;
  /** The caller heard this of the agent, from `startedAtMs` (wall clock) on. */
  addAgentTurn(text: string, startedAtMs: number, interrupted: boolean): void;
  /** A tool ran: in the history once, whatever became of the reply that asked for it. */
  addToolRun(call: ToolCall, result: string): void;
  /** Lines that no event has carried yet; they are the asker's now. */
  takeTranscript(): TranscriptItem[];
}

export function createChatContext({
  reporter,
  usage,
  clock,
}: {
  reporter: Reporter;
  usage: Usage;
  clock: Clock;
}): ChatContext {
  const history: HistoryLine[] = [];
  let lines: TranscriptItem[] = [];

  function takeLines(): TranscriptItem[] {
    const taken = lines;
    lines = [];
    return taken;
  }

  function tell(type: EventType, message: string, more: EventDetails = {}): void {
    reporter.report(type, message, { ...more, transcript: takeLines() });
  }

  return {
    history,
    report: tell,
    takeTranscript: takeLines,
    addCallerTurn(text, speechEndMs, data) {
      const atMs = clock.wall() - (clock.now() - speechEndMs);
      const last = history.at(-1);
      // Two turns without a reply between them are one thing said to the model.
      if (last?.role === 'user') last.text = `${last.text} ${text}`;
      else history.push({ role: 'user', text, interrupted: false });
      lines.push({ role: 'user', text, at_ms: Math.round(atMs), interrupted: false });
      tell('user.turn', text, { data });
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
