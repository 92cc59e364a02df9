import type { CarrierName } from '../../shared/carriers/registry.ts';
import type { CarrierCallback } from './callback.ts';
import type { CallerStep, DialEvent, TargetStep } from './transfers.ts';

/** What the calls module does with carriers' callbacks; handed in, because `calls` stands above `carriers`. */

export interface CarrierEventHandler {
  /** A call to one of the service's numbers: returns the URL of its media stream, or null to reject it as busy. */
  inbound(provider: CarrierName, callback: CarrierCallback): Promise<string | null>;
  /** A placed call was answered: returns the URL of its media stream, or null to hang up. */
  answered(provider: CarrierName, callId: string, callback: CarrierCallback): Promise<string | null>;
  /** The media stream of a live call broke or did not open: returns the URL of the next one, or null when none is needed. */
  streamLost?(provider: CarrierName, callback: CarrierCallback): Promise<string | null>;
  /** A call changed its status. `callId` is empty when the URL did not name it (inbound). Unknown calls are ignored. */
  status(provider: CarrierName, callId: string, callback: CarrierCallback): Promise<void>;
}

/**
 * An unknown transfer id, or one whose transfer is over, leads to hanging up and changes nothing. `callback` is null
 * where the carrier names no call.
 */
export interface TransferEventHandler {
  targetAnswered(provider: CarrierName, transferId: string, callback: CarrierCallback | null): Promise<TargetStep>;
  /** The whole briefing was played to the target. */
  targetBriefed(provider: CarrierName, transferId: string, callback: CarrierCallback | null): Promise<TargetStep>;
  /** The target's leg changed its status. */
  targetStatus(provider: CarrierName, transferId: string, callback: CarrierCallback): Promise<void>;
  /** The caller was taken from the agent, and the carrier asks for the next step. */
  callerMoved(provider: CarrierName, transferId: string): Promise<CallerStep>;
  /** The second leg of a cold transfer changed its status. */
  dialStatus(provider: CarrierName, transferId: string, event: DialEvent): Promise<void>;
}
