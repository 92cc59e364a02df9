import type { Carrier } from '../../shared/call.ts';
import type { Clock } from '../../shared/clock.ts';
import { signMediaToken } from '../../shared/media-token.ts';
import type { CarrierAddresses } from '../carriers/addresses.ts';

/** A carrier opens the stream at once; the pass need not last. */
const VALID_MS = 60_000;
/** For a carrier that is told the stream when it dials: as long as it may ring, and then some. */
export const DIAL_VALID_MS = 180_000;

/** Makes the address of a call's media stream, with a fresh pass in its path. */
export type StreamAddress = (provider: Carrier, callId: string) => string;

export function streamAddresses(
  addresses: Pick<CarrierAddresses, 'streamUrl'>,
  mediaTokenSecret: string,
  clock: Clock,
  validMs = VALID_MS,
): StreamAddress {
  return (provider, callId) =>
    addresses.streamUrl(provider, signMediaToken(mediaTokenSecret, callId, clock.wall() + validMs));
}
