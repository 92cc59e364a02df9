import type { IncomingMessage } from 'node:http';

/** What a client may still send of a body that is too large. */
export const MAX_DRAINED_BYTES = 64 * 1024 * 1024;

/**
 * Reads what is left of a request's body and drops it, so that a client that sends everything before it reads gets its response: a
 * connection that is closed with unread bytes is reset, and the response is lost with it (RFC 9112, section 9.6). Resolves at the end
 * of the body or of the connection, and beyond MAX_DRAINED_BYTES; at once where more than that is announced. Fastify's `requestTimeout`
 * bounds the time.
 */
export function drainBody(request: IncomingMessage): Promise<void> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_DRAINED_BYTES) return Promise.resolve();
  if (request.readableEnded || request.destroyed) return Promise.resolve();
  return new Promise((done) => {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_DRAINED_BYTES) return;
      request.pause();
      done();
    });
    request.on('end', done).on('error', done).on('close', done);
    request.resume();
  });
}
