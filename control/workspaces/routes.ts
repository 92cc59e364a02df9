import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { emailField, zoneField } from '../accounts/account-fields.ts';
import { credentialCachesExpired } from '../http/credential-cache.ts';
import { HttpError } from '../http/errors.ts';
import { route } from '../http/route.ts';
import { listLimitRequests, requestLimit } from './limit-requests.ts';
import { limitsOf, type UsageCounts } from './limits.ts';
import { createWorkspaceManager, type ManageWorkspaceDeps } from './manage-workspace.ts';
import {
  limitRequestRecord,
  limitsRecord,
  logLevel,
  PROFILE_FIELDS,
  securityRecord,
  workspaceRecord,
} from './workspace-record.ts';

const TAG = 'Workspace';

const profileField = z.string().max(200).optional().describe('left out: stays; empty: forgotten');
const profileBody = z.object(
  Object.fromEntries(PROFILE_FIELDS.map((field) => [field, profileField])) as Record<
    (typeof PROFILE_FIELDS)[number],
    typeof profileField
  >,
);

export interface WorkspaceRoutesDeps extends ManageWorkspaceDeps {
  counts: UsageCounts;
}

/** Endpoints for the workspace's own record and limits. */
export function workspaceRoutes(app: FastifyInstance, deps: WorkspaceRoutesDeps): void {
  const { sql, clock } = deps;
  const workspace = createWorkspaceManager(deps);

  route(app, {
    method: 'GET',
    path: '/api/v1/workspace',
    tag: TAG,
    summary: 'The workspace',
    credential: 'key',
    permission: 'agents.view',
    before_activation: true,
    schema: { response: workspaceRecord },
    success: 200,
    handler: async (_input, { workspace_id }) => workspace.find(workspace_id),
  });

  route(app, {
    method: 'PATCH',
    path: '/api/v1/workspace',
    tag: TAG,
    summary: 'Rename the workspace, change its zone or who is alerted',
    credential: 'session',
    permission: 'members.manage',
    before_activation: true,
    schema: {
      body: z.object({
        name: z.string().trim().min(1).max(120).optional().describe('left out: stays'),
        timezone: zoneField().optional().describe('IANA name; left out: stays'),
        alert_emails: z.array(emailField()).max(5).optional().describe('an empty list: the owner'),
      }),
      response: workspaceRecord,
    },
    success: 200,
    async handler({ body }, { workspace_id, actor }) {
      const { alert_emails } = body;
      const columns = { ...body, ...(alert_emails ? { alert_emails: [...new Set(alert_emails)] } : {}) };
      return workspace.change({ workspace_id, actor, action: 'workspace.updated', columns });
    },
  });

  route(app, {
    method: 'PATCH',
    path: '/api/v1/workspace/profile',
    tag: TAG,
    summary: 'Change the profile of the business; what is left out stays',
    credential: 'session',
    permission: 'members.manage',
    before_activation: true,
    schema: { body: profileBody, response: workspaceRecord },
    success: 200,
    async handler({ body }, { workspace_id, actor }) {
      const sent = Object.entries(body).filter((entry): entry is [string, string] => entry[1] !== undefined);
      const columns = { profile: Object.fromEntries(sent) };
      return workspace.change({ workspace_id, actor, action: 'workspace.profile_updated', columns });
    },
  });

  route(app, {
    method: 'PATCH',
    path: '/api/v1/workspace/system-logs',
    tag: TAG,
    summary: 'Switch server logs on or off, and choose the lowest level that is logged',
    credential: 'session',
    permission: 'members.manage',
    schema: {
      body: z.object({
        enabled: z.boolean().optional().describe('left out: stays'),
        level: logLevel.optional().describe('the lowest that is logged; left out: stays'),
      }),
      response: workspaceRecord,
    },
    success: 200,
    async handler({ body }, { workspace_id, actor }) {
      const columns = { system_logs_enabled: body.enabled, system_logs_level: body.level };
      return workspace.change({ workspace_id, actor, action: 'workspace.system_logs_updated', columns });
    },
  });

  route(app, {
    method: 'PATCH',
    path: '/api/v1/workspace/security',
    tag: TAG,
    summary: 'Let keys make keys, or no longer ask for the password again; only by owners',
    credential: 'session',
    permission: 'members.manage',
    before_activation: true,
    confirmed: true,
    schema: { body: securityRecord.partial(), response: workspaceRecord },
    success: 200,
    async handler({ body }, { workspace_id, actor, role }) {
      if (role !== 'owner')
        throw new HttpError(403, 'your role cannot do this (members.manage): only owners change it');
      const changed = await workspace.change({
        workspace_id,
        actor,
        action: 'workspace.security_updated',
        columns: body,
      });
      // Until what keys may do is forgotten everywhere.
      await credentialCachesExpired(clock);
      return changed;
    },
  });

  route(app, {
    method: 'GET',
    path: '/api/v1/workspace/limits',
    tag: TAG,
    summary: 'What the workspace may use, and what of it is in use',
    credential: 'key',
    permission: 'agents.view',
    before_activation: true,
    schema: { response: limitsRecord },
    success: 200,
    handler: async (_input, { workspace_id }) => limitsOf(deps, workspace_id),
  });

  route(app, {
    method: 'GET',
    path: '/api/v1/workspace/limits/requests',
    tag: TAG,
    summary: 'Requests for a higher limit, the last 50, newest first',
    credential: 'key',
    permission: 'agents.view',
    before_activation: true,
    schema: { response: z.array(limitRequestRecord) },
    success: 200,
    handler: async (_input, { workspace_id }) => listLimitRequests(sql, workspace_id),
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/workspace/limits/requests',
    tag: TAG,
    summary: 'Ask for a higher limit of live calls',
    credential: 'session',
    permission: 'members.manage',
    before_activation: true,
    schema: {
      body: z.object({
        requested_limit: z.int().min(1).max(100).describe('above the present limit'),
        reason: z.string().min(10).max(1000).describe('why more are needed'),
      }),
      response: limitRequestRecord,
    },
    success: 201,
    errors: [409],
    handler: async ({ body }, { workspace_id, actor }) =>
      requestLimit(sql, { workspace_id, actor, ...body, at_ms: clock.wall() }),
  });
}
