import type { StartTransferReply, StartTransferRequest } from '../../shared/bus/messages.ts';
import type { Clock } from '../../shared/clock.ts';
import { ID_PATTERN } from '../../shared/ids.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { E164_PATTERN } from '../../shared/phone.ts';
import { MAX_TRANSFER_SUMMARY_CHARS, TRANSFER_RING_SECONDS } from '../../shared/transfer.ts';
import type { Carriers } from '../carriers/carrier.ts';
import type { CarrierUrls } from '../carriers/carrier-urls.ts';
import type { CarrierTransfers, ConnectRequest } from '../carriers/transfers.ts';
import type { Sql, Transaction } from '../db/connect.ts';
import type { CallRow } from './call-row.ts';
import { cleanText } from './media-event.ts';
import { changeCall } from './move.ts';
import { lockCallById } from './store.ts';
import { settleTransfer, transferOnRecord } from './transfer-outcome.ts';
import { changeTransfer, insertTransfer, lockTransfer, type TransferRow, transferUnderWay } from './transfer-row.ts';

export interface StartTransferDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  carriers: Carriers;
  addresses: Pick<CarrierUrls, 'transferUrl'>;
  /** Ends the person's leg at the carrier; never throws. */
  hangUpPerson(transfer: TransferRow): Promise<void>;
}

interface Asked {
  person_call_id: string;
  person_request_id: string;
  /** Why the carrier would not; empty when it took the order. */
  words: string;
}

const NOT_ON_THIS_LINE = 'transfers are not possible on this line';

/**
 * An engine asks to connect its caller with a person. What the carrier answered is the answer: refused with words for the
 * model, or under way. The row is committed before the carrier is asked, so a restart in between is seen by the keeper.
 * Asked twice with the same id it is one transfer.
 */
export async function startTransfer(
  deps: StartTransferDeps,
  request: StartTransferRequest,
): Promise<StartTransferReply> {
  const { sql, clock, log, carriers } = deps;
  const begun = await sql.begin((tx) => begin(tx, carriers, request, clock.wall()));
  if ('reply' in begun) return begun.reply;
  const { call, transfer, transfers } = begun;
  const asked = await askCarrier(deps, transfers, call, transfer);
  // The carrier has decided: what cannot be written now, its callbacks and the keeper settle.
  const unwanted = await sql
    .begin((tx) => write(tx, transfer.id, asked, clock.wall()))
    .catch((error: unknown) => {
      log.error({ call_id: call.id, error: errorText(error) }, 'the beginning of a transfer could not be written');
      return null;
    });
  // Given up while it was dialled.
  if (unwanted) await deps.hangUpPerson(unwanted);
  if (asked.words !== '') log.warn({ call_id: call.id, provider: call.provider }, 'a transfer was refused');
  return { accepted: asked.words === '' && !unwanted, message: unwanted ? 'it was given up' : asked.words };
}

/** Gives the transfer when the person is not wanted any more. */
async function write(tx: Transaction, transferId: string, asked: Asked, nowMs: number): Promise<TransferRow | null> {
  const held = await lockTransfer(tx, transferId);
  if (!held) return null;
  const { call, transfer } = held;
  // Its callbacks can overtake the carrier's reply, and know more.
  await changeTransfer(
    tx,
    transfer,
    {
      person_call_id: transfer.person_call_id || asked.person_call_id,
      person_request_id: transfer.person_request_id || asked.person_request_id,
    },
    nowMs,
  );
  if (asked.words !== '') {
    // The engine is told by the reply; the record says nothing of a transfer that never began.
    await changeTransfer(tx, transfer, { told: true }, nowMs);
    await settleTransfer(tx, held, { status: 'failed', dial_status: '' }, nowMs);
    await changeCall(tx, call, { transfer: null });
    return null;
  }
  if (transfer.state === 'over') return transfer.warm ? transfer : null;
  const state = transfer.state === 'starting' ? 'ringing' : transfer.state;
  const caller_left_at = transfer.warm ? transfer.caller_left_at : (transfer.caller_left_at ?? new Date(nowMs));
  await changeTransfer(tx, transfer, { state, caller_left_at }, nowMs);
  return null;
}
type Begun = { reply: StartTransferReply } | { call: CallRow; transfer: TransferRow; transfers: CarrierTransfers };

