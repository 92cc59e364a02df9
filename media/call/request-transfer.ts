import type { Bus } from '../../shared/bus/bus.ts';
import type { StartTransferReply, StartTransferRequest } from '../../shared/bus/messages.ts';
import { type Clock, pause } from '../../shared/clock.ts';

/** Control asks the carrier first, which has a deadline of ten seconds. */
const REPLY_WITHIN_MS = 15_000;
const ASK_AGAIN_WITHIN_MS = 20_000;
const RETRY_MS = 500;

/**
 * Asks control for a transfer, and again where its reply was lost: the target may ring by then, and control knows the transfer by its
 * id. Rejects, within 35 seconds, when control never replies.
 */
export async function requestTransfer(
  request: StartTransferRequest,
  { bus, clock }: { bus: Pick<Bus, 'startTransfer'>; clock: Clock },
): Promise<StartTransferReply> {
  const deadlineMs = clock.now() + ASK_AGAIN_WITHIN_MS;
  for (;;) {
    try {
      return await bus.startTransfer(request, REPLY_WITHIN_MS);
    } catch (error) {
      if (clock.now() + RETRY_MS >= deadlineMs) throw error;
      await pause(clock, RETRY_MS);
    }
  }
}
