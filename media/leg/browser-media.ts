import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { networkInterfaces } from 'node:os';
import { dirname, join } from 'node:path';
import type { types as mediasoup } from 'mediasoup';
import type { Clock, Timer } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import type { TransportDescription } from '../../shared/web-signalling.ts';
import { OPUS_CLOCK_RATE } from '../audio/opus.ts';
import type { BrowserConnection, BrowserConnectionListener, BrowserMedia } from './browser-connection.ts';
import { findMediasoupWorker } from './mediasoup-worker.ts';

/**
 * Browsers' media over mediasoup: one worker process with one UDP port (and the TCP port of the same number, for networks
 * without UDP) for all calls. Each call has a transport per direction and a DirectTransport, which passes whole RTP packets
 * to and from this process: https://mediasoup.org/documentation/v3/mediasoup/api/#DirectTransport
 */
export interface BrowserMediaOptions {
  /** The address to listen on. For `0.0.0.0` the machine's first address is announced unless `announcedAddress` is given. */
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** An address or name announced to browsers instead of `host`; empty: `host`. */
  announcedAddress: string;
  clock: Clock;
  log: Logger;
  /** The worker program; searched for when not given. A function is asked again while it returns null. */
  workerFile?: string | (() => string | null);
}

const WORKER_MISSING = "mediasoup's worker is not on this machine (make browser)";
const RESTART_BACKOFF_MS = [500, 1_000, 2_000, 5_000, 10_000, 30_000];
/** A worker that ran for this long resets the backoff. */
const STABLE_AFTER_MS = 60_000;
/** Without ICE consent for this long a browser is disconnected; on a change of network it asks for an ICE restart before. */
const ICE_CONSENT_SECONDS = 20;
/** Well above what Opus needs for speech. */
const MAX_INCOMING_BITS_PER_SECOND = 128_000;
const AGENT_PAYLOAD_TYPE = 100;

const OPUS: mediasoup.RouterRtpCodecCapability = {
  kind: 'audio',
  mimeType: 'audio/opus',
  clockRate: OPUS_CLOCK_RATE,
  channels: 2,
  preferredPayloadType: AGENT_PAYLOAD_TYPE,
  // Lost packets are requested again; the jitter buffer waits long enough for them on a near network.
  rtcpFeedback: [{ type: 'nack' }, { type: 'transport-cc' }],
  parameters: { minptime: 20, useinbandfec: 1, usedtx: 1 },
};

interface MediasoupInstance {
  worker: mediasoup.Worker;
  server: mediasoup.WebRtcServer;
  router: mediasoup.Router;
}

/** Creates browser media; the worker is started with the first call. */
export function createBrowserMedia(options: BrowserMediaOptions): BrowserMedia {
  const { clock, log } = options;
  const require = createRequire(import.meta.url);
  const connections = new Set<{ died(): void }>();
  let instance: Promise<MediasoupInstance> | null = null;
  let unavailableReason: string | null = null;
  let closed = false;
  let failures = 0;
  let restartTimer: Timer | null = null;
  let library: typeof import('mediasoup') | null = null;
  let workerFile: string | null = null;
  let findWorker: () => string | null = () => null;

  try {
    const packageMain = require.resolve('mediasoup');
    // The package's main file is node/lib/index.js; the library itself is loaded with the first call.
    const described = readFileSync(join(dirname(packageMain), '../../package.json'), 'utf8');
    const { version } = JSON.parse(described) as { version: string };
    const { workerFile: given = () => findMediasoupWorker(version, packageMain) } = options;
    findWorker = typeof given === 'string' ? () => given : given;
    workerFile = findWorker();
  } catch (error) {
    unavailableReason = `mediasoup is not installed: ${errorText(error).split('\n')[0]}`;
  }
  if (unavailableReason === null && workerFile === null) unavailableReason = WORKER_MISSING;

  /** The worker may be built while the engine runs. */
  function lookForWorker(): void {
    if (unavailableReason !== WORKER_MISSING) return;
    workerFile = findWorker();
    if (workerFile !== null) unavailableReason = null;
  }

  async function start(): Promise<MediasoupInstance> {
    library ??= require('mediasoup') as typeof import('mediasoup');
    const startedMs = clock.now();
    const worker = await withoutSignalListeners(() =>
      library!.createWorker({ logLevel: 'warn', workerBin: workerFile! }),
    );
    try {
      const announcedAddress =
        options.announcedAddress || (options.host === '0.0.0.0' ? firstExternalAddress() : undefined);
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
      // Emitted when the worker died, and when something else closed it.
      worker.observer.once('close', () => onWorkerClosed(clock.now() - startedMs));
      log.info({ worker_pid: worker.pid }, 'mediasoup worker ready');
      return { worker, server, router };
    } catch (error) {
      worker.close();
      throw error;
    }
  }

  function startInstance(): Promise<MediasoupInstance> {
    const starting = start();
    instance = starting;
    starting.then(
      () => {
        unavailableReason = null;
        if (closed) void starting.then(({ worker }) => worker.close());
      },
      (error: unknown) => {
        log.error({ error: errorText(error) }, 'mediasoup worker could not be started');
        scheduleRestart();
      },
    );
    return starting;
  }

  /** Ends the worker's calls and starts another one. */
  function onWorkerClosed(livedMs: number): void {
    if (closed) return;
    if (livedMs >= STABLE_AFTER_MS) failures = 0;
    log.error({ calls: connections.size, lived_ms: Math.round(livedMs) }, 'mediasoup worker died');
    for (const connection of [...connections]) connection.died();
    connections.clear();
    scheduleRestart();
  }

  function scheduleRestart(): void {
    instance = null;
    unavailableReason = 'the mediasoup worker is being restarted';
    if (closed) return;
    const waitMs = RESTART_BACKOFF_MS[Math.min(failures++, RESTART_BACKOFF_MS.length - 1)]!;
    restartTimer?.cancel();
    restartTimer = clock.after(waitMs, () => {
      restartTimer = null;
      if (!closed) startInstance().catch(() => {});
    });
  }

  return {
    get unavailableReason() {
      lookForWorker();
      return unavailableReason;
    },
    async open() {
      lookForWorker();
      if (closed || (unavailableReason !== null && instance === null)) throw new Error(unavailableReason ?? 'closed');
      const { server, router } = await (instance ?? startInstance());
      const connection = await openConnection(router, server, () => connections.delete(life));
      const life = { died: () => connection.died() };
      connections.add(life);
      return connection;
    },
    async close() {
      if (closed) return;
      closed = true;
      restartTimer?.cancel();
      const now = await instance?.catch(() => null);
      now?.worker.close();
    },
  };
}

