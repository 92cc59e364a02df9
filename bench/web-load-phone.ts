import { createRequire } from 'node:module';
import {
  IceCandidate,
  RTCDtlsFingerprint,
  RTCDtlsParameters,
  RTCDtlsTransport,
  RTCIceGatherer,
  RTCIceTransport,
  RtpHeader,
  type RtpPacket,
} from 'werift';
import { WebSocket } from 'ws';
import { createConverter } from '../media/audio/converter.ts';
import { FRAME_MS, frameBytes, PCM_8K, PCM_16K } from '../media/audio/format.ts';
import { isDtx, OPUS_CLOCK_RATE } from '../media/audio/opus.ts';
import type { ToBrowser, TransportDescription } from '../shared/web-signalling.ts';
import { createFrameSlots, type FrameSlot, type FrameSlots } from './frame-slots.ts';
import { LoadCaller, type LoadLine, type LoadPhone, lineNoise } from './load-caller.ts';

/**
 * A cheap caller in place of a browser, so that one core can run a hundred: ICE, DTLS and SRTP by werift, packets of Opus that
 * were encoded in advance, and of the agent's packets only the times are kept. It sends a packet every 20 ms, in silence as well:
 * the worst case of a browser. It asks for no packet again; Chromium does, in `bench/browser-load.ts`.
 */

const FRAME_TIMESTAMPS = (FRAME_MS * OPUS_CLOCK_RATE) / 1_000;
const PAYLOAD_TYPE = 111;
const BITS_PER_SECOND = 32_000;
/** SRTP's AEAD_AES_128_GCM and AES_CM_128_HMAC_SHA1_80 (RFC 7714, RFC 5764). */
const SRTP_PROFILES: ConstructorParameters<typeof RTCDtlsTransport>[3] = [0x0007, 0x0001];

export const WEB_LINE: LoadLine<Buffer> = {
  carrier: 'browser',
  transcriberHertz: PCM_16K.sample_rate,
  framesOf: packetsOf,
  createPhones() {
    const { lateness, stalls, close, next } = createFrameSlots();
    return { lateness, stalls, close, open: (options) => openPhone(options, next(), lateness) };
  },
};

/** Encodes a recording at 8 kHz, without discontinuous transmission. */
function packetsOf(samples: Int16Array): Buffer[] {
  const { OpusEncoder } = createRequire(import.meta.url)('@discordjs/opus') as typeof import('@discordjs/opus');
  const encoder = new OpusEncoder(PCM_16K.sample_rate, 1);
  encoder.setBitrate(BITS_PER_SECOND);
  const converter = createConverter(PCM_8K, PCM_16K);
  const audio = Buffer.from(converter.convert(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)));
  const bytes = frameBytes(PCM_16K);
  return Array.from({ length: Math.floor(audio.length / bytes) }, (_, at) =>
    Buffer.from(encoder.encode(audio.subarray(at * bytes, (at + 1) * bytes))),
  );
}

interface SecureTransport {
  ice: RTCIceTransport;
  dtls: RTCDtlsTransport;
}

