import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Clock } from '../../shared/clock.ts';
import type { Sql } from '../db/connect.ts';
import { pathId } from '../http/query.ts';
import { route } from '../http/route.ts';
import { createMemberManager, listMembers, type MemberRow } from './members.ts';
import { memberRecord, memberRole } from './workspace-record.ts';

const TAG = 'Workspace';
const params = z.object({ user_id: pathId('member') });

/** Endpoints for the members of the workspace. */
export function memberRoutes(app: FastifyInstance, { sql, clock }: { sql: Sql; clock: Clock }): void {
  const members = createMemberManager({ sql, clock });
  const shownTo = (userId: string | null) => (member: MemberRow) => ({ ...member, you: member.user_id === userId });

  route(app, {
    method: 'GET',
    path: '/api/v1/members',
    tag: TAG,
    summary: 'All members, newest first',
    credential: 'key',
    permission: 'members.view',
    schema: { response: z.array(memberRecord) },
    success: 200,
    handler: async (_input, { workspace_id, user_id }) => (await listMembers(sql, workspace_id)).map(shownTo(user_id)),
  });

  route(app, {
    method: 'PATCH',
    path: '/api/v1/members/{user_id}',
    tag: TAG,
    summary: 'Change the role of a member; only owners make or unmake owners',
    credential: 'session',
    permission: 'members.manage',
    confirmed: true,
    schema: {
      params,
      body: z.object({ role: memberRole.describe('only owners make or unmake owners') }),
      response: memberRecord,
    },
    success: 200,
    errors: [400, 404],
    handler: async ({ params, body }, { workspace_id, user_id, actor }) =>
      shownTo(user_id)(await members.changeRole({ workspace_id, user_id, actor }, params.user_id, body.role)),
  });

  route(app, {
    method: 'DELETE',
    path: '/api/v1/members/{user_id}',
    tag: TAG,
    summary: 'Remove a member; the keys they made go on',
    credential: 'session',
    permission: 'members.manage',
    confirmed: true,
    schema: { params },
    success: 204,
    errors: [400, 404],
    handler: async ({ params }, { workspace_id, user_id, actor }) =>
      members.remove({ workspace_id, user_id, actor }, params.user_id),
  });
}
