import { createStreamClock } from './stream-clock.ts';

/**
 * Puts RTP packets in order and keeps the sample timeline over a network that loses, delays and reorders. Packets that arrive
 * in order are played in the same call: nothing is held back for even pacing, since only programs listen. What adapts is how
 * long a packet is waited for that later ones have overtaken: as long as the network has been late recently, increased at once by
 * a later packet and decreased by 10 ms per second. After that it is concealed, and dropped if it arrives. A network that
 * delivers nothing at all is waited for much longer, because it usually delivers everything in the end, and every word counts.
 * Pure: time and packets come in, audio goes out through the sink.
 */

/** Enough for a retransmission on a near network. */
const MIN_WAIT_MS = 60;
const MAX_WAIT_MS = 240;
/** Without any packet the timeline waits this long, except in a pause of the sender; then what is missing is concealed. */
const MAX_STANDSTILL_MS = 1_200;
/** The next packets in order are played up to this much after their place in the timeline was filled: they hold words. */
const MAX_LATE_MS = 1_500;
/** Added to the lateness seen. */
const MARGIN_MS = 10;
const SHRINK_MS_PER_SECOND = 10;
/** The fastest packet of the last one or two windows gives the network's base delay, independent of clock drift. */
const BASE_WINDOW_MS = 10_000;
/** A jump of the timestamps by more than this starts a new timeline, when the next packet confirms it. */
const JUMP_MS = 5_000;
/** A longer gap in time (a suspended machine) is skipped instead of filled. */
const MAX_FILLED_MS = 1_200;
/** Packets held behind a missing one: half a second of the usual 20 ms. */
const MAX_HELD = 25;
/** Missing frames in a row that are extrapolated; silence follows. */
const MAX_CONCEALED = 5;
const FRAME_MS = 20;
/** Sequence numbers remembered to distinguish duplicates from late packets. */
const SEEN_SEQUENCES = 512;

export interface JitterSink {
  /** Plays the next payload in order. Returns its duration in milliseconds, 0 when it cannot be decoded. */
  play(payload: Uint8Array, atMs: number): number;
  /** Conceals about 20 ms. Returns the milliseconds concealed, 0 when there is nothing to extrapolate from. */
  conceal(atMs: number): number;
  silence(ms: number, atMs: number): void;
  /** The sender pauses after this payload (DTX): what follows is silence, not loss. */
  isPause(payload: Uint8Array): boolean;
}

export interface AdaptiveJitterBufferStats {
  packets: number;
  /** Frames concealed because packets did not arrive in time. */
  concealed: number;
  /** Packets that arrived after they had been concealed. */
  late: number;
  duplicate: number;
  /** Packets that arrived after a later one, and in time. */
  reordered: number;
  /** Packets far off the timeline that no following one confirmed. */
  stray: number;
  resyncs: number;
  /** How long a missing packet is waited for at present. */
  waitMs: number;
  /** The largest wait so far. */
  maxWaitMs: number;
  /** Smoothed variation of the packets' delay (RFC 3550, section 6.4.1). */
  jitterMs: number;
}

export interface AdaptiveJitterBuffer {
  /**
   * Takes one packet on arrival. `sequence` (16 bit) and `timestamp` (32 bit) wrap around. The payload must not change while it
   * is held. Never throws.
   */
  push(sequence: number, timestamp: number, payload: Uint8Array, arrivalMs: number): void;
  /** Called every 20 ms: conceals packets that were waited for long enough, and continues the timeline while nothing arrives. */
  tick(nowMs: number): void;
  readonly stats: Readonly<AdaptiveJitterBufferStats>;
}

interface Held {
  sequence: number;
  timestamp: number;
  payload: Uint8Array;
  arrivalMs: number;
}

