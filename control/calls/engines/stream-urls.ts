import type { Carrier } from '../../../shared/call.ts';
import type { Clock } from '../../../shared/clock.ts';
import { signMediaToken } from '../../../shared/media-token.ts';
import type { CarrierUrls } from '../../carriers/carrier-urls.ts';
import type { EngineRegistry } from './engine-registry.ts';

/** A carrier opens the stream at once; the pass need not last. */
const TOKEN_TTL_MS = 60_000;
/** For a carrier that is told the stream when it dials: as long as it may ring, and then some. */
export const DIAL_TOKEN_TTL_MS = 180_000;

/**
 * Makes the address of a call's media stream, with a fresh pass in its path: at the engine with the most room, or at the
 * one named, which holds the call already.
 */
export type StreamUrl = (provider: Carrier, callId: string, engineId?: string) => string;

export interface StreamUrlDeps {
  clock: Clock;
  addresses: Pick<CarrierUrls, 'streamUrl'>;
  engines: Pick<EngineRegistry, 'assign' | 'addressOf'>;
  /** The same in media. */
  mediaTokenSecret: string;
}

export function createStreamUrls(
  { clock, addresses, engines, mediaTokenSecret }: StreamUrlDeps,
  ttlMs = TOKEN_TTL_MS,
): StreamUrl {
  return (provider, callId, engineId) => {
    const token = signMediaToken(mediaTokenSecret, callId, clock.wall() + ttlMs);
    return addresses.streamUrl(provider, token, engineId ? engines.addressOf(engineId) : engines.assign(callId));
  };
}
