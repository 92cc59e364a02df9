import { askAgain } from '../../shared/ask-again.ts';
import type { Bus } from '../../shared/bus/bus.ts';
import type { StartTransferReply, StartTransferRequest } from '../../shared/bus/messages.ts';
import type { Clock } from '../../shared/clock.ts';

/** Control asks the carrier first, which has a deadline of ten seconds. */
const REPLY_WITHIN_MS = 15_000;
const ASK_AGAIN = { withinMs: 19_500, everyMs: 500 };

/**
 * Asks control for a transfer, and again where its reply was lost: the target may ring by then, and control knows the transfer by its
 * id. Rejects, within 35 seconds, when control never replies.
 */
export function requestTransfer(
  request: StartTransferRequest,
  { bus, clock }: { bus: Pick<Bus, 'startTransfer'>; clock: Clock },
): Promise<StartTransferReply> {
  return askAgain(clock, ASK_AGAIN, () => bus.startTransfer(request, REPLY_WITHIN_MS));
}
