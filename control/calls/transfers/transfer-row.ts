import type { CarrierName } from '../../../shared/carriers/registry.ts';
import { ID_PATTERN } from '../../../shared/ids.ts';
import type { TransferStatus } from '../../../shared/transfer.ts';
import type { Sql, Transaction } from '../../db/connect.ts';
import type { CallRow } from '../call-row.ts';
import { lockCallById } from '../store.ts';

/**
 * `starting`: the carrier has not accepted yet. `ringing`: the target's phone rings. `briefing`: the target hears the summary.
 * `joining`: the caller is being connected. `talking`: caller and target are connected. `over`: ended.
 */
export type TransferState = 'starting' | 'ringing' | 'briefing' | 'joining' | 'talking' | 'over';

/** A row of the table `transfers`. */
export interface TransferRow {
  workspace_id: string;
  call_id: string;
  id: string;
  provider: CarrierName;
  warm: boolean;
  name: string;
  number: string;
  reason: string;
  summary: string;
  language: string;
  state: TransferState;
  state_at: Date;
  status: TransferStatus | null;
  dial_status: string;
  settled_at: Date | null;
  reported: boolean;
  target_call_id: string;
  target_request_id: string;
  started_at: Date;
  caller_left_at: Date | null;
  target_answered_at: Date | null;
  bridged_at: Date | null;
  target_ended_at: Date | null;
  caller_ended_at: Date | null;
  /** When its legs were charged. */
  charged_at: Date | null;
}

export interface LockedTransfer {
  call: CallRow;
  transfer: TransferRow;
}

/** Locks the call, then the transfer, always in this order. Null when the transfer is not known. */
export async function lockTransfer(tx: Transaction, transferId: string): Promise<LockedTransfer | null> {
  if (!ID_PATTERN.test(transferId)) return null;
  const [found] = await tx<{ call_id: string }[]>`select call_id from transfers where id = ${transferId}`;
  const call = found ? await lockCallById(tx, found.call_id) : null;
  if (!call) return null;
  const [transfer] = await tx<TransferRow[]>`select * from transfers where id = ${transferId} for no key update`;
  return transfer ? { call, transfer } : null;
}

/** Runs with both rows locked; null when this carrier has no such transfer. */
export async function withTransfer<Result>(
  sql: Sql,
  provider: CarrierName,
  transferId: string,
  run: (tx: Transaction, held: LockedTransfer) => Promise<Result>,
): Promise<Result | null> {
  const result = await sql.begin(async (tx) => {
    const held = await lockTransfer(tx, transferId);
    return held?.transfer.provider === provider ? { of: await run(tx, held) } : null;
  });
  return result ? (result.of as Result) : null;
}

export type TransferChange = Partial<Omit<TransferRow, 'workspace_id' | 'call_id' | 'id' | 'state_at'>>;

/** Changes columns and updates `transfer`. The caller holds both locks. */
export async function changeTransfer(
  tx: Transaction,
  transfer: TransferRow,
  change: TransferChange,
  nowMs: number,
): Promise<void> {
  const moved = change.state !== undefined && change.state !== transfer.state;
  const all = moved ? { ...change, state_at: new Date(nowMs) } : change;
  const { workspace_id, id } = transfer;
  await tx`
    update transfers set ${tx(all as Record<string, never>)} where workspace_id = ${workspace_id} and id = ${id}`;
  Object.assign(transfer, all);
}

export async function insertTransfer(
  tx: Transaction,
  transfer: Pick<
    TransferRow,
    'workspace_id' | 'call_id' | 'id' | 'provider' | 'warm' | 'name' | 'number' | 'reason' | 'summary' | 'language'
  >,
  nowMs: number,
): Promise<void> {
  const now = new Date(nowMs);
  await tx`insert into transfers ${tx({ ...transfer, state: 'starting', state_at: now, started_at: now } as never)}`;
}

/** The call's unsettled transfer, or null. The caller holds the lock on the call. */
export async function findActiveTransfer(tx: Transaction, callId: string): Promise<TransferRow | null> {
  const [transfer] = await tx<TransferRow[]>`
    select * from transfers where call_id = ${callId} and state in ('starting', 'ringing', 'briefing', 'joining')`;
  return transfer ?? null;
}

/** Whether a transfer of the call can still add to its cost: not settled, or the caller left and the legs are not charged yet. */
export async function hasUnchargedTransfer(tx: Transaction, callId: string): Promise<boolean> {
  return (await withUnchargedTransfer(tx, [callId])).has(callId);
}

/** Those of the calls of which the same is true. */
export async function withUnchargedTransfer(tx: Transaction, callIds: readonly string[]): Promise<Set<string>> {
  const rows = await tx<{ call_id: string }[]>`
    select call_id from transfers
    where call_id = any(${[...callIds]}) and charged_at is null and (status is null or caller_left_at is not null)`;
  return new Set(rows.map(({ call_id }) => call_id));
}

/** Whether the legs of a settled transfer of the workspace are still to be charged, as part of a call that was priced before. */
export async function hasUnchargedLegs(tx: Transaction, workspaceId: string): Promise<boolean> {
  const rows = await tx`
    select 1 from transfers
    where workspace_id = ${workspaceId} and charged_at is null and caller_left_at is not null and status is not null limit 1`;
  return rows.length > 0;
}

/** Marks the call's oldest unreported transfer as reported by the engine. */
export async function markTransferReported(tx: Transaction, callId: string): Promise<void> {
  await tx`
    update transfers set reported = true where id = (
      select id from transfers where call_id = ${callId} and not reported order by started_at, id limit 1
    )`;
}

/** Records the end of the caller's own leg. `callId` is empty where the callback's URL did not name the call. */
export async function markCallerEnded(
  sql: Sql,
  provider: CarrierName,
  callId: string,
  providerCallId: string,
  nowMs: number,
): Promise<void> {
  const ofCarrier = sql`(
    select id from calls where provider = ${provider} and provider_call_id = ${providerCallId} and provider_call_id <> ''
    limit 1
  )`;
  await sql`
    update transfers set caller_ended_at = ${new Date(nowMs)},
      state = case when state = 'talking' and target_ended_at is not null then 'over' else state end
    where provider = ${provider} and caller_left_at is not null and caller_ended_at is null
      and call_id = ${callId === '' ? ofCarrier : callId}`;
}
