import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { agentFields } from '../../shared/agent.ts';
import { pathId } from '../http/query.ts';
import { route } from '../http/route.ts';
import { time } from '../http/times.ts';
import { savedAgentRecord, savedRecordOf } from './agent-record.ts';
import type { ShareRow } from './share-store.ts';
import type { Shares } from './shares.ts';

const TAG = 'Agents';

const params = z.object({ token: pathId('share') });

const shareRecord = z
  .object({
    token: z.string().describe("the share's name in paths; anyone who knows it can read and copy the agent"),
    agent_id: z.string().describe('the agent that was shared'),
    agent_name: z.string().describe('as it was called then'),
    version: z.int().describe('the version shared; later changes are not followed'),
    url: z.string().describe('page of the console'),
    copies: z.int().describe('how often it was copied'),
    created_by: z.string().describe('a name'),
    created_at: time(),
    expires_at: time().nullable().describe('null: never'),
  })
  .meta({ id: 'AgentShare' });

const openShareRecord = z
  .object({
    token: z.string().describe('its name in paths'),
    agent_name: z.string().describe('as it was called then'),
    workspace_name: z.string().describe('whose agent it is'),
    agent: z
      .object(agentFields.shape)
      .describe(
        'the configuration without webhook address, header values, knowledge bases, transfer targets and uploads',
      ),
    expires_at: time().nullable(),
  })
  .meta({ id: 'SharedAgent' });

const newShare = z.object({
  agent_id: z.string().max(64).describe('the agent to share'),
  expires_in_days: z.int().min(1).max(90).nullable().default(30).describe('null: never'),
});

const copyBody = z
  .object({ name: z.string().min(1).max(120).optional().describe("left out: the shared agent's name") })
  .prefault({});

export interface ShareRoutesDeps {
  shares: Shares;
  /** Where the console is; its pages are below. */
  consoleUrl: string;
}

export function shareRoutes(app: FastifyInstance, { shares, consoleUrl }: ShareRoutesDeps): void {
  const pages = consoleUrl.replace(/\/+$/, '');
  const shown = (share: ShareRow) => ({ ...share, url: `${pages}/shared-agents/${share.token}` });

  route(app, {
    method: 'POST',
    path: '/api/v1/agent-shares',
    tag: TAG,
    summary: 'Share an agent as it is now',
    credential: 'key',
    permission: 'agents.edit',
    schema: { body: newShare, response: shareRecord },
    success: 201,
    errors: [404, 409],
    handler: async ({ body }, { workspace_id, actor }) => shown(await shares.create(workspace_id, actor, body)),
  });

  route(app, {
    method: 'GET',
    path: '/api/v1/agent-shares',
    tag: TAG,
    summary: 'What this workspace shares, newest first; expired shares are left out',
    credential: 'key',
    permission: 'agents.view',
    schema: { response: z.array(shareRecord) },
    success: 200,
    handler: async (_input, { workspace_id }) => (await shares.list(workspace_id)).map(shown),
  });

  route(app, {
    method: 'GET',
    path: '/api/v1/agent-shares/{token}',
    tag: TAG,
    summary: 'A shared agent, of any workspace',
    credential: 'key',
    permission: 'agents.view',
    schema: { params, response: openShareRecord },
    success: 200,
    errors: [404],
    handler: async ({ params }) => shares.read(params.token),
  });

  route(app, {
    method: 'DELETE',
    path: '/api/v1/agent-shares/{token}',
    tag: TAG,
    summary: 'Stop sharing; copies stay',
    credential: 'key',
    permission: 'agents.edit',
    schema: { params },
    success: 204,
    errors: [404],
    handler: async ({ params }, { workspace_id, actor }) => shares.remove(workspace_id, actor, params.token),
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/agent-shares/{token}/copy',
    tag: TAG,
    summary: 'Make an agent of this workspace from a shared one',
    credential: 'key',
    permission: 'agents.edit',
    schema: { params, body: copyBody, response: savedAgentRecord },
    success: 201,
    errors: [404, 409],
    handler: async ({ params, body }, { workspace_id, actor, may }) =>
      savedRecordOf(await shares.copy(workspace_id, actor, params.token, body.name), may('agents.edit')),
  });
}
