import type { BrowserContext, WebSocketRoute } from 'playwright-core';
import type { FromBrowser, ToBrowser } from '../../shared/web-signalling.ts';
import { longerTimers } from './longer-timers.ts';

/** An engine with the signalling of browser calls and without audio, for tests of the page. */
export interface FakeEngine {
  /** The browser's messages over all sockets. */
  received: FromBrowser[];
  sockets: number;
  send(message: ToBrowser): void;
  /** Closes the socket with an error. */
  dropSocket(): void;
  /** Closes new sockets at once. */
  unavailable: boolean;
  /** Answers nothing, and leaves all connections open. */
  frozen: boolean;
}

const transport = (id: string) => ({
  id,
  ice_parameters: { usernameFragment: `${id}fragment`, password: 'passwordOfTwentyFourSigns', iceLite: true },
  ice_candidates: [
    {
      ...{ foundation: 'udpcandidate', ip: '127.0.0.1', address: '127.0.0.1', port: 9 },
      ...{ priority: 1_076_302_079, protocol: 'udp', type: 'host' },
    },
  ],
  dtls_parameters: {
    role: 'auto',
    fingerprints: [{ algorithm: 'sha-256', value: Array.from({ length: 32 }, () => '0A').join(':') }],
  },
});

const OPUS = { mimeType: 'audio/opus', clockRate: 48_000, channels: 2, parameters: {}, rtcpFeedback: [] };

/** Hides from the page that there is no ICE peer. */
const ALWAYS_CONNECTED = `for (const name of ['connectionState', 'iceConnectionState']) {
  Object.defineProperty(RTCPeerConnection.prototype, name, { get: () => 'connected' });
}
const { setRemoteDescription } = RTCPeerConnection.prototype;
RTCPeerConnection.prototype.setRemoteDescription = async function (description) {
  await setRemoteDescription.call(this, description);
  setTimeout(() => this.dispatchEvent(new Event('connectionstatechange')));
};`;

/**
 * The deadlines of a request, of the socket and of the whole connection (`console/call/`), and the time that the embedded button
 * shows how a call ended, ten times as long.
 */
const LONG_DEADLINES = longerTimers({ 4000: 40_000, 6000: 60_000, 20000: 200_000 });

export async function installFakeEngine(context: BrowserContext): Promise<FakeEngine> {
  await context.addInitScript(ALWAYS_CONNECTED);
  await context.addInitScript(LONG_DEADLINES);
  let socket: WebSocketRoute | null = null;
  const engine: FakeEngine = {
    received: [],
    sockets: 0,
    unavailable: false,
    frozen: false,
    send: (message) => socket?.send(JSON.stringify(message)),
    dropSocket: () => void socket?.close({ code: 1011 }),
  };
  await context.routeWebSocket(/\/web\//, (opened) => {
    if (engine.unavailable) {
      void opened.close({ code: 1011 });
      return;
    }
    socket = opened;
    engine.sockets += 1;
    opened.onMessage((text) => {
      const message = JSON.parse(String(text)) as FromBrowser;
      engine.received.push(message);
      if (engine.frozen) return;
      engine.send({ type: 'response', id: message.id, data: responseTo(message) });
      if (message.type === 'hang_up') engine.send({ type: 'ended', reason: 'caller hung up' });
    });
    engine.send({
      type: 'ready',
      call_id: '0'.repeat(32),
      resumed: engine.sockets > 1,
      rtp_capabilities: { codecs: [{ kind: 'audio', preferredPayloadType: 100, ...OPUS }], headerExtensions: [] },
      send: transport('up'),
      receive: transport('down'),
    });
  });
  return engine;
}

function responseTo({ type }: FromBrowser): Record<string, unknown> {
  if (type === 'send') return { producer_id: 'producer' };
  if (type === 'restart_ice') return { ice_parameters: transport('new').ice_parameters };
  if (type !== 'receive') return {};
  return {
    consumer_id: 'consumer',
    producer_id: 'agent',
    rtp_parameters: {
      mid: '0',
      codecs: [{ payloadType: 100, ...OPUS }],
      headerExtensions: [],
      encodings: [{ ssrc: 4_711 }],
      rtcp: { cname: 'agent', reducedSize: true },
    },
  };
}
