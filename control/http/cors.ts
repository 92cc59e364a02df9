import cors, { type FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import { commaSeparated } from '../../shared/comma-separated.ts';
import { IDEMPOTENCY_HEADER } from './idempotency.ts';

/** Only the API is for pages of other origins; the pages that this server writes itself are not. */
const PATH = '/api/';

const OPTIONS: FastifyCorsOptions = {
  credentials: true,
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  allowedHeaders: [
    'Authorization',
    'Content-Type',
    'If-Match',
    IDEMPOTENCY_HEADER,
    'X-API-Key',
    'X-Timezone',
    'X-Workspace-ID',
  ],
  exposedHeaders: [
    'Content-Disposition',
    'Idempotent-Replayed',
    'Retry-After',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'X-Request-ID',
    'X-Timezone',
  ],
  maxAge: 600,
};

/** Returns the origins in `https://console.example.com,http://localhost:5173`, as browsers send them. */
export function parseOrigins(text: string): Set<string> {
  return new Set(commaSeparated(text).map(originOf));
}

function originOf(text: string): string {
  const origin = URL.canParse(text) ? new URL(text).origin : '';
  // URLs of other schemes have the origin `null`, and so has every sandboxed page.
  if (!/^https?:/.test(origin)) throw new Error(`"${text}" in CONSOLE_ORIGINS is no origin: write https://host`);
  return origin;
}

/** Lets pages of these origins (the setting CONSOLE_ORIGINS) use the API from a browser, with their cookies. */
export async function registerCors(app: FastifyInstance, origins: ReadonlySet<string>): Promise<void> {
  if (origins.size === 0) return;
  const allowed = { ...OPTIONS, origin: [...origins] };
  await app.register(cors, {
    delegator: (request, done) => done(null, request.url?.startsWith(PATH) ? allowed : { origin: false }),
  });
}
