import { FRAME_MS, MULAW_8K } from '../../media/audio/format.ts';
import type { Leg } from '../../media/leg/leg.ts';
import { decodeTestAudio, isDucked } from './test-audio.ts';
import type { VirtualClock } from './virtual-clock.ts';

/**
 * A carrier leg on the virtual clock: plays audio in real (virtual) time and returns marks as configured. The audio encodes its
 * own position (`test-audio.ts`), so that it is known which millisecond of which synthesizer context was played when.
 */

export interface CarrierBehaviour {
  /** `swapped`: every other mark returns after the following one. `unkind`: also twice, and with names that nobody gave. */
  marks?: 'on time' | 'never' | 'swapped' | 'unkind';
  markDelayMs?: number;
  /** From then on no mark returns, though everything is read and played. */
  marksStopAtMs?: number;
  /** Delay of the network in either direction; a ping is answered after both. */
  networkMs?: number;
  /** Time ranges in which nothing reaches the carrier, and then all of it at once. */
  stalls?: readonly (readonly [fromMs: number, toMs: number])[];
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

interface PendingMark {
  name: string;
  atMs: number;
  /** What its return proves to be played; null when it comes back for another reason. */
  proves: { context: number; toMs: number } | null;
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
  const { marks: marksCome = 'on time', markDelayMs = 0, onClear = 'returned', networkMs = 0 } = behaviour;
  const played: PlayedRange[] = [];
  const sent: SentFrame[] = [];
  const state = {
    queuedUntilMs: 0,
    marks: [] as PendingMark[],
    clears: [] as number[],
    /** How far the marks that came back prove the audio of a context, in milliseconds by its number. */
    proved: new Map<number, number>(),
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
    returnsMarks: true,
    listen() {},
    tick() {},
    play(frame) {
      const nowMs = clock.now();
      if (closed || behaviour.congested?.some(([fromMs, toMs]) => nowMs >= fromMs && nowMs < toMs)) return false;
      const sentMs = nowMs;
      const bytes = frame.slice();
      reach(() => {
        const atMs = Math.max(state.queuedUntilMs, clock.now());
        state.queuedUntilMs = atMs + FRAME_MS;
        state.frames.push(atMs);
        note(bytes, sentMs, atMs);
      });
      return true;
    },
    flush() {},
    mark(name) {
      if (marksCome === 'never') return;
      reach(() => {
        const nowMs = clock.now();
        if (nowMs >= (behaviour.marksStopAtMs ?? Number.POSITIVE_INFINITY)) return;
        const isSwapped = marksCome === 'swapped' || marksCome === 'unkind';
        const lateMs = isSwapped && markCount++ % 2 === 0 ? 450 : 0;
        const atMs = Math.max(state.queuedUntilMs, nowMs) + markDelayMs + networkMs + lateMs;
        const last = played.at(-1);
        const proves = last ? { context: last.context, toMs: last.toMs } : null;
        const names = marksCome === 'unkind' ? ['', name, 'm999', name, 'r1 1 99999999'] : [name];
        state.marks.push(...names.map((each) => ({ name: each, atMs, proves: each === name ? proves : null })));
      });
    },
    ping() {
      reach(() => clock.after(networkMs, () => listener.pong?.()));
    },
    clear() {
      state.clears.push(clock.now());
      reach(cleared);
    },
    ...(behaviour.takesBack ? { takeBack } : {}),
    hangUp() {
      closed = true;
    },
  };

  /** Something gets to the carrier, in order. */
  function reach(run: () => void): void {
    const nowMs = clock.now();
    const atMs = nowMs + networkMs;
    const stall = behaviour.stalls?.find(([fromMs, toMs]) => atMs >= fromMs && atMs < toMs);
    const arrivalMs = stall?.[1] ?? atMs;
    if (arrivalMs <= nowMs) run();
    else clock.after(arrivalMs - nowMs, run);
  }

  function cleared(): void {
    const nowMs = clock.now();
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
    const backMs = nowMs + networkMs + (onClear === 'returned late' ? (behaviour.returnedAfterMs ?? 200) : 1);
    for (const { name } of outstanding) state.marks.push({ name, atMs: backMs, proves: null });
  }

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

  function note(frame: Uint8Array, sentMs: number, atMs: number): void {
    const last = played.at(-1);
    const audio = decodeTestAudio(frame, last);
    if (audio === null) return;
    const { context, fromMs, lengthMs } = audio;
    sent.push({ context, atMs: sentMs, playAtMs: atMs, ducked: isDucked(frame) });
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
      for (const { name, proves } of due) {
        if (proves) state.proved.set(proves.context, Math.max(proves.toMs, state.proved.get(proves.context) ?? 0));
        listener.mark(name);
      }
    },
  };
}

export interface CarrierListener {
  mark(name: string): void;
  pong?(): void;
  cleared(): void;
}
