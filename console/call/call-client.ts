import { Device } from 'mediasoup-client';
import type { Consumer, Producer, Transport, TransportOptions } from 'mediasoup-client/types';
import type { ToBrowser, TransportDescription } from '../../shared/web-signalling.ts';
import { openSignalling, type Signalling, type Unnumbered } from './signalling.ts';

/**
 * One call of this browser: the engine's messages (`shared/web-signalling.ts`) on one side, mediasoup-client on the other. Knows
 * nothing of pages: the console and the embedded button both stand on it.
 */

export type CallNews =
  | { type: 'connecting' }
  /** The agent can be heard, and hears. Told again after a break. */
  | { type: 'talking' }
  /** The line broke; it is tried for 15 seconds. */
  | { type: 'reconnecting' }
  | { type: 'agent_sound'; track: MediaStreamTrack }
  | { type: 'words'; role: 'user' | 'agent'; text: string; final: boolean; at_ms: number }
  /** The last news. `reason` as in the call's record, or one of ours: `connection lost`, `could not connect`. */
  | { type: 'ended'; reason: string };

export interface CallOptions {
  /** `session.url` of `POST /agents/{agent_id}/web-call`. */
  url: string;
  iceServers?: RTCIceServer[];
  /** Of the microphone. Stays the caller's: it is not stopped here. */
  track: MediaStreamTrack;
  onNews(news: CallNews): void;
}

export interface BrowserCall {
  mute(muted: boolean): void;
  /** One of `0123456789*#`. */
  press(digit: string): void;
  /** Another microphone. */
  speakWith(track: MediaStreamTrack): Promise<void>;
  hangUp(): void;
}

const BACK_WITHIN_MS = 15_000;
const SETUP_WITHIN_MS = 20_000;
/** A line that is away for so long is not going to come back by itself. */
const PATIENCE_MS = 1_500;
const GOODBYE_WITHIN_MS = 1_500;

