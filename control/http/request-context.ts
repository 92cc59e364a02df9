import type { FastifyRequest } from 'fastify';
import type { Actor } from './authenticate.ts';
import { clientName } from './client-name.ts';

/** What is known of a client before it is authenticated. */
export interface RequestContext {
  /** IP address of the client; behind a proxy, only as far as TRUSTED_PROXIES trusts it. */
  address: string;
  client: string;
  request_id: string;
  /** Sent by a page in a browser, which stores the cookie and must not see the token. */
  from_browser: boolean;
}

export function requestContextOf(request: FastifyRequest): RequestContext {
  const { headers, ip, id } = request;
  return {
    address: ip,
    client: clientName(headers['user-agent']),
    request_id: id,
    from_browser: headers.origin !== undefined,
  };
}

/** The user as the author of an action. */
export function actorOf(user: { id: string; name: string }, { address, request_id }: RequestContext): Actor {
  return { kind: 'user', id: user.id, name: user.name, origin: { address, request_id } };
}
