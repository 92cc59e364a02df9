import type { AudioFormat } from '../../media/audio/format.ts';
import { loadOpus, MAX_PACKET_BYTES, type OpusCodec } from '../../media/audio/opus.ts';
import { writeRtp } from '../../media/audio/rtp.ts';
import { BrowserLeg } from '../../media/leg/browser-leg.ts';
import { CarrierLeg } from '../../media/leg/carrier-leg.ts';
import type { CarrierMessage, CarrierProtocol } from '../../media/leg/carrier-protocol.ts';
import { CARRIER_PROTOCOLS } from '../../media/leg/carrier-protocols.ts';
import type { Leg, LegEnd } from '../../media/leg/leg.ts';
import { streamProtocol } from '../../media/leg/protocols/stream.ts';
import { ResumableLeg } from '../../media/leg/resumable-leg.ts';
import type { CaptureEntry, CaptureHeader, CapturedLeg as LegDescription } from '../../shared/capture.ts';
import type { Clock } from '../../shared/clock.ts';
import { STREAM_PROVIDER } from '../../shared/stream-messages.ts';
import type { ReportMissing } from './captured-providers.ts';
import type { Capture } from './read-capture.ts';

/** The caller's side of a replay: a real leg that gets the captured messages. */
export interface ReplayLeg {
  leg: Leg;
  /** Delivers an entry; returns false when it is not of the leg. */
  deliver(entry: CaptureEntry): boolean;
}

/** Throws when the capture's leg cannot be replayed, or not with its audio. */
export function createReplayLeg(
  { head, entries }: Capture,
  clock: Clock,
  needsAudio: boolean,
  missing: ReportMissing,
): ReplayLeg {
  if (head.leg.carrier === 'browser') return createReplayBrowserLeg(head, clock, needsAudio);
  return createReplayCarrierLeg(head, (kind) => entries.some(({ k }) => k === kind), clock, missing);
}

function createReplayCarrierLeg(
  { leg: description }: CaptureHeader,
  has: (kind: CaptureEntry['k']) => boolean,
  clock: Clock,
  missing: ReportMissing,
): ReplayLeg {
  const protocols: Record<string, CarrierProtocol> = { ...CARRIER_PROTOCOLS, [STREAM_PROVIDER]: streamProtocol };
  const protocol = Object.hasOwn(protocols, description.carrier) ? protocols[description.carrier] : undefined;
  if (!protocol) throw new Error(`captures of ${description.carrier} cannot be replayed`);
  let writable = true;
  const socket = {
    send: () => (writable ? ('sent' as const) : ('congested' as const)),
    ...(has('pong') ? { ping() {} } : {}),
    close() {},
  };
  const start: Extract<CarrierMessage, { type: 'start' }> = {
    type: 'start',
    streamId: 'capture',
    providerCallId: '',
    format: description.caller as AudioFormat,
    agentFormat: description.agent as AudioFormat,
    // A client that was to return marks has returned one.
    ...(protocol === streamProtocol ? { returnsMarks: has('mark') } : {}),
    parameters: {},
  };
  const newStream = () => new CarrierLeg({ protocol, start, socket, clock });
  let stream = newStream();
  const leg = new ResumableLeg(stream, clock);
  return {
    leg,
    deliver(entry) {
      const message = carrierMessageOf(entry, description);
      if (message) stream.handle(message, clock.now());
      else if (entry.k === 'closed') {
        const broken = entry.broken && { detail: entry.broken.detail, cause: entry.broken.cause as LegEnd };
        stream.closed(entry.code, broken ?? undefined);
      } else if (entry.k === 'stream') {
        stream = newStream();
        if (!leg.resume(stream)) missing('a stream came back that is not awaited');
      } else if (entry.k === 'socket') writable = entry.writable;
      else return false;
      return true;
    },
  };
}

