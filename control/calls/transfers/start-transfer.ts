import type { StartTransferReply, StartTransferRequest } from '../../../shared/bus/messages.ts';
import { isCarrierName } from '../../../shared/carriers/registry.ts';
import type { Clock } from '../../../shared/clock.ts';
import { ID_PATTERN } from '../../../shared/ids.ts';
import { errorText, type Logger } from '../../../shared/log.ts';
import { E164_PATTERN } from '../../../shared/phone.ts';
import { MAX_TRANSFER_SUMMARY_CHARS, TRANSFER_RING_SECONDS } from '../../../shared/transfer.ts';
import { type Carriers, isUnanswered } from '../../carriers/carrier.ts';
import type { CarrierUrls } from '../../carriers/carrier-urls.ts';
import type { CarrierTransfers, ConnectRequest } from '../../carriers/transfers.ts';
import type { Sql, Transaction } from '../../db/connect.ts';
import { storableLine } from '../../db/storable-text.ts';
import type { CallRow } from '../call-row.ts';
import { changeCall } from '../lifecycle/call-state-machine.ts';
import { lockCallById } from '../store.ts';
import { settleTransfer, transferRecord } from './transfer-outcome.ts';
import { changeTransfer, findActiveTransfer, insertTransfer, lockTransfer, type TransferRow } from './transfer-row.ts';

export interface StartTransferDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  carriers: Carriers;
  addresses: Pick<CarrierUrls, 'transferUrl'>;
  /** Ends the target's leg at the carrier; never throws. */
  hangUpTarget(transfer: TransferRow): Promise<void>;
}

interface CarrierOutcome {
  target_call_id: string;
  target_request_id: string;
  /** Why the carrier refused; empty when it accepted. */
  refusal: string;
  /** Its answer did not come, or says nothing: the target may be called, the caller may be moved. */
  unknown?: boolean;
}

const NOT_SUPPORTED = 'transfers are not possible on this line';

/**
 * Starts the transfer that an engine requests, and replies with the carrier's outcome: accepted, or refused with a text for the
 * model. The row is committed before the request to the carrier, so that the reconciler finds it after a crash. A repeated request
 * with the same id is the same transfer.
 *
 * A target whose dial is not answered may ring, so the transfer goes on until the carrier's callbacks or its list settle it. A cold
 * transfer that is not answered leaves the caller with the agent, and is carried on if the carrier moves the caller after all.
 */
export async function startTransfer(
  deps: StartTransferDeps,
  request: StartTransferRequest,
): Promise<StartTransferReply> {
  const { sql, clock, log, carriers } = deps;
  const begun = await sql.begin((tx) => beginTransfer(tx, carriers, request, clock.wall()));
  if ('reply' in begun) return begun.reply;
  const { call, transfer, transfers } = begun;
  const outcome = await requestTransfer(deps, transfers, call, transfer);
  // If this write fails, the carrier's callbacks and the reconciler settle the transfer.
  const written = await sql
    .begin((tx) => recordCarrierOutcome(tx, transfer.id, outcome, clock.wall()))
    .catch((error: unknown) => {
      log.error({ call_id: call.id, error: errorText(error) }, 'writing the start of a transfer failed');
      return null;
    });
  // Settled while it was being dialled.
  if (written?.state === 'over' && outcome.refusal === '') {
    if (written.warm) await deps.hangUpTarget(written);
    return { accepted: !written.warm, message: written.warm ? 'it was given up' : '' };
  }
  if (outcome.unknown && !transfer.warm && (written?.state ?? 'starting') === 'starting') {
    log.warn({ call_id: call.id, provider: call.provider }, 'the answer to a cold transfer did not come');
    return { accepted: false, message: 'the carrier did not answer' };
  }
  if (outcome.refusal !== '') log.warn({ call_id: call.id, provider: call.provider }, 'transfer refused');
  return { accepted: outcome.refusal === '', message: outcome.refusal };
}

/** Returns the transfer as it is then. */
async function recordCarrierOutcome(
  tx: Transaction,
  transferId: string,
  outcome: CarrierOutcome,
  nowMs: number,
): Promise<TransferRow | null> {
  const held = await lockTransfer(tx, transferId);
  if (!held) return null;
  const { call, transfer } = held;
  // The carrier's callbacks can arrive before its response.
  await changeTransfer(
    tx,
    transfer,
    {
      target_call_id: transfer.target_call_id || outcome.target_call_id,
      target_request_id: transfer.target_request_id || outcome.target_request_id,
    },
    nowMs,
  );
  if (outcome.refusal !== '') {
    // The engine learns it from the reply; the call's record does not show a transfer that never began.
    await changeTransfer(tx, transfer, { reported: true }, nowMs);
    await settleTransfer(tx, held, { status: 'failed', dial_status: '' }, nowMs);
    await changeCall(tx, call, { transfer: null });
    return transfer;
  }
  if (transfer.state === 'over' || (outcome.unknown && !transfer.warm)) return transfer;
  const state = transfer.state === 'starting' ? 'ringing' : transfer.state;
  const caller_left_at = transfer.warm ? transfer.caller_left_at : (transfer.caller_left_at ?? new Date(nowMs));
  await changeTransfer(tx, transfer, { state, caller_left_at }, nowMs);
  return transfer;
}

