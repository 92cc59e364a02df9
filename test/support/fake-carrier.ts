import { FRAME_MS, MULAW_8K } from '../../media/audio/format.ts';
import type { Leg } from '../../media/leg/leg.ts';
import { decodeTestAudio, isDucked } from './test-audio.ts';
import type { VirtualClock } from './virtual-clock.ts';

/**
 * A carrier on the virtual clock: it plays what it is sent back to back, in real (virtual) time, and returns marks as it is
 * told to. The stage's sound names itself (see `stage-voice.ts`), so that it is known which millisecond of which voice
 * context was heard when.
 */

export interface CarrierBehaviour {
  /** `swapped`: every other mark comes after the one that follows it. */
  marks?: 'on time' | 'never' | 'swapped';
  markDelayMs?: number;
  /** What happens to outstanding marks at a clear. */
  onClear?: 'returned' | 'returned late' | 'dropped';
  /** How late that is; 200. */
  returnedAfterMs?: number;
  /** While one of these lasts (moments of the clock) the socket takes nothing. */
  congested?: readonly (readonly [fromMs: number, toMs: number])[];
}

/** An unbroken stretch of one context's sound. */
export interface PlayedRange {
  /** Number of the voice context, from 1. */
  context: number;
  /** Where it lies in the context's sound. */
  fromMs: number;
  toMs: number;
  /** When the caller began to hear it. */
  atMs: number;
}

/** A frame that was handed over. */
export interface SentFrame {
  context: number;
  atMs: number;
  /** Made softer than the voice gave it, to its end. */
  ducked: boolean;
}

export function createFakeCarrier(clock: VirtualClock, behaviour: CarrierBehaviour, listener: CarrierListener) {
  const { marks: marksCome = 'on time', markDelayMs = 0, onClear = 'returned' } = behaviour;
  const played: PlayedRange[] = [];
  const sent: SentFrame[] = [];
  const state = {
    queuedUntilMs: 0,
    marks: [] as { name: string; atMs: number }[],
    clears: [] as number[],
    /** Starts of the frames that were heard or will be. */
    frames: [] as number[],
  };
  let markCount = 0;
  let closed = false;

  const leg: Leg = {
    carrier: 'stage',
    format: MULAW_8K,
    callerFormat: MULAW_8K,
    sendsDigits: true,
    packetMs: 20,
    playback: { marks: true, marksReturnedOnClear: onClear !== 'dropped', clearAcknowledged: false },
    listen() {},
    tick() {},
    play(frame) {
      const nowMs = clock.now();
      if (closed || behaviour.congested?.some(([fromMs, toMs]) => nowMs >= fromMs && nowMs < toMs)) return false;
      const atMs = Math.max(state.queuedUntilMs, nowMs);
      state.queuedUntilMs = atMs + FRAME_MS;
      state.frames.push(atMs);
      note(frame, atMs);
      return true;
    },
    flush() {},
    mark(name) {
      if (marksCome === 'never') return;
      const lateMs = marksCome === 'swapped' && markCount++ % 2 === 0 ? 450 : 0;
      state.marks.push({ name, atMs: Math.max(state.queuedUntilMs, clock.now()) + markDelayMs + lateMs });
    },
    clear() {
      const nowMs = clock.now();
      state.clears.push(nowMs);
      state.queuedUntilMs = nowMs;
      while (state.frames.length > 0 && state.frames.at(-1)! >= nowMs) state.frames.pop();
      for (let last = played.at(-1); last && last.atMs + last.toMs - last.fromMs > nowMs; last = played.at(-1)) {
        last.toMs = last.fromMs + Math.max(0, nowMs - last.atMs);
        if (last.toMs > last.fromMs) break;
        played.pop();
      }
      const outstanding = state.marks.splice(0);
      listener.cleared();
      if (onClear === 'dropped') return;
      // Not within the call that cleared: there is a network in between.
      const backMs = nowMs + (onClear === 'returned late' ? (behaviour.returnedAfterMs ?? 200) : 1);
      for (const { name } of outstanding) state.marks.push({ name, atMs: backMs });
    },
    hangUp() {
      closed = true;
    },
  };

  function note(frame: Uint8Array, atMs: number): void {
    const last = played.at(-1);
    const sound = decodeTestAudio(frame, last);
    if (sound === null) return;
    const { context, fromMs, lengthMs } = sound;
    sent.push({ context, atMs: clock.now(), ducked: isDucked(frame) });
    if (last?.context === context && last.toMs === fromMs && last.atMs + last.toMs - last.fromMs === atMs) {
      last.toMs += lengthMs;
    } else {
      played.push({ context, fromMs, toMs: fromMs + lengthMs, atMs });
    }
  }

  return {
    leg,
    state,
    /** What was heard, and what will be if nothing clears it. */
    played: played,
    /** Every frame that was handed over, whether it was heard or cleared. */
    sent,
    /** Every 20 ms: returns the marks whose moment has come. */
    tick(): void {
      const nowMs = clock.now();
      const due = state.marks.filter((mark) => mark.atMs <= nowMs).sort((a, b) => a.atMs - b.atMs);
      state.marks = state.marks.filter((mark) => mark.atMs > nowMs);
      for (const mark of due) listener.mark(mark.name);
    },
  };
}

export interface CarrierListener {
  mark(name: string): void;
  cleared(): void;
}
