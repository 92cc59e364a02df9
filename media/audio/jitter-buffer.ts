import { type AudioFormat, bytesPerSample, FRAME_MS, frameBytes, silenceByte } from './format.ts';
import { createFramer } from './framer.ts';
import { decodeAlaw, decodeMulaw, encodeAlaw, encodeMulaw } from './g711.ts';
import { createStreamClock } from './stream-clock.ts';

/** A missing payload is concealed this long after a later one arrived … */
const WAIT_MS = 60;
/** … or when this many later payloads are here. */
const LATER_PAYLOADS = 3;
/** A larger jump of the sequence numbers is a new numbering, not a loss; no more than this is concealed. */
const JUMP_MS = 1000;
/** Concealed frames that repeat the last audio, each at half the level; silence follows. */
const FADED_FRAMES = 2;
/** Concealed sequence numbers remembered to distinguish late payloads from duplicates. */
const CONCEALED_SEQUENCES = 128;

export interface JitterStats {
  /** Frames delivered, concealed ones included. */
  frames: number;
  /** Frames that hold concealed audio. */
  concealed: number;
  /** Payloads that arrived after they had been concealed. */
  late: number;
  /** Payloads that had arrived before. */
  duplicate: number;
  /** Payloads with a jump of the sequence number that no following one confirmed. */
  stray: number;
  /** Payloads with an invalid sequence number or size. */
  refused: number;
  /** Times a new numbering was adopted. */
  resyncs: number;
}

export interface JitterBuffer {
  /**
   * Takes one payload with the carrier's sequence number (1, 2, 3, …), of any length up to a second. The bytes are not kept.
   * Never throws.
   */
  push(sequence: number, payload: Uint8Array, arrivalMs: number): void;
  /** Called every 20 ms: conceals payloads that have been waited for long enough. */
  expire(nowMs: number): void;
  /** Ends the stream: delivers everything held, the last frame padded with silence. */
  flush(): void;
  readonly stats: Readonly<JitterStats>;
}

/**
 * 20 ms of audio in the buffer's format. `atMs` never decreases: when its last sample came in, or should have come in where the
 * network stood still or the audio is concealed. The bytes are the buffer's own and valid during the call.
 */
export type FrameListener = (frame: Uint8Array, atMs: number, concealed: boolean) => void;

interface Slot {
  used: boolean;
  sequence: number;
  bytes: Uint8Array;
  length: number;
  arrivalMs: number;
}

/**
 * Puts payloads in order and keeps the sample timeline. Payloads in order are delivered in the same call; a gap
 * is concealed after 60 ms or three later payloads: the last frame again at half and at
 * quarter level, then silence. A jump of more than a second is accepted only when the next payload
 * confirms it (as in RFC 3550, A.1, for RTP); then one second is concealed, or nothing when the numbers went
 * back. Missing payloads are assumed to be as long as the last one. Holds at most four payloads. `onStall`: see `stream-clock.ts`.
 */
