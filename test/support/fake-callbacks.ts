import type { BookCallback, CallbackRequest } from '../../media/reply/reschedule-tool.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** How control takes the wish for a call back; without `refused` it books. */
export interface CallbackBehaviour {
  after: number;
  /** The time it says it booked. */
  booked?: string;
  /** Why it does not. */
  refused?: string;
  /** It never answers; the bus gives up after 5 seconds. */
  silent?: boolean;
}

export function createFakeCallbacks(clock: VirtualClock, behaviour: CallbackBehaviour | undefined) {
  const requests: CallbackRequest[] = [];
  if (!behaviour) return { requests: requests, book: undefined };
  const { after, booked = '', refused = '', silent = false } = behaviour;
  const book: BookCallback = async (wish) => {
    requests.push(wish);
    await new Promise<void>((resolve) => clock.after(silent ? 5_000 : after, resolve));
    if (silent) throw new Error('timeout');
    return { booked: refused === '', message: refused || booked };
  };
  return { requests: requests, book };
}
