import { auditInsertion } from '../../audit/write-audit.ts';
import type { AnySql } from '../../db/connect.ts';
import type { Actor } from '../../http/authenticate.ts';
import { carriedOutUpdate, type IdempotencyClaim } from '../../http/idempotency.ts';
import type { CallRow } from '../call-row.ts';
import { eventParts, eventRowsOf, type NewEvent } from '../events/timeline.ts';
import type { NewCall } from '../store.ts';

/** A call to be queued, and what is written with it. */
export interface NewQueuedCall extends NewCall {
  event: NewEvent;
  /** The author of its audit event; null for a batch's, whose audit event is its start. */
  audited: Actor | null;
  /** The idempotent request that it carries out. */
  claim: IdempotencyClaim | null;
}

/**
 * Writes queued calls of one agent with their `call.queued`, its webhook deliveries, audit events and the marks of idempotent requests:
 * one statement, so all or nothing. Returns no calls, and has written nothing, when the agent is not active any more or a number is not
 * the workspace's: the caller then reads again what was true.
 *
 * The agent's row is locked: the deletion of an agent ends its queued calls, so a call is written before it, or not at all.
 */
export async function writePlacement(
  sql: AnySql,
  calls: readonly NewQueuedCall[],
  { has_receivers }: { has_receivers: boolean },
): Promise<CallRow[]> {
  const { workspace_id, agent_id } = calls[0]!;
  const events = eventRowsOf(calls.map((call) => ({ call: timelineOf(call), events: [call.event] })));
  const numbers = [...new Set(calls.map(({ from_number }) => from_number))];
  const audits = calls.flatMap((call) => (call.audited === null ? [] : auditOf(call, call.audited)));
  const claims = calls.flatMap(({ claim }) => claim ?? []);
  const ifPlaced = sql`where exists (select from placed)`;
  const rows = await sql<CallRow[]>`
    with agent as (
      select from agents where workspace_id = ${workspace_id} and id = ${agent_id} and status = 'active' for key share
    ), placed as (
      ${callInsertion(sql, calls)}
      where ${numbers.length} = (
        select count(*) from numbers
        where workspace_id = ${workspace_id} and number = any(${numbers}) and status = 'active'
      )
      returning *
    ), ${eventParts(sql, events, { onlyIf: ifPlaced, deliveries: has_receivers })}
    ${audits.length === 0 ? sql`` : sql`, audited as (${auditInsertion(sql, audits, ifPlaced)})`}
    ${claims.length === 0 ? sql`` : sql`, marked as (${carriedOutUpdate(sql, claims, sql`and exists (select from placed)`)})`}
    select * from placed order by id`;
  return [...rows];
}

const timelineOf = ({ workspace_id, id, agent_id, batch_id = null }: NewCall) => ({
  ...{ workspace_id, id, agent_id, batch_id, event_seq: 0 },
});

const auditOf = ({ workspace_id, id, agent_id, created_at }: NewCall, actor: Actor) => ({
  ...{ workspace_id, actor, action: 'call.placed', target: { kind: 'call', id, name: '' } },
  ...{ data: { agent_id }, at_ms: created_at.getTime() },
});

/** What the calls have in common is sent once; the condition and `returning` follow. Each begins with one event. */
function callInsertion(sql: AnySql, calls: readonly NewCall[]) {
  const { workspace_id, agent_id, agent_name, agent_version, batch_id, direction, channel, status } = calls[0]!;
  const { currency } = calls[0]!;
  return sql`
    insert into live_calls (
      workspace_id, agent_id, agent_name, agent_version, batch_id, direction, channel, status, currency, event_seq,
      id, started_by, from_number, to_number, user_data, provider, created_at, not_before_at, queued_at
    )
    select ${workspace_id}::text, ${agent_id}::text, ${agent_name}::text, ${agent_version}::integer, ${batch_id ?? null}::text,
      ${direction}::text, ${channel}::text, ${status}::text, ${currency}::text, 1,
      id, started_by, from_number, to_number, user_data::jsonb, provider, created_at::timestamptz, not_before_at::timestamptz,
      queued_at::timestamptz
    from agent cross join unnest(
      ${calls.map(({ id }) => id)}::text[], ${calls.map(({ started_by }) => started_by)}::text[],
      ${calls.map(({ from_number }) => from_number)}::text[], ${calls.map(({ to_number }) => to_number)}::text[],
      ${calls.map(({ user_data }) => JSON.stringify(user_data))}::text[],
      ${calls.map(({ provider }) => provider)}::text[],
      ${calls.map(({ created_at }) => created_at.toISOString())}::text[],
      ${calls.map(({ not_before_at }) => not_before_at?.toISOString() ?? null)}::text[],
      ${calls.map(({ queued_at }) => queued_at.toISOString())}::text[]
    ) as new (id, started_by, from_number, to_number, user_data, provider, created_at, not_before_at, queued_at)`;
}
