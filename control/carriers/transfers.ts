import type { TransferStatus } from '../../shared/transfer.ts';
import type { CallbackContent, CallbackResponse, CarrierCallRef } from './callback.ts';
import type { DialOutcome, DialRequest } from './dial.ts';

/**
 * How a carrier hands a caller over to the transfer target, a person. The port has operations, so that it fits carriers
 * that work by commands and carriers that fetch documents alike.
 *
 * Cold: `connect`, then `parseDialCallback` reads its progress. Warm: `dialTarget`; the target who answers listens to the
 * briefing (`TargetStep`) and waits; `join` brings the caller.
 */
export interface CarrierTransfers {
  /**
   * Takes the caller from the agent and has the carrier dial the target for them. `gone`: the caller has hung up.
   * @throws CarrierError when the carrier did not answer or refused; the caller stays with the agent.
   */
  connect(caller: CarrierCallRef, request: ConnectRequest): Promise<'done' | 'gone'>;
  /** Dials the target. A refusal is an outcome; never throws. `Carrier.hangUp` ends the leg. */
  dialTarget(request: TargetDialRequest): Promise<DialOutcome>;
  /**
   * Takes the caller from the agent to the target who waits in the conference room. `gone`: the caller has hung up.
   * @throws CarrierError as `connect`.
   */
  join(caller: CarrierCallRef, target: CarrierCallRef, request: JoinRequest): Promise<'done' | 'gone'>;
  /** What a callback about the second leg of a cold transfer says; null when it changes nothing. */
  parseDialCallback(callback: CallbackContent): DialEvent | null;
  /** The steps as answer documents; null for a carrier that works by commands. */
  readonly documents: TransferDocuments | null;
}

/** The target's leg has no media stream. */
export type TargetDialRequest = Omit<DialRequest, 'stream_url'>;

export interface ConnectRequest {
  /** The caller id shown to the target, one of the workspace's numbers. E.164 */
  from_number: string;
  to_number: string;
  ring_seconds: number;
  /** Where the caller's leg asks for its next step. */
  caller_url: string;
  /** Where the second leg's progress is reported. */
  dial_url: string;
  /** Where the caller's leg asks for its next step when the second leg is over. */
  dialled_url: string;
}

export interface JoinRequest {
  room: string;
  caller_url: string;
}

/** The next step of the target's leg. */
export type TargetStep =
  /** Listens to the text, then asks at `next_url`. `language` like `hi` or `en-IN`. */
  | { do: 'listen'; text: string; language: string; next_url: string }
  | { do: 'wait in room'; room: string }
  | { do: 'hang up' };

/** The next step of the caller's leg, after it was taken from the agent. */
export type CallerStep =
  | ({ do: 'dial' } & Omit<ConnectRequest, 'caller_url'>)
  | { do: 'enter room'; room: string }
  | { do: 'hang up' };

export interface TransferDocuments {
  target(step: TargetStep): CallbackResponse;
  caller(step: CallerStep): CallbackResponse;
}

/** A change of the second leg of a cold transfer. */
export interface DialEvent {
  event: 'answered' | 'over';
  /** Of `over`; null when it does not say whether the target ever answered. */
  status: TransferStatus | null;
  /** The status in the carrier's own words. */
  dial_status: string;
}

/**
 * The voice and language in which a carrier reads a briefing aloud; null: the carrier's default. Every carrier that speaks
 * through Amazon Polly has `Aditi`, who reads Hindi and Indian English.
 */
export function briefingVoice(language: string): { voice: string; language: string } | null {
  const [name = ''] = language.toLowerCase().split('-');
  if (name === 'hi') return { voice: 'Polly.Aditi', language: 'hi-IN' };
  if (name === 'en') return { voice: 'Polly.Aditi', language: 'en-IN' };
  return null;
}
