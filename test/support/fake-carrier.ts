import { FRAME_MS, MULAW_8K } from '../../media/audio/format.ts';
import type { Leg } from '../../media/leg/leg.ts';
import { decodeTestAudio, isDucked } from './test-audio.ts';
import type { VirtualClock } from './virtual-clock.ts';

/**
 * A carrier leg on the virtual clock: plays audio in real (virtual) time and returns marks as configured. The audio encodes its
 * own position (`test-audio.ts`), so that it is known which millisecond of which synthesizer context was played when.
 */

export interface CarrierBehaviour {
  /** `swapped`: every other mark returns after the following one. */
  marks?: 'on time' | 'never' | 'swapped';
  markDelayMs?: number;
  /** Treatment of outstanding marks on a clear. */
  onClear?: 'returned' | 'returned late' | 'dropped';
  /** Delay of `returned late`; default 200. */
  returnedAfterMs?: number;
  /** Time ranges in which the socket is congested. */
  congested?: readonly (readonly [fromMs: number, toMs: number])[];
  /** Frames wait in this process, as a browser's do, and can be taken back. */
  takesBack?: boolean;
}

/** A continuous range of one context's audio. */
export interface PlayedRange {
  /** Number of the synthesizer context, from 1. */
  context: number;
  /** Position in the context's audio. */
  fromMs: number;
  toMs: number;
  /** When its playback started. */
  atMs: number;
}

/** A frame that was sent to the carrier. */
export interface SentFrame {
  context: number;
  atMs: number;
  playAtMs: number;
  /** Ducked at its end. */
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
    /** Start times of the frames that were or will be played. */
    frames: [] as number[],
  };
  let markCount = 0;
  let closed = false;

  const leg: Leg = {
    carrier: 'test',
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
      // Asynchronously, as over a network.
      const backMs = nowMs + (onClear === 'returned late' ? (behaviour.returnedAfterMs ?? 200) : 1);
      for (const { name } of outstanding) state.marks.push({ name, atMs: backMs });
    },
    ...(behaviour.takesBack ? { takeBack } : {}),
    hangUp() {
      closed = true;
    },
  };

  function takeBack(atMost: number): number {
    let taken = 0;
    for (; taken < atMost && state.frames.at(-1)! > clock.now(); taken++) state.frames.pop();
    state.queuedUntilMs -= taken * FRAME_MS;
    while (sent.length > 0 && sent.at(-1)!.playAtMs >= state.queuedUntilMs) sent.pop();
    for (let last = played.at(-1); last && last.atMs >= state.queuedUntilMs; last = played.at(-1)) played.pop();
    const last = played.at(-1);
    if (last) last.toMs = Math.min(last.toMs, last.fromMs + state.queuedUntilMs - last.atMs);
    state.marks = state.marks.filter(({ atMs }) => atMs <= state.queuedUntilMs + markDelayMs);
    return taken;
  }

  function note(frame: Uint8Array, atMs: number): void {
    const last = played.at(-1);
    const audio = decodeTestAudio(frame, last);
    if (audio === null) return;
    const { context, fromMs, lengthMs } = audio;
    sent.push({ context, atMs: clock.now(), playAtMs: atMs, ducked: isDucked(frame) });
    if (last?.context === context && last.toMs === fromMs && last.atMs + last.toMs - last.fromMs === atMs) {
      last.toMs += lengthMs;
    } else {
      played.push({ context, fromMs, toMs: fromMs + lengthMs, atMs });
    }
  }

  return {
    leg,
    state,
    /** What was played, and will be unless it is cleared. */
    played: played,
    /** All sent frames, whether played or cleared, but not those taken back. */
    sent,
    /** Returns the due marks; called every 20 ms. */
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
