import type { CarrierName } from '../../../shared/carriers/registry.ts';
import type { Clock } from '../../../shared/clock.ts';
import { signMediaToken } from '../../../shared/media-token.ts';
import type { CarrierUrls } from '../../carriers/carrier-urls.ts';
import type { EngineRegistry } from './engine-registry.ts';

/** For carriers that open the stream as soon as they get the URL. */
const TOKEN_TTL_MS = 60_000;
/** For carriers that get the URL with the dial request: longer than the call may ring. */
export const DIAL_TOKEN_TTL_MS = 180_000;

/**
 * Returns the URL of a call's media stream with a new stream token: at the engine with the most headroom, or at the given
 * engine, which holds the call already.
 */
export type StreamUrl = (provider: CarrierName, callId: string, engineId?: string) => string;

export interface StreamUrlDeps {
  clock: Clock;
  addresses: Pick<CarrierUrls, 'streamUrl'>;
  engines: Pick<EngineRegistry, 'assign' | 'addressOf'>;
  /** Shared with the media engines. */
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
