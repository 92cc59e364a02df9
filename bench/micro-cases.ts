import { loadSpeech } from '../fixtures/speech.ts';
import { MULAW_8K } from '../media/audio/format.ts';
import { decodeMulaw, encodeMulaw } from '../media/audio/g711.ts';
import { createJitterBuffer } from '../media/audio/jitter-buffer.ts';
import { loadOpus, OPUS_SAMPLE_RATE } from '../media/audio/opus.ts';
import { createResampler } from '../media/audio/resample.ts';
import { type CallEvent, callEventCodec, type Heartbeat, heartbeatCodec } from '../shared/bus/messages.ts';
import { newId } from '../shared/ids.ts';

/** Self-contained cases of `micro.ts`: samples, jitter buffer, bus events. */

export interface MicroCase {
  group: string;
  name: string;
  /** Repetitions per run. */
  times: number;
  /** Needed once per 20 ms of a call. */
  eachFrame: boolean;
  run: () => void | Promise<void>;
}

const FRAMES = 100;

/** Frames of 20 ms of a recorded caller, repeated. */
export function callerFrames(rateHz = 8_000): Int16Array[] {
  const { samples } = loadSpeech('booking-request');
  const step = rateHz / 50;
  const source = rateHz === 8_000 ? samples : resampled(samples, rateHz);
  return Array.from({ length: FRAMES }, (_, index) => {
    const from = (index * step) % (source.length - step);
    return source.slice(from, from + step);
  });
}

function resampled(samples: Int16Array, rateHz: number): Int16Array {
  const resampler = createResampler(8_000, rateHz);
  const target = new Int16Array(resampler.maxOutput(samples.length));
  return target.subarray(0, resampler.process(samples, target));
}

export function audioCases(): MicroCase[] {
  const frames = callerFrames();
  const coded = frames.map((frame) => {
    const bytes = new Uint8Array(frame.length);
    encodeMulaw(frame, bytes);
    return bytes;
  });
  const bytes = new Uint8Array(160);
  const samples = new Int16Array(160);
  const cases: MicroCase[] = [
    perFrame('codec', 'µ-law decode', () => coded.forEach((frame) => void decodeMulaw(frame, samples))),
    perFrame('codec', 'µ-law encode', () => frames.forEach((frame) => void encodeMulaw(frame, bytes))),
    ...opusCases(),
  ];
  for (const [fromHz, toHz] of [
    [8_000, 16_000],
    [16_000, 8_000],
  ] as const) {
    const resampler = createResampler(fromHz, toHz);
    const source = callerFrames(fromHz);
    const target = new Int16Array(resampler.maxOutput(fromHz / 50));
    const name = `${fromHz / 1_000} → ${toHz / 1_000} kHz`;
    cases.push(perFrame('resampler', name, () => source.forEach((frame) => void resampler.process(frame, target))));
  }
  return [...cases, ...jitterCases(coded)];
}

function opusCases(): MicroCase[] {
  const opus = loadOpus();
  if ('unavailableReason' in opus) {
    console.log(`no Opus here: ${opus.unavailableReason}`);
    return [];
  }
  const frames = callerFrames(OPUS_SAMPLE_RATE).map((frame) => new Uint8Array(frame.buffer));
  const encoder = opus.newCodec();
  const decoder = opus.newCodec();
  const packets = frames.map((frame) => Uint8Array.from(encoder.encode(frame)));
  return [
    perFrame('codec', 'Opus decode, 16 kHz', () => packets.forEach((packet) => void decoder.decode(packet))),
    perFrame('codec', 'Opus encode, 16 kHz', () => frames.forEach((frame) => void encoder.encode(frame))),
  ];
}

function jitterCases(payloads: readonly Uint8Array[]): MicroCase[] {
  const ordered = createJitterBuffer(MULAW_8K, () => {});
  const swapped = createJitterBuffer(MULAW_8K, () => {});
  const losing = createJitterBuffer(MULAW_8K, () => {});
  let next = 1;
  let pair = 1;
  let lossy = 1;
  return [
    perFrame('jitter buffer', 'push and expire, in order', () => {
      for (const payload of payloads) {
        ordered.push(next, payload, next * 20);
        ordered.expire(next++ * 20);
      }
    }),
    perFrame('jitter buffer', 'push and expire, every pair swapped', () => {
      for (const payload of payloads) {
        swapped.push(pair % 2 === 1 ? pair + 1 : pair - 1, payload, pair * 20);
        swapped.expire(pair++ * 20);
      }
    }),
    perFrame('jitter buffer', 'push and expire, one in ten lost', () => {
      for (const payload of payloads) {
        if (lossy % 10 !== 0) losing.push(lossy, payload, lossy * 20);
        losing.expire(lossy++ * 20);
      }
    }),
  ];
}

export function eventCases(): MicroCase[] {
  const event: CallEvent = {
    call_id: newId(),
    seq: 17,
    engine_id: newId(),
    at_ms: 1_790_000_000_000,
    type: 'tts.first_audio',
    level: 'info',
    message: 'first audio',
    latency_ms: 612,
    data_json: JSON.stringify({ end_of_turn_ms: 201, llm_ms: 253, speakable_ms: 3, voice_ms: 121, playout_ms: 1 }),
    transcript: [
      { role: 'user', text: 'A table for two people tomorrow.', at_ms: 1_790_000_000_000, interrupted: false },
    ],
  };
  const callIds = Array.from({ length: 40 }, () => newId());
  const heartbeat: Heartbeat = { engine_id: newId(), at_ms: 1_790_000_000_000, call_ids: callIds, headroom: 61 };
  const eventBytes = callEventCodec.encode(event);
  const heartbeatBytes = heartbeatCodec.encode(heartbeat);
  const several = (group: string, name: string, once: () => unknown): MicroCase => ({
    ...{ group, name, times: FRAMES, eachFrame: false },
    run: () => {
      for (let time = 0; time < FRAMES; time++) once();
    },
  });
  return [
    several('protobuf', 'encode an event of a call', () => callEventCodec.encode(event)),
    several('protobuf', 'decode an event of a call', () => callEventCodec.decode(eventBytes)),
    several('protobuf', 'encode a heartbeat of 40 calls', () => heartbeatCodec.encode(heartbeat)),
    several('protobuf', 'decode a heartbeat of 40 calls', () => heartbeatCodec.decode(heartbeatBytes)),
  ];
}

/** A case that processes all frames once. */
export function perFrame(group: string, name: string, run: () => void): MicroCase {
  return { group, name, times: FRAMES, eachFrame: true, run };
}
