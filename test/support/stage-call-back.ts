import type { BookCallBack, CallBackWish } from '../../media/reply/reschedule-tool.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** How control takes the wish for a call back; without `refused` it books. */
export interface CallBackManner {
  after: number;
  /** The time it says it booked. */
  booked?: string;
  /** Why it does not. */
  refused?: string;
  /** It never answers; the bus gives up after 5 seconds. */
  silent?: boolean;
}

export function createStageCallBacks(clock: VirtualClock, manner: CallBackManner | undefined) {
  const wishes: CallBackWish[] = [];
  if (!manner) return { wishes, book: undefined };
  const { after, booked = '', refused = '', silent = false } = manner;
  const book: BookCallBack = async (wish) => {
    wishes.push(wish);
    await new Promise<void>((resolve) => clock.after(silent ? 5_000 : after, resolve));
    if (silent) throw new Error('timeout');
    return { booked: refused === '', words: refused || booked };
  };
  return { wishes, book };
}
