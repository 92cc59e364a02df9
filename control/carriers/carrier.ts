import type { Carrier as CarrierName } from '../../shared/call.ts';
import type { Logger } from '../../shared/log.ts';
import type { CallbackResponse, CarrierCallback, CarrierCallRef, SignedCallback } from './callback.ts';
import type { CarrierEventHandler } from './carrier-event-handler.ts';
import type { TransferEndpoint } from './carrier-urls.ts';
import type { DialOutcome, DialRequest } from './dial.ts';
import type { TransferEventHandler } from './transfer-event-handler.ts';
import type { CarrierTransfers } from './transfers.ts';

/** What this service asks of a telephone carrier. One file per carrier beside this one; which call is whose is not their business. */
export interface Carrier {
  readonly name: CarrierName;
  /** A call goes on, silent, when its stream has ended: it must be hung up when the engine is done with it. */
  readonly outlivesStream?: boolean;
  /** Asks the carrier to call somebody. A refusal is an answer, not an error; never throws, at most 10 seconds. */
  dial(order: DialRequest): Promise<DialOutcome>;
  /**
   * Ends a call, ringing or answered. `gone`: the carrier does not know it any more.
   * @throws CarrierError when the carrier did not answer or would not.
   */
  hangUp(call: CarrierCallRef): Promise<'done' | 'gone'>;
  /** Was this callback really sent by the carrier? Compares in constant time. */
  verifyCallback(callback: SignedCallback): boolean;
  /** What a callback says; null when it names no call. */
  parseCallback(callback: Pick<SignedCallback, 'fields' | 'json'>): CarrierCallback | null;
  /**
   * Connects the call's sound with the stream address, both ways: by what is answered, or by a command to a carrier that
   * is led by commands.
   * @throws CarrierError when such a command failed.
   */
  connect(callback: CarrierCallback, streamUrl: string): CallbackResponse | Promise<CallbackResponse>;
  /** Rejects a call that is not answered yet with the cause busy. @throws CarrierError as `connect`. */
  reject(callback: CarrierCallback): CallbackResponse | Promise<CallbackResponse>;
  /** Ends a call that is answered already. @throws CarrierError as `connect`. */
  end(callback: CarrierCallback): CallbackResponse | Promise<CallbackResponse>;
  /**
   * For a carrier that tells its news on a connection of ours: opens it, keeps it open, and asks and tells what the
   * callbacks of the others do.
   */
  listen?(news: CarrierEventHandler, log: Logger, transferNews: TransferEventHandler): { stop(): Promise<void> };
  /** Handing a caller over to a person; a carrier that cannot has none. */
  readonly transfers?: CarrierTransfers;
  /**
   * What follows from a callback about a transfer, for a carrier that is led by commands and tells its news at the addresses
   * of `transfer-routes.ts`. @throws CarrierError when a command failed.
   */
  handleTransferCallback?(
    address: TransferEndpoint,
    transferId: string,
    callback: Pick<SignedCallback, 'fields' | 'json'>,
    news: TransferEventHandler,
  ): Promise<void>;
}

export class CarrierError extends Error {
  /** HTTP status, 0 when there was no answer. */
  readonly status: number;
  constructor(message: string, status: number) {
    super(message);
    this.name = 'CarrierError';
    this.status = status;
  }
}

/** Carriers whose account is configured; the others are missing. */
export type Carriers = ReadonlyMap<CarrierName, Carrier>;