export function startCall({ url, iceServers = [], track, onNews }: CallOptions): BrowserCall {
  let line: Signalling | null = null;
  let device: Device | null = null;
  let send: Transport | null = null;
  let receive: Transport | null = null;
  let producer: Producer | null = null;
  let consumer: Consumer | null = null;
  let state: 'connecting' | 'talking' | 'reconnecting' | 'over' = 'connecting';
  let brokenTimer: ReturnType<typeof setTimeout> | undefined;
  let patience: ReturnType<typeof setTimeout> | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let mending = false;
  let muted = false;

  const setupTimer = setTimeout(() => end('could not connect'), SETUP_WITHIN_MS);
  // A page that goes away says so, or the engine would wait for it to come back.
  const leave = () => line?.tell({ type: 'hang_up' });
  const backOnline = () => {
    if (state === 'reconnecting') mend();
  };
  addEventListener('pagehide', leave);
  addEventListener('online', backOnline);

  onNews({ type: 'connecting' });
  connect();

  return {
    mute(wanted) {
      muted = wanted;
      if (wanted) producer?.pause();
      else producer?.resume();
      line?.tell({ type: 'mute', muted: wanted });
    },
    press(digit) {
      if (state === 'talking') line?.tell({ type: 'digit', digit });
    },
    async speakWith(other) {
      track = other;
      await producer?.replaceTrack({ track: other });
    },
    hangUp() {
      if (state === 'over') return;
      leave();
      // The engine says the last word; when it does not, we do.
      if (state === 'talking') setTimeout(() => end('caller hung up'), GOODBYE_WITHIN_MS);
      else end('caller hung up');
    },
  };

  function connect(): void {
    const own = openSignalling(url, {
      message: (message) => {
        if (line === own) void take(message);
      },
      lost: () => {
        if (line === own) lost();
      },
    });
    line = own;
  }

  async function take(message: ToBrowser): Promise<void> {
    if (state === 'over') return;
    switch (message.type) {
      case 'ready':
        try {
          if (device && message.resumed) await restartIce();
          else if (device) end('connection lost');
          else await setUp(message);
        } catch {
          if (!producer || !consumer) end('could not connect');
          else lost();
        }
        return;
      case 'words': {
        const { role, text, final, at_ms } = message;
        onNews({ type: 'words', role, text, final, at_ms });
        return;
      }
      case 'ended':
        end(message.reason);
    }
  }

  async function setUp(ready: Extract<ToBrowser, { type: 'ready' }>): Promise<void> {
    const made = new Device();
    device = made;
    await made.load({ routerRtpCapabilities: ready.rtp_capabilities as never });
    send = made.createSendTransport(asOptions(ready.send, iceServers));
    receive = made.createRecvTransport(asOptions(ready.receive, iceServers));
    for (const [transport, direction] of [
      [send, 'send'],
      [receive, 'receive'],
    ] as const) {
      transport.on('connect', ({ dtlsParameters }, done, failed) => {
        ask({ type: 'connect', direction, dtls_parameters: { ...dtlsParameters } }).then(() => done(), failed);
      });
      transport.on('connectionstatechange', watch);
    }
    send.on('produce', ({ rtpParameters }, done, failed) => {
      ask({ type: 'send', rtp_parameters: { ...rtpParameters } }).then(
        ({ producer_id }) => done({ id: String(producer_id) }),
        failed,
      );
    });
    producer = await send.produce({
      track,
      stopTracks: false,
      zeroRtpOnPause: false,
      // What was lost is sent again when the engine asks for it (NACK): mediasoup-client takes that out unless it is told so.
      codecOptions: { opusStereo: false, opusFec: true, opusDtx: true, opusPtime: 20, opusNack: true },
    });
    if (muted) producer.pause();
    const heard = await ask({ type: 'receive', rtp_capabilities: { ...made.recvRtpCapabilities } });
    consumer = await receive.consume({
      id: String(heard.consumer_id),
      producerId: String(heard.producer_id),
      kind: 'audio',
      rtpParameters: heard.rtp_parameters as never,
    });
    if (isOver()) return;
    onNews({ type: 'agent_sound', track: consumer.track });
    await ask({ type: 'play' });
    if (muted) line?.tell({ type: 'mute', muted });
    talking();
  }

  /** Asked again: another word of the type checker's would take `state` for what it was before the wait. */
  function isOver(): boolean {
    return state === 'over';
  }

  function ask(request: Unnumbered): Promise<Record<string, unknown>> {
    return line ? line.ask(request) : Promise.reject(new Error('no line'));
  }

  function talking(): void {
    if (state === 'over') return;
    clearTimeout(setupTimer);
    clearTimeout(brokenTimer);
    brokenTimer = undefined;
    state = 'talking';
    onNews({ type: 'talking' });
  }

  function broken(): void {
    if (state === 'over' || state === 'reconnecting') return;
    state = 'reconnecting';
    brokenTimer = setTimeout(() => end('connection lost'), BACK_WITHIN_MS);
    onNews({ type: 'reconnecting' });
  }

  /** The socket is gone. */
  function lost(): void {
    line?.close();
    line = null;
    if (state === 'over') return;
    if (!producer || !consumer) {
      end('could not connect');
      return;
    }
    broken();
    clearTimeout(retry);
    retry = setTimeout(connect, 500);
  }

  /** Sound takes another way than messages: each can break alone. */
  function watch(): void {
    const states = [send?.connectionState, receive?.connectionState];
    clearTimeout(patience);
    if (states.includes('failed')) mend();
    else if (states.includes('disconnected')) patience = setTimeout(mend, PATIENCE_MS);
    else if (state === 'reconnecting' && line && states.every((each) => each === 'connected')) talking();
  }

  function mend(): void {
    if (state === 'over' || !producer || !consumer) return;
    broken();
    if (!line) return;
    restartIce().catch(() => lost());
  }

  async function restartIce(): Promise<void> {
    if (mending) return;
    mending = true;
    try {
      for (const [transport, direction] of [
        [send, 'send'],
        [receive, 'receive'],
      ] as const) {
        const { ice_parameters } = await ask({ type: 'restart_ice', direction });
        await transport?.restartIce({ iceParameters: ice_parameters as never });
      }
    } finally {
      mending = false;
    }
    watch();
  }

  function end(reason: string): void {
    if (state === 'over') return;
    state = 'over';
    for (const timer of [setupTimer, brokenTimer, patience, retry]) clearTimeout(timer);
    removeEventListener('pagehide', leave);
    removeEventListener('online', backOnline);
    consumer?.close();
    producer?.close();
    receive?.close();
    send?.close();
    line?.close();
    onNews({ type: 'ended', reason });
  }
}

/** mediasoup's own words, without a check: they are the engine's for the library. */
function asOptions(described: TransportDescription, iceServers: RTCIceServer[]): TransportOptions {
  return {
    id: described.id,
    iceParameters: described.ice_parameters as never,
    iceCandidates: described.ice_candidates as never,
    dtlsParameters: described.dtls_parameters as never,
    iceServers,
  };
}
