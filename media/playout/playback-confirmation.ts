import { FRAME_MS } from '../audio/format.ts';

/**
 * What a carrier's marks prove of its playback, how far audio may be sent beyond that, and how far it may count as played out.
 *
 * Audio is paced by the clock, and marks follow it. A mark comes back after the line's own delay (both ways of the network and
 * what the carrier buffers), which is learnt: the smallest delay of this stream. As long as marks come back after that delay, the
 * clock is believed between them. Once one is overdue nothing counts as played out beyond the last returned one, and once
 * `MAX_UNCONFIRMED_MS` and the line's delay lie unconfirmed, nothing more is sent. A ping then decides: without an answer the other
 * end reads nothing; when it has read everything and marks still do not come, it returns none, and the clock is all there is.
 *
 * Positions are bytes of the current speech; frames are 20 ms each, those of the background included.
 */
export interface PlaybackConfirmation {
  /** Marks come back, or are still awaited; otherwise only the clock says what was played out. */
  readonly expectsMarks: boolean;
  /** Up to here the speech was played out, by the last mark. */
  readonly confirmed: number;
  /** The current speech begins: what was sent before is none of it. */
  begin(): void;
  /** Whether one more frame may be sent. */
  maySend(): boolean;
  /**
   * A frame was sent, with the speech's bytes `from` to `to`. It is played from `playAtMs` on, by the clock; `afterGap`: nothing
   * was buffered before it. Returns the name of a mark to request behind it, or null.
   */
  sent(from: number, to: number, playAtMs: number, afterGap: boolean): string | null;
  /** The speech ends here; returns the name of a mark to request behind its last frame, or null when there is one. */
  ended(position: number, endMs: number): string | null;
  /** A mark came back. Returns when the last frame that was sent will have been played, or null when the mark is unknown. */
  onMark(name: string, nowMs: number): number | null;
  /** Everything sent before the ping was read. */
  onPong(nowMs: number): void;
  /** Returns whether a ping is to be sent. */
  tick(nowMs: number): boolean;
  /** Returns up to where the speech may count as played out at most. */
  limit(nowMs: number): number;
  /**
   * What the carrier has not played was dropped: the next frame is at `position`. Returns the name of a mark to request, or null:
   * where marks were overdue nothing is sent until this one is back.
   */
  cleared(position: number, nowMs: number): string | null;
  /** The last frames were taken back. */
  tookBack(frames: number): void;
  /** The stream is another one. */
  reset(): void;
}

export interface PlaybackConfirmationOptions {
  /** False: the leg returns no marks, and nothing is ever confirmed or held back. */
  returnsMarks: boolean;
  bytesPerMs: number;
  packetMs: number;
  /** Audio that is buffered at the carrier in any case. */
  aheadMs: number;
}

/** At most so much is sent beyond the last returned mark, besides what is on its way for the line's delay. */
export const MAX_UNCONFIRMED_MS = 400;
/** The most that a line's delay is allowed, and what is assumed of it until its first mark is back. */
export const MAX_MARK_DELAY_MS = 1_000;
/** A mark may come back so much later than usual without meaning anything; as much may be counted too far at most. */
const TOLERANCE_MS = 150;
/** The delay may be found so much larger whenever audio begins anew: another route, or a stall just then. */
const MAX_DELAY_RISE_MS = 200;
/** A mark is requested behind the first packet after a gap, and then this often. */
const MARK_EVERY_MS = 100;
/** Of marks that are not believed to come back, the last ones are remembered. */
const MAX_OUTSTANDING = 32;

interface Mark {
  name: string;
  /** Frames sent before it. */
  frames: number;
  position: number;
  /** When it is reached, by the clock. */
  dueMs: number;
  /** The first one after a gap: nothing but the line delays it. */
  first: boolean;
}

