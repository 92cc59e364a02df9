import { Device } from 'mediasoup-client';
import type { Consumer, Producer, Transport, TransportOptions } from 'mediasoup-client/types';
import type { TranscriptRole } from '../../shared/transcript.ts';
import type { ToBrowser, TransportDescription } from '../../shared/web-signalling.ts';
import { createToolAnswers, type OnToolCall } from './page-tools.ts';
import { openSignalling, type Signalling, type UnnumberedRequest } from './signalling.ts';

/**
 * One call of this browser: connects the engine's signalling (`shared/web-signalling.ts`) with mediasoup-client. It is used by
 * the console and by the embedded button.
 */

export type CallEvent =
  | { type: 'connecting' }
  /** Audio flows in both directions; emitted again after a reconnect. */
  | { type: 'talking' }
  /** The connection broke; reconnecting is tried for 15 seconds. */
  | { type: 'reconnecting' }
  /** The engine has not answered for some seconds; `talking` or `reconnecting` follows. */
  | { type: 'interrupted' }
  | { type: 'agent_audio'; track: MediaStreamTrack }
  | { type: 'transcript'; role: TranscriptRole; text: string; final: boolean; interrupted: boolean; at_ms: number }
  /** The last event. `reason` is that of the call's record, or the client's own `connection lost` or `could not connect`. */
  | { type: 'ended'; reason: string };

export interface CallOptions {
  /** `session.url` of `POST /agents/{agent_id}/web-call`. */
  url: string;
  iceServers?: RTCIceServer[];
  /** The microphone's track; it is never stopped here. Null: only to listen. */
  track: MediaStreamTrack | null;
  onEvent(event: CallEvent): void;
  /** Runs the agent's tools of kind `client`. */
  onToolCall?: OnToolCall | undefined;
}

export interface BrowserCall {
  mute(muted: boolean): void;
  /** One of `0123456789*#`. */
  sendDigit(digit: string): void;
  /** Replaces the track of the microphone. */
  replaceMicrophone(track: MediaStreamTrack): Promise<void>;
  hangUp(): void;
}

const RECONNECT_TIMEOUT_MS = 15_000;
const SETUP_TIMEOUT_MS = 20_000;
/** ICE often recovers from `disconnected` within this time; after it ICE is restarted. */
const DISCONNECTED_GRACE_MS = 1_500;
const HANG_UP_TIMEOUT_MS = 1_500;
const PING_EVERY_MS = 2_000;
/** Without an answer for so long the person is told, and after the second time another socket is tried. */
const INTERRUPTED_AFTER_MS = 4_000;
const LOST_AFTER_MS = 10_000;

