import type { FastifyInstance, FastifyRequest } from 'fastify';
import { deviceCookieHeader, readSessionCookie, sessionCookieHeader } from '../http/session-cookie.ts';
import { DEVICE_TTL_MS } from './devices.ts';
import { SESSION_TTL_MS } from './session-store.ts';

/** Makes the browser store this session, and that it is a device of the user. */
export function saveSessionCookie(request: FastifyRequest, token: string, device?: string): void {
  request.newSessionCookie = sessionCookieHeader(token, SESSION_TTL_MS / 1000);
  if (device) request.newDeviceCookie = deviceCookieHeader(device, DEVICE_TTL_MS / 1000);
}

export function removeSessionCookie(request: FastifyRequest): void {
  request.newSessionCookie = sessionCookieHeader('', 0);
}

/** Writes the cookies of the requests above, and renews the cookie of a session whose end was moved. */
export function sessionCookies(app: FastifyInstance): void {
  app.decorateRequest('newSessionCookie', '');
  app.decorateRequest('newDeviceCookie', '');
  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.newSessionCookie === '' && request.principal?.expires_at && usesCookie(request)) {
      const token = readSessionCookie(request);
      if (token) saveSessionCookie(request, token);
    }
    if (request.newSessionCookie !== '') {
      // Fastify sends each value of `Set-Cookie` as a header of its own.
      if (request.newDeviceCookie !== '') reply.header('Set-Cookie', request.newDeviceCookie);
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
    newDeviceCookie: string;
  }
}
