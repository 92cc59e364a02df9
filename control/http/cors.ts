import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { IDEMPOTENCY_HEADER } from './idempotency.ts';

/**
 * Which pages of other origins may use the API from a browser: those of the setting CONSOLE_ORIGINS, with their cookies. A
 * console behind the same address as the API needs none of this. (WHATWG Fetch, section 3.3: the CORS protocol.)
 */

const METHODS = 'GET, POST, PUT, PATCH, DELETE';
const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'If-Match',
  IDEMPOTENCY_HEADER,
  'X-API-Key',
  'X-Timezone',
  'X-Workspace-ID',
].join(', ');
const EXPOSED_HEADERS = [
  'Content-Disposition',
  'Idempotent-Replayed',
  'Retry-After',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-ID',
  'X-Timezone',
].join(', ');
const PREFLIGHT_MAX_AGE_SECONDS = 600;
const PATH = '/api/';

/** `https://console.example.com,http://localhost:5173` as the origins that browsers send. */
export function parseOrigins(text: string): Set<string> {
  const origins = text.split(',').map((each) => each.trim());
  return new Set(origins.filter((each) => each !== '').map(originOf));
}

function originOf(text: string): string {
  const origin = URL.canParse(text) ? new URL(text).origin : '';
  // URLs of other schemes have the origin `null`, and so has every sandboxed page.
  if (!/^https?:/.test(origin)) throw new Error(`"${text}" in CONSOLE_ORIGINS is no origin: write https://host`);
  return origin;
}

export function registerCors(app: FastifyInstance, origins: ReadonlySet<string>): void {
  if (origins.size === 0) return;
  app.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    if (!request.url.startsWith(PATH)) return;
    // Whoever keeps answers must not give one origin's to another.
    reply.header('Vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !origins.has(origin)) return;
    reply.header('Access-Control-Allow-Origin', origin);
    reply.header('Access-Control-Allow-Credentials', 'true');
    reply.header('Access-Control-Expose-Headers', EXPOSED_HEADERS);
  });
  app.options(`${PATH}*`, { schema: { hide: true } }, async (_request, reply) => {
    reply.header('Access-Control-Allow-Methods', METHODS);
    reply.header('Access-Control-Allow-Headers', REQUEST_HEADERS);
    reply.header('Access-Control-Max-Age', String(PREFLIGHT_MAX_AGE_SECONDS));
    return reply.code(204).send();
  });
}
