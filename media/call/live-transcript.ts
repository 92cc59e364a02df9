import type { Clock } from '../../shared/clock.ts';
import type { TranscriptItem } from '../../shared/transcript.ts';
import type { Leg, LiveTranscriptLine } from '../leg/leg.ts';
import type { Reporter } from '../report/reporter.ts';

/** Sends the conversation to the caller's browser during the call: partial transcripts and played-out words, then final lines. */
export interface LiveTranscript {
  /** The call's reporter; transcript lines of its events are sent as final. */
  readonly reporter: Reporter;
  /** Sends the caller's words so far. */
  onCallerPartial(text: string): void;
  /** Sends the agent's words played out so far, every 200 ms. */
  tick(nowMs: number): void;
  /** Sends the last lines of the call. */
  close(lines: readonly TranscriptItem[]): void;
}

const AGENT_UPDATE_EVERY_MS = 200;

/** Null where the leg shows no transcript. `agentPlayedOut`: what was played out of the current reply, '' without one. */
export function createLiveTranscript(options: {
  leg: Pick<Leg, 'transcript'>;
  reporter: Reporter;
  clock: Clock;
  agentPlayedOut(): string;
}): LiveTranscript | null {
  const { leg, reporter, clock, agentPlayedOut } = options;
  if (!leg.transcript) return null;
  let nextMs = 0;
  let lastAgentText = '';
  let lastCallerText = '';

  const send = (line: LiveTranscriptLine) => leg.transcript?.(line);

  function sendFinal(lines: readonly TranscriptItem[]): void {
    for (const { role, text, at_ms } of lines) {
      if (role === 'user') lastCallerText = '';
      else lastAgentText = '';
      send({ role, text, final: true, at_ms });
    }
  }

  return {
    reporter: {
      ...reporter,
      report(type, message, details) {
        reporter.report(type, message, details);
        sendFinal(details?.transcript ?? []);
      },
    },
    onCallerPartial(text) {
      if (text === lastCallerText || text === '') return;
      lastCallerText = text;
      send({ role: 'user', text, final: false, at_ms: clock.wall() });
    },
    tick(nowMs) {
      if (nowMs < nextMs) return;
      nextMs = nowMs + AGENT_UPDATE_EVERY_MS;
      const text = agentPlayedOut();
      if (text === lastAgentText || text === '') return;
      lastAgentText = text;
      send({ role: 'agent', text, final: false, at_ms: clock.wall() });
    },
    close: sendFinal,
  };
}