export function startCall({ url, iceServers = [], track, onEvent, onToolCall }: CallOptions): BrowserCall {
  const answerTool = createToolAnswers(onToolCall);
  let signalling: Signalling | null = null;
  let device: Device | null = null;
  let send: Transport | null = null;
  let receive: Transport | null = null;
  let producer: Producer | null = null;
  let consumer: Consumer | null = null;
  let state: 'connecting' | 'talking' | 'reconnecting' | 'over' = 'connecting';
  let reconnectTimer: ReturnType<typeof setTimeout> | undefined;
  let disconnectedTimer: ReturnType<typeof setTimeout> | undefined;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let pingTimer: ReturnType<typeof setTimeout> | undefined;
  /** When the first ping without an answer was sent; null: all have one. */
  let pingedMs: number | null = null;
  let interrupted = false;
  let restartingIce = false;
  let muted = false;

  const setupTimer = setTimeout(() => end('could not connect'), SETUP_TIMEOUT_MS);
  // Without a hang-up the engine would wait for the page to reconnect.
  const sendHangUp = () => signalling?.notify({ type: 'hang_up' });
  const onOnline = () => {
    if (state === 'reconnecting') recover();
  };
  addEventListener('pagehide', sendHangUp);
  addEventListener('online', onOnline);

  onEvent({ type: 'connecting' });
  connect();

  return {
    mute(wanted) {
      muted = wanted;
      if (wanted) producer?.pause();
      else producer?.resume();
      signalling?.notify({ type: 'mute', muted: wanted });
    },
    sendDigit(digit) {
      if (state === 'talking') signalling?.notify({ type: 'digit', digit });
    },
    async replaceMicrophone(other) {
      track = other;
      await producer?.replaceTrack({ track: other });
    },
    hangUp() {
      if (state === 'over') return;
      sendHangUp();
      // The engine's `ended` usually comes first.
      if (state === 'talking') setTimeout(() => end('caller hung up'), HANG_UP_TIMEOUT_MS);
      else end('caller hung up');
    },
  };

  function connect(): void {
    const opened = openSignalling(url, {
      onMessage: (message) => {
        if (signalling === opened) void handleMessage(message);
      },
      onSocketLost: () => {
        if (signalling === opened) onSocketLost();
      },
    });
    signalling = opened;
  }

  async function handleMessage(message: ToBrowser): Promise<void> {
    if (state === 'over') return;
    switch (message.type) {
      case 'ready':
        try {
          if (device && message.resumed) await restartIce();
          else if (device) end('connection lost');
          else await setUp(message);
        } catch {
          if (isUnready()) end('could not connect');
          else onSocketLost();
        }
        return;
      case 'transcript': {
        const { role, text, final, interrupted, at_ms } = message;
        onEvent({ type: 'transcript', role, text, final, interrupted, at_ms });
        return;
      }
      case 'tool_call': {
        const answer = await answerTool(message);
        signalling?.notify({ type: 'tool_result', ...answer });
        return;
      }
      case 'ended':
        end(message.reason);
    }
  }

  async function setUp(ready: Extract<ToBrowser, { type: 'ready' }>): Promise<void> {
    const created = new Device();
    device = created;
    await created.load({ routerRtpCapabilities: ready.rtp_capabilities as never });
    send = created.createSendTransport(transportOptions(ready.send, iceServers));
    receive = created.createRecvTransport(transportOptions(ready.receive, iceServers));
    for (const [transport, direction] of [
      [send, 'send'],
      [receive, 'receive'],
    ] as const) {
      transport.on('connect', ({ dtlsParameters }, done, failed) => {
        request({ type: 'connect', direction, dtls_parameters: { ...dtlsParameters } }).then(() => done(), failed);
      });
      transport.on('connectionstatechange', onConnectionState);
    }
    send.on('produce', ({ rtpParameters }, done, failed) => {
      request({ type: 'send', rtp_parameters: { ...rtpParameters } }).then(
        ({ producer_id }) => done({ id: String(producer_id) }),
        failed,
      );
    });
    if (track) {
      producer = await send.produce({
        track,
        stopTracks: false,
        zeroRtpOnPause: false,
        // mediasoup-client removes NACK for audio unless `opusNack` is set.
        codecOptions: { opusStereo: false, opusFec: true, opusDtx: true, opusPtime: 20, opusNack: true },
      });
      if (muted) producer.pause();
    }
    const consumed = await request({ type: 'receive', rtp_capabilities: { ...created.recvRtpCapabilities } });
    consumer = await receive.consume({
      id: String(consumed.consumer_id),
      producerId: String(consumed.producer_id),
      kind: 'audio',
      rtpParameters: consumed.rtp_parameters as never,
    });
    if (isOver()) return;
    onEvent({ type: 'agent_audio', track: consumer.track });
    await request({ type: 'play' });
    if (muted) signalling?.notify({ type: 'mute', muted });
    onConnected();
  }

  /** A function, because the type checker would narrow `state` to its value before the await. */
  function isOver(): boolean {
    return state === 'over';
  }

  function isUnready(): boolean {
    return consumer === null || (track !== null && producer === null);
  }

  function request(request: UnnumberedRequest): Promise<Record<string, unknown>> {
    return signalling ? signalling.request(request) : Promise.reject(new Error('not connected'));
  }

  function onConnected(): void {
    if (state === 'over') return;
    clearTimeout(setupTimer);
    clearTimeout(reconnectTimer);
    reconnectTimer = undefined;
    state = 'talking';
    onEvent({ type: 'talking' });
    clearTimeout(pingTimer);
    pingedMs = null;
    interrupted = false;
    pingTimer = setTimeout(ping, PING_EVERY_MS);
  }

  /** Asks the engine whether it is there: a frozen one leaves both connections open. */
  function ping(): void {
    if (state !== 'talking' || !signalling) return;
    const nowMs = performance.now();
    if (pingedMs !== null && signalling.lastMessageMs() >= pingedMs) pingedMs = null;
    const silentMs = pingedMs === null ? 0 : nowMs - pingedMs;
    if (silentMs >= LOST_AFTER_MS) {
      onSocketLost();
      return;
    }
    if (silentMs >= INTERRUPTED_AFTER_MS !== interrupted) {
      interrupted = !interrupted;
      onEvent({ type: interrupted ? 'interrupted' : 'talking' });
    }
    pingedMs ??= nowMs;
    signalling.notify({ type: 'ping' });
    pingTimer = setTimeout(ping, interrupted ? PING_EVERY_MS / 4 : PING_EVERY_MS);
  }

  function onBroken(): void {
    if (state === 'over' || state === 'reconnecting') return;
    state = 'reconnecting';
    reconnectTimer = setTimeout(() => end('connection lost'), RECONNECT_TIMEOUT_MS);
    onEvent({ type: 'reconnecting' });
  }

  /** The signalling socket closed. */
  function onSocketLost(): void {
    signalling?.close();
    signalling = null;
    if (state === 'over') return;
    if (isUnready()) {
      end('could not connect');
      return;
    }
    onBroken();
    clearTimeout(retryTimer);
    retryTimer = setTimeout(connect, 500);
  }

  /** Audio and signalling use separate connections; each can break alone. */
  function onConnectionState(): void {
    const states = track ? [send?.connectionState, receive?.connectionState] : [receive?.connectionState];
    clearTimeout(disconnectedTimer);
    if (states.includes('failed')) recover();
    else if (states.includes('disconnected')) disconnectedTimer = setTimeout(recover, DISCONNECTED_GRACE_MS);
    else if (state === 'reconnecting' && signalling && states.every((each) => each === 'connected')) onConnected();
  }

  function recover(): void {
    if (state === 'over' || isUnready()) return;
    onBroken();
    if (!signalling) return;
    restartIce().catch(() => onSocketLost());
  }

  async function restartIce(): Promise<void> {
    if (restartingIce) return;
    restartingIce = true;
    try {
      for (const [transport, direction] of [
        [send, 'send'],
        [receive, 'receive'],
      ] as const) {
        const { ice_parameters } = await request({ type: 'restart_ice', direction });
        await transport?.restartIce({ iceParameters: ice_parameters as never });
      }
    } finally {
      restartingIce = false;
    }
    onConnectionState();
  }

  function end(reason: string): void {
    if (state === 'over') return;
    state = 'over';
    for (const timer of [setupTimer, reconnectTimer, disconnectedTimer, retryTimer, pingTimer]) clearTimeout(timer);
    removeEventListener('pagehide', sendHangUp);
    removeEventListener('online', onOnline);
    consumer?.close();
    producer?.close();
    receive?.close();
    send?.close();
    signalling?.close();
    onEvent({ type: 'ended', reason });
  }
}

/** The engine's transport parameters in mediasoup-client's names, unchecked. */
function transportOptions(described: TransportDescription, iceServers: RTCIceServer[]): TransportOptions {
  return {
    id: described.id,
    iceParameters: described.ice_parameters as never,
    iceCandidates: described.ice_candidates as never,
    dtlsParameters: described.dtls_parameters as never,
    iceServers,
  };
}
