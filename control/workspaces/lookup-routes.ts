import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Sql } from '../db/connect.ts';
import { route } from '../http/route.ts';
import { STATES } from './india.ts';
import { REFERENCE_DATA, referenceDataRecord } from './reference-data.ts';
import { type SearchSources, searchAll, searchRecord } from './search.ts';

const TAG = 'Workspace';

const locationsRecord = z
  .object({
    states: z
      .array(
        z
          .object({
            code: z.string().describe('two letters, ISO 3166-2:IN'),
            name: z.string().describe('as it is written'),
            gst_code: z.string().describe('the first two digits of a GSTIN'),
            districts: z.array(z.string()).describe('all of them, by name'),
          })
          .meta({ id: 'State' }),
      )
      .describe('states and union territories, by name'),
  })
  .meta({ id: 'Locations' });

/** Endpoints for search and for fixed lists. */
export function lookupRoutes(app: FastifyInstance, { sql, sources }: { sql: Sql; sources: SearchSources }): void {
  route(app, {
    method: 'GET',
    path: '/api/v1/search',
    tag: TAG,
    summary: 'Find agents, calls, batches, knowledge bases and numbers',
    credential: 'key',
    permission: 'agents.view',
    schema: {
      query: z.object({ q: z.string().min(2).max(100).describe('part of a name or number') }),
      response: searchRecord,
    },
    success: 200,
    handler: async ({ query }, { workspace_id }) => searchAll(sql, sources, workspace_id, query.q),
  });

  route(app, {
    method: 'GET',
    path: '/api/v1/masters',
    tag: TAG,
    summary: 'Fixed lists for forms',
    credential: 'key',
    permission: 'agents.view',
    before_activation: true,
    schema: { response: referenceDataRecord },
    success: 200,
    handler: async () => REFERENCE_DATA,
  });

  route(app, {
    method: 'GET',
    path: '/api/v1/locations/india',
    tag: TAG,
    summary: 'The states and union territories of India with their districts and GST codes',
    credential: 'key',
    permission: 'agents.view',
    before_activation: true,
    schema: { response: locationsRecord },
    success: 200,
    handler: async () => ({ states: [...STATES] }),
  });
}
