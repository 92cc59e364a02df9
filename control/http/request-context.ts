import type { FastifyRequest } from 'fastify';
import type { Actor } from './authenticate.ts';
import { clientName } from './client-name.ts';

/** Who knocks, before we know whose hand it is. */
export interface RequestContext {
  /** Of the client; behind a proxy only as far as that one is trusted. */
  address: string;
  client: string;
  request_id: string;
  /** Sent by a page in a browser, which keeps a cookie and must not see the token. */
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

/** The user as who acts. */
export function actorOf(user: { id: string; name: string }, { address, request_id }: RequestContext): Actor {
  return { kind: 'user', id: user.id, name: user.name, origin: { address, request_id } };
}
