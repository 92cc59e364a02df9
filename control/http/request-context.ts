import type { FastifyRequest } from 'fastify';
import type { Actor } from './authenticate.ts';
import { clientName } from './client-name.ts';
import { readDeviceCookie } from './session-cookie.ts';

/** What is known of a client before it is authenticated. */
export interface RequestContext {
  /** IP address of the client; behind a proxy, only as far as TRUSTED_PROXIES trusts it. */
  address: string;
  client: string;
  request_id: string;
  /** Sent by a page in a browser, which stores the cookie and must not see the token. */
  from_browser: boolean;
  /** Token of the device's cookie; empty without one. */
  device: string;
  /** Of a signed-in user, as who the request comes; null before sign-in. */
  session_id: string | null;
}

export function requestContextOf(request: FastifyRequest): RequestContext {
  const { headers, ip, id } = request;
  return {
    address: ip,
    client: clientName(headers['user-agent']),
    request_id: id,
    from_browser: headers.origin !== undefined,
    device: readDeviceCookie(request),
    session_id: request.principal?.session_id ?? null,
  };
}

/** The user as the author of an action. */
export function actorOf(user: { id: string; name: string }, { address, request_id }: RequestContext): Actor {
  return { kind: 'user', id: user.id, name: user.name, origin: { address, request_id } };
}
