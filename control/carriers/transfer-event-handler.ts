import type { Carrier as CarrierName } from '../../shared/call.ts';
import type { CarrierCallback } from './callback.ts';
import type { CallerStep, DialEvent, TargetStep } from './transfers.ts';

/**
 * What the calls room does with a carrier's callbacks about transfers; `app.ts` hands these in. An id that is not known,
 * or whose transfer is over, leads to hanging up and changes nothing. `callback` is null where the carrier names no call.
 */
export interface TransferEventHandler {
  /** The person picked up. */
  targetAnswered(provider: CarrierName, transferId: string, callback: CarrierCallback | null): Promise<TargetStep>;
  /** The person has heard the briefing to its end. */
  targetBriefed(provider: CarrierName, transferId: string, callback: CarrierCallback | null): Promise<TargetStep>;
  /** How the person's leg goes. */
  targetStatus(provider: CarrierName, transferId: string, callback: CarrierCallback): Promise<void>;
  /** The caller was taken from the agent, and the carrier asks where to. */
  callerMoved(provider: CarrierName, transferId: string): Promise<CallerStep>;
  /** How the second leg of a cold transfer goes. */
  dialStatus(provider: CarrierName, transferId: string, news: DialEvent): Promise<void>;
}
