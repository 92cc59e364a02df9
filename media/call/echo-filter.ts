import type { Clock } from '../../shared/clock.ts';
import type { Playout } from '../playout/playout.ts';
import type { TranscriberEvent } from '../stt/transcriber.ts';
import { ECHO_AFTER_MS, ECHO_AHEAD_MS, isEcho } from '../turn/echo.ts';
import { plainWords } from '../turn/words.ts';
import type { AgentReply } from './agent-reply.ts';

const ECHO_TURNS_TO_CONFIRM = 2;

type TranscriptEvent = Exclude<TranscriberEvent, { type: 'failed' }>;

/** Keeps what the line sends back of the agent's own voice out of the caller's words. */
export interface EchoFilter {
  /** The event without words when they are the agent's own. `reply` is the one that lives. */
  filter(event: TranscriptEvent, reply: AgentReply | null): TranscriptEvent;
  /** This reply was heard to its end. */
  onReplyFinished(reply: AgentReply): void;
  /**
   * Voice alone proves nothing, only words do: an echo is being written down, or the line was found to echo in two turns of
   * the transcriber. Once may be a caller who takes up the agent's words.
   */
  readonly isActive: boolean;
}

export function createEchoFilter(clock: Clock, playout: Playout): EchoFilter {
  const turns = new Set<number>();
  let now = false;
  let begunAsEcho = -1;
  let last = { text: '', endMs: Number.NEGATIVE_INFINITY };

  /** The agent's words up to now, and a little ahead; null while it is silent. */
  function saying(reply: AgentReply | null): string | null {
    const cursors = reply?.audible ? playout.cursors(reply.id) : null;
    if (!reply || !cursors) return null;
    return reply.spokenText.playedOut(cursors.playedOutMs + ECHO_AHEAD_MS, cursors.generatedMs, cursors.complete);
  }

  /**
   * Once the agent is silent, a caller who says its words again confirms them: they are an echo only where the turn began as one,
   * or where the line is known to echo.
   */
  function saidLast(turn: number): string {
    const known = turn === begunAsEcho || turns.size === ECHO_TURNS_TO_CONFIRM;
    return known && clock.now() - last.endMs < ECHO_AFTER_MS ? last.text : '';
  }

  return {
    filter(event, reply) {
      const complete = event.type === 'turn_ended' || event.type === 'final';
      const aloud = saying(reply);
      const echo = isEcho(event.text, aloud ?? saidLast(event.turn), complete);
      if (echo && aloud !== null) begunAsEcho = event.turn;
      const certain = echo && plainWords(event.text).length > 1;
      now = certain && !complete;
      if (!echo) return event;
      if (certain && turns.size < ECHO_TURNS_TO_CONFIRM) turns.add(event.turn);
      return { ...event, type: complete ? event.type : 'partial', text: '' };
    },
    onReplyFinished(reply) {
      last = { text: reply.spokenText.fullText(), endMs: clock.now() };
    },
    get isActive() {
      return now || turns.size === ECHO_TURNS_TO_CONFIRM;
    },
  };
}
