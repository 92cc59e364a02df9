import type { CarrierManifest } from '../../shared/carriers/manifest.ts';
import type { CarrierName } from '../../shared/carriers/registry.ts';
import type { Logger } from '../../shared/log.ts';
import type { SettingsOf } from '../../shared/providers/manifest.ts';
import type { Sql } from '../db/connect.ts';
import type { CallbackContent, CallbackResponse, CarrierCallback, CarrierCallRef, SignedCallback } from './callback.ts';
import type { CallbackProof } from './callback-replays.ts';
import type { TransferEndpoint } from './carrier-urls.ts';
import type { CallAtCarrier, DialOutcome, DialRequest, FoundDials, LostDial } from './dial.ts';
import type { CarrierEventHandler, TransferEventHandler } from './event-handlers.ts';
import type { NumberInventory } from './number-inventory.ts';
import type { CarrierTransfers } from './transfers.ts';

/** The port to a telephone carrier, with one adapter per carrier. Adapters know nothing of workspaces and agents. */
export interface Carrier {
  readonly name: CarrierName;
  /** Places a call. A refusal is an outcome, not an error; never throws, takes at most 10 seconds. */
  dial(request: DialRequest): Promise<DialOutcome>;
  /**
   * Looks for a dial whose answer did not come; missing where the carrier cannot be asked about calls that ring.
   * @throws CarrierError when the carrier did not answer or refused.
   */
  findDial?(dial: LostDial): Promise<FoundDials>;
  /**
   * Looks up a call whose callbacks may not have come. How it ended is `no-answer` where the carrier only says that it is over.
   * @throws CarrierError when the carrier did not answer or refused.
   */
  findCall?(call: CarrierCallRef): Promise<CallAtCarrier>;
  /**
   * Ends a call, ringing or answered. `gone`: the carrier does not know the call any more.
   * @throws CarrierError when the carrier did not answer or refused.
   */
  hangUp(call: CarrierCallRef): Promise<'done' | 'gone'>;
  /** Whether the carrier itself sent this callback. Compares in constant time. */
  verifyCallback(callback: SignedCallback): boolean | Promise<boolean>;
  /** What it is known by when it comes again; missing where the carrier sends nothing of the kind. After `verifyCallback`. */
  proofOf?(callback: SignedCallback): CallbackProof;
  /** What a callback says; null when it names no call. */
  parseCallback(callback: CallbackContent): CarrierCallback | null;
  /**
   * Connects the call's audio with the stream URL, both ways: by the response, or by a command where the carrier works
   * by commands.
   * @throws CarrierError when such a command failed.
   */
  connect(callback: CarrierCallback, streamUrl: string): CallbackResponse | Promise<CallbackResponse>;
  /** Rejects a call that is not answered yet with the cause busy. @throws CarrierError as `connect`. */
  reject(callback: CarrierCallback): CallbackResponse | Promise<CallbackResponse>;
  /** Ends a call that is answered already. @throws CarrierError as `connect`. */
  end(callback: CarrierCallback): CallbackResponse | Promise<CallbackResponse>;
  /** For a carrier without callbacks: opens its event connection, keeps it open, and calls the handlers from it. */
  listen?(
    carrierEvents: CarrierEventHandler,
    log: Logger,
    transferEvents: TransferEventHandler,
  ): { stop(): Promise<void> };
  /** Handing a caller over to a person; missing where the carrier cannot. */
  readonly transfers?: CarrierTransfers;
  /** Renting numbers; missing where the carrier or this version cannot, or a setting for it is not set. */
  readonly numbers?: NumberInventory;
  /**
   * Handles a callback about a transfer, for a carrier that works by commands and reports at the URLs of
   * `transfer-routes.ts`. @throws CarrierError when a command failed.
   */
  handleTransferCallback?(
    endpoint: TransferEndpoint,
    transferId: string,
    callback: CallbackContent,
    events: TransferEventHandler,
  ): Promise<void>;
}

export class CarrierError extends Error {
  /** HTTP status, 0 when there was no response. */
  readonly status: number;
  /** Whether the request may have reached the carrier. */
  readonly maybeSent: boolean;
  constructor(message: string, status: number, { maybeSent = true } = {}) {
    super(message);
    this.name = 'CarrierError';
    this.status = status;
    this.maybeSent = maybeSent;
  }
}

/** Whether the carrier may have carried out the request that failed: no answer came, or one of a server's failures (5xx, 408). */
export const isUnanswered = (error: unknown) =>
  error instanceof CarrierError &&
  error.maybeSent &&
  (error.status === 0 || error.status >= 500 || error.status === 408);

/** Carriers whose account is configured; the others are missing. */
export type Carriers = ReadonlyMap<CarrierName, Carrier>;

/** What each adapter file exports as `adapter`: makes the carrier from the settings of its manifest. */
export type CarrierAdapter<Manifest extends CarrierManifest = CarrierManifest> = (
  settings: SettingsOf<Manifest> & { PUBLIC_API_URL: string },
  deps: AdapterDeps,
) => Carrier;

export interface AdapterDeps {
  /** For a carrier whose state is this service's to keep. */
  sql?: Sql;
}