export function createPlaybackConfirmation(options: PlaybackConfirmationOptions): PlaybackConfirmation {
  const { returnsMarks, bytesPerMs, packetMs } = options;
  const packetFrames = packetMs / FRAME_MS;
  const markEveryFrames = Math.ceil(MARK_EVERY_MS / packetMs) * packetFrames;
  // Large packets and marks as rare as they are lie unconfirmed on every line.
  const maxUnconfirmedMs = Math.max(
    MAX_UNCONFIRMED_MS,
    options.aheadMs + FRAME_MS + markEveryFrames * FRAME_MS + TOLERANCE_MS,
  );
  let names = 0;
  let outstanding: Mark[] = [];
  let frames = 0;
  let framesSinceMark = 0;
  /** The next mark is the first one after a gap. */
  let first = true;
  let confirmedFrames = 0;
  let confirmed = 0;
  let confirmedAtMs = 0;
  /** The smallest so far; null before the first mark. */
  let delayMs: number | null = null;
  /** Marks do not come back although everything was read. */
  let lost = !returnsMarks;
  /** A clear was sent into a line that does not confirm. */
  let held = false;
  let ping: { answeredMs: number | null } | null = null;

  const delay = () => delayMs ?? MAX_MARK_DELAY_MS;
  const msTo = (mark: Mark) => (mark.frames - confirmedFrames) * FRAME_MS;

  function isOverdue(nowMs: number): boolean {
    const next = outstanding[0];
    if (lost || !next) return false;
    return nowMs > Math.max(next.dueMs + delay(), confirmedAtMs + msTo(next)) + TOLERANCE_MS;
  }

  function request(position: number, dueMs: number): string {
    const name = `m${++names}`;
    if (outstanding.length === MAX_OUTSTANDING) outstanding.shift();
    outstanding.push({ name, frames, position, dueMs, first });
    first = false;
    framesSinceMark = 0;
    return name;
  }

  function learnDelay(mark: Mark, latenessMs: number): void {
    if (delayMs === null) delayMs = latenessMs;
    else delayMs = Math.min(latenessMs, mark.first ? delayMs + MAX_DELAY_RISE_MS : delayMs);
    delayMs = Math.max(0, Math.min(MAX_MARK_DELAY_MS, delayMs));
  }

  return {
    get expectsMarks() {
      return !lost;
    },
    get confirmed() {
      return confirmed;
    },
    begin() {
      confirmed = 0;
      for (const mark of outstanding) mark.position = 0;
    },
    maySend() {
      if (lost) return true;
      return !held && (frames - confirmedFrames + 1) * FRAME_MS <= maxUnconfirmedMs + delay();
    },
    sent(from, to, playAtMs, afterGap) {
      if (!returnsMarks) return null;
      if (afterGap && outstanding.length === 0) {
        // As if a mark before this frame came back in time.
        confirmedFrames = frames;
        confirmed = from;
        confirmedAtMs = playAtMs + delay();
        first = true;
      }
      frames++;
      framesSinceMark++;
      if (framesSinceMark % packetFrames > 0 || (!first && framesSinceMark < markEveryFrames)) return null;
      return request(to, playAtMs + FRAME_MS);
    },
    ended(position, endMs) {
      return returnsMarks && framesSinceMark > 0 ? request(position, endMs) : null;
    },
    onMark(name, nowMs) {
      const index = outstanding.findIndex((mark) => mark.name === name);
      const mark = outstanding[index];
      if (!mark) return null;
      outstanding.splice(0, index + 1);
      const latenessMs = nowMs - mark.dueMs;
      learnDelay(mark, latenessMs);
      confirmedFrames = mark.frames;
      confirmed = mark.position;
      confirmedAtMs = nowMs;
      held = false;
      ping = null;
      if (latenessMs <= MAX_MARK_DELAY_MS + TOLERANCE_MS) lost = false;
      return nowMs - delayMs! + (frames - confirmedFrames) * FRAME_MS;
    },
    onPong(nowMs) {
      if (ping) ping.answeredMs ??= nowMs;
    },
    tick(nowMs) {
      const next = outstanding[0];
      if (lost || !next) return false;
      const overdue = isOverdue(nowMs);
      if (ping === null) {
        if (!overdue && delayMs !== null) return false;
        ping = { answeredMs: null };
        return true;
      }
      if (overdue && ping.answeredMs !== null) {
        // By then it would have been played, however long the carrier read nothing.
        lost = nowMs > ping.answeredMs + msTo(next) + delay() + TOLERANCE_MS;
      }
      return false;
    },
    limit(nowMs) {
      if (lost) return Number.POSITIVE_INFINITY;
      if (isOverdue(nowMs)) return confirmed;
      if (delayMs === null) return Number.POSITIVE_INFINITY;
      return confirmed + (nowMs - confirmedAtMs + delayMs + TOLERANCE_MS) * bytesPerMs;
    },
    cleared(position, nowMs) {
      held = isOverdue(nowMs);
      outstanding = [];
      framesSinceMark = 0;
      confirmedFrames = frames;
      confirmed = position;
      confirmedAtMs = nowMs;
      return held ? request(position, nowMs) : null;
    },
    tookBack(count) {
      frames -= count;
      outstanding = outstanding.filter((mark) => mark.frames <= frames);
      framesSinceMark = Math.max(0, frames - (outstanding.at(-1)?.frames ?? confirmedFrames));
    },
    reset() {
      outstanding = [];
      framesSinceMark = 0;
      confirmedFrames = frames;
      delayMs = null;
      lost = !returnsMarks;
      held = false;
      ping = null;
    },
  };
}
