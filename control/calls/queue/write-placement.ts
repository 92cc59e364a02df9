import { auditInsertion } from '../../audit/write-audit.ts';
import type { AnySql } from '../../db/connect.ts';
import type { Actor } from '../../http/authenticate.ts';
import { type KeyWithResponse, keyInsertion } from '../../http/idempotency.ts';
import { eventParts, eventRowsOf, type NewEvent } from '../events/timeline.ts';
import type { NewCall } from '../store.ts';

/** A call to be queued, and what is written with it. */
export interface NewQueuedCall extends NewCall {
  event: NewEvent;
  /** The author of its audit event; null for a batch's, whose audit event is its start. */
  audited: Actor | null;
  /** The key of its request, which it takes. */
  key: KeyWithResponse | null;
}

export interface PlacementOptions {
  /** Somebody may get a webhook of it. */
  has_receivers: boolean;
  /** All of them or none: they are of one agent. */
  whole: boolean;
  /** Calls of agents or workspaces whose rows are locked are left out. */
  skipLocked: boolean;
  nowMs: number;
}

export interface WrittenPlacement {
  /** Ids of calls that were written. */
  placed: ReadonlySet<string>;
  /** Ids of those that were not, because their keys are in use. */
  keyTaken: ReadonlySet<string>;
}

/**
 * Writes queued calls with their `call.queued`, its webhook deliveries, audit events and the keys of their requests: one statement. A
 * call is left out, with all that belongs to it, when its agent is not active any more or its number is not the workspace's: the caller
 * then reads again what was true.
 *
 * The agent's row is locked: the deletion of an agent ends its queued calls, so a call is written before it, or not at all.
 */
export async function writePlacement(
  sql: AnySql,
  calls: readonly NewQueuedCall[],
  { has_receivers, whole, skipLocked, nowMs }: PlacementOptions,
): Promise<WrittenPlacement> {
  const events = eventRowsOf(calls.map((call) => ({ call: timelineOf(call), events: [call.event] })));
  const audits = calls.flatMap((call) => (call.audited === null ? [] : auditOf(call, call.audited)));
  const keys = calls.flatMap(({ key }) => key ?? []);
  const ofPlaced = sql`where call_id in (select id from placed)`;
  const ofAudited = sql`where target_id in (select id from placed)`;
  const ofReady = sql`where (workspace_id, key) in (select workspace_id, key from ready)`;
  const [row] = await sql<{ ready: string[]; placed: string[] }[]>`
    with agent as (
      select agents.workspace_id, agents.id from agents join workspaces on workspaces.id = agents.workspace_id
      where agents.status = 'active' and (agents.workspace_id, agents.id) in (
        select * from unnest(
          ${calls.map(({ workspace_id }) => workspace_id)}::text[], ${calls.map(({ agent_id }) => agent_id)}::text[]
        )
      )
      for key share of agents, workspaces ${skipLocked ? sql`skip locked` : sql``}
    ), ready as (
      ${readyCalls(sql, calls, whole)}
    ), ${keys.length === 0 ? sql`` : sql`taken as (${keyInsertion(sql, keys, nowMs, ofReady)}), `}
    placed as (
      insert into live_calls (${columns(sql)}, direction, channel, status, event_seq)
      select ${columns(sql)}, 'outbound', 'phone', 'queued', 1 from ready
      ${keys.length === 0 ? sql`` : sql`where key is null or (workspace_id, key) in (select workspace_id, key from taken)`}
      returning id
    ), ${eventParts(sql, events, { onlyIf: ofPlaced, deliveries: has_receivers })}
    ${audits.length === 0 ? sql`` : sql`, audited as (${auditInsertion(sql, audits, ofAudited)})`}
    select array(select id from ready) as ready, array(select id from placed) as placed`;
  const placed = new Set(row!.placed);
  return { placed, keyTaken: new Set(row!.ready.filter((id) => !placed.has(id))) };
}

const timelineOf = ({ workspace_id, id, agent_id, batch_id = null }: NewCall) => ({
  ...{ workspace_id, id, agent_id, batch_id, event_seq: 0 },
});

const auditOf = ({ workspace_id, id, agent_id, created_at }: NewCall, actor: Actor) => ({
  ...{ workspace_id, actor, action: 'call.placed' as const, target: { kind: 'call', id, name: '' } },
  ...{ data: { agent_id }, at_ms: created_at.getTime() },
});

const columns = (sql: AnySql) => sql`
  workspace_id, agent_id, agent_name, agent_version, batch_id, currency, id, started_by, from_number, to_number, user_data,
  provider, created_at, not_before_at, queued_at`;

/** A query for the calls whose agent takes calls and whose numbers are the workspace's, each with its key. */
function readyCalls(sql: AnySql, calls: readonly NewQueuedCall[], whole: boolean) {
  const numbers = [...new Set(calls.map(({ from_number }) => from_number))];
  const ownNumber = whole
    ? sql`${numbers.length} = (
        select count(*) from numbers
        where workspace_id = ${calls[0]!.workspace_id} and number = any(${numbers}) and status = 'active'
      )`
    : sql`exists (
        select from numbers
        where numbers.workspace_id = new.workspace_id and number = new.from_number and status = 'active'
      )`;
  return sql`
    select new.* from unnest(
      ${calls.map(({ workspace_id }) => workspace_id)}::text[], ${calls.map(({ agent_id }) => agent_id)}::text[],
      ${calls.map(({ agent_name }) => agent_name)}::text[], ${calls.map(({ agent_version }) => agent_version)}::integer[],
      ${calls.map(({ batch_id }) => batch_id ?? null)}::text[], ${calls.map(({ currency }) => currency)}::text[],
      ${calls.map(({ id }) => id)}::text[], ${calls.map(({ started_by }) => started_by)}::text[],
      ${calls.map(({ from_number }) => from_number)}::text[], ${calls.map(({ to_number }) => to_number)}::text[],
      ${calls.map(({ user_data }) => JSON.stringify(user_data))}::text[]::jsonb[],
      ${calls.map(({ provider }) => provider)}::text[],
      ${calls.map(({ created_at }) => created_at.toISOString())}::text[]::timestamptz[],
      ${calls.map(({ not_before_at }) => not_before_at?.toISOString() ?? null)}::text[]::timestamptz[],
      ${calls.map(({ queued_at }) => queued_at.toISOString())}::text[]::timestamptz[],
      ${calls.map(({ key }) => key?.key ?? null)}::text[]
    ) as new (${columns(sql)}, key)
    join agent on agent.workspace_id = new.workspace_id and agent.id = new.agent_id
    where ${ownNumber}`;
}
