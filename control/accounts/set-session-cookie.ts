import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readSessionCookie, sessionCookieHeader } from '../http/session-cookie.ts';
import { SESSION_TTL_MS } from './session-store.ts';

/** Makes the browser store this session. */
export function saveSessionCookie(request: FastifyRequest, token: string): void {
  request.newSessionCookie = sessionCookieHeader(token, SESSION_TTL_MS / 1000);
}

export function removeSessionCookie(request: FastifyRequest): void {
  request.newSessionCookie = sessionCookieHeader('', 0);
}

/** Writes the cookies of the requests above, and renews the cookie of a session whose end was moved. */
export function sessionCookies(app: FastifyInstance): void {
  app.decorateRequest('newSessionCookie', '');
  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.newSessionCookie === '' && request.principal?.expires_at && usesCookie(request)) {
      const token = readSessionCookie(request);
      if (token) saveSessionCookie(request, token);
    }
    if (request.newSessionCookie !== '') {
      reply.header('Set-Cookie', request.newSessionCookie).header('Cache-Control', 'no-store');
    }
    done(null, payload);
  });
}

const usesCookie = ({ headers }: FastifyRequest) => !headers['x-api-key'] && !headers.authorization;

declare module 'fastify' {
  interface FastifyRequest {
    /** The value of `Set-Cookie`; empty when the cookie does not change. */
    newSessionCookie: string;
  }
}
