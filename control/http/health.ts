import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { HttpError } from './errors.ts';
import { route } from './route.ts';

/** Asks whether each dependency is available; every check has to settle within a few seconds. */
export type ReadinessChecks = Record<string, () => Promise<boolean>>;

const statusRecord = z.object({ status: z.string() });

/** The names of what is not available. */
export async function missingParts(checks: ReadinessChecks): Promise<string[]> {
  const names = Object.keys(checks);
  const available = await Promise.all(names.map((name) => checks[name]!().catch(() => false)));
  return names.filter((_name, index) => !available[index]);
}

/** GET /healthz: the process is alive. GET /readyz: it can do its work, or 503 with what is missing. */
export function healthRoutes(app: FastifyInstance, checks: ReadinessChecks): void {
  const declaration = {
    method: 'GET',
    tag: 'Service',
    credential: 'public',
    permission: null,
    hidden: true,
    schema: { response: statusRecord },
    success: 200,
  } as const;

  route(app, {
    ...declaration,
    path: '/healthz',
    summary: 'The process is alive',
    handler: async () => ({ status: 'ok' }),
  });

  route(app, {
    ...declaration,
    path: '/readyz',
    summary: 'Everything it needs is there',
    handler: async () => {
      const missing = await missingParts(checks);
      if (missing.length > 0) throw new HttpError(503, `not ready: no ${missing.join(', no ')}`);
      return { status: 'ready' };
    },
  });
}
