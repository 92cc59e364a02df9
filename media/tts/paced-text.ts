import type { Clock } from '../../shared/clock.ts';
import { createDeadline } from '../provider/deadline.ts';

/**
 * The text of one reply, held back for a provider that counts requests: the first piece is sent at once, and the rest is collected
 * while the audio that has come is still being played. So many short segments become few requests, and no caller hears a gap.
 */
export interface PacedText {
  /** Adds a segment; sends it when nothing is under way and the audio runs out soon. */
  add(text: string): void;
  /** So much audio more has come. */
  received(audioMs: number): void;
  /** What was sent has all been spoken: the next piece may be sent. */
  spoken(): void;
  stop(): void;
  /** Text was sent that has not been spoken. */
  readonly underWay: boolean;
  /** Text is held back. */
  readonly waiting: boolean;
}

export interface PacedTextOptions {
  clock: Clock;
  /** Of one piece. */
  maxCharacters: number;
  /** How long the provider must be left alone from now on, by its own limits; left out: it has none. */
  waitMs?(): number;
  /** Sends a piece, which ends at a space where there is one. */
  send(text: string): void;
}

/** The next piece is sent when less audio than this is left to be played. */
export const LEAD_MS = 3_000;

export function createPacedText({ clock, maxCharacters, waitMs, send }: PacedTextOptions): PacedText {
  let held = '';
  let underWay = false;
  /** When the audio that has come would end, had it been played as it came. */
  let playedUntilMs = 0;
  const later = createDeadline(clock, 0, sendNext);

  function sendNext(): void {
    if (underWay || held.trim() === '') return;
    // Whole, because what is less than the clock's step would never pass.
    const delayMs = Math.ceil(Math.max(playedUntilMs - clock.now() - LEAD_MS, waitMs?.() ?? 0));
    if (delayMs > 0) {
      later.start(delayMs);
      return;
    }
    const { piece, rest } = cut(held, maxCharacters);
    held = rest;
    underWay = true;
    send(piece);
  }

  return {
    add(text) {
      held += text;
      sendNext();
    },
    received(audioMs) {
      playedUntilMs = Math.max(playedUntilMs, clock.now()) + audioMs;
    },
    spoken() {
      underWay = false;
      sendNext();
    },
    stop() {
      held = '';
      underWay = false;
      later.stop();
    },
    get underWay() {
      return underWay;
    },
    get waiting() {
      return held.trim() !== '';
    },
  };
}

/** The beginning of a text, of at most `max` characters, up to a space where there is one; and the rest. */
function cut(text: string, max: number): { piece: string; rest: string } {
  if (text.length <= max) return { piece: text, rest: '' };
  const space = text.lastIndexOf(' ', max - 1);
  const at = space > 0 ? space + 1 : max;
  return { piece: text.slice(0, at), rest: text.slice(at) };
}
