import type { FastifyInstance, FastifyRequest } from 'fastify';
import { clearSessionCookie, SESSION_COOKIE, setSessionCookie } from '../http/session-cookie.ts';
import { SESSION_TTL_MS } from './session-store.ts';

const MAX_AGE_SECONDS = SESSION_TTL_MS / 1000;

/** The browser is to keep this session. */
export function saveSessionCookie(request: FastifyRequest, token: string): void {
  request.newSessionCookie = setSessionCookie(token, MAX_AGE_SECONDS);
}

export function removeSessionCookie(request: FastifyRequest): void {
  request.newSessionCookie = clearSessionCookie();
}

/** Writes the cookies of the requests above, and again where a session's end was moved. */
export function sessionCookies(app: FastifyInstance): void {
  app.decorateRequest('newSessionCookie', '');
  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.newSessionCookie === '' && request.caller?.expires_at && usesCookie(request)) {
      const token = new RegExp(`(?:^|;\\s*)${SESSION_COOKIE}=([\\w-]+)`).exec(request.headers.cookie ?? '')?.[1];
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
    /** The whole header; empty when there is nothing new. */
    newSessionCookie: string;
  }
}
