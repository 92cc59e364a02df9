import { bytesPerSample, FRAME_MS, frameBytes, silenceByte } from '../audio/format.ts';
import type { Leg } from '../leg/leg.ts';
import type { Ambient } from './ambient.ts';
import { createPlaybackConfirmation } from './playback-confirmation.ts';

/** Audio that plays under and between speeches. */
export type Background = Pick<Ambient, 'mixInto' | 'rewind'>;

/** Background audio buffered at the carrier between speeches: enough that the carrier never runs dry. */
const BACKGROUND_AHEAD_MS = 40;
/** Buffered at the carrier when its next packet is complete, where packets are that long. */
const PACKET_RESERVE_MS = 100;

/** How much audio has to be ahead so that packets of this length follow each other: the one that fills, and what plays meanwhile. */
export function packetsAheadMs(packetMs: number): number {
  return packetMs + Math.min(packetMs, PACKET_RESERVE_MS);
}

/**
 * The agent's side of the leg: frames over the background, how much of them the carrier still has to play, and what its marks
 * prove. Positions are bytes of the current speech.
 */
export interface LegOutput {
  /** When the carrier has played everything that was sent. */
  readonly bufferedUntilMs: number;
  /** Marks are to confirm what was played; otherwise only the clock says it. */
  readonly expectsMarks: boolean;
  /** How far the marks confirm the current speech. */
  readonly confirmed: number;
  /** A speech begins. */
  begin(): void;
  /**
   * Sends a frame with the bytes of the speech up to `position`; returns when the caller hears it, or null when it cannot be sent
   * now: the leg does not take it, or too much of what it took is not confirmed.
   */
  send(frame: Uint8Array, position: number, nowMs: number): number | null;
  /** The speech ends with the last frame. */
  end(): void;
  /** Another background from the next frame on; null: none. */
  setBackground(next: Background | null): void;
  /** Keeps the background ahead at the carrier, where there is one. */
  fillBackground(nowMs: number): void;
  /** Drops what the carrier has not played yet; the speech is to go on from `position`. */
  clear(position: number, nowMs: number): void;
  /** Takes back at most so many of the last frames, as far as they are not played; the next one follows what is left. */
  takeBack(atMost: number): number;
  /** Returns whether this was an awaited mark. */
  onMark(name: string, nowMs: number): boolean;
  onPong(nowMs: number): void;
  tick(nowMs: number): void;
  /** Returns up to where the speech may count as played out at most. */
  limit(nowMs: number): number;
  /** The socket is gone: the next frame does not follow the one before. */
  onStreamLost(): void;
}

/** `onSent` is given every frame, when it is played out, and whether it follows a gap; the bytes are valid during the call only. */
export function createLegOutput(
  leg: Leg,
  firstBackground: Background | null,
  aheadMs: number,
  onSent: (frame: Uint8Array, playAtMs: number, afterGap: boolean) => void,
): LegOutput {
  const { format } = leg;
  const samplesPerFrame = frameBytes(format) / bytesPerSample(format);
  const silentFrame = new Uint8Array(frameBytes(format)).fill(silenceByte(format.encoding));
  const backgroundAheadMs = Math.max(BACKGROUND_AHEAD_MS, packetsAheadMs(leg.packetMs));
  const confirmation = createPlaybackConfirmation({
    returnsMarks: leg.returnsMarks,
    bytesPerMs: frameBytes(format) / FRAME_MS,
    packetMs: leg.packetMs,
    aheadMs,
  });
  let background = firstBackground;
  let bufferedUntilMs = Number.NEGATIVE_INFINITY;
  let position = 0;
  let gap = true;
  /** The next frame is not played at the end of the one before, by the clock. */
  let moved = false;
  /** A frame was held back because too much is not confirmed. */
  let heldBack = false;

  function requestMark(name: string | null): void {
    if (name !== null) leg.mark(name);
  }

  function send(frame: Uint8Array, to: number, nowMs: number): number | null {
    heldBack = !confirmation.maySend();
    if (heldBack) return null;
    const mixed = background ? background.mixInto(frame, format.encoding) : frame;
    if (!leg.play(mixed)) {
      background?.rewind(samplesPerFrame);
      return null;
    }
    const afterGap = gap || bufferedUntilMs < nowMs;
    const playAtMs = afterGap ? nowMs : bufferedUntilMs;
    const newRun = afterGap || moved;
    gap = false;
    moved = false;
    bufferedUntilMs = playAtMs + FRAME_MS;
    requestMark(confirmation.sent(position, to, playAtMs, afterGap));
    position = to;
    onSent(mixed, playAtMs, newRun);
    return playAtMs;
  }

  return {
    get bufferedUntilMs() {
      return bufferedUntilMs;
    },
    get expectsMarks() {
      return confirmation.expectsMarks;
    },
    get confirmed() {
      return confirmation.confirmed;
    },
    begin() {
      position = 0;
      confirmation.begin();
    },
    send,
    end() {
      if (!background) leg.flush();
      requestMark(confirmation.ended(position, bufferedUntilMs));
    },
    setBackground(next) {
      // What fills a packet of the carrier is not to wait for a frame that does not follow.
      if (background && !next) leg.flush();
      background = next;
    },
    fillBackground(nowMs) {
      if (!background) return;
      while (bufferedUntilMs - nowMs < backgroundAheadMs) if (send(silentFrame, position, nowMs) === null) return;
    },
    clear(from, nowMs) {
      leg.clear();
      position = from;
      requestMark(confirmation.cleared(from, nowMs));
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
      confirmation.tookBack(frames);
      moved = true;
      return frames;
    },
    onMark(name, nowMs) {
      const playedByMs = confirmation.onMark(name, nowMs);
      if (playedByMs === null) return false;
      if (heldBack && playedByMs > bufferedUntilMs) {
        // The carrier stood still, so it has more to play than the clock says.
        bufferedUntilMs = playedByMs;
        moved = true;
      }
      heldBack = false;
      return true;
    },
    onPong: (nowMs) => confirmation.onPong(nowMs),
    tick(nowMs) {
      if (!confirmation.tick(nowMs)) return;
      if (leg.ping) leg.ping();
      else confirmation.onPong(nowMs);
    },
    limit: (nowMs) => confirmation.limit(nowMs),
    onStreamLost() {
      confirmation.reset();
      gap = true;
    },
  };
}
