import type { Carrier as CarrierName } from '../../shared/call.ts';
import type { CarrierCallback } from './callback.ts';

/** What the calls room does with a carrier's callbacks. News travels upward: `app.ts` hands these in. */
export interface CarrierEventHandler {
  /** Somebody calls one of our numbers: the address of the call's media stream, or null to reject it as busy. */
  inbound(provider: CarrierName, callback: CarrierCallback): Promise<string | null>;
  /** A call we placed was answered: the address of its media stream, or null to hang up. */
  answered(provider: CarrierName, callId: string, callback: CarrierCallback): Promise<string | null>;
  /** The stream of a call broke: the address of its next one, or null when none is wanted any more. */
  streamLost?(provider: CarrierName, callback: CarrierCallback): Promise<string | null>;
  /** How a call goes. `callId` is empty when the address did not name it (inbound). Unknown calls are ignored. */
  status(provider: CarrierName, callId: string, callback: CarrierCallback): Promise<void>;
}
