import type { Clock } from '../../shared/clock.ts';
import type { TranscriptItem } from '../../shared/transcript.ts';
import type { Leg, LiveTranscriptLine } from '../leg/leg.ts';

/** Sends the conversation to the caller's browser during the call: partial transcripts and played-out words, then final lines. */
export interface LiveTranscript {
  /** Sends a line that is final: the agent's when its last word was played out, the caller's when their turn is over. */
  onLine(line: TranscriptItem): void;
  /** Sends the caller's words so far. */
  onCallerPartial(text: string): void;
  /** Sends the agent's words played out so far, every 200 ms. */
  tick(nowMs: number): void;
}

const AGENT_UPDATE_EVERY_MS = 200;

/** Null where the leg shows no transcript. `agentPlayedOut`: what was played out of the current reply, '' without one. */
export function createLiveTranscript(options: {
  leg: Pick<Leg, 'transcript'>;
  clock: Clock;
  agentPlayedOut(): string;
}): LiveTranscript | null {
  const { leg, clock, agentPlayedOut } = options;
  if (!leg.transcript) return null;
  let nextMs = 0;
  let lastAgentText = '';
  let lastCallerText = '';

  const send = (line: LiveTranscriptLine) => leg.transcript?.(line);
  const sendPartial = (role: LiveTranscriptLine['role'], text: string) =>
    send({ role, text, final: false, interrupted: false, at_ms: clock.wall() });

  return {
    onLine({ role, text, interrupted, at_ms }) {
      if (role === 'user') lastCallerText = '';
      else lastAgentText = '';
      send({ role, text, final: true, interrupted, at_ms });
    },
    onCallerPartial(text) {
      if (text === lastCallerText || text === '') return;
      lastCallerText = text;
      sendPartial('user', text);
    },
    tick(nowMs) {
      if (nowMs < nextMs) return;
      nextMs = nowMs + AGENT_UPDATE_EVERY_MS;
      const text = agentPlayedOut();
      if (text === lastAgentText || text === '') return;
      lastAgentText = text;
      sendPartial('agent', text);
    },
  };
}
