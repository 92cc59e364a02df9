/**
 * Puts RTP packets in order and keeps the sample timeline true over a network that loses, delays and reorders. What comes
 * in order goes out in the same call: nothing is held back for even pacing, since nobody listens but programs. The
 * adaptive part is how long something missing is waited for: as long as the network was seen to be late, at once more
 * when it is later, less by 10 ms for every quiet second. What is not there by then is concealed, and dropped if it
 * comes after all. Pure: time and packets come in, sound goes out through the sink.
 */

/** Something missing is always waited for so long: a packet asked for again comes within it on a near network … */
const MIN_WAIT_MS = 60;
/** … and never longer: what comes later than this is of no use to a conversation. */
const MAX_WAIT_MS = 240;
/** The wait covers what was seen, and so much more. */
const MARGIN_MS = 10;
const SHRINK_MS_PER_SECOND = 10;
/** The fastest packet of the last ten to twenty seconds tells the network's own delay, whatever the two clocks do. */
const BASE_WINDOW_MS = 10_000;
/** Timestamps further away than this are another stream of sound, believed when the next packet says so too. */
const JUMP_MS = 5_000;
/** A timeline that was left alone for longer (a sleeping machine) is taken up where it is. */
const MAX_FILLED_MS = 1_000;
/** Packets that wait for a missing one: half a second of the usual 20 ms. */
const MAX_HELD = 25;
/** So many missing frames in a row are extrapolated; then silence. */
const MAX_CONCEALED = 5;
const FRAME_MS = 20;
/** Sequence numbers that are remembered, to tell a duplicate from a late packet. */
const SEEN_SEQUENCES = 512;

export interface JitterSink {
  /** The next payload in order; returns how many milliseconds it lasts, 0 when it holds no sound that can be read. */
  play(payload: Uint8Array, atMs: number): number;
  /** About 20 ms that never came: returns how much was made up for them, 0 when that cannot be done. */
  conceal(atMs: number): number;
  silence(ms: number, atMs: number): void;
  /** The other side sends nothing because it hears nothing: what follows this payload is silence, not loss. */
  isPause(payload: Uint8Array): boolean;
}

export interface AdaptiveJitterBufferStats {
  packets: number;
  /** Frames made up for packets that did not come in time. */
  concealed: number;
  /** Packets that came after that. */
  late: number;
  duplicate: number;
  /** Packets that came behind a later one, and in time. */
  reordered: number;
  /** Packets far off the timeline that none followed. */
  stray: number;
  resyncs: number;
  /** How long something missing is waited for now. */
  waitMs: number;
  /** The largest that was. */
  maxWaitMs: number;
  /** Smoothed variation of the packets' delay (RFC 3550, section 6.4.1). */
  jitterMs: number;
}

export interface AdaptiveJitterBuffer {
  /**
   * One packet as it came. `sequence` (16 bit) and `timestamp` (32 bit) wrap round. The payload must not change while it
   * waits for an earlier one. Never throws.
   */
  push(sequence: number, timestamp: number, payload: Uint8Array, arrivalMs: number): void;
  /** Every 20 ms: gives up what has been waited for long enough, and keeps the timeline going while nothing comes. */
  tick(nowMs: number): void;
  readonly stats: Readonly<AdaptiveJitterBufferStats>;
}

interface Held {
  sequence: number;
  timestamp: number;
  payload: Uint8Array;
  arrivalMs: number;
}