async function openConnection(
  router: mediasoup.Router,
  webRtcServer: mediasoup.WebRtcServer,
  onClose: () => void,
): Promise<BrowserConnection & { died(): void }> {
  const ssrc = 1 + Math.floor(Math.random() * 0xffff_fffe);
  const { send, receive, direct, agent } = await openTransports(router, webRtcServer, ssrc);
  let listener: BrowserConnectionListener | null = null;
  let producing = false;
  let consumer: mediasoup.Consumer | null = null;
  let consuming = false;
  let closed = false;
  const transports = { send, receive };

  return {
    rtpCapabilities: router.rtpCapabilities as unknown as Record<string, unknown>,
    send: describeTransport(send),
    receive: describeTransport(receive),
    agentStream: { payloadType: AGENT_PAYLOAD_TYPE, ssrc },
    async connect(direction, dtlsParameters) {
      await transports[direction].connect({ dtlsParameters: dtlsParameters as unknown as mediasoup.DtlsParameters });
    },
    async startSending(rtpParameters) {
      if (producing) throw new Error('the browser sends already');
      producing = true;
      try {
        const producer = await send.produce({
          kind: 'audio',
          rtpParameters: rtpParameters as unknown as mediasoup.RtpParameters,
        });
        const callerAudio = await direct.consume({ producerId: producer.id, rtpCapabilities: router.rtpCapabilities });
        callerAudio.on('rtp', (packet) => listener?.rtp(packet));
        return { producer_id: producer.id };
      } catch (error) {
        producing = false;
        throw error;
      }
    },
    async startReceiving(rtpCapabilities) {
      if (consuming) throw new Error('the browser receives already');
      consuming = true;
      try {
        consumer = await receive.consume({
          producerId: agent.id,
          rtpCapabilities: rtpCapabilities as unknown as mediasoup.RtpCapabilities,
          paused: true,
          // Retransmission of lost packets, which mediasoup leaves out for audio by default. There is no RTX stream (RFC 4588):
          // the same packet is sent again.
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
      if (!consumer) throw new Error('the browser does not receive yet');
      await consumer.resume();
    },
    async restartIce(direction) {
      return (await transports[direction].restartIce()) as unknown as Record<string, unknown>;
    },
    sendRtp(packet) {
      // `send` copies the packet, requires a Buffer, and throws when the worker is closed.
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

/** A call's transports, and the producer of the agent's audio. What is open already is closed again when the rest fails. */
async function openTransports(router: mediasoup.Router, webRtcServer: mediasoup.WebRtcServer, ssrc: number) {
  const ice = { webRtcServer, preferUdp: true, iceConsentTimeout: ICE_CONSENT_SECONDS };
  const opening = [
    router.createWebRtcTransport(ice),
    router.createWebRtcTransport(ice),
    router.createDirectTransport(),
  ] as const;
  try {
    const [send, receive, direct] = await Promise.all(opening);
    await send.setMaxIncomingBitrate(MAX_INCOMING_BITS_PER_SECOND);
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
    return { send, receive, direct, agent };
  } catch (error) {
    for (const opened of await Promise.allSettled(opening)) if (opened.status === 'fulfilled') opened.value.close();
    throw error;
  }
}

/**
 * Runs `start` and removes the signal listeners it added: mediasoup closes its worker on SIGTERM and SIGINT, but calls go on
 * while the engine drains.
 */
function withoutSignalListeners<Result>(start: () => Result): Result {
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

function describeTransport(transport: mediasoup.WebRtcTransport): TransportDescription {
  const { id, iceParameters, iceCandidates, dtlsParameters } = transport;
  return {
    id,
    ice_parameters: { ...iceParameters },
    ice_candidates: iceCandidates.map((candidate) => ({ ...candidate })),
    dtls_parameters: { ...dtlsParameters },
  };
}

function firstExternalAddress(): string | undefined {
  for (const addresses of Object.values(networkInterfaces())) {
    for (const { family, internal, address } of addresses ?? []) if (family === 'IPv4' && !internal) return address;
  }
  return undefined;
}
