import type { CarrierName } from '../../shared/carriers/registry.ts';
import type { EventType } from '../../shared/events.ts';
import type { AnySql, Transaction } from '../db/connect.ts';
import type { CallRow } from './call-row.ts';
import { withTranscript } from './events/completed-event.ts';

/** The table that a call's row lies in; it stays there while the row is locked. */
export const tableOf = (sql: AnySql, { finished }: Pick<CallRow, 'finished'>) =>
  sql(finished ? 'finished_calls' : 'live_calls');

/** Locks the row until the end of the transaction; every change of a call happens under this lock. */
export async function lockCall(tx: Transaction, workspaceId: string, callId: string): Promise<CallRow | null> {
  return lockWhere(tx, tx`workspace_id = ${workspaceId} and id = ${callId}`);
}

/** For requests of carriers and engines, which know the call's id but not its workspace. */
export async function lockCallById(tx: Transaction, callId: string): Promise<CallRow | null> {
  return lockWhere(tx, tx`id = ${callId}`);
}

/** Locks a call by the carrier's id of it. */
export async function lockCallOfCarrier(
  tx: Transaction,
  provider: CarrierName,
  providerCallId: string,
): Promise<CallRow | null> {
  return lockWhere(tx, tx`provider = ${provider} and provider_call_id = ${providerCallId} and provider_call_id <> ''`);
}

/**
 * Locks the call that the condition names. One that is moved while its lock is waited for is gone from `live_calls`; the second
 * statement begins after the move and sees it. No call moves back.
 */
async function lockWhere(tx: Transaction, condition: ReturnType<Transaction>): Promise<CallRow | null> {
  const [live] = await tx<CallRow[]>`select * from live_calls where ${condition} for no key update`;
  if (live) return live;
  const [finished] = await tx<CallRow[]>`select * from finished_calls where ${condition} for no key update`;
  return finished ?? null;
}

type CallInShort = Pick<
  CallRow,
  'workspace_id' | 'id' | 'agent_id' | 'agent_version' | 'created_at' | 'status' | 'handoff_agent_ids'
>;

/** Workspace, agents and status of a call; the row is not locked. */
export async function findCallById(sql: AnySql, callId: string): Promise<CallInShort | null> {
  const [call] = await sql<CallInShort[]>`
    select workspace_id, id, agent_id, agent_version, created_at, status, handoff_agent_ids from calls where id = ${callId}`;
  return call ?? null;
}

export async function findCall(sql: AnySql, workspaceId: string, callId: string): Promise<CallRow | null> {
  const [call] = await sql<CallRow[]>`select * from calls where workspace_id = ${workspaceId} and id = ${callId}`;
  return call ?? null;
}

export type NewCall = Pick<
  CallRow,
  | 'workspace_id'
  | 'id'
  | 'agent_id'
  | 'agent_name'
  | 'agent_version'
  | 'direction'
  | 'channel'
  | 'status'
  | 'from_number'
  | 'to_number'
  | 'user_data'
  | 'started_by'
  | 'provider'
  | 'created_at'
  | 'not_before_at'
  | 'queued_at'
  | 'currency'
> &
  Partial<Pick<CallRow, 'batch_id' | 'ringing_at' | 'provider_call_id' | 'ended_at' | 'hangup_by' | 'hangup_reason'>>;

/** Inserts a call; the new row is locked until the end of the transaction. */
export async function insertCall(tx: Transaction, call: NewCall): Promise<CallRow> {
  const [row] = await tx<CallRow[]>`insert into live_calls ${tx(call as never)} returning *`;
  return row!;
}

/** The timeline of a call, in order. */
/** The `data` of the call's end; null while its timeline has none. */
export async function dataOfEnd(
  sql: AnySql,
  workspaceId: string,
  callId: string,
): Promise<Record<string, unknown> | null> {
  const [event] = await sql<{ data: Record<string, unknown> }[]>`
    select data from call_events
    where workspace_id = ${workspaceId} and call_id = ${callId} and type = 'call.ended' order by seq limit 1`;
  return event?.data ?? null;
}

export async function eventsOfCall(sql: AnySql, workspaceId: string, callId: string) {
  const rows = await sql<
    {
      id: string;
      seq: number;
      type: EventType;
      message: string;
      level: 'info' | 'warning' | 'error';
      latency_ms: number | null;
      data: Record<string, unknown>;
      created_at: Date;
      transcript: CallRow['transcript'] | null;
    }[]
  >`
    select id, seq, type, message, level, latency_ms, data, created_at,
      case when type = 'call.completed' then (
        select transcript from finished_calls where workspace_id = ${workspaceId} and id = ${callId}
      ) end as transcript
    from call_events where workspace_id = ${workspaceId} and call_id = ${callId} order by seq`;
  return rows.map(({ transcript, ...event }) => ({ ...event, data: withTranscript(event.data, transcript ?? []) }));
}
