import type { Carrier } from '../../../shared/call.ts';
import { ID_PATTERN } from '../../../shared/ids.ts';
import type { TransferStatus } from '../../../shared/transfer.ts';
import type { Sql, Transaction } from '../../db/connect.ts';
import type { CallRow } from '../call-row.ts';
import { lockCallById } from '../store.ts';

/**
 * `starting`: the carrier has not said yes. `ringing`: the person's phone. `briefing`: the person listens. `joining`: the
 * caller is on the way to them. `talking`: both are in one conversation. `over`: nothing of it goes on.
 */
export type TransferState = 'starting' | 'ringing' | 'briefing' | 'joining' | 'talking' | 'over';

/** A row of the table `transfers`. */
export interface TransferRow {
  workspace_id: string;
  call_id: string;
  id: string;
  provider: Carrier;
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
  /** Its legs are in the ledger. */
  charged_at: Date | null;
}

export interface LockedTransfer {
  call: CallRow;
  transfer: TransferRow;
}

/** Call first, transfer second: everybody locks in this order. Null when it is not known, or is another carrier's. */
export async function lockTransfer(tx: Transaction, transferId: string): Promise<LockedTransfer | null> {
  if (!ID_PATTERN.test(transferId)) return null;
  const [found] = await tx<{ call_id: string }[]>`select call_id from transfers where id = ${transferId}`;
  const call = found ? await lockCallById(tx, found.call_id) : null;
  if (!call) return null;
  const [transfer] = await tx<TransferRow[]>`select * from transfers where id = ${transferId} for no key update`;
  return transfer ? { call, transfer } : null;
}

/** Runs with both rows held; null when the transfer is not known to this carrier. */
export async function withTransfer<Result>(
  sql: Sql,
  provider: Carrier,
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

/** The caller holds both rows. `transfer` is brought up to date. */
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

/** The transfer that is under way, or null. The caller holds the call's row. */
export async function findActiveTransfer(tx: Transaction, callId: string): Promise<TransferRow | null> {
  const [transfer] = await tx<TransferRow[]>`
    select * from transfers where call_id = ${callId} and state in ('starting', 'ringing', 'briefing', 'joining')`;
  return transfer ?? null;
}

/** The engine told the outcome of the call's oldest transfer whose outcome is not on the timeline. */
export async function markTransferReported(tx: Transaction, callId: string): Promise<void> {
  await tx`
    update transfers set told = true where id = (
      select id from transfers where call_id = ${callId} and not told order by started_at, id limit 1
    )`;
}

/** The carrier says that the caller's own leg is over. `callId` is empty where its address did not name the call. */
export async function markCallerEnded(
  sql: Sql,
  provider: Carrier,
  callId: string,
  providerCallId: string,
  nowMs: number,
): Promise<void> {
  await sql`
    update transfers set caller_ended_at = ${new Date(nowMs)},
      state = case when state = 'talking' and person_ended_at is not null then 'over' else state end
    from calls
    where calls.id = transfers.call_id and calls.provider = ${provider}
      and (calls.id = ${callId} or (${callId} = '' and calls.provider_call_id = ${providerCallId}))
      and calls.provider_call_id <> ''
      and transfers.caller_left_at is not null and transfers.caller_ended_at is null`;
}