/** `onStall`: see `stream-clock.ts`. */
export function createAdaptiveJitterBuffer(
  clockRate: number,
  sink: JitterSink,
  onStall?: (stallMs: number) => void,
): AdaptiveJitterBuffer {
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
  let streamClock = createStreamClock(onStall);
  /** Arrival minus media time: the minima of this window and of the previous one. */
  let baseMs = Number.POSITIVE_INFINITY;
  let baseBeforeMs = Number.POSITIVE_INFINITY;
  let windowSinceMs = 0;
  let lastTransitMs = Number.NaN;
  let lastArrivalMs = 0;

  function begin(sequence: number, timestamp: number, arrivalMs: number): void {
    started = true;
    nextSequence = sequence;
    nextTimestamp = timestamp;
    streamClock = createStreamClock(onStall);
    baseMs = baseBeforeMs = Number.POSITIVE_INFINITY;
    lastTransitMs = Number.NaN;
    windowSinceMs = arrivalMs;
    lastArrivalMs = arrivalMs;
    seen.fill(Number.NaN);
    held = [];
    pausing = false;
    stray = null;
  }

  /** Updates wait and jitter from a packet's delay. */
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

  /** The latest arrival of the audio that ends at this timestamp. */
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
    advance(sink.play(payload, monotonicMs(streamClock.received(timestamp / perMs, arrivalMs))));
  }

  /** Fills a gap in the timeline before the next packet. */
  function fill(ms: number, nowMs: number): void {
    let left = Math.min(ms, MAX_FILLED_MS);
    while (left >= 0.5) {
      const made = concealFrame(Math.min(left, FRAME_MS), filledMs(nowMs));
      left -= made;
      advance(made);
    }
  }

  /** When the next audio of the timeline should have come in. */
  function filledMs(nowMs: number): number {
    return Math.min(nowMs, streamClock.timeOf(nextTimestamp / perMs));
  }

  /** Conceals at most one frame. Returns the milliseconds concealed. */
  function concealFrame(ms: number, dueMs: number): number {
    if (pausing || concealedInARow >= MAX_CONCEALED || ms < FRAME_MS) {
      sink.silence(ms, monotonicMs(dueMs));
      return ms;
    }
    concealedInARow++;
    stats.concealed++;
    const made = sink.conceal(monotonicMs(dueMs));
    if (made > 0) return made;
    sink.silence(ms, atMs);
    return ms;
  }

  /** Nothing that may still come belongs before this moment of the timeline. */
  function isOverdue(nowMs: number): boolean {
    const overdueMs = dueMs(nextTimestamp + FRAME_MS * perMs);
    if (nowMs < overdueMs) return false;
    const first = held[0];
    // After a standstill the missing one may be just behind the first that came.
    if (first) return first.arrivalMs <= overdueMs || nowMs - first.arrivalMs >= MIN_WAIT_MS;
    return pausing || nowMs - lastArrivalMs >= MAX_STANDSTILL_MS;
  }

  function isTooLate(timestamp: number): boolean {
    return timestamp < nextTimestamp - MAX_LATE_MS * perMs;
  }

  /** Plays all held packets that follow without a gap. */
  function drain(): void {
    while (held.length > 0 && held[0]!.sequence <= nextSequence) {
      const packet = held.shift()!;
      if (isTooLate(packet.timestamp)) skip(packet.sequence);
      else play(packet);
    }
  }

  /** Drops a packet that arrived too late. */
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

  /** Continues with the first held packet. */
  function giveUp(): void {
    const packet = held.shift();
    if (!packet) return;
    if (isTooLate(packet.timestamp)) skip(packet.sequence);
    else play(packet);
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
      const slot = ((sequence % SEEN_SEQUENCES) + SEEN_SEQUENCES) % SEEN_SEQUENCES;
      if (seen[slot] === sequence) {
        stats.duplicate++;
        return;
      }
      seen[slot] = sequence;
      measure(timestamp, arrivalMs);
      if (sequence < nextSequence || isTooLate(timestamp)) {
        skip(sequence);
        drain();
      } else if (sequence === nextSequence) {
        if (held.length > 0) stats.reordered++;
        play({ sequence, timestamp, payload, arrivalMs });
        drain();
      } else {
        hold({ sequence, timestamp, payload, arrivalMs });
        // What is missing before it has been filled already.
        while (held[0] && held[0].timestamp < nextTimestamp) giveUp();
      }
    },
    tick(nowMs) {
      if (!started || !isOverdue(nowMs)) return;
      // The gap of a suspended machine is not concealed frame by frame.
      const behindMs = nowMs - dueMs(nextTimestamp + FRAME_MS * perMs);
      if (behindMs > MAX_FILLED_MS) advance(behindMs - MAX_FILLED_MS);
      while (isOverdue(nowMs)) {
        advance(concealFrame(FRAME_MS, pausing ? nowMs : filledMs(nowMs)));
        // What was missing before it has been concealed.
        while (held[0] && held[0].timestamp < nextTimestamp + (FRAME_MS / 2) * perMs) giveUp();
      }
    },
    stats,
  };
}

/** Returns the number congruent to `value` that is nearest to `near`. */
function unwrap(value: number, near: number, range: number): number {
  const offset = (((value - near) % range) + range) % range;
  return near + (offset > range / 2 ? offset - range : offset);
}
