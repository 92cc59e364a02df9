import type { Bus } from '../../../shared/bus/bus.ts';
import type { CarrierName } from '../../../shared/carriers/registry.ts';
import type { Clock } from '../../../shared/clock.ts';
import { errorText, type Logger } from '../../../shared/log.ts';
import type { TransferStatus } from '../../../shared/transfer.ts';
import type { CarrierCallback, CarrierStatus } from '../../carriers/callback.ts';
import { CarrierError, type Carriers } from '../../carriers/carrier.ts';
import type { CarrierUrls } from '../../carriers/carrier-urls.ts';
import type { TransferEventHandler } from '../../carriers/event-handlers.ts';
import type { TargetStep } from '../../carriers/transfers.ts';
import type { Sql, Transaction } from '../../db/connect.ts';
import { isSameCall } from '../lifecycle/answered-call.ts';
import { type FoundTarget, findTarget, isUnknownTarget } from './find-target.ts';
import { connectRequest } from './start-transfer.ts';
import { settleTransfer, type TransferResult } from './transfer-outcome.ts';
import { changeTransfer, type LockedTransfer, type TransferRow, withTransfer } from './transfer-row.ts';

export interface TransferControllerDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  bus: Pick<Bus, 'sendTransferOutcome'>;
  carriers: Carriers;
  addresses: Pick<CarrierUrls, 'transferUrl'>;
  /** Keeps work that outlives a carrier's callback; the module waits for it before it stops. */
  track(work: Promise<void>, failureMessage: string): void;
}

export interface TransferController extends TransferEventHandler {
  /** Settles a transfer as failed: hangs up the target's leg and reports to the engine. Does nothing when it is settled. */
  giveUp(provider: CarrierName, transferId: string, outcome: TransferResult): Promise<void>;
  /** Reports to the engine that the caller stays with the agent. Never throws. */
  reportToEngine(transfer: TransferRow): Promise<boolean>;
  hangUpTarget(transfer: TransferRow): Promise<void>;
  /** Asks the carrier for a target whose dial was not answered: learns its id, or that it was never dialled. */
  lookUpTarget(transfer: TransferRow): Promise<FoundTarget>;
}

const ENGINE_REPLY_TIMEOUT_MS = 2_000;
const HANG_UP: TargetStep = { do: 'hang up' };

