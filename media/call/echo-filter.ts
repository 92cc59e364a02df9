import type { Clock } from '../../shared/clock.ts';
import { type TurnWords, turnWords } from '../../shared/languages/turn-words.ts';
import { plainWords } from '../../shared/words.ts';
import type { Playout } from '../playout/playout.ts';
import type { TranscriberEvent } from '../stt/transcriber.ts';
import { ECHO_AFTER_MS, ECHO_AHEAD_MS, isEcho } from '../turn/echo.ts';
import type { AgentReply } from './agent-reply.ts';

const ECHO_TURNS_TO_CONFIRM = 2;

type TranscriptEvent = Exclude<TranscriberEvent, { type: 'failed' }>;

/** Removes the agent's own words from the caller's transcripts where the line echoes the agent's speech. */
export interface EchoFilter {
  /** Returns the event, without its words when they are the agent's own. `reply`: the current one. */
  filter(event: TranscriptEvent, reply: AgentReply | null): TranscriptEvent;
  /** This reply was played out. */
  onReplyFinished(reply: AgentReply): void;
  /**
   * An echo is being transcribed, or the line echoed in two turns of the transcriber: one turn may be a caller who repeats the
   * agent's words.
   */
  readonly isActive: boolean;
}

/** `known`: the words of the caller's language now. */
export function createEchoFilter(
  clock: Clock,
  playout: Playout,
  known: () => TurnWords = () => turnWords(),
): EchoFilter {
  const echoTurns = new Set<number>();
  let echoing = false;
  /** The turn that began as an echo. */
  let turnBegunAsEcho = -1;
  let lastReply = { text: '', endMs: Number.NEGATIVE_INFINITY };

  /** Returns the agent's words up to now and a little ahead; null while it is silent. */
  function wordsBeingSpoken(reply: AgentReply | null): string | null {
    const cursors = reply?.audible ? playout.cursors(reply.id) : null;
    if (!reply || !cursors) return null;
    return reply.spokenText.playedOut(cursors.playedOutMs + ECHO_AHEAD_MS, cursors.generatedMs, cursors.complete);
  }

  /**
   * After a reply, a caller who repeats its words confirms them. They are an echo only where the turn began as one, or where the
   * line is known to echo.
   */
  function wordsJustSpoken(turn: number): string {
    const known = turn === turnBegunAsEcho || echoTurns.size === ECHO_TURNS_TO_CONFIRM;
    return known && clock.now() - lastReply.endMs < ECHO_AFTER_MS ? lastReply.text : '';
  }

  return {
    filter(event, reply) {
      const complete = event.type === 'turn_ended' || event.type === 'final';
      const speaking = wordsBeingSpoken(reply);
      const echo = isEcho(event.text, speaking ?? wordsJustSpoken(event.turn), complete, known());
      if (echo && speaking !== null) turnBegunAsEcho = event.turn;
      const certain = echo && plainWords(event.text).length > 1;
      echoing = certain && !complete;
      if (!echo) return event;
      if (certain && echoTurns.size < ECHO_TURNS_TO_CONFIRM) echoTurns.add(event.turn);
      return { ...event, type: complete ? event.type : 'partial', text: '' };
    },
    onReplyFinished(reply) {
      lastReply = { text: reply.spokenText.fullText(), endMs: clock.now() };
    },
    get isActive() {
      return echoing || echoTurns.size === ECHO_TURNS_TO_CONFIRM;
    },
  };
}
