import { z } from 'zod';
import { type ToolCallMessage, toolResultFields } from './page-tool-messages.ts';
import type { TranscriptRole } from './transcript.ts';

/**
 * The signalling messages of a browser call: one JSON object per text message of its WebSocket. The descriptions of
 * transports and streams are mediasoup's own, so that mediasoup-client can be used unchanged:
 * https://mediasoup.org/documentation/v3/communication-between-client-and-server/
 *
 * The engine sends `ready` first, with a transport for each direction. The browser connects both, describes its track
 * (`send`), requests the agent's track (`receive`) and sends `play` once it can play it; the call starts with the browser's
 * first audio packet. A browser whose socket breaks may reconnect within 15 seconds at the same address: it gets `ready`
 * with `resumed`, and requests `restart_ice` for both transports.
 */

/** A longer message ends the call. */
export const MAX_MESSAGE_BYTES = 65_536;
/** More messages within a second end the call. */
export const MAX_MESSAGES_PER_SECOND = 50;

const described = z.record(z.string(), z.unknown());
const direction = z.enum(['send', 'receive']);
/** Chosen by the browser; the response carries it. */
const id = z.int().min(0).max(1_000_000_000);

export const fromBrowser = z.discriminatedUnion('type', [
  z.object({ type: z.literal('connect'), id, direction, dtls_parameters: described }),
  z.object({ type: z.literal('send'), id, rtp_parameters: described }),
  z.object({ type: z.literal('receive'), id, rtp_capabilities: described }),
  z.object({ type: z.literal('play'), id }),
  z.object({ type: z.literal('restart_ice'), id, direction }),
  /** While the microphone is muted, silence does not mean that the connection is broken. */
  z.object({ type: z.literal('mute'), id, muted: z.boolean() }),
  z.object({ type: z.literal('digit'), id, digit: z.string().regex(/^[0-9*#]$/) }),
  z.object({ type: z.literal('tool_result'), id, ...toolResultFields }),
  z.object({ type: z.literal('hang_up'), id }),
  /** Answered at once, so that the page knows that the engine is there. */
  z.object({ type: z.literal('ping'), id }),
]);
export type FromBrowser = z.output<typeof fromBrowser>;

export interface TransportDescription {
  id: string;
  ice_parameters: Record<string, unknown>;
  ice_candidates: Record<string, unknown>[];
  dtls_parameters: Record<string, unknown>;
}

export type ToBrowser =
  | {
      type: 'ready';
      call_id: string;
      /** The call continues over a new socket. */
      resumed: boolean;
      rtp_capabilities: Record<string, unknown>;
      send: TransportDescription;
      receive: TransportDescription;
    }
  /** To `send` `{producer_id}`, to `receive` `{consumer_id, producer_id, rtp_parameters}`, to `restart_ice` `{ice_parameters}`, else `{}`. */
  | { type: 'response'; id: number; data: Record<string, unknown> }
  /** The request `id` failed; null: the message could not be parsed. The call continues. */
  | { type: 'error'; id: number | null; message: string }
  /**
   * The agent's words that were played out, or the caller's that were recognized. `final: false` while they speak: the next
   * message of the same role replaces it. `interrupted`: the caller talked over the line, or the call ended
   * in it; it ends with the last word played out.
   */
  | { type: 'transcript'; role: TranscriptRole; text: string; final: boolean; interrupted: boolean; at_ms: number }
  | ToolCallMessage
  /** The last message. */
  | { type: 'ended'; reason: string };