export function createJitterBuffer(
  format: AudioFormat,
  deliver: FrameListener,
  onStall?: (stallMs: number) => void,
): JitterBuffer {
  const frameSize = frameBytes(format);
  const sampleSize = bytesPerSample(format);
  const bytesPerMs = frameSize / FRAME_MS;
  const jumpBytes = bytesPerMs * JUMP_MS;
  const halve = createHalver(format);
  const stats: JitterStats = { frames: 0, concealed: 0, late: 0, duplicate: 0, stray: 0, refused: 0, resyncs: 0 };

  const held: Slot[] = Array.from({ length: LATER_PAYLOADS }, emptySlot);
  let heldCount = 0;
  const outlier = emptySlot();
  const concealedSequences = new Float64Array(CONCEALED_SEQUENCES).fill(-1);
  let next = 1;
  let lastPayload = 0;
  const streamClock = createStreamClock(onStall);
  /** Duration of all audio so far, concealed audio included, and when the last of it came in. */
  let mediaMs = 0;
  let mediaEndMs = Number.NEGATIVE_INFINITY;
  let atMs = Number.NEGATIVE_INFINITY;

  const lastFrame = new Uint8Array(frameSize).fill(silenceByte(format.encoding));
  const patch = new Uint8Array(frameSize);
  let fades = 0;
  let frameConcealed = false;

  const framer = createFramer(format, (frame) => {
    const concealed = frameConcealed;
    frameConcealed = false;
    stats.frames++;
    if (concealed) stats.concealed++;
    else lastFrame.set(frame);
    const behindMs = mediaMs - stats.frames * FRAME_MS;
    atMs = Math.max(atMs, behindMs > 0 ? mediaEndMs - behindMs : mediaEndMs);
    deliver(frame, atMs, concealed);
  });

  function accept(payload: Uint8Array, arrivalMs: number): void {
    next++;
    fades = 0;
    lastPayload = payload.length;
    mediaMs += payload.length / bytesPerMs;
    mediaEndMs = Math.max(mediaEndMs, streamClock.received(mediaMs, arrivalMs));
    framer.push(payload);
  }

  function acceptHeld(slot: Slot): void {
    slot.used = false;
    accept(slot.bytes.subarray(0, slot.length), slot.arrivalMs);
  }

  /** Delivers all held payloads that follow without a gap. */
  function drain(): void {
    while (heldCount > 0) {
      const slot = heldSlot(next);
      if (!slot) return;
      heldCount--;
      acceptHeld(slot);
    }
  }

  function heldSlot(sequence: number): Slot | undefined {
    for (const slot of held) if (slot.used && slot.sequence === sequence) return slot;
    return undefined;
  }

  /** Conceals what is missing before the earliest held payload, and continues from there. */
  function giveUp(): void {
    let first: Slot | undefined;
    for (const slot of held) if (slot.used && (!first || slot.sequence < first.sequence)) first = slot;
    if (!first) return;
    for (let sequence = Math.max(next, first.sequence - CONCEALED_SEQUENCES); sequence < first.sequence; sequence++) {
      concealedSequences[sequence % CONCEALED_SEQUENCES] = sequence;
    }
    conceal((first.sequence - next) * (lastPayload || first.length), first.arrivalMs);
    next = first.sequence;
    drain();
  }

  /** `beforeMs`: arrival of the audio after the gap. */
  function conceal(missing: number, beforeMs: number): void {
    let left = Math.min(missing, jumpBytes);
    while (left > 0) {
      const size = Math.min(left, frameSize);
      fades++;
      if (fades > FADED_FRAMES) lastFrame.fill(silenceByte(format.encoding));
      else halve(lastFrame);
      for (let i = 0; i < size; i++) patch[i] = lastFrame[(framer.pending + i) % frameSize]!;
      mediaMs += size / bytesPerMs;
      mediaEndMs = Math.max(mediaEndMs, Math.min(streamClock.timeOf(mediaMs), beforeMs));
      pushConcealed(size);
      left -= size;
    }
  }

  function pushConcealed(size: number): void {
    // Completes the present frame first, so that only frames with concealed audio are marked as such.
    const fits = Math.min(size, frameSize - framer.pending);
    frameConcealed = true;
    framer.push(patch.subarray(0, fits));
    if (fits === size) return;
    frameConcealed = true;
    framer.push(patch.subarray(fits, size));
  }

  function store(slot: Slot, sequence: number, payload: Uint8Array, arrivalMs: number): void {
    if (slot.bytes.length < payload.length) slot.bytes = new Uint8Array(payload.length);
    slot.bytes.set(payload);
    slot.used = true;
    slot.sequence = sequence;
    slot.length = payload.length;
    slot.arrivalMs = arrivalMs;
  }

  function pushOutlier(sequence: number, payload: Uint8Array, arrivalMs: number): void {
    if (outlier.used && sequence === outlier.sequence) {
      stats.duplicate++;
      return;
    }
    if (!outlier.used || sequence !== outlier.sequence + 1) {
      if (outlier.used) stats.stray++;
      store(outlier, sequence, payload, arrivalMs);
      return;
    }
    while (heldCount > 0) giveUp();
    stats.resyncs++;
    // Before the first frame there is no timeline to keep.
    if (outlier.sequence > next && stats.frames > 0) conceal(jumpBytes, outlier.arrivalMs);
    next = outlier.sequence;
    acceptHeld(outlier);
    accept(payload, arrivalMs);
  }

  function expire(nowMs: number): void {
    while (heldCount > 0) {
      let noticedMs = Number.POSITIVE_INFINITY;
      for (const slot of held) if (slot.used && slot.arrivalMs < noticedMs) noticedMs = slot.arrivalMs;
      if (nowMs - noticedMs < WAIT_MS) return;
      giveUp();
    }
  }

  return {
    push(sequence, bytes, arrivalMs) {
      const size = bytes.length - (bytes.length % sampleSize);
      if (!Number.isSafeInteger(sequence) || sequence < 1 || size === 0 || size > jumpBytes) {
        stats.refused++;
        return;
      }
      const payload = size === bytes.length ? bytes : bytes.subarray(0, size);
      if (heldCount > 0) expire(arrivalMs);
      const distance = sequence - next;
      if (distance === 0) {
        accept(payload, arrivalMs);
        drain();
      } else if (Math.abs(distance) * (lastPayload || size) > jumpBytes) {
        pushOutlier(sequence, payload, arrivalMs);
      } else if (distance < 0) {
        const slot = sequence % CONCEALED_SEQUENCES;
        if (concealedSequences[slot] === sequence) {
          concealedSequences[slot] = -1;
          stats.late++;
        } else stats.duplicate++;
      } else if (heldSlot(sequence)) {
        stats.duplicate++;
      } else {
        for (const slot of held) {
          if (slot.used) continue;
          store(slot, sequence, payload, arrivalMs);
          break;
        }
        if (++heldCount === LATER_PAYLOADS) giveUp();
      }
    },
    expire,
    flush() {
      while (heldCount > 0) giveUp();
      if (outlier.used) {
        outlier.used = false;
        stats.stray++;
      }
      framer.flush();
    },
    stats,
  };
}

function emptySlot(): Slot {
  return { used: false, sequence: 0, bytes: new Uint8Array(0), length: 0, arrivalMs: 0 };
}

/** Returns a function that attenuates a frame by 6 dB in place. */
function createHalver(format: AudioFormat): (frame: Uint8Array) => void {
  if (format.encoding === 'pcm16') {
    return (frame) => {
      for (let at = 0; at + 1 < frame.length; at += 2) {
        const sample = ((frame[at]! | (frame[at + 1]! << 8)) << 16) >> 17;
        frame[at] = sample & 0xff;
        frame[at + 1] = (sample >> 8) & 0xff;
      }
    };
  }
  const mulaw = format.encoding === 'mulaw';
  const codes = Uint8Array.from({ length: 256 }, (_, code) => code);
  const samples = new Int16Array(256);
  (mulaw ? decodeMulaw : decodeAlaw)(codes, samples);
  for (let i = 0; i < 256; i++) samples[i]! >>= 1;
  (mulaw ? encodeMulaw : encodeAlaw)(samples, codes);
  return (frame) => {
    for (let i = 0; i < frame.length; i++) frame[i] = codes[frame[i]!]!;
  };
}
