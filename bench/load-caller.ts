import { FRAME_MS, FRAME_SAMPLES } from '../media/audio/format.ts';
import { countSent, type FrameSlot, type FrameSlots } from './frame-slots.ts';

/** What cheap callers have in common, whatever their wire: what they send when, and when the agent's frames arrive. */

/** Line noise at -55 dBFS, above the level that voice activity detection ignores. */
const NOISE_PEAK = 100;

/** A second of it at 8 kHz. */
export function lineNoise(): Int16Array {
  let random = 1;
  return Int16Array.from({ length: 50 * FRAME_SAMPLES }, () => {
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.round((random / 0x1_0000_0000 - 0.5) * 2 * NOISE_PEAK);
  });
}

/** Arrivals of the agent's frames during one turn, `performance.now()`. */
export interface ReceivedTurn {
  frames: number;
  firstMs: number;
  lastMs: number;
  /** Gaps of more than 40 ms between two frames, and how many caused an underrun. */
  lateFrames: number;
  dry: number;
  worstGapMs: number;
}

/** How callers of one kind reach the engine. */
export interface LoadLine<Frame> {
  /** As media's tests name it. */
  carrier: 'twilio' | 'browser';
  /** Rate of the audio that the transcriber gets of such a call. */
  transcriberHertz: number;
  /** Splits a recording at 8 kHz into frames of 20 ms, as they are sent. */
  framesOf(samples: Int16Array): Frame[];
  createPhones(): LoadPhones<Frame>;
}

export interface LoadPhone<Frame = string> {
  /** Resolves at the end of the stream. */
  readonly ended: Promise<void>;
  readonly isOver: boolean;
  /** Sends frames from the next one on and starts a new turn; returns the number of the first sample. */
  say(frames: readonly Frame[]): number;
  /** When the frame with this sample was sent; 0 before. */
  sentMs(sample: number): number;
  /** The agent's frames since `say`. */
  readonly turn: ReceivedTurn;
  hangUp(): void;
}

export interface LoadPhones<Frame = string> extends Pick<FrameSlots, 'lateness' | 'stalls' | 'close'> {
  open(options: { port: number; path: string; streamSid: string; callSid: string }): Promise<LoadPhone<Frame>>;
}

export interface LoadCallerOptions<Frame> {
  slot: FrameSlot;
  lateness: FrameSlots['lateness'];
  /** Sent while the caller says nothing. */
  noise: readonly Frame[];
  /** Writes the next frame; the first one has the number 1. */
  write(frame: Frame, number: number): void;
  /** After each frame. */
  sent?(nowMs: number): void;
  /** Says goodbye; the end of the stream is for `end`. */
  hangUp(): void;
  /** Frees what belongs to the stream. */
  close(): void;
}

/** One caller's call. */
export class LoadCaller<Frame> implements LoadPhone<Frame> {
  readonly ended: Promise<void>;
  isOver = false;
  turn = newTurn();
  /** When what has arrived of the agent is played out. */
  emptyAtMs = 0;
  readonly #options: LoadCallerOptions<Frame>;
  readonly #sentMs: number[] = [];
  readonly #send = (dueMs: number) => this.#sendNext(dueMs);
  readonly #markEnded: () => void;
  #speaking: { frames: readonly Frame[]; at: number } | null = null;

  constructor(options: LoadCallerOptions<Frame>) {
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#markEnded = resolve;
  }

  /** Sends a frame every 20 ms from now on. */
  start(): void {
    this.#options.slot.add(this.#send);
  }

  say(frames: readonly Frame[]): number {
    this.#speaking = { frames, at: 0 };
    this.turn = newTurn();
    return this.#sentMs.length * FRAME_SAMPLES;
  }

  sentMs(sample: number): number {
    return this.#sentMs[Math.floor(sample / FRAME_SAMPLES)] ?? 0;
  }

  /** Counts a frame of the agent. */
  received(nowMs: number): void {
    const { turn } = this;
    if (turn.frames === 0) turn.firstMs = nowMs;
    else {
      const gapMs = nowMs - turn.lastMs;
      turn.worstGapMs = Math.max(turn.worstGapMs, gapMs);
      if (gapMs > 2 * FRAME_MS) turn.lateFrames++;
      if (nowMs > this.emptyAtMs + 1) turn.dry++;
    }
    turn.frames++;
    turn.lastMs = nowMs;
    this.emptyAtMs = Math.max(nowMs, this.emptyAtMs) + FRAME_MS;
  }

  hangUp(): void {
    if (!this.isOver) this.#options.hangUp();
  }

  /** The stream is over. */
  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#options.slot.delete(this.#send);
    this.#options.close();
    this.#markEnded();
  }

  #sendNext(dueMs: number): void {
    const { noise, lateness, write, sent } = this.#options;
    const number = this.#sentMs.length + 1;
    const speaking = this.#speaking;
    write(speaking ? speaking.frames[speaking.at++]! : noise[number % noise.length]!, number);
    if (speaking && speaking.at >= speaking.frames.length) this.#speaking = null;
    const nowMs = countSent(lateness, dueMs);
    this.#sentMs.push(nowMs);
    sent?.(nowMs);
  }
}

function newTurn(): ReceivedTurn {
  return { frames: 0, firstMs: 0, lastMs: 0, lateFrames: 0, dry: 0, worstGapMs: 0 };
}
