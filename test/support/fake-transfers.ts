import type { TransferClient } from '../../media/call/transfer.ts';
import type { StartTransferRequest } from '../../shared/bus/messages.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** How control handles a transfer request; without `refused` it accepts. */
export interface TransferBehaviour {
  after: number;
  refused?: string;
  /** No reply; the bus times out after 15 seconds. */
  silent?: boolean;
}

export function createFakeTransfers(clock: VirtualClock, behaviour: TransferBehaviour | undefined) {
  const requests: Omit<StartTransferRequest, 'call_id'>[] = [];
  const client: TransferClient = {
    async start(request) {
      requests.push(request);
      const { after, refused = '', silent = false } = behaviour!;
      await new Promise<void>((resolve) => clock.after(silent ? 15_000 : after, resolve));
      if (silent) throw new Error('timeout');
      return { accepted: refused === '', message: refused };
    },
  };
  return { requests, client: behaviour ? client : undefined };
}
