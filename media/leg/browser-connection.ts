import type { TransportDescription } from '../../shared/web-signalling.ts';

/** A browser's WebRTC media, as far as a call needs it; `browser-media.ts` implements it with mediasoup. */
export interface BrowserConnection {
  readonly rtpCapabilities: Record<string, unknown>;
  readonly send: TransportDescription;
  readonly receive: TransportDescription;
  /** RTP header fields of the agent's packets. */
  readonly agentStream: { payloadType: number; ssrc: number };
  /** This and the following methods reject when mediasoup does not accept the browser's parameters. */
  connect(direction: 'send' | 'receive', dtlsParameters: Record<string, unknown>): Promise<void>;
  /** Starts to receive the browser's audio; its packets come through `listen`. Call it once. */
  startSending(rtpParameters: Record<string, unknown>): Promise<{ producer_id: string }>;
  /** Prepares sending to the browser with the capabilities it has. Call it once. */
  startReceiving(rtpCapabilities: Record<string, unknown>): Promise<{
    consumer_id: string;
    producer_id: string;
    rtp_parameters: Record<string, unknown>;
  }>;
  /** Begins to deliver the agent's packets. */
  play(): Promise<void>;
  restartIce(direction: 'send' | 'receive'): Promise<Record<string, unknown>>;
  /** Sends one packet of the agent; the bytes are not kept. */
  sendRtp(packet: Uint8Array): void;
  /** Reads the quality of the path to the browser from its RTCP reports. */
  quality(): Promise<{ roundTripMs: number; lossPercent: number } | null>;
  listen(listener: BrowserConnectionListener): void;
  /** Idempotent. */
  close(): void;
}

export interface BrowserConnectionListener {
  rtp(packet: Uint8Array): void;
  /** The mediasoup worker died. */
  died(): void;
}

/** Opens connections; one per process. */
export interface BrowserMedia {
  /** Why there are no browser calls at present, or null. */
  readonly unavailableReason: string | null;
  open(): Promise<BrowserConnection>;
  close(): Promise<void>;
}