/** The decoded message of the carrier. */
function carrierMessageOf(entry: CaptureEntry, description: LegDescription): CarrierMessage | null {
  switch (entry.k) {
    case 'audio': {
      const payload = entry.audio === '' ? silenceOf(description.caller) : Buffer.from(entry.audio, 'base64');
      return { type: 'audio', sequence: entry.sequence, payload };
    }
    case 'mark':
      return { type: 'mark', name: entry.name };
    case 'digit':
      return { type: 'digit', digit: entry.digit };
    case 'hold':
      return { type: 'hold', full: entry.held };
    case 'invalid':
      return { type: 'invalid', reason: entry.reason };
    case 'carrier_error':
      return { type: 'error', reason: entry.reason };
    case 'pong':
    case 'stop':
      return { type: entry.k };
    case 'cleared':
      return { type: 'ignored' };
    default:
      return null;
  }
}

const silenceOf = ({ encoding, sample_rate }: LegDescription['caller']) =>
  encoding === 'pcm16' ? new Uint8Array(sample_rate / 25) : new Uint8Array(sample_rate / 50).fill(0xff);

const STREAM = { payloadType: 100, ssrc: 1 };
const HEADER_BYTES = 12;

function createReplayBrowserLeg({ redacted }: CaptureHeader, clock: Clock, needsAudio: boolean): ReplayLeg {
  const opus = redacted ? { unavailableReason: 'the capture is redacted' } : loadOpus();
  if ('unavailableReason' in opus && needsAudio) {
    throw new Error(`the caller's audio cannot be decoded: ${opus.unavailableReason} (replay it with --vad captured)`);
  }
  const silent = 'unavailableReason' in opus;
  const { encode, ...silence } = silentCodec();
  const leg = new BrowserLeg({
    clock,
    // The agent's audio is not needed.
    codec: silent ? { ...silence, encode } : { ...opus.newCodec(), encode },
    agentStream: STREAM,
    transport: { sendRtp() {}, transcript() {}, close() {} },
  });
  return {
    leg,
    deliver(entry) {
      if (entry.k === 'packet') leg.receive(rtpOf(entry, silent), clock.now());
      else if (entry.k === 'digit') leg.press(entry.digit);
      else if (entry.k === 'mute') leg.muted = entry.muted;
      else if (entry.k === 'connection_report') leg.updateQuality({ roundTripMs: entry.round_trip_ms, lossPercent: 0 });
      else if (entry.k === 'ended') leg.finish(entry.cause as LegEnd, entry.detail);
      else return false;
      return true;
    },
  };
}

function rtpOf(entry: Extract<CaptureEntry, { k: 'packet' }>, silent: boolean): Uint8Array {
  const { sequence, timestamp, ms, pause } = entry;
  const payload = silent ? silentPacket(ms, pause) : Buffer.from(entry.audio, 'base64');
  const packet = new Uint8Array(HEADER_BYTES + MAX_PACKET_BYTES + 2);
  const bytes = writeRtp({ ...STREAM, marker: false, sequence, timestamp }, payload, packet);
  return packet.subarray(0, bytes);
}

const SAMPLES_PER_MS = 16;
const BYTES_PER_MS = 2 * SAMPLES_PER_MS;

/** A substitute of an Opus packet: its duration in halves of a millisecond; a pause is one byte, as DTX. */
const silentPacket = (ms: number | null, pause: boolean) =>
  new Uint8Array(pause ? 1 : 3).fill(Math.min(255, Math.round((ms ?? 0) * 2)), 0, 1);

function silentCodec(): OpusCodec {
  let lastMs = 0;
  const silenceFor = (ms: number) => (ms > 0 ? new Uint8Array(ms * BYTES_PER_MS) : null);
  return {
    encode: () => Uint8Array.of(0),
    decode(packet) {
      lastMs = packet[0]! / 2;
      return silenceFor(lastMs);
    },
    conceal: () => silenceFor(lastMs),
    expectLoss() {},
  };
}