type BegunTransfer =
  | { reply: StartTransferReply }
  | { call: CallRow; transfer: TransferRow; transfers: CarrierTransfers };

async function beginTransfer(
  tx: Transaction,
  carriers: Carriers,
  request: StartTransferRequest,
  nowMs: number,
): Promise<BegunTransfer> {
  const refused = (message: string): BegunTransfer => ({ reply: { accepted: false, message } });
  const { call_id, transfer_id, number, warm, language } = request;
  if (!ID_PATTERN.test(call_id) || !ID_PATTERN.test(transfer_id) || !E164_PATTERN.test(number)) {
    return refused('the transfer cannot be read');
  }
  const call = await lockCallById(tx, call_id);
  if (call?.status !== 'in-progress' || call.hangup_requested_reason !== '') return refused('the call is over');
  const { provider } = call;
  const transfers = isCarrierName(provider) ? carriers.get(provider)?.transfers : undefined;
  if (!transfers || !isCarrierName(provider)) return refused(NOT_SUPPORTED);
  const known = await lockTransfer(tx, transfer_id);
  if (known) {
    const accepted = known.transfer.status === null;
    return { reply: { accepted, message: accepted ? '' : 'the transfer is over' } };
  }
  if (await findActiveTransfer(tx, call_id)) return refused('a transfer is under way already');
  await insertTransfer(
    tx,
    {
      workspace_id: call.workspace_id,
      call_id,
      id: transfer_id,
      provider,
      warm,
      number,
      name: storableLine(request.name).slice(0, 60),
      reason: storableLine(request.reason).slice(0, 300),
      summary: storableLine(request.summary).slice(0, MAX_TRANSFER_SUMMARY_CHARS),
      language: storableLine(language).slice(0, 20),
    },
    nowMs,
  );
  const { transfer } = (await lockTransfer(tx, transfer_id))!;
  await changeCall(tx, call, { transfer: transferRecord(transfer, nowMs) });
  return { call, transfer, transfers };
}

async function requestTransfer(
  { addresses, log }: StartTransferDeps,
  transfers: CarrierTransfers,
  call: CallRow,
  transfer: TransferRow,
): Promise<CarrierOutcome> {
  const { provider, id, number } = transfer;
  const noTarget = { target_call_id: '', target_request_id: '' };
  const url = (what: Parameters<CarrierUrls['transferUrl']>[1]) => addresses.transferUrl(provider, what, id);
  try {
    if (transfer.warm) {
      const outcome = await transfers.dialTarget({
        from_number: serviceNumber(call),
        to_number: number,
        answer_url: url('answer'),
        status_url: url('status'),
        ring_seconds: TRANSFER_RING_SECONDS,
      });
      if (outcome.accepted === 'unknown') return { ...noTarget, refusal: '', unknown: true };
      if (outcome.accepted !== true) return { ...noTarget, refusal: `the carrier refused: ${outcome.reason}` };
      const { provider_call_id, provider_request_id } = outcome;
      return { target_call_id: provider_call_id, target_request_id: provider_request_id, refusal: '' };
    }
    const moved = await transfers.connect(call, {
      ...connectRequest(addresses, call, transfer),
      caller_url: url('caller'),
    });
    return { ...noTarget, refusal: moved === 'done' ? '' : 'the caller has hung up' };
  } catch (error) {
    log.warn({ call_id: call.id, provider, error: errorText(error) }, 'transfer request to the carrier failed');
    if (isUnanswered(error)) return { ...noTarget, refusal: '', unknown: true };
    return { ...noTarget, refusal: 'the carrier would not do it' };
  }
}

/** The request to ring the target for the caller of a cold transfer. */
export function connectRequest(
  addresses: Pick<CarrierUrls, 'transferUrl'>,
  call: CallRow,
  { provider, id, number }: TransferRow,
): Omit<ConnectRequest, 'caller_url'> {
  return {
    from_number: serviceNumber(call),
    to_number: number,
    ring_seconds: TRANSFER_RING_SECONDS,
    dial_url: addresses.transferUrl(provider, 'dial', id),
    dialled_url: addresses.transferUrl(provider, 'dialled', id),
  };
}

/** The service's own number in the call, which the carrier accepts as caller id. */
const serviceNumber = ({ direction, from_number, to_number }: CallRow) =>
  direction === 'outbound' ? from_number : to_number;
