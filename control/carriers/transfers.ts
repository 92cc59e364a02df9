import type { TransferStatus } from '../../shared/transfer.ts';
import type { CallbackResponse, CarrierCallRef, SignedCallback } from './callback.ts';
import type { DialOutcome, DialRequest } from './dial.ts';

/**
 * How a carrier hands a caller over to a person. Operations, not documents, so that a carrier that is led by commands
 * fits as well as one that fetches what to do next.
 *
 * Cold: `connect`, and `readDial` tells how it goes. Warm: `dialPerson`; when the person answers they listen to the
 * briefing (`PersonStep`) and wait; `join` brings the caller to them.
 */
export interface CarrierTransfers {
  /**
   * Takes the caller away from the agent and has the carrier ring the person for them. `gone`: the caller has left.
   * @throws CarrierError when the carrier did not answer or would not; the caller is where they were.
   */
  connect(caller: CarrierCallRef, order: ConnectRequest): Promise<'done' | 'gone'>;
  /** Calls the person. A refusal is an answer; never throws. `hangUp` of the carrier ends the leg. */
  dialTarget(order: TargetDialRequest): Promise<DialOutcome>;
  /**
   * Takes the caller away from the agent, to the person who waits in the room. `gone`: the caller has left.
   * @throws CarrierError as `connect`.
   */
  join(caller: CarrierCallRef, person: CarrierCallRef, order: JoinRequest): Promise<'done' | 'gone'>;
  /** What a callback about a cold transfer's second leg says; null when it is nothing of interest. */
  parseDialCallback(callback: Pick<SignedCallback, 'fields' | 'json'>): DialEvent | null;
  /** The same steps as answer documents; null for a carrier that is led by commands. */
  readonly documents: TransferDocuments | null;
}

/** The person's leg has no media stream of ours. */
export type TargetDialRequest = Omit<DialRequest, 'stream_url'>;

export interface ConnectRequest {
  /** What the person sees: a number of ours. E.164 */
  from_number: string;
  to_number: string;
  ring_seconds: number;
  /** Where the caller's leg asks what to do. */
  caller_url: string;
  /** Where the second leg's progress is told. */
  dial_url: string;
  /** Where the caller's leg asks when the second leg is over. */
  dialled_url: string;
}

export interface JoinRequest {
  room: string;
  caller_url: string;
}

/** What the person's leg does next. */
export type TargetStep =
  /** Listens to this, then asks at `next_url`. `language` like `hi` or `en-IN`. */
  | { do: 'listen'; text: string; language: string; next_url: string }
  | { do: 'wait in room'; room: string }
  | { do: 'hang up' };

/** What the caller's leg does after it was taken from the agent. */
export type CallerStep =
  | ({ do: 'dial' } & Omit<ConnectRequest, 'caller_url'>)
  | { do: 'enter room'; room: string }
  | { do: 'hang up' };

export interface TransferDocuments {
  target(step: TargetStep): CallbackResponse;
  caller(step: CallerStep): CallbackResponse;
}

/** How the second leg of a cold transfer goes. */
export interface DialEvent {
  event: 'answered' | 'over';
  /** Of `over`; null when it does not say whether the person ever answered. */
  status: TransferStatus | null;
  /** The carrier's own word. */
  dial_status: string;
}

/**
 * The voice and language in which a carrier reads a briefing aloud: Hindi and Indian English have a voice at every
 * carrier that speaks through Amazon Polly, `Aditi` reads both. Null: the carrier's default.
 */
export function briefingVoice(language: string): { voice: string; language: string } | null {
  const [name = ''] = language.toLowerCase().split('-');
  if (name === 'hi') return { voice: 'Polly.Aditi', language: 'hi-IN' };
  if (name === 'en') return { voice: 'Polly.Aditi', language: 'en-IN' };
  return null;
}
