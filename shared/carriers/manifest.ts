import type { Settings } from '../providers/manifest.ts';

/**
 * What the service knows of a carrier before it speaks to it: one manifest per carrier, a file beside this one, listed in
 * `registry.ts`. Its name finds the adapter of control (`control/carriers/<name>.ts`) and the protocol of media
 * (`media/leg/protocols/<name>.ts`). Settings, API values, the price default and the settings page of the documents are derived
 * from it or checked against it.
 */
export interface CarrierManifest {
  /** Part of URLs and of call records: lower-case letters. */
  name: string;
  /** The carrier's own spelling, for people. */
  label: string;
  /** Of the account, read by control. With all required ones set, the carrier is in use. */
  settings: Settings;
  /** Of one minute of telephony in rupees, where the operator has set no other price. */
  pricePerMinute: number;
  capabilities: {
    /** `callbacks`: the carrier calls PUBLIC_API_URL. `connection`: control opens a connection to it. */
    events: 'callbacks' | 'connection';
    /** Its callbacks are signed; otherwise a key in their URLs proves them. */
    signedCallbacks: boolean;
    /** A call can be ended by a request; otherwise only by closing its media stream. */
    hangUp: boolean;
    /** A call can be handed over to a person. */
    transfers: boolean;
    /** Workspaces can search and buy its numbers. */
    numbers: boolean;
    /** A live call goes on, silent, when its media stream has ended: control must hang it up. */
    callOutlivesStream: boolean;
    /** It shows the called person the reason of a call. */
    callReason?: boolean;
  };
}

/** Checks a manifest's shape and keeps its exact name and settings as types. */
export const carrier = <const Manifest extends CarrierManifest>(manifest: Manifest): Manifest => manifest;
