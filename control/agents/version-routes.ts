import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { agentFields } from '../../shared/agent.ts';
import type { Sql } from '../db/connect.ts';
import { notFound } from '../http/errors.ts';
import { pathId } from '../http/query.ts';
import { route } from '../http/route.ts';
import { time } from '../http/times.ts';
import { shownTools } from '../tools/mask-tool-headers.ts';
import { type ToolHeaders, withHeaderLists } from '../tools/seal-tool-headers.ts';
import { ifMatch, savedAgentRecord, savedRecordOf } from './agent-record.ts';
import type { CheckProviders } from './check-providers.ts';
import type { AgentSchemas } from './default-providers.ts';
import type { AgentSaver } from './save-agent.ts';
import { findAgent, findVersion, listVersions } from './store.ts';

const TAG = 'Agents';

const params = z.object({ agent_id: pathId('agent') });
const versionParams = z.object({
  agent_id: pathId('agent'),
  // A string: what is not a number is answered 404 by the handler.
  version: z.string().describe('the number of the version'),
});

const versionFields = {
  version: z.int().describe('counts from 1'),
  current: z.boolean().describe('the present version of the agent'),
  restored_from: z.int().nullable().describe('the version it was restored from'),
  changes: z.array(z.string()).describe('dotted names of the fields that differ from the version before'),
  saved_at: time(),
  saved_by: z.string().describe('a name'),
};

const versionRecord = z.object(versionFields).meta({ id: 'AgentVersion' });
const wholeVersionRecord = z
  .object({ ...versionFields, agent: z.object(agentFields.shape).describe('the configuration as it was') })
  .meta({ id: 'AgentVersionWithConfiguration' });

export interface VersionRoutesDeps {
  sql: Sql;
  saver: AgentSaver;
  checkProviders: CheckProviders;
  toolHeaders: Pick<ToolHeaders, 'open'>;
  /** The schema of a configuration that a client sends. */
  agent: AgentSchemas['agent'];
  /** Checks such a configuration: its addresses as well as its providers. */
  checkSent: CheckProviders;
}

/** Versions of an agent: the ten newest, and the one in use. */
export function versionRoutes(app: FastifyInstance, deps: VersionRoutesDeps): void {
  const { sql, saver, checkProviders, toolHeaders } = deps;
  route(app, {
    method: 'GET',
    path: '/api/v1/agents/{agent_id}/versions',
    tag: TAG,
    summary: 'The stored versions of an agent, newest first',
    credential: 'key',
    permission: 'agents.view',
    schema: { params, response: z.array(versionRecord) },
    success: 200,
    errors: [404],
    handler: async ({ params }, { workspace_id }) => {
      const versions = await listVersions(sql, workspace_id, params.agent_id);
      if (versions.length === 0) throw notFound('agent');
      return versions;
    },
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/agents/{agent_id}/versions',
    tag: TAG,
    summary: 'Save a configuration as a version that no call uses until it is restored or gets a share of them',
    credential: 'key',
    permission: 'agents.edit',
    schema: { params, body: deps.agent, response: versionRecord },
    success: 201,
    errors: [404, 409],
    handler: async ({ params, body }, { workspace_id, actor }) => {
      const { config } = await deps.checkSent(workspace_id, body, params.agent_id);
      return saver.saveVersion(params.agent_id, { workspace_id, actor, config });
    },
  });

  route(app, {
    method: 'GET',
    path: '/api/v1/agents/{agent_id}/versions/{version}',
    tag: TAG,
    summary: 'One stored version with its configuration',
    credential: 'key',
    permission: 'agents.view',
    schema: { params: versionParams, response: wholeVersionRecord },
    success: 200,
    errors: [404],
    handler: async ({ params }, { workspace_id, may }) => {
      const number = versionOf(params.version);
      const found = number === null ? null : await findVersion(sql, workspace_id, params.agent_id, number);
      if (!found) {
        const agent = await findAgent(sql, workspace_id, params.agent_id);
        throw notFound(agent ? 'version' : 'agent');
      }
      const { config, ...version } = found;
      const shown = withHeaderLists(config, (items) =>
        shownTools(toolHeaders.open(workspace_id, items), may('agents.edit')),
      );
      // Fields that are newer than the version get their defaults.
      const agent = agentFields.parse(shown);
      return { ...version, agent };
    },
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/agents/{agent_id}/versions/{version}/restore',
    tag: TAG,
    summary: 'Save an earlier configuration as a new version; the status stays as it is',
    credential: 'key',
    permission: 'agents.edit',
    schema: { params: versionParams, headers: ifMatch, response: savedAgentRecord },
    success: 200,
    errors: [404, 409],
    handler: async ({ params, headers }, { workspace_id, actor, may }) => {
      const version = versionOf(params.version) ?? 0;
      const change = { workspace_id, actor, version };
      const saved = await saver.restore(params.agent_id, change, headers['if-match'] ?? null, checkProviders);
      return savedRecordOf(saved, may('agents.edit'));
    },
  });
}

function versionOf(text: string): number | null {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}