export function createAdaptiveJitterBuffer(clockRate: number, sink: JitterSink): AdaptiveJitterBuffer {
  const perMs = clockRate / 1_000;
  const stats: AdaptiveJitterBufferStats = {
    packets: 0,
    concealed: 0,
    late: 0,
    duplicate: 0,
    reordered: 0,
    stray: 0,
    resyncs: 0,
    waitMs: MIN_WAIT_MS,
    maxWaitMs: MIN_WAIT_MS,
    jitterMs: 0,
  };
  const seen = new Float64Array(SEEN_SEQUENCES).fill(Number.NaN);
  let held: Held[] = [];
  let started = false;
  /** Both unwrapped. */
  let nextSequence = 0;
  let nextTimestamp = 0;
  let stray: { sequence: number; timestamp: number } | null = null;
  let pausing = false;
  let concealedInARow = 0;
  let atMs = Number.NEGATIVE_INFINITY;
  /** Arrival minus media time: the least of this window and of the one before. */
  let baseMs = Number.POSITIVE_INFINITY;
  let baseBeforeMs = Number.POSITIVE_INFINITY;
  let windowSinceMs = 0;
  let lastTransitMs = Number.NaN;
  let lastArrivalMs = 0;

  function begin(sequence: number, timestamp: number, arrivalMs: number): void {
    started = true;
    nextSequence = sequence;
    nextTimestamp = timestamp;
    baseMs = baseBeforeMs = Number.POSITIVE_INFINITY;
    lastTransitMs = Number.NaN;
    windowSinceMs = arrivalMs;
    lastArrivalMs = arrivalMs;
    seen.fill(Number.NaN);
    held = [];
    pausing = false;
    stray = null;
  }

  /** Learns from a packet how late the network may be. */
  function measure(timestamp: number, arrivalMs: number): void {
    const transitMs = arrivalMs - timestamp / perMs;
    if (arrivalMs - windowSinceMs >= BASE_WINDOW_MS) {
      baseBeforeMs = baseMs;
      baseMs = Number.POSITIVE_INFINITY;
      windowSinceMs = arrivalMs;
    }
    baseMs = Math.min(baseMs, transitMs);
    const latenessMs = transitMs - Math.min(baseMs, baseBeforeMs);
    if (!Number.isNaN(lastTransitMs)) {
      stats.jitterMs += (Math.abs(transitMs - lastTransitMs) - stats.jitterMs) / 16;
    }
    lastTransitMs = transitMs;
    const shrunkMs = stats.waitMs - (Math.max(0, arrivalMs - lastArrivalMs) / 1_000) * SHRINK_MS_PER_SECOND;
    lastArrivalMs = Math.max(lastArrivalMs, arrivalMs);
    stats.waitMs = Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, shrunkMs, latenessMs + MARGIN_MS));
    stats.maxWaitMs = Math.max(stats.maxWaitMs, stats.waitMs);
  }

  /** When the sound that ends at this timestamp should have been here at the latest. */
  function dueMs(timestamp: number): number {
    return Math.min(baseMs, baseBeforeMs) + timestamp / perMs + stats.waitMs;
  }

  function advance(ms: number): void {
    nextTimestamp += ms * perMs;
  }

  function monotonicMs(ms: number): number {
    if (ms > atMs) atMs = ms;
    return atMs;
  }

  function play({ sequence, timestamp, payload, arrivalMs }: Held): void {
    if (timestamp > nextTimestamp) fill((timestamp - nextTimestamp) / perMs, arrivalMs);
    nextTimestamp = timestamp;
    nextSequence = sequence + 1;
    concealedInARow = 0;
    pausing = sink.isPause(payload);
    advance(sink.play(payload, monotonicMs(arrivalMs)));
  }

  /** Between two packets of which none is missing, or before one that is not waited for any longer. */
  function fill(ms: number, nowMs: number): void {
    let left = Math.min(ms, MAX_FILLED_MS);
    while (left >= 0.5) {
      const made = concealFrame(Math.min(left, FRAME_MS), nowMs);
      left -= made;
    }
  }

  /** At most one frame; what was made up for it. */
  function concealFrame(ms: number, nowMs: number): number {
    if (pausing || concealedInARow >= MAX_CONCEALED || ms < FRAME_MS) {
      sink.silence(ms, monotonicMs(nowMs));
      return ms;
    }
    concealedInARow++;
    stats.concealed++;
    const made = sink.conceal(monotonicMs(nowMs));
    if (made > 0) return made;
    sink.silence(ms, atMs);
    return ms;
  }

  /** Everything held that nothing is missing before. */
  function drain(): void {
    while (held.length > 0 && held[0]!.sequence <= nextSequence) {
      const packet = held.shift()!;
      if (packet.timestamp >= nextTimestamp) play(packet);
      else skip(packet.sequence);
    }
  }

  /** It is too late for this one. */
  function skip(sequence: number): void {
    stats.late++;
    nextSequence = Math.max(nextSequence, sequence + 1);
  }

  function hold(packet: Held): void {
    let at = held.length;
    while (at > 0 && held[at - 1]!.sequence > packet.sequence) at--;
    if (at < held.length) stats.reordered++;
    held.splice(at, 0, packet);
    if (held.length > MAX_HELD) giveUp();
  }

  /** Goes on with the first packet held. */
  function giveUp(): void {
    const packet = held.shift();
    if (!packet) return;
    if (packet.timestamp >= nextTimestamp) play(packet);
    else skip(packet.sequence);
    drain();
  }

  function isStray(sequence: number, timestamp: number, arrivalMs: number): boolean {
    const jumped = Math.abs(timestamp - nextTimestamp) > JUMP_MS * perMs && !pausing;
    const slept = arrivalMs - dueMs(timestamp) > JUMP_MS;
    if (!jumped && !slept) {
      stray = null;
      return false;
    }
    const confirmed = stray && sequence === stray.sequence + 1 && Math.abs(timestamp - stray.timestamp) <= 240 * perMs;
    if (!confirmed) {
      if (stray) stats.stray++;
      stray = { sequence, timestamp };
      return true;
    }
    stats.resyncs++;
    begin(sequence, timestamp, arrivalMs);
    return false;
  }

  return {
    push(sequence16, timestamp32, payload, arrivalMs) {
      stats.packets++;
      const sequence = started ? unwrap(sequence16, nextSequence, 0x1_0000) : sequence16;
      const timestamp = started ? unwrap(timestamp32, Math.round(nextTimestamp), 0x1_0000_0000) : timestamp32;
      if (!started) begin(sequence, timestamp, arrivalMs);
      else if (isStray(sequence, timestamp, arrivalMs)) return;
      const place = ((sequence % SEEN_SEQUENCES) + SEEN_SEQUENCES) % SEEN_SEQUENCES;
      if (seen[place] === sequence) {
        stats.duplicate++;
        return;
      }
      seen[place] = sequence;
      measure(timestamp, arrivalMs);
      if (sequence < nextSequence || timestamp < nextTimestamp) {
        skip(sequence);
        drain();
      } else if (sequence === nextSequence) {
        if (held.length > 0) stats.reordered++;
        play({ sequence, timestamp, payload, arrivalMs });
        drain();
      } else hold({ sequence, timestamp, payload, arrivalMs });
    },
    tick(nowMs) {
      if (!started) return;
      // A clock that stood still (a sleeping machine) is not made up for frame by frame.
      const behindMs = nowMs - dueMs(nextTimestamp + FRAME_MS * perMs);
      if (behindMs > MAX_FILLED_MS) advance(behindMs - MAX_FILLED_MS);
      while (nowMs >= dueMs(nextTimestamp + FRAME_MS * perMs)) {
        advance(concealFrame(FRAME_MS, nowMs));
        // What was missing before it is made up for.
        while (held[0] && held[0].timestamp < nextTimestamp + (FRAME_MS / 2) * perMs) giveUp();
      }
    },
    stats,
  };
}

/** The number that wraps to `value` and lies nearest to `near`. */
function unwrap(value: number, near: number, range: number): number {
  const offset = (((value - near) % range) + range) % range;
  return near + (offset > range / 2 ? offset - range : offset);
}