async function openPhone(
  { port, path }: { port: number; path: string },
  slot: FrameSlot,
  lateness: FrameSlots['lateness'],
): Promise<LoadPhone<Buffer>> {
  const { socket, ready, ask } = await openSignalling(`ws://127.0.0.1:${port}${path}`);
  const [up, down] = await Promise.all([openTransport(ready.send), openTransport(ready.receive)]);
  await Promise.all([connect(up, 'send'), connect(down, 'receive')]);
  const ssrc = 1 + Math.floor(Math.random() * 0xffff_fffe);
  const codec = { mimeType: 'audio/opus', payloadType: PAYLOAD_TYPE, clockRate: OPUS_CLOCK_RATE, channels: 2 };
  await ask({ type: 'send', rtp_parameters: { mid: '0', codecs: [codec], encodings: [{ ssrc }], rtcp: {} } });
  await ask({ type: 'receive', rtp_capabilities: ready.rtp_capabilities });

  async function connect({ ice, dtls }: SecureTransport, direction: 'send' | 'receive'): Promise<void> {
    const { fingerprints } = dtls.localParameters;
    await ask({ type: 'connect', direction, dtls_parameters: { role: 'client', fingerprints } });
    await ice.start();
    await dtls.start();
  }

  const caller = new LoadCaller<Buffer>({
    ...{ slot, lateness, noise: noisePackets() },
    write(payload, number) {
      const timestamp = number * FRAME_TIMESTAMPS;
      const header = { payloadType: PAYLOAD_TYPE, ssrc, sequenceNumber: number & 0xffff, timestamp };
      up.dtls.sendRtp(payload, new RtpHeader(header)).catch(() => caller.end());
    },
    hangUp() {
      const end = () => caller.end();
      ask({ type: 'hang_up' }).then(end, end);
    },
    close() {
      socket.terminate();
      for (const { ice, dtls } of [up, down]) {
        dtls.stop().then(
          () => ice.stop(),
          () => {},
        );
      }
    },
  });
  let lastTimestamp = 0;
  down.dtls.onRtp.subscribe(({ payload, header: { timestamp } }: RtpPacket) => {
    const nowMs = performance.now();
    const follows = (timestamp - lastTimestamp) >>> 0 === FRAME_TIMESTAMPS;
    lastTimestamp = timestamp;
    if (isDtx(payload)) return;
    // The agent was silent before it.
    if (!follows) caller.turn.lastMs = caller.emptyAtMs = nowMs;
    caller.received(nowMs);
  });
  socket.on('close', () => caller.end());
  await ask({ type: 'play' });
  caller.start();
  return caller;
}

let noise: Buffer[] | null = null;

function noisePackets(): Buffer[] {
  noise ??= packetsOf(lineNoise());
  return noise;
}

/** Opens the socket of `shared/web-signalling.ts`. */
async function openSignalling(url: string) {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  const asked = new Map<number | null, { resolve(data: Record<string, unknown>): void; reject(error: Error): void }>();
  let lastId = 0;
  const ask = (message: object) =>
    new Promise<Record<string, unknown>>((resolve, reject) => {
      const id = ++lastId;
      asked.set(id, { resolve, reject });
      socket.send(JSON.stringify({ id, ...message }));
    });
  const ready = await new Promise<Extract<ToBrowser, { type: 'ready' }>>((resolve, reject) => {
    socket.on('message', (text: Buffer) => {
      const message = JSON.parse(text.toString()) as ToBrowser;
      if (message.type === 'ready') resolve(message);
      else if (message.type === 'response') asked.get(message.id)?.resolve(message.data);
      else if (message.type === 'error') asked.get(message.id)?.reject(new Error(message.message));
    });
    socket.on('error', reject);
    socket.on('close', (code) => {
      const closed = new Error(`the engine closed the call with ${code}`);
      reject(closed);
      for (const each of asked.values()) each.reject(closed);
    });
  });
  return { socket, ready, ask };
}

/** Prepares a transport to one of mediasoup, which is ICE lite and DTLS's server. */
async function openTransport(description: TransportDescription): Promise<SecureTransport> {
  const { usernameFragment, password } = description.ice_parameters as Record<string, string>;
  const { fingerprints } = description.dtls_parameters as { fingerprints: { algorithm: string; value: string }[] };
  const certificate = await RTCDtlsTransport.SetupCertificate();
  const gatherer = new RTCIceGatherer({ useIpv6: false, additionalHostAddresses: ['127.0.0.1'] });
  const ice = new RTCIceTransport(gatherer);
  ice.connection.iceControlling = true;
  ice.setRemoteParams({ iceLite: true, usernameFragment: usernameFragment!, password: password! });
  await gatherer.gather();
  for (const each of description.ice_candidates as Record<string, string | number>[]) {
    if (each.protocol !== 'udp') continue;
    const { foundation, address, port, priority } = each;
    await ice.addRemoteCandidate(
      new IceCandidate(1, String(foundation), String(address), Number(port), Number(priority), 'udp', 'host'),
    );
  }
  const dtls = new RTCDtlsTransport({}, ice, certificate, SRTP_PROFILES);
  dtls.role = 'client';
  const remote = fingerprints.map(({ algorithm, value }) => new RTCDtlsFingerprint(algorithm, value));
  dtls.setRemoteParams(new RTCDtlsParameters(remote, 'server'));
  return { ice, dtls };
}
