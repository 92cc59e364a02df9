import type { Carrier as CarrierName } from '../../shared/call.ts';
import type { CarrierCallback } from './callback.ts';
import type { CallerStep, DialNews, PersonStep } from './transfers.ts';

/**
 * What the calls room does with a carrier's callbacks about transfers; `app.ts` hands these in. An id that is not known,
 * or whose transfer is over, leads to hanging up and changes nothing. `callback` is null where the carrier names no call.
 */
export interface TransferNews {
  /** The person picked up. */
  personAnswered(provider: CarrierName, transferId: string, callback: CarrierCallback | null): Promise<PersonStep>;
  /** The person has heard the briefing to its end. */
  personBriefed(provider: CarrierName, transferId: string, callback: CarrierCallback | null): Promise<PersonStep>;
  /** How the person's leg goes. */
  personStatus(provider: CarrierName, transferId: string, callback: CarrierCallback): Promise<void>;
  /** The caller was taken from the agent, and the carrier asks where to. */
  callerMoved(provider: CarrierName, transferId: string): Promise<CallerStep>;
  /** How the second leg of a cold transfer goes. */
  dialNews(provider: CarrierName, transferId: string, news: DialNews): Promise<void>;
}
