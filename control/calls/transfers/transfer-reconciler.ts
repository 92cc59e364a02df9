import { isOver } from '../../../shared/call.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { Logger } from '../../../shared/log.ts';
import type { TransferStatus } from '../../../shared/transfer.ts';
import type { Sql } from '../../db/connect.ts';
import { listenForNotifications } from '../../db/notifications.ts';
import { type PollingJob, startPollingJob } from '../../db/polling-job.ts';
import { DISPATCH_CHANNEL } from '../lifecycle/call-state-machine.ts';
import { chargeTransfers } from './charge-transfers.ts';
import type { TransferController } from './transfer-controller.ts';
import { writeTransferStatus } from './transfer-outcome.ts';
import { changeTransfer, type TransferRow, type TransferState, withTransfer } from './transfer-row.ts';

export interface TransferReconcilerDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  transfers: Pick<TransferController, 'giveUp' | 'reportToEngine'>;
  intervalMs?: number;
}

/** How long each step may take, with the carrier's own deadlines inside; then the news of it is lost. */
const MAX_STATE_MS: Record<TransferState, number> = {
  starting: 30_000,
  ringing: 45_000,
  briefing: 75_000,
  joining: 25_000,
  // Carriers end a call after four hours.
  talking: 5 * 3_600_000,
  over: Number.POSITIVE_INFINITY,
};
/** The engine tells the outcome it was given; after so long it is given again, for a while. */
const REPORT_RETRY_AFTER_MS = 5_000;
const REPORT_TIMEOUT_MS = 60_000;
/** The shortest of the times above. */
const MIN_STATE_TIMEOUT_MS = 25_000;
const BATCH_SIZE = 200;

type Unfinished = TransferRow & { call_status: string; hangup_reason: string };

/**
 * Looks after the transfers nobody else finishes: of callers who left while it rang, of news that never came, of a control
 * process that was restarted in between. Woken when a call ends; the look every few seconds is the truth. Several
 * processes may keep at once, what they do is settled under row locks.
 */
export function startTransferReconciler({
  sql,
  clock,
  log,
  transfers: steps,
  intervalMs: everyMs = 2_000,
}: TransferReconcilerDeps): {
  stop(): Promise<void>;
} {
  const loop: PollingJob = startPollingJob({
    name: 'transfers',
    intervalMs: everyMs,
    clock,
    log,
    run: () => reconcileTransfers({ sql, clock, log, transfers: steps }),
  });
  // A live call that ends frees its slot, and tells so on this channel.
  const hearing = listenForNotifications(
    sql,
    DISPATCH_CHANNEL,
    () => loop.wake(),
    (error) => log.warn({ error }, 'ends of calls are not heard; transfers are looked at in turn'),
  );
  return {
    async stop() {
      await loop.stop();
      await hearing.stop();
    },
  };
}

/** One round. */
export async function reconcileTransfers({ sql, clock, transfers: steps }: TransferReconcilerDeps): Promise<void> {
  const nowMs = clock.wall();
  const ago = (ms: number) => new Date(nowMs - ms);
  const unfinished = await sql<Unfinished[]>`
    select transfers.*, calls.status as call_status, calls.hangup_reason
    from transfers join calls on calls.id = transfers.call_id
    where (transfers.state <> 'over' or not transfers.told) and (
      (transfers.status is null
        and (calls.status not in ('ringing', 'in-progress') or transfers.state_at < ${ago(MIN_STATE_TIMEOUT_MS)}))
      or (not transfers.told
        and (calls.status not in ('ringing', 'in-progress')
          or (transfers.warm and transfers.state = 'over'
            and transfers.settled_at between ${ago(REPORT_TIMEOUT_MS)} and ${ago(REPORT_RETRY_AFTER_MS)})))
      or (transfers.state = 'talking' and transfers.state_at < ${ago(MAX_STATE_MS.talking)})
    )
    order by transfers.state_at limit ${BATCH_SIZE}`;
  for (const transfer of unfinished) await look(transfer, nowMs);
  await chargeTransfers({ sql, clock });

  async function look(transfer: Unfinished, nowMs: number): Promise<void> {
    const { id, provider, state, settled_at, reported: told } = transfer;
    const callOver = isOver(transfer.call_status as Parameters<typeof isOver>[0]);
    const late = nowMs - transfer.state_at.getTime() > MAX_STATE_MS[state];
    if (settled_at === null) {
      const why = isAbandoned(transfer, callOver) ? 'canceled' : late ? statusOfTimeout(state) : null;
      if (why) await steps.giveUp(provider, id, { status: why, dial_status: '' });
      return;
    }
    if (!told && callOver)
      await withTransfer(sql, provider, id, (tx, held) => writeTransferStatus(tx, held, clock.wall()));
    else if (!told && transfer.warm && state === 'over') await steps.reportToEngine(transfer);
    if (state === 'talking' && late) {
      await withTransfer(sql, provider, id, (tx, { transfer }) =>
        changeTransfer(tx, transfer, { state: 'over' }, clock.wall()),
      );
    }
  }
}

/** The caller is no longer with the agent, and was not handed over either. */
function isAbandoned({ warm, state, hangup_reason }: Unfinished, callOver: boolean): boolean {
  return warm && callOver && !(state === 'joining' && hangup_reason === 'transferred');
}

function statusOfTimeout(state: TransferState): TransferStatus {
  return state === 'ringing' ? 'no-answer' : 'failed';
}
