import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { AuditAction } from '../../shared/audit-actions.ts';
import type { Clock } from '../../shared/clock.ts';
import { writeAudit } from '../audit/write-audit.ts';
import type { Sql, Transaction } from '../db/connect.ts';
import { notFound } from '../http/errors.ts';
import { pathId } from '../http/query.ts';
import { route, type SessionContext } from '../http/route.ts';
import { deletePin, insertPin, listPins } from './pin-store.ts';
import { lockAgentShared } from './store.ts';

const TAG = 'Agents';
const params = z.object({ agent_id: pathId('agent') });

/** Agents that a member pinned to the top of their own list. */
export function pinRoutes(app: FastifyInstance, { sql, clock }: { sql: Sql; clock: Clock }): void {
  route(app, {
    method: 'GET',
    path: '/api/v1/agents/pins',
    tag: TAG,
    summary: 'The agents you pinned, newest pin first',
    credential: 'session',
    permission: 'agents.view',
    schema: { response: z.array(z.string()) },
    success: 200,
    handler: async (_input, { workspace_id, user_id }) => listPins(sql, workspace_id, user_id),
  });

  route(app, {
    method: 'PUT',
    path: '/api/v1/agents/{agent_id}/pin',
    tag: TAG,
    summary: 'Pin an agent for yourself',
    credential: 'session',
    permission: 'agents.view',
    schema: { params },
    success: 204,
    errors: [404],
    handler: ({ params }, context) =>
      change(context, params.agent_id, 'agent.pinned', (tx) =>
        insertPin(tx, context.workspace_id, context.user_id, params.agent_id, new Date(clock.wall())),
      ),
  });

  route(app, {
    method: 'DELETE',
    path: '/api/v1/agents/{agent_id}/pin',
    tag: TAG,
    summary: 'Take your pin off an agent',
    credential: 'session',
    permission: 'agents.view',
    schema: { params },
    success: 204,
    errors: [404],
    handler: ({ params }, context) =>
      change(context, params.agent_id, 'agent.unpinned', (tx) =>
        deletePin(tx, context.workspace_id, context.user_id, params.agent_id),
      ),
  });

  /** Writes an audit event only when something changed. */
  async function change(
    { workspace_id, actor }: SessionContext,
    agentId: string,
    action: AuditAction,
    apply: (tx: Transaction) => Promise<boolean>,
  ): Promise<void> {
    await sql.begin(async (tx) => {
      const agent = await lockAgentShared(tx, workspace_id, agentId);
      if (!agent) throw notFound('agent');
      if (!(await apply(tx))) return;
      const target = { kind: 'agent', id: agentId, name: agent.name };
      await writeAudit(tx, { workspace_id, actor, action, target, at_ms: clock.wall() });
    });
  }
}
