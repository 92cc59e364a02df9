import type { TransportDescription } from '../../shared/web-signalling.ts';

/** A browser's media, as far as a call needs it: mediasoup's in `browser-media.ts`, a stage's in tests. */
export interface BrowserConnection {
  readonly rtpCapabilities: Record<string, unknown>;
  readonly send: TransportDescription;
  readonly receive: TransportDescription;
  /** How the agent's packets are to be marked. */
  readonly agentStream: { payloadType: number; ssrc: number };
  /** All of these reject when what the browser said makes no sense. */
  connect(direction: 'send' | 'receive', dtlsParameters: Record<string, unknown>): Promise<void>;
  /** The browser sends so; its packets come through `listen`. Once. */
  startSending(rtpParameters: Record<string, unknown>): Promise<{ producer_id: string }>;
  /** The browser can receive so. Once. */
  startReceiving(rtpCapabilities: Record<string, unknown>): Promise<{
    consumer_id: string;
    producer_id: string;
    rtp_parameters: Record<string, unknown>;
  }>;
  /** The agent's packets reach the browser from now on. */
  play(): Promise<void>;
  restartIce(direction: 'send' | 'receive'): Promise<Record<string, unknown>>;
  /** One of the agent's packets; the bytes are not kept. */
  sendRtp(packet: Uint8Array): void;
  /** What the browser's reports say of the way to it. */
  quality(): Promise<{ roundTripMs: number; lossPercent: number } | null>;
  listen(listener: BrowserConnectionListener): void;
  /** Idempotent. */
  close(): void;
}

export interface BrowserConnectionListener {
  rtp(packet: Uint8Array): void;
  /** The process that carries the packets is gone. */
  died(): void;
}

/** What makes such connections: one per process. */
export interface BrowserMedia {
  /** Why there are no browser calls now, or null. */
  readonly unavailableReason: string | null;
  open(): Promise<BrowserConnection>;
  close(): Promise<void>;
}
