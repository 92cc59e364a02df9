import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { networkInterfaces } from 'node:os';
import { dirname, join } from 'node:path';
import type { types as mediasoup } from 'mediasoup';
import type { Clock, Timer } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import type { TransportDescription } from '../../shared/web-signalling.ts';
import { OPUS_CLOCK_RATE } from '../audio/opus.ts';
import type { WebConnection, WebConnectionListener, WebMedia } from './web-connection.ts';
import { findWorker } from './worker-file.ts';

/**
 * Browsers' media through mediasoup: one worker process with one UDP port (and TCP port of the same number, for networks
 * without UDP) for all calls. Each call has a transport for each direction and a DirectTransport, where whole RTP
 * packets come out and go in: https://mediasoup.org/documentation/v3/mediasoup/api/#DirectTransport
 */
export interface BrowserMediaOptions {
  /** The address of the port; every one (`0.0.0.0`) needs `announced`, or this machine's first address is announced. */
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** What browsers are told instead of `host`: an address, or a name. */
  announced: string;
  clock: Clock;
  log: Logger;
  /** The worker program; found by itself where not given. */
  workerFile?: string;
}

const RESTART_MS = [500, 1_000, 2_000, 5_000, 10_000, 30_000];
/** A worker that lived so long was no bad start. */
const LIVED_MS = 60_000;
/** A browser that moved to another network is told dead after this, and asks for an ICE restart meanwhile. */
const ICE_CONSENT_SECONDS = 20;
/** 48 kbit/s upwards is more than Opus needs for speech. */
const MOST_INCOMING_BITS_PER_SECOND = 128_000;
const AGENT_PAYLOAD_TYPE = 100;

const OPUS: mediasoup.RouterRtpCodecCapability = {
  kind: 'audio',
  mimeType: 'audio/opus',
  clockRate: OPUS_CLOCK_RATE,
  channels: 2,
  preferredPayloadType: AGENT_PAYLOAD_TYPE,
  // A lost packet is asked for again: the jitter buffer waits that long where the network is near.
  rtcpFeedback: [{ type: 'nack' }, { type: 'transport-cc' }],
  parameters: { minptime: 20, useinbandfec: 1, usedtx: 1 },
};

interface Ground {
  worker: mediasoup.Worker;
  server: mediasoup.WebRtcServer;
  router: mediasoup.Router;
}

/** Starts nothing yet: the worker comes with the first call. */
export function createBrowserMedia(options: BrowserMediaOptions): WebMedia {
  const { clock, log } = options;
  const require = createRequire(import.meta.url);
  const connections = new Set<{ died(): void }>();
  let ground: Promise<Ground> | null = null;
  let missing: string | null = null;
  let closed = false;
  let failures = 0;
  let waiting: Timer | null = null;
  let library: typeof import('mediasoup') | null = null;
  let workerFile: string | null = null;

  try {
    const packageMain = require.resolve('mediasoup');
    // node/lib/index.js is its main file; the library itself is loaded with the first call.
    const described = readFileSync(join(dirname(packageMain), '../../package.json'), 'utf8');
    workerFile = options.workerFile ?? findWorker((JSON.parse(described) as { version: string }).version, packageMain);
  } catch (error) {
    missing = `mediasoup is not installed: ${errorText(error).split('\n')[0]}`;
  }
  if (missing === null && workerFile === null) missing = "mediasoup's worker is not on this machine (make browser)";

  async function start(): Promise<Ground> {
    library ??= require('mediasoup') as typeof import('mediasoup');
    const startedMs = clock.now();
    const worker = await deafToSignals(() => library!.createWorker({ logLevel: 'warn', workerBin: workerFile! }));
    try {
      const announcedAddress = options.announced || (options.host === '0.0.0.0' ? firstAddress() : undefined);
      const listen = {
        ip: options.host,
        ...(announcedAddress === undefined ? {} : { announcedAddress }),
        ...(options.port === 0 ? {} : { port: options.port }),
      };
      const server = await worker.createWebRtcServer({
        listenInfos: [
          { protocol: 'udp', ...listen },
          { protocol: 'tcp', ...listen },
        ],
      });
      const router = await worker.createRouter({ mediaCodecs: [OPUS] });
      // Dead, or closed by somebody else: either way it carries nothing any more.
      worker.observer.once('close', () => gone(clock.now() - startedMs));
      log.info({ worker_pid: worker.pid }, "the process that carries browsers' sound is ready");
      return { worker, server, router };
    } catch (error) {
      worker.close();
      throw error;
    }
  }

  function begin(): Promise<Ground> {
    const starting = start();
    ground = starting;
    starting.then(
      () => {
        missing = null;
        if (closed) void starting.then(({ worker }) => worker.close());
      },
      (error: unknown) => {
        log.error({ error: errorText(error) }, "the process that carries browsers' sound could not be started");
        again();
      },
    );
    return starting;
  }

  /** The worker died: its calls end, and the next one is started. */
  function gone(livedMs: number): void {
    if (closed) return;
    if (livedMs >= LIVED_MS) failures = 0;
    log.error(
      { calls: connections.size, lived_ms: Math.round(livedMs) },
      "the process that carries browsers' sound died",
    );
    for (const connection of [...connections]) connection.died();
    connections.clear();
    again();
  }

  function again(): void {
    ground = null;
    missing = "the process that carries browsers' sound is being started again";
    if (closed) return;
    const waitMs = RESTART_MS[Math.min(failures++, RESTART_MS.length - 1)]!;
    waiting?.cancel();
    waiting = clock.after(waitMs, () => {
      waiting = null;
      if (!closed) begin().catch(() => {});
    });
  }

  return {
    get missing() {
      return missing;
    },
    async open() {
      if (closed || (missing !== null && ground === null)) throw new Error(missing ?? 'closed');
      const { server, router } = await (ground ?? begin());
      const connection = await connect(router, server, () => connections.delete(life));
      const life = { died: () => connection.died() };
      connections.add(life);
      return connection;
    },
    async close() {
      if (closed) return;
      closed = true;
      waiting?.cancel();
      const now = await ground?.catch(() => null);
      now?.worker.close();
    },
  };
}

