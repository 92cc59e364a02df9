import { isOver } from '../../shared/call.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { TransferStatus } from '../../shared/transfer.ts';
import type { Sql } from '../db/connect.ts';
import { listenForNotifications } from '../db/notifications.ts';
import { type PollingJob, startPollingJob } from '../db/polling-job.ts';
import { chargeTransfers } from './charge-transfers.ts';
import { DISPATCH_CHANNEL } from './move.ts';
import { tellOutcome } from './transfer-outcome.ts';
import { changeTransfer, type TransferRow, type TransferState, withTransfer } from './transfer-row.ts';
import type { TransferSteps } from './transfer-steps.ts';

export interface TransferKeeperDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  steps: Pick<TransferSteps, 'giveUp' | 'tellEngine'>;
  everyMs?: number;
}

/** How long each step may take, with the carrier's own deadlines inside; then the news of it is lost. */
const AT_MOST_MS: Record<TransferState, number> = {
  starting: 30_000,
  ringing: 45_000,
  briefing: 75_000,
  joining: 25_000,
  // Carriers end a call after four hours.
  talking: 5 * 3_600_000,
  over: Number.POSITIVE_INFINITY,
};
/** The engine tells the outcome it was given; after so long it is given again, for a while. */
const TELL_AGAIN_AFTER_MS = 5_000;
const TELL_AT_MOST_MS = 60_000;
/** The shortest of the times above. */
const FIRST_LATE_MS = 25_000;
const BATCH = 200;

type Unfinished = TransferRow & { call_status: string; hangup_reason: string };

/**
 * Looks after the transfers nobody else finishes: of callers who left while it rang, of news that never came, of a control
 * process that was restarted in between. Woken when a call ends; the look every few seconds is the truth. Several
 * processes may keep at once, what they do is settled under row locks.
 */
export function startTransferKeeper({ sql, clock, log, steps, everyMs = 2_000 }: TransferKeeperDeps): {
  stop(): Promise<void>;
} {
  const loop: PollingJob = startPollingJob({
    name: 'transfers',
    intervalMs: everyMs,
    clock,
    log,
    run: () => keep({ sql, clock, log, steps }),
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
export async function keep({ sql, clock, steps }: TransferKeeperDeps): Promise<void> {
  const nowMs = clock.wall();
  const ago = (ms: number) => new Date(nowMs - ms);
  const unfinished = await sql<Unfinished[]>`
    select transfers.*, calls.status as call_status, calls.hangup_reason
    from transfers join calls on calls.id = transfers.call_id
    where (transfers.state <> 'over' or not transfers.told) and (
      (transfers.status is null
        and (calls.status not in ('ringing', 'in-progress') or transfers.state_at < ${ago(FIRST_LATE_MS)}))
      or (not transfers.told
        and (calls.status not in ('ringing', 'in-progress')
          or (transfers.warm and transfers.state = 'over'
            and transfers.settled_at between ${ago(TELL_AT_MOST_MS)} and ${ago(TELL_AGAIN_AFTER_MS)})))
      or (transfers.state = 'talking' and transfers.state_at < ${ago(AT_MOST_MS.talking)})
    )
    order by transfers.state_at limit ${BATCH}`;
  for (const transfer of unfinished) await look(transfer, nowMs);
  await chargeTransfers({ sql, clock });

  async function look(transfer: Unfinished, nowMs: number): Promise<void> {
    const { id, provider, state, settled_at, told } = transfer;
    const callOver = isOver(transfer.call_status as Parameters<typeof isOver>[0]);
    const late = nowMs - transfer.state_at.getTime() > AT_MOST_MS[state];
    if (settled_at === null) {
      const why = abandoned(transfer, callOver) ? 'canceled' : late ? lostAs(state) : null;
      if (why) await steps.giveUp(provider, id, { status: why, dial_status: '' });
      return;
    }
    if (!told && callOver) await withTransfer(sql, provider, id, (tx, held) => tellOutcome(tx, held, clock.wall()));
    else if (!told && transfer.warm && state === 'over') await steps.tellEngine(transfer);
    if (state === 'talking' && late) {
      await withTransfer(sql, provider, id, (tx, { transfer }) =>
        changeTransfer(tx, transfer, { state: 'over' }, clock.wall()),
      );
    }
  }
}

/** The caller is no longer with the agent, and was not handed over either. */
function abandoned({ warm, state, hangup_reason }: Unfinished, callOver: boolean): boolean {
  return warm && callOver && !(state === 'joining' && hangup_reason === 'transferred');
}

function lostAs(state: TransferState): TransferStatus {
  return state === 'ringing' ? 'no-answer' : 'failed';
}
