/**
 * When each piece of received audio should have come in. A network that stands still and then delivers all at once gives every
 * frame of a second the same arrival; counted in audio, they are 20 ms apart, as they were spoken. Pure: positions in the stream
 * and arrivals come in, times go out.
 */

/**
 * The lowest transit of this many to twice as many frames is the network's base delay: it follows the sender's clock, and the
 * frames of a burst do not move it.
 */
const WINDOW_FRAMES = 100;
/** This many frames in a row at the pace of real time are not catching up: what comes late stays late. */
const PACED_FRAMES = 3;
/** The distance of such frames, as a share of their duration: 15 to 30 ms for 20 ms. */
const MIN_PACE = 0.75;
const MAX_PACE = 1.5;
/** Audio that was this late and caught up is reported as a stall; less is jitter. */
export const MIN_STALL_MS = 300;
/** Audio has caught up when it is less late than this. */
const CAUGHT_UP_MS = 60;

export interface StreamClock {
  /**
   * Takes the next audio of the stream, which ends at `mediaMs` of it, and returns when it should have come in: never later than
   * `arrivalMs`, never before the audio before it.
   */
  received(mediaMs: number, arrivalMs: number): number;
  /** Returns when the audio that ends at `mediaMs` should come in; infinite before the first audio. */
  timeOf(mediaMs: number): number;
}

/**
 * `onStall` is called when audio that was late by `MIN_STALL_MS` or more has caught up, with the longest delay. A sender that only
 * paused continues at the pace of real time: it does not catch up, and its times are arrivals again after three frames.
 */
export function createStreamClock(onStall: (stallMs: number) => void = () => {}): StreamClock {
  /** Arrival minus position: the minima of this window and of the previous one. */
  let baseMs = Number.POSITIVE_INFINITY;
  let baseBeforeMs = Number.POSITIVE_INFINITY;
  let frames = 0;
  let lastMediaMs = Number.NaN;
  let lastArrivalMs = Number.NaN;
  /** Frames in a row at the pace of real time, and the lowest transit of them. */
  let paced = 0;
  let pacedMs = Number.POSITIVE_INFINITY;
  /** The highest transit since audio was last in time. */
  let latestMs = Number.NEGATIVE_INFINITY;
  let timeMs = Number.NEGATIVE_INFINITY;

  function follow(transitMs: number): void {
    if (++frames >= WINDOW_FRAMES) {
      frames = 0;
      baseBeforeMs = baseMs;
      baseMs = Number.POSITIVE_INFINITY;
    }
    if (transitMs < baseMs) baseMs = transitMs;
  }

  /** Whether this frame and those before it came at the pace of real time. */
  function keepsPace(transitMs: number, mediaMs: number, arrivalMs: number): boolean {
    const pace = (arrivalMs - lastArrivalMs) / (mediaMs - lastMediaMs);
    const inPace = pace >= MIN_PACE && pace <= MAX_PACE;
    paced = inPace ? paced + 1 : 1;
    pacedMs = inPace ? Math.min(pacedMs, transitMs) : transitMs;
    lastArrivalMs = arrivalMs;
    lastMediaMs = mediaMs;
    return paced >= PACED_FRAMES;
  }

  /** Audio is in time, or stays as late as it is: what it has caught up since it was latest was a stall. */
  function settle(transitMs: number): void {
    const stallMs = latestMs - transitMs;
    latestMs = Number.NEGATIVE_INFINITY;
    if (stallMs >= MIN_STALL_MS) onStall(stallMs);
  }

  return {
    received(mediaMs, arrivalMs) {
      const transitMs = arrivalMs - mediaMs;
      follow(transitMs);
      const inTimeMs = Math.min(baseMs, baseBeforeMs);
      if (transitMs > latestMs) latestMs = transitMs;
      if (keepsPace(transitMs, mediaMs, arrivalMs)) {
        settle(transitMs);
        baseMs = baseBeforeMs = pacedMs;
        paced = 1;
        pacedMs = transitMs;
      } else if (transitMs - inTimeMs < CAUGHT_UP_MS) settle(inTimeMs);
      const dueMs = Math.min(baseMs, baseBeforeMs) + mediaMs;
      if (dueMs > timeMs) timeMs = dueMs;
      return timeMs;
    },
    timeOf: (mediaMs) => Math.min(baseMs, baseBeforeMs) + mediaMs,
  };
}
