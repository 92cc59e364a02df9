import type { BookCallback, CallbackRequest } from '../../shared/reply/reschedule-tool.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** How control handles a callback request; without `refused` it books. */
export interface CallbackBehaviour {
  after: number;
  /** The booked time in the reply. */
  booked?: string;
  /** The reason of a refusal. */
  refused?: string;
  /** No reply; the bus times out after 5 seconds. */
  silent?: boolean;
}

export function createFakeCallbackBooking(clock: VirtualClock, behaviour: CallbackBehaviour | undefined) {
  const requests: CallbackRequest[] = [];
  if (!behaviour) return { requests, book: undefined };
  const { after, booked = '', refused = '', silent = false } = behaviour;
  const book: BookCallback = async (request) => {
    requests.push(request);
    await new Promise<void>((resolve) => clock.after(silent ? 5_000 : after, resolve));
    if (silent) throw new Error('timeout');
    return { booked: refused === '', message: refused || booked };
  };
  return { requests, book };
}