async function begin(
  tx: Transaction,
  carriers: Carriers,
  request: StartTransferRequest,
  nowMs: number,
): Promise<Begun> {
  const refused = (words: string): Begun => ({ reply: { accepted: false, message: words } });
  const { call_id, transfer_id, number, warm, language } = request;
  if (!ID_PATTERN.test(call_id) || !ID_PATTERN.test(transfer_id) || !E164_PATTERN.test(number)) {
    return refused('the transfer cannot be read');
  }
  const call = await lockCallById(tx, call_id);
  if (call?.status !== 'in-progress' || call.hangup_ordered_reason !== '') return refused('the call is over');
  const transfers = call.provider === '' ? undefined : carriers.get(call.provider)?.transfers;
  if (!transfers || call.provider === '') return refused(NOT_ON_THIS_LINE);
  const known = await lockTransfer(tx, transfer_id);
  if (known) {
    const accepted = known.transfer.status === null;
    return { reply: { accepted, message: accepted ? '' : 'the transfer is over' } };
  }
  if (await transferUnderWay(tx, call_id)) return refused('a transfer is under way already');
  await insertTransfer(
    tx,
    {
      workspace_id: call.workspace_id,
      call_id,
      id: transfer_id,
      provider: call.provider,
      warm,
      number,
      name: oneLine(request.name).slice(0, 60),
      reason: oneLine(request.reason).slice(0, 300),
      summary: oneLine(request.summary).slice(0, MAX_TRANSFER_SUMMARY_CHARS),
      language: oneLine(language).slice(0, 20),
    },
    nowMs,
  );
  const { transfer } = (await lockTransfer(tx, transfer_id))!;
  await changeCall(tx, call, { transfer: transferOnRecord(transfer, nowMs) });
  return { call, transfer, transfers };
}

async function askCarrier(
  { addresses, log }: StartTransferDeps,
  transfers: CarrierTransfers,
  call: CallRow,
  transfer: TransferRow,
): Promise<Asked> {
  const { provider, id, number } = transfer;
  const nobody = { person_call_id: '', person_request_id: '' };
  const url = (what: Parameters<CarrierUrls['transferUrl']>[1]) => addresses.transferUrl(provider, what, id);
  try {
    if (transfer.warm) {
      const outcome = await transfers.dialTarget({
        from_number: ourNumber(call),
        to_number: number,
        answer_url: url('answer'),
        status_url: url('status'),
        ring_seconds: TRANSFER_RING_SECONDS,
      });
      if (!outcome.accepted) return { ...nobody, words: `the carrier refused: ${outcome.reason}` };
      const { provider_call_id, provider_request_id } = outcome;
      return { person_call_id: provider_call_id, person_request_id: provider_request_id, words: '' };
    }
    const moved = await transfers.connect(call, {
      ...connectOrder(addresses, call, transfer),
      caller_url: url('caller'),
    });
    return { ...nobody, words: moved === 'done' ? '' : 'the caller has hung up' };
  } catch (error) {
    log.warn({ call_id: call.id, provider, error: errorText(error) }, 'a carrier would not transfer a call');
    return { ...nobody, words: 'the carrier would not do it' };
  }
}

/** How the carrier is to ring the person for the caller of a cold transfer. */
export function connectOrder(
  addresses: Pick<CarrierUrls, 'transferUrl'>,
  call: CallRow,
  { provider, id, number }: TransferRow,
): Omit<ConnectRequest, 'caller_url'> {
  return {
    from_number: ourNumber(call),
    to_number: number,
    ring_seconds: TRANSFER_RING_SECONDS,
    dial_url: addresses.transferUrl(provider, 'dial', id),
    dialled_url: addresses.transferUrl(provider, 'dialled', id),
  };
}

/** Fit for an answer document too, which takes no control characters. */
const oneLine = (text: string) =>
  cleanText(text)
    .replace(/\p{Cc}+/gu, ' ')
    .trim();

/** The side of the call that is ours: what a carrier lets us call from. */
const ourNumber = ({ direction, from_number, to_number }: CallRow) =>
  direction === 'outbound' ? from_number : to_number;
