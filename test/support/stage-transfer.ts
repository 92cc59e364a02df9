import type { TransferLine } from '../../media/call/transfer.ts';
import type { StartTransferRequest } from '../../shared/bus/messages.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** How control takes the wish to hand a caller over; without `accepted` and `words` it accepts. */
export interface TransferManner {
  after: number;
  refused?: string;
  /** It never answers; the bus gives up after 15 seconds. */
  silent?: boolean;
}

export function createStageTransfers(clock: VirtualClock, manner: TransferManner | undefined) {
  const requests: Omit<StartTransferRequest, 'call_id'>[] = [];
  const line: TransferLine = {
    async start(request) {
      requests.push(request);
      const { after, refused = '', silent = false } = manner!;
      await new Promise<void>((resolve) => clock.after(silent ? 15_000 : after, resolve));
      if (silent) throw new Error('timeout');
      return { accepted: refused === '', words: refused };
    },
  };
  return { requests, line: manner ? line : undefined };
}
