import { expect, it } from 'vitest';
import { listServerLogs } from '../../../control/observability/list-logs.ts';
import { listAuditEvents } from '../../../control/observability/store.ts';
import { listDeliveries } from '../../../control/webhooks/delivery-store.ts';
import { createTestDatabase } from '../../support/postgres.ts';

const { sql } = await createTestDatabase();
const ROWS = 10_020;

await sql`
  insert into workspaces (id, name, state, created_at) values ('acme', 'Acme', 'active', now()), ('other', 'Other', 'active', now())`;
await sql`
  insert into server_logs (workspace_id, id, at, level, message, source)
  select 'acme', n::text, now(), case when n <= 10000 then 'info' else 'error' end, 'line', 'api' from generate_series(1, ${ROWS}) as n`;
await sql`
  insert into audit_events (workspace_id, id, at, action, actor_kind, actor_id, actor_name, target_kind, target_id, target_name)
  select 'acme', n::text, now(), 'agent.updated', 'user', case when n <= 10000 then 'a' else 'b' end, '', 'agent', '', ''
  from generate_series(1, ${ROWS}) as n`;
await sql`
  insert into webhook_deliveries (
    workspace_id, id, event_id, event_type, body_id, endpoint_id, receiver, url, call_id, agent_id, event_seq, status, created_at
  )
  select 'acme', n::text, '', 'call.ended', '', case when n <= 10000 then 'a' else 'b' end, '', '', '', '', 1, 'delivered', now()
  from generate_series(1, ${ROWS}) as n`;

it.each([
  ['server logs', listServerLogs, { level: ['info'] }, { level: ['error'] }],
  ['audit events', listAuditEvents, { actor_id: 'a' }, { actor_id: 'b' }],
  ['deliveries', listDeliveries, { endpoint_id: 'a' }, { endpoint_id: 'b' }],
] as const)('%s are counted up to 10,000, and the total says when there are more', async (_, list, many, few) => {
  const totalOf = async (filters: object, limit: number, skip: number, workspaceId = 'acme') => {
    const { items, ...total } = await list(sql, workspaceId, filters, limit, skip);
    return { rows: items.length, ...total };
  };
  expect(await totalOf(few, 5, 18)).toEqual({ rows: 2, total: 20 });
  expect(await totalOf(many, 5, 0)).toEqual({ rows: 5, total: 10_000 });
  expect(await totalOf({}, 5, 0)).toEqual({ rows: 5, total: 10_000, total_is_estimate: true });
  expect(await totalOf({}, 50, 10_000)).toEqual({ rows: 20, total: 10_020, total_is_estimate: true });
  expect(await totalOf({}, 5, 0, 'other')).toEqual({ rows: 0, total: 0 });
});