/** Handles the carrier's events of transfers. Late, repeated and unknown events change nothing. */
export function createTransferController(deps: TransferControllerDeps): TransferController {
  const { sql, clock, log, bus, carriers, addresses, track } = deps;

  async function hangUpTarget(transfer: TransferRow): Promise<void> {
    const { id, provider, warm, target_call_id, target_request_id } = transfer;
    const known = { provider_call_id: target_call_id, provider_request_id: target_request_id };
    const isKnown = target_call_id !== '' || target_request_id !== '';
    if (!isKnown && !warm) return;
    const leg = isKnown ? known : await findTarget(deps, transfer);
    if (typeof leg === 'string') return;
    try {
      await carriers.get(provider)?.hangUp(leg);
    } catch (error) {
      log.warn({ transfer_id: id, provider, error: errorText(error) }, "hanging up the target's leg failed");
    }
  }

  async function sendOutcome(transfer: TransferRow, status: TransferStatus): Promise<boolean> {
    const { call_id, id: transfer_id, dial_status } = transfer;
    const outcome = { call_id, transfer_id, status, dial_status };
    try {
      const [call] = await sql<{ engine_id: string }[]>`select engine_id from live_calls where id = ${call_id}`;
      if (!call) return false;
      return (await bus.sendTransferOutcome(outcome, ENGINE_REPLY_TIMEOUT_MS, call.engine_id)).done;
    } catch {
      return false;
    }
  }

  const reportToEngine = (transfer: TransferRow) => sendOutcome(transfer, transfer.status ?? 'failed');

  async function giveUp(provider: CarrierName, transferId: string, outcome: TransferResult): Promise<void> {
    const given = await withTransfer(sql, provider, transferId, async (tx, held) =>
      (await settleTransfer(tx, held, outcome, clock.wall())) ? held : null,
    );
    if (given) await undo(given);
  }

  async function lookUpTarget(transfer: TransferRow): Promise<FoundTarget> {
    const found = await findTarget(deps, transfer);
    if (typeof found === 'string') return found;
    const { provider_call_id: target_call_id } = found;
    await withTransfer(sql, transfer.provider, transfer.id, async (tx, { transfer }) => {
      if (isUnknownTarget(transfer)) await changeTransfer(tx, transfer, { target_call_id }, clock.wall());
    });
    return found;
  }

  /** Only the engine of a warm transfer waits for an outcome: the caller of a cold one has left it. */
  async function undo({ call, transfer }: LockedTransfer): Promise<void> {
    const waits = transfer.warm && call.status === 'in-progress';
    const ended = transfer.target_ended_at === null ? hangUpTarget(transfer) : null;
    await Promise.all([ended, waits ? reportToEngine(transfer) : null]);
  }

  /** Connects the caller with the target to whom the summary was played: the engine releases the call, then the carrier joins both. */
  async function joinCallerAndTarget(provider: CarrierName, transferId: string): Promise<void> {
    const held = await withTransfer(sql, provider, transferId, async (_tx, held) => held);
    const transfers = carriers.get(provider)?.transfers;
    if (held?.transfer.state !== 'joining' || !transfers) return;
    const { call, transfer } = held;
    if (!(await sendOutcome(transfer, 'answered'))) {
      const status = call.status === 'in-progress' ? 'failed' : 'canceled';
      await giveUp(provider, transferId, { status, dial_status: '' });
      return;
    }
    const target = { provider_call_id: transfer.target_call_id, provider_request_id: transfer.target_request_id };
    const caller_url = addresses.transferUrl(provider, 'caller', transferId);
    try {
      const moved = await transfers.join(call, target, { room: transferId, caller_url });
      if (moved === 'gone') await giveUp(provider, transferId, { status: 'canceled', dial_status: '' });
      else await withTransfer(sql, provider, transferId, (tx, held) => markBridged(tx, held));
    } catch (error) {
      if (!(error instanceof CarrierError)) throw error;
      log.warn({ call_id: call.id, provider, error: error.message }, 'joining caller and target failed at the carrier');
      await giveUp(provider, transferId, { status: 'failed', dial_status: '' });
    }
  }

  /** Settles as answered: the carrier has moved the caller to the target. */
  async function markBridged(tx: Transaction, held: LockedTransfer): Promise<void> {
    if (held.transfer.state !== 'joining') return;
    const now = new Date(clock.wall());
    const moments = { caller_left_at: now, bridged_at: now };
    await settleTransfer(tx, held, { status: 'answered', dial_status: '' }, clock.wall(), moments);
  }

  function step(
    provider: CarrierName,
    transferId: string,
    callback: CarrierCallback | null,
    next: (tx: Transaction, held: LockedTransfer) => Promise<TargetStep>,
  ): Promise<TargetStep> {
    const work = withTransfer(sql, provider, transferId, async (tx, held) => {
      const { call, transfer } = held;
      const legId = callback?.provider_call_id ?? '';
      if (!isSameCall(transfer.target_call_id, legId) || call.status !== 'in-progress') return HANG_UP;
      if (transfer.target_call_id === '' && legId !== '') {
        await changeTransfer(tx, transfer, { target_call_id: legId }, clock.wall());
      }
      return next(tx, held);
    });
    return work.then((answer) => answer ?? HANG_UP);
  }

  return {
    giveUp,
    reportToEngine,
    hangUpTarget,
    lookUpTarget,

    targetAnswered: (provider, transferId, callback) =>
      step(provider, transferId, callback, async (tx, { transfer }) => {
        const { state, warm, summary: text, language } = transfer;
        if (!warm || (state !== 'starting' && state !== 'ringing' && state !== 'briefing')) return HANG_UP;
        const nowMs = clock.wall();
        const target_answered_at = transfer.target_answered_at ?? new Date(nowMs);
        await changeTransfer(tx, transfer, { state: 'briefing', target_answered_at }, nowMs);
        return { do: 'listen', text, language, next_url: addresses.transferUrl(provider, 'briefed', transferId) };
      }),

    targetBriefed: (provider, transferId, callback) =>
      step(provider, transferId, callback, async (tx, { transfer }) => {
        const isRepeated = transfer.state === 'joining' || transfer.state === 'talking';
        if (!isRepeated && transfer.state !== 'briefing') return HANG_UP;
        if (!isRepeated) {
          await changeTransfer(tx, transfer, { state: 'joining' }, clock.wall());
        }
        return { do: 'wait in room', room: transferId };
      }).then((answer) => {
        if (answer.do === 'wait in room') {
          track(joinCallerAndTarget(provider, transferId), 'joining caller and target failed');
        }
        return answer;
      }),

    async targetStatus(provider, transferId, callback) {
      const end = callback.status === null ? undefined : STATUS_OF_UNANSWERED_LEG[callback.status];
      if (end === undefined) return;
      const given = await withTransfer(sql, provider, transferId, async (tx, held) => {
        const { transfer } = held;
        if (!isSameCall(transfer.target_call_id, callback.provider_call_id)) return null;
        const nowMs = clock.wall();
        const { state } = transfer;
        const over = state === 'talking' && transfer.caller_ended_at !== null ? ({ state: 'over' } as const) : {};
        const target_ended_at = transfer.target_ended_at ?? new Date(nowMs);
        await changeTransfer(tx, transfer, { ...over, target_ended_at }, nowMs);
        // A target that hung up before the caller was joined did not take the call.
        const status = state === 'briefing' || state === 'joining' ? 'failed' : end;
        const dial_status = callback.carrier_status;
        return (await settleTransfer(tx, held, { status, dial_status }, nowMs)) ? held : null;
      });
      if (given) await undo(given);
    },

    async callerMoved(provider, transferId) {
      const next = await withTransfer(sql, provider, transferId, async (tx, held) => {
        const { call, transfer } = held;
        const nowMs = clock.wall();
        if (transfer.warm) {
          await markBridged(tx, held);
          return transfer.state === 'talking' ? ({ do: 'enter room', room: transferId } as const) : null;
        }
        if (transfer.state !== 'starting' && transfer.state !== 'ringing') return null;
        const caller_left_at = transfer.caller_left_at ?? new Date(nowMs);
        await changeTransfer(tx, transfer, { state: 'ringing', caller_left_at }, nowMs);
        return { do: 'dial', ...connectRequest(addresses, call, transfer) } as const;
      });
      return next ?? { do: 'hang up' };
    },

    async dialStatus(provider, transferId, { event, status, dial_status }) {
      await withTransfer(sql, provider, transferId, async (tx, held) => {
        const { transfer } = held;
        if (transfer.warm) return;
        const nowMs = clock.wall();
        const now = new Date(nowMs);
        // The carrier moves the caller without asking for the next step, and its own answer did not come.
        const caller_left_at = transfer.caller_left_at ?? now;
        if (event === 'answered') {
          const moments = { caller_left_at, target_answered_at: now, bridged_at: now };
          await settleTransfer(tx, held, { status: 'answered', dial_status }, nowMs, moments);
          return;
        }
        if (status !== null && transfer.status === null) {
          // The answered event is missing: answered and ended at once.
          const over = { state: 'over', caller_left_at, target_ended_at: now } as const;
          await settleTransfer(tx, held, { status, dial_status }, nowMs, over);
        } else if (transfer.status === 'answered' && transfer.target_ended_at === null) {
          await changeTransfer(tx, transfer, { state: 'over', target_ended_at: now }, nowMs);
        }
      });
    },
  };
}

/** The transfer's status by the final status of a leg that was never bridged. */
const STATUS_OF_UNANSWERED_LEG: Partial<Record<CarrierStatus, TransferStatus>> = {
  'no-answer': 'no-answer',
  busy: 'busy',
  failed: 'failed',
  canceled: 'canceled',
  completed: 'no-answer',
};