async function connect(
  router: mediasoup.Router,
  webRtcServer: mediasoup.WebRtcServer,
  onClose: () => void,
): Promise<WebConnection & { died(): void }> {
  const ice = { webRtcServer, preferUdp: true, iceConsentTimeout: ICE_CONSENT_SECONDS };
  const [send, receive, direct] = await Promise.all([
    router.createWebRtcTransport(ice),
    router.createWebRtcTransport(ice),
    router.createDirectTransport(),
  ]);
  await send.setMaxIncomingBitrate(MOST_INCOMING_BITS_PER_SECOND);
  const ssrc = 1 + Math.floor(Math.random() * 0xffff_fffe);
  const agent = await direct.produce({
    kind: 'audio',
    rtpParameters: {
      codecs: [
        {
          mimeType: 'audio/opus',
          payloadType: AGENT_PAYLOAD_TYPE,
          clockRate: OPUS_CLOCK_RATE,
          channels: 2,
          parameters: { useinbandfec: 1, usedtx: 1 },
        },
      ],
      encodings: [{ ssrc, dtx: true }],
    },
  });
  let listener: WebConnectionListener | null = null;
  let producing = false;
  let consumer: mediasoup.Consumer | null = null;
  let consuming = false;
  let closed = false;
  const transports = { send, receive };

  return {
    rtpCapabilities: router.rtpCapabilities as unknown as Record<string, unknown>,
    send: describe(send),
    receive: describe(receive),
    agentStream: { payloadType: AGENT_PAYLOAD_TYPE, ssrc },
    async connect(direction, dtlsParameters) {
      await transports[direction].connect({ dtlsParameters: dtlsParameters as unknown as mediasoup.DtlsParameters });
    },
    async startSending(rtpParameters) {
      if (producing) throw new Error('it sends already');
      producing = true;
      try {
        const producer = await send.produce({
          kind: 'audio',
          rtpParameters: rtpParameters as unknown as mediasoup.RtpParameters,
        });
        const heard = await direct.consume({ producerId: producer.id, rtpCapabilities: router.rtpCapabilities });
        heard.on('rtp', (packet) => listener?.rtp(packet));
        return { producer_id: producer.id };
      } catch (error) {
        producing = false;
        throw error;
      }
    },
    async startReceiving(rtpCapabilities) {
      if (consuming) throw new Error('it receives already');
      consuming = true;
      try {
        consumer = await receive.consume({
          producerId: agent.id,
          rtpCapabilities: rtpCapabilities as unknown as mediasoup.RtpCapabilities,
          paused: true,
          // The worker keeps what it sent and sends it again when the browser misses it: left out for sound unless it is asked
          // for. There is no second stream for it (RFC 4588), the same packet goes out once more.
          enableRtx: true,
        });
      } catch (error) {
        consuming = false;
        throw error;
      }
      return {
        consumer_id: consumer.id,
        producer_id: agent.id,
        rtp_parameters: consumer.rtpParameters as unknown as Record<string, unknown>,
      };
    },
    async play() {
      if (!consumer) throw new Error('it receives nothing yet');
      await consumer.resume();
    },
    async restartIce(direction) {
      return (await transports[direction].restartIce()) as unknown as Record<string, unknown>;
    },
    sendRtp(packet) {
      // `send` copies what it is given, takes nothing but a Buffer, and throws when the worker is gone.
      if (!closed && !agent.closed) agent.send(packet as Buffer);
    },
    async quality() {
      const stats = closed ? undefined : (await consumer?.getStats())?.find(({ type }) => type === 'outbound-rtp');
      if (!stats) return null;
      return { roundTripMs: stats.roundTripTime ?? 0, lossPercent: (stats.fractionLost / 256) * 100 };
    },
    listen(given) {
      listener = given;
    },
    died() {
      if (closed) return;
      closed = true;
      listener?.died();
    },
    close() {
      if (closed) return;
      closed = true;
      onClose();
      for (const transport of [send, receive, direct]) transport.close();
    },
  };
}

/**
 * mediasoup closes its worker when this process is told to end (SIGTERM, SIGINT). Calls go on for a while then, and the worker is
 * closed behind the last one: what the library listens with is taken away again.
 */
function deafToSignals<Result>(start: () => Result): Result {
  const signals = ['SIGTERM', 'SIGINT'] as const;
  const before = signals.map((signal) => new Set(process.listeners(signal)));
  const result = start();
  for (const [at, signal] of signals.entries()) {
    for (const listener of process.listeners(signal)) {
      if (!before[at]!.has(listener)) process.removeListener(signal, listener);
    }
  }
  return result;
}

function describe(transport: mediasoup.WebRtcTransport): TransportDescription {
  const { id, iceParameters, iceCandidates, dtlsParameters } = transport;
  return {
    id,
    ice_parameters: { ...iceParameters },
    ice_candidates: iceCandidates.map((candidate) => ({ ...candidate })),
    dtls_parameters: { ...dtlsParameters },
  };
}

function firstAddress(): string | undefined {
  for (const addresses of Object.values(networkInterfaces())) {
    for (const { family, internal, address } of addresses ?? []) if (family === 'IPv4' && !internal) return address;
  }
  return undefined;
}
