import { z } from 'zod';

/**
 * What a browser and the engine say to each other over the socket of a browser call, one JSON object per text message. The
 * descriptions of transports and streams are mediasoup's own, so that mediasoup-client is used as it is:
 * https://mediasoup.org/documentation/v3/communication-between-client-and-server/
 *
 * The engine speaks first (`ready`, with a transport for each direction). The browser connects both, says what it sends
 * (`send`), asks for the agent's voice (`receive`) and says `play` when it can be heard; the call begins with its first
 * sound. A socket that breaks may come back within 15 seconds at the same address (`ready` again, with `resumed`), and asks
 * for `restart_ice` of both transports.
 */

/** Longer messages end the call. */
export const MAX_MESSAGE_BYTES = 65_536;
/** More messages within a second end the call. */
export const MAX_MESSAGES_PER_SECOND = 50;

const described = z.record(z.string(), z.unknown());
const direction = z.enum(['send', 'receive']);
/** Chosen by the browser; the answer bears it. */
const id = z.int().min(0).max(1_000_000_000);

export const fromBrowser = z.discriminatedUnion('type', [
  z.object({ type: z.literal('connect'), id, direction, dtls_parameters: described }),
  z.object({ type: z.literal('send'), id, rtp_parameters: described }),
  z.object({ type: z.literal('receive'), id, rtp_capabilities: described }),
  z.object({ type: z.literal('play'), id }),
  z.object({ type: z.literal('restart_ice'), id, direction }),
  /** The microphone is off: silence is then no sign of a broken line. */
  z.object({ type: z.literal('mute'), id, muted: z.boolean() }),
  z.object({ type: z.literal('digit'), id, digit: z.string().regex(/^[0-9*#]$/) }),
  z.object({ type: z.literal('hang_up'), id }),
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
      /** The same call goes on over a new socket. */
      resumed: boolean;
      rtp_capabilities: Record<string, unknown>;
      send: TransportDescription;
      receive: TransportDescription;
    }
  /** To `send` `{producer_id}`, to `receive` `{consumer_id, producer_id, rtp_parameters}`, to `restart_ice` `{ice_parameters}`, else `{}`. */
  | { type: 'answer'; id: number; data: Record<string, unknown> }
  /** The request `id` could not be carried out; null: what came could not be read. The call goes on. */
  | { type: 'refused'; id: number | null; message: string }
  /**
   * Of the agent's side what was heard; of the caller's what was understood, `final: false` while they speak: the next words
   * of the same role stand in their place.
   */
  | { type: 'words'; role: 'user' | 'agent'; text: string; final: boolean; at_ms: number }
  /** The last message. */
  | { type: 'ended'; reason: string };
