import type { Carrier } from '../../shared/call.ts';
import type { Clock } from '../../shared/clock.ts';
import { signMediaToken } from '../../shared/media-token.ts';
import type { CarrierUrls } from '../carriers/carrier-urls.ts';
import type { EngineBoard } from './engine-board.ts';

/** A carrier opens the stream at once; the pass need not last. */
const VALID_MS = 60_000;
/** For a carrier that is told the stream when it dials: as long as it may ring, and then some. */
export const DIAL_VALID_MS = 180_000;

/**
 * Makes the address of a call's media stream, with a fresh pass in its path: at the engine with the most room, or at the
 * one named, which holds the call already.
 */
export type StreamAddress = (provider: Carrier, callId: string, engineId?: string) => string;

export interface StreamAddressDeps {
  clock: Clock;
  addresses: Pick<CarrierUrls, 'streamUrl'>;
  engines: Pick<EngineBoard, 'place' | 'addressOf'>;
  /** The same in media. */
  mediaTokenSecret: string;
}

export function streamAddresses(
  { clock, addresses, engines, mediaTokenSecret }: StreamAddressDeps,
  validMs = VALID_MS,
): StreamAddress {
  return (provider, callId, engineId) => {
    const token = signMediaToken(mediaTokenSecret, callId, clock.wall() + validMs);
    return addresses.streamUrl(provider, token, engineId ? engines.addressOf(engineId) : engines.place(callId));
  };
}
