import { bytesPerSample, FRAME_MS, frameBytes, silenceByte } from '../audio/format.ts';
import type { Leg } from '../leg/leg.ts';
import type { Ambient } from './ambient.ts';

/** Audio that plays under and between speeches. */
export type Background = Pick<Ambient, 'mixInto' | 'rewind'>;

/** Background audio buffered at the carrier between speeches: enough that the carrier never runs dry. */
const BACKGROUND_AHEAD_MS = 40;

/** The agent's side of the leg: frames over the background, and how much of them the carrier still has to play. */
export interface LegOutput {
  /** When the carrier has played everything that was sent. */
  readonly bufferedUntilMs: number;
  /** Sends a frame; returns when the caller hears it, or null when the leg does not take it. */
  send(frame: Uint8Array, nowMs: number): number | null;
  /** Keeps the background ahead at the carrier, where there is one. */
  fillBackground(nowMs: number): void;
  /** Drops what the carrier has not played yet. */
  clear(nowMs: number): void;
  /** Takes back at most so many of the last frames, as far as they are not played; the next one follows what is left. */
  takeBack(atMost: number): number;
  /** The next frame does not follow the one before, whose socket is gone. */
  markGap(): void;
}

/** `onSent` is given every frame, when it is played out, and whether it follows a gap; the bytes are valid during the call only. */
export function createLegOutput(
  leg: Leg,
  background: Background | null,
  onSent: (frame: Uint8Array, playAtMs: number, afterGap: boolean) => void,
): LegOutput {
  const { format } = leg;
  const samplesPerFrame = frameBytes(format) / bytesPerSample(format);
  const silentFrame = new Uint8Array(frameBytes(format)).fill(silenceByte(format.encoding));
  const backgroundAheadMs = Math.max(BACKGROUND_AHEAD_MS, leg.packetMs * 2);
  let bufferedUntilMs = Number.NEGATIVE_INFINITY;
  let gap = true;
  let tookBack = false;

  function send(frame: Uint8Array, nowMs: number): number | null {
    const mixed = background ? background.mixInto(frame, format.encoding) : frame;
    if (!leg.play(mixed)) {
      background?.rewind(samplesPerFrame);
      return null;
    }
    const afterGap = gap || bufferedUntilMs < nowMs;
    const playAtMs = afterGap ? nowMs : bufferedUntilMs;
    const newRun = afterGap || tookBack;
    gap = false;
    tookBack = false;
    bufferedUntilMs = playAtMs + FRAME_MS;
    onSent(mixed, playAtMs, newRun);
    return playAtMs;
  }

  return {
    get bufferedUntilMs() {
      return bufferedUntilMs;
    },
    send,
    fillBackground(nowMs) {
      if (!background) return;
      while (bufferedUntilMs - nowMs < backgroundAheadMs) if (send(silentFrame, nowMs) === null) return;
    },
    clear(nowMs) {
      leg.clear();
      const bufferedMs = Math.max(0, bufferedUntilMs - nowMs);
      background?.rewind(Math.round((bufferedMs * samplesPerFrame) / FRAME_MS));
      bufferedUntilMs = nowMs;
      gap = true;
    },
    takeBack(atMost) {
      const frames = leg.takeBack?.(atMost) ?? 0;
      if (frames === 0) return 0;
      background?.rewind(frames * samplesPerFrame);
      bufferedUntilMs -= frames * FRAME_MS;
      tookBack = true;
      return frames;
    },
    markGap() {
      gap = true;
    },
  };
}
