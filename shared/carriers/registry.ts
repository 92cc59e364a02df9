import { asterisk } from './asterisk.ts';
import { exotel } from './exotel.ts';
import type { CarrierManifest } from './manifest.ts';
import { plivo } from './plivo.ts';
import { telnyx } from './telnyx.ts';
import { twilio } from './twilio.ts';
import { vonage } from './vonage.ts';

/** Every carrier of the service. */
export const CARRIERS = [twilio, plivo, telnyx, exotel, vonage, asterisk] as const satisfies readonly CarrierManifest[];

export type CarrierName = (typeof CARRIERS)[number]['name'];

/** Names, as URLs and call records have them. */
export const CARRIER_NAMES = CARRIERS.map(({ name }) => name);

/** A call record's `provider` is a carrier: neither `stream` nor empty. */
export const isCarrierName = (provider: string): provider is CarrierName => carrierManifest(provider) !== undefined;

/** The manifest of that name; undefined when this version has none. */
export function carrierManifest(name: string): CarrierManifest | undefined {
  return CARRIERS.find((manifest) => manifest.name === name);
}
