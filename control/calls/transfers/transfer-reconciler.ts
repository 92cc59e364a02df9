import { isOver } from '../../../shared/call.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { Logger } from '../../../shared/log.ts';
import type { TransferStatus } from '../../../shared/transfer.ts';
import type { Sql } from '../../db/connect.ts';
import { createItemRunner, eachInTurn, type ItemRunner } from '../../db/item-runner.ts';
import type { OpenWorkQuery } from '../../db/open-work.ts';
import { type PollingJob, startPollingJob } from '../../db/polling-job.ts';
import { chargeTransfers } from './charge-transfers.ts';
import { isUnknownTarget } from './find-target.ts';
import type { TransferController } from './transfer-controller.ts';
import { writeTransferStatus } from './transfer-outcome.ts';
import { changeTransfer, type TransferRow, type TransferState, withTransfer } from './transfer-row.ts';

export interface TransferReconcilerDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  transfers: Pick<TransferController, 'giveUp' | 'reportToEngine' | 'lookUpTarget'>;
  intervalMs?: number;
}

/** How long each state may last, the carrier's own timeouts included; after that its event is lost. */
const MAX_STATE_MS: Record<TransferState, number> = {
  starting: 30_000,
  ringing: 45_000,
  briefing: 75_000,
  joining: 25_000,
  // Carriers end calls after four hours.
  talking: 5 * 3_600_000,
  over: Number.POSITIVE_INFINITY,
};
/** The outcome is sent to the engine again while its report is not on the timeline, within these times after it was settled. */
const REPORT_RETRY_AFTER_MS = 5_000;
const REPORT_TIMEOUT_MS = 60_000;
/** The shortest of `MAX_STATE_MS`. */
const MIN_STATE_TIMEOUT_MS = 25_000;
/** A target whose dial was not answered is looked up from then on, and given up when a list does not show it for so long. */
const LOOK_UP_AFTER_MS = 3_000;
const MISSING_AFTER_MS = 12_000;
const BATCH_SIZE = 200;

/** Transfers that may have to be finished, and those to be charged. */
const unsettled: OpenWorkQuery = `
  select from transfers where state <> 'over' or not reported
  union all select from transfers where charged_at is null and caller_left_at is not null and status is not null`;

type Unfinished = TransferRow & { call_status: string; hangup_reason: string };

/**
 * Finishes transfers that nothing else finishes: the caller left while it rang, an event was lost, or a control process restarted
 * in between. The end of a call only wakes it; it polls every few seconds. Several processes may run it, because
 * every change is made under row locks.
 */
export function startTransferReconciler({ intervalMs = 2_000, ...deps }: TransferReconcilerDeps): PollingJob {
  const { sql, clock, log } = deps;
  // The end of a live call frees a slot.
  const wakeOn = { sql, topic: 'dispatch' } as const;
  const name = 'transfers';
  const items = createItemRunner({ name, idField: 'transfer_id', clock, log, maxConcurrent: 2 });
  const run = () => reconcileTransfers(deps, items);
  return startPollingJob({ name, intervalMs, clock, log, wakeOn, openWork: { sql, query: unsettled }, items, run });
}

/** One run of the reconciler. */
export async function reconcileTransfers(
  { sql, clock, transfers }: TransferReconcilerDeps,
  items: Pick<ItemRunner, 'run' | 'excluded'> = eachInTurn,
): Promise<void> {
  const nowMs = clock.wall();
  const { ids, workspace_ids } = items.excluded();
  const ago = (ms: number) => new Date(nowMs - ms);
  const unfinished = await sql<Unfinished[]>`
    select transfers.*, calls.status as call_status, calls.hangup_reason
    from transfers join calls on calls.id = transfers.call_id
    where (transfers.state <> 'over' or not transfers.reported) and (
      (transfers.status is null
        and (calls.status not in ('ringing', 'in-progress') or transfers.state_at < ${ago(MIN_STATE_TIMEOUT_MS)}
          or (transfers.warm and transfers.state = 'ringing' and transfers.target_call_id = ''
            and transfers.target_request_id = '' and transfers.state_at < ${ago(LOOK_UP_AFTER_MS)})))
      or (not transfers.reported
        and (calls.status not in ('ringing', 'in-progress')
          or (transfers.warm and transfers.state = 'over'
            and transfers.settled_at between ${ago(REPORT_TIMEOUT_MS)} and ${ago(REPORT_RETRY_AFTER_MS)})))
      or (transfers.state = 'talking' and transfers.state_at < ${ago(MAX_STATE_MS.talking)})
    ) and transfers.id <> all(${ids}) and transfers.workspace_id <> all(${workspace_ids})
    order by transfers.state_at limit ${BATCH_SIZE}`;
  await items.run(unfinished, (transfer) => reconcile(transfer, nowMs));
  await chargeTransfers({ sql, clock }, items);

  async function lookUp(transfer: TransferRow, nowMs: number): Promise<void> {
    const found = await transfers.lookUpTarget(transfer);
    if (found !== 'missing' || nowMs - transfer.state_at.getTime() < MISSING_AFTER_MS) return;
    await transfers.giveUp(transfer.provider, transfer.id, { status: 'failed', dial_status: '' });
  }

  async function reconcile(transfer: Unfinished, nowMs: number): Promise<void> {
    const { id, provider, state, settled_at, reported } = transfer;
    const callOver = isOver(transfer.call_status as Parameters<typeof isOver>[0]);
    const late = nowMs - transfer.state_at.getTime() > MAX_STATE_MS[state];
    if (settled_at === null) {
      const status = isAbandoned(transfer, callOver) ? 'canceled' : late ? statusOfTimeout(state) : null;
      if (status) await transfers.giveUp(provider, id, { status, dial_status: '' });
      else if (isUnknownTarget(transfer)) await lookUp(transfer, nowMs);
      return;
    }
    if (!reported && callOver)
      await withTransfer(sql, provider, id, (tx, held) => writeTransferStatus(tx, held, clock.wall()));
    else if (!reported && transfer.warm && state === 'over') await transfers.reportToEngine(transfer);
    if (state === 'talking' && late) {
      await withTransfer(sql, provider, id, (tx, { transfer }) =>
        changeTransfer(tx, transfer, { state: 'over' }, clock.wall()),
      );
    }
  }
}

/** Whether the caller has left the agent without being joined with the target. */
function isAbandoned({ warm, state, hangup_reason }: Unfinished, callOver: boolean): boolean {
  return warm && callOver && !(state === 'joining' && hangup_reason === 'transferred');
}

function statusOfTimeout(state: TransferState): TransferStatus {
  return state === 'ringing' ? 'no-answer' : 'failed';
}
