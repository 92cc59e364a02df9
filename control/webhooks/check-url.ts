import { isIP } from 'node:net';
import type { Clock } from '../../shared/clock.ts';
import { urlWithoutCredentials } from '../../shared/http-tool.ts';
import { createNameResolver } from '../../shared/name-resolver.ts';
import { includesAddress, networksOf } from '../../shared/networks.ts';
import { isPublicAddress, mayBePublicHost } from '../../shared/public-address.ts';
import type { SafeFetchOptions } from '../../shared/safe-fetch.ts';
import { withTimeout } from '../../shared/with-timeout.ts';
import { validationError } from '../http/errors.ts';

/** The wait for the name resolver when a URL is saved; the address is checked again with every delivery. */
const RESOLVE_TIMEOUT_MS = 1_000;

/**
 * @param field where the URL is in the body: a name, or a path such as `['tools', 0, 'url']`; default `url`.
 * @throws HttpError 422 for a URL of another protocol, with a user name or password, or that resolves to a non-public address.
 */
export type CheckUrl = (url: string, field?: string | readonly (string | number)[]) => Promise<void>;

export interface UrlCheckOptions extends Pick<SafeFetchOptions, 'allow' | 'resolve'> {
  clock: Clock;
  /** Default: https only. */
  protocols?: readonly ('https' | 'http')[];
}

/**
 * Applies the rules of `createSafeFetch` when a URL is saved. A name that does not resolve yet is accepted. One of a private
 * network, such as `crm.internal`, has to resolve to networks that are allowed.
 */
export function createUrlCheck({ allow = [], resolve, clock, protocols = ['https'] }: UrlCheckOptions): CheckUrl {
  const allowed = networksOf(allow);
  const isAllowed = (address: string) => includesAddress(allowed, address);
  const mayCall = (address: string) => isPublicAddress(address) || isAllowed(address);
  const addressesOf = resolve ?? createNameResolver();

  const message = `the url must be ${protocols.join(' or ')} on the public internet`;

  return async (text, field = 'url') => {
    const path = [field].flat();
    const refused = () => validationError(message, path, text.slice(0, 200));
    const url = URL.parse(text);
    if (url && url.username + url.password !== '') {
      // URLs are shown, logged and stored as they are, so no secret may be in them.
      const shown = urlWithoutCredentials(text).slice(0, 200);
      throw validationError('the url must have no user name and password', path, shown);
    }
    if (!url || !protocols.some((protocol) => url.protocol === `${protocol}:`)) throw refused();
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0) {
      if (!mayCall(host)) throw refused();
      return;
    }
    const lookup = addressesOf(host).catch(() => []);
    const found = await withTimeout(lookup, RESOLVE_TIMEOUT_MS, clock, () => []);
    const isKnown = mayBePublicHost(host) || found.length > 0;
    const mayReach = mayBePublicHost(host) ? mayCall : isAllowed;
    if (!isKnown || !found.every(({ address }) => mayReach(address))) throw refused();
  };
}
