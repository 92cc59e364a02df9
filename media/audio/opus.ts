import { createRequire } from 'node:module';
import { errorText } from '../../shared/log.ts';

/**
 * Opus (RFC 6716) over @discordjs/opus, a binding of libopus with encode, decode and the controls only. In-band FEC works in the
 * encoder, by a control; the decoder is always called without `decode_fec`, so the redundancy that a browser sends cannot be
 * used: lost packets of a browser are requested again (NACK) and otherwise concealed. Concealment is libopus's own: a packet with
 * a table of contents and an empty frame means "lost or DTX" (RFC 6716, section 3.2.1), and decodes to one extrapolated frame.
 * An empty buffer would give 11,520 samples.
 */

/** Rate of the PCM on this side; Opus then codes wideband speech. */
export const OPUS_SAMPLE_RATE = 16_000;
/** RTP counts Opus at 48 kHz whatever it carries (RFC 7587, section 4.1). */
export const OPUS_CLOCK_RATE = 48_000;
/** A packet holds at most 120 ms, in frames of at most 1,275 bytes. */
export const MAX_PACKET_BYTES = 1_500;

/** Controls of libopus's opus_defines.h. */
const SET_APPLICATION = 4000;
const SET_COMPLEXITY = 4010;
const SET_INBAND_FEC = 4012;
const SET_PACKET_LOSS_PERC = 4014;
const SET_DTX = 4016;
const SET_SIGNAL = 4024;
const APPLICATION_VOIP = 2048;
const SIGNAL_VOICE = 3001;

const BITS_PER_SECOND = 32_000;
/**
 * Of 10. At this bit rate, with redundancy, 20 ms take 64 µs at 1 and 129 µs at 3; the quality is about the same (log-spectral
 * distance of synthesized speech: some 6 dB at both).
 */
const COMPLEXITY = 1;
/**
 * Smallest loss given to the encoder: below 6 it adds no redundancy at this bit rate and complexity, and the first lost packets
 * would have none.
 */
const EXPECTED_LOSS_PERCENT = 7;

interface Binding {
  encode(samples: Uint8Array): Buffer;
  decode(packet: Uint8Array): Buffer;
  applyEncoderCTL(control: number, value: number): void;
  setBitrate(bitsPerSecond: number): void;
}
type BindingClass = new (rate: number, channels: number) => Binding;

/** Both directions of one call, mono at 16 kHz. */
export interface OpusCodec {
  /** Encodes 20 ms (640 bytes of 16-bit samples); a packet of one or two bytes need not be sent (DTX). */
  encode(frame: Uint8Array): Uint8Array;
  /** Decodes to 16-bit samples; null when it is not an Opus packet. */
  decode(packet: Uint8Array): Uint8Array | null;
  /** Extrapolates one frame in place of a lost one, as long as the last one; null before the first. */
  conceal(): Uint8Array | null;
  /** Sets the packet loss on the way to the other side, in percent; a higher loss adds redundancy. */
  expectLoss(percent: number): void;
}

export type OpusAvailability = { newCodec(): OpusCodec } | { unavailableReason: string };

export function loadOpus(): OpusAvailability {
  try {
    const { OpusEncoder } = createRequire(import.meta.url)('@discordjs/opus') as { OpusEncoder: BindingClass };
    newCodec(OpusEncoder);
    return { newCodec: () => newCodec(OpusEncoder) };
  } catch (error) {
    return { unavailableReason: errorText(error).split('\n')[0]!.slice(0, 200) };
  }
}

function newCodec(OpusEncoder: BindingClass): OpusCodec {
  const binding = new OpusEncoder(OPUS_SAMPLE_RATE, 1);
  binding.applyEncoderCTL(SET_APPLICATION, APPLICATION_VOIP);
  binding.applyEncoderCTL(SET_SIGNAL, SIGNAL_VOICE);
  binding.applyEncoderCTL(SET_COMPLEXITY, COMPLEXITY);
  binding.applyEncoderCTL(SET_DTX, 1);
  binding.applyEncoderCTL(SET_INBAND_FEC, 1);
  binding.applyEncoderCTL(SET_PACKET_LOSS_PERC, EXPECTED_LOSS_PERCENT);
  binding.setBitrate(BITS_PER_SECOND);
  let expected = EXPECTED_LOSS_PERCENT;
  /** A table of contents without a frame. */
  const lost = new Uint8Array(1);
  let began = false;

  function decode(packet: Uint8Array): Uint8Array | null {
    try {
      return binding.decode(packet);
    } catch {
      return null;
    }
  }

  return {
    encode: (frame) => binding.encode(frame),
    decode(packet) {
      if (packetMs(packet) === null) return null;
      const samples = decode(packet);
      if (samples === null) return null;
      lost[0] = packet[0]! & 0xfc;
      began = true;
      return samples;
    },
    conceal: () => (began ? decode(lost) : null),
    expectLoss(percent) {
      if (!Number.isFinite(percent)) return;
      const whole = Math.max(EXPECTED_LOSS_PERCENT, Math.min(30, Math.round(percent)));
      if (whole === expected) return;
      expected = whole;
      binding.applyEncoderCTL(SET_PACKET_LOSS_PERC, whole);
    },
  };
}

const SILK_MS = [10, 20, 40, 60];
const CELT_MS = [2.5, 5, 10, 20];

/** Reads a packet's duration from its table of contents (RFC 6716, section 3.1); null when it is not an Opus packet. */
export function packetMs(packet: Uint8Array): number | null {
  if (packet.length === 0 || packet.length > MAX_PACKET_BYTES) return null;
  const head = packet[0]!;
  const configuration = head >> 3;
  const frameMs =
    configuration < 12
      ? SILK_MS[configuration & 3]!
      : configuration < 16
        ? SILK_MS[configuration & 1]!
        : CELT_MS[configuration & 3]!;
  const code = head & 3;
  const frames = code === 0 ? 1 : code < 3 ? 2 : packet.length < 2 ? 0 : packet[1]! & 0x3f;
  const ms = frames * frameMs;
  return ms > 0 && ms <= 120 ? ms : null;
}

/** Whether the packet is discontinuous transmission: the sender has silence (RFC 6716, section 2.1.9). */
export function isDtx(packet: Uint8Array): boolean {
  return packet.length <= 2;
}
